"""A PostgreSQL server of one's own, from the system's packages, for tests and measurements."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Self

#: Where Debian has the server's programs, which are not in the PATH.
_DEBIAN = "/usr/lib/postgresql/*/bin"
#: Seconds in which the server has to start.
_PATIENCE = 120


def find_programs() -> Path | None:
    """The folder with ``initdb`` and ``postgres``; None if they are not installed."""
    if program := shutil.which("initdb"):
        return Path(program).resolve().parent
    folders = sorted(Path("/").glob(f"{_DEBIAN[1:]}/initdb"), reverse=True)
    return folders[0].parent if folders else None


class PostgresServer:
    """A server with an empty database on loopback, in a temporary folder; a context manager.

    PostgreSQL refuses to run as root; then it runs as ``postgres`` or ``nobody``.  Raises
    ``OSError`` and ``subprocess.CalledProcessError`` if it cannot start.
    """

    def __init__(self) -> None:
        programs = find_programs()
        if programs is None:
            raise FileNotFoundError("PostgreSQL is not installed: apt-get install postgresql")
        self._programs = programs
        self._as_user: dict[str, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]

    @property
    def uri(self) -> str:
        return f"postgresql+psycopg://forest@127.0.0.1:{self._port}/postgres"

    def __enter__(self) -> Self:
        self._folder = Path(mkdtemp(prefix="forest-postgres-"))
        self._choose_user()
        options = ("--auth=trust", "--username=forest", "--encoding=UTF8", "--no-sync")
        self._run("initdb", *options, "--locale=C", "-D", str(self._folder / "data"))
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = ("-p", str(self._port), "-k", str(self._folder), "-h", "127.0.0.1")
        self._process = subprocess.Popen(
            [str(self._programs / "postgres"), "-D", str(self._folder / "data"), *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **self._as_user,
        )
        check = [str(self._programs / "pg_isready"), "-h", "127.0.0.1", "-p", str(self._port)]
        deadline = time.monotonic() + _PATIENCE
        while subprocess.run(check, capture_output=True, check=False).returncode:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise ChildProcessError("PostgreSQL does not start")
            time.sleep(0.1)

    def stop(self) -> None:
        """Stop the server; connections are cut."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown
            self._process.wait(_PATIENCE)
            self._process = None

    def _choose_user(self) -> None:
        if os.geteuid() == 0:
            names = {account.pw_name for account in pwd.getpwall()}
            user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(self._folder, user.pw_uid, user.pw_gid)
            self._as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def _run(self, program: str, *options: str) -> None:
        command = [str(self._programs / program), *options]
        subprocess.run(command, check=True, capture_output=True, cwd="/", **self._as_user)
