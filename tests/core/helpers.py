"""Helpers of the tests of the core: tables of cases, pages, trees and scores."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import strategies as st
from lxml import etree

from demo import build_site
from demo.stories import load_stories
from forest_scrapy.core import Entry, Page, Wrapper
from forest_scrapy.core.markdown.blocks import to_markdown
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.markup import clean_markup
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.core.records import RecordWrapper
from forest_scrapy.core.rules import TemplateRules
from forest_scrapy.core.templates.fingerprints import overlap_distance

BASE = "http://demo.example"

#: Attributes of random elements.
ATTRIBUTES = ("class", "id", "itemprop", "role", "href", "data-x")
PIECES = (
    *"<div> </div> <p> </p> <span> </span> <a> </a> <ul> <li> </ul> <td> </td> <br> <hr>".split(),
    *"<table> <tr> </table> <article> </article> <section> <main> <body> </body> <html>".split(),
    *"<script> </script> <style> </style> <!-- --> <pre> </pre> <svg> </svg> <h1> </h1>".split(),
    *"<head> </head> <title> </title> <form> <input> <x-card> &amp; &lt; &#0; &bogus; < >".split(),
    *'<div <p " <!doctype <![CDATA[ ]]> <?php <frameset> <template> </template>'.split(),
)
WORDS = (
    "the",
    "sea",
    "boats",
    "harbour",
    "fish 42",
    "owl",
    "hedge",
    "漁師が港",
    "ชาวประมง",
    "\xa0",
)


def read_cases(name: str, table: str) -> list[Any]:
    """The cases of a table, as pytest parameters with their descriptions as ids.

    A case with ``bug`` describes a known bug and must fail.
    """
    tables = json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
    return [
        pytest.param(
            case,
            id=case["description"],
            marks=[pytest.mark.xfail(strict=True, reason=case["bug"])] if "bug" in case else [],
        )
        for case in tables[table]
    ]


def html_texts() -> st.SearchStrategy[str]:
    """Random texts that look like HTML, most of it invalid."""
    value = st.text(alphabet="abc-19 '", max_size=8)
    tag = st.sampled_from(("div", "p", "article", "span", "td", "h2", "section"))
    opened = st.builds('<{} {}="{}">'.format, tag, st.sampled_from(ATTRIBUTES), value)
    piece = st.one_of(st.sampled_from(PIECES), st.sampled_from(WORDS), opened)
    return st.lists(piece, max_size=25).map(" ".join)


def make_page(body: str, url: str = "http://a.example/1", entry: Entry | None = None) -> Page:
    """A page in a language without a stemmer and stop words, so that every word is a term."""
    return Page.from_html(f"<html lang=xx><body>{body}</body>", url, entry)


def make_pages(*bodies: str) -> list[Page]:
    return [make_page(body, f"http://a.example/{i}") for i, body in enumerate(bodies)]


def chain_tree(depth: int, text: str) -> Any:
    """An HTML tree with ``depth`` nested ``div`` elements and a text in the innermost."""
    root = etree.Element("html")
    element = etree.SubElement(root, "body")
    for _ in range(depth):
        element = etree.SubElement(element, "div", {"class": "x"})
    element.text = text
    return root


@cache
def demo_articles(section: str, with_entries: bool = True) -> tuple[tuple[Page, str], ...]:
    """The article pages of a demo section, ``news`` or ``journal``, with their gold texts."""
    site = build_site(BASE)
    summaries = {story.path: story.summary for story in load_stories()}
    found = []
    for article in site.articles:
        if article.path.startswith(f"/{section}/"):
            entry = Entry(article.title, summaries[article.path]) if with_entries else None
            html = site.files[article.path][1].decode()
            found.append((Page.from_html(html, BASE + article.path, entry), article.text))
    return tuple(found)


def demo_pages(section: str, with_entries: bool = True) -> list[Page]:
    return [page for page, _ in demo_articles(section, with_entries)]


def score_texts(gold: str, found: str) -> float:
    """F1 of the sets of word 2-grams (FOREST section 4)."""
    wanted, given = _bigrams(gold), _bigrams(found)
    return 2 * len(wanted & given) / (len(wanted) + len(given))


def score_wrappers(articles: Iterable[tuple[Page, str]], wrappers: Iterable[Wrapper]) -> float:
    """The mean F1 of articles, each with its own wrapper."""
    return fmean(
        score_texts(gold, wrapper.apply(page).text)
        for (page, gold), wrapper in zip(articles, wrappers, strict=True)
    )


def _bigrams(text: str) -> set[tuple[str, str]]:
    return set(pairwise(re.findall(r"\w+", text.lower())))


def clean_html(fragment: str, url: str = "") -> str:
    """The fragment as an article's HTML has it."""
    body = next(parse_html(f"<div>{fragment}</div>").iter("body"))
    holder = body[0] if len(body) == 1 and body[0].tag == "div" else body
    markup = read_content(holder, base=url).markup
    return clean_markup(markup.removeprefix("<div>").removesuffix("</div>"))


def read_markdown(fragment: str, url: str = "http://a.example/p") -> str:
    """The Markdown of the content of a fragment."""
    root = parse_html(f"<div>{fragment}</div>")
    return to_markdown(clean_markup(read_content(root, base=url).markup))


def html_text(fragment: str) -> str:
    """The text of a fragment, one line per block."""
    return block_text(parse_html(f"<div>{fragment}</div>"))


def read_again(records: RecordWrapper) -> RecordWrapper | None:
    """The wrapper, written as JSON and read again."""
    return TemplateRules.loads(TemplateRules(records=records).dumps()).records


def distance_of(a: frozenset[int], b: frozenset[int]) -> float:
    """The distance of two sets of features, all with the same weight."""
    return overlap_distance(len(a & b), len(a), len(b), a == b)


def edited_thread() -> tuple[str, str]:
    """A thread whose posts have the same answer, before and after 250 of its posts were edited."""
    thanks = "Thanks, that helped me a lot!"
    old_lines = []
    new_lines = []
    for number in range(500):
        post = f"Post {number} says something of its own."
        old_lines += [post, thanks]
        new_lines += [f"{post} Edited." if number % 2 else post, thanks]
    return "\n".join(old_lines), "\n".join(new_lines)
