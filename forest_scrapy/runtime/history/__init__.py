"""What the history says about a page and a feed."""
