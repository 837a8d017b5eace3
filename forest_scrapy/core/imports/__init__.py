"""Rules of other tools, read as values of the core: pure functions from a text."""
