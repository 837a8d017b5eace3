"""Memory that was freed is given back to the system."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

#: Small blocks, of which one in a thousand stays, so that glibc cannot give back the others by
#: itself; prints the resident memory in MB before and after.
PROGRAM = """
import ctypes
from pathlib import Path
from forest_scrapy.freed_memory import give_back

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
libc.free.argtypes = (ctypes.c_void_p,)
blocks = [libc.malloc(2000) for _ in range(50_000)]
for block in blocks:
    ctypes.memset(block, 1, 2000)
for number, block in enumerate(blocks):
    if number % 1000 != 999:
        libc.free(block)
before = resident()
give_back()
print(before - resident())
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="not glibc"
)
def test_freed_memory_is_given_back() -> None:
    folder = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, cwd=folder
    )
    assert float(done.stdout) > 50
