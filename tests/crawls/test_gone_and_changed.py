"""Crawls of a feed over several runs: pages that are gone and return, and fields that change."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from .helpers import Project, Server, slow
from .test_day_after_day import Site, kinds

NUMBERS = range(6)


@pytest.fixture
def site(server: Server) -> Site:
    site = Site(server)
    for number in NUMBERS:
        site.publish(number)
    return site


def remove(site: Site, number: int, status: int = 404) -> str:
    """Answer the page with this status; the body that it had."""
    body = site.body(number)
    site.server.add(f"/plain/{number}", "<p>Not here.", status=status)
    return body


def replace_title(site: Site, number: int, title: str) -> None:
    """Another headline in the page and in the feed."""
    item = site.items[number]
    site.show(number, site.body(number).replace(item.title, title))
    site.publish_entry(number, title)


def without_empty(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if value not in ("", [], {}, None)}


def rolling_feed(project: Project) -> list[dict[str, Any]]:
    project.forest("feed", "-o", "rolling.json")
    document = json.loads((project.folder / "rolling.json").read_text(encoding="utf-8"))
    items: list[dict[str, Any]] = document["items"]
    return items


@pytest.mark.slow
def test_an_entry_is_no_article_of_a_page_that_is_gone(site: Site, project: Project) -> None:
    """The feed lists it all the time, and says something else of it."""
    site.crawl(project)
    body = remove(site, 5, status=410)
    site.publish_entry(5, "A title", "Another description")
    gone = site.crawl(project, "only_new=yes")
    (item,) = gone.items
    assert (item["change"]["kind"], item["status"]) == ("gone", 410)
    assert item["change"]["since"] and item["fetched_at"]

    for description in ("A third description", "A fourth description"):
        site.publish_entry(5, "A title", description)
        again = site.crawl(project, "only_new=yes")
        assert (again.items, site.asked) == ([], ["/plain/5"])
        paths = [entry["url"].rpartition("/")[2] for entry in rolling_feed(project)]
        assert sorted(paths) == ["0", "1", "2", "3", "4"]

    site.show(5, body.replace("Paragraph 2 of 5.", "Paragraph two of five was corrected."))
    site.publish_entry(5, "A title", "A fifth description")
    back = site.crawl(project, "only_new=yes")
    assert kinds(back) == {"/plain/5": "returned"}
    change = back.by_path["/plain/5"]["change"]
    assert change["inserted"] == ["two of five was corrected."]
    assert 0 < change["share"] < 0.3
    assert len(rolling_feed(project)) == 6
    assert site.crawl(project, "only_new=yes").items == []


@pytest.mark.slow
def test_a_page_that_is_gone_is_no_article_of_a_full_crawl(site: Site, project: Project) -> None:
    site.crawl(project)
    remove(site, 5)
    del site.items[5]
    assert list(kinds(site.crawl(project, "only_new=yes")).values()) == ["gone"]
    site.publish_entry(5, "A title")
    full = site.crawl(project)
    assert "/plain/5" not in full.by_path


OWN = """
import scrapy
from forest_scrapy import ArticlePage

class OwnSpider(scrapy.Spider):
    name = "own"

    def parse(self, response):
        yield ArticlePage.from_response(response)

    async def start(self):
        for url in self.urls.split(","):
            yield scrapy.Request(url)

class AllStatusesSpider(OwnSpider):
    name = "all_statuses"
    handle_httpstatus_list = [404, 410]

class WithErrbackSpider(OwnSpider):
    name = "with_errback"

    async def start(self):
        for url in self.urls.split(","):
            yield scrapy.Request(url, errback=self.failed)

    def failed(self, failure):
        self.logger.info("no page")
