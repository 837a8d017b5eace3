"""Time and memory, of pages, of crawls and of files."""
