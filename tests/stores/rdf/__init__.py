"""Tests of the stores, on real SQLite files."""
