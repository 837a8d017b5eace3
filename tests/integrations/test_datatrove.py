"""The extractor for datatrove: the texts of the stored wrappers."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_scrapy import extract_pages
from forest_scrapy.batch.files import BatchArguments, FileBatch
from forest_scrapy.batch.progress import NoProgress
from forest_scrapy.settings import BadSetting, ForestSettings
from forest_scrapy.stores import BadStore
from tests.batch.helpers import demo_pages, write_warc
from tests.core.test_extraction_pages import PRICING
from tests.crawls.helpers import story

data = pytest.importorskip("datatrove.data")
pytestmark = pytest.mark.filterwarnings("default")


def write_store(folder: Path) -> str:
    """A store with the wrappers of the demo site."""
    warc, store = write_warc(folder / "pages.warc", demo_pages()), str(folder / "wrappers.db")
    order = BatchArguments((str(warc),), folder / "a", folder / "e", save_wrappers=store)
    FileBatch(order, ForestSettings(), 1, NoProgress()).run()
    return store


def test_texts_of_documents(tmp_path: Path) -> None:
    from forest_scrapy.integrations.datatrove import ForestExtractor

    store = write_store(tmp_path)
    expected = {one.url: one.text for one in extract_pages(demo_pages())}
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

    store = write_store(tmp_path)
    html = PRICING.replace("Acme", "Acme Ltd")
    document = data.Document(text=html, id="1", metadata={"url": "http://a.example/pricing"})
    (found,) = ForestExtractor(store, timeout=60, kinds=("page",)).run(iter([document]))
    (expected,) = extract_pages(
        [("http://a.example/pricing", html)], ForestSettings(kinds=("page",))
    )
    assert found.text == expected.text and "Every plan has all features" in found.text


def test_pages_of_other_sites_are_articles_if_they_look_like_it(tmp_path: Path) -> None:
    from forest_scrapy.integrations.datatrove import ForestExtractor

    store = write_store(tmp_path)
    links = "".join(f"<li><a href='/c/{n}'>Category {n}</a> ({n} things)</li>" for n in range(40))
    pages = {
        "http://b.example/2024/05/03/harbour-news": story(1),
        "http://b.example/pricing": PRICING,
        "http://b.example/categories": f"<h1>Categories</h1><ul>{links}</ul>",
    }
    documents = [
        data.Document(text=html, id=url, metadata={"url": url}) for url, html in pages.items()
    ]
    found = ForestExtractor(store, timeout=60).run(iter(documents))
    assert [document.id for document in found] == ["http://b.example/2024/05/03/harbour-news"]


def test_wrong_settings_are_told_when_the_extractor_is_made() -> None:
    """Not by each document in a worker, where all of them would be left out."""
    from forest_scrapy.integrations.datatrove import ForestExtractor

    with pytest.raises(BadSetting, match="owl"):
        ForestExtractor("wrappers.db", kinds=("owl",))


def test_a_store_that_is_missing_ends_the_run(tmp_path: Path) -> None:
    from forest_scrapy.integrations.datatrove import ForestExtractor

    document = data.Document(text="<p>Owls", id="1", metadata={"url": "http://a.example/"})
    extractor = ForestExtractor(str(tmp_path / "none.db"))
    with pytest.raises(BadStore, match="no wrappers are stored here yet"):
        list(extractor.run(iter([document])))
