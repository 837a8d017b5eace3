"""What Spark's tasks do with pandas' frames of pages."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, get_type_hints

import pandas as pd

from forest_scrapy.core.document.urls import host_of
from forest_scrapy.integrations.spark_plan import NO_PLAN, HostPlan, write_plan
from forest_scrapy.items import Article
from forest_scrapy.runtime.batch.extracting import (
    Extracted,
    check_time,
    extract_page,
    guarded,
)
from forest_scrapy.runtime.batch.host_plan import learn_templates, plan_host
from forest_scrapy.runtime.batch.raw_page import BadPage, RawPage, page_of_item, read_item
from forest_scrapy.runtime.batch.warc import read_warc
from forest_scrapy.runtime.batch.work import Job, note_page
from forest_scrapy.runtime.pages.page_urls import page_key
from forest_scrapy.runtime.templates.recognition import fingerprint_of
from forest_scrapy.runtime.templates.template import Template
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import NotedPage

__all__ = [
    "PAGES",
    "PLAN",
    "add_keys",
    "add_urls",
    "articles_schema",
    "extract_all",
    "extract_group",
    "first_keys",
    "learn_host",
    "read_files",
    "read_keys",
]

#: The columns of pages and of plans.
PAGES = "url string, html binary, status int, fetched_at string, headers map<string,string>"
PLAN = "host string, plan string"
#: Spark's types of the fields of ``Article``; others are JSON.
_TYPES: dict[Any, str] = {
    int: "int",
    int | None: "int",
    float: "double",
    list[str]: "array<string>",
}
#: Pages in a frame that is handed to Spark.
_FRAME = 64


def add_keys(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Add the columns ``host`` and ``key``."""
    for frame in frames:
        names = frame["url"].fillna("")
        order = ["url", "html", "status", "fetched_at", "headers", "is_text"]
        yield frame[order].assign(host=names.map(host_of), key=names.map(page_key))


