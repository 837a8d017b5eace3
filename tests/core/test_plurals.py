"""Numbers with nouns, in Python and in the templates of reports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import forest_scrapy
from forest_scrapy.core.plurals import count

PACKAGE = Path(forest_scrapy.__file__).parent
#: Nouns of things that messages count.
_NOUNS = (
    "articles|pages|feeds|entries|items|templates|records|links|files|requests|hosts|forms|probes"
    "|characters|bytes|sitemaps|URLs|versions|wrappers|digests|writes|rounds"
)
#: A number of a log line, of an f-string or of Jinja before a plural.
_NUMBER = re.compile(
    r"(?<! of )(?:%d|\{[\w.:]*(?:len\([^{}]*\)|count|number)[\w.:,]*\}|\{\{[^{}]*\|length \}\})"
    rf" (?:{_NOUNS})\b"
)
#: Limits, which are never 1.
_LIMITS = ("lists %d feeds; only", "ore than %d", "%d probes in a row")


@pytest.mark.parametrize(("number", "text"), [(0, "0 pages"), (1, "1 page"), (1.5, "1.5 pages")])
def test_one_thing_has_no_plural(number: float, text: str) -> None:
    assert count(number, "page") == text


def test_messages_count_by_this_function() -> None:
    wrong = []
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.html")]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            is_limit = any(limit in line for limit in _LIMITS)
            if _NUMBER.search(line) and not is_limit:
                wrong.append(f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}")
    assert wrong == []
