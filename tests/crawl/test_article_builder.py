"""Building the article item."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from forest_scrapy.crawl.articles import make_article
from scrapy.http import HtmlResponse

from forest_scrapy.core import Entry, Extract, Wrapper, extract
from forest_scrapy.core.page.content import text_content
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import page_of

URL = "http://a.example/b"
HTML = (
    "<html lang=en><base href='http://a.example/base/'><title>Boats</title>"
    "<div class=text><p>Boats come in. <a href=c>More</a></p><script>x()</script></div>"
)
ENTRY = Entry("Boats at dawn", "They come in.", published="2024-05-01T10:00:00+00:00", author="Bo",
              comments_url="http://a.example/talk", comments_count=3)  # fmt: skip
WRAPPER = Wrapper("trained", ("//div[@class='text']",))


def make_item(entry: Entry | None = ENTRY) -> ArticlePage:
    headers = {"ETag": '"x"', "Last-Modified": "Wed, 01 May 2024 10:00:00 GMT"}
    response = HtmlResponse(URL, body=HTML, encoding="utf-8", headers=headers)
    item = ArticlePage.from_response(response, entry)
    item.fetched_at = "2024-06-01T00:00:00+00:00"
    return item


def test_the_parts_of_an_article() -> None:
    item = make_item()
    page = page_of(item.response, item.entry)
    wrapper, found = extract(page, WRAPPER)
    article = make_article(item, page, "t1", wrapper, found)
    assert (article.url, article.text) == (URL, "Boats come in. More")
    link = '<a href="http://a.example/base/c">More</a>'
    assert article.html == f"<div><p>Boats come in. {link}</p></div>"
    assert (article.template_id, article.method) == ("t1", "trained")
    assert (article.xpath, article.wrapper_id) == (WRAPPER.keep[0], WRAPPER.id)
    assert (article.comments_url, article.comments_count) == (ENTRY.comments_url, 3)
    assert (article.etag, article.last_modified[:3]) == ('"x"', "Wed")
    assert article.fetched_at == item.fetched_at
    assert article.links == [{"url": "http://a.example/base/c", "text": "More"}]
    assert json.loads(json.dumps(asdict(article))) == asdict(article)


@pytest.mark.parametrize("feed_fields", [True, False])
def test_the_entry_is_the_feeds_own_whatever_is_read_from_it(feed_fields: bool) -> None:
    item = make_item()
    page = page_of(item.response, item.entry, feed_fields)
    article = make_article(item, page, "", *extract(page, WRAPPER))
    assert article.entry == ENTRY.to_dict()
    assert "signifiers_only" not in article.entry
    assert article.authors == (["Bo"] if feed_fields else [])
    assert (article.published[:10], article.sources.get("published")) == (
        ("2024-05-01", "feed") if feed_fields else ("", None)
    )


def test_an_article_without_html_gets_it_from_its_text() -> None:
    item = make_item(None)
    found = Extract(text_content("A title\nA <b> of text"))
    article = make_article(item, page_of(item.response), "", Wrapper("description"), found)
    assert article.html == "<p>A title</p>\n<p>A &lt;b&gt; of text</p>"
    assert (article.text, article.entry, article.comments_count) == (found.text, None, None)
