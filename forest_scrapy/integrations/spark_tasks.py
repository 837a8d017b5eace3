"""What Spark's tasks do with pandas' frames of pages."""

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from typing import Any, get_type_hints

import pandas as pd
from itemadapter import ItemAdapter

from forest_scrapy.batch.inputs import read_file
from forest_scrapy.batch.planning import learn_templates, plan_host
from forest_scrapy.batch.raw_page import BadPage, RawPage, page_of_item, read_item
from forest_scrapy.batch.work import (
    ExtractedPage,
    check_time,
    extract_by_template,
    extracted_or_refused,
    note_page,
    result_or_reason,
)
from forest_scrapy.core import Options, Page, Params, Template
from forest_scrapy.core.boilerplate.challenges import is_blocked
from forest_scrapy.core.hosts import HostTemplates
from forest_scrapy.core.items import item_kind
from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.items import Article
from forest_scrapy.joining.pages import PageJoiner
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import NotedPage
from forest_scrapy.stores.held_pages import HeldPage, HeldPageTable
from forest_scrapy.zyte_items import convert_item

#: The plan of a host without one.
NO_PLAN = '{"templates": [], "assigned": {}}'


@dataclass(frozen=True)
class KnownHost:
    """The templates of a host; ``assigned``: the keys of the templates of the pages of the sample
    by key, ``""`` for pages that are not articles."""

    by_key: dict[str, Template]
    assigned: dict[str, str]
    host: HostTemplates

    @classmethod
    def from_json(cls, host: str, plan: str, options: Options) -> "KnownHost":
        """From the column ``plan`` of ``learn_wrappers``."""
        value = json.loads(plan)
        templates = [Template.from_dict(one) for one in value["templates"]]
        # All of them were learned by the method of the options, or by none.
        known = HostTemplates(host, replace(options, params=Params()), templates)
        known.grouping.measure()
        return cls({one.key: one for one in templates}, value["assigned"], known)


def write_plan(learned: Iterable[Template], assigned: Mapping[str, str]) -> str:
    """The plan of a host as JSON.  ``assigned``: the keys of templates by those of pages."""
    templates = [one.to_dict() for one in learned]
    return json.dumps({"templates": templates, "assigned": assigned})


#: The columns of pages and of plans.
PAGES = (
    "url string, html binary, status int, fetched_at string, headers map<string,string>, "
    "error string"
)
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
        order = ["url", "html", "status", "fetched_at", "headers", "error", "is_text"]
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
    noted = (
        result_or_reason(note_page, settings, are_articles, number, raw)
        for number, raw in enumerate(raws.values())
    )
    notes = [one for one in noted if isinstance(one, NotedPage)]
    plan = plan_host(host, notes, settings.options)

    def read(keys: Sequence[str]) -> list[Page]:
        return [page_of_item(read_item(raws[key], settings.max_bytes, True)) for key in keys]

    learned = (one for one, _ in learn_templates(host, plan.templates, read, settings.options))
    text = write_plan(learned, {n.key: plan.assigned.get(n.key, "") for n in notes})
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
) -> list[tuple[RawPage, ExtractedPage]]:
    """What becomes of each of some pages of a host."""
    if pages.empty:
        return []
    plan = known["plan"].iloc[0] if len(known) else NO_PLAN
    templates = KnownHost.from_json(str(pages["host"].iloc[0]), plan, settings.options)
    seen: set[str] = set()
    found = []
    for key, raw in _pages(pages):
        if key in seen:
            page = ExtractedPage("duplicate")
        else:
            page = extracted_or_refused(_extract, raw, key, templates, settings, are_articles)
        seen.add(key)
        found.append((raw, page))
    return found


def read_files(frames: Iterator[pd.DataFrame], max_bytes: int) -> Iterator[pd.DataFrame]:
    """The pages of the WARC files that the frames name; of what is damaged, with an ``error`` and
    its file and offset in place of the URL."""
    names = _names(PAGES)
    for frame in frames:
        for file in frame["file"]:
            rows = []
            for raw in read_file(file, max_bytes):
                url, error = (raw.source, raw.error) if raw.error else (raw.url, "")
                headers = dict(raw.headers)
                rows.append((url, raw.body, raw.status, raw.fetched_at, headers, error))
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
        status = int(row.status) if row.status and not pd.isna(row.status) else 200
        page = RawPage(url, text, "", headers, status, when, row.error or "")
        pages.append((row.key, page))
    return sorted(pages, key=lambda page: (page[0], page[1].url, page[1].fetched_at))


