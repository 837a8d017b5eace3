"""The extractor for datatrove: the texts of the stored wrappers."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_scrapy import extract_pages
from forest_scrapy.batch.files import FileBatch, NoProgress, Order
from forest_scrapy.settings import ForestSettings
from tests.batch.helpers import demo_pages, write_warc
from tests.core.test_learning_pages import PRICING

data = pytest.importorskip("datatrove.data")
pytestmark = pytest.mark.filterwarnings("default")


def test_texts_of_documents(tmp_path: Path) -> None:
    from forest_scrapy.integrations.datatrove import ForestExtractor

    warc, store = write_warc(tmp_path / "pages.warc", demo_pages()), str(tmp_path / "wrappers.db")
    order = Order((str(warc),), tmp_path / "a", tmp_path / "e", save_wrappers=store)
    FileBatch(order, ForestSettings(), 1, NoProgress()).run()
    expected = {one.url: one.text for one in extract_pages(demo_pages(), wrappers=store)}
    documents = [
        data.Document(text=page.body.decode(), id=page.url, metadata={"url": page.url})
        for page in demo_pages()
        if isinstance(page.body, bytes)
    ]
    bad = ("http://[x/", "http://a.example/\ud800")  # no pages; the others are read
    documents += [data.Document(text="<p>", id=url, metadata={"url": url}) for url in bad]
    documents.append(data.Document(text="<p>", id="empty", metadata={}))
    found = ForestExtractor(store, timeout=60).run(iter(documents))
    assert {document.id: document.text for document in found} == expected


def test_texts_of_pages_of_any_kind(tmp_path: Path) -> None:
    from forest_scrapy.integrations.datatrove import ForestExtractor

    store = str(tmp_path / "wrappers.db")
    html = PRICING.replace("Acme", "Acme Ltd")
    document = data.Document(text=html, id="1", metadata={"url": "http://a.example/pricing"})
    (found,) = ForestExtractor(store, timeout=60, kinds=("page",)).run(iter([document]))
    (expected,) = extract_pages(
        [("http://a.example/pricing", html)], ForestSettings(kinds=("page",))
    )
    assert found.text == expected.text and "Every plan has all features" in found.text
