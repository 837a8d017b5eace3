"""The work of Spark's tasks on pandas' frames of pages."""

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from itemadapter import ItemAdapter

from forest_scrapy.batch.inputs import read_raw_pages
from forest_scrapy.batch.planning import learn_templates, plan_host
from forest_scrapy.batch.raw_page import BadPage, RawPage, page_of_item, read_article_page
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
from forest_scrapy.core.page.urls import host_with_port, page_key
from forest_scrapy.core.table_columns import ColumnType, columns_of
from forest_scrapy.items import Article
from forest_scrapy.joining.pages import PageJoiner
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import NotedPage
from forest_scrapy.stores.held_pages import HeldPage, HeldPageTable
from forest_scrapy.zyte_items import convert_item

#: The frames of a partition.
Frames = Iterator[pd.DataFrame]

#: The plan of a host without one.
NO_PLAN = '{"templates": [], "assigned": {}}'


@dataclass(frozen=True)
class SampledHost:
    """The templates of a host; ``assigned``: the keys of the templates of the pages of the sample
    by key, ``""`` for pages that are not articles."""

    by_key: dict[str, Template]
    assigned: dict[str, str]
    host: HostTemplates

    @classmethod
    def from_json(
        cls,
        host: str,
        plan: str,
        options: Options,
    ) -> "SampledHost":
        """From the column ``plan`` of ``learn_wrappers``."""
        values = json.loads(plan)
        templates = [Template.from_dict(template) for template in values["templates"]]
        # All of them were learned by the method of the options, or by none.
        host_templates = HostTemplates(host, replace(options, params=Params()), templates)
        host_templates.grouping.measure()
        by_key = {template.key: template for template in templates}
        return cls(by_key, values["assigned"], host_templates)


def write_plan(
    templates: Iterable[Template],
    assigned: Mapping[str, str],
) -> str:
    """The plan of a host as JSON.  ``assigned``: the keys of templates by those of pages."""
    values = [template.to_dict() for template in templates]
    return json.dumps({"templates": values, "assigned": assigned})


#: The columns of pages and of plans.
PAGES = (
    "url string, html binary, status int, fetched_at string, headers map<string,string>, "
    "error string"
)
PLAN = "host string, plan string"
#: Spark's types of columns.
_TYPES = {
    ColumnType.TEXT: "string",
    ColumnType.TEXTS: "array<string>",
    ColumnType.INTEGER: "bigint",
    ColumnType.NUMBER: "double",
    ColumnType.BOOLEAN: "boolean",
    ColumnType.MOMENT: "timestamp",
}
#: Pages in a frame that is handed to Spark.
MAX_FRAME_SIZE = 64


def add_keys(frames: Frames) -> Frames:
    """Add the columns ``host`` and ``key``."""
    for frame in frames:
        names = frame["url"].fillna("")
        order = ["url", "html", "status", "fetched_at", "headers", "error", "is_text"]
        yield frame[order].assign(
            host=names.map(host_with_port),
            key=names.map(page_key),
        )


def read_keys(frames: Frames) -> Frames:
    """Host and key of each URL."""
    for frame in frames:
        names = frame["url"].fillna("")
        hosts = names.map(host_with_port)
        keys = names.map(page_key)
        yield pd.DataFrame({"host": hosts, "key": keys})


def first_keys(frames: Frames, count: int) -> Frames:
    """The first ``count`` keys of each host in this partition."""
    keys_by_host: dict[str, set[str]] = {}
    for frame in frames:
        for host, key in zip(frame["host"], frame["key"], strict=True):
            keys = keys_by_host.setdefault(host, set())
            keys.add(key)
            if len(keys) > 2 * count:
                keys_by_host[host] = set(heapq.nsmallest(count, keys))

    rows = []
    for host, keys in keys_by_host.items():
        for key in heapq.nsmallest(count, keys):
            rows.append((host, key))
    yield pd.DataFrame(rows, columns=["host", "key"])


def learn_host(
    frame: pd.DataFrame,
    settings: ForestSettings,
    are_articles: bool,
) -> pd.DataFrame:
    """The wrappers of one host, from a sample of its pages: a row of ``PLAN``."""
    host = str(frame["host"].iloc[0])
    raw_pages = dict(_pages(frame))
    notes = []
    for number, raw in enumerate(raw_pages.values()):
        note = result_or_reason(note_page, settings, are_articles, number, raw)
        if isinstance(note, NotedPage):
            notes.append(note)
    plan = plan_host(host, notes, settings.options)

    def read_pages(keys: Sequence[str]) -> list[Page]:
        pages = []
        for key in keys:
            item = read_article_page(raw_pages[key], settings.max_bytes, True)
            pages.append(page_of_item(item))
        return pages

    learned = learn_templates(host, plan.templates, read_pages, settings.options)
    assigned = {note.key: plan.assigned.get(note.key, "") for note in notes}
    text = write_plan((template for template, _ in learned), assigned)
    return pd.DataFrame([(host, text)], columns=["host", "plan"])


