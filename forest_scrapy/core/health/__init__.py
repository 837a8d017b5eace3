"""The health of a crawl that nobody watches."""
