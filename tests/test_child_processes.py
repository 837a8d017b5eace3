"""Processes end when the one that started them is killed, also in the middle of a computation."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from crawls.helpers import environment, wait_until

#: A backtracking expression runs in C for hours, without a moment for a thread or a handler.
COMPUTING = "import re; re.match('(a|aa)+$', 100 * 'a' + 'b')"
WORKERS = f"""
from forest_scrapy.batch.pool import Pool

def compute(chunk):
    print("computing", flush=True)
    {COMPUTING}

if __name__ == "__main__":
    list(Pool(2).map(compute, [[1], [2]], str))
"""
#: As a fork server starts: it imports for a second before it looks after its parent itself.
STARTING = """
from forest_scrapy.batch import pool

if __name__ == "__main__":
    pool._start(2).submit(print)
    print("computing", flush=True)
    import time; time.sleep(60)
"""
#: Each worker imports the main module before it can look after its parent itself.
IMPORTING = """
import time
from forest_scrapy.batch import pool

if __name__ == "__mp_main__":
    print("computing", flush=True)
    time.sleep(20)

if __name__ == "__main__":
    list(pool.Pool(2).map(len, [[1], [2]], str))
"""
PROBE = f"""
from forest_scrapy.responses import probe

probe._PROGRAM = '''
from forest_scrapy.child_processes import end_with_parent
end_with_parent()
from forest_scrapy.responses import probe_server
def compute(body):
    with open("out", "a") as out:  # the standard error of the process is not shown
        out.write("computing\\\\n")
    {COMPUTING}
import sys
probe_server._TASKS["page"] = compute
probe_server.main()
'''
probe.Probe(600.0)._ask(probe.Probe(600.0)._write("page", b"", {{}}))
"""


def processes_of(session: int) -> list[int]:
    """The processes of a session that are not only waited for."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, _, of, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(of) == session and state != "Z":
                found.append(int(folder.name))
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("code", "tasks"),
    [
        pytest.param(WORKERS, 2, id="workers"),
        pytest.param(STARTING, 1, id="fork server that starts"),
        pytest.param(IMPORTING, 2, id="workers that start"),
        pytest.param(PROBE, 1, id="probe"),
    ],
)
def test_no_process_stays(tmp_path: Path, code: str, tasks: int) -> None:
    (tmp_path / "program.py").write_text(code)
    with (tmp_path / "out").open("w") as out:
        started = subprocess.Popen(
            [sys.executable, "program.py"],
            cwd=tmp_path,
            env=environment(),
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until(lambda: (tmp_path / "out").read_text().count("computing") == tasks, 60)
        assert len(processes_of(started.pid)) > 1
        started.kill()
        time.sleep(1)
        assert processes_of(started.pid) == []
    finally:
        for process in processes_of(started.pid):
            os.kill(process, signal.SIGKILL)
        started.wait()
