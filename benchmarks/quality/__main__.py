"""Runs the command of this folder: ``python -m benchmarks.quality``."""

from benchmarks.quality.command import main
from benchmarks.sets.bench_set import run_command

if __name__ == "__main__":
    run_command(main)
