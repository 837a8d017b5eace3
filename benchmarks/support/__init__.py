"""What several folders, or tests, need: a server, other extractors and renderers, plots."""
