"""Crawls that page back to the older items of a feed."""

from __future__ import annotations

import time

import pytest

from .helpers import RSS, Item, Project, Run, Server, rss, story, story_title

ATOM = "application/atom+xml"


@pytest.fixture
def stories(server: Server) -> Server:
    for number in range(30):
        server.add(f"/plain/{number}", story(number))
    return server


def page(numbers: range, head: str = "") -> bytes:
    """A page of a feed, its newest item first."""
    items = [
        Item(f"/plain/{number}", story_title(number), published=f"{number + 1:02} Jun 2024 08:00 Z")
        for number in reversed(numbers)
    ]
    return rss(items).replace(b"<title>Feed</title>", f"<title>Feed</title>{head}".encode())


def add_pages(server: Server, *urls: str, head: str = "", size: int = 5) -> None:
    """Pages of a feed at these URLs, with the newest of 30 items on the first one."""
    for index, url in enumerate(urls):
        last = 30 - index * size
        server.add(url, page(range(last - size, last), head), RSS)


def articles(run: Run) -> list[int]:
    assert (run.status, run.complaints) == (0, [])
    return numbers(run)


def numbers(run: Run) -> list[int]:
    return sorted(int(path.rpartition("/")[2]) for path in run.paths)


def feeds_asked(server: Server) -> list[str]:
    return [path for path in server.requests if not path.startswith("/plain/")]


def crawl(project: Project, server: Server, feed: str, *arguments: str) -> Run:
    server.requests.clear()
    return project.crawl("feeds", f"feeds={server.url}{feed}", *arguments)


@pytest.mark.slow
@pytest.mark.thorough
def test_archives_that_a_feed_names(stories: Server, project: Project) -> None:
    """RFC 5005, section 4."""
    for name, numbers, older in (
        ("feed", range(20, 30), "2023.atom"),
        ("2023.atom", range(10, 20), "2022.atom"),
        ("2022.atom", range(10), ""),
    ):
        link = f"<link rel='prev-archive' href='/{older}'/>" if older else ""
        entries = "".join(
            f"<entry><title>{story_title(n)}</title><link href='/plain/{n}'/><id>{n}</id></entry>"
            for n in reversed(numbers)
        )
        body = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>F</title>{link}{entries}</feed>"
        stories.add(f"/{name}", body, ATOM)
    run = crawl(project, stories, "/feed", "older=9")
    assert articles(run) == list(range(30))
    assert feeds_asked(stories) == ["/feed", "/2023.atom", "/2022.atom"]
    assert run.stat("feeds/older_pages") == 2


@pytest.mark.slow
def test_pages_of_wordpress(stories: Server, project: Project) -> None:
    generator = "<generator>https://wordpress.org/?v=6.5</generator>"
    stories.add("/feed/", "", status=404)
    add_pages(stories, "/blog/rss", "/blog/rss?paged=2", "/blog/rss?paged=3", head=generator)
    stories.add("/blog/rss?paged=4", "", status=404)
    run = crawl(project, stories, "/blog/rss", "older=10")
    assert articles(run) == list(range(15, 30))
    assert feeds_asked(stories)[-1] == "/blog/rss?paged=4"
    assert "No older items" in run.log and run.stat("feeds/failed") == 0


@pytest.mark.slow
def test_pages_of_blogger(stories: Server, project: Project) -> None:
    names = ("/feeds/posts/default", *(f"/feeds/posts/default?start-index={n}" for n in (6, 11)))
    add_pages(stories, *names)
    run = crawl(project, stories, names[0], "older=2")
    assert articles(run) == list(range(15, 30))
    assert feeds_asked(stories) == list(names)


def test_numbered_pages(stories: Server, project: Project) -> None:
    names = [f"/archive/page/{n}/rss.xml" for n in range(1, 5)]
    add_pages(stories, *names)
    run = crawl(project, stories, names[0], "older=2")
    assert articles(run) == list(range(15, 30))
    assert feeds_asked(stories) == names[:3]


