"""The encoding of bytes is that with which a crawl reads them."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

from forest_scrapy.core import Page
from forest_scrapy.core.encoding import decode_html
from forest_scrapy.responses.conversion import repair_encoding

_TEXT = "<html><head>{}<title>Größe</title></head><body><p>Straße"
_META = '<meta charset="{}">'
CASES = {
    "utf-8": _TEXT.format(_META.format("utf-8")).encode(),
    "no declaration": _TEXT.format("").encode(),
    "windows-1252": _TEXT.format(_META.format("windows-1252")).encode("cp1252"),
    "detected windows-1252": _TEXT.format("").encode("cp1252"),
    "utf-8 declared as latin-1": _TEXT.format(_META.format("iso-8859-1")).encode(),
    "shift_jis": f"<head>{_META.format('shift_jis')}</head><p>港の船".encode("shift_jis"),
    "gb2312": f"<head>{_META.format('gb2312')}</head><p>港口的船".encode("gb18030"),
    "koi8-r": f"<head>{_META.format('koi8-r')}</head><p>лодки".encode("koi8-r"),
    "utf-16": b"\xff\xfe" + _TEXT.format("").encode("utf-16-le"),
    "byte order mark": _TEXT.format("").encode("utf-8-sig"),
    "hex is no encoding": _TEXT.format(_META.format("hex")).encode("cp1252"),
    "ascii": b"<p>Boats",
    "empty": b"",
    "zeros": bytes(200),
}


@pytest.mark.parametrize("name", CASES)
def test_as_a_crawl_reads_it(name: str) -> None:
    response = repair_encoding(HtmlResponse("http://a.example/", body=CASES[name]))
    assert isinstance(response, HtmlResponse)
    assert decode_html(CASES[name]).lstrip("\ufeff") == response.text.lstrip("\ufeff")


@pytest.mark.parametrize("name", ["utf-8", "windows-1252", "utf-8 declared as latin-1", "utf-16"])
def test_bytes_as_a_page(name: str) -> None:
    page = Page.from_html(CASES[name], "http://a.example/")
    assert page.root.findtext(".//title") == "Größe"
