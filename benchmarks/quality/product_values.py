"""Measure the values of products on pages that declare them.

    python -m benchmarks.quality.records --attributes SET [--only multi|single] [--pages] [--json]

JSON-LD, microdata and ``meta`` elements about products are removed from the pages of the set;
other ``meta`` elements (``og:title``, ``og:image``, ``og:site_name``) stay.  Each template is
learned from what is left, and the values found are compared with the declared ones.  Precision is
counted over the pages that declare a value for the field.  A name is right if it shares at least
0.8 of its words with the declared one (Dice); a price if it is the same number; a brand if it is
the same text, without regard to case; a number (SKU, GTIN) if it has the same letters and digits;
images if the first has the file name of a declared one, without extension and size.  Templates of
one page are counted with ``--only single``, others with ``multi`` (the default is both).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from benchmarks.sets.placed_pages import read_sites
from forest_scrapy.core import Page
from forest_scrapy.core.records.products.declared_product import read_declared
from forest_scrapy.core.records.products.product import SAME, learn_product, read_product

MEASURED = ("name", "price", "currency", "availability", "sku", "gtin", "brand", "images")
_META = re.compile(r"(?:product|og:(?:price|brand|availability)|twitter:(?:data|label))")
_EXTENSION = re.compile(r"\.(?:jpe?g|png|webp|avif|gif)$")
_SIZE = re.compile(r"[_.-]?(?:\d{2,4}x\d{0,4}|s-l\d+)$")


class FieldResult(NamedTuple):
    """A field of a page that declares it: the declared value, and the one found without."""

    page: str
    field: str
    declared: Any
    extracted: Any
    is_right: bool


def without_declaration(page: Page) -> Page:
    """A copy of the page that declares no product."""
    root = deepcopy(page.root)
    for script in root.iter("script"):
        script.text = ""
    for meta in root.iter("meta"):
        name = meta.get("property") or meta.get("name") or ""
        is_of_product = _META.match(name) is not None
        if is_of_product or meta.get("itemprop"):
            meta.attrib.pop("content", None)
    for element in root.iter("*"):
        for attribute in ("itemprop", "itemscope", "itemtype"):
            element.attrib.pop(attribute, None)
    return Page(page.url, root, page.entry)


def measure_pages(pages: Sequence[Page]) -> Iterator[FieldResult]:
    """The fields that the pages of a template declare, and what is found without."""
    bare = [without_declaration(page) for page in pages]
    rules = learn_product(bare)
    for page, stripped in zip(pages, bare, strict=True):
        declared_values = _declared_values(page)
        product = read_product(stripped, rules)
        for field in MEASURED:
            declared = declared_values.get(field)
            if not declared:
                continue
            extracted = getattr(product, field)
            is_right = bool(extracted) and _is_same(field, extracted, declared)
            yield FieldResult(
                page.url,
                field,
                declared,
                extracted,
                is_right,
            )


def _declared_values(page: Page) -> dict[str, Any]:
    """What JSON-LD and microdata declare of the product; the first value of a field counts."""
    declared: dict[str, Any] = {}
    for source, values in read_declared(page):
        if source != "meta":
            declared = {**values, **declared}
    return declared


def _is_same(field: str, extracted: Any, declared: Any) -> bool:
    if field == "images":
        declared_keys = {_file_key(url) for url in declared}
        first_key = _file_key(extracted[0])
        return first_key in declared_keys
    if field in ("sku", "gtin"):
        return _letters_of(extracted) == _letters_of(declared)
    if field not in SAME:
        return bool(extracted == declared)
    is_same = SAME[field]
    return is_same(extracted, declared)


def _letters_of(number: str) -> str:
    """The letters and digits of a number, without zeros in front.

    >>> _letters_of("0802.758-b")
    '802758b'
    """
    letters = re.sub(r"\W", "", number)
    return letters.lstrip("0").lower()


def _file_key(url: str) -> str:
    """The file name of an image, without extension and size.

    >>> _file_key("http://a.example/i/Owl-300x300.jpg?v=1")
    'owl'
    """
    path, _, _ = url.partition("?")
    _, _, name = path.rstrip("/").rpartition("/")
    stem = _EXTENSION.sub("", name.lower())
    return _SIZE.sub("", stem)


def print_values(folder: str, only: str, pages: bool, as_json: bool) -> None:
    """Measure a set and print precision and recall of each field."""
    results: list[FieldResult] = []
    for site in read_sites(folder):
        for template in site.templates:
            size = "multi" if len(template) > 1 else "single"
            if only in ("", size):
                pages_of_template = [placed.page for placed in template]
                results += measure_pages(pages_of_template)
    report = _summarize(results)
    if as_json:
        print(json.dumps(report))
        return
    for field, row in report.items():
        line = "{:8s} precision {precision:.3f}  recall {recall:.3f}  of {declared} pages"
        print(line.format(field, **row))
    if not pages:
        return
    for result in results:
        if result.is_right:
            continue
        declared = repr(result.declared)
        extracted = repr(result.extracted)
        print(result.field, result.page, "declared", declared, "found", extracted)


def _summarize(results: Sequence[FieldResult]) -> dict[str, dict[str, float]]:
    declared_counts: Counter[str] = Counter()
    extracted_counts: Counter[str] = Counter()
    right_counts: Counter[str] = Counter()
    for result in results:
        declared_counts[result.field] += 1
        if result.extracted:
            extracted_counts[result.field] += 1
        if result.is_right:
            right_counts[result.field] += 1

    rows = {}
    for field in MEASURED:
        right = right_counts[field]
        precision = right / (extracted_counts[field] or 1)
        recall = right / (declared_counts[field] or 1)
        rows[field] = {
            "precision": round(precision, 4),
            "recall": round(recall, 4),
            "declared": declared_counts[field],
        }
    return rows
