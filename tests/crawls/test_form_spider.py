"""``scrapy crawl form`` against registers behind forms."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urljoin

import pytest

from benchmarks.forms.command import SITES, crawl, match_rows
from benchmarks.forms.sites import TableSite, layouts, make_rows, serve_table
from benchmarks.forms.tables import NoTable, read_table
from forest_scrapy.core.graph.entity import property_iri

from .helpers import Project, Run, Server, slow, thorough, wait_until

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
        slow("table", [TITLE, SUBJECT]),
        thorough("cards", [("q", "title (contains")]),
        thorough("pairs", [TITLE, SUBJECT]),
        thorough("list", [("b", "span[class=c] (contains"), ("c", "span[class=c] 3 (equal")]),
        thorough("terms", [("all", "Author or Subject or Title or Year (contains")]),
        thorough("blocks", [TITLE, AUTHOR]),
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


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, thorough(signal.SIGINT)])
def test_a_crawl_that_is_stopped_goes_on_without_a_probe_twice(
    project: Project, number: signal.Signals
) -> None:
    with served("table") as (site, url):
        arguments, out = ("form", f"url={url}", "probes=80"), "books.jsonl"
        crawling = project.start(*arguments, out=out, DOWNLOAD_DELAY=0.02)
        wait_until(lambda: len(site.queries) >= 50, 60)
        crawling.send(number)
        crawling.finish(60)
        before = len(site.queries)
        lines = (project.folder / out).read_bytes().splitlines(keepends=True)
        # As if the kill had come before the last records were written, and in mid line.
        (project.folder / out).write_bytes(b"".join(lines[:-9]) + lines[-9][:20])
        run = project.crawl(*arguments, out=out, LOG_LEVEL="INFO")
        again = project.crawl(*arguments, out=out)
        new = project.crawl(*arguments, out="new.jsonl")
    queries = [tuple(sorted(one.items())) for one in site.queries]
    assert (run.status, again.status, new.status) == (0, 0, 0)
    assert "Going on after" in run.log and again.stat("form/probes") == 0
    # At most the one that was answered while the crawl was killed.
    assert len(queries) - len(set(queries)) <= 1 and before < len(queries)
    found = rows_of(run)
    assert len(found) == len(run.items) == new.stat("form/recalled") >= len(lines)
    assert run.stat("form/recalled") >= 9 and again.items == run.items
    assert found <= {frozenset(row.values()) for row in ROWS}


@pytest.mark.slow
def test_each_export_has_each_record_once_after_a_kill_and_with_a_new_export(
    project: Project,
) -> None:
    feeds = {"a.jsonl": {"format": "jsonlines"}, "b.csv": {"format": "csv"}}
    with served("table") as (_, url):
        arguments = ("form", f"url={url}", "probes=30")
        first = project.crawl(*arguments, out="-", FEEDS=json.dumps(feeds))
        path = project.folder / "a.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        rows = (project.folder / "b.csv").read_bytes()
        # As if the kill had come between two exports.
        path.write_bytes(b"".join(lines[:-1]))
        feeds["c.jsonl"] = {"format": "jsonlines"}
        run = project.crawl(*arguments, out="-", FEEDS=json.dumps(feeds))
    assert (first.status, run.status) == (0, 0)
    assert sorted(path.read_bytes().splitlines(keepends=True)) == sorted(lines)
    assert (project.folder / "b.csv").read_bytes() == rows
    new = (project.folder / "c.jsonl").read_bytes().splitlines(keepends=True)
    assert sorted(new) == sorted(lines)


@pytest.mark.slow
@pytest.mark.thorough
def test_values_that_a_person_has(project: Project) -> None:
    """Titles of an ontology for the predicate, subjects by the name of the control."""
    rows = make_rows(3000)
    site = TableSite(rows, layouts(rows)["table"])
    with serve_table(site) as url:
        run = project.crawl("form", f"url={url}", "probes=40")
        known = {value for row in rows_of(run) for value in row}
        titles = [row["Title"] for row in rows if row["Title"] not in known][:20]
        before, title = len(site.queries), property_iri(urljoin(url, "/find"), "Title")
        given = {title: titles, "c": ["no subject"], "urn:other": ["x"]}
        (project.folder / "values.json").write_text(json.dumps(given))
        arguments = ("form", f"url={url}", "probes=90", "values=values.json")
        more = project.crawl(*arguments, out="more.jsonl", LOG_LEVEL="INFO")
        tried = [query.get("q") for query in site.queries[before:]]
    assert len(titles) == 20 and len(set(tried) & set(titles)) >= 15
    assert "20 values of values.json are tried in q" in more.log
    assert "no control is called urn:other, or was seen to search it" in more.log
    assert len(rows_of(more)) >= len(rows_of(run)) + 15


@pytest.mark.parametrize("text", ["[]", '{"q": "owl"}', '{"q": no}', None])
def test_values_that_cannot_be_read(project: Project, text: str | None) -> None:
    if text is not None:
        (project.folder / "values.json").write_text(text)
    run = project.crawl("form", "url=http://127.0.0.1:9/", "values=values.json")
    assert run.status == 1 and "-a values=values.json: " in run.log


def test_a_form_that_finds_nothing_is_left_soon(project: Project, server: Server) -> None:
    server.add("/", "<html><form action=/find><input name=q></form></html>")
    run = project.crawl("form", f"url={server.url}/", RETRY_ENABLED=False)
    assert run.status == 0 and run.items == []
    assert run.stat("form/probes") < 50


@pytest.mark.slow
@pytest.mark.parametrize("status", [403, thorough(429)])
def test_a_server_that_does_not_want_more(project: Project, status: int) -> None:
    with served("table") as (site, url):
        answer = site.answer
        vars(site)["answer"] = lambda path, query: (
            (status, "Slow down") if len(site.queries) >= 25 else answer(path, query)
        )
        run = project.crawl("form", f"url={url}", "probes=60", RETRY_ENABLED=False)
    assert run.status == 1 and len(run.items) > 50
    assert f"5 probes in a row failed, the last with status {status}" in run.log
    assert len(site.queries) == 25 and run.stat("form/failed") == 5


@pytest.mark.parametrize("is_redirected", [slow(False), thorough(True)])
def test_records_are_completed_from_their_own_pages(project: Project, is_redirected: bool) -> None:
    """What they have stays as it is, the site's own lines are no attributes, and a page that fails
    loses no record; also if each link is redirected to its page."""
    note = "<dl><dt>Phone</dt><dd>555</dd></dl><p>Open: daily</p>"
    with served("cards") as (site, url):
        answer = site.answer

        def add_pages(path: str, query: dict[str, str]) -> tuple[int, str]:
            if is_redirected and path.startswith("/entry/"):
                number = path.removeprefix("/entry/")
                return 302, urljoin(url, f"/show?id={number}")
            if path == "/show":
                path = f"/entry/{query['id']}"
            if not path.startswith("/entry/"):
                status, html = answer(path, query)
                return status, html + note
            number = int(path.removeprefix("/entry/"))
            if number % 10 == 3:
                return 500, ""
            rows = f"<tr><th>ISBN:</th><td>{number:09}</td></tr><tr><td>Year</td><td>1</td></tr>"
            lines = f"<dl><dt>Shelf</dt><dd>S{number}</dd></dl><p>Copies: {number % 7 + 1}</p>"
            return (
                200,
                f"<html><body><h1>Entry</h1><table>{rows}</table>{lines}{note}</body></html>",
            )

        vars(site)["answer"] = add_pages
        arguments = ("form", f"url={url}", "probes=12", "details=60")
        run = project.crawl(*arguments, RETRY_ENABLED=False)
    completed = 0
    for item in run.items:
        number = int(item["url"].rpartition("/")[2])
        values = [(value["name"], value["value"]) for value in item["values"]]
        details = [pair for pair in values if pair[0] in ("ISBN", "Shelf", "Copies")]
        wanted = [
            ("ISBN", f"{number:09}"),
            ("Shelf", f"S{number}"),
            ("Copies", f"{number % 7 + 1}"),
        ]
        assert details in ([], wanted)
        assert not {"Phone", "Open"} & {name for name, _ in values}
        completed += bool(details)
    failed = run.stat("form/failed_details")
    assert completed + failed == 60 == run.stat("form/details") + failed
    assert len(run.items) == run.stat("form/records") > 60 and failed


@pytest.mark.slow
@pytest.mark.parametrize("pages", ["robots", "refused", "login", "elsewhere"])
def test_no_record_is_lost_or_mixed_with_others_by_its_page(project: Project, pages: str) -> None:
    """robots.txt forbids its page, the server refuses it, or it is redirected: to one page for all,
    to another host."""
    requested: list[str] = []
    with served("cards") as (site, url):
        site.robots = "User-agent: *\nDisallow: /entry/" if pages == "robots" else ""
        answer = site.answer

        def add_pages(path: str, query: dict[str, str]) -> tuple[int, str]:
            if path == "/login":
                return 200, "<html><body><h1>Log in</h1><p>User: name</p></body></html>"
            if not path.startswith("/entry/"):
                return answer(path, query)
            requested.append(path)
            if pages == "refused":
                return 503, ""
            host = url.replace("127.0.0.1", "localhost") if pages == "elsewhere" else url
            return 302, urljoin(host, f"/login?next={path}")

        vars(site)["answer"] = add_pages
        arguments = ("form", f"url={url}", "probes=12", "details=60")
        run = project.crawl(*arguments, ROBOTSTXT_OBEY=True, RETRY_ENABLED=False)
    names = {value["name"] for item in run.items for value in item["values"]}
    assert run.status == 0 and "User" not in names
    assert len(run.items) == len(rows_of(run)) == run.stat("form/records") > 60
    assert "Records may be missing" not in run.log
    if pages == "refused":
        assert 5 <= len(requested) <= 16
        assert "5 pages of records in a row failed, the last with status 503" in run.log
        told = f"{len(requested)} failed, {60 - len(requested)} were not requested"
    elif pages == "robots":
        assert requested == []
        told = "60 may not be requested"
    else:
        assert len(requested) == 60
        told = "60 led elsewhere"
    assert f"Records are without what their own pages tell: of these, {told};" in run.log


@pytest.mark.slow
def test_how_the_form_searches_is_told_after_a_few_probes(project: Project) -> None:
    with served("table") as (site, url):
        run = project.crawl("form", f"url={url}", "probes=60", "engine=yes", LOG_LEVEL="INFO")
        shown = project.forest("form", url)
        assert run.stat("form/probes") == 67
        sent = len(site.queries)
        again = project.crawl("form", f"url={url}", "probes=60", "engine=yes")
        assert (again.status, len(site.queries)) == (0, sent)
    told = "all words are needed; ignores case; accents matter; stop words are searched"
    assert run.status == 0 and f": {told}; does not stem; spelling errors matter" in shown
    assert told in run.log


@pytest.mark.slow
def test_a_trial_that_fails_is_no_failing_probe_and_tells_nothing(project: Project) -> None:
    """The server refuses two words, and has an error for capitals."""
    refused: list[str] = []
    with served("table") as (site, url):
        answer = site.answer

        def refuse(path: str, query: dict[str, str]) -> tuple[int, str]:
            answered = answer(path, query)
            text = " ".join(query.values())
            if len(text.split()) > 1:
                refused.append(text)
                return 503, "no"
            if text.isupper():
                return 500, "<html><body><h1>Error</h1><p>Something went wrong</body></html>"
            return answered

        vars(site)["answer"] = refuse
        arguments = ("form", f"url={url}", "probes=40", "engine=yes")
        run = project.crawl(*arguments, RETRY_ENABLED=False, LOG_LEVEL="INFO")
        assert run.status == 0 and len(run.items) == run.stat("form/records")
        assert run.stat("form/failed_trials") == len(refused) == len(set(refused)) > 0
        assert "ignores case" not in run.log and "case matters" not in run.log
        assert "accents matter" in run.log and "Records may be missing" not in run.log
        sent = len(site.queries)
        assert project.crawl(*arguments).status == 0 and len(site.queries) == sent


@pytest.mark.slow
def test_a_single_result_that_goes_straight_to_its_record(project: Project) -> None:
    alone: list[bool] = []
    with served("table") as (site, url):
        answer = site.answer

        def redirect(path: str, query: dict[str, str]) -> tuple[int, str]:
            if path.startswith("/entry/"):
                row = site.rows[int(path.removeprefix("/entry/"))]
                lines = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in row.items())
                return 200, f"<html><body><h1>An entry</h1><dl>{lines}</dl></body></html>"
            found = site.find(query) if path == "/find" else []
            alone.append(len(found) == 1)
            return (302, f"/entry/{found[0]}") if alone[-1] else answer(path, query)

        vars(site)["answer"] = redirect
        run = project.crawl("form", f"url={url}", "probes=150")
    wanted = {frozenset(row.values()) for row in ROWS}
    assert rows_of(run) <= wanted and len(run.items) == len(rows_of(run))
    # Each of them is an answer with a record, though most of these were on lists, too.
    assert sum(alone) > 10
    lines = re.findall(r"Probe .*: 1 record, . new, 1 page", run.log)
    assert len(lines) == sum(alone)


@pytest.mark.slow
def test_answers_without_an_end_and_pages_that_repeat(project: Project) -> None:
    with served("cards") as (site, url):
        answer = site.answer

        def endless(path: str, query: dict[str, str]) -> tuple[int, str]:
            status, html = answer(path, {**query, "page": "1"})
            number = int(query.get("page", "1")) + 1
            link = f"<a rel=next href='/find?q={query.get('q', '')}&page={number}'>Next</a>"
            other = f"<p>{'word ' * number}</p>" if query.get("q") == "the" else ""
            return status, html.replace("</body>", f"{other}{link}</body>")

        vars(site)["answer"] = endless
        run = project.crawl("form", f"url={url}", "probes=30", "next_pages=3", LOG_LEVEL="INFO")
    assert run.status == 0 and run.items
    assert "an answer has more than 3 pages, which are not read" in run.log
    assert run.stat("form/repeated_pages") > 5
    assert len(site.queries) <= 30 * 3


@pytest.mark.slow
def test_answers_that_change_from_request_to_request(project: Project) -> None:
    """Their order, a counter and a token."""
    with served("table") as (site, url):
        answer, show = site.answer, site.layout.show

        def change(path: str, query: dict[str, str]) -> tuple[int, str]:
            status, html = answer(path, query)
            token = f"{len(site.queries) * 7919:x}"
            return status, html.replace("</body>", f"<p>Visitor {token} at {token}</body>")

        shuffled = replace(
            site.layout, show=lambda rows: show(sorted(rows, key=lambda r: hash_of(r, site)))
        )
        vars(site).update(answer=change, layout=shuffled)
        run = project.crawl("form", f"url={url}", "probes=80", LOG_LEVEL="INFO")
    assert rows_of(run) <= {frozenset(row.values()) for row in ROWS}
    assert len(run.items) == len(rows_of(run)) > 150


def hash_of(row: tuple[int, object], site: TableSite) -> int:
    """A place that is another one in each answer."""
    return row[0] * 31 * len(site.queries) % 101


def test_a_form_that_a_script_sends(project: Project, server: Server) -> None:
    page = (
        "<html><form onsubmit='go(); return false'><label>Town <input name=town></label>"
        "<button type=button>Search</button></form><div id=results></div></html>"
    )
    server.add("/", page)
    run = project.crawl("form", f"url={server.url}/")
    assert run.status == 0 and run.items == []
    assert "had a record. If a script sends the form or writes the answers" in run.log


@pytest.mark.slow
def test_fields_that_must_be_filled_in_together(project: Project) -> None:
    with served("pairs") as (_, url):
        run = project.crawl("form", f"url={url}", "probes=90", LOG_LEVEL="INFO")
        shown = project.forest("form", url)
    assert "q has records only with c" in run.log
    assert "c only with q: " in shown and "values of different records" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layout", "max_rows", "probes", "share"),
    [
        ("table", 1000, 150, 0.95),
        ("cards", 1000, 150, 0.95),
        ("pairs", 5000, 500, 0.78),
        pytest.param("table", 5000, 500, 0.95, marks=pytest.mark.thorough),
        pytest.param("cards", 5000, 500, 0.95, marks=pytest.mark.thorough),
    ],
)
def test_a_real_table(layout: str, max_rows: int, probes: int, share: float) -> None:
    try:
        rows = read_table(SITES[layout])
    except NoTable as error:
        pytest.skip(str(error))
    rows = rows[:: max(1, len(rows) // max_rows)]
    site = TableSite(rows, layouts(rows)[layout])
    items, _ = crawl(site, probes)
    records = [{v["name"]: v["value"] for v in i["values"] if v["type"] != "url"} for i in items]
    shown = sorted({number for _, own in site.shown for number in own})
    right = sum(row is not None for row in match_rows(records, rows, shown))
    assert right >= share * len(rows) and right >= 0.95 * len(items)


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<p>No form</p>", "does not have a form for searching"),
        ("<form><input name=u><input type=password name=p></form>", "not have a form for search"),
        ("<form action=/go><input name=x></form>", "if one is for searching, name it: -a form=1"),
        ("<form action=http://10.0.0.1/s><input name=q></form>", "another site, 10.0.0.1"),
        ("<form method=post><input name=search></form>", "-a form=1 -a method=post"),
    ],
)
def test_forms_that_are_not_sent(project: Project, server: Server, html: str, said: str) -> None:
    server.add("/", f"<html><body>{html}</body></html>")
    run = project.crawl("form", f"url={server.url}/")
    assert said in run.log and "Traceback" not in run.log
    assert [path for path in server.requests if path != "/"] == []


SEARCH = "<form action=/find role=search><input name=q>{}</form>"


@pytest.mark.parametrize(
    "button",
    [
        "<button formaction=/account/delete>Search</button>",
        "<button formaction=http://127.0.0.2/find>Search</button>",
        "<button formmethod=post>Search</button>",
        "<button formmethod=dialog>Search</button>",
        "<button formaction='javascript:go()'>Search</button>",
        "<button formaction='http://[::1/find'>Search</button>",
    ],
)
def test_a_button_that_sends_another_request(project: Project, server: Server, button: str) -> None:
    server.add("/", f"<html><body>{SEARCH.format(button)}</body></html>")
    run = project.crawl("form", f"url={server.url}/")
    assert run.status == 1 and "Traceback" not in run.log and "ERROR" in run.log
    assert [path for path in server.requests if path != "/"] == []


@pytest.mark.parametrize(
    ("before", "encoding"),
    [
        ("<p>", "utf-16"),
        pytest.param("<div>" * 300, "utf-8", marks=pytest.mark.slow),
        pytest.param("</body></html>", "utf-8", marks=pytest.mark.slow),
    ],
)
def test_pages_that_other_parsers_read_otherwise(
    project: Project, before: str, encoding: str
) -> None:
    """The form is deep, behind the end of the page, or in another encoding."""
    with served("table") as (site, url):
        answer = site.answer

        def other_page(path: str, query: dict[str, str]) -> tuple[int, str]:
            status, html = answer(path, query)
            return status, html if path == "/find" else html.replace("<form", f"{before}<form")

        vars(site)["answer"] = other_page
        run = project.crawl("form", f"url={url}", "probes=12")
    (told,) = run.complaints
    assert "more records than the" in told  # of 12 probes
    assert run.status == 0 and run.items


@pytest.mark.slow
def test_a_second_page_that_fails_loses_no_first_page(project: Project) -> None:
    with served("cards") as (site, url):
        answer = site.answer
        vars(site)["answer"] = lambda path, query: (
            (403, "No") if "page" in query else answer(path, query)
        )
        run = project.crawl("form", f"url={url}", "probes=30", RETRY_ENABLED=False)
    shown = {number for _, numbers in site.shown for number in numbers}
    assert run.stat("form/incomplete_answers") > 0
    assert len(run.items) == len({frozenset(ROWS[number].values()) for number in shown})


@pytest.mark.slow
def test_answers_before_the_server_refuses_are_emitted(project: Project) -> None:
    """They are too few for the wrapper to be learned from at once."""
    with served("table") as (site, url):
        answer = site.answer
        vars(site)["answer"] = lambda path, query: (
            (403, "No") if len(site.shown) >= 4 and path == "/find" else answer(path, query)
        )
        run = project.crawl("form", f"url={url}", "probes=60", RETRY_ENABLED=False)
    shown = {number for _, numbers in site.shown for number in numbers}
    assert len(run.items) == len({frozenset(ROWS[number].values()) for number in shown}) > 0


@pytest.mark.slow
def test_a_token_that_changes_does_not_defeat_resuming(project: Project) -> None:
    visits: list[str] = []
    with served("table") as (site, url):
        answer = site.answer

        def with_token(path: str, query: dict[str, str]) -> tuple[int, str]:
            query = {name: value for name, value in query.items() if name != "csrf"}
            status, html = answer(path, query)
            visits.append(path)
            token = f"<input type=hidden name=csrf value=t{len(visits)}></form>"
            return status, html.replace("</form>", token)

        vars(site)["answer"] = with_token
        project.crawl("form", f"url={url}", "probes=20", out="books.jsonl")
        run = project.crawl("form", f"url={url}", "probes=40", out="books.jsonl", LOG_LEVEL="INFO")
    assert "Going on after 20 probes" in run.log
    assert len(rows_of(run)) == len(run.items)
    assert len(site.queries) == 40


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, thorough(signal.SIGKILL)])
def test_a_job_that_is_stopped_sends_no_probe_twice(
    project: Project, number: signal.Signals
) -> None:
    with served("table") as (site, url):
        arguments, settings = ("form", f"url={url}", "probes=25"), {"JOBDIR": "job"}
        crawling = project.start(*arguments, out="books.jsonl", DOWNLOAD_DELAY=0.1, **settings)
        wait_until(lambda: len(site.queries) >= 9, 60)
        crawling.send(number)
        crawling.finish(60)
        run = project.crawl(*arguments, out="books.jsonl", **settings)
    queries = [tuple(sorted(one.items())) for one in site.queries]
    assert run.status == 0 and "Traceback" not in run.log
    assert len(queries) - len(set(queries)) <= 1 and len(set(queries)) == 25
    assert len(rows_of(run)) == len(run.items)


@pytest.mark.slow
def test_a_further_page_that_leads_back_to_the_form_is_missing(project: Project) -> None:
    with served("cards") as (site, url):
        answer = site.answer
        vars(site)["answer"] = lambda path, query: (
            (302, "/") if "page" in query else answer(path, query)
        )
        run = project.crawl("form", f"url={url}", "probes=20")
    missing = run.stat("form/incomplete_answers")
    assert run.status == 0 and missing > 0 and run.items
    assert f"Records may be missing: {missing} answers are incomplete" in run.log


@pytest.mark.parametrize("delay", [0.0, 3.0])
def test_a_page_with_the_form_that_cannot_be_fetched(
    project: Project, server: Server, delay: float
) -> None:
    server.add("/", "No", status=403, delay=delay)
    run = project.crawl("form", f"url={server.url}/", RETRY_ENABLED=False, DOWNLOAD_TIMEOUT=1)
    assert run.status == 1 and "Traceback" not in run.log
    assert f"{server.url}/ cannot be fetched: " in run.log


@pytest.mark.slow
def test_a_form_in_utf_16_without_a_mark(project: Project, server: Server) -> None:
    page = f"<html><body>{SEARCH.format('')}<p>A register of the Häuser"
    kind = "text/html; charset=utf-16be"
    server.add("/", page.encode("utf-16-be"), kind)
    server.add("/find", "<p>Nothing")
    run = project.crawl("form", f"url={server.url}/", "probes=3")
    assert run.status == 0 and run.stat("form/probes") == 3


@pytest.mark.slow
def test_two_crawls_of_one_form_do_not_send_its_probes_twice(project: Project) -> None:
    with served("table") as (site, url):
        arguments = ("form", f"url={url}", "probes=25")
        first = project.start(*arguments, DOWNLOAD_DELAY=0.2)
        wait_until(lambda: len(site.queries) >= 2, 60)
        second = project.crawl(*arguments)
        first.finish(120)
    assert second.status == 1 and "is being written by another process" in second.log
    assert second.items == [] and len(site.queries) == 25


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["<div " + "a{} " * 300_000 + ">", "<p>x" * 100_000, "<tr><td>x<td>y" * 30_000]
)
def test_a_page_that_takes_too_long_has_an_outcome(
    project: Project, server: Server, part: str
) -> None:
    for number in range(2):
        part = part.replace("{}", str(number), 1)
    server.add("/", f"<html><body>{part}{SEARCH.format('')}</body></html>")
    run = project.crawl("form", f"url={server.url}/", "probes=1", FOREST_PAGE_SECONDS=1)
    assert "Traceback" not in run.log
    assert run.status in (0, 1)
    assert bool(run.stat("form/too_slow")) == (run.status == 1)


@contextmanager
def served_in_parts(
    max_rows: int,
    says_totals: bool = True,
    first_word: str = "The",
) -> Iterator[tuple[TableSite, str]]:
    """A register all of whose titles have a frequent word, and whose answers show only their first
    rows."""
    rows = [{**row, "Title": f"{first_word} {row['Title']}".strip()} for row in ROWS]
    site = TableSite(rows, replace(layouts(rows)["table"], max_rows=max_rows))
    answer = site.answer

    def answer_without_totals(path: str, query: dict[str, str]) -> tuple[int, str]:
        status, html = answer(path, query)
        return status, re.sub(r"<p>\d+ entries found</p>", "", html)

    if not says_totals:
        vars(site)["answer"] = answer_without_totals
    with serve_table(site) as url:
        yield site, url


def warnings_of(run: Run) -> list[str]:
    return [line.partition("WARNING: ")[2] for line in run.complaints]


def test_fewer_records_than_the_site_says_to_have(project: Project) -> None:
    with served_in_parts(max_rows=40) as (_, url):
        run = project.crawl("form", f"url={url}", "probes=14")
    assert 0 < len(run.items) < 250
    assert warnings_of(run) == [
        f"Found {len(run.items)} of 250 records that the site says to have for one probe:"
        " -a probes=N with N above 14 goes on from here"
    ]
    assert run.stat("form/told_records") == 250
    assert run.stat("form/cut_answers") > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("probes", "settings", "remedy"),
    [
        (14, {}, "-a probes=N with N above 14 goes on from here"),
        slow(400, {"CLOSESPIDER_PAGECOUNT": 20}, "the same command goes on from here"),
    ],
    ids=["last probe", "stopped"],
)
def test_answers_that_are_cut_off_without_a_total(
    project: Project, probes: int, settings: dict[str, int], remedy: str
) -> None:
    with served_in_parts(max_rows=10, says_totals=False) as (_, url):
        run = project.crawl("form", f"url={url}", f"probes={probes}", **settings)
    found = re.search(r"than the (\d+) found", run.log)
    last = re.search(r"the last (\d+) probes brought (\d+) new", run.log)
    cut_answers = run.stat("form/cut_answers")
    assert found and 10 < int(found[1]) < 250 and cut_answers > 3
    assert last and int(last[1]) > cut_answers and last[2] == found[1]
    assert warnings_of(run) == [
        f"{cut_answers} of {cut_answers} answers were cut off at 10 records each, and the last"
        f" {last[1]} probes brought {last[2]} new records: more records than the {found[1]} found"
        f" are likely, of how many is not known: {remedy}"
    ]
    assert "forest/form/told_records" not in run.stats


@pytest.mark.slow
def test_more_records_than_the_largest_answer_says_and_not_all(project: Project) -> None:
    with served_in_parts(max_rows=10, first_word="") as (_, url):
        run = project.crawl("form", f"url={url}", "probes=50")
    records = len(run.items)
    estimated = run.stat("form/estimated_records")
    assert run.stat("form/told_records") < records < estimated
    cut_answers = run.stat("form/cut_answers")
    [warning] = warnings_of(run)
    assert warning.startswith(f"{cut_answers} of ")
    assert warning.endswith(
        f"and the last 50 probes brought {records} new records: more records than the {records}"
        f" found are likely, estimated are {estimated} in all (Chao1): -a probes=N with N above 50"
        " goes on from here"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "remedy"),
    [
        ("c", "no probe is left, since the form has no field for words"),
        ("bc", "no probe is left; -a values=FILE tries values that you have"),
    ],
    ids=["choice", "choice and whole text"],
)
def test_a_form_with_few_probes_that_does_not_show_all(
    project: Project, names: str, remedy: str
) -> None:
    """The answers to texts that are found whole are complete, but still bring new records."""
    with served_in_parts(max_rows=10, says_totals=False) as (site, url):
        fields = []
        for field in site.layout.fields:
            if field.name in names:
                fields.append(replace(field, how="equal"))
        site.layout = replace(site.layout, fields=tuple(fields))
        run = project.crawl("form", f"url={url}", "form=1", "probes=400", LOG_LEVEL="INFO")
    assert 50 < len(run.items) < 250
    [warning] = warnings_of(run)
    assert warning.endswith(f"are likely, of how many is not known: {remedy}")


@pytest.mark.slow
def test_a_register_that_shows_all_of_its_records(project: Project) -> None:
    with served_in_parts(max_rows=250) as (_, url):
        run = project.crawl("form", f"url={url}", "probes=14")
    assert warnings_of(run) == [] and run.stat("form/told_records") == len(run.items) == 250
    assert "forest/form/cut_answers" not in run.stats
