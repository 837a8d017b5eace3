"""Responses: their pages, what may be downloaded, and pages that take long to read."""
