"""Records: the posts of a thread, the items of a listing, the product of a page.

Pages of a template repeat the same structure, often several times on a page.  ``learn_records``
finds it once, from a few pages and without labels, and writes it as a ``RecordWrapper``, which is
then applied to every other page of the template.

    learn_records(pages)  -> RecordWrapper
    wrapper.apply(page)   -> list[Record]

The steps are in docs/records.md, "How they are found".

Departures from the thesis: records of single pages are found, too, and a path may hold several
values of a record.
"""

from typing import TYPE_CHECKING

from forest_scrapy.core.lazy import load_on_use

if TYPE_CHECKING:
    from forest_scrapy.core.records.attributes.attribute import Attribute
    from forest_scrapy.core.records.learning import learn_records
    from forest_scrapy.core.records.listing import read_listing
    from forest_scrapy.core.records.products.product import (
        count_evidence,
        learn_product,
        min_evidence_against,
        rate_product,
        read_product,
    )
    from forest_scrapy.core.records.products.product_rules import ProductRules
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
    "count_evidence",
    "learn_product",
    "learn_records",
    "min_evidence_against",
    "rate_product",
    "read_listing",
    "read_product",
]

__getattr__ = load_on_use(
    __name__,
    {
        "attributes.attribute": "Attribute",
        "learning": "learn_records",
        "listing": "read_listing",
        "products.product_rules": "ProductRules",
        "products.product": (
            "count_evidence learn_product min_evidence_against rate_product read_product"
        ),
        "record": "Record Value",
        "record_wrapper": "RecordEvidence RecordRules RecordWrapper",
    },
)
