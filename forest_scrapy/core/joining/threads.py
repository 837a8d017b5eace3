"""Joins the pages of a thread into one thread."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from forest_scrapy.core.items import Thread, join_texts
from forest_scrapy.core.records.record import QUOTED_AUTHOR
from forest_scrapy.core.records.replies import INDENT, PARENT_ID, POST_ID, QuotedPosts, find_parents

Post = dict[str, Any]
#: The author, the date and the text of a post.
PostIdentity = tuple[str, ...]


def join_threads(pages: Sequence[Thread]) -> Thread:
    """The thread that has these pages, in this order.  The first post is left out where a further
    page repeats it, and a page all of whose posts are on pages before it."""
    posts: list[Post] = []
    joined_pages: list[Thread] = []
    joined_posts: set[PostIdentity] = set()
    quoted_posts = QuotedPosts()
    for page in pages:
        page_new_posts = new_posts(page.posts, joined_posts)
        if page_new_posts or not joined_pages:
            first_post = posts[0] if posts else None
            page_posts = _renumber(page.posts, len(posts), first_post)
            page_posts = _find_quoted_before(page_posts, quoted_posts)
            for post in page_posts:
                quoted_posts.add(post["author"], post["text"])
            posts += page_posts
            identities = map(identify_post, page.posts)
            joined_posts.update(identities)
            joined_pages.append(page)

    posts = _find_named_before(posts)
    posts = _find_parents(posts)
    urls: list[str] = []
    for page in joined_pages:
        urls += page.pages

    fields = dict(vars(pages[0]))
    fields["posts"] = posts
    fields["text"] = join_texts(posts)
    fields["next_page"] = pages[-1].next_page
    fields["is_cut"] = any(page.is_cut for page in joined_pages)
    fields["confidence"] = min(page.confidence for page in joined_pages)
    fields["pages"] = urls
    return Thread(**fields)


def new_posts(
    posts: Iterable[Post],
    earlier: Collection[PostIdentity],
) -> list[Post]:
    """The posts that are not among the earlier ones."""
    later_posts = []
    for post in posts:
        if identify_post(post) not in earlier:
            later_posts.append(post)
    return later_posts


def identify_post(post: Post) -> PostIdentity:
    return post["author"], post["date"], post["text"]


def _renumber(
    posts: Sequence[Post],
    before: int,
    first_post: Post | None,
) -> list[Post]:
    """The posts of a page, numbered on from the ``before`` posts of earlier pages.

    ``first_post``: the first one of the thread; None on its first page.
    """
    positions: dict[int | None, int | None] = {None: None}
    page_posts = list(posts)
    if first_post and page_posts and _is_same(page_posts[0], first_post):
        repeated = page_posts.pop(0)
        position_on_page = repeated["position"]
        positions[position_on_page] = first_post["position"]
    for position, post in enumerate(page_posts, before + 1):
        position_on_page = post["position"]
        positions[position_on_page] = position

    renumbered = []
    for post in page_posts:
        position_on_page = post["position"]
        parent_on_page = post["reply_to"]
        copy = dict(post)
        copy["position"] = positions[position_on_page]
        copy["reply_to"] = positions.get(parent_on_page)
        renumbered.append(copy)
    return renumbered


def _find_quoted_before(page_posts: Sequence[Post], quoted_posts: QuotedPosts) -> list[Post]:
    """The posts of a page, those that quote a post of an earlier page as replies to it."""
    answered = []
    for post in page_posts:
        quote = post.get("quote")
        if quote and post["reply_to"] is None:
            index = quoted_posts.find(quote, _attribute_of(post, QUOTED_AUTHOR))
            if index is not None:
                post = {**post, "reply_to": index + 1}
        answered.append(post)
    return answered


def _find_named_before(posts: Sequence[Post]) -> list[Post]:
    """The posts, those that name a post of an earlier page by its number as replies to it."""
    position_of: dict[str, int] = {}
    answered = []
    for post in posts:
        parent = position_of.get(_attribute_of(post, PARENT_ID))
        if post["reply_to"] is None and parent is not None:
            post = {**post, "reply_to": parent}
        answered.append(post)
        number = _attribute_of(post, POST_ID)
        if number:
            position_of.setdefault(number, post["position"])
    return answered


def _attribute_of(post: Post, name: str) -> str:
    """The first value of an attribute of a post; ``""`` if it has none."""
    for attribute in post.get("attributes", ()):
        if attribute["name"] == name:
            return str(attribute["value"])
    return ""


def _find_parents(posts: Sequence[Post]) -> list[Post]:
    """The posts, those that are indented below one of an earlier page as replies to it."""
    parents = find_parents(map(_indent_of, posts))
    answered = []
    for post, parent in zip(posts, parents, strict=True):
        if post["reply_to"] is None and parent is not None:
            post = {**post, "reply_to": parent + 1}
        answered.append(post)
    return answered


def _indent_of(post: Post) -> int | None:
    """How far a post is indented; None if the page does not say so."""
    for attribute in post.get("attributes", ()):
        if attribute["name"] == INDENT and attribute["value"].isdecimal():
            return int(attribute["value"])
    return None


def _is_same(post: Post, first_post: Post) -> bool:
    """Whether a post is the first one of the thread, which pages may show with another date, or
    without its author."""
    authors = {post["author"], first_post["author"]} - {""}
    if len(authors) > 1:
        return False
    return bool(post["text"] == first_post["text"])
