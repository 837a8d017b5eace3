"""The texts of sources that are no elements."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.fields.source_readers import read_source

CARD = """<meta name=twitter:label1 content="Written by"><meta name=twitter:data1 content="Ana Bo">
    <meta name=twitter:label2 content="Reading time"><meta name=twitter:data2 content="3 minutes">
    <meta name=post-date content="2024-05-03">
    <meta property=og:image content="http://a.example/2024/05/01/boat.jpg">"""


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("meta-label:author", ("Ana Bo",)),
        ("meta-name:published", ("2024-05-03",)),
        ("url:date", ("2024-05-02",)),
        ("url:image", ("2024-05-01",)),
        ("feed:title", ()),
        ("unknown:title", ()),
    ],
)
def test_a_source_is_read_by_its_kind(source: str, texts: tuple[str, ...]) -> None:
    page = Page.from_html(CARD, "http://a.example/2024/05/02/boats")
    assert read_source(page, source) == texts


def test_only_one_person_in_the_graph_is_the_author() -> None:
    def people(*names: str) -> tuple[str, ...]:
        nodes = ",".join(f'{{"@type": "Person", "name": "{name}"}}' for name in names)
        html = f'<script type="application/ld+json">{{"@graph": [{nodes}]}}</script>'
        return read_source(Page.from_html(html), "json-ld-graph:person")

    assert people("Ana Bo") == ("Ana Bo",)
    assert people("Ana Bo", "Cy Dee") == ()


def test_the_folders_of_a_file_are_no_date() -> None:
    assert read_source(Page.from_html("", "file:///2024/05/02/boats"), "url:date") == ()
