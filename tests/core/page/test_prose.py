from __future__ import annotations

import pytest

from forest_scrapy.core.page.prose import MIN_CHARACTERS, find_prose_outside
from forest_scrapy.core.page.tree import parse_html

SENTENCE = "The ferry left the harbour at dawn, an hour after the tide had turned for the day."


def tags_outside(html: str) -> dict[str, int]:
    root = parse_html(html)
    return {block.tag: count for block, count in find_prose_outside(root, set()).items()}


@pytest.mark.parametrize(
    ("html", "tag"),
    [
        (f"<p>{SENTENCE}</p>", "p"),
        (f"<p><b>x</b> {SENTENCE}</p>", "p"),
        (f"<p><em>{SENTENCE}</em></p>", "p"),
        (f"<ul><li>{SENTENCE}</ul>", "li"),
        (f"<div><p>x</p>{SENTENCE}</div>", "div"),
    ],
)
def test_long_texts_belong_to_the_block_around_them(html: str, tag: str) -> None:
    assert tags_outside(html) == {tag: len(SENTENCE)}


@pytest.mark.parametrize(
    "html",
    [
        "<p>short</p>",
        f"<p><a href=/>{SENTENCE}</a></p>",
        f"<a href=/><p>{SENTENCE}</p></a>",
        f"<script>{SENTENCE}</script>",
        f"<noscript><p>{SENTENCE}</p></noscript>",
        f"<button>{SENTENCE}</button>",
        f"<title>{SENTENCE}</title>",
        f"<p>{' ' * 2 * MIN_CHARACTERS}</p>",
        f"<!-- {SENTENCE} -->",
    ],
)
def test_labels_links_and_code_of_the_page_are_no_prose(html: str) -> None:
    assert tags_outside(html) == {}


def test_content_is_not_outside() -> None:
    root = parse_html(f"<div><p>{SENTENCE}</p><p>{SENTENCE} {SENTENCE}</p></div>")
    first, second = root.iter("p")
    assert list(find_prose_outside(root, {first})) == [second]
    assert find_prose_outside(root, {first, second}) == {}


def test_deep_pages() -> None:
    root = parse_html(f"{'<div>' * 200}{SENTENCE}{'</div>' * 200}")
    assert list(find_prose_outside(root, set()).values()) == [len(SENTENCE)]
