"""``extract`` from damaged and odd files: what is good is extracted, what is not is named."""

from __future__ import annotations

import gzip
import json
import os
import socket
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from itertools import cycle
from pathlib import Path

from benchmarks.faults.extracts import Extraction, Result, clean_records, demo_pages, write_file

NONE: frozenset[int] = frozenset()
#: A page without a text.
_HTML = "<title>Odd</title><p>"
#: The date of the entries of zip files.
_ENTRY_DATE = (2030, 1, 1, 0, 0, 0)


def write_lines(folder: Path, missing: frozenset[int] = NONE) -> list[str]:
    """A file of JSON lines."""
    lines = _lines(missing)
    file = write_file(folder / "pages.jsonl", b"".join(lines))
    return [file]


def write_files(folder: Path, missing: frozenset[int] = NONE) -> list[str]:
    """A folder of HTML files."""
    files = folder / "files"
    for number, (_, body) in enumerate(demo_pages()):
        if number not in missing:
            write_file(files / f"{number:02}.html", body)
    return [str(files)]


def write_zip(folder: Path, missing: frozenset[int] = NONE) -> list[str]:
    """A zip file of HTML files."""
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for number, (_, body) in enumerate(demo_pages()):
            if number not in missing:
                entry = zipfile.ZipInfo(f"{number:02}.html", _ENTRY_DATE)
                file.writestr(entry, body)
    path = write_file(folder / "pages.zip", archive.getvalue())
    return [path]


def _lines(missing: frozenset[int] = NONE) -> list[bytes]:
    lines = []
    for number, (url, body) in enumerate(demo_pages()):
        if number not in missing:
            page = {
                "url": url,
                "html": body.decode(),
                "fetched_at": "",
            }
            text = json.dumps(page)
            lines.append(text.encode() + b"\n")
    return lines


def _line(**values: object) -> bytes:
    page = {
        "url": "http://odd.example/1",
        "html": _HTML,
        **values,
    }
    return json.dumps(page).encode()


#: Lines that are no page, or an odd one that is not an article.
_BAD_LINES: dict[str, bytes] = {
    "nested": b"[" * 2000,
    "nested deeper": b'{"a":' * 200_000,
    "infinite status": b'{"url": "http://odd.example/", "html": "<p>x", "status": 1e999}',
    "NaN status": b'{"url": "http://odd.example/", "html": "<p>x", "status": NaN}',
    "long number": b'{"url": "http://odd.example/", "html": "<p>x", "status": '
    + b"9" * 5000
    + b"}",
    "bad host": _line(url="http://[x/"),
    "bad port": _line(url="http://odd.example:99999999/"),
    "bad label": _line(url="http://" + "x" * 300 + "..example/"),
    "surrogate in the URL": _line(url="http://odd.example/\ud800"),
    "surrogate in the page": _line(html="<title>\ud800</title><p title='\udfff'>"),
    "surrogate host": _line(url="http://\udcff.example/"),
    "control characters": _line(url="http://odd.example/\x00\n\x1b[2J"),
    "script URL": _line(url="javascript:alert(1)"),
    "long URL": _line(url="http://odd.example/" + "a" * 300_000),
    "relative URL": _line(url="../1"),
    "no URL": _line(url=None),
    "number as URL": _line(url=5),
    "list as page": _line(html=["<p>x"]),
    "no page": b'{"url": "http://odd.example/"}',
    "odd time": _line(fetched_at={"a": [1e300]}),
    "odd status": _line(status=[200]),
    "text status": _line(status="-1e5"),
    "not JSON": b"<html>",
    "cut": _line()[:40],
    "bytes": bytes(range(128, 256)),
    "NULs": bytes(300),
    "null": b"null",
    "number": b"1",
    "BOM": b"\xef\xbb\xbf{",
    "UTF-16": _line().decode().encode("utf-16-le").replace(b"\n", b""),
    "too long": _line(html="a" * 9_000_000),
}


@dataclass(frozen=True)
class Bad:
    """What was made: the paths to extract, what the errors must name, what happens meanwhile, and
    the program that starts the command.  ``exit``: 1 if nothing can be extracted."""

    paths: list[str]
    marks: tuple[str, ...] = ()
    fault: str = ""
    prefix: tuple[str, ...] = ()
    exit: int = 0


Maker = Callable[[Path], Bad]


