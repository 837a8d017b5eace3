"""HTML fragments of the demo's pages, with all text escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import timedelta
from html import escape
from urllib.parse import quote

from demo.stories import Comment, Story, shorten


def menu(topics: Iterable[str]) -> str:
    """The list items of the main menu."""
    fixed = [("/", "Home"), ("/news/", "News"), ("/journal/", "Journal")]
    topical = [(f"/topics/{topic}/", topic.capitalize()) for topic in topics]
    entries = [*fixed, *topical, ("/about.html", "About us")]
    return "\n".join(f'<li><a href="{path}">{label}</a></li>' for path, label in entries)


def link(story: Story) -> str:
    return f'<a href="{story.path}">{escape(story.title, quote=False)}</a>'


def list_link(story: Story) -> str:
    return f"<li>{link(story)}</li>"


def archive_link(year: int) -> str:
    return f'<li><a href="/journal/#archive-{year}">{year}</a></li>'


def article_meta(story: Story) -> str:
    """The ``meta`` elements for authors, date and tags."""
    lines = [f'<meta name="author" content="{escape(name)}" />' for name in story.authors]
    lines.append(f'<meta property="article:published_time" content="{story.published}" />')
    lines += [f'<meta property="article:tag" content="{escape(tag)}" />' for tag in story.tags]
    return "\n".join(lines) + "\n"


def json_ld(story: Story, base_url: str, site_name: str) -> str:
    """The ``script`` element with the story's JSON-LD."""
    data = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": story.title,
        "datePublished": story.published,
        "inLanguage": story.language,
        "author": [{"@type": "Person", "name": name} for name in story.authors],
        "publisher": {"@type": "Organization", "name": site_name},
        "mainEntityOfPage": base_url + story.path,
        "keywords": list(story.tags),
        "description": story.summary,
    }
    source = json.dumps(data, ensure_ascii=False, indent=1).replace("<", "\\u003c")
    return f'<script type="application/ld+json">\n{source}\n</script>\n'


def author(name: str) -> str:
    return f'<span class="byline-name" itemprop="author">{escape(name)}</span>'


def figure(caption: str) -> str:
    """The figure above a news story, ``""`` without a caption."""
    if not caption:
        return ""
    return (
        '<figure class="story-figure">\n'
        '<img src="/static/picture.svg" alt="" width="960" height="540">\n'
        f"<figcaption>{escape(caption, quote=False)}</figcaption>\n</figure>"
    )


def share(url: str) -> str:
    """The list items of the share bar."""
    quoted = quote(url, safe="")
    return (
        f'<li><a href="https://social.example/share?url={quoted}" rel="nofollow">Share</a></li>\n'
        f'<li><a href="https://pins.example/new?url={quoted}" rel="nofollow">Pin</a></li>\n'
        f'<li><a href="mailto:?body={quoted}">Send to a friend</a></li>'
    )


def related(story: Story) -> str:
    return (
        f'<li class="related-item"><h3>{link(story)}</h3>\n'
        f'<p class="related-teaser">{escape(shorten(story.summary, 120), quote=False)}</p></li>'
    )


def news_comments(story: Story) -> str:
    """The comment list of a news story."""
    if not story.comments:
        return '<p class="no-comments">Nobody has commented yet. Be the first.</p>'
    rows = [_news_comment(story, i, comment) for i, comment in enumerate(story.comments)]
    return '<ol class="comment-list">\n' + "\n".join(rows) + "\n</ol>"


def _news_comment(story: Story, index: int, comment: Comment) -> str:
    when = story.when + timedelta(hours=2 + 3 * index, minutes=17)
    return (
        f'<li class="comment" id="comment-{index + 1}"><article class="comment-body">\n'
        f'<header><b class="reader">{escape(comment.reader)}</b> '
        f'<time datetime="{when.isoformat()}">{when:%H:%M}</time></header>\n'
        f"<p>{escape(comment.text, quote=False)}</p>\n"
        '<a class="reply" href="#comment-form">Reply</a></article></li>'
    )


def journal_comments(story: Story) -> str:
    """The comment list of a journal story, in the style of an old blog."""
    rows = "\n".join(
        f'<li class="comment" id="comment-{number}"><div class="comment-author vcard">'
        f'<cite class="fn">{escape(comment.reader)}</cite> <span class="says">says:</span></div>\n'
        f"<p>{escape(comment.text, quote=False)}</p></li>"
        for number, comment in enumerate(story.comments, start=1)
    )
    count = len(story.comments)
    heading = f"{count or 'No'} response{'' if count == 1 else 's'}"
    return f'<h3 id="comments">{heading}</h3>\n<ol class="commentlist">\n{rows}\n</ol>'


_BIOGRAPHIES = {
    "Edith Varley": "has kept a rain gauge and a rock pool for longer than she cares to say.",
    "Rowan Pell": "repairs clocks on weekdays and looks after nest boxes at weekends.",
    "Samuel Achterberg": "teaches biology at the evening school and walks with a spaniel.",
    "Wiebke Harms": "counts birds on both sides of the North Sea.",
}


def author_boxes(story: Story) -> str:
    return "\n".join(
        f'<div class="author-box"><h4>About the author</h4>\n'
        f"<p><b>{escape(name)}</b> {_BIOGRAPHIES.get(name, 'writes for the journal.')}</p></div>"
        for name in story.authors
    )


def teasers(heading: str, anchor: str, stories: Sequence[Story]) -> str:
    """A section of a listing page: a heading and a teaser for each story."""
    title = f"<h2>{heading}</h2>\n" if heading else ""
    cards = "\n".join(map(_teaser, stories))
    return f'<section class="river" id="{anchor}">\n{title}{cards}\n</section>\n'


def _teaser(story: Story) -> str:
    return (
        f'<div class="teaser teaser-{story.section}"><h3 class="teaser-title">{link(story)}</h3>\n'
        f'<p class="teaser-meta">{escape(story.byline)}, {story.day}</p>\n'
        f'<p class="teaser-text">{escape(shorten(story.summary, 160), quote=False)} '
        f'<a class="more" href="{story.path}">Read on</a></p></div>'
    )
