"""What to say of articles by another method than the one that was asked for."""

from collections.abc import Mapping

from forest_scrapy.core.methods import METHODS, TRAINED_METHODS
from forest_scrapy.core.plurals import count

_TEMPLATE = "at least two pages of a template"
#: What a method needs to give an article; of the others, text that it takes for content.
_NEEDS = {
    "coverage": _TEMPLATE,
    "description": "a feed entry",
    "entropy": _TEMPLATE,
    "forest": _TEMPLATE,
    "forest-feeds": f"{_TEMPLATE}, with feed entries",
    "forest-records": _TEMPLATE,
}


def describe_substitutes(method: str, articles: Mapping[str, int]) -> str:
    """How many articles are by other methods than ``FOREST_METHOD``, and what it needs; whoever
    compares methods would compare others.  ``""`` if there are none, or if no method of a paper was
    asked for.  ``articles``: their number by method.

    >>> describe_substitutes("description", {"description": 1, "single": 2})
    '2 articles are not by description, which needs a feed entry'
    >>> describe_substitutes("auto", {"trained": 3})
    ''
    """
    if method in TRAINED_METHODS:
        return ""
    others = 0
    for name, number in articles.items():
        if name in METHODS and name != method:
            others += number
    if not others:
        return ""
    verb = "is" if others == 1 else "are"
    needed = _NEEDS.get(method, "text that it takes for content")
    return f"{count(others, 'article')} {verb} not by {method}, which needs {needed}"
