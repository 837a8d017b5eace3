"""The versions of an article as they are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from forest_scrapy.report.contents import Change, Report
from forest_scrapy.report.version_view import (
    NumberedVersion,
    VersionsView,
    describe_version,
    diff_versions,
    number_versions,
    view_latest,
)
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import PageVersion

URL = "http://a.example/1"


def make_version(number: int, kind: str = "changed", **values: Any) -> PageVersion:
    return PageVersion("aa", number, number, kind, values={"url": URL, **values})


OLD = make_version(0, title="Convicted", text="One line.\nThe end.")
NEW = make_version(9, title="Cleared", text="Another line.\nThe end.")


@pytest.mark.parametrize("values", [{"type": "product"}, {}])
def test_a_product_that_is_gone_has_the_fields_of_one(values: dict[str, str]) -> None:
    """Also if it does not say its type."""
    lamp = make_version(0, type="product", name="Owl lamp", price="9.00")
    gone = make_version(9, kind="gone", **values)
    for versions in ((lamp, gone), (gone, lamp)):
        diff = diff_versions(*number_versions(versions), by_words=False)
        assert "price: 9.00" in diff and "authors" not in diff
        view = VersionsView(URL, (), *number_versions(versions))
        assert [pair.name for pair in view.fields] == ["name", "price"]


def test_the_latest_versions_with_an_article_are_compared() -> None:
    gone = make_version(5, kind="gone")
    view = view_latest(URL, [OLD, gone, NEW, gone])
    assert view is not None
    assert (view.old.number, view.new.number, len(view.versions)) == (1, 3, 4)
    assert [(field.name, field.is_changed) for field in view.fields] == [("title", True)]
    assert [line.is_changed for line in view.lines] == [True, False]
    assert view_latest(URL, [OLD, gone]) is None


@pytest.mark.parametrize("change", [{"fields": 7}, {"fields": {"title": 7}, "share": "x"}, {}])
def test_odd_changes_are_described(change: dict[str, Any]) -> None:
    version = PageVersion("aa", 0, 0, "changed", change=change, values={"url": URL})
    assert describe_version(NumberedVersion(1, version))[0].startswith("    1  1970-01-01")


def test_equal_versions_have_no_diff() -> None:
    old, new = number_versions([OLD, OLD])
    assert diff_versions(old, new, by_words=False) == ""
    assert diff_versions(old, new, by_words=True) == ""


def test_a_report_links_the_versions(tmp_path: Path) -> None:
    view = view_latest(URL, [OLD, NEW])
    assert isinstance(view, VersionsView)
    fields = {
        "title": {"from": "Convicted", "to": "Cleared"},
        "tags": {"from": None, "to": ["<b>"]},
    }
    changes = (
        Change(URL, fields=fields, versions=view),
        Change("http://a.example/2", is_gone=True),
    )
    stale = tmp_path / "versions-0123456789.html"
    stale.write_text("an earlier report")
    write_report(Report("Crawl", (), changes=changes), tmp_path, ForestSettings())
    overview = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert f'<a href="{view.file}">side by side</a>' in overview
    assert "<del>Convicted</del> <ins>Cleared</ins>" in overview
    assert "<ins>&lt;b&gt;</ins>" in overview
    page = (tmp_path / view.file).read_text(encoding="utf-8")
    assert "<ins>Another</ins> line." in page
    assert not stale.exists()
