"""Runs the command of this folder: ``python -m benchmarks.papers``."""

from benchmarks.papers.command import main
from benchmarks.sets.bench_set import run_command

if __name__ == "__main__":
    run_command(main)
