"""Forums in the markup of five engines, with made-up threads: a list of them, and their pages.

Written from the markup that the engines send, before the code that reads it: phpBB, XenForo,
Discourse for readers without scripts, a table of comments with indents, a mailing list's archive.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

SITE = "https://forum.example"
THREAD_COUNT = 8

_AUTHORS = tuple("Ana Bo,owl_42,hedgerow,Cy Dee,fisher,Mira,tom.k,Juno99,quayside,Lea H".split(","))
_TOPICS = (
    "harbour lamp", "copper roof", "violin strings", "meadow gate", "lantern oil", "quarry road",
    "tide tables", "sail cloth", "rope ladder", "stone bridge",
)  # fmt: skip
_QUESTIONS = (
    "How long does the {} last in winter",
    "Who has repaired the {} before",
    "Where to find a new {} these days",
    "The {} makes a strange noise",
    "Best way to clean the {}",
)
_SENTENCES = (
    "The {a} of our {b} has been {c} since the {d} of last year.",
    "I would rather {e} the {a} before the {b} gets {c} again.",
    "Nobody at the {b} could tell me why the {a} is {c}.",
    "We had the same with the {a}, and a {b} from the {d} solved it.",
    "My neighbour says that a {c} {a} never needs a {b}.",
    "Have a look at the {d} where the {a} meets the {b}, it may be {c}.",
)
_WORDS = {
    "a": ("lamp", "roof", "string", "gate", "bridge", "ladder", "sail", "hinge", "valve", "wick"),
    "b": ("harbour", "workshop", "meadow", "quay", "garden", "museum", "station", "market", "mill"),
    "c": ("loose", "rusty", "broken", "dry", "quiet", "yellow", "crooked", "cold", "heavy"),
    "d": ("spring", "autumn", "north side", "summer", "flood", "storm", "south wall", "fair"),
    "e": ("replace", "paint", "oil", "measure", "lift", "polish", "weigh", "seal"),
}


@dataclass(frozen=True)
class MadePost:
    """A post: its text without what it quotes; ``parent``: the number of the one that it replies
    to, from 1; ``depth``: how many it replies to in a row."""

    number: int
    id: int
    author: str
    date: datetime
    text: str
    parent: int | None = None
    depth: int = 0


@dataclass(frozen=True)
class MadeThread:
    id: int
    title: str
    posts: tuple[MadePost, ...]


@dataclass(frozen=True)
class Engine:
    """How a forum is written: the path of its list and of the pages of its threads, and the markup
    of both; ``posts_per_page``."""

    name: str
    list_path: str
    thread_path: Callable[[MadeThread, int], str]
    write_list: Callable[[Sequence[MadeThread], Engine], str]
    write_page: Callable[[MadeThread, Sequence[MadePost], int, int, Engine], str]
    threaded: bool = False
    posts_per_page: int = 8

    def page_count(self, thread: MadeThread) -> int:
        return -(-len(thread.posts) // self.posts_per_page)

    def pages(self, threads: Sequence[MadeThread]) -> dict[str, str]:
        """The HTML of all pages by their paths, the list first."""
        pages = {self.list_path: self.write_list(threads, self)}
        for thread in threads:
            count = self.page_count(thread)
            for number in range(1, count + 1):
                first = (number - 1) * self.posts_per_page
                posts = thread.posts[first : first + self.posts_per_page]
                path = self.thread_path(thread, number)
                pages[path] = self.write_page(thread, posts, number, count, self)
        return pages


def make_threads(is_threaded: bool = False, seed: int = 7) -> list[MadeThread]:
    """Threads of 5 to 20 posts, half of which reply to an earlier one.  ``is_threaded``: a reply
    stands below its parent, else posts are in the order of their dates."""
    chance = random.Random(seed)
    threads = []
    for index in range(THREAD_COUNT):
        question = chance.choice(_QUESTIONS)
        title = question.format(_TOPICS[index])
        count = chance.randint(5, 20) if index else 20
        parents: list[int | None] = [None]
        for number in range(2, count + 1):
            is_reply = number > 2 and chance.random() < 0.6
            parents.append(chance.randint(1, number - 1) if is_reply else None)
        posts = _make_posts(chance, index, parents)
        if is_threaded:
            posts = _in_tree_order(posts)
        threads.append(MadeThread(1200 + 7 * index, title, tuple(posts)))
    return threads


def _make_posts(
    chance: random.Random,
    index: int,
    parents: Sequence[int | None],
) -> list[MadePost]:
    date = datetime(2024, 3, 1 + index, 8, 15, tzinfo=UTC)
    posts: list[MadePost] = []
    for number, parent in enumerate(parents, 1):
        date += timedelta(minutes=chance.randint(3, 400))
        depth = posts[parent - 1].depth + 1 if parent else 0
        sentences = []
        for _ in range(chance.randint(1, 4)):
            words = {key: chance.choice(values) for key, values in _WORDS.items()}
            sentences.append(chance.choice(_SENTENCES).format(**words))
        post = MadePost(
            number=number,
            id=50_000 + 100 * index + 3 * number,
            author=chance.choice(_AUTHORS),
            date=date,
            text=" ".join(sentences),
            parent=parent,
            depth=depth,
        )
        posts.append(post)
    return posts


def _in_tree_order(posts: Sequence[MadePost]) -> list[MadePost]:
    """The posts, each with its replies below it; the first one is the story, and has none."""
    children: dict[int | None, list[MadePost]] = {}
    for post in posts[1:]:
        parent = post.parent if post.parent != 1 else None
        children.setdefault(parent, []).append(post)
    ordered = [posts[0]]
    number_of: dict[int, int] = {}

    def visit(post: MadePost, parent: int | None, depth: int) -> None:
        number = len(ordered) + 1
        number_of[post.number] = number
        ordered.append(MadePost(number, post.id, post.author, post.date, post.text, parent, depth))
        for child in children.get(post.number, ()):
            visit(child, number, depth + 1)

    for post in children.get(None, ()):
        visit(post, None, 0)
    return ordered


def html_page(title: str, body: str, language: str = "en") -> str:
    return (
        f'<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8">'
        f"<title>{title}</title></head>"
        f"<body>{body}</body></html>"
    )


def quoted_post(thread: MadeThread, post: MadePost) -> MadePost | None:
    return thread.posts[post.parent - 1] if post.parent else None


# phpBB


def _phpbb_path(thread: MadeThread, number: int) -> str:
    start = f"&start={(number - 1) * 8}" if number > 1 else ""
    return f"/viewtopic.php?f=4&t={thread.id}{start}"


def _phpbb_frame(title: str, body: str) -> str:
    return html_page(
        f"{title} - Harbour board",
        '<div id="wrap" class="wrap"><div id="page-header"><div class="headerbar">'
        "<h1>Harbour board</h1>"
        '<p>About boats and tools</p></div><div class="navbar"><ul id="nav-main"'
        ' class="nav-main linklist">'
        '<li><a href="./faq.php">FAQ</a></li><li><a href="./ucp.php?mode=login">Login</a></li></ul>'
        '<ul id="nav-breadcrumbs" class="nav-breadcrumbs linklist"><li><a'
        ' href="./index.php">Board index</a>'
        '</li><li><a href="./viewforum.php?f=4">Tools</a></li></ul></div></div>'
        f'<div id="page-body" class="page-body">{body}</div>'
        '<div id="page-footer" class="page-footer"><div class="navbar"><ul><li>All times are '
        '<span title="UTC">UTC</span></li></ul></div><div class="copyright">Powered by'
        " phpBB</div></div></div>",
    )


def _phpbb_date(post: MadePost) -> str:
    shown = post.date.strftime("%a %b %d, %Y %I:%M %p").replace("AM", "am").replace("PM", "pm")
    return f'<time datetime="{post.date.isoformat()}">{shown}</time>'


def _phpbb_user(post: MadePost) -> str:
    number = _AUTHORS.index(post.author) + 2
    return (
        f'<a href="./memberlist.php?mode=viewprofile&amp;u={number}"'
        f' class="username">{post.author}</a>'
    )


def _phpbb_list(threads: Sequence[MadeThread], engine: Engine) -> str:
    rows = []
    for index, thread in enumerate(threads):
        first, last = thread.posts[0], thread.posts[-1]
        path = f".{engine.thread_path(thread, 1)}".replace("&", "&amp;")
        pager = ""
        if engine.page_count(thread) > 1:
            links = "".join(
                f'<li><a class="button" href=".{engine.thread_path(thread, n)}">{n}</a></li>'
                for n in range(1, engine.page_count(thread) + 1)
            )
            pager = f'<div class="pagination"><ul>{links}</ul></div>'
        rows.append(
            f'<li class="row bg{index % 2 + 1}"><dl class="row-item topic_read"><dt'
            f' title="No unread posts">'
            f'<div class="list-inner"><a href="{path}" class="topictitle">{thread.title}'
            f"</a><br>{pager}"
            f'<div class="topic-poster responsive-hide left-box">by {_phpbb_user(first)} &raquo; '
            f"{_phpbb_date(first)}</div></div></dt>"
            f'<dd class="posts">{len(thread.posts) - 1} <dfn>Replies</dfn></dd>'
            f'<dd class="views">{len(thread.posts) * 31} <dfn>Views</dfn></dd>'
            f'<dd class="lastpost"><span><dfn>Last post </dfn>by {_phpbb_user(last)} '
            f'<a href="./viewtopic.php?f=4&amp;p={last.id}#p{last.id}" title="Go to last'
            f' post"></a><br>'
            f"{_phpbb_date(last)}</span></dd></dl></li>"
        )
    return _phpbb_frame(
        "Tools",
        '<h2 class="forum-title"><a href="./viewforum.php?f=4">Tools</a></h2>'
        '<div class="action-bar"><a href="./posting.php?mode=post&amp;f=4"'
        ' class="button">New Topic</a>'
        f'<div class="pagination">{len(threads)} topics &bull; Page <strong>1</strong> of'
        f" <strong>1</strong>"
        '</div></div><div class="forumbg"><div class="inner"><ul class="topiclist"><li'
        ' class="header"><dl '
        'class="row-item"><dt><div class="list-inner">Topics</div></dt><dd'
        ' class="posts">Replies</dd><dd '
        'class="views">Views</dd><dd class="lastpost"><span>Last post</span></dd></dl></li></ul>'
        f'<ul class="topiclist topics">{"".join(rows)}</ul></div></div>',
    )


def _phpbb_page(
    thread: MadeThread,
    posts: Sequence[MadePost],
    number: int,
    count: int,
    engine: Engine,
) -> str:
    written = []
    for post in posts:
        quoted = quoted_post(thread, post)
        quote = ""
        if quoted:
            quote = (
                f'<blockquote cite="./viewtopic.php?p={quoted.id}#p{quoted.id}"><div>'
                f"<cite>{_phpbb_user(quoted)}"
                f' wrote: <a href="./viewtopic.php?p={quoted.id}#p{quoted.id}"'
                f' data-post-id="{quoted.id}" '
                f'onclick="return false">↑</a><span'
                f' class="responsive-hide">{_phpbb_date(quoted)}</span></cite>'
                f"{quoted.text}</div></blockquote>"
            )
        subject = thread.title if post.number == 1 else f"Re: {thread.title}"
        written.append(
            f'<div id="p{post.id}" class="post has-profile bg{post.number % 2 + 1}"><div'
            f' class="inner">'
            f'<dl class="postprofile" id="profile{post.id}"><dt class="has-profile-rank no-avatar">'
            f'{_phpbb_user(post)}</dt><dd class="profile-posts"><strong>Posts:</strong> '
            f'<a href="./search.php'
            f'?author_id={_AUTHORS.index(post.author) + 2}">'
            f"{_AUTHORS.index(post.author) * 13 + 4}</a></dd></dl>"
            f'<div class="postbody"><div id="post_content{post.id}"><h3><a'
            f' href="#p{post.id}">{subject}</a></h3>'
            f'<ul class="post-buttons"><li><a'
            f' href="./posting.php?mode=quote&amp;p={post.id}" title="Reply with '
            f'quote"><span>Quote</span></a></li></ul><p class="author"><a class="unread"'
            f' href="./viewtopic.php?p='
            f'{post.id}#p{post.id}" title="Post"><span class="sr-only">Post</span></a>'
            f'<span class="responsive-hide">by <strong>{_phpbb_user(post)}</strong> &raquo; </span>'
            f'{_phpbb_date(post)}</p><div class="content">{quote}{post.text}</div></div></div>'
            f'<div class="back2top"><a href="#top" title="Top">Top</a></div></div></div>'
            f'<hr class="divider">'
        )
    pager = _phpbb_pager(thread, number, count, engine)
    return _phpbb_frame(
        thread.title,
        f'<h2 class="topic-title"><a'
        f' href=".{engine.thread_path(thread, 1)}">{thread.title}</a></h2>'
        f'<div class="action-bar"><a class="button"'
        f' href="./posting.php?mode=reply&amp;t={thread.id}">Post Reply'
        f'</a>{pager}</div>{"".join(written)}<div class="action-bar">{pager}</div>'
        '<p class="jumpbox-return"><a href="./viewforum.php?f=4">Return to Tools</a></p>',
    )


def _phpbb_pager(thread: MadeThread, number: int, count: int, engine: Engine) -> str:
    total = f"{len(thread.posts)} posts"
    if count == 1:
        return (
            f'<div class="pagination">{total} &bull; Page <strong>1</strong> of '
            f"<strong>1</strong></div>"
        )
    items = []
    for page in range(1, count + 1):
        if page == number:
            items.append(f'<li class="active"><span>{page}</span></li>')
        else:
            items.append(
                f'<li><a class="button" href=".{engine.thread_path(thread, page)}">{page}</a></li>'
            )
    if number < count:
        path = engine.thread_path(thread, number + 1)
        items.append(
            f'<li class="arrow next"><a href=".{path}" rel="next"><span>Next</span></a></li>'
        )
    return f'<div class="pagination">{total} <ul>{"".join(items)}</ul></div>'


# XenForo


def _xenforo_path(thread: MadeThread, number: int) -> str:
    slug = thread.title.lower().replace(" ", "-")
    page = f"page-{number}" if number > 1 else ""
    return f"/threads/{slug}.{thread.id}/{page}"


def _xenforo_time(post: MadePost) -> str:
    local = post.date + timedelta(hours=2)
    stamp = local.strftime("%Y-%m-%dT%H:%M:%S+0200")
    return (
        f'<time class="u-dt" dir="auto" datetime="{stamp}"'
        f' data-time="{int(post.date.timestamp())}" '
        f'title="{local.strftime("%b %d, %Y at %I:%M %p")}">{local.strftime("%b %d, %Y")}</time>'
    )


def _xenforo_user(author: str) -> str:
    number = _AUTHORS.index(author) + 20
    return (
        f'<a href="/members/{author.lower().replace(" ", "-")}.{number}/"'
        f' class="username" data-user-id="{number}">{author}</a>'
    )


def _xenforo_frame(title: str, body: str) -> str:
    return html_page(
        f"{title} | Harbour Forum",
        '<div class="p-pageWrapper"><header class="p-header"><a href="/">Harbour Forum'
        '</a></header><nav class="p-nav">'
        '<ul><li><a href="/forums/">Forums</a></li><li><a href="/whats-new/">What\'s new'
        "</a></li></ul></nav>"
        '<ul class="p-breadcrumbs"><li><a href="/"><span>Home</span></a></li><li><a'
        ' href="/forums/tools.4/"><span>'
        f'Tools</span></a></li></ul><div class="p-body"><div class="p-title"><h1'
        f' class="p-title-value">{title}</h1>'
        f'</div>{body}</div><footer class="p-footer"><a href="/help/terms/">Terms and'
        f" rules</a></footer></div>",
    )


def _xenforo_list(threads: Sequence[MadeThread], engine: Engine) -> str:
    rows = []
    for thread in threads:
        first, last = thread.posts[0], thread.posts[-1]
        rows.append(
            f'<div class="structItem structItem--thread" data-author="{first.author}">'
            f'<div class="structItem-cell '
            f'structItem-cell--main"><div class="structItem-title"><a'
            f' href="{engine.thread_path(thread, 1)}">'
            f'{thread.title}</a></div><div class="structItem-minor"><ul'
            f' class="structItem-parts"><li>'
            f'{_xenforo_user(first.author)}</li><li class="structItem-startDate"><a href="'
            f'{engine.thread_path(thread, 1)}">{_xenforo_time(first)}</a></li></ul></div></div>'
            f'<div class="structItem-cell structItem-cell--meta"><dl class="pairs">'
            f"<dt>Replies</dt><dd>"
            f'{len(thread.posts) - 1}</dd></dl><dl class="pairs"><dt>Views</dt>'
            f"<dd>{len(thread.posts) * 40}</dd>"
            f'</dl></div><div class="structItem-cell structItem-cell--latest"><a href="'
            f'{engine.thread_path(thread, 1)}latest">{_xenforo_time(last)}</a><div'
            f' class="structItem-minor">'
            f"{_xenforo_user(last.author)}</div></div></div>"
        )
    return _xenforo_frame(
        "Tools",
        f'<div class="block"><div class="block-container"><div'
        f' class="structItemContainer">{"".join(rows)}</div></div></div>',
    )


def _xenforo_page(
    thread: MadeThread,
    posts: Sequence[MadePost],
    number: int,
    count: int,
    engine: Engine,
) -> str:
    written = []
    for post in posts:
        quoted = quoted_post(thread, post)
        quote = ""
        if quoted:
            quote = (
                f'<blockquote data-attributes="member: 3" data-quote="{quoted.author}"'
                f' data-source="post: {quoted.id}" '
                f'class="bbCodeBlock bbCodeBlock--quote"><div class="bbCodeBlock-title">'
                f'<a href="/goto/post?id='
                f'{quoted.id}" class="bbCodeBlock-sourceJump"'
                f' rel="nofollow">{quoted.author} said:</a></div>'
                f'<div class="bbCodeBlock-content"><div'
                f' class="bbCodeBlock-expandContent">{quoted.text}</div>'
                '<div class="bbCodeBlock-expandLink"><a>Click to expand...</a></div>'
                "</div></blockquote>"
            )
        path = f"{engine.thread_path(thread, number)}#post-{post.id}"
        written.append(
            f'<article class="message message--post" data-author="{post.author}"'
            f' data-content="post-{post.id}" '
            f'id="js-post-{post.id}"><span class="u-anchorTarget" id="post-{post.id}"></span>'
            f'<div class="message-inner"><div class="message-cell message-cell--user">'
            f'<section class="message-user">'
            f'<div class="message-userDetails"><h4'
            f' class="message-name">{_xenforo_user(post.author)}</h4>'
            f'<h5 class="userTitle message-userTitle">Member</h5></div></section></div>'
            f'<div class="message-cell message-cell--main"><div class="message-main">'
            f'<header class="message-attribution">'
            f'<ul class="message-attribution-main"><li class="u-concealed"><a'
            f' href="{path}">{_xenforo_time(post)}</a>'
            f'</li></ul><ul class="message-attribution-opposite"><li><a'
            f' href="{path}">#{post.number}</a></li></ul>'
            f'</header><div class="message-content"><div class="message-userContent">'
            f'<article class="message-body">'
            f'<div class="bbWrapper">{quote}{post.text}</div></article></div></div>'
            f'<footer class="message-footer">'
            f'<div class="message-actionBar"><a href="/posts/{post.id}/report">Report</a>'
            f' <a href="/threads/reply">'
            "Reply</a></div></footer></div></div></div></article>"
        )
    pager = _xenforo_pager(thread, number, count, engine)
    return _xenforo_frame(
        thread.title,
        f'<div class="block-outer">{pager}</div><div class="block-body">{"".join(written)}</div>'
        f'<div class="block-outer">{pager}</div>',
    )


def _xenforo_pager(thread: MadeThread, number: int, count: int, engine: Engine) -> str:
    if count == 1:
        return ""
    items = []
    for page in range(1, count + 1):
        current = " pageNav-page--current" if page == number else ""
        items.append(
            f'<li class="pageNav-page{current}"><a'
            f' href="{engine.thread_path(thread, page)}">{page}</a></li>'
        )
    forward = ""
    if number < count:
        forward = (
            f'<a href="{engine.thread_path(thread, number + 1)}" class="pageNav-jump">Next</a>'
        )
    return (
        f'<nav class="pageNavWrapper"><ul class="pageNav-main">{"".join(items)}</ul>{forward}</nav>'
    )


# Discourse, as sent to readers without scripts


def _discourse_path(thread: MadeThread, number: int) -> str:
    slug = thread.title.lower().replace(" ", "-")
    page = f"?page={number}" if number > 1 else ""
    return f"/t/{slug}/{thread.id}{page}"


def _discourse_name(author: str) -> str:
    return author.replace(" ", "_")


def _discourse_frame(title: str, body: str) -> str:
    return html_page(
        f"{title} - Tools - Harbour Talk",
        '<header><a href="/">Harbour Talk</a></header><div id="main-outlet" class="wrap"'
        ' role="main">'
        f'{body}</div><footer class="container wrap"><nav class="crawler-nav"><ul><li><a'
        f' href="/">Home</a></li><li>'
        '<a href="/categories">Categories</a></li><li><a href="/guidelines">Guidelines'
        "</a></li></ul></nav></footer>",
    )


def _discourse_list(threads: Sequence[MadeThread], engine: Engine) -> str:
    rows = []
    for index, thread in enumerate(threads, 1):
        rows.append(
            '<tr class="topic-list-item"><td class="main-link"'
            ' itemprop="itemListElement" itemscope '
            f'itemtype="http://schema.org/ListItem"><meta itemprop="position"'
            f' content="{index}"><span class="link-top-line">'
            f'<a itemprop="url" href="{engine.thread_path(thread, 1)}" class="title'
            f' raw-link raw-topic-link">{thread.title}'
            '</a></span><div class="link-bottom-line"><a href="/c/tools/4"'
            ' class="badge-wrapper bullet"><span '
            f'class="badge-category-name">Tools</span></a></div></td><td class="replies">'
            f'<span class="posts" title="posts">'
            f'{len(thread.posts)}</span></td><td class="views"><span'
            f' class="views">{len(thread.posts) * 17}</span></td>'
            f"<td>{thread.posts[-1].date.strftime('%B %d, %Y')}</td></tr>"
        )
    return _discourse_frame(
        "Tools topics",
        '<h1 class="category">Tools</h1><div class="topic-list-container" itemscope'
        ' itemtype="http://schema.org/ItemList">'
        '<table class="topic-list"><thead><tr><th>Topic</th><th class="replies">Replies'
        '</th><th class="views">Views</th>'
        f"<th>Activity</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div>",
    )


def _discourse_page(
    thread: MadeThread,
    posts: Sequence[MadePost],
    number: int,
    count: int,
    engine: Engine,
) -> str:
    written = []
    for post in posts:
        quoted = quoted_post(thread, post)
        quote = ""
        if quoted:
            quote = (
                f'<aside class="quote no-group"'
                f' data-username="{_discourse_name(quoted.author)}" data-post="'
                f'{quoted.number}" data-topic="{thread.id}"><div class="title"><div'
                f' class="quote-controls"></div>'
                f" {_discourse_name(quoted.author)}:</div><blockquote><p>{quoted.text}"
                f"</p></blockquote></aside>"
            )
        name = _discourse_name(post.author)
        written.append(
            f'<div id="post_{post.number}" itemprop="comment" itemscope'
            f' itemtype="http://schema.org/Comment" '
            'class="topic-body crawler-post"><div class="crawler-post-meta"><span'
            ' class="creator" itemprop="author" '
            f'itemscope itemtype="http://schema.org/Person"><a itemprop="url"'
            f' rel="nofollow" href="/u/{name}">'
            f'<span itemprop="name">{name}</span></a></span><span'
            f' class="crawler-post-infos"><time itemprop='
            f'"datePublished" datetime="{post.date.strftime("%Y-%m-%dT%H:%M:%SZ")}"'
            f' class="post-time">'
            f"{post.date.strftime('%B %d, %Y, %I:%M%p').lower()}</time><span"
            f' itemprop="position">{post.number}</span>'
            f'</span></div><div class="post" itemprop="text">{quote}<p>{post.text}</p>'
            f"</div><div itemprop="
            '"interactionStatistic" itemscope><span class="post-likes">2 Likes</span></div></div>'
        )
    links = ""
    if number > 1:
        links += (
            f'<a rel="prev" itemprop="url"'
            f' href="{engine.thread_path(thread, number - 1)}">← previous page</a>'
        )
    if number < count:
        links += (
            f'<a rel="next" itemprop="url"'
            f' href="{engine.thread_path(thread, number + 1)}">next page →</a>'
        )
    return _discourse_frame(
        thread.title,
        f'<div id="topic-title"><h1><a'
        f' href="{engine.thread_path(thread, 1)}">{thread.title}</a></h1><div '
        'class="topic-category"><a href="/c/tools/4" class="badge-wrapper">Tools</a></div></div>'
        f'<div itemscope itemtype="http://schema.org/DiscussionForumPosting">{"".join(written)}'
        f'<div role="navigation" class="topic-body crawler-post">{links}</div></div>',
    )


# A table of comments with indents


def _table_path(thread: MadeThread, number: int) -> str:
    page = f"&p={number}" if number > 1 else ""
    return f"/item?id={thread.id}{page}"


def _table_frame(title: str, body: str) -> str:
    return html_page(
        f"{title} | Harbour News",
        '<center><table id="main" border="0" width="85%"><tr><td><table><tr><td><b'
        ' class="hnname"><a href="news">'
        'Harbour News</a></b> <a href="newest">new</a> | <a href="newcomments">comments'
        '</a> | <a href="submit">submit</a>'
        f"</td></tr></table></td></tr><tr><td>{body}</td></tr><tr><td><span"
        f' class="yclinks"><a href="guide.html">'
        'Guidelines</a> | <a href="faq.html">FAQ</a></span></td></tr></table></center>',
    )


def _table_head(thread: MadeThread, rank: str) -> str:
    first = thread.posts[0]
    return (
        f'<tr class="athing submission" id="{thread.id}"><td align="right" class="title">'
        f'<span class="rank">{rank}</span>'
        f'</td><td class="votelinks"><a id="up_{thread.id}" href="vote?id={thread.id}">'
        f'<div class="votearrow" title="upvote">'
        f'</div></a></td><td class="title"><span class="titleline"><a'
        f' href="item?id={thread.id}">{thread.title}</a></span>'
        f'</td></tr><tr><td colspan="2"></td><td class="subtext"><span class="subline">'
        f'<span class="score">'
        f"{len(thread.posts) * 3} points</span> by <a"
        f' href="user?id={_discourse_name(first.author)}" class="hnuser">'
        f"{_discourse_name(first.author)}</a> {_table_age(first, thread.id)} | <a"
        f' href="item?id={thread.id}">'
        f"{len(thread.posts) - 1}&nbsp;comments</a></span></td></tr>"
    )


def _table_age(post: MadePost, number: int) -> str:
    stamp = post.date.strftime("%Y-%m-%dT%H:%M:%S")
    return (
        f'<span class="age" title="{stamp} {int(post.date.timestamp())}"><a'
        f' href="item?id={number}">'
        f"{post.date.strftime('%B %d, %Y')}</a></span>"
    )


def _table_list(threads: Sequence[MadeThread], engine: Engine) -> str:
    rows = "".join(
        f'{_table_head(thread, f"{rank}.")}<tr class="spacer" style="height:5px"></tr>'
        for rank, thread in enumerate(threads, 1)
    )
    return _table_frame("Newest", f"<table>{rows}</table>")


def _table_page(
    thread: MadeThread,
    posts: Sequence[MadePost],
    number: int,
    count: int,
    engine: Engine,
) -> str:
    rows = []
    for post in posts:
        if post.number == 1:
            continue
        name = _discourse_name(post.author)
        rows.append(
            f'<tr class="athing comtr" id="{post.id}"><td><table border="0"><tr><td'
            f' class="ind" indent="{post.depth}">'
            f'<img src="s.gif" height="1" width="{40 * post.depth}"></td><td valign="top"'
            f' class="votelinks"><a id="up_'
            f'{post.id}" href="vote?id={post.id}"><div class="votearrow" title="upvote">'
            f'</div></a></td><td class="default">'
            f'<div style="margin-top:2px"><span class="comhead"><a href="user?id={name}"'
            f' class="hnuser">{name}</a> '
            f'{_table_age(post, post.id)} <span class="navs"></span></span></div><br><div'
            f' class="comment"><div '
            f'class="commtext c00">{post.text}</div><div class="reply"><p><font size="1">'
            f'<u><a href="reply?id={post.id}">'
            "reply</a></u></font></p></div></div></td></tr></table></td></tr>"
        )
    more = ""
    if number < count:
        more = (
            f'<tr class="morespace"></tr><tr><td class="title"><a'
            f' href="{engine.thread_path(thread, number + 1)[1:]}" '
            'class="morelink" rel="next">More</a></td></tr>'
        )
    story = thread.posts[0].text
    return _table_frame(
        thread.title,
        f'<table class="fatitem">{_table_head(thread, "")}<tr><td colspan="2"></td><td>'
        f'<div class="toptext">{story}</div>'
        f'</td></tr></table><br><table class="comment-tree">{"".join(rows)}{more}</table>',
    )


# The archive of a mailing list


def _mail_path(thread: MadeThread, number: int) -> str:
    page = f"-{number}" if number > 1 else ""
    return f"/archive/tools/2024-March/thread{thread.id}{page}.html"


def _mail_address(author: str) -> str:
    return f"{author.lower().replace(' ', '.')} at harbour.example"


def _mail_list(threads: Sequence[MadeThread], engine: Engine) -> str:
    rows = []
    for thread in threads:
        first = thread.posts[0]
        rows.append(
            f'<li><a href="{engine.thread_path(thread, 1)}">[tools] {thread.title}</a> '
            f"<i>{first.author}</i> "
            f"{first.date.strftime('%d %b %Y')} ({len(thread.posts)} messages)</li>"
        )
    return html_page(
        "The tools March 2024 Archive by thread",
        "<h1>March 2024 Archives by thread</h1><ul><li><b>Messages sorted by:</b> <a"
        ' href="subject.html">[ subject ]</a> '
        '<a href="author.html">[ author ]</a> <a href="date.html">[ date ]</a></li></ul>'
        "<p><b>Starting:</b> <i>Fri Mar 1 "
        f"2024</i><br><b>Threads:</b> {len(threads)}</p><ul>{''.join(rows)}</ul><hr><p>"
        f"<i>This archive was generated by "
        "Pipermail.</i></p>",
    )


def _mail_page(
    thread: MadeThread,
    posts: Sequence[MadePost],
    number: int,
    count: int,
    engine: Engine,
) -> str:
    written = []
    for post in posts:
        quoted = quoted_post(thread, post)
        reply = ""
        quote = ""
        if quoted:
            reply = (
                f'<li><b>In reply to:</b> <a href="#msg{quoted.id}">{quoted.author}:'
                f" &quot;{thread.title}&quot;</a></li>"
            )
            quote = (
                f"On {quoted.date.strftime('%d %b %Y')}, {quoted.author} wrote:\n&gt;"
                f" {quoted.text}\n\n"
            )
        subject = thread.title if post.number == 1 else f"Re: {thread.title}"
        local = post.date + timedelta(hours=1)
        written.append(
            f'<div class="message"><a name="msg{post.id}"></a><h3>{subject}</h3><ul'
            f' class="headers"><li><b>From:</b> '
            f"{post.author} &lt;{_mail_address(post.author)}&gt;</li><li><b>Date:</b> "
            f"{local.strftime('%a, %d %b %Y %H:%M:%S +0100')}</li>{reply}</ul>"
            f"<pre>{quote}{post.text}</pre></div><hr>"
        )
    links = ['<a href="index.html">Thread index</a>']
    if number > 1:
        links.append(f'<a href="{engine.thread_path(thread, number - 1)}">Previous page</a>')
    if number < count:
        links.append(f'<a href="{engine.thread_path(thread, number + 1)}">Next page</a>')
    return html_page(
        f"[tools] {thread.title}",
        f"<h1>[tools] {thread.title}</h1><p>{' | '.join(links)}</p><hr>{''.join(written)}"
        f"<p>{' | '.join(links)}</p>",
    )


ENGINES = (
    Engine("phpBB", "/viewforum.php?f=4", _phpbb_path, _phpbb_list, _phpbb_page),
    Engine("XenForo", "/forums/tools.4/", _xenforo_path, _xenforo_list, _xenforo_page),
    Engine("Discourse", "/c/tools/4", _discourse_path, _discourse_list, _discourse_page),
    Engine("table", "/newest", _table_path, _table_list, _table_page, threaded=True),
    Engine("mailing list", "/archive/tools/2024-March/", _mail_path, _mail_list, _mail_page),
)
