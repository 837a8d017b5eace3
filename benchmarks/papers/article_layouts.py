"""Made articles in several layouts, whose body is labelled, for a browser to render."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice

#: Marks the elements of the text-body; no method reads it.
LABEL = "data-label"
#: Articles in each layout; each has one more paragraph than the one before.
ARTICLES = 4
MIN_PARAGRAPHS = 4

SENTENCES = (
    "The harbour was closed for three days after the storm had moved the outer buoys.",
    "Nobody in the council could say who had ordered the old lamps.",
    "Two boats were lost, and a third came back with a broken mast.",
    "In the archive there is a letter that tells another story.",
    "Prices rose again in the autumn, as they had in each of the last four years.",
    "She keeps the tickets of all her journeys in a tin box under the stairs.",
    "A new bridge is planned, but the money for it will not be there before spring.",
)
STYLE = """
body { margin: 0; font: 16px serif; color: #222 }
nav, footer { padding: 8px; font-size: 13px; color: #666 }
.page { display: flex; width: 1100px; margin: auto }
.side { width: 260px; margin-left: 40px; font-size: 13px }
.body { width: 680px }
.caption { width: 240px; font-size: 12px; color: #777 }
.related { float: right; width: 180px }
.line { display: block; margin: 12px 0 }
.inline { display: inline }
.comment { margin: 10px 0 }
"""
NAVIGATION = "".join(f"<a href=/{name}>{name} </a>" for name in ("news", "sport", "local", "about"))
FOOTER = (
    "<footer>All rights are with the publisher. Nothing of this page may be copied without a"
    " written permission, which is asked for at the desk of the house.</footer>"
)
CAPTION = "<div class=caption>The harbour in the morning, seen from the tower.</div>"
RELATED = "<div class=related>A second story of this week, in a few words, for all readers</div>"
SIDE = (
    "<div class=side>" + "<p><a href=/x>Another story that is read a lot today</a>" * 6 + "</div>"
)
COMMENTS = "".join(
    f"<div class=comment>{text} That is what I think of it.</div>" for text in SENTENCES[:3]
)


def make_articles() -> Iterator[str]:
    """The HTML of all articles, each layout with all lengths."""
    for extra in range(ARTICLES):
        paragraphs = make_paragraphs(extra)
        for body in make_bodies(paragraphs):
            yield make_page(body)


def make_paragraphs(extra: int) -> list[str]:
    """Paragraphs of two to four sentences."""
    sentences = islice(cycle(SENTENCES), extra, None)
    paragraphs = []
    for number in range(MIN_PARAGRAPHS + extra):
        size = 2 + number % 3
        text = " ".join(next(sentences) for position in range(size))
        paragraphs.append(f"{number + 1}. {text}")
    return paragraphs


def make_bodies(paragraphs: list[str]) -> Iterator[str]:
    """The text-body in each layout, with what is among it and is no part of it."""
    half = len(paragraphs) // 2
    first = paragraphs[:half]
    second = paragraphs[half:]

    # Elements for paragraphs; a caption and a box with another story stand between them.
    yield _labelled("p", first) + CAPTION + RELATED + _labelled("p", second)
    # Line breaks for paragraphs.
    text = "<br><br>".join(paragraphs)
    yield f"{CAPTION}<div {LABEL}>{text}</div>"
    # The style sheet decides which elements break the line.
    yield CAPTION + _labelled("span class=line", paragraphs)
    parts = "".join(f"<div class=inline>{text} </div>" for text in paragraphs)
    yield f"<div {LABEL}>{parts}</div>{RELATED}"
    # Headings of their own size, as wide as the text.
    yield f"{_labelled('p', first)}<h2 {LABEL}>What came next</h2>{_labelled('p', second)}{RELATED}"
    # Comments that look as the text does: no rule of the paper tells them from it.
    yield _labelled("p", paragraphs) + COMMENTS


def make_page(body: str) -> str:
    """An article page with the body, a navigation, a side and a footer."""
    return (
        f"<!doctype html><html lang=en><head><title>The harbour</title><style>{STYLE}</style>"
        f"</head><body><nav>{NAVIGATION}</nav><div class=page><div class=body>{body}</div>{SIDE}"
        f"</div>{FOOTER}</body></html>"
    )


def _labelled(start: str, texts: list[str]) -> str:
    tag = start.split()[0]
    return "".join(f"<{start} {LABEL}>{text}</{tag}>" for text in texts)
