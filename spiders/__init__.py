"""The settings and spiders of this checkout's project."""
