"""The words of texts, and the URLs of items."""

from __future__ import annotations

from dataclasses import replace

from forest_scrapy.core import Article, learn
from forest_scrapy.core.items import count_words
from forest_scrapy.core.page.urls import entry_url, page_key, without_trackers

from .helpers import demo_pages


def test_an_item_has_the_words_of_its_text() -> None:
    assert Article("http://a.example/", text="Boats come in.").word_count == 3
    longer = replace(Article("http://a.example/"), text="港に船が入る。")
    assert longer.word_count == count_words("港に船が入る。") == 4


def test_urls_without_trackers_are_those_of_the_same_page() -> None:
    for url in (
        "https://a.example/1?utm_source=rss&id=7#top",
        "https://a.example/?fbclid=x",
        "https://a.example/?q=a%20b&gclid=1&q=c",
        entry_url("https://a.example/log?utm_medium=x", "what?utm_id=1"),
    ):
        assert "utm_source" not in without_trackers(url)
        assert page_key(without_trackers(url)) == page_key(url)
        assert without_trackers(without_trackers(url)) == without_trackers(url)


def test_an_article_keeps_the_url_as_it_was_fetched() -> None:
    page = demo_pages("news")[0]
    wrapper = learn([page])
    article = wrapper.article(replace(page, url=f"{page.url}?id=7&utm_source=rss"))
    assert article is not None
    assert article.url == f"{page.url}?id=7"
    assert article.fetched_url == f"{page.url}?id=7&utm_source=rss"
    plain = wrapper.article(page)
    assert plain is not None
    assert (plain.url, plain.fetched_url) == (page.url, "")
