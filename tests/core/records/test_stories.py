"""Pages of aggregators of links, whose first post is a link with a title."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forest_scrapy.core import Options, Page, extract_item, learn_rules
from forest_scrapy.core.items import Thread
from tests.core.records.aggregators import NAMES, STORIES, WRITERS, Story, comment_text

OPTIONS = Options(kinds=("thread",))


def read(write: str, stories: tuple[Story, ...]) -> list[Thread]:
    pages = [
        Page.from_html(WRITERS[write](story), f"http://news.example/item?id={story.id}")
        for story in stories
    ]
    rules = learn_rules(pages, OPTIONS)
    threads = [extract_item(page, rules, OPTIONS) for page in pages]
    assert all(isinstance(thread, Thread) for thread in threads)
    return threads  # type: ignore[return-value]


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("write", WRITERS)
def test_the_story_is_the_first_post(write: str, number: int) -> None:
    stories = STORIES[:number]
    for story, thread in zip(stories, read(write, stories), strict=True):
        first, *comments = thread.posts
        assert thread.title == story.title
        assert (first["text"], first["author"]) == (story.title, story.author)
        assert first["date"].startswith("2024-05-01")
        assert f'href="{story.url}"' in first["html"]
        assert [post["author"] for post in comments] == list(NAMES[: story.comments])
        texts = [post["text"] for post in comments]
        assert texts == [comment_text(story, n) for n in range(story.comments)]
        assert [post["position"] for post in thread.posts] == list(range(1, story.comments + 2))


@pytest.mark.parametrize("write", WRITERS)
def test_a_story_with_a_text_is_read_as_before(write: str) -> None:
    text = "I have found three of them by the quay, and would like to know how old they may be."
    stories = tuple(replace(story, url="", text=f"{text} {story.id}") for story in STORIES)
    for story, thread in zip(stories, read(write, stories), strict=True):
        assert story.title not in [post["text"] for post in thread.posts]


@pytest.mark.parametrize("write", WRITERS)
def test_a_link_with_another_text_is_no_story(write: str) -> None:
    """An advertisement above the comments, say."""
    (story, *_) = STORIES
    html = WRITERS[write](story).replace(f">{story.title}</a>", ">Buy lamps at the quay</a>")
    page = Page.from_html(html, "http://news.example/item?id=1")
    thread = extract_item(page, learn_rules([page], OPTIONS), OPTIONS)
    assert isinstance(thread, Thread)
    assert len(thread.posts) == story.comments
