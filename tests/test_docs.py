"""The documentation names every setting, field and stat."""

from __future__ import annotations

import re
from configparser import ConfigParser
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import forest_scrapy
from forest_scrapy.core import METHODS
from forest_scrapy.items import Article
from forest_scrapy.settings import ForestSettings, MethodOptions

PACKAGE = Path(forest_scrapy.__file__).parent
ROOT = PACKAGE.parent
STAT = re.compile(r'"forest/([a-z_]+)/([a-z_]*)')


def read(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def describe(kind: type[ForestSettings | MethodOptions]) -> str:
    """The settings, or the options of ``FOREST_METHOD_OPTIONS``, as a table in Markdown."""
    is_settings = kind is ForestSettings
    head = "setting" if is_settings else "option"
    lines = [f"| {head} | default | meaning |", "|---|---|---|"]
    for one in fields(kind):
        name = f"FOREST_{one.name.upper()}" if is_settings else one.name
        default = _write_default(one.default)
        lines.append(f"| `{name}` | `{default}` | {one.metadata['meaning']} |")
    return "\n".join(lines)


def _write_default(value: Any) -> str:
    if isinstance(value, MethodOptions):
        return "{}"
    return f'"{value}"' if isinstance(value, str) else repr(value)


@pytest.mark.parametrize(
    ("kind", "page"), [(ForestSettings, "settings.md"), (MethodOptions, "methods.md")]
)
def test_the_table_of_the_settings(kind: type[ForestSettings | MethodOptions], page: str) -> None:
    assert describe(kind) in read(page), "replace the table by this one"


def test_article_fields() -> None:
    rows = "\n".join(line.split("|")[1] for line in read("fields.md").splitlines() if "|" in line)
    assert [field.name for field in fields(Article) if f"`{field.name}`" not in rows] == []


def test_methods() -> None:
    text = read("methods.md")
    assert [name for name in ("auto", *METHODS) if f"\n| `{name}` |" not in text] == []


def test_stats() -> None:
    sources = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    stats = {stat for source in sources for stat in STAT.findall(source)}
    text = read("stats-and-log.md")
    assert len(stats) > 15
    missing = [
        (stage, event)
        for stage, event in sorted(stats)
        if f"`{stage}/<" not in text and f"`{stage}/{event}`" not in text
    ]
    assert missing == []


@pytest.mark.parametrize("command", ["pytest", "scrapy crawl feeds -O articles.jsonl"])
def test_the_first_line_with_a_command_runs_it(command: str) -> None:
    """The gate runs these lines."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    first = next(line for line in lines if command in line)
    assert first.startswith("python3 -m venv .venv && ")
    assert first.endswith(command)


def test_dependencies_with_their_reasons() -> None:
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    required = [config["options"]["install_requires"], *config["options.extras_require"].values()]
    names = {
        re.split(r"[\s\[<>=]", line)[0] for part in required for line in part.split("\n") if line
    }
    assert [name for name in sorted(names) if name not in read("dependencies.md")] == []


#: Links to a heading of a page of the documentation, of this one or another.
LINK = re.compile(r"\]\(([\w./-]*?\.md)?#([^)\s]+)\)")
HEADING = re.compile(r"^#{1,3} +(.+)$", re.MULTILINE)


def anchors_of(text: str) -> set[str]:
    """The anchors of the headings, as the pages have them: without punctuation."""
    without_code = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = HEADING.findall(without_code)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_to_headings() -> None:
    pages = {path.name: path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md")}
    anchors = {name: anchors_of(text) for name, text in pages.items()}
    links = [
        (name, target or name, anchor)
        for name, text in pages.items()
        for target, anchor in LINK.findall(text)
    ]
    assert len(links) > 100
    missing = [link for link in links if link[1] in anchors and link[2] not in anchors[link[1]]]
    assert missing == []
