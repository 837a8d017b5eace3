"""As a site config of FiveFilters' Full-Text RSS, which wallabag and others (Graby) read too.

One ``name: value`` a line, ``#`` before comments.  ``body`` and ``strip`` take XPath 1.0, unions
too; ``strip`` is done first and on the whole page; of several ``body`` lines the first that
finds something is taken, with all that it finds: what ``Wrapper.keep`` means.
"""

from __future__ import annotations

from collections.abc import Iterator

from forest_scrapy.core.exports.origin import Origin, describe, on_one_line
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["write_ftr"]

#: Its names of the fields that pages show in an element; what pages declare it finds by itself.
_FIELDS = {"title": "title", "author": "authors", "date": "published"}


def write_ftr(wrapper: Wrapper, origin: Origin) -> str:
    """The lines of the config; a rule that does not fit on one becomes a comment."""
    return "\n".join(_lines(wrapper, origin)) + "\n"


def _lines(wrapper: Wrapper, origin: Origin) -> Iterator[str]:
    yield f"# {describe(wrapper, origin)}"
    yield f"# A site config of Full-Text RSS: save it as {origin.host.removeprefix('www.')}.txt"
    yield ""
    if wrapper.take == "largest":
        yield "# Of several elements found the wrapper takes the one with most text, this all."
    yield from (_rule("body", xpath) for xpath in wrapper.keep)
    yield from (_rule("strip", xpath) for xpath in wrapper.drop)
    for name, sources in _FIELDS.items():
        shown = filter(is_xpath, getattr(wrapper.fields, sources))
        yield from (_rule(name, xpath) for xpath in shown)
    yield ""
    yield "# The rules say all that is to be left out, and count levels as libxml2 reads pages."
    yield from ("prune: no", "tidy: no", "parser: libxml")
    if origin.urls:
        yield ""
        yield from (f"test_url: {url}" for url in origin.urls if on_one_line(url))


def _rule(name: str, xpath: str) -> str:
    if on_one_line(xpath):
        return f"{name}: {xpath}"
    return f"# {name}, but not on one line: {xpath!r}"
