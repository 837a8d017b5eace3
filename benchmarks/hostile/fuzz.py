"""``python -m benchmarks.hostile.fuzz [--target NAME] [--seconds N]``: coverage-guided fuzzing of
what is read.

    pages  pages are parsed, fingerprinted, extracted and sanitized; feeds are read
    warc   archives, plain and compressed, and the HTTP messages in them
    lines  JSON lines
    zip    zip files
    markdown  texts and HTML as Markdown, which two renderers read again

Needs ``pip install atheris`` (Linux, Python up to 3.13), which is not a dependency of any extra.
The exit status is that of libFuzzer: not 0, and the input in a file, if anything raises or takes
more than ten seconds.
"""

from __future__ import annotations

import argparse
import gzip
import io
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

if TYPE_CHECKING:
    from forest_scrapy import RawPage

#: A page longer than this is too large for the targets that read files.
_MOST = 100_000
#: What ``zipfile`` raises for damaged files, and what is a mistake of the code.
_OF_ZIPFILE = (ValueError, OSError, EOFError, NotImplementedError, struct.error)
_MISTAKES = ("Assertion", "Attribute", "Index", "Key", "Name", "Type", "Unbound")
_PAGE = b"<html><head><title>Boats</title></head><body><p>Boats are in the sea.</body></html>"


@dataclass(frozen=True)
class Target:
    """``run``: reads an input; ``modules``: what is instrumented; ``seeds``: valid inputs."""

    run: Callable[[bytes], None]
    modules: tuple[str, ...] = ()
    seeds: tuple[bytes, ...] = ()


def read_page_or_feed(data: bytes) -> None:
    """Read the bytes after the first as a page or as a feed."""
    from forest_scrapy.responses.probe_server import do_feed, do_page

    if data[:1] < b"\x80":
        do_page(data[1:], "http://a.example/", "utf-8")
    else:
        do_feed(data[1:], "http://a.example/feed.xml", {})


def read_json_lines(data: bytes) -> None:
    """Read a file of JSON lines."""
    from forest_scrapy.batch.inputs import read_json_lines

    try:
        _check(read_json_lines("pages.jsonl", io.BytesIO(data), _MOST))
    except ValueError as error:
        assert "UTF-8" in str(error)


def read_zip_file(data: bytes) -> None:
    """Read a zip file."""
    from forest_scrapy.batch.inputs import read_zip

    try:
        _check(read_zip("pages.zip", io.BytesIO(data), _MOST))
    except (BadZipFile, *_OF_ZIPFILE):
        return  # the file is named


def read_archive(data: bytes) -> None:
    """Read a WARC file: the bytes after the first, as they are, or as members of gzip."""
    from forest_scrapy.batch.warc import read_warc

    kind = data[:1]
    archive = data[1:]
    if kind == b"m":
        archive = b"".join(
            gzip.compress(b"WARC/" + record, 1) for record in archive.split(b"WARC/") if record
        )
    _check(read_warc(io.BytesIO(archive), "a.warc" if kind == b"p" else "a.warc.gz", _MOST))


def render_markdown(data: bytes) -> None:
    """Write Markdown of the bytes after the first: a text, or clean HTML that they choose."""
    from benchmarks.hostile.dangerous_html import build_html
    from benchmarks.support.rendered_markdown import find_differences
    from forest_scrapy.core.markdown.blocks import to_markdown
    from forest_scrapy.core.page.markup import clean_markup

    if data[:1] < b"\x80":
        html = build_html(data[1:])
    else:
        html = clean_markup(f"<p>{escape(data[1:].decode('utf-8', 'replace'))}</p>")
    markdown = to_markdown(html)
    assert list(find_differences(html, markdown)) == [], (html, markdown)


def _check(pages: Iterator[RawPage]) -> None:
    """Each page has a source, and a body that can be read, or the reason why it has none."""
    from forest_scrapy.batch.raw_page import BadPage, read_article_page

    for page in pages:
        assert page.source and len(page.body) <= 8 * _MOST
        page.source.encode()
        assert not page.error.startswith(_MISTAKES), page.error
        try:
            read_article_page(page, _MOST, True)
        except BadPage as error:
            error.reason.encode()


def _record(head: bytes, body: bytes) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + head + b"\r\n" + body
    return (
        (
            b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n"
            b"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n" % len(block)
        )
        + block
        + b"\r\n\r\n"
    )


def _zip() -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("1.html", _PAGE)
        archive.writestr("2.html.gz", gzip.compress(_PAGE))
        archive.writestr("3.jsonl", b'{"url": "http://a.example/", "html": "<p>Boats"}\n')
    return file.getvalue()


_RECORDS = (
    _record(b"", _PAGE),
    _record(b"Transfer-Encoding: chunked\r\n", b"%x\r\n%b\r\n0\r\n\r\n" % (len(_PAGE), _PAGE)),
    _record(b"Content-Encoding: gzip\r\n", gzip.compress(_PAGE)),
)
_INSTRUMENTED = ("forest_scrapy.batch", "forest_scrapy.core.page.urls")
TARGETS = {
    "pages": Target(read_page_or_feed, ("forest_scrapy", "feedparser")),
    "warc": Target(
        read_archive,
        _INSTRUMENTED,
        (
            b"p" + b"".join(_RECORDS),
            b"m" + b"".join(_RECORDS),
            b"g" + b"".join(map(gzip.compress, _RECORDS)),
        ),
    ),
    "lines": Target(
        read_json_lines,
        _INSTRUMENTED,
        (
            b'{"url": "http://a.example/", "html": "<p>Boats", "status": 200}\n'
            b'{"link": "http://[b/", "body": "\\ud800", "fetched_at": "2030-01-01T00:00:00"}\r\n',
        ),
    ),
    "zip": Target(read_zip_file, _INSTRUMENTED, (_zip(),)),
    "markdown": Target(
        render_markdown,
        ("forest_scrapy.core.markdown",),
        (bytes(range(1, 128)), b"\xff[x](javascript:y) &lt;b> *a* `<i>`\n- # http://a.example/_b_"),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", choices=TARGETS, default="pages")
    parser.add_argument("--seconds", type=int, default=600)
    options = parser.parse_args()
    target = TARGETS[options.target]
    try:
        import atheris
    except ImportError:
        raise SystemExit("atheris is not installed: pip install atheris") from None
    with atheris.instrument_imports(include=list(target.modules)):
        import forest_scrapy.batch.inputs
        import forest_scrapy.core.markdown.blocks
        import forest_scrapy.feeds.reader
        import forest_scrapy.responses.probe_server  # noqa: F401
    limits = [
        f"-max_total_time={options.seconds}",
        "-timeout=10",
        "-max_len=4096",
        "-rss_limit_mb=0",
    ]
    with TemporaryDirectory() as corpus:
        for number, seed in enumerate(target.seeds):
            Path(corpus, str(number)).write_bytes(seed)
        atheris.Setup([sys.argv[0], *limits, corpus], target.run)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
