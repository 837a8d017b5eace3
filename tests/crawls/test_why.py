"""``scrapy forest why``: what became of a page, and what a person says of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.support import starter
from demo import DemoServer
from forest_scrapy.commands.why import ExtractionSummary, choose_result
from tests.core.records.shop import LAMPS, list_html, product_html

from .helpers import RSS, Item, Project, Server, environment, rss, story


def run_why(project: Project, *arguments: str) -> CompletedProcess[str]:
    command = ["-m", "scrapy", "forest", "why", *arguments]
    return starter.run(command, project.folder, environment())


def why(project: Project, *arguments: str) -> dict[str, Any]:
    done = run_why(project, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["has_item"] or len(arguments) > 1
    return answer


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, demo: DemoServer) -> Project:
    project = Project(tmp_path_factory.mktemp("why") / "project")
    run = project.crawl("site", f"url={demo.url}/", "feed=no")
    assert len(run.items) == 30
    return project


def test_an_article(crawled: Project, demo: DemoServer) -> None:
    article = demo.site.articles[0]
    answer = why(crawled, demo.url + article.path)
    assert answer["visit"]["outcome"] == "article"
    assert answer["decision"]["is_article"] is True
    assert answer["decision"]["decided_by"] == "content" and answer["decision"]["chance"] > 0.5
    assert answer["layout"]["template"] == answer["visit"]["template"] != ""
    assert answer["reading"]["title"] == article.title
    assert (answer["result"], answer["source"]["status"]) == ("article", 200)
    done = run_why(crawled, demo.url + article.path)
    text = done.stdout
    assert done.returncode == 0
    assert "result: an article" in text and "read now: fetched, status 200, " in text
    assert "outcome: article" in text and "by its content: probability 0.9" in text
    assert "to change it: if it is not an article: scrapy forest why URL --not-article" in text


def test_a_page_that_was_dropped(crawled: Project, demo: DemoServer) -> None:
    done = run_why(crawled, f"{demo.url}/")
    text = done.stdout
    assert done.returncode == 3 and done.stderr == ""
    assert "result: no article: not_article" in text
    assert "outcome: dropped, not_article" in text
    assert "decided: no article" in text and "layout: none of 2 stored templates" in text
    assert "to change it: if it is an article: scrapy forest why URL --article" in text


def test_a_page_that_no_crawl_has_asked_for(crawled: Project, demo: DemoServer) -> None:
    done = run_why(crawled, f"{demo.url}/not-there")
    assert done.returncode == 1 and "status 404" in done.stderr
    assert "result: not known, since the page cannot be read now" in done.stdout
    assert "read now: no: cannot be fetched: status 404" in done.stdout
    assert "outcome: not in the history" in done.stdout
    assert "to change it: its server has no such page" in done.stdout


def test_without_any_store(tmp_path: Path, demo: DemoServer) -> None:
    project = Project(tmp_path / "project")
    answer = why(project, demo.url + demo.site.articles[0].path)
    assert answer["reading"]["kind"] == "article"
    assert (answer["result"], answer["has_history"]) == ("article", False)
    text = run_why(project, demo.url + demo.site.articles[0].path).stdout
    assert "outcome: none, there is no history yet" in text
    assert "to change it: no crawl has run here" in text
    assert not (project.folder / ".scrapy" / "forest").exists()
    done = run_why(project, f"{demo.url}/not-there", "--article")
    assert done.returncode == 1 and "cannot be read" in done.stderr


def test_a_challenge_is_no_article(tmp_path: Path) -> None:
    with Server() as server:
        server.add("/moment", "<title>Just a moment...</title><p>Checking your browser.</p>")
        done = run_why(Project(tmp_path / "project"), f"{server.url}/moment")
    assert done.returncode == 3
    assert "result: no article: blocked" in done.stdout
    assert "to change it: its server sent a challenge" in done.stdout


@pytest.mark.parametrize(
    ("outcome", "said", "kind", "result"),
    [
        ("", None, "article", ("article", True)),
        ("article", None, "article", ("article", True)),
        ("unchanged", None, "article", ("article", True)),
        ("blocked", None, "article", ("article", True)),
        ("not_article", None, "article", ("not_article", False)),
        ("not_article", True, "article", ("article", True)),
        ("article", False, "article", ("not_article", False)),
        ("article", None, "blocked", ("blocked", False)),
        ("duplicate", None, "article", ("duplicate", False)),
        ("article", None, "", ("unreadable", False)),
    ],
)
def test_the_result_of_a_page_that_a_crawl_or_a_person_knows(
    outcome: str, said: bool | None, kind: str, result: tuple[str, bool]
) -> None:
    reading = ExtractionSummary(kind, "trained") if kind else None
    assert choose_result(outcome, said, reading) == result


def test_the_result_of_a_page_that_is_not_known() -> None:
    reading = ExtractionSummary("article", "single")
    assert choose_result("", None, reading, looks_like_article=False) == ("not_article", False)
    assert choose_result("", True, reading, looks_like_article=False) == ("article", True)
    assert choose_result("article", None, reading, looks_like_article=False)[1]


def test_a_list_that_no_crawl_knows(tmp_path: Path, demo: DemoServer) -> None:
    done = run_why(Project(tmp_path / "project"), f"{demo.url}/")
    assert done.returncode == 3
    assert "result: no article: not_article, by its content alone" in done.stdout


@pytest.mark.slow
def test_a_page_of_a_few_words_that_no_crawl_knows(project: Project, server: Server) -> None:
    """Neither before a crawl nor beside the articles of one."""
    short_page = "<title>Hello</title><body><p>It works. Nothing here yet.</p>"
    assert len(short_page) < 84
    server.add("/2024/05/owls-of-the-harbour", short_page)
    for number in range(3):
        server.add(f"/{number}", story(number))
    server.add("/feed", rss([Item(f"{server.url}/{number}") for number in range(3)]), RSS)

    before = run_why(project, f"{server.url}/2024/05/owls-of-the-harbour")
    story_before = run_why(project, f"{server.url}/0")
    assert project.crawl("feeds", f"feeds={server.url}/feed").paths == ["/0", "/1", "/2"]
    after = run_why(project, f"{server.url}/2024/05/owls-of-the-harbour")
    for done in (before, after):
        assert done.returncode == 3
        assert "result: no article: not_article, by its content alone" in done.stdout
    assert story_before.returncode == 0
    assert "result: an article, by its content alone; a crawl compares it" in story_before.stdout


@pytest.mark.slow
def test_a_page_that_was_read_and_then_failed(project: Project, server: Server) -> None:
    """The time is that of the page, the status that of the requests that have failed since."""
    future = "<meta property='article:published_time' content='2099-05-03'><title>"
    server.add("/1", story(1).replace("<title>", future))
    server.add("/feed", rss([f"{server.url}/1"]), RSS)
    run = project.crawl("feeds", f"feeds={server.url}/feed")
    assert (run.items[0]["published"], run.stat("pages/future_dates")) == ("", 1)
    visit = why(project, f"{server.url}/1")["visit"]
    assert (visit["was_read"], visit["status"], visit["failures"]) == (True, 200, 0)
    first = run_why(project, f"{server.url}/1").stdout
    assert f"  last request: {visit['fetched']}, status 200, listed by " in first
    assert "; without a date, as '2099-05-03' lies in the future\n" in first
    assert "  next request: at 2" in first and "; the feed is due 2" in first

    server.add("/2", story(2))
    other = run_why(project, f"{server.url}/2").stdout
    assert "outcome: not in the history" in other
    assert "to change it: no crawl has asked for it" in other

    server.add("/1", "not now", status=503)
    for _ in range(2):
        address = f"article={server.url}/1"
        project.crawl("site", address, f"url={server.url}/1", "feed=no", RETRY_ENABLED=False)
    done = run_why(project, f"{server.url}/1", "-s", "RETRY_ENABLED=False")
    assert f"  last read: {visit['fetched']}, listed by " in done.stdout
    assert "  failed since then: 2 requests, the last with status 503\n" in done.stdout
    assert "last request" not in done.stdout
    assert "read now: no: cannot be fetched: status 503" in done.stdout
    assert "to change it: try again later" in done.stdout


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("notaurl", "name a file that is there, or the URL of the page"),
        ("{url}/forbidden", "its server refuses the request"),
        ("{url}/feed", "scrapy crawl feeds -a feeds=URL"),
        ("{url}/missing", "its server has no such page"),
        ("http://127.0.0.1:1/", "try again later"),
    ],
)
def test_what_to_do_about_a_page_that_cannot_be_read(
    project: Project, server: Server, name: str, advice: str
) -> None:
    server.add("/forbidden", "no", status=403)
    server.add("/feed", rss([f"{server.url}/1"]), RSS)
    done = run_why(project, name.format(url=server.url), "-s", "RETRY_ENABLED=False")
    assert done.returncode == 1
    assert advice in done.stdout.split("to change it: ")[1]
    assert "no crawl has" not in done.stdout


def test_only_one_thing_is_said(tmp_path: Path) -> None:
    done = run_why(Project(tmp_path / "project"), "a", "--article", "--forget")
    assert done.returncode == 2 and "only one of" in done.stderr


@pytest.mark.slow
def test_what_a_person_says(tmp_path: Path, demo: DemoServer) -> None:
    """It holds for all pages of the template, in crawls with a feed and without, until it is taken
    back."""
    project, articles = Project(tmp_path / "project"), {one.path for one in demo.site.articles}
    journal = {path for path in articles if path.startswith("/journal/")}
    assert project.crawl("feeds", f"feeds={demo.feed_url}").paths == sorted(articles)
    named = demo.url + sorted(journal)[0]
    assert rolling_feed(project) == articles
    assert why(project, named, "--not-article")["said"] is False
    assert rolling_feed(project) == articles - journal
    assert project.crawl("feeds", f"feeds={demo.feed_url}").paths == sorted(articles - journal)
    assert project.crawl("site", f"url={demo.url}/", "feed=no").paths == sorted(articles - journal)
    done = run_why(project, demo.url + sorted(journal)[1], "--json")
    assert done.returncode == 3
    answer = json.loads(done.stdout)
    assert answer["result"] == "not_article"
    assert (answer["said"], answer["decision"]["decided_by"]) == (False, "person")
    assert why(project, named, "--forget")["said"] is None
    assert project.crawl("feeds", f"feeds={demo.feed_url}").paths == sorted(articles)
    assert rolling_feed(project) == articles


@pytest.mark.slow
def test_what_was_withdrawn_comes_back(tmp_path: Path, demo: DemoServer) -> None:
    """Also in a crawl of what is new, and only one page is withdrawn where another one like it is
    said to be an article."""
    project, articles = Project(tmp_path / "project"), {one.path for one in demo.site.articles}
    crawl = ("feeds", f"feeds={demo.feed_url}", "only_new=yes")
    project.crawl(*crawl)
    first, second = sorted(path for path in articles if path.startswith("/journal/"))[:2]
    why(project, demo.url + first, "--not-article")
    assert first not in rolling_feed(project)
    why(project, demo.url + first, "--forget")
    project.crawl(*crawl)
    assert rolling_feed(project) == articles
    why(project, demo.url + first, "--article")
    why(project, demo.url + second, "--not-article")
    assert rolling_feed(project) == articles - {second}


def rolling_feed(project: Project) -> set[str]:
    """The paths of the articles in it."""
    command = ["-m", "scrapy", "forest", "feed", "-o", "latest.json", "--items", "100"]
    done = starter.run(command, project.folder, environment())
    assert done.returncode == 0, done.stderr
    feed = json.loads((project.folder / "latest.json").read_text(encoding="utf-8"))
    return {urlsplit(one["url"]).path for one in feed["items"]}


@pytest.mark.slow
def test_lists_that_are_wanted(tmp_path: Path, demo: DemoServer) -> None:
    project = Project(tmp_path / "project")
    topics = sorted(path for path in demo.site.pages if "/topics/" in path)
    assert why(project, demo.url + topics[0], "--article")["said"] is True
    run = project.crawl("site", f"url={demo.url}/", "feed=no")
    assert set(topics) <= set(run.paths) and len(run.paths) >= 30 + len(topics)


@pytest.fixture
def shop(project: Project, server: Server) -> Project:
    """A project that has crawled a shop, with kinds that its settings do not have."""
    server.add("/lamps", list_html(LAMPS))
    for lamp in LAMPS:
        server.add(f"/p/{lamp.key}", product_html(lamp))
    server.add("/about", "<title>About</title><h1>About us</h1><p>We sell lamps since 1999.")
    urls = f"{server.url}/lamps,{server.url}/about"
    run = project.crawl("records", f"url={urls}", FOREST_KINDS="product,listing")
    assert len(run.items) == len(LAMPS) + 1
    return project


def test_a_product(shop: Project, server: Server) -> None:
    url = f"{server.url}/p/owl"
    answer = why(shop, url)
    assert (answer["result"], answer["kinds"]) == ("product", ["listing", "product"])
    assert answer["reading"]["title"] == LAMPS[0].name
    assert (answer["reading"]["price"], answer["reading"]["currency"]) == ("1299.00", "EUR")
    template_id = answer["layout"]["template"]
    assert answer["visit"]["template"] == template_id != ""
    text = run_why(shop, url).stdout
    assert "outcome: product" in text
    assert f"by: product, template {template_id}" in text
    assert "read for: FOREST_KINDS=listing,product, which the settings do not have" in text
    assert f"{LAMPS[0].name!r}, 1299.00 EUR, by product, name from template" in text
    assert f"--template {template_id} --format json writes the rules" in text
    assert "article" not in text.replace("--not-article", "")
    assert "read for" not in run_why(shop, url, "-s", "FOREST_KINDS=product,listing").stdout


def test_a_product_that_no_crawl_knows(shop: Project, server: Server) -> None:
    server.add("/p/new", product_html(replace(LAMPS[0], name="A new lamp")))
    done = run_why(shop, f"{server.url}/p/new")
    assert done.returncode == 0
    assert "result: a product" in done.stdout and "outcome: not in the history" in done.stdout
    assert "'A new lamp', 1299.00 EUR" in done.stdout


def test_a_listing_and_what_is_no_item(shop: Project, server: Server) -> None:
    text = run_why(shop, f"{server.url}/lamps").stdout
    assert "result: a listing" in text and f"{len(LAMPS)} items, " in text
    done = run_why(shop, f"{server.url}/about", "-s", "FOREST_KINDS=product")
    assert done.returncode == 3
    assert "result: no item: other_kind" in done.stdout


def test_a_product_that_declares_its_values_and_is_gone(project: Project, server: Server) -> None:
    server.add("/p/owl", product_html(LAMPS[0], declares=True))
    spider = ("records", f"url={server.url}/p/owl")
    assert len(project.crawl(*spider, FOREST_KINDS="product").items) == 1
    text = run_why(project, f"{server.url}/p/owl").stdout
    assert "name from json-ld, price from json-ld" in text
    assert "its values are declared by the page: no rule changes them" in text
    server.add("/p/owl", "", status=410)
    assert len(project.crawl(*spider, FOREST_KINDS="product").items) == 1
    assert "outcome: gone, it was a product" in run_why(project, f"{server.url}/p/owl").stdout
