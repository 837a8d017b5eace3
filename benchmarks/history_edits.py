"""Changes made to recorded pages: of the article's text, and of what is around it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from lxml import html

from benchmarks.bench_set import BenchPage

#: The fewest characters of a paragraph that is edited.
_LEAST = 80
_WORDS = "harbour lantern quarry meadow copper violin glacier orchard tannery beacon".split()


def find_paragraphs(page: BenchPage, root: Any) -> list[Any]:
    """The paragraphs without markup whose text is in the gold text."""
    gold = _squeeze(page.gold)
    return [
        element
        for element in root.iter("p")
        if not len(element) and len(element.text or "") >= _LEAST and _squeeze(element.text) in gold
    ]


def change_page(page: BenchPage, change: Callable[..., None], seed: int) -> bytes:
    """The page's HTML after a change, written again from its tree.  Deterministic."""
    root = html.document_fromstring(page.html)
    change(root, find_paragraphs(page, root), random.Random(f"{seed} {page.url}"))
    return bytes(html.tostring(root, encoding="utf-8", doctype="<!DOCTYPE html>"))


def no_change(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """Nothing."""


def fix_typo(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """Two letters of a word change places."""
    element = chance.choice(paragraphs)
    words = [m for m in re.finditer(r"[^\W\d_]{4,}", element.text) if m[0][1] != m[0][2]]
    at = chance.choice(words) if words else None
    if at is None:
        element.text = element.text[:-2] + element.text[-1]
    else:
        fixed = at[0][0] + at[0][2] + at[0][1] + at[0][3:]
        element.text = element.text[: at.start()] + fixed + element.text[at.end() :]


def edit_paragraph(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """A third of a paragraph's words are others."""
    element = chance.choice(paragraphs)
    words = element.text.split()
    start = chance.randrange(max(1, len(words) - len(words) // 3))
    words[start : start + len(words) // 3] = chance.choices(_WORDS, k=max(1, len(words) // 3))
    element.text = " ".join(words)


def add_paragraph(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """A paragraph more, after another one."""
    added = html.Element("p")
    added.text = " ".join(chance.choices(_WORDS, k=40)).capitalize() + "."
    chance.choice(paragraphs).addnext(added)


def delete_paragraph(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """A paragraph less."""
    element = chance.choice(paragraphs)
    element.getparent().remove(element)


def add_advert(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """An advertisement between two paragraphs, and one at the top of the page."""
    text = " ".join(chance.choices(_WORDS, k=6))
    for place, add in (
        (chance.choice(paragraphs), "addnext"),
        (root.find("body")[0], "addprevious"),
    ):
        advert = html.fromstring(
            f"<div class='ad-slot advert'><a href='http://ads.example/{chance.random()}'>"
            f"<img src='/ad.png' alt=''>{text}</a></div>"
        )
        getattr(place, add)(advert)


def add_comments(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """Two readers' comments at the end of the page."""
    rows = "".join(
        f"<li class='comment'><cite>{chance.choice(_WORDS)}</cite>"
        f"<p>{' '.join(chance.choices(_WORDS, k=25))}.</p></li>"
        for _ in range(2)
    )
    section = (
        f"<section id='comments' class='comments'><h3>2 comments</h3><ol>{rows}</ol></section>"
    )
    root.find("body").append(html.fromstring(section))


def add_related(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """Links to other articles at the end of the page."""
    titles = [" ".join(chance.choices(_WORDS, k=7)).capitalize() for _ in range(5)]
    rows = "".join(
        f"<li><a href='/{i}{title[:9]}'>{title}</a></li>" for i, title in enumerate(titles)
    )
    section = f"<div class='related-posts'><h3>You may also like</h3><ul>{rows}</ul></div>"
    root.find("body").append(html.fromstring(section))


def count_up(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """Another number of views, and a new token in the page's head."""
    token = html.Element("meta", name="csrf-token", content=str(chance.random()))
    root.find("head").append(token) if root.find("head") is not None else None
    views = f"<div class='views'>{chance.randrange(10**6)} views</div>"
    root.find("body").append(html.fromstring(views))


def _squeeze(text: str) -> str:
    return " ".join(text.split())


#: Changes of the article's text.
EDITS = (fix_typo, edit_paragraph, add_paragraph, delete_paragraph)
#: Changes of the page that are none of the article.
NOISE = (no_change, add_advert, add_comments, add_related, count_up)
