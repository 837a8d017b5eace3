"""What Spark's tasks do with pandas' frames of pages."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from typing import Any, get_type_hints

import pandas as pd

from forest_scrapy.batch.extracting import (
    Extracted,
    check_time,
    extract_page,
    guarded,
)
from forest_scrapy.batch.host_plan import learn_templates, plan_host
from forest_scrapy.batch.inputs import read_warc
from forest_scrapy.batch.raw_page import BadPage, RawPage, page_of_item, read_item
from forest_scrapy.batch.work import Job, note_page
from forest_scrapy.core import Fingerprint, RecordWrapper, Wrapper
from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.crawl.templates.recognition import HostTemplates, fingerprint_of
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.crawl.threads import ThreadJoiner
from forest_scrapy.items import Article, Thread
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BatchStore, NotedPage, NotedTemplate, StoredWrapper
from forest_scrapy.stores.threads import ThreadPage

#: The plan of a host without one.
NO_PLAN = '{"templates": [], "assigned": {}}'


@dataclass(frozen=True)
class HostPlan:
    """The templates of a host by id; ``assigned``: the ids of the pages of the sample by key,
    ``""`` for pages that are not articles."""

    by_id: dict[str, Template]
    assigned: dict[str, str]
    templates: HostTemplates

    @classmethod
    def from_json(cls, host: str, plan: str, settings: ForestSettings) -> HostPlan:
        """From the column ``plan`` of ``learn_wrappers``."""
        value = json.loads(plan)
        templates = HostTemplates(host, settings, map(_stored, value["templates"]))
        templates.measure()
        by_id = {one.id: one for one in templates.templates.values()}
        for one in value["templates"]:
            if template := by_id.get(one["id"]):
                _add_records(template, one)
        return cls(by_id, value["assigned"], templates)


def write_plan(
    learned: Mapping[str, NotedTemplate],
    features: Mapping[str, Fingerprint],
    assigned: Mapping[str, str],
) -> str:
    """The plan of a host as JSON.  ``learned``: its templates by key; ``features``: fingerprints by
    their digest; ``assigned``: the keys of templates by those of pages."""
    templates = [
        {**_describe(one), "fingerprints": [features[d].to_bytes().hex() for d in one.digests]}
        for one in learned.values()
    ]
    ids = {page: learned[key].id if key in learned else "" for page, key in assigned.items()}
    return json.dumps({"templates": templates, "assigned": ids})


def _describe(learned: NotedTemplate) -> dict[str, Any]:
    """What was learned of a template; without what is the same for all if only articles are."""
    comments = RecordWrapper((learned.comments,)) if learned.comments else None
    given = {"records": learned.records, "comments": comments}
    others = {} if learned.is_of_articles else {"is_of_articles": False}
    return {
        "id": learned.id,
        "wrapper": learned.wrapper.to_dict() if learned.wrapper else None,
        **others,
        **{name: one.to_dict() for name, one in given.items() if one},
    }


def _stored(value: Mapping[str, Any]) -> StoredWrapper:
    features = (Fingerprint.from_bytes(bytes.fromhex(one)) for one in value["fingerprints"])
    return StoredWrapper(value["id"], Wrapper.from_dict(value["wrapper"]), tuple(features))


def _add_records(template: Template, value: Mapping[str, Any]) -> None:
    template.sample = ()  # it was learned from these pages
    template.is_of_articles = value.get("is_of_articles", True)
    if records := value.get("records"):
        template.records = RecordWrapper.from_dict(records)
    if comments := value.get("comments"):
        template.comments = RecordWrapper.from_dict(comments).rules[0]


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


#: The columns of items: ``item`` is JSON.  Before threads are joined, also the host, and the group
#: that it is in: ``_THREADS`` for a page of a thread of several pages.
ITEMS = "url string, kind string, item string, reason string"
PARTS = f"host string, part bigint, {ITEMS}"
_THREADS = -1


def extract_parts(
    pages: pd.DataFrame, known: pd.DataFrame, settings: ForestSettings, are_articles: bool
) -> pd.DataFrame:
    """The items of some pages of a host, and its pages of threads: rows of ``PARTS``."""
    rows = []
    for raw, one in extract_all(pages, known, settings, are_articles):
        item = _item_of(one)
        part = _THREADS if isinstance(item, ThreadPage) else int(pages["part"].iloc[0])
        kind = type(item).__name__.lower() if item else ""
        rows.append((host_of(raw.url), part, one.url or raw.url, kind, _write(item), one.reason))
    return pd.DataFrame(rows, columns=_names(PARTS))


def join_parts(parts: pd.DataFrame, most: int) -> pd.DataFrame:
    """Rows of ``ITEMS``: other items as they are, the pages of threads joined, at most ``most`` to
    a thread.  ``parts``: some items of a host, or all of its pages of threads."""
    names = _names(ITEMS)
    if int(parts["part"].iloc[0]) != _THREADS:
        return parts[names]
    with closing(BatchStore(":memory:")) as store:
        joiner = ThreadJoiner(store.threads, most)
        pages = [ThreadPage(**json.loads(text)) for text in parts["item"]]
        found = [joiner.add(page) for page in sorted(pages, key=lambda page: page.key)]
        while keys := store.threads.ends():
            found += map(joiner.join, keys)
    threads = [thread for thread in found if thread]
    rows = [(thread.url, "thread", _write(thread), "") for thread in threads]
    return pd.DataFrame(rows, columns=names)


def _item_of(extracted: Extracted) -> Any:
    """The item of a page; a page of a thread of several pages as it is."""
    page, article = extracted.thread_page, extracted.article
    if page and page.thread and page.is_first and page.is_last:
        return Thread(**page.thread)
    if isinstance(article, Article):
        add_urls(article)
    return page or article or extracted.record


def _write(item: Any) -> str | None:
    return json.dumps(asdict(item), ensure_ascii=False) if item else None


def _names(columns: str) -> list[str]:
    """The names of columns.

    >>> _names("url string, status int")
    ['url', 'status']
    """
    return [column.split()[0] for column in columns.split(", ")]
