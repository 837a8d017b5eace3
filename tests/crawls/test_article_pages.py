"""Articles over several pages in crawls of feeds, of sites, and of spiders of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .helpers import Item, Project, Run, Server, rss, slow, story, story_title
from .test_refresh import correct_wrapper
from .test_resumed import KILL

#: The number of pages of each article.
PAGES = {1: 3, 2: 1, 3: 2, 4: 1, 5: 1, 6: 1}
RSS = "application/rss+xml; charset=utf-8"
OWN = """
import scrapy
from forest_scrapy import ArticlePage

class OwnSpider(scrapy.Spider):
    name = "own"

    def parse(self, response):
        yield ArticlePage.from_response(response, extra={"list": "birds"})

    async def start(self):
        for url in self.urls.split(","):
            yield scrapy.Request(url)

class OnePageSpider(OwnSpider):
    name = "one_page"
    follows_pages = False
"""


def path_of(number: int, page: int = 1) -> str:
    return f"/stories/{number}-owls/" + (f"{page}/" if page > 1 else "")


def paragraphs_of(number: int, page: int) -> list[str]:
    words = ("harbour", "lantern", "quarry", "meadow", "copper", "violin", "glacier", "orchard")
    start = f"On page {page} of story {number} the {words[(number + page) % 8]} was seen again"
    return [
        f"{start}, and {word}{number}x{page} told all of us that the {words[i]} would come soon."
        for i, word in enumerate(words[:6])
    ]


def pager(number: int, page: int, pages: int) -> str:
    """As WordPress writes it."""
    links = [
        f'<span class="post-page-numbers current" aria-current="page">{i}</span>'
        if i == page
        else f'<a href="{path_of(number, i)}" class="post-page-numbers">{i}</a>'
        for i in range(1, pages + 1)
    ]
    return f'<div class="page-links">Pages: {" ".join(links)}</div>' if pages > 1 else ""


def page_html(number: int, page: int, links: str = "", pages: int = 0) -> str:
    title = story_title(number)
    photo = f"<img src='/photos/{number}-{page}.jpg' alt='An owl'>"
    text = f"<p>{photo}" + "".join(f"<p>{one}</p>" for one in paragraphs_of(number, page))[3:]
    row = links or pager(number, page, pages or PAGES[number])
    following = path_of(number % 6 + 1)
    return (
        "<!DOCTYPE html><html lang='en'><head>"
        f"<title>{title} - The Owl Paper</title>"
        "<meta property='article:published_time' content='2024-05-05T10:00:00Z'></head><body>"
        "<div class='top'><ul class='menu'><li><a href='/'>Home</a></li><li>News</li></ul></div>"
        f"<div class='page'><article class='story'><h1>{title}</h1>"
        f"<p class='byline'>By Ana Lind on 5 May 2024</p><div class='text'>{text}</div>"
        f"{row}</article><nav class='post-navigation'><a href='{following}' rel='next'>"
        f"{story_title(number % 6 + 1)}</a></nav></div>"
        "<div class='foot'><p>All rights reserved by the Owl Paper company.</p></div></body></html>"
    )


def serve(server: Server, pages: dict[int, int] | None = None) -> str:
    """The argument for a feed of these articles."""
    for number, count in (pages or PAGES).items():
        for page in range(1, count + 1):
            server.add(path_of(number, page), page_html(number, page))
    items = [Item(server.url + path_of(number), story_title(number)) for number in PAGES]
    server.add("/feed", rss(items), RSS)
    rows = "".join(f"<li><a href='{path_of(n)}'>{story_title(n)}</a></li>" for n in PAGES)
    server.add("/", f"<html><body><h1>The Owl Paper</h1><ul>{rows}</ul></body></html>")
    return f"feeds={server.url}/feed"


def check_all(run: Run, server: Server, pages: dict[int, int] | None = None) -> None:
    """Each article is there once, with the text of all of its pages."""
    assert run.status == 0
    assert run.paths == [path_of(number) for number in PAGES]
    for number, count in (pages or PAGES).items():
        check(run.by_path[path_of(number)], server, number, count)


def check(item: dict[str, Any], server: Server, number: int, pages: int) -> None:
    numbers = range(1, pages + 1)
    assert item["pages"] == [server.url + path_of(number, page) for page in numbers]
    wanted = [line for page in numbers for line in paragraphs_of(number, page)]
    lines = item["text"].split("\n")
    assert [line for line in lines if line in set(wanted)] == wanted
    assert len(lines) <= len(wanted) + 2
    assert all(item["html"].count(line) == 1 for line in wanted)
    names = [image["url"].rpartition("/")[2] for image in item["images"]]
    assert names == [f"{number}-{page}.jpg" for page in numbers]
    assert item["title"] == story_title(number)


def test_the_articles_of_a_feed(project: Project, server: Server) -> None:
    run = project.crawl("feeds", serve(server))
    check_all(run, server)
    assert all(item["next_page"] == "" for item in run.items)
    assert run.stat("article_pages/followed") == 3
    assert run.stat("dropped/joined") == 3
    assert len(server.requests) == len(set(server.requests))


def test_the_articles_of_a_site(project: Project, server: Server) -> None:
    serve(server)
    run = project.crawl("site", f"url={server.url}/", f"article={server.url}{path_of(1)}")
    check_all(run, server)
    assert len(server.requests) == len(set(server.requests))


def test_a_site_whose_feed_is_read(project: Project, server: Server) -> None:
    serve(server)
    home = server.answers["/"].body.decode()
    server.add("/", f"<link rel=alternate type=application/rss+xml href=/feed>{home}")
    check_all(project.crawl("site", f"url={server.url}/"), server)


def own_project(folder: Path) -> Project:
    return Project(folder, {"own.py": OWN}, SPIDER_MODULES=["own"])


def urls_of(server: Server) -> str:
    return "urls=" + ",".join(server.url + path_of(number) for number in PAGES)


def test_a_spider_of_ones_own(tmp_path: Path, server: Server) -> None:
    serve(server)
    run = own_project(tmp_path / "p").crawl("own", urls_of(server))
    check_all(run, server)
    assert {item["extra"]["list"] for item in run.items} == {"birds"}


def test_a_spider_that_may_not_follow(tmp_path: Path, server: Server) -> None:
    serve(server)
    run = own_project(tmp_path / "p").crawl("one_page", urls_of(server))
    check_all(run, server, dict.fromkeys(PAGES, 1))
    assert run.by_path[path_of(1)]["next_page"] == server.url + path_of(1, 2)
    assert run.by_path[path_of(2)]["next_page"] == ""
    limited = own_project(tmp_path / "q").crawl("own", urls_of(server), DEPTH_LIMIT=1)
    assert limited.by_path[path_of(1)]["pages"] == [
        server.url + path_of(1),
        server.url + path_of(1, 2),
    ]
    assert limited.by_path[path_of(1)]["next_page"] == server.url + path_of(1, 3)


def test_a_page_that_cannot_be_fetched(project: Project, server: Server) -> None:
    feed = serve(server)
    server.add(path_of(1, 3), "", status=404)
    run = project.crawl("feeds", feed)
    check_all(run, server, {**PAGES, 1: 2})
    assert run.by_path[path_of(1)]["next_page"] == server.url + path_of(1, 3)
    assert run.stat("failed/status_404") == 1


def test_the_bound(project: Project, server: Server) -> None:
    run = project.crawl("feeds", serve(server), FOREST_ARTICLE_PAGES=2)
    check_all(run, server, {**PAGES, 1: 2})
    assert run.by_path[path_of(1)]["next_page"] == server.url + path_of(1, 3)


def test_a_loop(project: Project, server: Server) -> None:
    """The last page calls the first one the next one."""
    feed = serve(server)
    links = f"<p>Page 2 of 3</p><a href='{path_of(1)}'>1</a> <a href='{path_of(1, 3)}'>Next</a>"
    server.add(path_of(1, 2), page_html(1, 2, links))
    links = f"<p>Page 3 of 3</p><a href='{path_of(1)}'>1</a> <a href='{path_of(1)}'>Next</a>"
    server.add(path_of(1, 3), page_html(1, 3, links))
    run = project.crawl("feeds", feed)
    check_all(run, server)
    assert run.by_path[path_of(1)]["next_page"] == ""


def test_a_server_that_ignores_page_numbers(project: Project, server: Server) -> None:
    feed = serve(server)
    for page in (2, 3):
        server.add(path_of(1, page), page_html(1, 1, pager(1, page, 3)))
    run = project.crawl("feeds", feed)
    check_all(run, server, {**PAGES, 1: 1})
    assert run.by_path[path_of(1)]["next_page"] == ""
    assert path_of(1, 3) not in server.requests


def test_an_article_that_follows_is_another_one(project: Project, server: Server) -> None:
    """Its URL has a number, as that of a page has, but another title."""
    feed = serve(server)
    links = f"<a rel=next href='{path_of(3, 2)}'>Next</a>"
    server.add(path_of(3), page_html(3, 1, links))
    server.add(path_of(3, 2), page_html(4, 7, "<p>The end</p>", 1))
    run = project.crawl("feeds", feed)
    item = run.by_path[path_of(3)]
    check(item, server, 3, 1)
    assert item["next_page"] == ""


@pytest.mark.slow
@pytest.mark.thorough
def test_what_has_changed_is_told_by_the_whole_text(project: Project, server: Server) -> None:
    feed = serve(server)
    check_all(project.crawl("feeds", feed, "only_new=yes"), server)
    settings = {"FOREST_RECHECK_HOURS": "[]"}
    items = [Item(server.url + path_of(n), story_title(n), "Told again") for n in PAGES]
    server.add("/feed", rss(items), RSS)
    again = project.crawl("feeds", feed, "only_new=yes", **settings)
    assert (again.items, again.stat("history/unchanged")) == ([], len(PAGES))
    server.add(path_of(1, 3), page_html(1, 3).replace("told all of us", "told nobody at all"))
    items = [Item(server.url + path_of(n), story_title(n), "Told once more") for n in PAGES]
    server.add("/feed", rss(items), RSS)
    changed = project.crawl("feeds", feed, "only_new=yes", **settings)
    assert changed.paths == [path_of(1)]
    (item,) = changed.items
    assert (item["change"]["kind"], len(item["pages"])) == ("changed", 3)
    server.add(path_of(1, 3), "", status=500)
    items = [Item(server.url + path_of(n), story_title(n), "And again") for n in PAGES]
    server.add("/feed", rss(items), RSS)
    failed = project.crawl("feeds", feed, "only_new=yes", RETRY_ENABLED=False, **settings)
    assert failed.items == []


@pytest.mark.parametrize("page", [8, slow(9), slow(10)])
def test_a_kill_while_further_pages_are_fetched(tmp_path: Path, server: Server, page: int) -> None:
    project = Project(tmp_path / "p", {"kill.py": KILL}, EXTENSIONS={"kill.Kill": 0})
    settings: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl", "CONCURRENT_REQUESTS": 1}
    feed = serve(server)
    killed = project.crawl("feeds", feed, KILL_AT_PAGE=page, **settings)
    assert killed.status != 0
    check_all(project.crawl("feeds", feed, **settings), server)


def test_a_kill_after_an_article_was_written(tmp_path: Path, server: Server) -> None:
    """The kill comes before the outcomes of the item's pages are recorded."""
    project = Project(tmp_path / "p", {"kill.py": KILL}, EXTENSIONS={"kill.Kill": 0})
    settings: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl", "CONCURRENT_REQUESTS": 1}
    feed = serve(server)
    assert project.crawl("feeds", feed, KILL_AT=6, **settings).status != 0
    check_all(project.crawl("feeds", feed, **settings), server)


