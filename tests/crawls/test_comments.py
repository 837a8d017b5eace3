"""``FOREST_COMMENTS``."""

from __future__ import annotations

import json

import pytest

from .helpers import RSS, Item, Project, Run, Server, rss, slow, story, story_title
from .test_redesigns import with_sides


def said(number: int, i: int) -> str:
    return f"Story {number} reminds me of {i + 2} others that were told here last year."


def with_comments(number: int) -> str:
    """A story with as many comments as its number, up to 3."""
    rows = "".join(
        f'<li class="comment" id="c-{number}{i}"><b class="author">user{i}</b>'
        f"<time>{i + 1} May 2024, 10:15</time><p>{said(number, i)}</p></li>"
        for i in range(number % 4)
    )
    return story(number).replace("</body>", f"<ol class=comments>{rows}</ol></body>")


@pytest.mark.parametrize("is_wanted", [True, False])
def test_comments(project: Project, server: Server, is_wanted: bool) -> None:
    for number in range(8):
        server.add(f"/story/{number}", with_comments(number))
    items = [Item(f"/story/{number}", story_title(number)) for number in range(8)]
    server.add("/feed.xml", rss(items), RSS)
    run = project.crawl("feeds", f"feeds={server.url}/feed.xml", FOREST_COMMENTS=is_wanted)
    assert (run.status, run.complaints) == (0, [])
    assert run.stat("comments/found") == (12 if is_wanted else 0)
    for number in range(8):
        article = run.by_path[f"/story/{number}"]
        wanted = [said(number, i) for i in range(number % 4)]
        assert [one["text"] for one in article["comments"]] == (wanted if is_wanted else [])
        assert [one["author"] for one in article["comments"]] == [
            f"user{i}" for i in range(len(article["comments"]))
        ]
        assert not any(text in article["text"] for text in wanted)


def unnamed(number: int, count: int, name: str = "say") -> str:
    """Comments whose elements have a name that says nothing."""
    rows = "".join(
        f'<div class="{name}"><i>user{i}</i> <time>{i + 1} May 2024, 10:15</time>'
        f"<p>{said(number, i)}</p></div>"
        for i in range(count)
    )
    return f"<div class='{name}-all'>{rows}</div></body>"


def crawl(project: Project, server: Server, pages: dict[int, str], **settings: str) -> Run:
    """A crawl of stories with comments."""
    for number, html in pages.items():
        server.add(f"/story/{number}", html)
    items = [Item(f"/story/{number}", story_title(number)) for number in pages]
    server.add("/feed.xml", rss(items), RSS)
    return project.crawl("feeds", f"feeds={server.url}/feed.xml", FOREST_COMMENTS=True, **settings)


def texts_of(run: Run) -> dict[str, list[str]]:
    return {p: [one["text"] for one in item["comments"]] for p, item in run.by_path.items()}


def wanted(counts: dict[int, int]) -> dict[str, list[str]]:
    return {f"/story/{n}": [said(n, i) for i in range(count)] for n, count in counts.items()}


@pytest.mark.slow
def test_a_second_crawl_uses_the_stored_rules(project: Project, server: Server) -> None:
    """A single such comment is found with the rules only."""
    pages = {n: story(n).replace("</body>", unnamed(n, 3)) for n in range(8)}
    first = crawl(project, server, pages)
    assert (first.complaints, first.stat("comments/learned")) == ([], 1)
    assert texts_of(first) == wanted(dict.fromkeys(range(8), 3))
    # The feed still lists a story of the first crawl, so that no entry can have been missed.
    counts = {0: 3} | {number: number % 2 for number in range(20, 24)}
    pages = {n: story(n).replace("</body>", unnamed(n, count)) for n, count in counts.items()}
    second = crawl(project, server, pages)
    assert (second.complaints, second.stat("comments/learned")) == ([], 0)
    assert texts_of(second) == wanted(counts)
    shown = project.forest("show", "127.0.0.1")
    assert "  comments: //div[" in shown
    (stored,) = json.loads(project.forest("show", "127.0.0.1", "--json")).values()
    assert "say" in stored["comments"]["record"]
    project.forest("forget", "127.0.0.1")
    alone = crawl(project, server, {30: story(30).replace("</body>", unnamed(30, 1))})
    assert texts_of(alone) == {"/story/30": []}


@pytest.mark.slow
@pytest.mark.parametrize("is_redesigned", [slow(True), False])
def test_rules_are_learned_again(project: Project, server: Server, is_redesigned: bool) -> None:
    """After a redesign of the articles, and after one of the comments alone."""

    def page(number: int, count: int, name: str) -> str:
        return with_sides(story(number)).replace("</body>", unnamed(number, count, name))

    # With tag paths without classes, the pages stay those of the same template.
    options = {"FOREST_METHOD_OPTIONS": '{"distance": "cp"}'} if is_redesigned else {}
    old = {n: page(n, 3, "say") for n in range(12)}
    assert crawl(project, server, old, **options).stat("comments/learned") == 1
    new = {n: page(n, 2, "row") for n in range(20, 32)}
    if is_redesigned:
        new = {n: html.replace("class='text'", "class='copy'") for n, html in new.items()}
    again = crawl(project, server, new, **options)
    assert again.stat("templates/redesigned") == int(is_redesigned)
    # With the redesign, and before it if a page was read by then.
    assert again.stat("comments/learned") >= 1
    assert texts_of(again) == wanted(dict.fromkeys(range(20, 32), 2))
    given = [f"-s{name}={value}" for name, value in options.items()]
    (stored,) = json.loads(project.forest("show", "127.0.0.1", "--json", *given)).values()
    assert "row" in stored["comments"]["record"]
