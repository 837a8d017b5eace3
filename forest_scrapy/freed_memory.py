"""Giving memory that was freed back to the system.

The trees and outlines of the pages that a template is learned from take some 30 MB.  When they are
freed, glibc keeps much of that for the process, because what is still used lies in between.
"""

import ctypes
import sys


def give_back() -> None:
    """Give freed memory back to the system.  Some 2 ms; does nothing where the C library has no
    function for it, as only glibc has."""
    # Looked for by each call: the handle of the process is known, so that takes microseconds.
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(ctypes.c_size_t(0))