def _extract(
    raw: RawPage, key: str, known: KnownHost, settings: ForestSettings, are_articles: bool
) -> ExtractedPage:
    """What becomes of a page.  Raises ``BadPage``."""
    assigned = known.assigned.get(key)
    may_be_item = are_articles or settings.wants_records
    if assigned == "" and not may_be_item:
        raise BadPage("not_article")
    item = read_item(raw, settings.max_bytes, are_articles)
    if assigned is None:
        check_time(item, settings)
    page = page_of_item(item)
    template = known.host.recognise_page(page) if assigned is None else known.by_key.get(assigned)
    if template is None and not may_be_item:
        raise BadPage("blocked" if is_blocked(page) else "not_article")
    if template is None and not are_articles:
        template = Template("", "", may_be_articles=False)
    return extract_by_template(item, page, template, settings)


def add_urls(article: Article) -> None:
    """As in a crawl: the URL itself is not listed, its canonical one is."""
    others = [article.canonical_url] if article.canonical_url not in ("", article.url) else []
    article.other_urls = others


def _row(raw: RawPage, found: ExtractedPage, names: list[str]) -> list[Any]:
    """A row of ``articles_schema``."""
    if not isinstance(found.item, Article):
        return [raw.url, *[None] * (len(names) - 2), found.reason]
    types = get_type_hints(Article)
    article = found.item
    add_urls(article)
    cells = []
    for name in names[:-1]:
        value = getattr(article, name)
        if isinstance(value, dict | list) and types[name] not in _TYPES:
            value = json.dumps(value, ensure_ascii=False)
        cells.append(value)
    return [*cells, ""]


#: The columns of items: ``item`` is JSON.  Before pages are joined, also the host, and the group
#: that it is in: ``_HELD`` for a page of a thread or an article of several pages.
ITEMS = "url string, kind string, item string, reason string"
PARTS = f"host string, part bigint, {ITEMS}"
_HELD = -1


def extract_parts(
    pages: pd.DataFrame, known: pd.DataFrame, settings: ForestSettings, are_articles: bool
) -> pd.DataFrame:
    """The items of some pages of a host, and its pages of items of several pages: rows of
    ``PARTS``."""
    rows = []
    for raw, one in extract_all(pages, known, settings, are_articles):
        item = _item_of(one)
        part = _HELD if isinstance(item, HeldPage) else int(pages["part"].iloc[0])
        kind = item_kind(item)
        text = _write(convert_item(item, settings.item))
        rows.append((host_of(raw.url), part, one.url or raw.url, kind, text, one.reason))
    return pd.DataFrame(rows, columns=_names(PARTS))


def join_parts(parts: pd.DataFrame, settings: ForestSettings) -> pd.DataFrame:
    """Rows of ``ITEMS``: other items as they are, the pages of threads and articles joined.
    ``parts``: some items of a host, or all of its pages of items of several pages."""
    names = _names(ITEMS)
    if int(parts["part"].iloc[0]) != _HELD:
        return parts[names]
    with closing(HeldPageTable.in_memory()) as table:
        joiner = PageJoiner(table, settings)
        pages = [HeldPage(**json.loads(text)) for text in parts["item"]]
        found = []
        for page in sorted(pages, key=lambda page: page.key):
            added = joiner.add(page)
            found.append(joiner.join(added.first) if added.first else added.item)
        while keys := table.starts():
            found += map(joiner.join, keys)
    rows = []
    for item in found:
        if isinstance(item, Article):
            add_urls(item)
        if item is not None:
            text = _write(convert_item(item, settings.item))
            rows.append((item.url, item_kind(item), text, ""))
    return pd.DataFrame(rows, columns=names)


def _item_of(extracted: ExtractedPage) -> Any:
    """The item of a page; a page of a thread or an article of several pages as it is."""
    page, item = extracted.held_page, extracted.item
    if isinstance(item, Article):
        add_urls(item)
    return page if page and not (page.is_first and page.is_last) else item


def _write(item: Any) -> str | None:
    return json.dumps(ItemAdapter(item).asdict(), ensure_ascii=False) if item else None


def _names(columns: str) -> list[str]:
    """The names of columns.

    >>> _names("url string, status int")
    ['url', 'status']
    """
    return [column.split()[0] for column in columns.split(", ")]
