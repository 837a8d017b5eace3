"""Print the size and the import graph of a checkout: modules, floors, arrows, cycles, lengths.

    python -m benchmarks.structure [--list] [CHECKOUT]

The targets: at most 230 modules, 34,000 lines, 15 modules in a folder, 8 floors of the core, and
20 modules of under 100 lines with one importer (``--list`` names them).  Lengths have no limits.

A room is a module or a package that is directly in a folder, its ``__init__`` not counted.  An
arrow is a pair of rooms of which the first imports the second.  The floor of a room is 1 + the
highest floor it imports.  Cycles are looked for in every folder.
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.structure.import_graphs import Graph, find_cycles, import_graph, number_floors

PACKAGE = "forest_scrapy"
#: A module of fewer lines that one other module imports might as well stand in that one.
MIN_LINES = 100


@dataclass(frozen=True)
class Module:
    """A Python file: its lines; the modules that it imports, those imported inside functions
    too; the lines of its classes and functions; the number of public names that it defines."""

    lines: int
    imports: frozenset[str]
    classes: dict[str, int]
    functions: dict[str, int]
    public: int


def read_modules(checkout: Path) -> dict[str, Module]:
    """The modules of the package by dotted name; an ``__init__`` has the name of its folder.
    Relative imports are not resolved, since the project has none."""
    paths = {}
    for path in sorted((checkout / PACKAGE).rglob("*.py")):
        name = ".".join(path.relative_to(checkout).with_suffix("").parts)
        paths[name.removesuffix(".__init__")] = path

    modules = {}
    for name, path in paths.items():
        modules[name] = _read_module(name, path, paths)
    return modules


def folder_graphs(modules: Mapping[str, Module]) -> dict[str, Graph]:
    """The import graph of each folder, by the folder's dotted name."""
    imports = {}
    folders = set()
    for name, module in modules.items():
        imports[name] = module.imports
        folders.add(_folder_of(name))

    graphs = {}
    for folder in sorted(folders - {""}):
        graphs[folder] = import_graph(imports, folder)
    return graphs


def _folder_of(module: str) -> str:
    """The dotted name of the folder of a module; ``""`` for the package itself."""
    folder, _, _ = module.rpartition(".")
    return folder


def find_small_modules(modules: Mapping[str, Module]) -> dict[str, str]:
    """The modules of under 100 lines that one other module imports, with that one.  An
    ``__init__`` is not among them, but counts as an importer."""
    importers: dict[str, list[str]] = {name: [] for name in modules}
    for name, module in modules.items():
        for imported in module.imports & modules.keys() - {name}:
            importers[imported].append(name)

    packages = {_folder_of(name) for name in modules}
    small_modules = {}
    for name, module in modules.items():
        is_package = name in packages
        is_small = module.lines < MIN_LINES
        has_one_importer = len(importers[name]) == 1
        if is_small and has_one_importer and not is_package:
            (importer,) = importers[name]
            small_modules[name] = importer
    return small_modules


def count_by_folder(checkout: Path) -> dict[str, int]:
    """The number of modules in each folder, ``__init__`` counted, the fullest first."""
    counts: Counter[str] = Counter()
    for path in (checkout / PACKAGE).rglob("*.py"):
        folder = path.parent.relative_to(checkout)
        counts[folder.as_posix()] += 1

    by_name = sorted(counts)
    fullest_first = sorted(by_name, key=lambda folder: counts[folder], reverse=True)
    return {folder: counts[folder] for folder in fullest_first}


def list_floors(graph: Graph) -> list[str]:
    """The rooms of each floor, from the ground up."""
    floor_of = number_floors(_without_init(graph))
    highest = max(floor_of.values())
    floors = []
    for floor in range(1, highest + 1):
        rooms = [room for room, number in floor_of.items() if number == floor]
        floors.append(" ".join(sorted(rooms)))
    return floors


def describe_graph(graph: Graph) -> str:
    rooms = _without_init(graph)
    floor_of = number_floors(rooms)
    floors = max(floor_of.values())
    arrows = sum(len(imported) for imported in rooms.values())
    return f"{len(rooms)} rooms, {floors} floors, {arrows} arrows"


