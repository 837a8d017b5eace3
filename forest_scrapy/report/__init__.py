"""A report of what was kept and dropped on pages, as static HTML."""
