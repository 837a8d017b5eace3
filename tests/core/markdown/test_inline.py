"""Texts and addresses in Markdown."""

from __future__ import annotations

import pytest

from benchmarks.support.rendered_markdown import renderers
from forest_scrapy.core.markdown.inline import write_address, write_text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Boats\n---\n# Nets", "Boats --- # Nets"),
        ("Trailing ##", r"Trailing \##"),
        ("<img src=x onerror=y>", "&lt;img src=x onerror=y>"),
        ("[a]: b", r"\[a]: b"),
        ("1. Title: it's", "1. Title: it's"),
    ],
)
def test_headings(text: str, line: str) -> None:
    assert write_text(text, is_line=True) == line


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("http://a.example/b_c?d=1&e=2", "<http://a.example/b_c?d=1&e=2>"),
        ("http://a.example/> <img src=x onerror=y>",
         "<http://a.example/%3E%20%3Cimg%20src=x%20onerror=y%3E>"),
        ("http://a.example/\n\n<script>", "<http://a.example/%3Cscript%3E>"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("[x](javascript:y)", r"\[x](javascript:y)"),
        ("http://[", "http://["),
        ("", ""),
    ],
)  # fmt: skip
def test_addresses(url: str, written: str) -> None:
    assert write_address(url) == written
    for render in renderers().values():
        rendered = render(written)
        assert "javascript:" not in rendered.partition("href=")[2]
        assert "<img" not in rendered and "<script" not in rendered
