"""Quality and speed, each one command."""