def test_articles_of_one_page_are_as_they_were(project: Project, server: Server) -> None:
    for number in range(6):
        server.add(f"/{number}", story(number))
    server.add("/feed", rss(f"{server.url}/{number}" for number in range(6)), RSS)
    run = project.crawl("feeds", f"feeds={server.url}/feed")
    assert [item["pages"] for item in run.items] == [[item["url"]] for item in run.items]
    assert run.stat("dropped/joined") == 0


def test_a_further_page_that_looks_otherwise(project: Project, server: Server) -> None:
    """It is read by the rules of the first page: here without the box, which looks like prose."""
    feed = serve(server)
    html = page_html(1, 3)
    rows = "".join(f"<table><tr><td>{i}</td><td><b>x</b></td></tr></table>" for i in range(40))
    lists = "".join(f"<ul><li><em>{i}</em></li></ul>" for i in range(40))
    aside = f"<section class=more>{rows}{lists}</section>"
    server.add(path_of(1, 3), html.replace("<div class='foot'>", f"{aside}<div class='foot'>"))
    run = project.crawl("feeds", feed)
    check_all(run, server)
    assert len({item["template_id"] for item in run.items}) == 1
    assert run.stat("templates/found") == 1


def test_a_further_page_that_looked_like_no_article(project: Project, server: Server) -> None:
    """A crawl of a site finds it by a link first; it is read again when page two leads to it."""
    serve(server)
    rows = "".join(f"<tr><td><a href='/tags/{n}'>Tag {n}</a></td></tr>" for n in range(80))
    text = paragraphs_of(1, 3)[0]
    server.add(
        path_of(1, 3),
        f"<html><head><title>{story_title(1)}</title></head><body><center><table>{rows}</table>"
        f"<div class='x'><p>{text}</p></div>{pager(1, 3, 3)}</center></body></html>",
    )
    run = project.crawl("site", f"url={server.url}/")
    assert run.paths == [path_of(number) for number in PAGES]
    item = run.by_path[path_of(1)]
    assert item["pages"] == [server.url + path_of(1, page) for page in (1, 2, 3)]
    assert (item["text"].count(text), item["next_page"]) == (1, "")


