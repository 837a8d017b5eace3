"""Runs the command of this folder: ``python -m benchmarks.lists``."""

from benchmarks.lists.command import main

if __name__ == "__main__":
    main()
