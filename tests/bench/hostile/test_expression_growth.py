"""The time of regular expressions does not grow with the square of the text."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks.hostile import expression_growth
from benchmarks.hostile.expression_growth import BOUNDS, Bound, growth, problem_of
from benchmarks.hostile.package_expressions import (
    NamedExpression,
    package_expressions,
    unknown_makers,
)
from forest_scrapy.core.joining import articles
from forest_scrapy.responses import conversion
from tests.crawls.helpers import thorough

pytestmark = pytest.mark.slow

#: The expressions are tested in so many tests.
_PARTS = 12


@cache
def all_expressions() -> Sequence[NamedExpression]:
    """Read when a test asks for them: all modules are searched, which takes seconds."""
    return package_expressions()


@pytest.fixture
def measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time is measured once: it is far above the limits, whatever else the machine does."""
    monkeypatch.setattr(expression_growth, "MAX_ATTEMPTS", 1)


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(_PARTS))
def test_no_expression_of_the_package_grows_with_the_square(part: int) -> None:
    problems = [problem_of(named) for named in all_expressions()[part::_PARTS]]
    assert not list(filter(None, problems))


@pytest.mark.usefixtures("measured_once")
@pytest.mark.parametrize(
    "pattern",
    [
        r"\w+@",
        thorough(r"\s*[|]"),
        thorough(r"\(.*?\)"),
        thorough(r"#.*comment"),
        r"(?:product|item)[\w-]*name",
        thorough(r"\s*\n\s*$"),
    ],
)
def test_an_expression_that_is_searched_and_grows_with_the_square_is_told(pattern: str) -> None:
    problem = problem_of(NamedExpression("it", re.compile(pattern)))
    assert "it.search" in problem


@pytest.mark.usefixtures("measured_once")
@pytest.mark.parametrize(
    "pattern", [thorough(r"\s*(?:a|b)?\s*c"), r"\w*(?:query)\w*", thorough(r"(?:a+)+b")]
)
def test_an_expression_that_is_matched_and_grows_with_the_square_is_told(pattern: str) -> None:
    assert problem_of(NamedExpression("it", re.compile(pattern), ("fullmatch",)))


@pytest.mark.parametrize(
    "pattern",
    [r"(?<!\s)\s++[|]", r"a+", r"[(][^)\n]*+[)]?", r"\b[a-z]{1,60}@", "(?:read|see) more"],
)
def test_an_expression_that_takes_linear_time_is_not_told(pattern: str) -> None:
    assert not problem_of(NamedExpression("it", re.compile(pattern)))


def test_a_bound_that_is_too_large_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    named = NamedExpression("it", re.compile(r"\s*[|]"), ("search",))
    monkeypatch.setitem(expression_growth.BOUNDS, "it", Bound(100, "nowhere"))
    assert not problem_of(named)
    monkeypatch.setitem(expression_growth.BOUNDS, "it", Bound(3_000, "nowhere"))
    assert "3000 characters" in problem_of(named)


@pytest.mark.thorough
@pytest.mark.usefixtures("measured_once")
def test_all_bounds_are_those_of_expressions_that_need_one() -> None:
    needing = {
        named.name
        for named in all_expressions()
        if named.name in BOUNDS
        and (result := growth(named)) is not None
        and result.exponent > expression_growth.MAX_EXPONENT
    }
    assert needing == set(BOUNDS)


def test_expressions_are_found_in_variables_containers_tables_and_functions() -> None:
    names = {named.name.removeprefix("forest_scrapy.") for named in all_expressions()}
    for name in (
        "core.page.urls._PORT",
        "core.fields.dates._SHAPES",
        "core.boilerplate.asides._LABELS",
        "core.page.loose_json._TO_QUOTE",
        "core.page.embeds._SERVICES",
        "core.page.urls.with_scheme",
        "core.fields.bylines._phrases_of",
        "forms.purposes._search_pattern",
    ):
        assert name in names, name


def test_a_function_that_makes_an_expression_is_listed() -> None:
    assert unknown_makers() == []


def test_a_function_that_makes_an_expression_and_is_not_listed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "import re\ndef f(a):\n    return re.search(a, 'b')"
    package = _make_package(tmp_path, monkeypatch, source)
    assert unknown_makers(package) == ["made_package.inner.f"]


def test_a_new_expression_is_found_however_it_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = r"""
import re
from functools import lru_cache

_A = re.compile("a+")
_B = {"x": [re.compile("b+").match]}

class Holder:
    inner = re.compile("c+")

@lru_cache(1)
def make() -> re.Pattern[str]:
    return re.compile("d+")

def read(text):
    _A.sub("", text)
    return re.split("e+", text)
"""
    package = _make_package(tmp_path, monkeypatch, source)
    found = {named.expression.pattern: named for named in package_expressions(package)}
    assert set(found) == {"a+", "b+", "c+", "d+", "e+"}
    assert found["a+"].methods == ("search",)
    assert found["b+"].methods == ("match",)
    assert found["e+"].methods == ("search",)


def _make_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> ModuleType:
    folder = tmp_path / "made_package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "inner.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("made_package", "made_package.inner"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("made_package")


def test_many_stylesheets_before_a_page_are_read_in_one_way() -> None:
    start = b"<?xml version='1.0'?>" + b"<?xml-stylesheet href='a.css'?> <!-- a --> " * 200
    assert conversion._XML.match(start + b"<rss>")
    assert not conversion._XML.match(start + b"<p>")


@pytest.mark.parametrize(
    ("line", "is_pager"),
    [("Page 1 2 [3] (4)", True), ("page 12", True), ("Page 1", False), ("page " + "1" * 190, True)],
)
def test_the_numbers_of_a_pager_are_read_in_one_way(line: str, is_pager: bool) -> None:
    assert articles._is_pager(line, 5) == is_pager
    assert not articles._is_pager(line + "x", 5)