def test_articles_are_taken_again_from_all_of_their_pages(project: Project, server: Server) -> None:
    feed = serve(server)
    check_all(project.crawl("feeds", feed, FOREST_WARC="pages"), server)
    requests = len(server.requests)
    unchanged = project.crawl("refresh", "host=127.0.0.1", FOREST_WARC="pages")
    assert (unchanged.status, unchanged.items, unchanged.complaints) == (0, [], [])
    assert unchanged.stat("dropped/unchanged") == len(PAGES)
    assert len(server.requests) == requests
    correct_wrapper(project, "//p[contains(., 'violin1x3')]")
    done = project.crawl("refresh", "host=127.0.0.1", FOREST_WARC="pages")
    (item,) = done.items
    assert item["change"]["kind"] == "wrapper"
    assert len(item["pages"]) == 3
    assert paragraphs_of(1, 3)[4] in item["text"]
    assert paragraphs_of(1, 3)[5] not in item["text"]


def test_a_stop_keeps_the_pages_for_the_next_run(project: Project, server: Server) -> None:
    settings: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl", "CONCURRENT_REQUESTS": 1}
    feed = serve(server)
    stopped = project.crawl("feeds", feed, CLOSESPIDER_PAGECOUNT=8, **settings)
    assert path_of(1) not in stopped.paths
    assert stopped.stat("pages/left") > 0
    check_all(project.crawl("feeds", feed, **settings), server)


