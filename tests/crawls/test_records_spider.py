"""``scrapy crawl records``, and ``FOREST_KINDS``."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

import pytest

from forest_scrapy.core import TemplateRules, Wrapper
from tests.core.records.forums import ENGINES, Engine, make_threads
from tests.core.records.threads import Post, as_divs

from .helpers import RSS, Project, Run, Server, slow, story

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


def thread_html(topic: str, posts: list[Post], next_page: str = "", previous: str = "") -> str:
    written = "".join(as_divs(number, post) for number, post in enumerate(posts, 1))
    link = f'<a class="pager" href="{next_page}">Next</a>' if next_page else ""
    link = f'<a class="pager" href="{previous}">Previous</a>{link}' if previous else link
    return (
        f"<html lang=en><head><title>About the {topic}</title></head><body>"
        f"<ul class=menu><li><a href=/list>Forum</a></ul><h1>About the {topic}</h1>"
        f"<div id=thread>{written}</div>{link}<p class=foot>A forum of the harbour town.</p>"
    )


def forum_pages() -> dict[str, str]:
    """A list of six threads, and their pages, by path; the first has three pages."""
    rows = "".join(
        f'<li class="row"><h3><a href="/t/{topic}">What happened to the {topic} here</a></h3>'
        f'<a class="user" href="/u/{topic}">user_{topic[0]}1</a> 4 replies</li>'
        for topic in _TOPICS
    )
    pages = {"/list": f"<html lang=en><body><h1>Forum</h1><ol>{rows}</ol></body>"}
    for topic in _TOPICS[1:]:
        pages[f"/t/{topic}"] = thread_html(topic, posts_of(topic, 1, 5))
    first = f"/t/{_TOPICS[0]}"
    pages[first] = thread_html(_TOPICS[0], posts_of(_TOPICS[0], 1, 5), f"{first}?page=2")
    further = {number: f"{first}?page={number}" for number in (2, 3)}
    posts = posts_of(_TOPICS[0], 5, 11)
    pages[further[2]] = thread_html(_TOPICS[0], posts[:4], further[3], first)
    pages[further[3]] = thread_html(_TOPICS[0], posts[4:], previous=further[2])
    return pages


def make_forum(server: Server) -> None:
    for path, html in forum_pages().items():
        server.add(path, html)


def texts_of(run: Run) -> dict[str, list[str]]:
    """The texts of the posts of each thread; each thread is one item."""
    topics = [urlsplit(item["url"]).path.rpartition("/")[2] for item in run.items]
    assert len(topics) == len(set(topics)), topics
    for item in run.items:
        positions = [post["position"] for post in item["posts"]]
        assert positions == list(range(1, len(positions) + 1))
    return {
        topic: [post["text"] for post in item["posts"]]
        for topic, item in zip(topics, run.items, strict=True)
    }


def wanted_of(pages: int = 3) -> dict[str, list[str]]:
    """The texts of the forum's posts, with this many pages of the first thread."""
    last = {1: 5, 2: 9, 3: 11}[pages]
    wanted = {topic: [post.text for post in posts_of(topic, 1, 5)] for topic in _TOPICS}
    return wanted | {_TOPICS[0]: [post.text for post in posts_of(_TOPICS[0], 1, last)]}


def test_all_posts_of_all_threads_of_a_list(project: Project, server: Server) -> None:
    make_forum(server)
    run = project.crawl("records", f"url={server.url}/list")
    assert (run.status, run.complaints) == (0, [])
    assert texts_of(run) == wanted_of()
    assert (run.stat("articles/thread"), run.stat("dropped/joined")) == (6, 2)
    assert run.stat("records/thread") == 1
    long, short = run.by_path[f"/t/{_TOPICS[0]}"], run.by_path[f"/t/{_TOPICS[1]}"]
    assert short["title"] == f"About the {_TOPICS[1]}"
    assert short["posts"][0]["author"] == f"user_{_TOPICS[1][0]}1"
    assert short["posts"][0]["date"] == "2024-05-01T10:15:00"
    assert short["pages"] == [short["url"]]
    assert long["pages"] == [long["url"], *(f"{long['url']}?page={n}" for n in (2, 3))]
    assert long["next_page"] == ""


