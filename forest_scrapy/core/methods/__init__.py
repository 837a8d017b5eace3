"""The extraction methods, one module each, with one signature: ``(pages, params) -> Wrapper``."""