def _without_init(graph: Graph) -> Graph:
    rooms = {}
    for room, imported in graph.items():
        if room != "__init__":
            rooms[room] = imported - {"__init__"}
    return rooms


def describe_lengths(lengths: Mapping[str, int]) -> str:
    middle = median(lengths.values())
    longest = max(lengths, key=lambda name: lengths[name])
    return f"median {middle:g}, longest {lengths[longest]} ({longest})"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.structure", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("checkout", nargs="?", type=Path, default=Path(__file__).parents[2])
    parser.add_argument("--list", action="store_true", help="name small modules and floors")
    options = parser.parse_args()
    checkout: Path = options.checkout
    modules = read_modules(checkout)
    if not modules:
        parser.error(f"{checkout}: it has no folder {PACKAGE}")

    graphs = folder_graphs(modules)
    core_graph = graphs[f"{PACKAGE}.core"]
    small_modules = find_small_modules(modules)
    figures = {
        "modules": len(modules),
        "lines": sum(module.lines for module in modules.values()),
        "lines of tests": count_test_lines(checkout),
        "top level": describe_graph(graphs[PACKAGE]),
        "core": describe_graph(core_graph),
        "cycles": describe_cycles(graphs),
        **describe_modules(modules),
        "one importer": f"{len(small_modules)} modules of under {MIN_LINES} lines",
        "folders": describe_folders(checkout),
    }
    for label, figure in figures.items():
        print(f"{label:16s} {figure}")
    if options.list:
        print_lists(small_modules, list_floors(core_graph))


def count_test_lines(checkout: Path) -> int:
    lines = 0
    for path in (checkout / "tests").rglob("*.py"):
        text = path.read_text("utf-8")
        lines += len(text.splitlines())
    return lines


def describe_cycles(graphs: Mapping[str, Graph]) -> str:
    cycles = []
    for graph in graphs.values():
        for cycle in find_cycles(graph):
            cycles.append("-".join(cycle))
    return " ".join(cycles) or "none"


def describe_modules(modules: Mapping[str, Module]) -> dict[str, str | int]:
    """The lengths of modules, classes and functions, and the number of public names."""
    module_lengths = {}
    class_lengths: dict[str, int] = {}
    function_lengths: dict[str, int] = {}
    public_names = 0
    for name, module in modules.items():
        module_lengths[name] = module.lines
        class_lengths |= module.classes
        function_lengths |= module.functions
        public_names += module.public
    return {
        "module length": describe_lengths(module_lengths),
        "class length": describe_lengths(class_lengths),
        "function length": describe_lengths(function_lengths),
        "public names": public_names,
    }


def describe_folders(checkout: Path) -> str:
    counts = count_by_folder(checkout)
    return ", ".join(f"{count} {folder}" for folder, count in counts.items())


def print_lists(small: Mapping[str, str], floors: Sequence[str]) -> None:
    for floor, rooms in enumerate(floors, 1):
        print(f"floor {floor} of core: {rooms}")
    for name, importer in small.items():
        print(f"{name}: only {importer} imports it")


def _read_module(name: str, path: Path, names: Collection[str]) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    imports: set[str] = set()
    for node in nodes:
        imports.update(_find_imports(node, names))

    public_names = 0
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            is_public = not statement.name.startswith("_")
            public_names += is_public

    return Module(
        lines=len(text.splitlines()),
        imports=frozenset(imports),
        classes=_lengths(name, nodes, ast.ClassDef),
        functions=_lengths(name, nodes, ast.FunctionDef, ast.AsyncFunctionDef),
        public=public_names,
    )


def _find_imports(node: ast.AST, names: Collection[str]) -> Iterator[str]:
    """What a statement imports: of ``from a import b`` the module ``a.b``, or else ``a``."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            submodule = f"{node.module}.{alias.name}"
            yield submodule if submodule in names else str(node.module)


def _lengths(module: str, nodes: Collection[ast.AST], *kinds: type) -> dict[str, int]:
    """Lines from ``def`` or ``class`` to the end, without decorators."""
    definitions: list[Any] = [node for node in nodes if isinstance(node, kinds)]
    lengths = {}
    for node in definitions:
        label = f"{module}:{node.lineno} {node.name}"
        lengths[label] = node.end_lineno - node.lineno + 1
    return lengths