def read_keys(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Host and key of each URL."""
    for frame in frames:
        names = frame["url"].fillna("")
        yield pd.DataFrame({"host": names.map(host_of), "key": names.map(page_key)})


def first_keys(frames: Iterable[pd.DataFrame], most: int) -> Iterator[pd.DataFrame]:
    """The first ``most`` keys of each host in this partition."""
    kept: dict[str, set[str]] = {}
    for frame in frames:
        for host, key in zip(frame["host"], frame["key"], strict=True):
            keys = kept.setdefault(host, set())
            keys.add(key)
            if len(keys) > 2 * most:
                kept[host] = set(heapq.nsmallest(most, keys))
    rows = [(host, key) for host, keys in kept.items() for key in heapq.nsmallest(most, keys)]
    yield pd.DataFrame(rows, columns=["host", "key"])


def learn_host(frame: pd.DataFrame, settings: ForestSettings, are_articles: bool) -> pd.DataFrame:
    """The wrappers of one host, from a sample of its pages: a row of ``PLAN``."""
    host = str(frame["host"].iloc[0])
    raws = dict(_pages(frame))
    job = Job("", settings, are_articles)
    noted = (guarded(note_page, job, number, raw) for number, raw in enumerate(raws.values()))
    notes = [one for one in noted if isinstance(one, NotedPage)]
    plan = plan_host(host, notes, settings)
    samples = (
        (one, [page_of_item(read_item(raws[key], settings.max_bytes, True)) for key in one.sample])
        for one in plan.templates
    )
    features = {note.fingerprint.digest: note.fingerprint for note in notes}
    learned = {one.key: one for one in learn_templates(host, samples, settings)}
    text = write_plan(learned, features, {n.key: plan.assigned.get(n.key, "") for n in notes})
    return pd.DataFrame([(host, text)], columns=["host", "plan"])


def extract_group(
    pages: pd.DataFrame, known: pd.DataFrame, settings: ForestSettings, are_articles: bool
) -> pd.DataFrame:
    """The articles of some pages of a host, and the reasons of the other pages."""
    names = _columns()
    found = extract_all(pages, known, settings, are_articles)
    return pd.DataFrame([_row(raw, one, names) for raw, one in found], columns=names)


def extract_all(
    pages: pd.DataFrame, known: pd.DataFrame, settings: ForestSettings, are_articles: bool
) -> list[tuple[RawPage, Extracted]]:
    """What becomes of each of some pages of a host."""
    if pages.empty:
        return []
    plan = known["plan"].iloc[0] if len(known) else NO_PLAN
    templates = HostPlan.from_json(str(pages["host"].iloc[0]), plan, settings)
    seen: set[str] = set()
    found = []
    for key, raw in _pages(pages):
        one = Extracted("duplicate") if key in seen else None
        one = one or guarded(_extract, raw, key, templates, settings, are_articles)
        seen.add(key)
        found.append((raw, Extracted(one) if isinstance(one, str) else one))
    return found


def read_files(frames: Iterator[pd.DataFrame], max_bytes: int) -> Iterator[pd.DataFrame]:
    """The pages of the WARC files that the frames name."""
    names = ["url", "html", "status", "fetched_at", "headers"]
    for frame in frames:
        for file in frame["file"]:
            rows = []
            for raw in read_warc(file, max_bytes):
                rows.append((raw.url, raw.body, raw.status, raw.fetched_at, dict(raw.headers)))
                if len(rows) == _FRAME:
                    yield pd.DataFrame(rows, columns=names)
                    rows = []
            yield pd.DataFrame(rows, columns=names)


def articles_schema() -> str:
    """The columns of articles."""
    types = get_type_hints(Article)
    columns = (f"{one.name} {_TYPES.get(types[one.name], 'string')}" for one in fields(Article))
    return ", ".join((*columns, "reason string"))


def _columns() -> list[str]:
    return [*(one.name for one in fields(Article)), "reason"]


def _pages(frame: pd.DataFrame) -> list[tuple[str, RawPage]]:
    """Keys and pages, sorted, so that the order in which Spark gives them does not matter."""
    pages = []
    for row in frame.itertuples(index=False):
        body = bytes(row.html) if row.html is not None else b""
        headers = dict(row.headers) if row.headers else {"Content-Type": "text/html"}
        when, url = row.fetched_at or "", row.url or ""
        text = body.decode("utf-8", "replace") if row.is_text else body
        status = int(row.status) if row.status else 200
        pages.append((row.key, RawPage(url, text, "", headers, status, when)))
    return sorted(pages, key=lambda page: (page[0], page[1].url, page[1].fetched_at))


def _extract(
    raw: RawPage, key: str, known: HostPlan, settings: ForestSettings, are_articles: bool
) -> Extracted:
    """What becomes of a page.  Raises ``BadPage``."""
    id = known.assigned.get(key)
    may_be_item = are_articles or settings.wants_records
    if id == "" and not may_be_item:
        raise BadPage("not_article")
    item = read_item(raw, settings.max_bytes, are_articles)
    if id is None:
        check_time(item, settings)
    page = page_of_item(item)
    if id is None:
        found = known.templates.recognise(fingerprint_of(page, settings.distance))
        id = found.id if found else ""
    if not id and not may_be_item:
        raise BadPage("not_article")
    template = known.by_id.get(id) or Template(id, "", id, is_of_articles=bool(id) or are_articles)
    return extract_page(item, page, template, settings)


def add_urls(article: Article) -> None:
    """As in a crawl: the URL itself is not listed, its canonical one is."""
    others = [article.canonical_url] if article.canonical_url not in ("", article.url) else []
    article.other_urls = others


def _row(raw: RawPage, found: Extracted, names: list[str]) -> list[Any]:
    """A row of ``articles_schema``."""
    if found.article is None:
        return [raw.url, *[None] * (len(names) - 2), found.reason]
    types = get_type_hints(Article)
    article = found.article
    add_urls(article)
    cells = []
    for name in names[:-1]:
        value = getattr(article, name)
        if isinstance(value, dict | list) and types[name] not in _TYPES:
            value = json.dumps(value, ensure_ascii=False)
        cells.append(value)
    return [*cells, ""]
