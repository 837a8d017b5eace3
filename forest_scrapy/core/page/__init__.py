"""A page: its tree, its text, its language, and the metadata that it declares."""
