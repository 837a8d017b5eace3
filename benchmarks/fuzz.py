"""``python -m benchmarks.fuzz [--seconds N]``: coverage-guided fuzzing of pages and feeds.

Needs ``pip install atheris`` (Linux, Python up to 3.13), which is not a dependency of any extra.
Pages are parsed, fingerprinted, extracted and sanitized; feeds are read.  The exit status is that
of libFuzzer: not 0, and the input in a file, if anything raises or takes more than ten seconds.
"""

from __future__ import annotations

import argparse
import sys


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=600)
    options = parser.parse_args()
    try:
        import atheris
    except ImportError:
        raise SystemExit("atheris is not installed: pip install atheris") from None
    with atheris.instrument_imports(include=["forest_scrapy", "feedparser"]):
        import forest_scrapy.feeds.reader
        import forest_scrapy.responses.probe_server  # noqa: F401
    limits = [
        f"-max_total_time={options.seconds}",
        "-timeout=10",
        "-max_len=4096",
        "-rss_limit_mb=0",
    ]
    atheris.Setup([sys.argv[0], "-max_len=4096", *limits], read_input)
    atheris.Fuzz()


def read_input(data: bytes) -> None:
    """Read the bytes after the first as a page or as a feed."""
    from forest_scrapy.responses.probe_server import do_feed, do_page

    if data[:1] < b"\x80":
        do_page(data[1:], "http://a.example/", "utf-8")
    else:
        do_feed(data[1:], "http://a.example/feed.xml", {})


if __name__ == "__main__":
    main()
