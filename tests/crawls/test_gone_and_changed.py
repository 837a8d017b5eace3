"""Crawls of a feed over several runs: pages that are gone and return, and fields that change."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from .helpers import Project, Server
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
