"""From bytes to a page: its tree, its text, its language, and what it declares about itself."""
