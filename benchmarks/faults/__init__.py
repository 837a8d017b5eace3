"""Crawls and extractions that are stopped, killed, or run out of disk."""