def test_a_short_last_page_of_a_list_is_read_as_the_others(
    project: Project, server: Server
) -> None:
    """By itself, a page with a single item is not known as a list."""

    def list_html(topics: tuple[str, ...], pager: str) -> str:
        rows = "".join(
            f'<tr class="row"><td><a href="/t/{topic}">What happened to the {topic} here</a>'
            f'<p>by <a class="user" href="/u/{topic}">user_{topic[0]}1</a>, 1 May 2024</p>'
            "<td>4<td>96</tr>"
            for topic in topics
        )
        return (
            "<html lang=en><body><ul class=menu><li><a href=/list>Forum</a></ul><h1>Talk</h1>"
            f"<table>{rows}</table><p>{pager}</p><p>A forum of the harbour town.</p>"
        )

    make_forum(server)
    server.add("/list", list_html(_TOPICS[:5], "<b>1</b> <a href='/list?page=2'>2</a>"))
    server.add("/list?page=2", list_html(_TOPICS[5:], "<a href='/list'>1</a> <b>2</b>"))
    run = project.crawl("records", f"url={server.url}/list")
    assert run.status == 0
    assert texts_of(run) == wanted_of()


def test_a_crawl_for_articles_names_the_threads_of_a_forum(
    project: Project,
    server: Server,
) -> None:
    make_forum(server)
    run = project.crawl("site", f"url={server.url}/list")
    (line,) = re.findall(r"\S+ of \d+ pages look like .*", run.log)
    assert re.fullmatch(
        r"6 of 7 pages look like threads: FOREST_KINDS=article,thread gives these", line
    )


@pytest.mark.thorough
@pytest.mark.slow
def test_long_pages_of_a_thread(project: Project, server: Server) -> None:
    """Also one that has more posts than are read; the page after it is found."""
    first, further = "/t/harbour", "/t/harbour?page=2"
    posts = posts_of(_TOPICS[0], 1, 4_501)
    server.add(first, thread_html(_TOPICS[0], posts[:4_000], further))
    server.add(further, thread_html(_TOPICS[0], posts[4_000:], previous=first))
    run = project.crawl("records", f"url={server.url}{first}", FOREST_PAGE_SECONDS=20)
    (item,) = run.items
    assert (len(item["pages"]), item["next_page"], item["is_cut"]) == (2, "", True)
    found = [post["text"] for post in item["posts"]]
    assert found[-500:] == [post.text for post in posts[4_000:]]
    assert 2_000 < len(found) - 500 < 4_000
    assert found[:1_000] == [post.text for post in posts[:1_000]]
    assert run.stat("pages/cut") == 1


@pytest.mark.slow
@pytest.mark.parametrize("engine", [ENGINES[0], ENGINES[3]], ids=lambda engine: engine.name)
def test_the_threads_of_a_list_of_topics(project: Project, server: Server, engine: Engine) -> None:
    threads = make_threads(engine.threaded)
    for path, html in engine.pages(threads).items():
        server.add(path, html)
    run = project.crawl("records", f"url={server.url}{engine.list_path}")
    assert run.status == 0
    items = {item["url"]: item for item in run.items}
    for thread in threads:
        item = items.pop(server.url + engine.thread_path(thread, 1))
        assert [post["text"] for post in item["posts"]] == [post.text for post in thread.posts]
        assert len(item["pages"]) == engine.page_count(thread)
    assert not items


def test_a_thread_up_to_a_number_of_pages(project: Project, server: Server) -> None:
    make_forum(server)
    run = project.crawl("records", f"url={server.url}/t/{_TOPICS[0]}", "next_pages=2")
    assert texts_of(run) == {_TOPICS[0]: [post.text for post in posts_of(_TOPICS[0], 1, 9)]}
    assert f"/t/{_TOPICS[0]}?page=3" not in server.requests
    assert run.items[0]["next_page"] == f"{server.url}/t/{_TOPICS[0]}?page=3"


