"""The files of exports that are appended to (``-o``)."""

import os
from pathlib import Path
from typing import Any

from scrapy.extensions.postprocessing import PostProcessingManager

from forest_scrapy.output_files import BadOutput


def appended_path(file: Any) -> Path | None:
    """The file that is appended to, and has something in it; None for a new one.  Raises
    ``BadOutput`` for one that is compressed."""
    try:
        size = _size(file)
    except (AttributeError, OSError):  # a pipe
        return None
    if not size:
        return None
    path = path_of_file(file)
    if path is None:
        raise BadOutput("a compressed file cannot be appended to; overwrite it with -O")
    return path


def path_of_file(file: Any) -> Path | None:
    """The path of a file; None if it has none."""
    name = getattr(file, "name", "")
    if not isinstance(name, str) or not Path(name).is_file():
        return None
    return Path(name).resolve()


def _size(file: Any) -> int:
    """The bytes that were in a file when it was opened."""
    if isinstance(file, PostProcessingManager):
        # One that is new has the head of its format already, in a buffer.
        return os.fstat(file.file.fileno()).st_size
    return int(file.tell())
