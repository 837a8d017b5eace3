"""Commands of Scrapy that also work outside a project; one module each, named like the command."""
