"""A command that is killed at each step of its end: ``python -m tests.batch.killed FOLDER ARGUMENT
...`` in a process that forks, since imports take longer than the command.

The first run is killed when it first renames a file.  From there on the run is killed at its first,
second, ... change of a file or of its notes, until it ends by itself.  After each kill the same
command is given again.  Standard output: for each step its name, how that run has ended, and what
is in the folder then, as JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from forest_scrapy.commands.forest_command import Command
from forest_scrapy.commands.main import main
from forest_scrapy.stores import BatchStore

_EVENTS = {"os.rename", "os.remove", "os.rmdir"}


def kill_at(step: int, log: Path, names: set[str]) -> None:
    """Kill this process before it takes a step of these names for the ``step``-th time."""
    taken = 0

    def take(name: str, detail: object = "") -> None:
        nonlocal taken
        taken += name in names
        if taken == step and name in names:
            log.write_text(f"{name} {detail}")
            os.kill(os.getpid(), signal.SIGKILL)

    def see(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _EVENTS:
            take(event, arguments[0])

    def with_step(function: Any) -> Any:
        def called(*values: Any) -> Any:
            take(function.__name__, values[1:])
            return function(*values)

        return called

    sys.addaudithook(see)
    os.fsync = with_step(os.fsync)
    BatchStore.set = with_step(BatchStore.set)  # type: ignore[method-assign]


def run(arguments: list[str], step: int = 0, names: set[str] | None = None) -> str:
    """Run the command; where it was killed, or how it has ended."""
    log = Path(f"../{Path.cwd().name}.log")
    log.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        if step:
            kill_at(step, log, names or {*_EVENTS, "fsync", "set"})
        try:
            main(["forest-scrapy", *arguments])
        except SystemExit as error:
            os._exit(int(error.code or 0))
        except BaseException as error:
            log.write_text(repr(error))
        os._exit(2)
    _, status = os.waitpid(child, 0)
    return log.read_text() if log.exists() else f"exit {os.waitstatus_to_exitcode(status)}"


def read_folder() -> dict[str, str]:
    return {str(path): path.read_bytes().hex() for path in Path().rglob("*") if path.is_file()}


def each_step(arguments: list[str]) -> Any:
    """What is in the folder after a kill at each step, and a further run."""
    run(arguments, 1, {"os.rename"})
    here, kept = Path.cwd(), Path(f"../{Path.cwd().name}.kept")
    shutil.copytree(here, kept)
    for step in range(1, 200):
        for path in here.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(kept, here, dirs_exist_ok=True)
        name = run(arguments, step)
        yield name, run(arguments), read_folder()
        if name.startswith("exit"):
            return


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    Command().find_actions()  # imports what each fork would import
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    json.dump(list(each_step(sys.argv[2:])), sys.stdout)