def test_a_thread_whose_next_page_fails(project: Project, server: Server) -> None:
    make_forum(server)
    server.add(f"/t/{_TOPICS[0]}?page=3", "gone", status=404)
    run = project.crawl("records", f"url={server.url}/list")
    assert texts_of(run) == wanted_of(2)
    assert run.by_path[f"/t/{_TOPICS[0]}"]["next_page"].endswith("?page=3")


@pytest.mark.slow
def test_threads_of_more_pages_than_an_item_may_have(project: Project, server: Server) -> None:
    make_forum(server)
    url = f"{server.url}/t/{_TOPICS[0]}"
    run = project.crawl("records", f"url={server.url}/list", FOREST_THREAD_PAGES=2)
    pages = [item["pages"] for item in run.items if item["url"].startswith(url)]
    assert sorted(pages) == [[url, f"{url}?page=2"], [f"{url}?page=3"]]


def test_the_first_post_on_each_page_is_in_the_item_once(project: Project, server: Server) -> None:
    make_forum(server)
    first, later = f"/t/{_TOPICS[0]}", posts_of(_TOPICS[0], 5, 9)
    head = posts_of(_TOPICS[0], 1, 2)
    second = thread_html(_TOPICS[0], [*head, *later], f"{first}?page=3", first)
    server.add(f"{first}?page=2", second)
    run = project.crawl("records", f"url={server.url}/list")
    assert texts_of(run) == wanted_of()


def test_a_server_that_ignores_the_number_of_the_page(project: Project, server: Server) -> None:
    posts = posts_of(_TOPICS[0], 1, 6)
    for number in range(1, 6):
        path = "/t/lake" if number == 1 else f"/t/lake?page={number}"
        server.add(path, thread_html("lake", posts, f"/t/lake?page={number + 1}"))
    run = project.crawl("records", f"url={server.url}/t/lake")
    assert texts_of(run) == {"lake": [post.text for post in posts]}
    assert run.items[0]["pages"] == [f"{server.url}/t/lake"]
    assert "/t/lake?page=3" not in server.requests


@pytest.mark.slow
def test_a_last_page_that_links_to_the_first_one(project: Project, server: Server) -> None:
    make_forum(server)
    first = f"/t/{_TOPICS[0]}"
    further, posts = [f"{first}?page={number}" for number in (1, 2, 3)], posts_of(_TOPICS[0], 5, 11)
    server.add(further[0], forum_pages()[first])
    server.add(further[2], thread_html(_TOPICS[0], posts[4:], further[0], further[1]))
    run = project.crawl("records", f"url={server.url}{first}")
    assert texts_of(run) == {_TOPICS[0]: wanted_of()[_TOPICS[0]]}


@pytest.mark.slow
def test_pages_of_a_thread_that_a_feed_lists_in_any_order(project: Project, server: Server) -> None:
    make_forum(server)
    first = f"/t/{_TOPICS[0]}"
    paths = [f"{first}?page=3", *(f"/t/{topic}" for topic in _TOPICS), f"{first}?page=2"]
    feed = "".join(f"<item><link>{server.url}{path}</link></item>" for path in paths)
    server.add("/feed", f"<rss version='2.0'><channel>{feed}</channel></rss>", RSS)
    run = project.crawl("feeds", f"feeds={server.url}/feed", FOREST_KINDS="thread")
    assert texts_of(run) == wanted_of()


def feed_of_threads(server: Server) -> str:
    """A feed with the first page of each thread."""
    make_forum(server)
    feed = "".join(f"<item><link>{server.url}/t/{topic}</link></item>" for topic in _TOPICS)
    server.add("/feed", f"<rss version='2.0'><channel>{feed}</channel></rss>", RSS)
    return f"feeds={server.url}/feed"


