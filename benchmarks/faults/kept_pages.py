"""Crawls that keep their pages in WARC files, with faults of these files, and what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

from benchmarks.faults.jobs import Job
from benchmarks.faults.rows import Row
from demo import DemoServer
from forest_scrapy.archive.page_archive import PageArchive

Fault = Callable[[Path], list[Row]]
#: Bytes that are damaged at one place, and times that this is done in all.
_SIZES = (1, 100, 5_000)
_TIMES = 10
#: Bytes of a packed page of the demo, at least: damage costs the pages that it meets, at most two
#: more than fit into it.
_MIN_PAGE = 700


def kept_faults(quick: bool) -> Iterator[tuple[str, Fault]]:
    """Crawls of the demo, and what can be read of its pages after a fault."""
    yield "kept pages | folders and links named as WARC files", _odd_names
    if not quick:
        yield "kept pages | old files are removed, crawled again", _remove
    sizes = _SIZES[1:2] if quick else _SIZES
    for size in sizes:
        name = f"kept pages | {size} bytes damaged, index lost, {_TIMES} times"
        yield name, lambda folder, name=name, size=size: [_damage(name, size, folder)]  # type: ignore[misc]


def _crawl(folder: Path, server: DemoServer) -> Job:
    arguments = ["feeds", "-a", f"feeds={server.feed_url}"]
    job = Job(folder, arguments, "jsonl", False, FOREST_WARC="pages")
    job.run()
    return job


def _missing(folder: Path, server: DemoServer) -> list[str]:
    """The articles whose pages cannot be read as they were."""
    with closing(PageArchive(folder / "pages")) as archive:
        missing = []
        for article in server.site.articles:
            kept_page = archive.latest(f"{server.url}{article.path}")
            if kept_page is None or kept_page.body != server.site.files[article.path][1]:
                missing.append(article.path)
        return missing


def _odd_names(folder: Path) -> list[Row]:
    pages = folder / "pages"
    pages.mkdir(parents=True)
    (pages / "x.warc.gz").mkdir()
    (pages / "y.warc.gz").symlink_to(pages / "nowhere")
    with DemoServer() as server:
        job = _crawl(folder, server)
        lost = len(_missing(folder, server))
    outcome = job.finish()
    problem = "" if outcome.exits == [0] else f"exit status {outcome.exits}"
    return [Row("kept pages | folders and links named as WARC files", outcome, lost, problem)]


def _remove(folder: Path) -> list[Row]:
    with DemoServer() as server:
        job = _crawl(folder, server)
        first = list((folder / "pages").glob("*.warc.gz"))
        job.run()
        for path in first:
            path.unlink()
        job.run()
        lost = len(_missing(folder, server))
    outcome = job.finish()
    # Each crawl exports all articles to the one file.
    outcome.urls = outcome.urls[: len(outcome.urls) // 3]
    problem = "" if outcome.exits == [0, 0, 0] else f"exit status {outcome.exits}"
    return [Row("kept pages | old files are removed, crawled again", outcome, lost, problem)]


def _damage(name: str, size: int, folder: Path) -> Row:
    random = Random(size)
    lost = 0
    with DemoServer() as server:
        job = _crawl(folder, server)
        (path,) = (folder / "pages").glob("*.warc.gz")
        whole = path.read_bytes()
        for _ in range(_TIMES):
            start = random.randrange(len(whole) - size)
            damaged = bytearray(whole)
            damaged[start : start + size] = random.randbytes(size)
            path.write_bytes(damaged)
            for index in (folder / "pages").glob("index.db*"):
                index.unlink()
            lost += max(0, len(_missing(folder, server)) - 2 - size // _MIN_PAGE)
    return Row(name, job.finish(), lost)