def _bad_lines(*lines: bytes) -> Maker:
    """The lines at the start, in the middle, and at the end, without a line break."""

    def make(folder: Path) -> Bad:
        pages = _lines()
        bad_lines = [line + b"\n" for line in lines]
        parts = [
            *bad_lines,
            *pages[:20],
            *bad_lines,
            *pages[20:],
            *bad_lines,
        ]
        data = b"".join(parts).rstrip(b"\n")
        path = write_file(folder / "pages.jsonl", data)

        count = len(lines)
        marks = []
        for start in (1, 21 + count, 41 + 2 * count):
            for number in range(start, start + count):
                marks.append(f"pages.jsonl:{number} ")
        return Bad([path], tuple(marks))

    return make


def _among(make_it: Callable[[Path], object], *marks: str, keeps_rights: bool = True) -> Maker:
    """Something among the HTML files.  Root gives up its right to read all files."""

    def make(folder: Path) -> Bad:
        paths = write_files(folder)
        make_it(folder / "files" / "05x.html")

        prefix: tuple[str, ...] = ()
        is_root = os.getuid() == 0
        if is_root and not keeps_rights:
            prefix = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
        return Bad(
            paths,
            marks=marks or ("05x",),
            prefix=prefix,
        )

    return make


def _named(name: str, data: bytes = b"") -> Callable[[Path], object]:
    def write(place: Path) -> None:
        path = place.with_name(name)
        write_file(path, data)

    return write


def _locked(place: Path) -> None:
    """A folder that may not be read."""
    write_file(place / "1.html", b"<p>x")
    place.chmod(0)


def _locked_file(place: Path) -> None:
    write_file(place, b"<p>x")
    place.chmod(0)


def _linked(place: Path) -> None:
    """A link to a folder elsewhere."""
    elsewhere = place.parents[1] / "elsewhere"
    write_file(elsewhere / "1.html", _HTML.encode())
    place.symlink_to(elsewhere)


def _linked_above(place: Path) -> None:
    """A link to the folder that it is in."""
    place.symlink_to(place.parent)


def _linked_nowhere(place: Path) -> None:
    place.symlink_to("nowhere")


def _linked_to_itself(place: Path) -> None:
    place.symlink_to(place)


def _linked_zeros(place: Path) -> None:
    """A link to a file without an end."""
    place.symlink_to("/dev/zero")


def _socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))


def _zip_entry(change: Callable[[bytes], bytes], *marks: str) -> Maker:
    """An entry of a zip file, ``05x.html``, that is changed in the bytes of the archive."""

    def make(folder: Path) -> Bad:
        (written,) = write_zip(folder)
        path = Path(written)
        with zipfile.ZipFile(path, "a") as file:
            entry = zipfile.ZipInfo("05x.html", _ENTRY_DATE)
            file.writestr(entry, b"<p>" + b"odd " * 9)

        data = path.read_bytes()
        write_file(path, change(data))
        return Bad([str(path)], marks or ("05x.html",))

    return make


def _field(local: int, central: int, value: bytes) -> Callable[[bytes], bytes]:
    """Set a field of the last entry: its places in the header of the file and of the list."""
    places = {
        b"PK\x03\x04": local,
        b"PK\x01\x02": central,
    }

    def change(data: bytes) -> bytes:
        changed = bytearray(data)
        for mark, place in places.items():
            start = data.rindex(mark) + place
            end = start + len(value)
            changed[start:end] = value
        return bytes(changed)

    return change


def _name_outside(data: bytes) -> bytes:
    """Another name for the last entry: one outside the archive's folder."""
    return data.replace(b"05x.html", b"../x.htm")


def _odd_paths(*names: str, exit: int = 0) -> Maker:
    """Further paths, in the folder of the pages; ``+``: the pages."""

    def make(folder: Path) -> Bad:
        pages = write_files(folder)
        write_file(folder / "empty" / "notes.pdf", b"%PDF")
        os.mkfifo(folder / "pipe")
        dangling = folder / "dangling.html"
        dangling.symlink_to("nowhere")

        paths: list[str] = []
        for name in names:
            if name == "+":
                paths.extend(pages)
            else:
                paths.append(str(folder / name))
        return Bad(paths, exit=exit)

    return make


def _meanwhile(command: str, *marks: str) -> Maker:
    """A command that changes the files while they are read."""

    def make(folder: Path) -> Bad:
        paths = write_files(folder)
        page = folder / "files" / "05x.html"
        write_file(page, _HTML.encode())
        return Bad(
            paths,
            marks=marks,
            fault=f"extract cd '{paths[0]}' && {command}",
        )

    return make


