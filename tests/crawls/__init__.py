"""Crawls by ``scrapy crawl``, each in a process of its own, against servers on loopback."""
