"""Tests of the article's fields."""
