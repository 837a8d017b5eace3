"""Changes made to recorded pages: of the article's text, and of what is around it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
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


def is_editable(page: BenchPage) -> bool:
    """Whether a page has a paragraph that can be edited."""
    if not page.html.strip():
        return False
    root = html.document_fromstring(page.html)
    paragraphs = find_paragraphs(page, root)
    return bool(paragraphs)


@dataclass(frozen=True)
class EditablePage:
    """The tree of a page, its paragraphs that can be edited, and what decides by chance."""

    root: Any
    paragraphs: list[Any]
    chance: random.Random

    def choose_paragraph(self) -> Any:
        return self.chance.choice(self.paragraphs)

    def write(self, count: int) -> str:
        """So many words."""
        return " ".join(self.chance.choices(_WORDS, k=count))


def change_page(page: BenchPage, change: Callable[[EditablePage], None], seed: int) -> bytes:
    """The page's HTML after a change, written again from its tree.  Deterministic."""
    root = html.document_fromstring(page.html)
    paragraphs = find_paragraphs(page, root)
    chance = random.Random(f"{seed} {page.url}")
    change(EditablePage(root, paragraphs, chance))
    return bytes(html.tostring(root, encoding="utf-8", doctype="<!DOCTYPE html>"))


def no_change(page: EditablePage) -> None:
    """Nothing."""


def fix_typo(page: EditablePage) -> None:
    """Two letters of a word change places."""
    element = page.choose_paragraph()
    text = element.text
    matches = []
    for match in re.finditer(r"[^\W\d_]{4,}", text):
        word = match[0]
        if word[1] != word[2]:
            matches.append(match)
    if not matches:
        element.text = text[:-2] + text[-1]
        return

    match = page.chance.choice(matches)
    letters = list(match[0])
    second_letter = letters.pop(1)
    letters.insert(2, second_letter)
    swapped = "".join(letters)
    before = text[: match.start()]
    after = text[match.end() :]
    element.text = f"{before}{swapped}{after}"


def edit_paragraph(page: EditablePage) -> None:
    """A third of a paragraph's words are others."""
    element = page.choose_paragraph()
    words = element.text.split()
    third = len(words) // 3
    starts = max(1, len(words) - third)
    start = page.chance.randrange(starts)
    end = start + third
    count = max(1, third)
    words[start:end] = page.chance.choices(_WORDS, k=count)
    element.text = " ".join(words)


def add_paragraph(page: EditablePage) -> None:
    """A paragraph more, after another one."""
    added = html.Element("p")
    text = page.write(40)
    added.text = f"{text.capitalize()}."
    paragraph = page.choose_paragraph()
    paragraph.addnext(added)


def delete_paragraph(page: EditablePage) -> None:
    """A paragraph less."""
    element = page.choose_paragraph()
    parent = element.getparent()
    parent.remove(element)


def add_advert(page: EditablePage) -> None:
    """An advertisement between two paragraphs, and one at the top of the page."""
    text = page.write(6)
    paragraph = page.choose_paragraph()
    body = page.root.find("body")
    first_element = body[0]
    advert = _make_advert(text, page.chance.random())
    paragraph.addnext(advert)
    advert_at_top = _make_advert(text, page.chance.random())
    first_element.addprevious(advert_at_top)


def _make_advert(text: str, number: float) -> Any:
    return html.fromstring(
        f"<div class='ad-slot advert'><a href='http://ads.example/{number}'>"
        f"<img src='/ad.png' alt=''>{text}</a></div>"
    )


def add_comments(page: EditablePage) -> None:
    """Two readers' comments at the end of the page."""
    rows = ""
    for _ in range(2):
        author = page.chance.choice(_WORDS)
        text = page.write(25)
        rows += f"<li class='comment'><cite>{author}</cite><p>{text}.</p></li>"
    section = (
        f"<section id='comments' class='comments'><h3>2 comments</h3><ol>{rows}</ol></section>"
    )
    _append(page, section)


def _append(page: EditablePage, markup: str) -> None:
    """Add an element at the end of the page."""
    body = page.root.find("body")
    element = html.fromstring(markup)
    body.append(element)


def add_related(page: EditablePage) -> None:
    """Links to other articles at the end of the page."""
    rows = ""
    for number in range(5):
        words = page.write(7)
        title = words.capitalize()
        path = f"/{number}{title[:9]}"
        rows += f"<li><a href='{path}'>{title}</a></li>"
    section = f"<div class='related-posts'><h3>You may also like</h3><ul>{rows}</ul></div>"
    _append(page, section)


def count_up(page: EditablePage) -> None:
    """Another number of views, and a new token in the page's head."""
    token = str(page.chance.random())
    meta = html.Element("meta", name="csrf-token", content=token)
    head = page.root.find("head")
    if head is not None:
        head.append(meta)
    views = page.chance.randrange(10**6)
    _append(page, f"<div class='views'>{views} views</div>")


def _squeeze(text: str) -> str:
    return " ".join(text.split())


#: Changes of the article's text.
EDITS = (fix_typo, edit_paragraph, add_paragraph, delete_paragraph)
#: Changes of the page that are none of the article.
NOISE = (no_change, add_advert, add_comments, add_related, count_up)
