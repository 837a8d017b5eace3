"""Runs the command of this folder: ``python -m benchmarks.speed``."""

from benchmarks.sets.bench_set import run_command
from benchmarks.speed.command import main

if __name__ == "__main__":
    run_command(main)
