"""``scrapy crawl form`` against registers behind forms."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchmarks.form_sites import TableSite, layouts, make_rows, serve_table

from .helpers import Project, Run, Server, slow, wait_until

pytest.importorskip("form2request")

ROWS = make_rows(250)


@contextmanager
def served(name: str, **changes: object) -> Iterator[tuple[TableSite, str]]:
    site = TableSite(ROWS, layouts(ROWS)[name])
    vars(site).update(changes)
    with serve_table(site) as url:
        yield site, url


def rows_of(run: Run) -> set[frozenset[str]]:
    return {
        frozenset(value["value"] for value in item["values"] if value["type"] != "url")
        for item in run.items
    }


TITLE, AUTHOR = ("q", "Title (contains"), ("b", "Author (contains")
SUBJECT = ("c", "Subject (equal")


@pytest.mark.parametrize(
    ("name", "meanings"),
    [
        ("table", [TITLE, SUBJECT]),
        slow("cards", [("q", "title (contains")]),
        slow("pairs", [TITLE, SUBJECT]),
        slow("list", [("b", "span[class=c] (contains"), ("c", "span[class=c] 3 (equal")]),
        slow("terms", [("all", "Author or Subject or Title or Year (contains")]),
        slow("blocks", [TITLE, AUTHOR]),
    ],
)
def test_the_rows_of_a_register(
    project: Project, name: str, meanings: list[tuple[str, str]]
) -> None:
    wanted = {frozenset(row.values()) for row in ROWS}
    with served(name) as (site, url):
        run = project.crawl("form", f"url={url}", "probes=120", LOG_LEVEL="INFO")
    found = rows_of(run)
    assert (run.status, run.complaints) == (0, [])
    assert len(found - wanted) == 0
    assert len(found) == len(run.items) >= (0.7 if name == "pairs" else 0.95) * len(wanted)
    lines = [f"{control}: what is put in comes back in {told}" for control, told in meanings]
    assert [line for line in lines if line not in run.log] == []
    assert run.stat("form/probes") <= 120 <= len(site.queries) + 1
    item = run.items[0]
    assert item["type"] == "record" and item["found_on"].startswith(url) and item["probe"]


def test_a_crawl_that_is_killed_goes_on_without_a_probe_twice(project: Project) -> None:
    with served("table") as (site, url):
        crawling = project.start("form", f"url={url}", "probes=80", DOWNLOAD_DELAY=0.02)
        wait_until(lambda: len(site.queries) >= 30, 60)
        crawling.send(signal.SIGKILL)
        crawling.finish(60)
        before = len(site.queries)
        run = project.crawl("form", f"url={url}", "probes=80", LOG_LEVEL="INFO")
        again = project.crawl("form", f"url={url}", "probes=80", LOG_LEVEL="INFO")
    queries = [tuple(sorted(one.items())) for one in site.queries]
    assert run.status == again.status == 0
    assert "Going on after" in run.log and again.stat("form/probes") == 0
    # At most the one that was answered while the crawl was killed.
    assert len(queries) - len(set(queries)) <= 1 and before < len(queries)


def test_a_form_that_finds_nothing_is_left_soon(project: Project, server: Server) -> None:
    server.add("/", "<html><form action=/find><input name=q></form></html>")
    run = project.crawl("form", f"url={server.url}/", RETRY_ENABLED=False)
    assert run.status == 0 and run.items == []
    assert run.stat("form/probes") < 50


def test_a_server_that_does_not_want_more(project: Project) -> None:
    with served("table") as (site, url):
        answer = site.answer
        vars(site)["answer"] = lambda path, query: (
            (429, "Slow down") if len(site.queries) >= 20 else answer(path, query)
        )
        run = project.crawl("form", f"url={url}", "probes=50", RETRY_ENABLED=False)
    assert run.status == 0 and run.items
    assert "5 probes in a row failed, the last with status 429" in run.log


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<p>No form</p>", "does not have a form for searching"),
        ("<form><input name=u><input type=password name=p></form>", "not have a form for search"),
        ("<form action=http://10.0.0.1/s><input name=q></form>", "another site, 10.0.0.1"),
        ("<form method=post><input name=search></form>", "-a form=1 -a method=post"),
    ],
)
def test_forms_that_are_not_sent(project: Project, server: Server, html: str, said: str) -> None:
    server.add("/", f"<html><body>{html}</body></html>")
    run = project.crawl("form", f"url={server.url}/")
    assert said in run.log and "Traceback" not in run.log
    assert [path for path in server.requests if path != "/"] == []
