"""What of a response and its feed entry is in the article."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from scrapy.http import HtmlResponse

from forest_scrapy.core import Article, Entry, Template, TemplateRules, Wrapper, extract_item
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import page_of, visit_of

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


def extract(item: ArticlePage, template: Template | None, feed_fields: bool = True) -> Article:
    page, rules = page_of(item.response, item.entry, feed_fields), template and template.rules
    article = extract_item(page, rules, visit=visit_of(item, template))
    assert isinstance(article, Article)
    return article


def test_the_parts_of_an_article() -> None:
    item, template = make_item(), Template("t", "a.example", "t1", TemplateRules(WRAPPER))
    article = extract(item, template)
    assert (article.url, article.text) == (URL, "Boats come in. More")
    link = '<a href="http://a.example/base/c">More</a>'
    assert article.html == f"<div><p>Boats come in. {link}</p></div>"
    assert (article.template_id, article.method) == ("t1", "trained")
    assert (article.xpath, article.wrapper_id) == (WRAPPER.keep[0], WRAPPER.id)
    assert (article.comments_url, article.comments_count) == (ENTRY.comments_url, 3)
    assert (article.etag, article.last_modified[:3], article.status) == ('"x"', "Wed", 200)
    assert article.fetched_at == item.fetched_at
    assert article.links == [{"url": "http://a.example/base/c", "text": "More"}]
    assert json.loads(json.dumps(asdict(article))) == asdict(article)


@pytest.mark.parametrize("feed_fields", [True, False])
def test_the_entry_is_the_feeds_own_whatever_is_read_from_it(feed_fields: bool) -> None:
    article = extract(make_item(), Template("t", "", "", TemplateRules(WRAPPER)), feed_fields)
    assert article.entry == ENTRY.to_dict()
    assert "signifiers_only" not in article.entry
    assert article.authors == (["Bo"] if feed_fields else [])
    assert (article.published[:10], article.sources.get("published")) == (
        ("2024-05-01", "feed") if feed_fields else ("", None)
    )


def test_the_visit_knows_the_template() -> None:
    stored = Template("t", "", "t1", TemplateRules(WRAPPER), is_stored=True)
    visit = visit_of(make_item(), stored)
    assert (visit.template_id, visit.may_be_outdated, visit.may_be_article) == ("t1", True, True)
    assert not visit_of(make_item(), stored, may_be_outdated=False).may_be_outdated
    others = Template("t", "", may_be_articles=False)
    assert not visit_of(make_item(), others).may_be_article
    assert visit_of(make_item()).template_id == ""
