"""Tables behind search forms."""
