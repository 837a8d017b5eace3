"""The alignment of graphs."""
