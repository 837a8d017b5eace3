"""The layout of the package and of its tests: imports go one way, and names tell what is where."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from benchmarks.structure.command import Module, folder_graphs, read_modules
from benchmarks.structure.import_graphs import Graph, find_cycles


@cache
def modules() -> Mapping[str, Module]:
    return read_modules(Path(__file__).parents[1])


@cache
def graphs() -> Mapping[str, Graph]:
    return folder_graphs(modules())


#: The rooms of a folder in layers, from the bottom up.
LAYERS = {
    "forest_scrapy": (
        "core",
        "input_files settings",
        "output_files",
        "child_processes feeds freed_memory items stores",
        "alignment forms zyte_items",
        "responses",
        "joining",
        "crawl",
        "batch rendering report",
        "archive",
        # What Scrapy loads, and what a user names in the settings.
        "__init__ addon commands exporters integrations item_processor middlewares pipelines"
        " spiders",
    ),
    "forest_scrapy.core": (
        "digests encoding lazy moments plurals site_caches text_diff",
        "errors items models options page",
        "change_rate changes codec graph health markdown topic_filter xpaths",
        "fields segments templates",
        "boilerplate field_changes",
        "wrapper",
        "methods",
        "records",
        "joining rules skeleton",
        "__init__ article_text explain exports extraction hosts learning other_kinds repeated"
        " imports spreadsheet_texts table_columns",
    ),
}

#: What may import the alignment of graphs: a crawl does not load it.
USES_ALIGNMENT = {"forest_scrapy.commands.align", "forest_scrapy.commands.schema"}
NOT_IN_CORE = {"scrapy", "twisted", "itemadapter", "feedparser", "sqlite3"}
PACKAGE = Path(__file__).parents[1] / "forest_scrapy"
TESTS = Path(__file__).parent
#: Every module of these folders of at least ``TESTED_LINES`` lines has a test of its name.
TESTED_FOLDERS = ("alignment", "batch", "core", "crawl", "feeds", "joining", "responses", "stores")
TESTED_LINES = 80
#: Those that have none yet.
UNTESTED_MODULES: set[str] = {
    "core/exports/standalone.py",
    "core/items.py",
    "core/records/kind_signals.py",
    "core/records/record.py",
    "core/records/record_wrapper.py",
}


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
    assert set(" ".join(LAYERS[folder]).split()) == graphs()[folder].keys()


@pytest.mark.parametrize("folder", LAYERS)
def test_imports_go_one_way(folder: str) -> None:
    assert wrong_imports(graphs()[folder], LAYERS[folder]) == []


def test_wrong_imports_are_found() -> None:
    graph = {"a": {"b", "c"}, "b": {"c", "d"}, "c": set(), "d": {"a"}, "e": {"a", "d"}}
    layers = ("c", "b d", "a e")
    assert wrong_imports(graph, layers) == ["b imports d", "d imports a"]


def test_no_cycles() -> None:
    cycles = {folder: find_cycles(graph) for folder, graph in graphs().items()}
    assert {folder: found for folder, found in cycles.items() if found} == {}


def test_the_core_imports_no_scrapy() -> None:
    core = (module for name, module in modules().items() if name.startswith("forest_scrapy.core"))
    imported = {name.partition(".")[0] for module in core for name in module.imports}
    assert "lxml" in imported
    assert imported & NOT_IN_CORE == set()


def imports_room(module: Module, room: str) -> bool:
    """Whether the module imports the package ``room`` or what is in it."""
    return any(name == room or name.startswith(f"{room}.") for name in module.imports)


def test_only_the_command_imports_the_alignment() -> None:
    room = "forest_scrapy.alignment"
    outside = {
        name: module
        for name, module in modules().items()
        if name != room and not name.startswith(f"{room}.")
    }
    importers = {name for name, module in outside.items() if imports_room(module, room)}
    assert importers == USES_ALIGNMENT


def test_reports_and_the_add_on_load_no_alignment() -> None:
    loads = "import forest_scrapy.addon, forest_scrapy.report.writing, forest_scrapy.spiders"
    program = f"import sys; {loads}; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = run.stdout.split()
    assert "forest_scrapy.report.writing" in loaded
    assert [name for name in loaded if name.startswith("forest_scrapy.alignment")] == []


def find_tests(folder: Path, name: str) -> list[Path]:
    """The tests of a module or a package with this name, which is in the folder."""
    tests = TESTS / folder.relative_to(PACKAGE)
    return [*tests.glob(f"test_{name}.py"), *tests.glob(f"test_{name}_*.py")]


def is_tested(module: Path) -> bool:
    """Whether there is a test of its name, or of the name of its package inside a room of the
    core, whose modules are tested together."""
    package = module.parent
    is_inner = len(package.relative_to(PACKAGE).parts) > 2
    return bool(
        find_tests(package, module.stem) or (is_inner and find_tests(package.parent, package.name))
    )


def test_tests_have_the_names_of_modules() -> None:
    misnamed = set()
    for folder in [path for path in PACKAGE.rglob("*") if path.is_dir()]:
        names = {path.stem for path in folder.iterdir()} - {"__init__"} | {folder.name}
        named = {test for name in names for test in find_tests(folder, name)}
        tests = (TESTS / folder.relative_to(PACKAGE)).glob("test_*.py")
        misnamed |= {test.relative_to(TESTS).as_posix() for test in tests if test not in named}
    assert misnamed == set(), "name each after the module that it tests"


def test_modules_have_tests_of_their_names() -> None:
    modules = [path for name in TESTED_FOLDERS for path in (PACKAGE / name).rglob("[!_]*.py")]
    long = [path for path in modules if len(path.read_bytes().splitlines()) >= TESTED_LINES]
    assert len(long) > 50
    untested = {path.relative_to(PACKAGE).as_posix() for path in long if not is_tested(path)}
    assert untested - UNTESTED_MODULES == set(), "add tests/<folder>/test_<module>.py"
