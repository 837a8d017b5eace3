"""Records: the posts of a thread, the items of a listing, the product of a page.

Pages of a template repeat the same structure, often several times on a page.  ``learn_records``
finds it once, from a few pages and without labels, and writes it as a ``RecordWrapper``, which is
then applied to every other page of the template.

    learn_records(pages)  -> RecordWrapper
    wrapper.apply(page)   -> list[Record]

The steps:

- ``regions``: elements with the same class, id or anchored path are a candidate for the records.
  Candidates are ranked by the share of the page's prose that they cover, by how evenly it is
  divided between them, and by how alike they are inside.
  Siblings before or after each of these elements may belong to the same record.
- ``cells``: the values in the records, clustered by their record internal path (Oita 2012, section
  3.3): the path from the record's element down to the value.  Paths with the same value everywhere
  are no attributes.
- ``bodies``: the internal paths that hold the text of the records, and what to leave out of it.
- ``attributes``: the other paths, with their types and labels.
- ``kinds``: what kind of pages they are; ``main_text``: the text of those that are neither articles
  nor threads; ``products``: the values of pages about products; ``listing``: the items of lists.

Departures from the thesis: records of single pages are found, too, and a path may hold several
values of a record.
"""

from forest_scrapy.core.records.attributes import Attribute
from forest_scrapy.core.records.learn_records import learn_records
from forest_scrapy.core.records.listing import read_listing
from forest_scrapy.core.records.products import ProductRules, learn_product, read_product
from forest_scrapy.core.records.record import Record, Value
from forest_scrapy.core.records.record_wrapper import RecordEvidence, RecordRules, RecordWrapper

__all__ = [
    "Attribute",
    "ProductRules",
    "Record",
    "RecordEvidence",
    "RecordRules",
    "RecordWrapper",
    "Value",
    "learn_product",
    "learn_records",
    "read_listing",
    "read_product",
]
