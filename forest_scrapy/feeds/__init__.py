"""Feeds: finding them on a site, and reading them."""
