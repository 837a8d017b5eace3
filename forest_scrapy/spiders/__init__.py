"""The spiders ``feeds`` and ``site``."""
