"""The article pipeline."""
