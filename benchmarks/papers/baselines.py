"""The extractors that Gottron 2008 compares with: all text, and the document slope curve."""

from __future__ import annotations

from typing import NamedTuple

from lxml import etree

from forest_scrapy.core import Page

#: Elements whose text no reader sees.
UNSEEN = ("script", "style", "noscript", "template", "title", "head")
#: Tokens of a window, and the share of the page's slope below which a window is flat.  Gottron
#: gives neither; the latter is that of Pinto et al. 2002.
WINDOW = 50
FLAT = 0.5


class Token(NamedTuple):
    """A word, or a tag if it is empty."""

    word: str = ""


def extract_plain(html: bytes) -> str:
    """All words of the page.

    >>> extract_plain(b"<h1>Owls</h1><script>x</script><p>at night")
    'Owls at night'
    """
    return " ".join(token.word for token in read_tokens(html) if token.word)


def extract_slope(html: bytes) -> str:
    """The words of the windows that have few tags for their page: DSC, the document slope curve.

    The curve counts the tags among the tokens so far; where it is flat, there is prose.
    """
    tokens = read_tokens(html)
    slope = _slope(tokens)
    words = []
    for start in range(0, len(tokens), WINDOW):
        window = tokens[start : start + WINDOW]
        if _slope(window) < FLAT * slope:
            words += [token.word for token in window if token.word]
    return " ".join(words)


def read_tokens(html: bytes) -> list[Token]:
    """The tags and words of the page in the order of the source."""
    root = Page.from_html(html.decode("utf-8", "replace")).root
    tokens: list[Token] = []
    unseen = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        is_unseen = element.tag in UNSEEN
        if event == "start":
            unseen += is_unseen
            text = element.text
        else:
            unseen -= is_unseen
            text = element.tail
        tokens.append(Token())
        if not unseen:
            tokens += [Token(word) for word in (text or "").split()]
    return tokens


def _slope(tokens: list[Token]) -> float:
    tags = sum(not token.word for token in tokens)
    return tags / (len(tokens) or 1)
