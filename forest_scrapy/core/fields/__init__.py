"""The fields of an article besides its text: title, authors, dates, tags, images and so on.

A page declares its fields (``Page.declared``: JSON-LD, microdata, OpenGraph and other ``meta``
elements), and shows them to readers.  Which of these sources is right depends on the template:
``learn_fields`` ranks them by how well they agree with the feed and with each other on the
template's pages, and finds the elements that show the same values.  The wrapper stores the
order as ``FieldSources``.  ``read_fields`` takes, on any page, the first source that has a value.
"""

from typing import TYPE_CHECKING

from forest_scrapy.core.lazy import load_on_use

if TYPE_CHECKING:
    from forest_scrapy.core.fields.metadata import FieldSources, Metadata
    from forest_scrapy.core.fields.read_fields import learn_fields

__all__ = ["FieldSources", "Metadata", "learn_fields"]

__getattr__ = load_on_use(
    __name__,
    {
        "metadata": "FieldSources Metadata",
        "read_fields": "learn_fields",
    },
)