def extract_group(
    pages: pd.DataFrame,
    plan: pd.DataFrame,
    settings: ForestSettings,
    are_articles: bool,
) -> pd.DataFrame:
    """The articles of some pages of a host, and the reasons of the other pages."""
    rows = []
    for raw, page in extract_frame(pages, plan, settings, are_articles):
        rows.append(_row(raw, page))
    return _make_frame(rows)


def extract_frame(
    pages: pd.DataFrame,
    plan: pd.DataFrame,
    settings: ForestSettings,
    are_articles: bool,
) -> list[tuple[RawPage, ExtractedPage]]:
    """The outcome of each of some pages of a host.  ``plan``: the row of the host, or none."""
    if pages.empty:
        return []
    host = str(pages["host"].iloc[0])
    text = plan["plan"].iloc[0] if len(plan) else NO_PLAN
    host_plan = SampledHost.from_json(host, text, settings.options)

    extracted_pages = []
    seen_keys: set[str] = set()
    for key, raw in _pages(pages):
        is_duplicate = key in seen_keys
        if is_duplicate:
            page = ExtractedPage("duplicate")
        else:
            page = extracted_or_refused(_extract, raw, key, host_plan, settings, are_articles)
        seen_keys.add(key)
        extracted_pages.append((raw, page))
    return extracted_pages


def read_files(frames: Frames, max_bytes: int) -> Frames:
    """The pages of the WARC files that the frames name; of what is damaged, with an ``error`` and
    its file and offset in place of the URL."""
    names = _names(PAGES)
    for frame in frames:
        for file in frame["file"]:
            rows = []
            for raw in read_raw_pages(file, max_bytes):
                url = raw.source if raw.error else raw.url
                row = (
                    url,
                    raw.body,
                    raw.status,
                    raw.fetched_at,
                    dict(raw.headers),
                    raw.error,
                )
                rows.append(row)
                if len(rows) == MAX_FRAME_SIZE:
                    yield pd.DataFrame(rows, columns=names)
                    rows = []
            yield pd.DataFrame(rows, columns=names)


def articles_schema() -> str:
    """The columns of articles."""
    columns = []
    for column in columns_of(Article):
        columns.append(f"{column.name} {_TYPES[column.type]}")
    columns.append("reason string")
    return ", ".join(columns)


def _pages(frame: pd.DataFrame) -> list[tuple[str, RawPage]]:
    """Keys and pages, sorted, so that the order in which Spark gives them does not matter."""
    pages = []
    for row in frame.itertuples(index=False):
        body: bytes | str = bytes(row.html) if row.html is not None else b""
        if row.is_text and isinstance(body, bytes):
            body = body.decode("utf-8", "replace")
        headers = {"Content-Type": "text/html"}
        if row.headers:
            headers = dict(row.headers)
        has_status = row.status and not pd.isna(row.status)
        page = RawPage(
            url=row.url or "",
            body=body,
            source="",
            headers=headers,
            status=int(row.status) if has_status else 200,
            fetched_at=row.fetched_at or "",
            error=row.error or "",
        )
        pages.append((row.key, page))
    return sorted(pages, key=_page_order)


def _page_order(keyed_page: tuple[str, RawPage]) -> tuple[str, str, str]:
    key, page = keyed_page
    return key, page.url, page.fetched_at


def _extract(
    raw: RawPage,
    key: str,
    plan: SampledHost,
    settings: ForestSettings,
    are_articles: bool,
) -> ExtractedPage:
    """The outcome of a page.  Raises ``BadPage``."""
    template_key = plan.assigned.get(key)
    may_be_item = are_articles or settings.wants_records
    if template_key == "" and not may_be_item:
        raise BadPage("not_article")

    item = read_article_page(raw, settings.max_bytes, are_articles)
    if template_key is None:
        check_time(item, settings)
        page = page_of_item(item)
        template = plan.host.recognise_page(page)
    else:
        page = page_of_item(item)
        template = plan.by_key.get(template_key)

    if template is None and not may_be_item:
        raise BadPage("blocked" if is_blocked(page) else "not_article")
    if template is None and not are_articles:
        template = Template("", "", may_be_articles=False)
    return extract_by_template(item, page, template, settings)


