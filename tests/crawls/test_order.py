"""What a crawl of feeds gives does not depend on the order in which the responses come."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from demo import build_site

from .helpers import RSS, Item, Project, Run, Server, rss

ORDERS = 3
#: Values that tell when the crawl was.
_TIMES = ("fetched_at",)


def answer_at_random(server: Server, items: Sequence[Item], number: int) -> None:
    """Shuffle two feeds of these items, and answer all requests after random delays."""
    source = random.Random(number)
    shuffled = source.sample(items, len(items))
    server.add("/news.xml", rss(shuffled[::2]), RSS)
    server.add("/more.xml", rss(shuffled), RSS)
    for path, answer in server.answers.items():
        server.answers[path] = replace(answer, delay=source.random() / 4)


@pytest.fixture(scope="module")
def crawls(
    tmp_path_factory: pytest.TempPathFactory,
) -> list[tuple[Run, list[str], list[tuple[Any, ...]]]]:
    """For each order the crawl, the pages in the order of the requests, and the rows of its
    wrapper store."""
    found = []
    with Server() as server:
        site = build_site(server.url)
        server.add_files(site.files)
        items = [Item(one.path, one.title, one.text[:200]) for one in site.articles]
        for number in range(ORDERS):
            answer_at_random(server, items, number)
            server.requests.clear()
            project = Project(tmp_path_factory.mktemp(f"order{number}"))
            feeds = f"feeds={server.url}/news.xml,{server.url}/more.xml"
            run = project.crawl("feeds", feeds, CONCURRENT_REQUESTS_PER_DOMAIN=6)
            found.append((run, list(server.requests), project.wrappers()))
    return found


def values(run: Run) -> dict[str, dict[str, Any]]:
    """The fields of the articles by path, without times and the feed that was read first."""
    entries = {path: item.pop("entry") for path, item in run.by_path.items()}
    assert all(entry["title"] for entry in entries.values())
    return {
        path: {name: value for name, value in item.items() if name not in _TIMES}
        for path, item in run.by_path.items()
    }


@pytest.mark.slow
def test_same_articles_and_same_wrappers(
    crawls: list[tuple[Run, list[str], list[tuple[Any, ...]]]],
) -> None:
    requests = [asked for _, asked, _ in crawls]
    assert all(one != other for one, other in pairwise(requests))
    assert [run.complaints for run, _, _ in crawls] == [[]] * ORDERS
    first, _, wrappers = crawls[0]
    expected = values(first)
    assert len(expected) == 30 and len(first.partition) == len(wrappers) == 2
    for run, _, others in crawls[1:]:
        assert others == wrappers
        assert values(run) == expected
