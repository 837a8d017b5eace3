"""The article's fields beside its text: title, authors, dates, tags, pictures and so on.

Pages declare them (``declared``: JSON-LD, microdata, OpenGraph and other ``meta``) and show
them.  Which of the sources is right is a matter of the template: ``learn_fields`` ranks them by
how well they agree with the feed and with each other on the template's pages, and finds the
elements that show the same; the wrapper keeps the order as ``FieldSources``.  ``read_fields``
takes, on any page, the first source that gives something.
"""

from forest_scrapy.core.fields.learn_sources import learn_fields
from forest_scrapy.core.fields.metadata import FieldSources, Image, Link, Metadata
from forest_scrapy.core.fields.reading import base_url, read_fields

__all__ = ["FieldSources", "Image", "Link", "Metadata", "base_url", "learn_fields", "read_fields"]