_GZIP = gzip.compress(_HTML.encode() * 50)
_GZIP_BOMB = gzip.compress(bytes(60_000_000), 1)
_MAKERS: dict[str, Maker] = {
    "a folder without rights": _among(_locked, keeps_rights=False),
    "a file without rights": _among(_locked_file, keeps_rights=False),
    "a linked folder": _among(_linked),
    "a link to a folder above": _among(_linked_above, ""),
    "a dangling link": _among(_linked_nowhere),
    "a link to itself": _among(_linked_to_itself),
    "a FIFO": _among(os.mkfifo),
    "a socket": _among(_socket),
    "a link to /dev/zero": _among(_linked_zeros),
    "an empty page": _among(_named("05x.html")),
    "an empty zip file": _among(_named("05x.zip")),
    "an empty gzip file": _among(_named("05x.html.gz")),
    "an empty WARC file": _among(_named("05x.warc.gz"), ""),
    "lines without a line": _among(_named("05x.jsonl"), ""),
    "no gzip": _among(_named("05x.html.gz", b"<p>no gzip")),
    "cut gzip": _among(_named("05x.html.gz", _GZIP[:-9])),
    "gzip with a wrong sum": _among(_named("05x.html.gz", _GZIP[:-8] + bytes(8))),
    "a gzip bomb": _among(_named("05x.html.gz", _GZIP_BOMB)),
    "no zip": _among(_named("05x.zip", b"PK\x03\x04 no zip")),
    "no WARC": _among(_named("05x.warc", b"no WARC" * 99)),
    "a name that is not UTF-8": _among(_named(os.fsdecode(b"05x\xff\xfe.html"), b"<p>")),
    "a name with a line break": _among(_named("05x\n\x1b[2J.html", b"<p>")),
    "zip: no date": _zip_entry(_field(10, 12, bytes(4))),
    "zip: no such date": _zip_entry(_field(10, 12, b"\xff" * 4)),
    "zip: a wrong sum": _zip_entry(_field(14, 16, b"\x01\x02\x03\x04")),
    "zip: encrypted": _zip_entry(_field(6, 8, b"\x01\x00")),
    "zip: an unknown method": _zip_entry(_field(8, 10, b"\x63\x00")),
    "zip: a wrong size": _zip_entry(_field(22, 24, b"\xff\xff\xff\x7f")),
    "zip: a name outside": _zip_entry(_name_outside, "../x.htm"),
    "zip: a wrong place": _zip_entry(_field(26, 42, b"\xff\xff\x00\x00")),
    "a file that is deleted": _meanwhile("rm 05x.html", "05x.html"),
    "a file that is cut": _meanwhile(": > 05x.html"),
    "a file that is added": _meanwhile("echo '<p>x' > 00x.html"),
    "the same path twice": _odd_paths("+", "+"),
    "a folder and a file of it": _odd_paths("+", "files/03.html"),
    "a path that is missing": _odd_paths("+", "missing.html", exit=1),
    "a path that is a FIFO": _odd_paths("+", "pipe", exit=1),
    "a path that dangles": _odd_paths("+", "dangling.html", exit=1),
    "a folder without pages": _odd_paths("empty", exit=1),
}


def input_faults(quick: bool) -> Iterator[tuple[str, Callable[[Path], list[Result]]]]:
    """A command for each kind of bad input, with one and two processes in turn; with ``quick``
    only that of all lines."""
    makers: dict[str, Maker] = {}
    if not quick:
        for name, line in _BAD_LINES.items():
            makers[f"line: {name}"] = _bad_lines(line)
    makers["lines: all of them"] = _bad_lines(*_BAD_LINES.values())
    if not quick:
        makers |= _MAKERS

    process_counts = cycle((2, 1))
    for kind, make in makers.items():
        processes = next(process_counts)
        label = f"input | {kind} | jsonl | {processes}"
        yield label, partial(_extract, label, make, processes)


#: How the pages are written that are extracted without a fault, by the ending of the input.
_WRITERS = {
    ".jsonl": write_lines,
    ".zip": write_zip,
}


def _extract(name: str, make: Maker, processes: int, folder: Path) -> list[Result]:
    bad = make(folder / "in")
    extraction = Extraction(
        folder / "out",
        bad.paths,
        "jsonl",
        processes,
        prefix=bad.prefix,
    )
    extraction.run(bad.fault, exits=[bad.exit])
    if bad.exit:
        refusal = extraction.refused(name)
        return [refusal]

    extraction.check_named(bad.marks)
    suffix = Path(bad.paths[0]).suffix
    writer = _WRITERS.get(suffix, write_files)
    expected = clean_records(writer)
    result = extraction.check(name, [expected])
    return [result]
