"""What Spark's tasks do with pandas' frames of pages."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any, get_type_hints

import pandas as pd

from forest_scrapy.core import Fingerprint, Wrapper
from forest_scrapy.core.document.urls import host_of
from forest_scrapy.items import Article
from forest_scrapy.runtime.batch.extracting import (
    Extracted,
    check_time,
    extract_article,
    finish_page,
    guarded,
)
from forest_scrapy.runtime.batch.host_plan import learn_templates, plan_host
from forest_scrapy.runtime.batch.raw_page import BadPage, RawPage, page_of_item, read_item
from forest_scrapy.runtime.batch.warc import read_warc
from forest_scrapy.runtime.batch.work import Job, note_page
from forest_scrapy.runtime.pages.page_urls import page_key
from forest_scrapy.runtime.templates.recognition import HostTemplates, fingerprint_of
from forest_scrapy.runtime.wrapper_provider import NOTHING
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import NotedPage, StoredWrapper

__all__ = [
    "PAGES",
    "PLAN",
    "HostWrappers",
    "add_keys",
    "articles_schema",
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
    ids, templates = {}, []
    for one, id, wrapper in learn_templates(host, samples, settings):
        ids[one.key] = id
        fingerprints = [features[digest].to_bytes().hex() for digest in one.digests]
        templates.append({"id": id, "wrapper": wrapper.to_dict(), "fingerprints": fingerprints})
    assigned = {note.key: ids.get(plan.assigned.get(note.key, ""), "") for note in notes}
    value = {"templates": templates, "assigned": assigned}
    return pd.DataFrame([(host, json.dumps(value))], columns=["host", "plan"])


@dataclass(frozen=True)
class HostWrappers:
    """The wrappers of a host by id; ``assigned``: the ids of the pages of the sample by key,
    ``""`` for pages that are not articles."""

    wrappers: dict[str, Wrapper]
    assigned: dict[str, str]
    templates: HostTemplates

    @classmethod
    def from_json(cls, host: str, plan: str, settings: ForestSettings) -> HostWrappers:
        """From the column ``plan`` of ``learn_wrappers``."""
        value = json.loads(plan)
        stored = [
            StoredWrapper(
                one["id"],
                Wrapper.from_dict(one["wrapper"]),
                tuple(Fingerprint.from_bytes(bytes.fromhex(f)) for f in one["fingerprints"]),
            )
            for one in value["templates"]
        ]
        templates = HostTemplates(host, settings, stored)
        templates.measure()
        return cls({s.template_id: s.wrapper for s in stored}, value["assigned"], templates)


def extract_group(
    pages: pd.DataFrame, known: pd.DataFrame, settings: ForestSettings, are_articles: bool
) -> pd.DataFrame:
    """The articles of some pages of a host, and the reasons of the other pages."""
    names = _columns()
    if pages.empty:
        return pd.DataFrame(columns=names)
    host = str(pages["host"].iloc[0])
    plan = known["plan"].iloc[0] if len(known) else '{"templates": [], "assigned": {}}'
    wrappers = HostWrappers.from_json(host, plan, settings)
    rows, seen = [], set()
    for key, raw in _pages(pages):
        found = Extracted("duplicate") if key in seen else None
        found = found or guarded(_extract, raw, key, wrappers, settings, are_articles)
        seen.add(key)
        rows.append(_row(raw, Extracted(found) if isinstance(found, str) else found, names))
    return pd.DataFrame(rows, columns=names)


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
    raw: RawPage, key: str, known: HostWrappers, settings: ForestSettings, are_articles: bool
) -> Extracted:
    """What becomes of a page.  Raises ``BadPage``."""
    id = known.assigned.get(key)
    if id == "" and not are_articles:
        raise BadPage("not_article")
    item = read_item(raw, settings.max_bytes, are_articles)
    if id is None:
        check_time(item, settings)
    page = page_of_item(item)
    if id is None:
        template = known.templates.recognise(fingerprint_of(page, settings.distance))
        id = template.id if template else ""
    if not id and not are_articles:
        raise BadPage("not_article")
    wrapper = known.wrappers.get(id, NOTHING)
    return finish_page(item, extract_article(item, page, id, wrapper, settings), settings)


def _row(raw: RawPage, found: Extracted, names: list[str]) -> list[Any]:
    """A row of ``articles_schema``."""
    if found.article is None:
        return [raw.url, *[None] * (len(names) - 2), found.reason]
    types = get_type_hints(Article)
    article = found.article
    # As in a crawl: the URL itself is not listed, its canonical one is.
    others = [article.canonical_url] if article.canonical_url not in ("", article.url) else []
    article.other_urls = others
    cells = []
    for name in names[:-1]:
        value = getattr(article, name)
        if isinstance(value, dict | list) and types[name] not in _TYPES:
            value = json.dumps(value, ensure_ascii=False)
        cells.append(value)
    return [*cells, ""]
