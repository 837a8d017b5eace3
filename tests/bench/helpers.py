"""Break a set of pages, and run a benchmark on it."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from runpy import run_module
from typing import NamedTuple
from unittest.mock import patch
from warnings import catch_warnings, filterwarnings

from benchmarks.training.folds import fold_of

ROOT = Path(__file__).parents[2]


class Done(NamedTuple):
    """The status of a command, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


def run_benchmark(name: str, *arguments: str | Path) -> Done:
    """``python -m benchmarks.NAME``, in this process."""
    out, err = StringIO(), StringIO()
    code: object = 0
    command = [f"{name}.py", *map(str, arguments)]
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "argv", command):
        try:
            with catch_warnings():
                # The module may be imported already: then it is run once more, on its own.
                filterwarnings("ignore", ".*found in sys.modules", RuntimeWarning)
                run_module(f"benchmarks.{name}", run_name="__main__")
        except SystemExit as error:
            code = error.code
    if isinstance(code, str):
        return Done(1, out.getvalue(), f"{err.getvalue()}{code}\n")
    return Done(int(str(code or 0)), out.getvalue(), err.getvalue())


def rename_site(folder: Path, name: str) -> None:
    """Give the site of a set another name."""
    path = folder / "manifest.json"
    text = path.read_text("utf-8").replace('"demo.example"', f'"{name}"')
    path.write_text(text, "utf-8")


def other_fold(site: str, folds: int) -> str:
    """The name of a site in another fold."""
    names = (f"{letter}.example" for letter in "abcdefgh")
    return next(name for name in names if fold_of(name, folds) != fold_of(site, folds))


def break_folder(folder: Path) -> str:
    folder.rename(folder.with_name("elsewhere"))
    return "manifest.json"


def break_manifest(folder: Path) -> str:
    (folder / "manifest.json").write_text('{"groups": [', encoding="utf-8")
    return "JSONDecodeError"


def break_encoding(folder: Path) -> str:
    (folder / "manifest.json").write_bytes(b'{"name": "\xff"}')
    return "UnicodeDecodeError"


def break_groups(folder: Path) -> str:
    (folder / "manifest.json").write_text("{}", encoding="utf-8")
    return "groups"


def break_list(folder: Path) -> str:
    (folder / "manifest.json").write_text("[]", encoding="utf-8")
    return "TypeError"


def break_html(folder: Path) -> str:
    (folder / "page-3.html.gz").unlink()
    return "page-3.html.gz"


def break_archive(folder: Path) -> str:
    path = folder / "page-3.html.gz"
    path.write_bytes(path.read_bytes()[:40])
    return "EOFError"


def break_bytes(folder: Path) -> str:
    path = folder / "page-3.html.gz"
    path.write_bytes(gzip.compress(b"")[:10] + b"\xff" * 40)
    return "error"


#: Faults of a set; each returns a part of the message.
FAULTS = {
    "folder": break_folder,
    "manifest": break_manifest,
    "html": break_html,
}
#: Faults that every command meets in the same code, so that one of them is tested.
MORE_FAULTS = {
    "groups": break_groups,
    "list": break_list,
    "archive": break_archive,
    "encoding": break_encoding,
    "bytes": break_bytes,
}
