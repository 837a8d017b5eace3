"""What elements of the same kind have in common, and the XPath that finds them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from cssselect.xpath import GenericTranslator

from forest_scrapy.core.document.tree import Element
from forest_scrapy.core.patterns.anchored import AnchoredPath, anchored_xpath, write_anchored_path
from forest_scrapy.core.patterns.element_types import CONTROL
from forest_scrapy.core.patterns.xpaths import write_step

__all__ = ["RecordKey", "TokenKey", "token_keys", "write_key", "write_key_xpath"]

_DIGITS = re.compile(r"[0-9]+")
#: Attributes whose tokens tell what an element is.
_NAMES = ("class", "id", "itemprop", "itemtype")
#: Tokens read of an attribute; elements of hostile pages may have thousands.
_MOST_TOKENS, _LONGEST_VALUE = 8, 400
#: Elements that are records without any attribute.
_TELLING = frozenset(("article", "li"))

_literal = GenericTranslator.xpath_literal


class TokenKey(NamedTuple):
    """A tag, and one token of an attribute, without digits (``""``: any element with the tag).

    >>> TokenKey("div", "class", "post")
    TokenKey(tag='div', name='class', token='post')
    """

    tag: str
    name: str
    token: str


#: What the elements of a candidate have in common.
RecordKey = TokenKey | AnchoredPath


def token_keys(element: Element) -> Iterator[TokenKey]:
    """The keys of an element, from its attributes.

    >>> from lxml.html import fromstring
    >>> [key.token for key in token_keys(fromstring('<div class="post odd" id="p-12">'))]
    ['post', 'odd', 'p-']
    """
    tag = str(element.tag)
    if tag in _TELLING or "-" in tag:
        yield TokenKey(tag, "", "")
    for name in _NAMES if element.attrib else ():
        value = element.get(name)
        if value and len(value) <= _LONGEST_VALUE:
            for token in _tokens(value):
                yield TokenKey(tag, name, token)


@lru_cache(maxsize=20_000)
def _tokens(value: str) -> tuple[str, ...]:
    if CONTROL.search(value):
        return ()
    tokens = (_DIGITS.sub("", token) for token in value.split()[:_MOST_TOKENS])
    return tuple(dict.fromkeys(token for token in tokens if len(token) > 1))


def write_key(key: RecordKey) -> str:
    """The key in a short form, unique to it.

    >>> write_key(TokenKey("div", "class", "post"))
    'div[class~=post]'
    """
    if isinstance(key, TokenKey):
        return f"{key.tag}[{key.name}~={key.token}]" if key.name else key.tag
    return write_anchored_path(key)


def write_key_xpath(key: RecordKey, elements: Sequence[Element]) -> str:
    """The expression that finds the elements with the key; ``elements``: those it was found on.

    >>> from lxml.html import fromstring
    >>> write_key_xpath(TokenKey("div", "class", "post"), [fromstring('<div class="post">')])
    "//div[contains(concat(' ',normalize-space(@class),' '),' post ')]"
    """
    if not isinstance(key, TokenKey):
        return anchored_xpath(key, elements)
    if not key.name:
        return f"//{write_step(key.tag)}"
    values = [(element.get(key.name) or "").split() for element in elements]
    is_exact = all(key.token in tokens for tokens in values)
    value = f"@{key.name}" if is_exact else f"translate(@{key.name},'0123456789','')"
    token = _literal(f" {key.token} ")
    return f"//{write_step(key.tag)}[contains(concat(' ',normalize-space({value}),' '),{token})]"
