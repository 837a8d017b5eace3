"""``scrapy crawl records``, and ``FOREST_KINDS``."""

from __future__ import annotations

import pytest

from tests.core.records.threads import Post, as_divs

from .helpers import Project, Run, Server, story

#: Words that make posts of different threads different.
_TOPICS = ("harbour", "lantern", "quarry", "meadow", "copper", "violin")


def posts_of(topic: str, first: int, last: int) -> list[Post]:
    return [
        Post(
            f"user_{topic[0]}{n}",
            f"{n} May 2024, 10:15",
            f"Post {n} says that the {topic} was closed for {n} days, and that nobody knew why "
            f"the {topic} keeper had left.",
        )
        for n in range(first, last)
    ]


def thread_html(topic: str, posts: list[Post], next_page: str = "") -> str:
    written = "".join(as_divs(number, post) for number, post in enumerate(posts, 1))
    link = f'<a class="pager" href="{next_page}">Next</a>' if next_page else ""
    return (
        f"<html lang=en><head><title>About the {topic}</title></head><body>"
        f"<ul class=menu><li><a href=/list>Forum</a></ul><h1>About the {topic}</h1>"
        f"<div id=thread>{written}</div>{link}<p class=foot>A forum of the harbour town.</p>"
    )


def make_forum(server: Server) -> None:
    """A list of six threads; the first has three pages."""
    rows = "".join(
        f'<li class="row"><h3><a href="/t/{topic}">What happened to the {topic} here</a></h3>'
        f'<a class="user" href="/u/{topic}">user_{topic[0]}1</a> 4 replies</li>'
        for topic in _TOPICS
    )
    server.add("/list", f"<html lang=en><body><h1>Forum</h1><ol>{rows}</ol></body>")
    for topic in _TOPICS[1:]:
        server.add(f"/t/{topic}", thread_html(topic, posts_of(topic, 1, 5)))
    first = f"/t/{_TOPICS[0]}"
    server.add(first, thread_html(_TOPICS[0], posts_of(_TOPICS[0], 1, 5), f"{first}?page=2"))
    server.add(
        f"{first}?page=2", thread_html(_TOPICS[0], posts_of(_TOPICS[0], 5, 9), f"{first}?page=3")
    )
    server.add(f"{first}?page=3", thread_html(_TOPICS[0], posts_of(_TOPICS[0], 9, 11)))


def texts_of(run: Run) -> dict[str, list[str]]:
    """The texts of the posts by the first pages of their threads, in the order of the pages."""
    found: dict[str, list[str]] = {}
    for item in sorted(run.items, key=lambda item: item["url"]):
        topic = item["first_page"].rpartition("/")[2]
        found.setdefault(topic, []).extend(post["text"] for post in item["posts"])
    return found


def test_all_posts_of_all_threads_of_a_list(project: Project, server: Server) -> None:
    make_forum(server)
    run = project.crawl("records", f"url={server.url}/list")
    assert (run.status, run.complaints) == (0, [])
    wanted = {topic: [post.text for post in posts_of(topic, 1, 5)] for topic in _TOPICS}
    wanted[_TOPICS[0]] = [post.text for post in posts_of(_TOPICS[0], 1, 11)]
    assert texts_of(run) == wanted
    assert run.stat("articles/thread") == 8
    assert run.stat("records/thread") == 1
    first = run.by_path[f"/t/{_TOPICS[1]}"]
    assert first["title"] == f"About the {_TOPICS[1]}"
    assert first["posts"][0]["author"] == f"user_{_TOPICS[1][0]}1"
    assert first["posts"][0]["date"] == "2024-05-01T10:15:00"


def test_a_thread_up_to_a_number_of_pages(project: Project, server: Server) -> None:
    make_forum(server)
    run = project.crawl("records", f"url={server.url}/t/{_TOPICS[0]}", "pages=2")
    assert texts_of(run) == {_TOPICS[0]: [post.text for post in posts_of(_TOPICS[0], 1, 9)]}
    assert f"/t/{_TOPICS[0]}?page=3" not in server.requests
    assert {item["next_page"] for item in run.items} == {
        f"{server.url}/t/{_TOPICS[0]}?page={number}" for number in (2, 3)
    }


@pytest.mark.parametrize("kinds", ["article", "article,thread"])
def test_articles_and_threads_of_a_site(project: Project, server: Server, kinds: str) -> None:
    make_forum(server)
    for number in range(6):
        server.add(f"/story/{number}", story(number))
    paths = [f"/t/{topic}" for topic in _TOPICS] + [f"/story/{n}" for n in range(6)]
    feed = "".join(f"<item><link>{server.url}{path}</link></item>" for path in paths)
    server.add(
        "/feed", f"<rss version='2.0'><channel>{feed}</channel></rss>", "application/rss+xml"
    )
    run = project.crawl("feeds", f"feeds={server.url}/feed", FOREST_KINDS=kinds)
    assert (run.status, run.complaints) == (0, [])
    threads = sorted(path for path, item in run.by_path.items() if "posts" in item)
    assert threads == (sorted(f"/t/{t}" for t in _TOPICS) if "thread" in kinds else [])
    assert {path for path in run.by_path if path.startswith("/story/")} == set(paths[6:])


def test_articles_are_dropped_if_only_threads_are_wanted(project: Project, server: Server) -> None:
    for number in range(3):
        server.add(f"/story/{number}", story(number))
    urls = ",".join(f"{server.url}/story/{number}" for number in range(3))
    run = project.crawl("records", f"url={urls}")
    assert run.items == []
    assert run.counted("dropped") == {"other_kind": 3}


def test_nothing_to_crawl(project: Project) -> None:
    run = project.crawl("records")
    assert run.status != 0
    assert "-a url=URL" in run.log
