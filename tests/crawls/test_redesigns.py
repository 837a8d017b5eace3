"""Sites whose layout changes between two crawls."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from .helpers import RSS, Item, Project, Run, Server, rss, story, story_title, thorough

MOVED = "<div class='copy'><div class='inner'>"


def old(number: int) -> str:
    return with_sides(story(number))


def moved(number: int) -> str:
    """The same layout around another element with the text."""
    page = old(number).replace("<div class='text'>", MOVED)
    return page.replace("</div></div><div class='side'>", "</div></div></div><div class='side'>")


def fancy(number: int) -> str:
    return story(number, "fancy")


def with_sides(page: str) -> str:
    """A page with much around its article, so that its layout stays similar if that changes."""
    boxes = "".join(
        f"<div class='box{i}'><h4>Box</h4><ul class='list{i}'><li><em>One</em></li></ul></div>"
        for i in range(12)
    )
    return page.replace("<div class='foot'>", f"{boxes}<div class='foot'>")


def crawl(project: Project, server: Server, numbers: range, layout: Callable[[int], str]) -> Run:
    for number in numbers:
        server.add(f"/story/{number}", layout(number))
    items = [Item(f"/story/{number}", story_title(number)) for number in numbers]
    server.add("/feed.xml", rss(items), RSS)
    return project.crawl("feeds", f"feeds={server.url}/feed.xml")


def edit_wrapper(project: Project) -> None:
    """Do what a person does who edits the store."""
    database = sqlite3.connect(project.folder / ".scrapy/forest/wrappers.db")
    with closing(database), database:
        database.execute("UPDATE template_rules SET rules = rules || ' '")


def is_right(run: Run, number: int) -> bool:
    item = run.by_path[f"/story/{number}"]
    return item["text"].count("Paragraph") == 6 and "Box" not in item["text"]


@pytest.mark.parametrize("layout", [moved, thorough(fancy)])
def test_a_redesign_is_noticed_and_learned_again(
    project: Project, server: Server, layout: Callable[[int], str]
) -> None:
    crawl(project, server, range(12), old)
    run = crawl(project, server, range(20, 32), layout)
    assert run.stat("templates/redesigned") == 1
    assert "was redesigned" in run.log
    assert [number for number in range(20, 32) if not is_right(run, number)] == []
    after = crawl(project, server, range(40, 44), layout)
    assert after.counted("articles") == {"trained": 4}
    assert after.stat("templates/redesigned") == after.stat("wrappers/misfits") == 0
    assert [number for number in range(40, 44) if not is_right(after, number)] == []


@pytest.mark.slow
def test_a_wrapper_that_was_replaced_stays_as_an_older_version(
    project: Project, server: Server
) -> None:
    crawl(project, server, range(12), old)
    crawl(project, server, range(20, 32), moved)
    shown = project.forest("show", "127.0.0.1", "--versions")
    assert "version 1" in shown and "new template" in shown
    assert "version 2" in shown and "redesign" in shown


@pytest.mark.slow
def test_a_wrapper_that_was_edited_is_kept(project: Project, server: Server) -> None:
    crawl(project, server, range(12), old)
    edit_wrapper(project)
    stored = project.wrappers()
    run = crawl(project, server, range(20, 32), moved)
    assert run.stat("templates/redesigned") == 0
    assert "it is kept, because its wrapper was edited" in run.log
    assert project.wrappers() == stored
    refused = project.forest("forget", "127.0.0.1")
    assert "was edited by hand; use --force" in refused and project.wrappers() == stored
    assert "deleted 1 wrapper" in project.forest("forget", "127.0.0.1", "--force")
    assert project.wrappers() == []


@pytest.mark.slow
def test_a_site_that_stays_the_same_is_not_redesigned(project: Project, server: Server) -> None:
    crawl(project, server, range(12), old)
    run = crawl(project, server, range(20, 32), old)
    assert run.stat("templates/redesigned") == run.stat("wrappers/misfits") == 0
    assert run.stat("templates/learned") == 0


def publish(project: Project, server: Server, number: int, layout: Callable[[int], str]) -> Run:
    """A crawl, for what is new, of a site that has published one more page."""
    server.add(f"/story/{number}", layout(number))
    server.add("/feed.xml", rss([Item(f"/story/{number}", story_title(number))]), RSS)
    return project.crawl("feeds", f"feeds={server.url}/feed.xml", "only_new=yes")


@pytest.mark.slow
@pytest.mark.thorough
def test_a_new_layout_is_learned_from_pages_that_come_one_by_one(
    project: Project, server: Server
) -> None:
    crawl(project, server, range(12), old)
    first = publish(project, server, 20, fancy)
    assert first.counted("articles") == {"single": 1}
    assert first.stat("templates/pages_kept") == 1
    second = publish(project, server, 21, fancy)
    assert second.counted("articles") == {"trained": 1} and is_right(second, 21)
    assert "from 2 pages" in second.log
    third = publish(project, server, 22, fancy)
    assert third.counted("articles") == {"trained": 1}
    assert third.stat("templates/learned") == 0 and is_right(third, 22)
    assert kept_pages(project) == 0


@pytest.mark.slow
def test_a_redesign_is_learned_from_pages_that_come_one_by_one(
    project: Project, server: Server
) -> None:
    crawl(project, server, range(12), old)
    runs = [publish(project, server, number, moved) for number in range(20, 24)]
    assert [run.stat("templates/redesigned") for run in runs] == [0, 0, 1, 0]
    assert "learned again from 3 pages" in runs[2].log
    assert is_right(runs[3], 23) and runs[3].stat("wrappers/misfits") == 0
    assert kept_pages(project) == 0


@pytest.mark.slow
def test_pages_are_not_kept_if_the_next_crawl_sees_them_again(
    project: Project, server: Server
) -> None:
    crawl(project, server, range(12), old)
    crawl(project, server, range(20, 21), fancy)
    assert kept_pages(project) == 0


def kept_pages(project: Project) -> int:
    database = sqlite3.connect(project.folder / ".scrapy/forest/wrappers.db")
    with closing(database):
        return int(database.execute("SELECT COUNT(*) FROM kept_pages").fetchone()[0])
