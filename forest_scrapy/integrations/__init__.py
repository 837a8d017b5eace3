"""Integrations with scrapy-poet and zyte-common-items."""