@pytest.mark.parametrize(
    ("arguments", "settings", "pages"),
    [
        ((), {}, 3),
        ((), {"FOREST_THREAD_PAGES": 2}, 2),
        slow(("deny=page=3",), {}, 2),
        slow(("max_pages=6",), {}, 1),
    ],
)
def test_next_pages_of_threads_of_a_feed(
    project: Project, server: Server, arguments: tuple[str, ...], settings: dict[str, int],
    pages: int,
) -> None:  # fmt: skip
    feed = feed_of_threads(server)
    run = project.crawl("feeds", feed, *arguments, FOREST_KINDS="thread", **settings)
    assert (run.status, run.complaints) == (0, [])
    assert texts_of(run) == wanted_of(pages)
    assert run.stat("threads/followed") == pages - 1
    requested = [path for path in server.requests if path.startswith(f"/t/{_TOPICS[0]}")]
    assert len(requested) == pages
    assert bool(run.by_path[f"/t/{_TOPICS[0]}"]["next_page"]) == (pages < 3)


@pytest.mark.slow
def test_next_pages_of_threads_of_a_site(project: Project, server: Server) -> None:
    make_forum(server)
    run = project.crawl("site", f"url={server.url}/list", "follow=1", FOREST_KINDS="thread")
    assert (run.status, run.complaints) == (0, [])
    assert texts_of(run) == wanted_of()
    again = project.crawl("site", f"url={server.url}/list", "follow=1", FOREST_KINDS="thread")
    assert texts_of(again) == wanted_of()
    assert again.stat("records/thread") == 0


FIRST_PAGES = [
    "?page=1",
    slow("?start=0"),
    slow("/page/1"),
    slow("?sid=0123456789abcdef0"),
    slow("/"),
]


@pytest.mark.parametrize("suffix", FIRST_PAGES)
def test_first_pages_with_another_url(project: Project, server: Server, suffix: str) -> None:
    """The second page links back to the first under another URL than the list; two threads have
    the same title, another two the same first post."""
    links = []
    for number, topic in enumerate(_TOPICS):
        path, posts = f"/t/{topic}", posts_of(topic, 1, 9)
        if number == 1:
            posts[0] = posts_of(_TOPICS[0], 1, 2)[0]
        first = thread_html(topic, posts[:4], f"{path}?page=2")
        first = first.replace("About the lantern", "About the harbour")
        for url in (path, path + suffix):
            server.add(url, first)
        server.add(f"{path}?page=2", thread_html(topic, posts[4:], previous=path + suffix))
        links.append(f"<li><a href={path}>{topic}</a>")
    server.add("/", f"<html lang=en><body><h1>Forum</h1><ul>{''.join(links)}</ul></body>")
    run = project.crawl("site", f"url={server.url}/", FOREST_KINDS="thread")
    assert (run.status, run.complaints) == (0, [])
    assert sorted(len(item["posts"]) for item in run.items) == [8] * 6
    is_known = suffix == "/"  # the same key: it is not requested again
    assert run.counted("dropped").get("duplicate", 0) == (0 if is_known else 6)


@pytest.mark.parametrize("kinds", ["article,thread", slow("article")])
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
    assert len(run.complaints) == 3  # one for each page that was named
    assert all(f"No item from {server.url}/story/" in line for line in run.complaints)
    assert "0 items of 3 pages" in run.log


def test_a_named_page_of_a_kind_that_is_not_wanted(project: Project, server: Server) -> None:
    make_forum(server)
    run = project.crawl("records", f"url={server.url}/t/quarry", FOREST_KINDS="product")
    (warning,) = run.complaints
    assert "/t/quarry: it looks like a page of kind thread" in warning
    assert warning.endswith("-s FOREST_KINDS=product,thread")


def test_what_a_list_lists_is_not_requested_if_only_lists_are_wanted(
    project: Project, server: Server
) -> None:
    make_forum(server)
    run = project.crawl("records", f"url={server.url}/list", FOREST_KINDS="listing")
    assert [len(item["items"]) for item in run.items] == [6]
    assert [path for path in server.requests if path.startswith("/t/")] == []


def test_links_are_followed_by_what_lists_are_only(project: Project, server: Server) -> None:
    run = project.crawl("records", f"url={server.url}/list", "follow=2")
    assert run.status == 1
    assert "follow" in run.complaints[-1]


def test_nothing_to_crawl(project: Project) -> None:
    run = project.crawl("records")
    assert run.status != 0
    assert "-a url=URL" in run.log


