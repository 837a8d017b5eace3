"""The health digest: written at the end of each crawl, and handed on when something is new."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from benchmarks.support.starter import run

from .helpers import RSS, Item, Project, Server, environment, rss, story, wait_until

_KEEP = "import sys; open('told.jsonl', 'a').write(sys.stdin.read() + chr(10))"


def digest_of(project: Project) -> dict[str, Any]:
    text = (project.folder / ".scrapy/forest/health.json").read_text("utf-8")
    return dict(json.loads(text))


def add_feed(server: Server, first: int, name: str = "/feed") -> None:
    for i in range(first, first + 6):
        server.add(f"/{i}", story(i))
    items = [Item(f"{server.url}/{i}", title=f"Entry {i}") for i in range(first, first + 6)]
    server.add(name, rss(items), RSS)


def test_a_feed_that_dies(tmp_path: Path, server: Server) -> None:
    told = f'{sys.executable} -c "{_KEEP}"'
    project = Project(tmp_path / "own", FOREST_ON_TROUBLE=told, RETRY_ENABLED=False)
    urls = f"feeds={server.url}/feed,{server.url}/other"
    add_feed(server, 0)
    add_feed(server, 50, "/other")
    first = project.crawl("feeds", urls)
    digest = digest_of(project)
    assert (first.complaints, digest["status"], digest["troubles"]) == ([], 0, [])
    (other, known) = sorted(digest["sources"], key=lambda one: one["run"]["source"], reverse=True)
    assert (known["run"]["pages"], known["run"]["articles"]) == (6, 6)
    assert known["run"]["characters"] > 100
    assert (known["feed"]["status"], other["run"]["fields"]["title"]) == ("read", 6)

    del server.answers["/feed"]
    second = project.crawl("feeds", urls)
    digest = digest_of(project)
    (trouble,) = digest["troubles"]
    assert (second.status, digest["status"], trouble["kind"]) == (0, 3, "feed_failed")
    assert "Something needs a person" in second.log
    assert trouble["source"] == f"{server.url}/feed"
    project.crawl("feeds", urls)
    (told_once,) = (project.folder / "told.jsonl").read_text("utf-8").splitlines()
    assert json.loads(told_once)["troubles"][0]["is_new"]
    assert not digest_of(project)["troubles"][0]["is_new"]

    command = ["-m", "scrapy", "forest", "health"]
    shown = run(command, project.folder, environment())
    assert shown.returncode == 3
    assert f"! {server.url}/feed: the feed cannot be read: status 404" in shown.stdout
    page = (project.folder / ".scrapy/forest/health.html").read_text("utf-8")
    assert "What needs a person" in page and "status 404" in page


def test_all_dead_links_are_counted(project: Project, server: Server) -> None:
    add_feed(server, 0)
    missing = [Item(f"{server.url}/missing/{number}") for number in range(30)]
    there = [Item(f"{server.url}/{number}") for number in range(6)]
    server.add("/feed", rss([*there, *missing]), RSS)
    project.crawl("feeds", f"feeds={server.url}/feed")
    digest = digest_of(project)
    assert (len(digest["dead_links"]), digest["dead_count"]) == (20, 30)
    shown = run(["-m", "scrapy", "forest", "health"], project.folder, environment())
    assert shown.stdout.count("dead: http") == 10
    assert "dead: and 20 more, 30 in all" in shown.stdout


@pytest.mark.slow
def test_texts_that_become_short(project: Project, server: Server) -> None:
    for start in (0, 5, 10):
        add_feed(server, start)
        project.crawl("feeds", f"feeds={server.url}/feed")
    assert digest_of(project)["status"] == 0
    for i in range(15, 21):
        server.add(f"/{i}", story(i).partition("</p>")[0] + "</p></article></body></html>")
    items = [Item(f"{server.url}/{i}", title=f"Entry {i}") for i in range(15, 21)]
    server.add("/feed", rss(items), RSS)
    project.crawl("feeds", f"feeds={server.url}/feed")
    (trouble,) = digest_of(project)["troubles"]
    assert trouble["kind"] == "short_texts"


@pytest.mark.slow
def test_crawls_for_other_items_are_not_compared(project: Project, server: Server) -> None:
    for start in (0, 5, 10):
        add_feed(server, start)
        project.crawl("feeds", f"feeds={server.url}/feed")
    add_feed(server, 15)
    for kind in ("thread", "article"):
        project.crawl("feeds", f"feeds={server.url}/feed", FOREST_KINDS=kind)
        digest = digest_of(project)
        assert (digest["status"], digest["troubles"]) == (0, []), kind
        (source,) = digest["sources"]
        assert source["usual"]["runs"] == (0 if kind == "thread" else 3)


def test_the_program_ends_with_status_3(project: Project, server: Server) -> None:
    add_feed(server, 0, "/other")
    urls = f"feeds={server.url}/feed,{server.url}/other"
    code = "from forest_scrapy.commands.main import main; main()"
    command = ["-c", code, "crawl", "feeds", "-a", urls, "-s", "RETRY_ENABLED=False"]
    done = run(command, project.folder, environment())
    assert done.returncode == 3
    assert digest_of(project)["troubles"][0]["kind"] == "feed_failed"


def test_no_digest_where_none_is_wanted(project: Project, server: Server) -> None:
    add_feed(server, 0)
    project.crawl("feeds", f"feeds={server.url}/feed", FOREST_HEALTH="")
    assert not (project.folder / ".scrapy/forest/health.json").exists()


@pytest.mark.slow
def test_a_hook_that_fails_is_called_again_by_the_next_crawl(
    tmp_path: Path, server: Server
) -> None:
    told = f'{sys.executable} -c "{_KEEP}"'
    project = Project(tmp_path / "own", FOREST_ON_TROUBLE=told, RETRY_ENABLED=False)
    add_feed(server, 0)
    urls = f"feeds={server.url}/feed,{server.url}/other"
    failed = project.crawl("feeds", urls, FOREST_ON_TROUBLE="false")
    assert "FOREST_ON_TROUBLE = 'false' has failed" in failed.log
    assert "1 digest waits" in project.forest("health")
    add_feed(server, 50, "/other")
    project.crawl("feeds", urls)  # all is well by now
    (line,) = (project.folder / "told.jsonl").read_text("utf-8").splitlines()
    assert [trouble["kind"] for trouble in json.loads(line)["troubles"]] == ["feed_failed"]
    project.crawl("feeds", urls)
    assert len((project.folder / "told.jsonl").read_text("utf-8").splitlines()) == 1


def test_pages_that_fail_count_once_although_they_have_entries(
    project: Project, server: Server
) -> None:
    add_feed(server, 0)
    items = [f"{server.url}/{i}" for i in range(6)] + [f"{server.url}/gone/{i}" for i in range(8)]
    server.add("/feed", rss(items), RSS)
    done = project.crawl("feeds", f"feeds={server.url}/feed", RETRY_ENABLED=False)
    assert done.counted("articles").get("entry") == 8
    (trouble,) = digest_of(project)["troubles"]
    assert trouble["text"].startswith("8 of 14 pages cannot be fetched")
    (source,) = digest_of(project)["sources"]
    assert (source["run"]["pages"], source["run"]["articles"]) == (6, 6)


@pytest.mark.slow
def test_the_status_of_the_digest_is_that_of_the_program(project: Project, server: Server) -> None:
    server.add("/feed", b"", status=500)
    code = "from forest_scrapy.commands.main import main; main()"
    command = ["-c", code, "crawl", "feeds", "-a", f"feeds={server.url}/feed"]
    options = ["-s", "RETRY_ENABLED=False"]
    for number in range(4):
        done = run([*command, *options], project.folder, environment())
        digest = digest_of(project)
        assert (done.returncode, digest["status"]) == (1, 1)
        assert digest["failure"] == "nothing could be fetched"
        assert digest["is_new_failure"] == (number == 0)
    shown = run(["-m", "scrapy", "forest", "health"], project.folder, environment())
    assert shown.returncode == 1
    assert "look for its new address" not in shown.stdout
    assert f"not fetched: {server.url}/feed (status 500)" in shown.stdout
    assert "its server has an error" in shown.stdout


@pytest.mark.slow
def test_only_what_is_new_is_printed_for_cron(project: Project, server: Server) -> None:
    add_feed(server, 0, "/other")
    command = ["-m", "scrapy", "forest", "health", "--new"]
    printed = []
    for _ in range(2):
        urls = f"feeds={server.url}/feed,{server.url}/other"
        project.crawl("feeds", urls, RETRY_ENABLED=False)
        printed.append(run(command, project.folder, environment()).stdout)
    assert f"! {server.url}/feed: the feed cannot be read: status 404" in printed[0]
    assert printed[1] == ""


@pytest.mark.slow
def test_a_page_that_changes_during_a_crawl_breaks_its_coherence(
    project: Project, server: Server
) -> None:
    add_feed(server, 0)
    old = {"Last-Modified": "Mon, 03 Jun 2024 08:00:00 GMT"}
    for i in range(5):
        server.add(f"/{i}", story(i), headers=old)
    settings = {"CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY": 1, "RANDOMIZE_DOWNLOAD_DELAY": False}
    crawling = project.start("feeds", f"feeds={server.url}/feed", **settings)
    wait_until(lambda: len(server.requests) >= 5)
    asked = {int(path[1:]) for path in server.requests if path[1:].isdigit()}
    late = min(set(range(5)) - asked)
    now = format_datetime(datetime.now(UTC), usegmt=True)
    server.add(f"/{late}", story(late), headers={"Last-Modified": now})
    done = crawling.finish()
    coherence = digest_of(project)["coherence"]
    assert coherence["items"] == 5 == done.counted("coherence")["items"]
    assert coherence["valid"] < 5 and coherence["unknown"] == 1
    assert "coherence: 4 of 5 items were valid" in project.forest("health")
    assert coherence["breaking"] == [f"{server.url}/{late}"]

    second = project.crawl("feeds", f"feeds={server.url}/feed")
    assert second.counted("coherence")["valid"] == 6  # all were the same in the crawl before
