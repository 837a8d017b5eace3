"""Sets of recorded pages: read, made and scored."""
