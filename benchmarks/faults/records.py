"""Crawls of threads of several pages, and of products, that are stopped and resumed."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
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
    def has_products(self) -> bool:
        """Whether products are wanted, too: a table has the columns of threads only."""
        return self.spider == "records" and self.format != "csv"

    @property
    def name(self) -> str:
        stops = ", ".join(self.stops)
        if self.limit:
            stops = f"files up to {self.limit // 1000} KB"
        moments = ", ".join(str(moment).removeprefix("/t/") for moment in self.moments)
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
    site = _site()
    with DemoServer(extra=site, delay=_DELAY) as server:
        job = _start_job(cell, server.url, folder)
        for stop, moment in zip(cell.stops, cell.moments, strict=True):

            def is_time() -> bool:
                pages = set(server.requests).intersection(site)
                if isinstance(moment, str):  # noqa: B023
                    return moment in pages  # noqa: B023
                return len(pages) >= moment  # noqa: B023

            setting = _STOP_SETTINGS.get(stop)
            if setting:
                stop = f"{setting}={moment}"
            job.run(stop, is_time, limit=cell.limit)
        job.run()
        return _compare(cell, job, folder)


def _start_job(cell: RecordsCell, url: str, folder: Path) -> Job:
    """The crawl of the site at ``url``, not yet run."""
    start = f"feeds={url}/threads.xml"
    if cell.spider == "records":
        start = f"url={url}/list,{url}/lamps"
    kinds = "thread,product" if cell.has_products else "thread"
    return Job(
        folder,
        [cell.spider, "-a", start],
        cell.format,
        has_job=True,
        FOREST_KINDS=kinds,
    )


def _compare(cell: RecordsCell, job: Job, folder: Path) -> Row:
    """The row of a job that is done: what was exported beside what should have been."""
    outcome = job.finish()
    items = _read_items(folder / f"out.{cell.format}")
    outcome.urls = []
    for item in items:
        outcome.urls.extend(_texts(item))

    expected = _post_names()
    if cell.has_products:
        expected.update(LAMPS)
    lost = expected.difference(outcome.urls)

    threads = Counter(item["title"] for item in items if "posts" in item)
    split = [title for title, count in threads.items() if count > 1]
    problem = ""
    if split:
        problem = f"several items: {', '.join(split)}"
    if job.outcome.exits[-1]:
        problem = "the last run failed"
    return Row(cell.name, outcome, len(lost), problem)


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
        items = []
        for row in csv.DictReader(stream):
            is_header = row["url"] == "url"
            if not is_header:
                posts = json.loads(row["posts"])
                items.append({**row, "posts": posts})
        return items


def _texts(item: dict[str, str]) -> list[str]:
    """What stands for each post of a thread, or for a product."""
    if "posts" not in item:
        lamp = item["url"].rpartition("/")[2]
        return [lamp]
    texts = []
    for post in item["posts"]:
        words = post["text"].split()  # type: ignore[index]
        texts.append(" ".join(words[:2]))
    return texts


def _site() -> dict[str, tuple[str, bytes]]:
    """A forum and a shop, with a list each, and a feed of the first pages of the threads."""
    pages = {
        "/list": _thread_list(),
        "/lamps": _lamp_list(LAMPS[:4], '<a rel="next" href="/lamps/page/2">Next</a>'),
        "/lamps/page/2": _lamp_list(LAMPS[4:], ""),
    }
    for topic, page_count in THREADS.items():
        for number in range(page_count):
            path = _path(topic, number)
            pages[path] = _thread(topic, number)
    for lamp in LAMPS:
        pages[f"/p/{lamp}"] = _lamp(lamp)

    files = {}
    for path, page in pages.items():
        document = f"<html lang=en>{page}"
        files[path] = (_HTML, document.encode())

    items = "".join(f"<item><link>/t/{topic}</link></item>" for topic in THREADS)
    feed = f"<rss version='2.0'><channel><title>All</title>{items}</channel></rss>"
    files["/threads.xml"] = ("application/rss+xml", feed.encode())
    return files


def _thread_list() -> str:
    rows = "".join(
        f'<li class="row"><h3><a href="/t/{topic}">What happened to the {topic} here</a></h3>'
        f'<a class="user" href="/u/{topic}">user_{topic}1</a> 4 replies</li>'
        for topic in THREADS
    )
    return f"<body><h1>Forum</h1><ol>{rows}</ol>"


def _lamp_list(lamps: Sequence[str], further: str) -> str:
    """A page of the shop's list; ``further``: the link to the next page."""
    cards = "".join(
        f'<div class="card"><a href="/p/{lamp}"><img src="/i/{lamp}.jpg" alt=""></a>'
        f'<h3><a href="/p/{lamp}">The {lamp} lamp with a shade</a></h3>'
        f'<span class="price">{len(lamp)}1,90 €</span></div>'
        for lamp in lamps
    )
    return f"<body><h1>Lamps</h1><div class=grid>{cards}</div>{further}"


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
    product = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": f"The {lamp} lamp",
        "sku": lamp,
        "offers": {
            "@type": "Offer",
            "price": f"{len(lamp)}1.90",
            "priceCurrency": "EUR",
        },
    }
    data = json.dumps(product)
    return (
        f"<head><title>The {lamp} lamp</title><script type='application/ld+json'>{data}</script>"
        f"</head><body><h1>The {lamp} lamp</h1><span class=amount>{len(lamp)}1,90 €</span>"
        f"<p>The {lamp} gives a warm light; its shade of paper is made by hand in the town.</p>"
        f"<form action=/cart><button>Add to cart</button></form>"
    )
