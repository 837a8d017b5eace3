"""A simulated year of crawls."""