@pytest.mark.slow
def test_archives_in_a_loop(stories: Server, project: Project) -> None:
    for name, numbers, older in (("/a", range(20, 25), "/b"), ("/b", range(5), "/a")):
        stories.add(name, page(numbers, f'<atom:link rel="next" href="{older}"/>'), RSS)
    run = crawl(project, stories, "/a", "older=50")
    assert articles(run) == [*range(5), *range(20, 25)]
    assert feeds_asked(stories) == ["/a", "/b", "/a"]


@pytest.mark.slow
def test_a_server_that_ignores_the_number(stories: Server, project: Project) -> None:
    add_pages(stories, "/feed/")
    run = crawl(project, stories, "/feed/", "older=50")
    assert articles(run) == list(range(25, 30))
    assert feeds_asked(stories) == ["/feed/", "/feed/?paged=2"]


@pytest.mark.slow
def test_only_new_items_are_paged_back_to(stories: Server, project: Project) -> None:
    names = ("/feed/", *(f"/feed/?paged={n}" for n in range(2, 7)))
    add_pages(stories, *names)
    stories.add("/feed/", page(range(10, 15)), RSS)
    first = crawl(project, stories, "/feed/", "only_new=yes")
    assert articles(first) == list(range(10, 15))
    time.sleep(1)  # the history has whole seconds: what a crawl of the same second has seen is new

    add_pages(stories, *names)  # after two weeks without a crawl
    second = crawl(project, stories, "/feed/", "only_new=yes", "older=50")
    assert numbers(second) == list(range(15, 30))
    (gap,) = second.complaints  # of the feed itself; its older pages had what it no longer lists
    assert "about 10 entries have come and gone" in gap
    assert second.status == 0
    assert feeds_asked(stories) == list(names[:4])

    third = crawl(project, stories, "/feed/", "older=50", "since=2024-06-18")
    assert articles(third) == list(range(17, 30))
    assert feeds_asked(stories) == list(names[:3])


def add_blog(server: Server) -> None:
    """A feed that has one page, and the blog that it belongs to, with five items on each page."""
    server.add("/feed.xml", page(range(25, 30), f"<link>{server.url}/blog/</link>"), RSS)
    menu = "".join(f"<li><a href=/topic/{name}>{name}</a></li>" for name in ("boats", "quays"))
    for number in range(1, 4):
        last = 30 - 5 * (number - 1)
        rows = "".join(
            f"<article><h2><a href=/plain/{n}>{story_title(n)}</a></h2><p>A day.</p></article>"
            for n in reversed(range(last - 5, last))
        )
        pager = f"<a href=/blog/page/{number + 1}/>Older posts</a>" if number < 3 else ""
        body = f"<title>Blog</title><nav><ul>{menu}</ul></nav><main>{rows}</main>{pager}"
        server.add("/blog/" if number == 1 else f"/blog/page/{number}/", body)


def test_older_items_on_the_pages_of_the_blog(stories: Server, project: Project) -> None:
    """The feed has one page only: others are no feed, or have the same items."""
    stories.add("/feed.xml?page=2", "", status=404)
    add_blog(stories)
    run = crawl(project, stories, "/feed.xml", "older=9")
    assert articles(run) == list(range(15, 30))
    assert feeds_asked(stories) == [
        "/feed.xml", "/feed.xml?page=2", "/blog/", "/blog/page/2/", "/blog/page/3/"
    ]  # fmt: skip
    assert "/blog/page/3/ has no next page" in run.log

    stories.add("/feed.xml?page=2", page(range(25, 30)), RSS)
    run = crawl(project, stories, "/feed.xml", "older=1")
    assert articles(run) == list(range(20, 30))
    assert "1 older page read" in run.log


def test_without_the_argument_no_older_items_are_requested(
    stories: Server, project: Project
) -> None:
    add_pages(stories, "/feed/", "/feed/?paged=2")
    assert articles(crawl(project, stories, "/feed/")) == list(range(25, 30))
    assert feeds_asked(stories) == ["/feed/"]
