"""Imported by the fork server of a pool before all else, so that it ends with its parent also while
it imports the rest, which takes a second."""

import sys

from forest_scrapy.child_processes import end_with_parent

if "multiprocessing.forkserver" in sys.orig_argv[-1]:
    end_with_parent()
