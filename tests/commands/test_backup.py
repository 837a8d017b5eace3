"""``scrapy forest backup`` and ``restore``."""

from __future__ import annotations

from pathlib import Path

from crawls.helpers import Project

from .conftest import Run


def settings_of(folder: Path) -> dict[str, str]:
    return {
        "FOREST_STORE": str(folder / "wrappers.db"),
        "FOREST_HISTORY": str(folder / "history.db"),
    }


def test_what_was_backed_up_is_restored_in_another_place(
    run: Run, project: Project, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.db"
    old = settings_of(project.folder / ".scrapy/forest")
    new = settings_of(tmp_path)
    done = run("backup", str(backup), **old)
    assert (done.status, done.err) == (0, "")
    assert "wrappers: 2, corrections: 0, named pages: 0, pages in the history: 30" in done.out
    restored = run("restore", str(backup), **new)
    assert (restored.status, restored.err) == (0, "")
    assert restored.out.partition(": ")[2] == done.out.partition(": ")[2]
    assert run("show", **new).out == run("show", **old).out
    again = run("restore", str(backup), **new)
    assert again.status == 1
    assert "wrappers.db is not empty: name --replace" in again.err
    assert run("restore", str(backup), "--replace", **new).status == 0


def test_what_is_no_backup_is_refused(run: Run, tmp_path: Path) -> None:
    new = settings_of(tmp_path)
    done = run("restore", str(tmp_path / "missing.db"), **new)
    assert done.status == 1
    assert "there is no such file; scrapy forest backup writes one" in done.err
    folder = run("backup", str(tmp_path), **new)
    assert folder.status == 1
    assert "Traceback" not in folder.err
