"""Hostile answers, pages, feeds and strings."""
