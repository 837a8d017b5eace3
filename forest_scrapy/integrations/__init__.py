"""Other projects' interfaces: scrapy-poet and zyte-common-items."""
