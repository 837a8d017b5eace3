"""Which pages of a host share a template (Gottron 2008, sections 4 and 5)."""
