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

from benchmarks.graphs import Graph, find_cycles, import_graph, number_floors

PACKAGE = "forest_scrapy"
#: A module of fewer lines that one other module imports might as well stand in that one.
SMALL = 100


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
    return {name: _read_module(name, path, paths) for name, path in paths.items()}


def folder_graphs(modules: Mapping[str, Module]) -> dict[str, Graph]:
    """The import graph of each folder, by the folder's dotted name."""
    imports = {name: module.imports for name, module in modules.items()}
    folders = sorted({name.rpartition(".")[0] for name in modules} - {""})
    return {folder: import_graph(imports, folder) for folder in folders}


def find_small_modules(modules: Mapping[str, Module]) -> dict[str, str]:
    """The modules of under 100 lines that one other module imports, with that one.  An
    ``__init__`` is not among them, but counts as an importer."""
    importers: dict[str, list[str]] = {name: [] for name in modules}
    for name, module in modules.items():
        for other in module.imports & modules.keys() - {name}:
            importers[other].append(name)
    packages = {name.rpartition(".")[0] for name in modules}
    return {
        name: importers[name][0]
        for name, module in modules.items()
        if len(importers[name]) == 1 and module.lines < SMALL and name not in packages
    }


def count_by_folder(checkout: Path) -> dict[str, int]:
    """The number of modules in each folder, ``__init__`` counted, the fullest first."""
    paths = (checkout / PACKAGE).rglob("*.py")
    counts = Counter(path.parent.relative_to(checkout).as_posix() for path in paths)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def list_floors(graph: Graph) -> list[str]:
    """The rooms of each floor, from the ground up."""
    floors = number_floors(_without_init(graph))
    return [
        " ".join(sorted(room for room, number in floors.items() if number == floor))
        for floor in range(1, max(floors.values()) + 1)
    ]


def describe_graph(graph: Graph) -> str:
    rooms = _without_init(graph)
    floors, arrows = max(number_floors(rooms).values()), sum(map(len, rooms.values()))
    return f"{len(rooms)} rooms, {floors} floors, {arrows} arrows"


def _without_init(graph: Graph) -> Graph:
    return {room: others - {"__init__"} for room, others in graph.items() if room != "__init__"}


def describe_lengths(lengths: Mapping[str, int]) -> str:
    longest = max(lengths, key=lambda name: lengths[name])
    return f"median {median(lengths.values()):g}, longest {lengths[longest]} ({longest})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("checkout", nargs="?", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--list", action="store_true", help="name small modules and floors")
    options = parser.parse_args()
    checkout: Path = options.checkout
    modules = read_modules(checkout)
    if not modules:
        parser.error(f"{checkout}: it has no folder {PACKAGE}")
    tests = [path.read_text("utf-8") for path in (checkout / "tests").rglob("*.py")]
    graphs = folder_graphs(modules)
    cycles = ["-".join(cycle) for graph in graphs.values() for cycle in find_cycles(graph)]
    own, small = modules.values(), find_small_modules(modules)
    for label, figures in {
        "modules": len(modules),
        "lines": sum(module.lines for module in own),
        "lines of tests": sum(len(text.splitlines()) for text in tests),
        "top level": describe_graph(graphs[PACKAGE]),
        "core": describe_graph(graphs[f"{PACKAGE}.core"]),
        "cycles": " ".join(cycles) or "none",
        "module length": describe_lengths({name: m.lines for name, m in modules.items()}),
        "class length": describe_lengths({k: n for m in own for k, n in m.classes.items()}),
        "function length": describe_lengths({k: n for m in own for k, n in m.functions.items()}),
        "public names": sum(module.public for module in own),
        "one importer": f"{len(small)} modules of under {SMALL} lines",
        "folders": ", ".join(f"{n} {name}" for name, n in count_by_folder(checkout).items()),
    }.items():
        print(f"{label:16s} {figures}")
    if options.list:
        print_lists(small, list_floors(graphs[f"{PACKAGE}.core"]))


def print_lists(small: Mapping[str, str], floors: Sequence[str]) -> None:
    for floor, rooms in enumerate(floors, 1):
        print(f"floor {floor} of core: {rooms}")
    for name, importer in small.items():
        print(f"{name}: only {importer} imports it")


def _read_module(name: str, path: Path, names: Collection[str]) -> Module:
    text = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    defined = [node.name for node in ast.parse(text).body if isinstance(node, kinds)]
    return Module(
        len(text.splitlines()),
        frozenset(found for node in nodes for found in _find_imports(node, names)),
        _lengths(name, nodes, ast.ClassDef),
        _lengths(name, nodes, ast.FunctionDef, ast.AsyncFunctionDef),
        sum(not name.startswith("_") for name in defined),
    )


def _find_imports(node: ast.AST, names: Collection[str]) -> Iterator[str]:
    """What a statement imports: of ``from a import b`` the module ``a.b``, or else ``a``."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        inner = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (name if name in names else str(node.module) for name in inner)


def _lengths(module: str, nodes: Collection[ast.AST], *kinds: type) -> dict[str, int]:
    """Lines from ``def`` or ``class`` to the end, without decorators."""
    found: list[Any] = [node for node in nodes if isinstance(node, kinds)]
    return {f"{module}:{n.lineno} {n.name}": n.end_lineno - n.lineno + 1 for n in found}


if __name__ == "__main__":
    main()
