from __future__ import annotations

from forest_scrapy.stores import Spool
from forest_scrapy.stores.page_tables import ArticleIdentity

from .helpers import HOST


def make_article(
    key: str, canonical: str = "", host: str = HOST, text: bytes = b""
) -> ArticleIdentity:
    return ArticleIdentity(key, canonical or key, host, "owls", text or key.encode(), b"sketch")


def test_articles_of_the_same_canonical_url(spool: Spool) -> None:
    for article in (make_article("a"), make_article("b", "a"), make_article("c", "d")):
        spool.articles.add(article)
    keys = [
        [one.page_key for one in spool.articles.with_canonical(make_article(*key.split()))]
        for key in ("a", "b a", "d", "x a", "x")
    ]
    assert keys == [["b"], ["a"], ["c"], ["a", "b"], []]


def test_articles_of_the_same_text_are_of_one_host(spool: Spool) -> None:
    spool.articles.add(make_article("a", text=b"1"))
    spool.articles.add(make_article("b", host="b.example", text=b"1"))
    assert spool.articles.with_text(make_article("c", text=b"1")) == [make_article("a", text=b"1")]
    assert spool.articles.with_text(make_article("a", text=b"1")) == []


def test_an_article_is_replaced_and_removed(spool: Spool) -> None:
    spool.articles.add(make_article("a", text=b"1"))
    spool.articles.add(make_article("a", text=b"2"))
    assert spool.articles.has("a")
    assert spool.articles.with_text(make_article("b", text=b"1")) == []
    spool.articles.remove("a")
    assert not spool.articles.has("a")


def test_urls_of_a_page(spool: Spool) -> None:
    for url in ("http://a.example/2", "http://a.example/1", "http://a.example/2"):
        spool.articles.add_url("a", url)
    assert spool.articles.urls("a") == ["http://a.example/1", "http://a.example/2"]
    assert spool.articles.urls("b") == []
