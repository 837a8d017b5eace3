"""The run of a crawl: outcomes, commits, exports, recovery and what is logged."""
