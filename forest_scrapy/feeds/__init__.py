"""Finding and reading feeds."""
