"""Pages of aggregators of links: a story that is a link to another site, and its comments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Story:
    """``url``: what it links; ``""`` if it has a ``text`` instead."""

    id: int
    title: str
    url: str
    author: str
    comments: int
    text: str = ""


STORIES = (
    Story(101, "Owls of the old harbour are back", "http://birds.example/owls", "mira", 6),
    Story(102, "A small compiler for tide tables", "http://code.example/tide", "tom_k", 5),
    Story(103, "How lanterns were made in 1821", "http://museum.example/l", "juno99", 4),
)
_TALK = (
    "This is what the keepers have said for years, and nobody wanted to hear them in the town.",
    "I have read the paper, and the numbers in the second table are not those of the first one.",
    "There is an older project that did the same with less, but it was given up in the spring.",
    "Thank you for writing it down, my grandfather had one of them in the shed by the water.",
    "It would help to know which of the boats were counted, and who has counted them that day.",
    "The link is slow for me, but the copy that was made of it last week can be read well.",
)
NAMES = ("ana", "hedgerow", "cy_dee", "fisher", "quayside", "lea_h")


def comment_text(story: Story, number: int) -> str:
    return f"{_TALK[(story.id + number) % len(_TALK)]} ({story.id}-{number})"


def as_table(story: Story) -> str:
    """Tables, each line of a story in a row."""
    rows = "".join(
        f'<tr class="athing comtr" id="{story.id}{number}"><td><table><tr><td class="ind" '
        f'indent="{number % 2}"><img src="s.gif" height="1" width="{number % 2 * 40}"></td><td '
        'class="votelinks"><a href="vote?id=1"><div class="votearrow" title="upvote"></div></a>'
        f'</td><td class="default"><div><span class="comhead"><a href="user?id={NAMES[number]}" '
        f'class="hnuser">{NAMES[number]}</a> <span class="age" title="2024-05-02T1{number}:00:00">'
        f'<a href="item?id={story.id}{number}">2 May 2024</a></span></span></div><div '
        f'class="comment"><div class="commtext c00">{comment_text(story, number)}</div>'
        '<div class="reply"><p><u><a href="reply?id=1">reply</a></u></div></div></td></tr></table>'
        "</td></tr>"
        for number in range(story.comments)
    )
    href = story.url or f"item?id={story.id}"
    text = f'<tr><td colspan=2></td><td><div class="toptext">{story.text}</div></td></tr>'
    return (
        f"<html lang=en><head><title>{story.title} | Link News</title></head><body><center>"
        '<table id="hnmain"><tr><td><table><tr><td><span class="pagetop"><b class="hnname"><a '
        'href="news">Link News</a></b><a href="newest">new</a> | <a href="newcomments">comments'
        '</a> | <a href="submit">submit</a></span></td></tr></table></td></tr><tr><td><table '
        f'class="fatitem"><tr class="athing submission" id="{story.id}"><td class="title"></td>'
        f'<td class="votelinks"></td><td class="title"><span class="titleline"><a href="{href}">'
        f'{story.title}</a><span class="sitebit comhead"> (<a href="from?site=x">x</a>)</span>'
        '</span></td></tr><tr><td colspan="2"></td><td class="subtext"><span class="subline"><span'
        f' class="score">38 points</span> by <a href="user?id={story.author}" class="hnuser">'
        f'{story.author}</a> <span class="age" title="2024-05-01T10:15:00"><a href="item?id='
        f'{story.id}">1 May 2024</a></span> | <a href="hide?id=1">hide</a> | <a '
        f'href="item?id={story.id}">{story.comments}&nbsp;comments</a></span></td></tr>'
        f'{text if story.text else ""}</table><br><br><table class="comment-tree">{rows}</table>'
        "</td></tr></table></center></body></html>"
    )


def as_list(story: Story) -> str:
    """A list with one story, and nested lists of comments."""
    items = "".join(
        f'<li class="comments_subtree"><div id="c_{story.id}{number}" class="comment"><div '
        'class="details"><div class="byline"><a href="/~'
        f'{NAMES[number]}">{NAMES[number]}</a> <a href="/c/{story.id}{number}"><time datetime='
        f'"2024-05-02 1{number}:00:00 +0000">2 May 2024</time></a> | <a href="#">link</a></div>'
        f'<div class="comment_text"><p>{comment_text(story, number)}</p></div></div></div></li>'
        for number in range(story.comments)
    )
    href = story.url or f"/s/{story.id}"
    text = f'<div class="story_text"><p>{story.text}</p></div>' if story.text else ""
    return (
        f"<html lang=en><head><title>{story.title} | Lists</title></head><body><nav><a href=/>"
        'Active</a> <a href=/recent>Recent</a></nav><ol class="stories"><li id="story_'
        f'{story.id}" class="story"><div class="story_liner"><div class="details"><span '
        f'class="link"><a class="u-url" href="{href}">{story.title}</a></span> <span class="tags">'
        '<a href="/t/birds" class="tag">birds</a></span> <a href="/domains/x" class="domain">x</a>'
        f'<div class="byline">via <a href="/~{story.author}" class="u-author">{story.author}</a> '
        '<time datetime="2024-05-01 10:15:00 +0000">1 May 2024</time> | <span '
        f'class="comments_label"><a href="/s/{story.id}">{story.comments} comments</a></span>'
        f'</div></div></div></li></ol>{text}<ol class="comments">{items}</ol></body></html>'
    )


WRITERS: dict[str, Callable[[Story], str]] = {"table": as_table, "list": as_list}
