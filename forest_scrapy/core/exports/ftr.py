"""Export as a site config of FiveFilters' Full-Text RSS; wallabag and other users of Graby read
these, too.

Each line is ``name: value``, comments start with ``#``.  ``body`` and ``strip`` are XPath 1.0.
``strip`` is applied first, to the whole page; the first ``body`` line that finds something gives
the content, with all elements that it finds.  This is how ``Wrapper.keep`` works.
"""

from __future__ import annotations

from collections.abc import Iterator

from forest_scrapy.core.exports.origin import Origin, describe, is_on_one_line
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["write_ftr"]

#: The format's names of fields that can be in an element; declared ones it reads by itself.
_FIELDS = {"title": "title", "author": "authors", "date": "published"}


def write_ftr(wrapper: Wrapper, origin: Origin) -> str:
    """The lines of the config; an expression with a line break becomes a comment."""
    return "\n".join(_lines(wrapper, origin)) + "\n"


def _lines(wrapper: Wrapper, origin: Origin) -> Iterator[str]:
    yield f"# {describe(wrapper, origin)}"
    yield f"# A site config of Full-Text RSS: save it as {origin.host.removeprefix('www.')}.txt"
    yield ""
    if wrapper.take == "largest":
        yield "# Of several elements the wrapper keeps the one with the most text; this keeps all."
    yield from (_rule("body", xpath) for xpath in wrapper.keep)
    yield from (_rule("strip", xpath) for xpath in wrapper.drop)
    for name, sources in _FIELDS.items():
        xpaths = filter(is_xpath, getattr(wrapper.fields, sources))
        yield from (_rule(name, xpath) for xpath in xpaths)
    yield ""
    yield "# The rules are complete, and count levels in the tree that libxml2 builds."
    yield from ("prune: no", "tidy: no", "parser: libxml")
    if origin.urls:
        yield ""
        yield from (f"test_url: {url}" for url in origin.urls if is_on_one_line(url))


def _rule(name: str, xpath: str) -> str:
    if is_on_one_line(xpath):
        return f"{name}: {xpath}"
    return f"# {name} with a line break, which the format cannot contain: {xpath!r}"
