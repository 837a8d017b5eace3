"""``FOREST_COMMENTS``."""

from __future__ import annotations

import pytest

from .helpers import RSS, Item, Project, Server, rss, story, story_title


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
