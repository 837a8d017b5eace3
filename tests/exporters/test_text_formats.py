"""What is text in an item is text in the files that are written of it."""

from __future__ import annotations

import csv
import re
from functools import partial
from html import escape
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from benchmarks.support.rendered_markdown import find_differences, renderers
from forest_scrapy.exporters.csv_tables import FlushedCsvItemExporter
from forest_scrapy.exporters.text_formats import MarkdownItemExporter
from forest_scrapy.items import Article

ATTACKS = (
    "<script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "[x](javascript:alert(1))",
    "a\n---\n# b",
    "![x](http://a.example/i.png)",
    "x\n\n[x]: javascript:alert(1)",
)


def write(exporter: Any, *items: Any) -> str:
    """The file that an exporter writes."""
    file = BytesIO()
    one = exporter(file)
    one.start_exporting()
    for item in items:
        one.export_item(item)
    one.finish_exporting()
    file.flush()
    return file.getvalue().decode("utf-8")


@pytest.mark.parametrize("attack", ATTACKS)
def test_markdown_of_an_item_is_text(attack: str) -> None:
    url = f"http://a.example/>{attack}"
    item = Article(url=url, title=attack, published=attack, text=f"{attack}\nEnd")
    written = write(MarkdownItemExporter, item)
    text = escape(attack)
    paragraphs = "".join(f"<p>{line}</p>" for line in [*text.splitlines(), "End"])
    parts = written.split("\n\n")
    assert list(find_differences(f"<h1>{text}</h1>", parts[0])) == []
    # The address is a link that shows it, or text.
    for render in renderers().values():
        elements = set(re.findall("<[^/][^ >]*", render(parts[1])))
        assert elements <= {"<p", "<a"} and 'href="javascript' not in render(parts[1])
    body = "\n\n".join(parts[2:]).removesuffix("\n")
    assert list(find_differences(paragraphs, body)) == []


def test_markdown_of_html_and_of_markdown() -> None:
    html = Article(url="http://a.example/", title="A", html="<p>&lt;b&gt; <b>c</b></p>", text="d")
    made = Article(url="http://a.example/", title="A", markdown="*a*", text="d")
    written = write(MarkdownItemExporter, html, made, {"url": "javascript:x"})
    assert "&lt;b> **c**" in written and "*a*" in written
    assert "# javascript:x\n\njavascript:x\n" in written
    assert written.count("\n\n---\n\n# ") == 2
    assert not written.rstrip().endswith("---")


def test_markdown_that_is_appended_to_has_a_rule_between_the_runs(tmp_path: Path) -> None:
    place = tmp_path / "a.md"
    for number in range(2):
        with place.open("ab") as file:
            exporter = MarkdownItemExporter(file)
            exporter.export_item(Article(url=f"http://a.example/{number}", title="A", text="d"))
            exporter.finish_exporting()
    text = place.read_text("utf-8")
    assert text == ("# A\n\n<http://a.example/0>\n\nd\n\n---\n\n# A\n\n<http://a.example/1>\n\nd\n")


FORMULAS = ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1+1")
NUMBERS = ("-5", "+5", "-1.299,50")


def test_csv_without_formulas() -> None:
    texts = (*FORMULAS, *NUMBERS, "a=b")
    items = [{"url": one, "tags": [one, "b"], "score": -0.5} for one in texts]
    written = write(partial(FlushedCsvItemExporter, is_safe=True), *items)
    rows = list(csv.DictReader(StringIO(written, newline="")))
    assert [row["url"] for row in rows] == [*(f"'{one}" for one in FORMULAS), *NUMBERS, "a=b"]
    assert [row["tags"] for row in rows[: len(FORMULAS)]] == [f"'{one},b" for one in FORMULAS]
    assert {row["score"] for row in rows} == {"-0.5"}


def append_csv(path: Path, *items: dict[str, str], **options: Any) -> None:
    """Write items as the next run of a crawl does."""
    with path.open("ab") as file:
        exporter = FlushedCsvItemExporter(file, **options)
        exporter.start_exporting()
        for item in items:
            exporter.export_item(item)
        exporter.finish_exporting()


def test_a_csv_file_that_is_appended_to_has_one_header(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    for url in "abc":
        append_csv(file, {"url": url, "title": "T"}, {"url": url * 2, "title": "a\nb"})
    rows = list(csv.DictReader(StringIO(file.read_text("utf-8"), newline="")))
    assert [row["url"] for row in rows] == ["a", "aa", "b", "bb", "c", "cc"]
    append_csv(file, {"title": "T", "url": "d"}, fields_to_export=["url", "title"])
    assert file.read_text("utf-8").endswith("\nd,T\n")


def test_other_columns_have_a_header_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    append_csv(file, {"url": "a"})
    append_csv(file, {"url": "b", "title": "T"})
    assert file.read_text("utf-8").split() == ["url", "a", "url,title", "b,T"]


def test_csv_is_exact_by_default() -> None:
    items = [{"url": one} for one in FORMULAS]
    written = write(FlushedCsvItemExporter, *items)
    rows = list(csv.DictReader(StringIO(written, newline="")))
    assert [row["url"] for row in rows] == [*FORMULAS]
