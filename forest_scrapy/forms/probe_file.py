"""The results of the probes of a form, as a file of JSON lines: a crawl that goes on after a kill
sends no probe twice, and ``scrapy forest form`` shows it.

The first line is the form.  Each answer is a line as soon as it is read; one whose records cannot
be read yet has the page itself.  A last line that is torn by a kill is ignored, and cut off when
the next one is written.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forest_scrapy.forms.regions import Filling
from forest_scrapy.input_files import read_bytes
from forest_scrapy.output_files import create_file
from forest_scrapy.stores.database import StoreFailed

#: The version of the file's format.
_VERSION = 1

#: A JSON object.
Values = dict[str, Any]


@dataclass(frozen=True)
class ProbeLine:
    """The result of a probe.

    - ``filling``: names of controls and what they were filled with.
    - ``group``: see ``forms.probing.FormProbe``.
    - ``kind``: ``records``, ``error`` (an error page; ``lines`` are its lines), ``waiting``
      (``pages`` are URLs and HTML of answers that are not read yet) or ``unread`` (a trial of the
      engine without an answer that can be read).
    - ``records``: the key and the values of each record that was new; ``items``: its item, as a
      mapping.
    - ``keys``: those of the records that were not new.
    - ``numbers``: see ``forms.totals``; ``shown``: the records that the answer shows.
    """

    filling: Filling
    group: tuple[str, ...]
    kind: str
    requests: int = 1
    keys: tuple[str, ...] = ()
    records: tuple[tuple[str, dict[str, str]], ...] = ()
    items: tuple[Values, ...] = field(default=(), repr=False)
    lines: tuple[str, ...] = ()
    pages: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    numbers: tuple[tuple[str, int], ...] = ()
    shown: int = 0


class ProbeFile:
    """The file of one form.  Raises ``StoreFailed`` if it cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: Any = None

    def read(self) -> tuple[Values, list[ProbeLine]]:
        """The head of the file, with the form and the wrapper if there is one, and the probes; a
        later line of a probe replaces an earlier one."""
        head: Values = {}
        probes: dict[Filling, ProbeLine] = {}
        for line in self._lines():
            if "form" in line or "wrapper" in line:
                head |= line
            else:
                probe = _read_line(line)
                probes[probe.filling] = probe
        if head.get("version") != _VERSION:
            return {}, []
        return head, list(probes.values())

    def begin(self, form: Values) -> None:
        """Begin the file anew, for this form."""
        self.close()
        forget_probes(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(create_file(self.path))
        except OSError as error:
            raise StoreFailed(f"{self.path}: {error.strerror}") from error
        self._write({"version": _VERSION, "form": form})

    def set_wrapper(
        self,
        wrapper: Values,
        methods: dict[str, float],
        texts: int = 0,
    ) -> None:
        """Write the wrapper of the records, how the methods to learn it were rated, and the texts
        of the largest answer that it was learned from."""
        self._write({"wrapper": wrapper, "methods": methods, "texts": texts})

    def add(self, line: ProbeLine) -> None:
        """Write a line, which is on the disk when this returns."""
        values = {name: value for name, value in vars(line).items() if value}
        if line.pages:
            packed_pages = []
            for url, html in line.pages:
                packed_pages.append((url, _pack(html)))
            values["pages"] = packed_pages
        self._write(values)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _lines(self) -> Iterator[Values]:
        try:
            body = read_bytes(self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreFailed(f"{self.path}: {error.strerror}") from error
        *whole_lines, _ = body.split(b"\n")
        for line in whole_lines:
            with suppress(ValueError):  # torn by a kill
                yield json.loads(line)

    def _write(self, value: Values) -> None:
        text = json.dumps(value, ensure_ascii=False)
        body = text.encode() + b"\n"
        try:
            if self._file is None:
                self._file = self.path.open("r+b", buffering=0)
                _cut_torn_line(self._file)
            self._file.write(body)
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StoreFailed(f"{self.path}: {error.strerror}") from error


def forget_probes(path: Path) -> None:
    """Remove the file of a form's probes, if there is one.  Raises ``StoreFailed``."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreFailed(f"{path} cannot be removed: {error.strerror}") from error


def _cut_torn_line(file: Any) -> None:
    """Leave the file at the end of its last whole line."""
    body = file.read()
    last_line_end = body.rfind(b"\n") + 1
    file.seek(last_line_end)
    file.truncate()


def _read_line(line: Values) -> ProbeLine:
    filling = line.get("filling", ())
    keys = line.get("keys", ())
    records = line.get("records", ())
    items = line.get("items", ())
    lines = line.get("lines", ())
    pages = []
    for url, packed_html in line.get("pages", ()):
        pages.append((url, _unpack(packed_html)))
    return ProbeLine(
        filling=_tuples(filling),
        group=tuple(line["group"]),
        kind=line["kind"],
        requests=line.get("requests", 1),
        keys=tuple(keys),
        records=_tuples(records),
        items=tuple(items),
        lines=tuple(lines),
        pages=tuple(pages),
        numbers=_tuples(line.get("numbers", ())),
        shown=line.get("shown", 0),
    )


def _tuples(pairs: Iterable[Sequence[Any]]) -> tuple[tuple[Any, Any], ...]:
    """Pairs that JSON has as lists."""
    return tuple((first, second) for first, second in pairs)


def _pack(html: str) -> str:
    compressed = zlib.compress(html.encode("utf-8", "replace"))
    return base64.b85encode(compressed).decode()


def _unpack(text: str) -> str:
    compressed = base64.b85decode(text)
    html = zlib.decompress(compressed)
    return html.decode("utf-8")
