"""Runs the command of this folder: ``python -m benchmarks.history``."""

from benchmarks.history.command import main
from benchmarks.sets.bench_set import run_command

if __name__ == "__main__":
    run_command(main)
