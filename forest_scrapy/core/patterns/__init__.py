"""Elements that recur on the pages of a template, written as XPaths (FOREST section 3.2)."""
