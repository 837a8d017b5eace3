"""Where the records of a page are: candidates for their elements, ranked."""
