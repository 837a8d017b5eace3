"""Extraction from stored pages, without Scrapy's engine: read, place, learn, apply."""
