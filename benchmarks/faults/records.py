"""Crawls of threads of several pages, and of products, that are stopped and resumed."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.faults.jobs import Job
from benchmarks.faults.rows import Row
from demo import DemoServer

#: The pages of each thread.
THREADS = {"harbour": 3, "lantern": 2, "quarry": 1, "meadow": 1, "copper": 4, "violin": 1}
#: Posts of a page.
POSTS = 4
LAMPS = ("owl", "heron", "wren", "gull", "rook", "stork", "teal", "finch")
_HTML = "text/html; charset=utf-8"
#: Seconds before each response.
_DELAY = 0.08
_SECOND = "/t/copper/page/2"
_LAST = "/t/harbour/page/3"


@dataclass(frozen=True)
class RecordsCell:
    """``moments``: for each stop the path of the page that is requested then, or how many are.
    ``limit``: the bytes of a file from then on, in place of a stop."""

    stops: tuple[str, ...]
    moments: tuple[str | int, ...]
    spider: str = "records"
    format: str = "jsonl"
    limit: int = 0

    @property
    def name(self) -> str:
        stops = f"files up to {self.limit // 1000} KB" if self.limit else ", ".join(self.stops)
        moments = ", ".join(str(moment).rpartition("/t/")[2] for moment in self.moments)
        return f"{stops} | {self.spider}: {moments} | JOBDIR | {self.format}"


_CELLS = (
    *(RecordsCell((stop,), (_SECOND,)) for stop in ("kill", "int", "term", "int+int", "int+kill")),
    *(RecordsCell(("kill",), (moment,)) for moment in (_LAST, 2, 6, 12, 19)),
    RecordsCell(("int",), (_LAST,)),
    RecordsCell(("pagecount",), (9,)),
    RecordsCell(("itemcount",), (6,)),
    RecordsCell(("int", "int"), (_SECOND, "/t/copper/page/3")),
    RecordsCell(("kill", "kill"), (_SECOND, "/t/copper/page/3")),
    RecordsCell(("kill", "int", "kill"), (_SECOND, 12, _LAST)),
    RecordsCell(("int", "kill"), (_SECOND, _LAST)),
    *(RecordsCell((stop,), (_SECOND,), format="csv") for stop in ("kill", "int")),
    *(RecordsCell((stop,), (_SECOND,), "feeds") for stop in ("kill", "int")),
    *(RecordsCell(("none",), (_SECOND,), limit=limit) for limit in (1_000, 60_000, 120_000)),
)


def records_faults(quick: bool) -> Iterator[tuple[str, Callable[[Path], list[Row]]]]:
    """The cells; with ``quick`` one, in the middle of a thread."""
    cells = _CELLS[:1] if quick else _CELLS
    for cell in cells:
        yield cell.name, lambda folder, cell=cell: [_run(cell, folder)]  # type: ignore[misc]


#: The settings of the stops that are no signals.
_STOP_SETTINGS = {
    "pagecount": "CLOSESPIDER_PAGECOUNT",
    "itemcount": "CLOSESPIDER_ITEMCOUNT",
}


def _run(cell: RecordsCell, folder: Path) -> Row:
    with DemoServer(extra=_site(), delay=_DELAY) as server:
        start = f"feeds={server.url}/threads.xml"
        if cell.spider == "records":
            start = f"url={server.url}/list,{server.url}/lamps"
        arguments = [cell.spider, "-a", start]
        only_threads = cell.spider != "records" or cell.format == "csv"
        kinds = "thread" if only_threads else "thread,product"
        job = Job(folder, arguments, cell.format, True, FOREST_KINDS=kinds)
        for stop, moment in zip(cell.stops, cell.moments, strict=True):

            def is_time() -> bool:
                pages = set(server.requests).intersection(_site())
                if isinstance(moment, str):  # noqa: B023
                    return moment in pages  # noqa: B023
                return len(pages) >= moment  # noqa: B023

            setting = _STOP_SETTINGS.get(stop)
            job.run(f"{setting}={moment}" if setting else stop, is_time, limit=cell.limit)
        job.run()
        outcome = job.finish()
        items = _read_items(folder / f"out.{cell.format}")
        outcome.urls = [text for item in items for text in _texts(item)]
        expected = _post_names()
        if not only_threads:
            expected.update(LAMPS)
        threads = Counter(item["title"] for item in items if "posts" in item)
        split = [title for title, count in threads.items() if count > 1]
        problem = f"several items: {', '.join(split)}" if split else ""
        if job.outcome.exits[-1]:
            problem = "the last run failed"
        lost = len(expected.difference(outcome.urls))
        return Row(cell.name, outcome, lost, problem)


def _post_names() -> set[str]:
    """The first words of each post: the topic and the number of the post."""
    names = set()
    for topic, pages in THREADS.items():
        for number in range(pages * POSTS):
            names.add(f"{topic} {number}")
    return names


def _read_items(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        if file.suffix == ".jsonl":
            return [json.loads(line) for line in stream]
        csv.field_size_limit(1 << 30)
        rows = [row for row in csv.DictReader(stream) if row["url"] != "url"]
        return [{**row, "posts": json.loads(row["posts"])} for row in rows]


def _texts(item: dict[str, str]) -> list[str]:
    """What stands for each post of a thread, or for a product."""
    if "posts" not in item:
        return [item["url"].rpartition("/")[2]]
    return [" ".join(post["text"].split()[:2]) for post in item["posts"]]  # type: ignore[index]


def _site() -> dict[str, tuple[str, bytes]]:
    """A forum and a shop, with a list each, and a feed of the first pages of the threads."""
    rows = "".join(
        f'<li class="row"><h3><a href="/t/{topic}">What happened to the {topic} here</a></h3>'
        f'<a class="user" href="/u/{topic}">user_{topic}1</a> 4 replies</li>'
        for topic in THREADS
    )
    pages = {"/list": f"<body><h1>Forum</h1><ol>{rows}</ol>"}
    for topic, page_count in THREADS.items():
        for number in range(page_count):
            pages[_path(topic, number)] = _thread(topic, number)
    for number, lamps in enumerate((LAMPS[:4], LAMPS[4:])):
        cards = "".join(
            f'<div class="card"><a href="/p/{lamp}"><img src="/i/{lamp}.jpg" alt=""></a>'
            f'<h3><a href="/p/{lamp}">The {lamp} lamp with a shade</a></h3>'
            f'<span class="price">{len(lamp)}1,90 €</span></div>'
            for lamp in lamps
        )
        further = "" if number else '<a rel="next" href="/lamps/page/2">Next</a>'
        page = f"<body><h1>Lamps</h1><div class=grid>{cards}</div>{further}"
        pages["/lamps/page/2" if number else "/lamps"] = page
    for lamp in LAMPS:
        pages[f"/p/{lamp}"] = _lamp(lamp)
    files = {}
    for path, page in pages.items():
        files[path] = (_HTML, f"<html lang=en>{page}".encode())
    feed = "".join(f"<item><link>/t/{topic}</link></item>" for topic in THREADS)
    feed = f"<rss version='2.0'><channel><title>All</title>{feed}</channel></rss>"
    return {**files, "/threads.xml": ("application/rss+xml", feed.encode())}


def _path(topic: str, number: int) -> str:
    return f"/t/{topic}/page/{number + 1}" if number else f"/t/{topic}"


def _thread(topic: str, number: int) -> str:
    posts = "".join(
        f'<div class="post" id="p{n}"><div class="head"><a class="user" href="/u/{n}">'
        f'user_{topic}{n}</a> <time>{n + 1} May 2024, 10:15</time> <a href="#p{n}">Quote</a></div>'
        f'<div class="body"><p>{topic} {n} says that the {topic} was closed for {n + 2} days, and '
        f"that nobody knew why the {LAMPS[n // 2]} keeper had left.</p></div>"
        f'<p class="tools">Report this post</p></div>'
        for n in range(number * POSTS, (number + 1) * POSTS)
    )
    links = f'<a rel=prev href="{_path(topic, number - 1)}">Previous</a>' if number else ""
    if number + 1 < THREADS[topic]:
        links += f'<a rel=next href="{_path(topic, number + 1)}">Next</a>'
    return (
        f"<head><title>About the {topic}</title></head><body><ul class=menu><li><a href=/list>Forum"
        f"</a></ul><h1>About the {topic}</h1><div id=thread>{posts}</div>{links}"
        "<p class=foot>A forum of the harbour town.</p>"
    )


def _lamp(lamp: str) -> str:
    offer = {"@type": "Offer", "price": f"{len(lamp)}1.90", "priceCurrency": "EUR"}
    product = {"@context": "https://schema.org", "@type": "Product", "name": f"The {lamp} lamp"}
    data = json.dumps({**product, "sku": lamp, "offers": offer})
    return (
        f"<head><title>The {lamp} lamp</title><script type='application/ld+json'>{data}</script>"
        f"</head><body><h1>The {lamp} lamp</h1><span class=amount>{len(lamp)}1,90 €</span>"
        f"<p>The {lamp} gives a warm light; its shade of paper is made by hand in the town.</p>"
        f"<form action=/cart><button>Add to cart</button></form>"
    )
