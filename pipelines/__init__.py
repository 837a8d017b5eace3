"""The pipelines of this checkout's project."""
