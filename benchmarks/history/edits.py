"""Changes made to recorded pages: of the article's text, and of what is around it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from lxml import html

from benchmarks.sets.bench_set import BenchPage

#: Characters of a paragraph that is edited.
MIN_LENGTH = 80
_WORDS = "harbour lantern quarry meadow copper violin glacier orchard tannery beacon".split()


def find_paragraphs(page: BenchPage, root: Any) -> list[Any]:
    """The paragraphs without markup whose text is in the gold text."""
    gold = _squeeze(page.gold)
    paragraphs = []
    for element in root.iter("p"):
        text = element.text or ""
        has_markup = len(element) > 0
        if has_markup or len(text) < MIN_LENGTH:
            continue
        if _squeeze(text) in gold:
            paragraphs.append(element)
    return paragraphs


def change_page(page: BenchPage, change: Callable[..., None], seed: int) -> bytes:
    """The page's HTML after a change, written again from its tree.  Deterministic."""
    root = html.document_fromstring(page.html)
    paragraphs = find_paragraphs(page, root)
    change(root, paragraphs, random.Random(f"{seed} {page.url}"))
    return bytes(html.tostring(root, encoding="utf-8", doctype="<!DOCTYPE html>"))


def no_change(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """Nothing."""


def fix_typo(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """Two letters of a word change places."""
    element = chance.choice(paragraphs)
    text = element.text
    matches = []
    for match in re.finditer(r"[^\W\d_]{4,}", text):
        word = match[0]
        if word[1] != word[2]:
            matches.append(match)
    if not matches:
        element.text = text[:-2] + text[-1]
        return

    match = chance.choice(matches)
    word = match[0]
    swapped = word[0] + word[2] + word[1] + word[3:]
    element.text = text[: match.start()] + swapped + text[match.end() :]


def edit_paragraph(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """A third of a paragraph's words are others."""
    element = chance.choice(paragraphs)
    words = element.text.split()
    third = len(words) // 3
    start = chance.randrange(max(1, len(words) - third))
    replacements = chance.choices(_WORDS, k=max(1, third))
    words[start : start + third] = replacements
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
    paragraph = chance.choice(paragraphs)
    first_element = root.find("body")[0]
    paragraph.addnext(_make_advert(text, chance.random()))
    first_element.addprevious(_make_advert(text, chance.random()))


def _make_advert(text: str, number: float) -> Any:
    return html.fromstring(
        f"<div class='ad-slot advert'><a href='http://ads.example/{number}'>"
        f"<img src='/ad.png' alt=''>{text}</a></div>"
    )


def add_comments(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """Two readers' comments at the end of the page."""
    rows = ""
    for _ in range(2):
        author = chance.choice(_WORDS)
        text = " ".join(chance.choices(_WORDS, k=25))
        rows += f"<li class='comment'><cite>{author}</cite><p>{text}.</p></li>"
    section = (
        f"<section id='comments' class='comments'><h3>2 comments</h3><ol>{rows}</ol></section>"
    )
    root.find("body").append(html.fromstring(section))


def add_related(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """Links to other articles at the end of the page."""
    rows = ""
    for i in range(5):
        title = " ".join(chance.choices(_WORDS, k=7)).capitalize()
        rows += f"<li><a href='/{i}{title[:9]}'>{title}</a></li>"
    section = f"<div class='related-posts'><h3>You may also like</h3><ul>{rows}</ul></div>"
    root.find("body").append(html.fromstring(section))


def count_up(root: Any, paragraphs: list[Any], chance: random.Random) -> None:
    """Another number of views, and a new token in the page's head."""
    token = html.Element("meta", name="csrf-token", content=str(chance.random()))
    head = root.find("head")
    if head is not None:
        head.append(token)
    views = f"<div class='views'>{chance.randrange(10**6)} views</div>"
    root.find("body").append(html.fromstring(views))


def _squeeze(text: str) -> str:
    return " ".join(text.split())


#: Changes of the article's text.
EDITS = (fix_typo, edit_paragraph, add_paragraph, delete_paragraph)
#: Changes of the page that are none of the article.
NOISE = (no_change, add_advert, add_comments, add_related, count_up)
