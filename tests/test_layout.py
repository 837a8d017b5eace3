"""The layout of the package: imports go one way, rooms are few, modules and classes short."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.graphs import Graph, find_cycles
from benchmarks.structure import folder_graphs, read_modules

MODULES = read_modules(Path(__file__).parents[1])
GRAPHS = folder_graphs(MODULES)

#: The rooms of a folder in layers, from the bottom up.
LAYERS = {
    "forest_scrapy": (
        "core",
        "feeds items settings stores",
        "responses zyte_items",
        "crawl",
        "batch rendering report",
        # What Scrapy loads, and what a user names in the settings.
        "__init__ addon commands exporters integrations item_processor middlewares pipelines"
        " spiders",
    ),
    "forest_scrapy.core": (
        "date_range errors items models options page",
        "changes codec xpaths",
        "fields segments templates",
        "wrapper",
        "methods",
        "records",
        "rules",
        "__init__ explain exports hosts learning",
    ),
}

NOT_IN_CORE = {"scrapy", "twisted", "itemadapter", "feedparser", "sqlite3"}
PACKAGE = Path(__file__).parents[1] / "forest_scrapy"
MOST_MODULES = 15


def wrong_imports(graph: Graph, layers: tuple[str, ...]) -> list[str]:
    """The imports that do not go to a lower layer.  Rooms of the top layer may import each
    other."""
    layer_of = {room: i for i, layer in enumerate(layers) for room in layer.split()}
    top = len(layers) - 1
    return [
        f"{room} imports {other}"
        for room in sorted(graph)
        for other in sorted(graph[room])
        if layer_of[other] >= layer_of[room] and layer_of[room] < top
    ]


@pytest.mark.parametrize("folder", LAYERS)
def test_every_room_has_a_layer(folder: str) -> None:
    assert set(" ".join(LAYERS[folder]).split()) == GRAPHS[folder].keys()


@pytest.mark.parametrize("folder", LAYERS)
def test_imports_go_one_way(folder: str) -> None:
    assert wrong_imports(GRAPHS[folder], LAYERS[folder]) == []


def test_wrong_imports_are_found() -> None:
    graph = {"a": {"b", "c"}, "b": {"c", "d"}, "c": set(), "d": {"a"}, "e": {"a", "d"}}
    layers = ("c", "b d", "a e")
    assert wrong_imports(graph, layers) == ["b imports d", "d imports a"]


@pytest.mark.parametrize("folder", GRAPHS)
def test_no_cycles(folder: str) -> None:
    assert find_cycles(GRAPHS[folder]) == []


def test_the_core_imports_no_scrapy() -> None:
    core = (module for name, module in MODULES.items() if name.startswith("forest_scrapy.core"))
    imported = {name.partition(".")[0] for module in core for name in module.imports}
    assert "lxml" in imported
    assert imported & NOT_IN_CORE == set()


def test_folders_have_few_modules() -> None:
    folders = Counter(path.parent for path in PACKAGE.rglob("*.py"))
    assert {folder: n for folder, n in folders.items() if n > MOST_MODULES} == {}
