"""Measurements of the package, in a folder for each thing that is measured."""
