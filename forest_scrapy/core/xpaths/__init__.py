"""Patterns of elements that recur on the pages of a template, and their XPaths (FOREST 3.2)."""