def add_urls(article: Article) -> None:
    """Set the other URLs of an article as a crawl does: the URL itself is not listed, its canonical
    one is."""
    article.other_urls = []
    if article.canonical_url and article.canonical_url != article.url:
        article.other_urls.append(article.canonical_url)


def _row(
    raw: RawPage,
    page: ExtractedPage,
) -> list[Any]:
    """A row of ``articles_schema``."""
    article = page.item
    columns = columns_of(Article)
    if not isinstance(article, Article):
        no_values = [None] * (len(columns) - 1)
        return [raw.url, *no_values, page.reason]
    add_urls(article)
    cells = [column.cell(vars(article)) for column in columns]
    return [*cells, ""]


def _make_frame(rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """The rows of ``articles_schema``; numbers that are missing are not NaN, which has no integer
    type."""
    columns = columns_of(Article)
    names = [column.name for column in columns]
    frame = pd.DataFrame(rows, columns=[*names, "reason"], dtype=object)
    for column in columns:
        if column.type is ColumnType.MOMENT:
            frame[column.name] = pd.to_datetime(frame[column.name], utc=True, errors="coerce")
    return frame


#: The columns of items: ``item`` is JSON.  Before pages are joined, also the host, and the group
#: that it is in: ``HELD_PART`` for a page of a thread or an article of several pages.
ITEMS = "url string, kind string, item string, reason string"
PARTS = f"host string, part bigint, {ITEMS}"
HELD_PART = -1


def extract_parts(
    pages: pd.DataFrame,
    plan: pd.DataFrame,
    settings: ForestSettings,
    are_articles: bool,
) -> pd.DataFrame:
    """The items of some pages of a host, and its pages of items of several pages: rows of
    ``PARTS``."""
    rows = []
    for raw, page in extract_frame(pages, plan, settings, are_articles):
        item = _item_of(page)
        is_held = isinstance(item, HeldPage)
        part = HELD_PART if is_held else int(pages["part"].iloc[0])
        converted_item = convert_item(item, settings.item)
        row = (
            host_with_port(raw.url),
            part,
            page.url or raw.url,
            item_kind(item),
            _write(converted_item),
            page.reason,
        )
        rows.append(row)
    return pd.DataFrame(rows, columns=_names(PARTS))


def join_parts(parts: pd.DataFrame, settings: ForestSettings) -> pd.DataFrame:
    """Rows of ``ITEMS``: other items as they are, the pages of threads and articles joined.
    ``parts``: some items of a host, or all of its pages of items of several pages."""
    names = _names(ITEMS)
    if int(parts["part"].iloc[0]) != HELD_PART:
        return parts[names]

    pages = [HeldPage(**json.loads(text)) for text in parts["item"]]
    rows = []
    for item in _join_pages(pages, settings):
        if item is None:
            continue
        if isinstance(item, Article):
            add_urls(item)
        converted_item = convert_item(item, settings.item)
        text = _write(converted_item)
        rows.append((item.url, item_kind(item), text, ""))
    return pd.DataFrame(rows, columns=names)


def _join_pages(
    pages: Iterable[HeldPage],
    settings: ForestSettings,
) -> list[Any]:
    """The items of pages of threads and of articles of several pages; None for a page without."""
    items: list[Any] = []
    with closing(HeldPageTable.in_memory()) as table:
        joiner = PageJoiner(table, settings)
        for page in sorted(pages, key=lambda page: page.key):
            added = joiner.add(page)
            if added.first:
                items.append(joiner.join(added.first))
            else:
                items.append(added.item)
        while keys := table.starts():
            items.extend(map(joiner.join, keys))
    return items


def _item_of(extracted: ExtractedPage) -> Any:
    """The item of a page; a page of a thread or an article of several pages as it is."""
    if isinstance(extracted.item, Article):
        add_urls(extracted.item)
    page = extracted.held_page
    if page is None:
        return extracted.item
    is_single = page.is_first and page.is_last
    return extracted.item if is_single else page


def _write(item: Any) -> str | None:
    if not item:
        return None
    values = ItemAdapter(item).asdict()
    return json.dumps(values, ensure_ascii=False)


def _names(columns: str) -> list[str]:
    """The names of columns.

    >>> _names("url string, status int")
    ['url', 'status']
    """
    return [column.split()[0] for column in columns.split(", ")]
