"""The quality of what is extracted."""
