"""One thread of the parts that its pages have."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from forest_scrapy.core.items import Thread, join_texts


def join_threads(pages: Sequence[Thread]) -> Thread:
    """The thread that has these pages, in this order.  The first post is left out where a further
    page repeats it, and a page all of whose posts are on pages before it."""
    first, last = pages[0], pages[-1]
    posts: list[dict[str, Any]] = []
    kept: list[Thread] = []
    known: set[tuple[str, ...]] = set()
    for page in pages:
        if new_posts(page.posts, known) or not kept:
            posts += _renumber(page.posts, len(posts), posts[0] if posts else {})
            known.update(map(identify_post, page.posts))
            kept.append(page)
    is_cut = any(page.is_cut for page in kept)
    joined = {**vars(first), "posts": posts, "next_page": last.next_page, "is_cut": is_cut}
    joined["text"] = join_texts(posts)
    joined["confidence"] = min(page.confidence for page in kept)
    return Thread(**{**joined, "pages": [url for page in kept for url in page.pages]})


def new_posts(
    posts: Iterable[dict[str, Any]], known: Collection[tuple[str, ...]]
) -> list[dict[str, Any]]:
    """The posts that are not among these."""
    return [post for post in posts if identify_post(post) not in known]


def identify_post(post: dict[str, Any]) -> tuple[str, ...]:
    return post["author"], post["date"], post["text"]


def _renumber(
    posts: Sequence[dict[str, Any]], before: int, first: dict[str, Any]
) -> list[dict[str, Any]]:
    """The posts of a page, numbered on from ``before`` others."""
    new: dict[int | None, int | None] = {None: None}
    kept: list[dict[str, Any]] = []
    for i, post in enumerate(posts):
        if i == 0 and first and _is_same(post, first):
            new[post["position"]] = first["position"]
            continue
        new[post["position"]] = before + len(kept) + 1
        kept.append(post)
    return [
        {**post, "position": new[post["position"]], "reply_to": new.get(post["reply_to"])}
        for post in kept
    ]


def _is_same(post: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(post[name] == other[name] for name in ("author", "text"))
