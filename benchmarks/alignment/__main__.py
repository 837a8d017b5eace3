"""Runs the command of this folder: ``python -m benchmarks.alignment``."""

from benchmarks.alignment.command import main

if __name__ == "__main__":
    main()