"""


def check_return(site: Site, project: Project, number: int, body: str) -> None:
    """The page is there again, with another sentence."""
    site.show(number, body.replace(f"Paragraph 2 of {number}.", "A paragraph was corrected."))
    back = site.crawl(project)
    change = back.by_path[f"/plain/{number}"]["change"]
    assert (change["kind"], change["inserted"]) == ("returned", ["A paragraph was corrected."])


@pytest.mark.slow
@pytest.mark.parametrize("status", [404, slow(410)])
def test_a_full_crawl_meets_the_page_that_is_gone_first(
    site: Site, project: Project, status: int
) -> None:
    site.crawl(project)
    body = remove(site, 5, status)
    gone = site.crawl(project)
    item = gone.by_path["/plain/5"]
    assert (item["change"]["kind"], item["status"], item["text"]) == ("gone", status, "")
    assert sorted(kinds(gone).values()) == ["gone", *["unchanged"] * 5]
    for _ in range(2):
        assert "/plain/5" not in site.crawl(project).by_path
    assert site.crawl(project, "only_new=yes").items == []
    assert len(rolling_feed(project)) == 5
    check_return(site, project, 5, body)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", [{"HTTPERROR_ALLOW_ALL": "1"}, {"HTTPERROR_ALLOWED_CODES": "404"}]
)
def test_a_project_that_accepts_all_statuses(
    site: Site, project: Project, settings: dict[str, str]
) -> None:
    """The page with status 404 has a text of its own, which is no version of the article."""
    site.crawl(project)
    body = site.body(5)
    site.server.add("/plain/5", body.replace("Paragraph", "Never mind"), status=404)
    gone = site.crawl(project, **settings)
    item = gone.by_path["/plain/5"]
    assert (item["change"]["kind"], item["status"], item["text"]) == ("gone", 404, "")
    assert "/plain/5" not in site.crawl(project, **settings).by_path
    check_return(site, project, 5, body)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "only_new"),
    [("own", True), slow("own", False), slow("all_statuses", True), slow("with_errback", False)],
)
def test_pages_that_are_gone_in_a_spider_of_a_project(
    site: Site, project: Project, name: str, only_new: bool
) -> None:
    project.write("own.py", OWN)
    urls = ",".join(f"{site.server.url}/plain/{number}" for number in NUMBERS)
    settings = {"SPIDER_MODULES": "own", "FOREST_ONLY_NEW": str(only_new)}
    project.crawl(name, f"urls={urls}", **settings)
    remove(site, 5, 410)
    gone = project.crawl(name, f"urls={urls}", **settings)
    item = gone.by_path["/plain/5"]
    assert (item["change"]["kind"], item["status"], item["text"]) == ("gone", 410, "")
    assert len(gone.items) == (1 if only_new else 6)
    assert "/plain/5" not in project.crawl(name, f"urls={urls}", **settings).by_path


@pytest.mark.slow
def test_a_page_of_a_site_that_is_gone(site: Site, project: Project) -> None:
    links = "".join(f"<li><a href='/plain/{number}'>{number}</a></li>" for number in NUMBERS)
    site.server.add("/", f"<html><body><ul>{links}</ul></body></html>")
    arguments = (f"url={site.server.url}/", f"article={site.server.url}/plain/0")
    first = project.crawl("site", *arguments)
    assert len(first.items) == 6
    remove(site, 5)
    gone = project.crawl("site", *arguments)
    assert gone.by_path["/plain/5"]["change"]["kind"] == "gone"
    assert "/plain/5" not in project.crawl("site", *arguments).by_path


@pytest.mark.slow
def test_an_entry_whose_page_was_never_there_is_no_news(site: Site, project: Project) -> None:
    """An error of the server is no page; after it 404 says that the page is gone."""
    remove(site, 4)
    remove(site, 5, status=500)
    first = site.crawl(project)
    assert (kinds(first)["/plain/4"], kinds(first)["/plain/5"]) == ("new", "new")
    remove(site, 5)
    second = site.crawl(project)
    assert (kinds(second)["/plain/4"], kinds(second)["/plain/5"]) == ("unchanged", "gone")
    third = site.crawl(project)
    assert kinds(third)["/plain/4"] == "unchanged" and "/plain/5" not in third.by_path


WALL = """<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>
<div id="challenge-running">Checking your browser before accessing the site.</div>
<noscript>Enable JavaScript and cookies to continue</noscript>
<script>window._cf_chl_opt = {cType: "managed"};</script></body></html>"""


@pytest.mark.slow
def test_a_challenge_is_no_version_of_an_article(site: Site, project: Project) -> None:
    """Neither of one that is gone, nor of one that is there."""
    first = site.crawl(project)
    bodies = {4: site.body(4), 5: remove(site, 5)}
    assert kinds(site.crawl(project))["/plain/5"] == "gone"
    for number in bodies:
        site.show(number, WALL)
        site.publish_entry(number, site.items[number].title, "Another description " * 20)
    walled = site.crawl(project, "only_new=yes")
    assert walled.items == []
    assert "/plain/5" not in site.crawl(project).by_path
    for number, body in bodies.items():
        site.show(number, body)
    back = site.crawl(project)
    assert (kinds(back)["/plain/4"], kinds(back)["/plain/5"]) == ("unchanged", "returned")
    assert back.by_path["/plain/5"]["change"].get("inserted", []) == []
    assert back.by_path["/plain/4"]["text"] == first.by_path["/plain/4"]["text"]


def test_another_headline_is_emitted(site: Site, project: Project) -> None:
    first = site.crawl(project)
    replace_title(site, 3, "Minister cleared")
    second = site.crawl(project, "only_new=yes", FOREST_REPORT="report")
    old_title = first.by_path["/plain/3"]["title"]
    assert kinds(second) == {"/plain/3": "changed"}
    change = second.by_path["/plain/3"]["change"]
    assert change["fields"] == {"title": {"from": old_title, "to": "Minister cleared"}}
    assert (change["share"], change["inserted"], change["deleted"]) == (0.0, [], [])
    titles = {entry["url"].rpartition("/")[2]: entry["title"] for entry in rolling_feed(project)}
    assert titles["3"] == "Minister cleared"
    assert len(titles) == len(NUMBERS)
    overview = (project.folder / "report/index.html").read_text(encoding="utf-8")
    (page,) = (project.folder / "report").glob("versions-*.html")
    assert f'<a href="{page.name}">side by side</a>' in overview
    assert f"<del>{old_title}</del>" in page.read_text(encoding="utf-8")
    url = f"{site.server.url}/plain/3"
    listed = project.forest("versions", url)
    assert listed.startswith(f"{url}: 2 versions\n")
    assert f"title: {old_title!r} -> 'Minister cleared'" in listed
    as_it_is = json.loads(project.forest("versions", url, "--at", "2100-01-01"))
    assert as_it_is == without_empty(second.by_path["/plain/3"])
    assert site.crawl(project, "only_new=yes").items == []


@pytest.mark.slow
def test_noise_of_a_page_does_not_count_twice(site: Site, project: Project) -> None:
    """The title has a counter, the image rotates, and tags come in any order."""
    kinds_of_runs = []
    for run in range(6):
        body = re.sub(r"<h1>(\(\d+\) )?", f"<h1>({run}) ", site.body(2))
        head = f"<meta property='og:image' content='/{'ab'[run % 2]}.jpg?t={run}'>" + "".join(
            f"<meta property='article:tag' content='{tag}'>"
            for tag in (["birds", "night"], ["night", "birds"])[run % 2]
        )
        body = re.sub(r"<head>(<meta.*?>)*<title>", f"<head>{head}<title>", body)
        site.show(2, body)
        site.publish_entry(2, site.items[2].title, f"Description {run}")
        arguments = ["only_new=yes"] if run else []
        kinds_of_runs.append(kinds(site.crawl(project, *arguments)).get("/plain/2"))
    assert kinds_of_runs == ["new", "changed", "changed", None, None, None]