def test_an_article_that_is_too_old_is_not_followed(project: Project, server: Server) -> None:
    run = project.crawl("feeds", serve(server), "since=2024-06-01")
    assert run.items == []
    assert run.stat("article_pages/followed") == 0
    assert run.stat("dropped/too_old") == len(PAGES)


def test_a_resumed_spider_of_ones_own(tmp_path: Path, server: Server) -> None:
    serve(server)
    modules = {"own.py": OWN, "kill.py": KILL}
    extensions = {"kill.Kill": 0}
    project = Project(tmp_path / "p", modules, SPIDER_MODULES=["own"], EXTENSIONS=extensions)
    settings: dict[str, Any] = {"JOBDIR": "job", "out": "all.jsonl", "CONCURRENT_REQUESTS": 1}
    assert project.crawl("own", urls_of(server), KILL_AT_PAGE=8, **settings).status != 0
    check_all(project.crawl("own", urls_of(server), **settings), server)


def test_links_in_the_header_lead_to_the_next_page(project: Project, server: Server) -> None:
    feed = serve(server)
    for page in (1, 2):
        other_page = 3 - page
        relation = "next" if page == 1 else "prev"
        header = (
            f'<{path_of(3, other_page)}>; rel="{relation}",'
            f' <{server.url}{path_of(3)}>; rel="canonical"'
        )
        html = page_html(3, page, links="<p>Read on</p>")
        server.add(path_of(3, page), html, headers={"Link": header})
    run = project.crawl("feeds", feed)
    check_all(run, server)
    assert run.by_path[path_of(3)]["canonical_url"] == server.url + path_of(3)
