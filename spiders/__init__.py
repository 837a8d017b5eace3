"""The runnable project of this checkout: its settings, and its spiders."""