def test_a_second_crawl_uses_the_stored_wrapper(project: Project, server: Server) -> None:
    make_forum(server)
    first = project.crawl("records", f"url={server.url}/list")
    assert (first.stat("records/thread"), first.stat("templates/loaded")) == (1, 0)
    second = project.crawl("records", f"url={server.url}/list")
    assert second.complaints == []
    assert (second.stat("records/thread"), second.stat("templates/loaded")) == (0, 1)
    assert texts_of(second) == texts_of(first)
    ids = {item["template_id"] for item in first.items + second.items}
    assert len(ids) == 1
    assert "" not in ids
    host = server.url.removeprefix("http://")
    shown = project.forest("show", host)
    (id,) = ids
    assert f"template {id}" in shown
    assert "thread: //div[" in shown
    (stored,) = json.loads(project.forest("show", host, "--json")).values()
    assert TemplateRules.from_dict(stored).kind == "thread"
    wrapper = Wrapper("forest", ("//p",)).to_dict()
    edit = {"host": host.partition(":")[0], "template": id, "wrapper": wrapper}
    refused = project.forest("import", str(project.write("edit.json", json.dumps(edit))))
    assert "its posts are found by rules that a report cannot edit" in refused


@pytest.mark.slow
def test_stored_wrappers_of_threads_do_not_change_articles(
    project: Project, server: Server
) -> None:
    make_forum(server)
    feed = "".join(f"<item><link>{server.url}/t/{topic}</link></item>" for topic in _TOPICS)
    server.add("/feed", f"<rss version='2.0'><channel>{feed}</channel></rss>", RSS)
    url = f"feeds={server.url}/feed"
    before = project.crawl("feeds", url, FOREST_STORE="other.db").by_path
    project.crawl("records", f"url={server.url}/list")
    after = project.crawl("feeds", url).by_path
    assert {path: item["text"] for path, item in after.items()} == {
        path: item["text"] for path, item in before.items()
    }


def redesign(server: Server) -> None:
    """Give the elements of the posts other names."""
    for path, answer in list(server.answers.items()):
        html = answer.body.replace(b'class="post"', b'class="entry-of-user"')
        server.add(path, html.replace(b'id="p', b'id="entry').replace(b'class="body"', b"class=b"))


@pytest.mark.slow
def test_a_redesigned_forum_is_learned_again(project: Project, server: Server) -> None:
    make_forum(server)
    urls = ",".join(f"{server.url}/t/{topic}" for topic in _TOPICS[1:])
    project.crawl("records", f"url={urls}")
    redesign(server)
    redesigned = project.crawl("records", f"url={urls}")
    wanted = wanted_of()
    assert texts_of(redesigned) == {topic: wanted[topic] for topic in _TOPICS[1:]}
    assert redesigned.stat("records/thread") == 1


@pytest.mark.slow
def test_a_forum_whose_template_stays_is_learned_again(project: Project, server: Server) -> None:
    """By tag paths without classes, the redesigned pages are those of the stored template."""
    make_forum(server)
    urls = ",".join(f"{server.url}/t/{topic}" for topic in _TOPICS[1:])
    options = '{"distance": "cp"}'
    first = project.crawl("records", f"url={urls}", FOREST_METHOD_OPTIONS=options)
    redesign(server)
    again = project.crawl("records", f"url={urls}", FOREST_METHOD_OPTIONS=options)
    assert texts_of(again) == texts_of(first)
    assert (again.stat("templates/loaded"), again.stat("templates/redesigned")) == (1, 1)
    # The pages before are learned one by one.
    assert {item["template_id"] for item in again.items} == {"", first.items[0]["template_id"]}
    (stored,) = json.loads(
        project.forest("show", "127.0.0.1", "--json", f"-sFOREST_METHOD_OPTIONS={options}")
    ).values()
    assert "entry" in stored["records"]["rules"][0]["record"]
    last = project.crawl("records", f"url={urls}", FOREST_METHOD_OPTIONS=options)
    assert texts_of(last) == texts_of(first)
    assert (last.stat("wrappers/misfits"), last.stat("records/thread")) == (0, 0)
