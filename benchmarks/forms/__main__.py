"""Runs the command of this folder: ``python -m benchmarks.forms``."""

from benchmarks.forms.command import main
from benchmarks.sets.bench_set import run_command

if __name__ == "__main__":
    run_command(main)
