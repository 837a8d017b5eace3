"""The runnable project's own sinks, after the articles are made."""
