"""Crawls that keep their pages in WARC files, with faults of these files, and what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random

from benchmarks.faults.jobs import Job, Outcome
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
_ODD_NAMES = "kept pages | folders and links named as WARC files"
_REMOVED = "kept pages | old files are removed, crawled again"


def kept_faults(quick: bool) -> Iterator[tuple[str, Fault]]:
    """Crawls of the demo, and what can be read of its pages after a fault."""
    yield _ODD_NAMES, _odd_names
    if not quick:
        yield _REMOVED, _remove
    sizes = _SIZES[1:2] if quick else _SIZES
    for size in sizes:
        name = f"kept pages | {size} bytes damaged, index lost, {_TIMES} times"
        yield name, partial(_damage, name, size)


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
            path = article.path
            archived = archive.latest(f"{server.url}{path}")
            _, body = server.site.files[path]
            if archived is None or archived.body != body:
                missing.append(path)
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
    problem = _describe_exits(outcome, runs=1)
    row = Row(_ODD_NAMES, outcome, lost, problem)
    return [row]


def _remove(folder: Path) -> list[Row]:
    with DemoServer() as server:
        job = _crawl(folder, server)
        pages = folder / "pages"
        old_files = list(pages.glob("*.warc.gz"))
        job.run()
        for path in old_files:
            path.unlink()
        job.run()
        lost = len(_missing(folder, server))

    outcome = job.finish()
    # Each crawl exports all articles to the one file.
    articles = len(outcome.urls) // 3
    outcome.urls = outcome.urls[:articles]
    problem = _describe_exits(outcome, runs=3)
    row = Row(_REMOVED, outcome, lost, problem)
    return [row]


def _describe_exits(outcome: Outcome, runs: int) -> str:
    """The problem if not all runs have ended well."""
    if outcome.exits == [0] * runs:
        return ""
    return f"exit status {outcome.exits}"


def _damage(name: str, size: int, folder: Path) -> list[Row]:
    random = Random(size)
    pages = folder / "pages"
    expected_losses = 2 + size // _MIN_PAGE
    lost = 0
    with DemoServer() as server:
        job = _crawl(folder, server)
        (path,) = pages.glob("*.warc.gz")
        whole = path.read_bytes()
        for _ in range(_TIMES):
            start = random.randrange(len(whole) - size)
            end = start + size
            damaged = bytearray(whole)
            damaged[start:end] = random.randbytes(size)
            path.write_bytes(damaged)
            for index in pages.glob("index.db*"):
                index.unlink()
            missing = _missing(folder, server)
            lost += max(0, len(missing) - expected_losses)
    outcome = job.finish()
    row = Row(name, outcome, lost)
    return [row]
