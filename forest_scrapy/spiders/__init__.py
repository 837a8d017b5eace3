"""The spiders that ship: ``feeds`` and ``site``."""
