"""How certain the dates of a page are."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Entry, Page
from forest_scrapy.core.fields import Metadata
from forest_scrapy.core.fields.read_fields import read_fields

URL = "http://a.example/story"
FETCHED = "2024-06-01T12:00:00+00:00"
DATA = '<script type="application/ld+json">{"@type": "NewsArticle", "%s": "%s"}</script>'
META = "<meta property='article:%s_time' content='%s'>"


def read(markup: str, url: str = URL, **outer: str) -> Metadata:
    page = Page.from_html(f"<html><head>{markup}</head><body><p>Text</p></body></html>", url)
    named = {name.replace("_", ":", 1).replace("_", "-"): text for name, text in outer.items()}
    return read_fields(page, fetched_at=FETCHED, external_texts=named)


def rate(markup: str, url: str = URL) -> float:
    return read(markup, url).date_confidence["published"]


DAY, OTHER = "2024-05-03", "2023-01-09"


def test_sources_that_agree_make_a_date_more_certain() -> None:
    alone = rate(DATA % ("datePublished", DAY))
    confirmed = rate(DATA % ("datePublished", DAY) + META % ("published", DAY))
    twice = rate(
        DATA % ("datePublished", DAY) + META % ("published", f"{DAY}T23:00:00+02:00"),
        "http://a.example/2024/05/03/story",
    )
    assert 0.5 < alone < confirmed < twice < 1


def test_sources_that_differ_make_a_date_less_certain() -> None:
    alone = rate(DATA % ("datePublished", DAY))
    contradicted = rate(DATA % ("datePublished", DAY) + META % ("published", OTHER))
    both = rate(
        DATA % ("datePublished", DAY) + META % ("published", OTHER),
        "http://a.example/2024/05/03/story",
    )
    assert contradicted < both <= alone


def test_a_time_element_confirms_but_does_not_contradict() -> None:
    data = DATA % ("datePublished", DAY)
    assert rate(f"{data}</head><body><time>{DAY}</time>") > rate(data)
    assert rate(f"{data}</head><body><time>{OTHER}</time>") == rate(data)


def test_a_page_without_dates() -> None:
    assert read("").date_confidence == {}


def test_the_feed_confirms() -> None:
    page = Page.from_html(DATA % ("datePublished", DAY), URL, entry=Entry(published=DAY))
    assert read_fields(page).date_confidence["published"] > rate(DATA % ("datePublished", DAY))


def test_dates_of_the_server_and_of_the_sitemap_come_last() -> None:
    served = "Sat, 04 May 2024 10:00:00 GMT"
    found = read("", http_last_modified=served)
    assert (found.modified, found.modified_raw) == ("2024-05-04T10:00:00+00:00", served)
    assert found.sources["modified"] == "http"
    assert found.date_confidence["modified"] == 0.6
    both = read("", http_last_modified=served, sitemap_lastmod="2024-05-04")
    assert both.sources["modified"] == "sitemap"
    assert both.date_confidence["modified"] > found.date_confidence["modified"]
    declared = read(META % ("modified", OTHER), http_last_modified=served)
    assert (declared.modified, declared.sources["modified"]) == (OTHER, "opengraph")


def test_a_change_before_the_publication_is_doubtful() -> None:
    after, before = (
        read(META % ("published", DAY) + META % ("modified", changed))
        for changed in ("2024-05-09", "2024-04-09")
    )
    assert before.date_confidence["modified"] < after.date_confidence["modified"]


@given(st.datetimes(datetime(2024, 5, 31), datetime(2024, 6, 3)), st.sampled_from(["Z", "+05:30"]))
def test_no_date_is_later_than_the_fetch(moment: datetime, offset: str) -> None:
    found = read(META % ("published", moment.isoformat() + offset)).published
    assert not found or datetime.fromisoformat(found) <= datetime.fromisoformat(FETCHED)


@pytest.mark.parametrize("lastmod", ["", "soon", "2099-01-01"])
def test_sitemap_dates_that_cannot_be_used(lastmod: str) -> None:
    assert read("", sitemap_lastmod=lastmod).modified == ""


def test_a_date_of_the_future_is_no_date_and_is_told() -> None:
    """The next source is asked first; the dates of elements are not told."""
    future = "2024-06-05T10:00:00Z"
    data = DATA % ("datePublished", future)
    found = read(data + META % ("modified", future))
    assert (found.published, found.published_raw) == ("", future)
    assert (found.modified, found.modified_raw) == ("", future)
    assert found.date_confidence == {}

    found = read(data + META % ("published", DAY))
    assert (found.published, found.published_raw) == (DAY, DAY)
    assert read(f"</head><body><time>{future}</time>").published_raw == ""
    assert read(DATA % ("datePublished", "soon")).published_raw == ""
    page = Page.from_html("<p>Text", URL, entry=Entry(published=future))
    assert read_fields(page, fetched_at=FETCHED).published_raw == future
    assert read_fields(page).published == "2024-06-05T10:00:00+00:00", "when is not known"
