"""One crawl at work: from a fetched page to its outcome."""
