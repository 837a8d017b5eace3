"""Runs the command of this folder: ``python -m benchmarks.structure``."""

from benchmarks.structure.command import main

if __name__ == "__main__":
    main()
