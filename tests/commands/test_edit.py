"""``scrapy forest import`` and ``undo``: corrections, without a browser."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from crawls.helpers import Project

from forest_scrapy.core import Wrapper

from .conftest import Run
from .test_report import HOST, stored_wrappers


@pytest.fixture
def store(project: Project, tmp_path: Path) -> dict[str, str]:
    """Settings that name a copy of the project's wrappers."""
    path = shutil.copy(project.folder / ".scrapy/forest/wrappers.db", tmp_path)
    return {"FOREST_STORE": path, "FOREST_HISTORY": str(tmp_path / "none.db")}


def import_edit(
    run: Run, folder: Path, store: dict[str, str], id: str, wrapper: Wrapper, **more: object
) -> tuple[int, str]:
    edit = {"host": HOST, "template": id, "wrapper": wrapper.to_dict(), **more}
    (folder / "edited.json").write_text(json.dumps(edit))
    names = sorted(path.name for path in folder.glob("news-*"))[:2]
    done = run("import", "edited.json", *names, **store)
    return done.status, done.out + done.err


def test_corrections_are_undone(run: Run, folder: Path, store: dict[str, str]) -> None:
    before = stored_wrappers(run, store)
    done = run("undo", HOST, **store)
    assert (done.status, done.err.count("no wrapper of 127.0.0.1 was edited by hand")) == (1, 1)
    one, other = sorted(before)
    (folder / "edited.json").write_text(
        json.dumps(
            {"host": HOST, "template": one, "wrapper": {**before[one].to_dict(), "drop": []}}
        )
    )
    assert "nothing was stored" in run("import", "edited.json", "--dry-run", **store).out
    assert stored_wrappers(run, store) == before
    for id in (one, one, other):
        wrapper = stored_wrappers(run, store)[id]
        edited = replace(wrapper, drop=(*wrapper.drop, "//h6"))
        assert import_edit(run, folder, store, id, edited)[0] == 0
    done = run("undo", HOST, **store)
    assert (done.status, done.err.count(f"use --template: {one}, {other}")) == (1, 1)
    done = run("undo", HOST, "--template", other, **store)
    assert (done.status, done.out.count("is what a crawl has learned")) == (0, 1)
    done = run("undo", HOST, **store)
    assert (done.status, done.out.count("is an earlier correction")) == (0, 1)
    assert run("undo", HOST, **store).out.endswith(" is what a crawl has learned\n")
    assert stored_wrappers(run, store) == before
    done = run("undo", HOST, "--template", one, **store)
    assert (done.status, done.err.count("has no correction to undo")) == (1, 1)
    assert "has no template 'none'" in run("undo", HOST, "--template", "none", **store).err


def test_an_edit_of_another_wrapper_than_the_stored_one_is_refused(
    run: Run, folder: Path, store: dict[str, str]
) -> None:
    (id, wrapper), *_ = sorted(stored_wrappers(run, store).items())
    base, edited = wrapper.to_dict(), replace(wrapper, drop=("//h6",))
    assert import_edit(run, folder, store, id, edited, base=base)[0] == 0
    status, text = import_edit(run, folder, store, id, wrapper, base=base)
    assert status == 1
    assert "was stored again since this page was opened: reload the page" in text
    assert stored_wrappers(run, store)[id] == edited
