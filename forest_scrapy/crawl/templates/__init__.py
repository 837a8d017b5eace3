"""The templates of a crawl: clusters of pages, recognized or new."""
