"""What edited rules change in the items of pages."""

from __future__ import annotations

from dataclasses import replace

from forest_scrapy.commands.edited_records import compare_items, describe_item_changes
from forest_scrapy.core import TemplateRules, learn_rules
from forest_scrapy.core.options import Options
from tests.core.records.shop import LAMPS, product_page

OPTIONS = Options(kinds=("product",))
PAGES = [product_page(lamp) for lamp in LAMPS]


def with_names(rules: TemplateRules, *xpaths: str) -> TemplateRules:
    assert rules.records is not None and rules.records.product is not None
    product = replace(rules.records.product, name=xpaths)
    return replace(rules, records=replace(rules.records, product=product))


def test_only_the_fields_that_change_are_named() -> None:
    rules = learn_rules(PAGES, OPTIONS)
    other_rules = with_names(rules, "//a[@class='brand']")
    changes = compare_items(PAGES, rules, other_rules, Options())
    assert changes[0].values == {"name": (LAMPS[0].name, LAMPS[0].brand)}
    lines = list(describe_item_changes(changes[:2]))
    assert lines == [
        PAGES[0].url,
        f"  name: '{LAMPS[0].name}' is now '{LAMPS[0].brand}'",
        PAGES[1].url,
        f"  name: '{LAMPS[1].name}' is now '{LAMPS[1].brand}'",
        "2 pages: the items of 2 change",
    ]


def test_what_is_the_same() -> None:
    rules = learn_rules(PAGES, OPTIONS)
    changes = compare_items(PAGES[:1], rules, rules, Options())
    assert list(describe_item_changes(changes)) == ["1 page: the items of 0 change"]


def test_a_page_that_loses_its_item() -> None:
    rules = learn_rules(PAGES, OPTIONS)
    (change,) = compare_items(PAGES[:1], rules, replace(rules, kinds=("listing",)), Options())
    assert change.values["no item"] == ("", "other_kind")
    assert change.values["price"] == (LAMPS[0].price, "")
