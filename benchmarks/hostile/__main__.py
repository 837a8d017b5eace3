"""Runs the command of this folder: ``python -m benchmarks.hostile``."""

import sys

from benchmarks.hostile.command import main

if __name__ == "__main__":
    sys.exit(main())
