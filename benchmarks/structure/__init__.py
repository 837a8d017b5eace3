"""The size of a checkout and its import graph."""
