"""Threads as forums write them, with made-up posts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from forest_scrapy.core import Page

__all__ = ["THREADS", "Post", "make_thread", "pages_of"]


class Post(NamedTuple):
    author: str
    date: str
    text: str


THREADS = (
    (
        Post("owl_42", "3 May 2024, 10:15", "My tawny owl box has been empty since last spring."),
        Post("hedgerow", "3 May 2024, 11:02", "Is there a branch in front of the entrance hole?"),
        Post("Ana Bo", "4 May 2024, 08:30", "Ours moved in only in the third year, so be patient."),
        Post("owl_42", "4 May 2024, 19:44", "Thank you both, the branch is going this weekend."),
    ),
    (
        Post("fisher", "9 June 2024, 09:00", "Which knot do you use for the harbour lines here?"),
        Post("hedgerow", "9 June 2024, 09:20", "A plain bowline holds in every weather I know."),
        Post("Cy Dee", "10 June 2024, 21:13", "Two half hitches are faster if the quay has rings."),
    ),
)

#: How a post is written.
Writer = Callable[[int, Post], str]


def as_divs(number: int, post: Post) -> str:
    return (
        f'<div class="post" id="p{number}"><div class="head"><a class="user" href="/u/{number}">'
        f'{post.author}</a> <time>{post.date}</time> <a href="#p{number}">Quote</a></div>'
        f'<div class="body"><p>{post.text}</p></div><p class="tools">Report this post</p></div>'
    )


def as_rows(number: int, post: Post) -> str:
    return (
        f'<tr class="head"><td><a class="user" href="/u/{number}">{post.author}</a></td>'
        f"<td>{post.date}</td></tr>"
        f'<tr class="text"><td colspan="2">{post.text}</td></tr>'
    )


def make_thread(posts: Sequence[Post], write: Writer = as_divs, url: str = "") -> Page:
    """A page of a thread."""
    written = "".join(write(number, post) for number, post in enumerate(posts, 1))
    if write is as_rows:
        written = f"<table>{written}</table>"
    return Page.from_html(
        f"<html lang=en><body><ul class=menu><li><a href=/>Forum</a><li><a href=/new>New posts</a>"
        f"</ul><h1>A thread</h1><div id=thread>{written}</div>"
        f"<p class=foot>All times are in the time zone of this harbour town.</p></body>",
        url,
    )


def pages_of(write: Writer = as_divs) -> list[Page]:
    """The pages of all threads."""
    return [
        make_thread(posts, write, f"http://a.example/t/{number}")
        for number, posts in enumerate(THREADS)
    ]
