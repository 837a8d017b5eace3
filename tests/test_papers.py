"""docs/papers.md: what became of each method of the papers, with places in the code that exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import forest_scrapy

PACKAGE = Path(forest_scrapy.__file__).parent
ROOT = PACKAGE.parent
COLUMNS = ["paper", "what", "here", "code", "command"]
STATES = ("works", "differs", "missing")
#: The shortest reason: "missing: as above".
MIN_REASON = 8
CODE = re.compile(r"`([^`]+)`")
EQUATIONS = re.compile(r"\bequations? (\d+)(?: (to|and) (\d+))?")


class Row(NamedTuple):
    """A row of the tables."""

    paper: str
    what: str
    here: str
    code: str
    command: str

    @property
    def state(self) -> str:
        return re.split(r"[:;, ]", self.here)[0]


@cache
def read_rows() -> tuple[Row, ...]:
    rows = []
    for line in (ROOT / "docs" / "papers.md").read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == len(COLUMNS), line
        is_head = cells == COLUMNS or set(line) <= set("|-")
        if not is_head:
            rows.append(Row(*cells))
    return tuple(rows)


@cache
def names_in(module: Path) -> frozenset[str]:
    """The functions, classes and constants of a module, and the members of its classes.  Modules
    are parsed and not imported: some need packages that are not installed everywhere."""
    names = set()
    for statement in ast.parse(module.read_text(encoding="utf-8")).body:
        defined = _defined(statement)
        names.update(defined)
        if isinstance(statement, ast.ClassDef):
            for member in statement.body:
                names.update(f"{statement.name}.{name}" for name in _defined(member))
    return frozenset(names)


def _defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def find_place(place: str) -> tuple[Path, str]:
    """The module and the name in it of a place such as ``core.methods.forest.density``; the name is
    ``""`` if the place is a module.  Raises ``LookupError`` if there is no such module."""
    parts = place.split(".")
    start = ROOT if parts[0] == "benchmarks" else PACKAGE
    for end in range(len(parts), 0, -1):
        path = start.joinpath(*parts[:end])
        module = path.with_suffix(".py")
        if not module.is_file():
            module = path / "__init__.py"
        if module.is_file():
            return module, ".".join(parts[end:])
    raise LookupError(place)


def has_code(place: str) -> bool:
    try:
        module, name = find_place(place)
    except LookupError:
        return False
    return not name or name in names_in(module)


def docstrings_of(place: str) -> str:
    """The docstrings of a module and of the function or class in it, on one line."""
    module, name = find_place(place)
    tree = ast.parse(module.read_text(encoding="utf-8"))
    docstrings = [ast.get_docstring(tree) or ""]
    scope: ast.Module | ast.ClassDef = tree
    for part in name.split("."):
        for child in scope.body:
            if isinstance(child, ast.FunctionDef | ast.ClassDef) and child.name == part:
                docstrings.append(ast.get_docstring(child) or "")
                if isinstance(child, ast.ClassDef):
                    scope = child
    return " ".join(" ".join(docstrings).split())


def equations_in(text: str) -> set[int]:
    """The numbers of the equations that a text names.

    >>> sorted(equations_in("equation 5; equations 1 to 3, and equations 13 and 14"))
    [1, 2, 3, 5, 13, 14]
    """
    numbers = set()
    for first, link, second in EQUATIONS.findall(text):
        last = int(second or first)
        numbers.update(range(int(first), last + 1) if link == "to" else (int(first), last))
    return numbers


@cache
def names_of(folder: str) -> frozenset[str]:
    """The names of the actions of ``scrapy forest``, or of the spiders."""
    names = set()
    for module in (PACKAGE / folder).glob("*.py"):
        text = module.read_text(encoding="utf-8")
        names.update(re.findall(r'^    name = "([\w-]+)"$', text, re.MULTILINE))
    return frozenset(names)


def has_command(command: str) -> bool:
    """Whether the module, action, spider or test that a command names exists, and knows the
    options; those of spiders are not looked at."""
    words = command.split()
    options = [word for word in words if word.startswith("--")]
    if command.startswith("python -m benchmarks."):
        path = ROOT.joinpath(*words[2].split("."))
        module = path.with_suffix(".py")
        modules = [module] if module.is_file() else list(path.glob("*.py"))
        return bool(modules) and _know(modules, options)
    if command.startswith("scrapy forest "):
        modules = list((PACKAGE / "commands").glob("*.py"))
        return words[2] in names_of("commands") and _know(modules, options)
    if command.startswith("scrapy crawl "):
        return words[2] in names_of("spiders")
    return words[0] == "pytest" and (ROOT / words[1]).is_file()


def _know(modules: list[Path], options: list[str]) -> bool:
    text = "".join(module.read_text(encoding="utf-8") for module in modules)
    return all(f'"{option}"' in text for option in options)


def test_there_are_enough_rows_and_none_twice() -> None:
    rows = read_rows()
    assert len(rows) >= 120
    counts = Counter((row.paper, row.what) for row in rows)
    assert [row for row, count in counts.items() if count > 1] == []


def test_each_paper_is_there() -> None:
    papers = Counter(row.paper.split()[0] for row in read_rows())
    assert {"FOREST", "Gottron", "Luo", "PARIS", "Zhang", "thesis"} == set(papers)


def test_each_row_has_a_state_and_those_that_do_not_work_a_reason() -> None:
    wrong = []
    for row in read_rows():
        reason = row.here.partition(":")[2]
        needs_reason = row.state != "works"
        if row.state not in STATES or (needs_reason and len(reason) < MIN_REASON):
            wrong.append(row)
    assert wrong == []


def test_the_code_exists() -> None:
    wrong = []
    for row in read_rows():
        places = CODE.findall(row.code)
        needs_place = row.state != "missing"
        if (needs_place and not places) or not all(map(has_code, places)):
            wrong.append((row.paper, row.code))
    assert wrong == []


@pytest.mark.slow
def test_docstrings_name_the_equations_that_they_implement() -> None:
    wrong = []
    for row in read_rows():
        places = CODE.findall(row.code)
        docstrings = " ".join(map(docstrings_of, places))
        if places and not equations_in(row.paper) <= equations_in(docstrings):
            wrong.append((row.paper, row.code))
    assert wrong == []


def test_the_commands_exist() -> None:
    wrong = []
    for row in read_rows():
        commands = CODE.findall(row.command)
        if bool(row.command) != bool(commands) or not all(map(has_command, commands)):
            wrong.append((row.paper, row.command))
    assert wrong == []


@pytest.mark.parametrize(
    ("place", "is_there"),
    [
        ("core.methods.forest.density", True),
        ("core.page.page.Page.declared_entry", True),
        ("core.methods", True),
        ("benchmarks.quality.partitions", True),
        ("core.methods.forest.weight", False),
        ("core.page.page.Page.weight", False),
        ("core.method", False),
        ("density", False),
    ],
)
def test_places_that_do_not_exist_are_noticed(place: str, is_there: bool) -> None:
    assert has_code(place) == is_there


@pytest.mark.parametrize(
    "command",
    [
        "python -m benchmarks.qualities SET",
        "python -m benchmarks.quality SET --measure",
        "scrapy forest explains PAGE",
        "scrapy crawl feed",
        "pytest tests/core/test_nothing.py",
    ],
)
def test_commands_that_do_not_exist_are_noticed(command: str) -> None:
    assert not has_command(command)
