"""What the components of a crawl share."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest
from scrapy import Spider

from forest_scrapy.crawl.context import (
    find_history,
    find_rules,
    forget_wrapper,
    open_history,
    request_again,
    wait_for_stores,
)
from forest_scrapy.crawl.scope import PageScope, scope_of
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import PageRecord
from forest_scrapy.stores.database import StoreFailed, StoreLost
from tests.crawlers import make_crawler

from .helpers import HOST, key_of, open_crawl, url_of


def settings_in(folder: Path) -> ForestSettings:
    return ForestSettings(store=str(folder / "rules.db"), history=str(folder / "history.db"))


def test_stores_are_not_made_by_looking_for_them(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    assert find_rules(settings) is None
    assert find_history(settings) is None
    request_again(settings, [key_of(0)])
    forget_wrapper(settings, HOST, "t")
    assert list(tmp_path.iterdir()) == []


def test_pages_that_were_no_articles_are_requested_again(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    with closing(open_history(settings)) as history:
        for number, outcome in enumerate(("not_article", "article")):
            url = url_of(number)
            record = PageRecord(key_of(number), HOST, url, 1, 1, outcome=outcome)
            history.save(record)
    request_again(settings, [key_of(0), key_of(1), key_of(2)])
    with closing(open_history(settings)) as history:
        records = [history.find(key_of(number)) for number in range(3)]
    assert [record and record.outcome for record in records] == ["", "article", None]


def test_a_store_that_stays_unavailable_ends_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_crawl(tmp_path, store_seconds=1.0) as crawl:
        asyncio.run(wait_for_stores(crawl))
        database = crawl.rules.database
        with monkeypatch.context() as patched:
            patched.setattr(database, "seconds_unavailable", lambda: 1.5)
            with pytest.raises(StoreLost, match="FOREST_STORE_SECONDS"):
                asyncio.run(wait_for_stores(crawl))


@pytest.mark.parametrize("only_new", [True, False])
def test_a_history_that_cannot_be_written_ends_a_crawl_of_new_articles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only_new: bool
) -> None:
    with open_crawl(tmp_path, only_new=only_new) as crawl:
        database = crawl.history.store.database
        with monkeypatch.context() as patched:
            patched.setattr(database, "failure", lambda: StoreFailed("read-only"))
            if only_new:
                with pytest.raises(StoreFailed):
                    asyncio.run(wait_for_stores(crawl))
            else:
                asyncio.run(wait_for_stores(crawl))


@pytest.mark.crawl  # a crawler needs a reactor
def test_the_scope_is_what_the_spider_says() -> None:
    class Named(Spider):
        name = "named"
        page_scope = PageScope(keeps_rules=True)

    scope = scope_of(make_crawler(Named)._create_spider())
    assert scope is not None
    assert scope.keeps_rules
    assert scope_of(make_crawler()._create_spider("other")) is None
    assert scope_of(None) is None
