"""Sources of fields."""

from __future__ import annotations

from dataclasses import fields

from forest_scrapy.core.fields.metadata import FieldSources, Metadata, is_xpath


def test_no_sources_are_false() -> None:
    assert not FieldSources()
    assert all(FieldSources(**{part.name: ("x",)}) for part in fields(FieldSources))


def test_xpaths_are_told_from_what_pages_declare() -> None:
    sources = FieldSources(
        title=("json-ld:headline", "//h1", "html:h2"),
        language=("text:en",),
        affixes=(" / News", "//"),
    )
    xpaths = sources.xpaths()
    assert {name: found for name, found in xpaths.items() if found} == {"title": ["//h1", "//h2"]}
    others = ("affixes", "site_dates", "date_order")
    assert list(xpaths) == [part.name for part in fields(FieldSources) if part.name not in others]
    assert is_xpath("(//h1)[1]") and not is_xpath("meta:og:title")


def test_values_of_pages_do_not_share_what_can_change() -> None:
    assert Metadata().sources is not Metadata().sources
