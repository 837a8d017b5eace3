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


def write_lines(folder: Path, missing: frozenset[int] = NONE) -> list[str]:
    """A file of JSON lines."""
    return [write_file(folder / "pages.jsonl", b"".join(_lines(missing)))]


def write_files(folder: Path, missing: frozenset[int] = NONE) -> list[str]:
    """A folder of HTML files."""
    for number, (_, body) in enumerate(demo_pages()):
        if number not in missing:
            write_file(folder / "files" / f"{number:02}.html", body)
    return [str(folder / "files")]


def write_zip(folder: Path, missing: frozenset[int] = NONE) -> list[str]:
    """A zip file of HTML files."""
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for number, (_, body) in enumerate(demo_pages()):
            if number not in missing:
                file.writestr(zipfile.ZipInfo(f"{number:02}.html", (2030, 1, 1, 0, 0, 0)), body)
    return [write_file(folder / "pages.zip", archive.getvalue())]


def _lines(missing: frozenset[int] = NONE) -> list[bytes]:
    lines = []
    for number, (url, body) in enumerate(demo_pages()):
        if number not in missing:
            page = {"url": url, "html": body.decode(), "fetched_at": ""}
            lines.append(json.dumps(page).encode() + b"\n")
    return lines


def _line(**values: object) -> bytes:
    return json.dumps({"url": "http://odd.example/1", "html": _HTML, **values}).encode()


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
        parts = [*bad_lines, *pages[:20], *bad_lines, *pages[20:], *bad_lines]
        data = b"".join(parts).rstrip(b"\n")
        starts = (1, 21 + len(lines), 41 + 2 * len(lines))
        marks = []
        for start in starts:
            for number in range(start, start + len(lines)):
                marks.append(f"pages.jsonl:{number} ")
        return Bad([write_file(folder / "pages.jsonl", data)], tuple(marks))

    return make


def _among(make_it: Callable[[Path], object], *marks: str, keeps_rights: bool = True) -> Maker:
    """Something among the HTML files.  Root gives up its right to read all files."""

    def make(folder: Path) -> Bad:
        paths = write_files(folder)
        make_it(folder / "files" / "05x.html")
        is_root = os.getuid() == 0 and not keeps_rights
        drop = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
        return Bad(paths, marks or ("05x",), prefix=drop if is_root else ())

    return make


def _named(name: str, data: bytes = b"") -> Callable[[Path], object]:
    return lambda place: write_file(place.with_name(name), data)


def _locked(place: Path) -> None:
    """A folder that may not be read."""
    write_file(place / "1.html", b"<p>x")
    place.chmod(0)


def _locked_file(place: Path) -> None:
    write_file(place, b"<p>x")
    place.chmod(0)


def _linked(place: Path) -> None:
    """A link to a folder elsewhere."""
    write_file(place.parents[1] / "elsewhere" / "1.html", _HTML.encode())
    place.symlink_to(place.parents[1] / "elsewhere")


def _socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))


def _zip_entry(change: Callable[[bytes], bytes], *marks: str) -> Maker:
    """An entry of a zip file, ``05x.html``, that is changed in the bytes of the archive."""

    def make(folder: Path) -> Bad:
        path = Path(*write_zip(folder))
        with zipfile.ZipFile(path, "a") as file:
            file.writestr(zipfile.ZipInfo("05x.html", (2030, 1, 1, 0, 0, 0)), b"<p>" + b"odd " * 9)
        data = path.read_bytes()
        write_file(path, change(data))
        return Bad([str(path)], marks or ("05x.html",))

    return make


def _field(local: int, central: int, value: bytes) -> Callable[[bytes], bytes]:
    """Set a field of the last entry: its places in the header of the file and of the list."""

    def change(data: bytes) -> bytes:
        changed = bytearray(data)
        for mark, place in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
            start = data.rindex(mark) + place
            changed[start : start + len(value)] = value
        return bytes(changed)

    return change


def _odd_paths(*paths: str, marks: tuple[str, ...] = (), exit: int = 0) -> Maker:
    """Further paths, in the folder of the pages; ``+``: the pages."""

    def make(folder: Path) -> Bad:
        written = write_files(folder)
        write_file(folder / "empty" / "notes.pdf", b"%PDF")
        os.mkfifo(folder / "pipe")
        (folder / "dangling.html").symlink_to("nowhere")
        named = [written if part_name == "+" else [str(folder / part_name)] for part_name in paths]
        return Bad([path for part in named for path in part], marks, exit=exit)

    return make


def _meanwhile(command: str, *marks: str) -> Maker:
    """A command that changes the files while they are read."""

    def make(folder: Path) -> Bad:
        paths = write_files(folder)
        write_file(folder / "files" / "05x.html", _HTML.encode())
        return Bad(paths, marks, fault=f"extract cd '{paths[0]}' && {command}")

    return make


_GZIP = gzip.compress(_HTML.encode() * 50)
_MAKERS: dict[str, Maker] = {
    "a folder without rights": _among(_locked, keeps_rights=False),
    "a file without rights": _among(_locked_file, keeps_rights=False),
    "a linked folder": _among(_linked),
    "a link to a folder above": _among(lambda p: p.symlink_to(p.parent), ""),
    "a dangling link": _among(lambda p: p.symlink_to("nowhere")),
    "a link to itself": _among(lambda p: p.symlink_to(p)),
    "a FIFO": _among(os.mkfifo),
    "a socket": _among(_socket),
    "a link to /dev/zero": _among(lambda p: p.symlink_to("/dev/zero")),
    "an empty page": _among(_named("05x.html")),
    "an empty zip file": _among(_named("05x.zip")),
    "an empty gzip file": _among(_named("05x.html.gz")),
    "an empty WARC file": _among(_named("05x.warc.gz"), ""),
    "lines without a line": _among(_named("05x.jsonl"), ""),
    "no gzip": _among(_named("05x.html.gz", b"<p>no gzip")),
    "cut gzip": _among(_named("05x.html.gz", _GZIP[:-9])),
    "gzip with a wrong sum": _among(_named("05x.html.gz", _GZIP[:-8] + bytes(8))),
    "a gzip bomb": _among(_named("05x.html.gz", gzip.compress(bytes(60_000_000), 1))),
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
    "zip: a name outside": _zip_entry(lambda d: d.replace(b"05x.html", b"../x.htm"), "../x.htm"),
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
    """A command for each kind of bad input, with one and two processes in turn."""
    lines = {f"line: {name}": _bad_lines(line) for name, line in _BAD_LINES.items()}
    lines["lines: all of them"] = _bad_lines(*_BAD_LINES.values())
    makers = [*lines.items(), *_MAKERS.items()]
    if quick:
        makers = [(kind, make) for kind, make in makers if kind == "lines: all of them"]
    for (kind, make), processes in zip(makers, cycle((2, 1)), strict=False):
        name = f"input | {kind} | jsonl | {processes}"
        yield name, partial(_extract, name, make, processes)


def _extract(name: str, make: Maker, processes: int, folder: Path) -> list[Result]:
    bad = make(folder / "in")
    extraction = Extraction(folder / "out", bad.paths, "jsonl", processes, prefix=bad.prefix)
    extraction.run(bad.fault, exits=[bad.exit])
    if bad.exit:
        return [extraction.refused(name)]
    extraction.check_named(bad.marks)
    suffix = Path(bad.paths[0]).suffix
    writer = {".jsonl": write_lines, ".zip": write_zip}.get(suffix, write_files)
    return [extraction.check(name, [clean_records(writer)])]
