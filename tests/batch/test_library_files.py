"""Pages without a URL, whose folders and names say nothing about them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from demo.demo_site import build_site
from forest_scrapy import Article, extract_pages
from forest_scrapy.core import Page
from forest_scrapy.core.records.kind_signals import describe_template
from forest_scrapy.core.records.regions.prose import read_prose
from forest_scrapy.core.templates.signals import read_signals
from forest_scrapy.settings import ForestSettings
from tests.batch.helpers import HOST, demo_pages

ARTICLES = {f"{HOST}{one.path}" for one in build_site(HOST).articles}
FOLDERS = ("corpus", "forum/threads", "category", "2024/05/news")


@pytest.mark.parametrize("folder", FOLDERS[1:])
def test_articles_in_any_folder(folder: str) -> None:
    pages = [page for page in demo_pages() if page.url in ARTICLES][:6]
    files = [
        replace(page, url=f"file:///{folder}/{number}.html") for number, page in enumerate(pages)
    ]
    settings = ForestSettings(kinds=("article", "thread", "listing"))
    urls = [item.url for item in extract_pages(files, settings) if isinstance(item, Article)]
    assert urls == [page.url for page in files]


def test_the_path_of_a_file_is_no_signal() -> None:
    html = "<h1>The boats</h1><p>The boats are in the harbour today, and the sea is calm."
    pages = [Page.from_html(html, f"file:///{folder}/1.html") for folder in FOLDERS]
    assert len({read_signals(page) for page in pages}) == 1
    prose = [read_prose([page]) for page in pages]
    facts = [describe_template(one, one, None, None).numbers for one in prose]
    assert all(one == facts[0] for one in facts)
