"""The figures of a small checkout, counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.structure.command import read_modules

from ..helpers import Run

FILES = {
    "forest_scrapy/__init__.py": "",
    "forest_scrapy/door.py": "from forest_scrapy.core import run\n",
    "forest_scrapy/core/__init__.py": "from forest_scrapy.core.run import go\n__all__ = ['go']\n",
    "forest_scrapy/core/run.py": (
        "from forest_scrapy.core import low\n\n\nclass A:\n    def go(self):\n        import os\n"
    ),
    "forest_scrapy/core/low/__init__.py": "",
    "forest_scrapy/core/low/a.py": "import forest_scrapy.core.low.b\n",
    "forest_scrapy/core/low/b.py": "from forest_scrapy.core.low.a import x\n",
    "tests/test_run.py": "\n\n\n",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_structure(checkout: Path, run: Run) -> None:
    done = run("structure", checkout)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "modules          7",
        "lines            11",
        "lines of tests   3",
        "top level        2 rooms, 2 floors, 1 arrows",
        "core             2 rooms, 2 floors, 1 arrows",
        "cycles           a-b",
        "module length    median 1, longest 6 (forest_scrapy.core.run)",
        "class length     median 3, longest 3 (forest_scrapy.core.run:4 A)",
        "function length  median 2, longest 2 (forest_scrapy.core.run:5 go)",
        "public names     1",
        "one importer     2 modules of under 100 lines",
        "folders          3 forest_scrapy/core/low, 2 forest_scrapy, 2 forest_scrapy/core",
    ]


def test_lists(checkout: Path, run: Run) -> None:
    assert run("structure", "--list", checkout).stdout.splitlines()[-4:] == [
        "floor 1 of core: low",
        "floor 2 of core: run",
        "forest_scrapy.core.low.a: only forest_scrapy.core.low.b imports it",
        "forest_scrapy.core.low.b: only forest_scrapy.core.low.a imports it",
    ]


def test_imports(checkout: Path) -> None:
    modules = read_modules(checkout)
    assert modules["forest_scrapy.door"].imports == {"forest_scrapy.core.run"}
    assert modules["forest_scrapy.core"].imports == {"forest_scrapy.core.run"}
    assert modules["forest_scrapy.core.run"].imports == {"forest_scrapy.core.low", "os"}


def test_a_folder_without_the_package(tmp_path: Path, run: Run) -> None:
    done = run("structure", tmp_path)
    assert done.returncode == 2
    assert f"{tmp_path}: it has no folder forest_scrapy" in done.stderr
