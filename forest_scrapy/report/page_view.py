"""One page of a report: what was extracted, and the page with its marks, compressed."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from gzip import compress
from hashlib import blake2b
from tempfile import TemporaryFile
from typing import Any

from scrapy.http import HtmlResponse, Response, TextResponse

from forest_scrapy.core import Entry, Page, Params, Wrapper, extract
from forest_scrapy.core.changes import Delta, compare_texts, share_changed, text_f1
from forest_scrapy.core.fields import read_fields
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.segments.segmentation import segment_page
from forest_scrapy.core.xpaths.anchored import AnchoredPath
from forest_scrapy.report.contents import Change, ReportPage, ReportTemplate
from forest_scrapy.report.drawings import Thumbnail, draw_thumbnail
from forest_scrapy.report.marks import (
    FIELDS,
    Source,
    find_sources,
    mark_parts,
    mark_paths,
    mark_scores,
)
from forest_scrapy.report.safe_page import write_safe_page
from forest_scrapy.responses.conversion import page_of

__all__ = [
    "KeptPage",
    "PageFile",
    "PageView",
    "as_text",
    "file_name",
    "text_agreement",
    "view_page",
]


@dataclass(frozen=True)
class FieldView:
    """A field of an article, as text."""

    name: str
    value: str
    source: Source


@dataclass(frozen=True)
class OtherView:
    """What another method or version finds on a page: the length of its text, and its F1 against
    the text of the report; ``delta``: what it has more, and what it leaves out."""

    name: str
    characters: int
    f1: float
    delta: Delta


@dataclass(frozen=True)
class PageView:
    """A page of a report.

    ``file``: the name of its file; ``method`` and ``rule``: what found the text; ``likely``: the
    text that is content by the classifier alone; ``data``: JSON, compressed with gzip, in base64:
    the page with its marks, its paths and the wrapper.
    """

    url: str
    outcome: str
    change: Change | None
    file: str
    method: str
    rule: str
    text: str
    likely: str
    thumbnail: Thumbnail
    unseen: int
    fields: tuple[FieldView, ...]
    others: tuple[OtherView, ...]
    data: str

    def value(self, name: str) -> str:
        """The value of a field, ``""`` if the page does not have it."""
        return next((one.value for one in self.fields if one.name == name), "")


def file_name(kind: str, *parts: str) -> str:
    """The name of a file of the report, always the same for the same parts.

    >>> file_name("page", "https://a.example/1")
    'page-c7de39f580.html'
    """
    return f"{kind}-{blake2b(' '.join(parts).encode(), digest_size=5).hexdigest()}.html"


def view_page(
    page: Page,
    given: ReportPage,
    template: ReportTemplate,
    counts: Mapping[AnchoredPath, int],
    params: Params,
) -> PageView:
    """What the template's wrapper gives on a page.  ``counts``: on how many pages each path is."""
    wrapper, found = extract(page, template.wrapper, params)
    learned = template.wrapper.fields
    metadata = read_fields(page, learned, found.content)
    marks: dict[Element, dict[str, str]] = {}
    segmented = segment_page(page)
    paths, likely = mark_paths(marks, page, counts), mark_scores(marks, segmented)
    mark_parts(marks, page, wrapper, found)
    others = [extract(page, other, params) for other in template.others.values()]
    for number, (other, content) in enumerate(others, start=1):
        mark_parts(marks, page, other, content, number)
    sources = find_sources(marks, page, learned, metadata)
    fields = tuple(
        FieldView(name, as_text(getattr(metadata, name)), sources[name])
        for name in FIELDS
        if name in sources
    )
    data = {
        "html": write_safe_page(page.root, marks),
        "paths": [[row.xpath, row.path, row.pages] for row in paths],
        "host": template.host,
        "template": template.id,
        "wrapper": template.wrapper.to_dict(),
        "used": [_rules(one) for one in (wrapper, *(other for other, _ in others))],
    }
    return PageView(
        url=page.url,
        outcome=given.outcome,
        change=given.change,
        file=file_name("page", template.host, template.id, page.url),
        method=wrapper.method if found.text else "",
        rule=found.xpath,
        text=found.text,
        likely=likely,
        thumbnail=draw_thumbnail(segmented, marks),
        unseen=found.unseen,
        fields=fields,
        others=tuple(
            _compare(name, found.text, content.text)
            for name, (_, content) in zip(template.others, others, strict=True)
        ),
        data=_pack(data),
    )


def _compare(name: str, text: str, other: str) -> OtherView:
    return OtherView(name, len(other), text_f1(text, other), compare_texts(text, other))


def _rules(wrapper: Wrapper) -> dict[str, Any]:
    """The expressions of a wrapper, and the evidence for them."""
    evidence = {rule.xpath: asdict(rule) for rule in wrapper.evidence.rules}
    return {"keep": wrapper.keep, "drop": wrapper.drop, "evidence": evidence}


def text_agreement(one: str, other: str) -> float:
    """The share of shingles that two texts have in common; 1 for equal texts."""
    return 1.0 if one == other else 1 - share_changed(one, other)


def as_text(value: object) -> str:
    """A field's value on one line."""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _pack(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return b64encode(compress(text.encode("utf-8", "replace"), 6, mtime=0)).decode("ascii")


class KeptPage:
    """A page in a ``PageFile``."""

    def __init__(self, pages: PageFile, start: int, size: int, response: Response) -> None:
        self._pages, self._start, self._size = pages, start, size
        self.url = response.url
        self._encoding = response.encoding if isinstance(response, TextResponse) else "utf-8"
        self.entry: Entry | None = None

    def read(self) -> Page:
        """Parse the page.  Raises ``OSError``."""
        body = zlib.decompress(self._pages.read(self._start, self._size))
        response = HtmlResponse(self.url, body=body, encoding=self._encoding)
        return page_of(response, self.entry)


class PageFile:
    """Pages, compressed, in a temporary file that is deleted when it is closed."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 - closed by close
        self._size = 0

    def add(self, response: Response, entry: Entry | None) -> KeptPage:
        """Keep a page.  Raises ``OSError``."""
        packed = zlib.compress(response.body, 1)
        self._file.seek(self._size)
        self._file.write(packed)
        page = KeptPage(self, self._size, len(packed), response)
        page.entry = entry
        self._size += len(packed)
        return page

    def read(self, start: int, size: int) -> bytes:
        """The bytes of a page."""
        self._file.seek(start)
        return self._file.read(size)

    def close(self) -> None:
        self._file.close()
