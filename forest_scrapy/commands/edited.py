"""``scrapy forest import``: check a wrapper that a person has edited, and store it."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from statistics import fmean

from scrapy.settings import Settings

from forest_scrapy.commands.grouping import host_of_page
from forest_scrapy.commands.host_report import history_urls
from forest_scrapy.commands.inputs import read_inputs
from forest_scrapy.commands.lookup import find_wrappers, pick_wrapper, read_host
from forest_scrapy.core import BadWrapper, ForestError, Page, Wrapper, extract
from forest_scrapy.core.changes.text_summary import text_f1
from forest_scrapy.core.fields import read_fields
from forest_scrapy.runtime.context import open_wrappers
from forest_scrapy.runtime.templates.recognition import find_stored
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import StoredWrapper

__all__ = ["BadEdit", "Edit", "import_wrapper", "read_edit", "store_edit"]

#: Changed lines that are printed of each page.
_LINES = 6
_FIELDS = ("title", "published", "authors")


class BadEdit(ForestError):
    """The file cannot be imported; the message says why."""


@dataclass(frozen=True)
class Edit:
    """A wrapper that a person has edited, and the stored template that it is for."""

    host: str
    template_id: str
    wrapper: Wrapper


def import_wrapper(
    names: Sequence[str], options: Namespace, config: ForestSettings, settings: Settings
) -> tuple[str, Sequence[str]]:
    """Compare the edited wrapper with the stored one on pages, then store it; what changes, and a
    message for each page that cannot be used.

    ``names``: the file, then pages to compare on (files or URLs); without pages, articles of the
    template are taken from the history and fetched.  Raises ``BadEdit``, ``BadStore``,
    ``UnknownHost`` and ``UnknownTemplate``.
    """
    try:
        text = Path(names[0]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadEdit(f"{names[0]}: {getattr(error, 'strerror', '') or error}") from error
    edit = read_edit(text, names[0])
    pick_wrapper(edit.host, find_wrappers(edit.host, config), edit.template_id)
    urls = names[1:] or history_urls(edit.host, config)
    inputs = read_inputs(urls, options, config, settings) if urls else None
    done = store_edit(edit, inputs.pages if inputs else (), config)
    return done, inputs.errors if inputs else ()


def store_edit(edit: Edit, pages: Sequence[Page], config: ForestSettings) -> str:
    """Store an edited wrapper; what it changes on those of the pages that are of its template.

    Raises ``BadEdit`` for a template of threads, ``BadStore``, ``UnknownHost`` and
    ``UnknownTemplate``.
    """
    stored = pick_wrapper(edit.host, find_wrappers(edit.host, config), edit.template_id)
    if stored.records:
        id = stored.template_id
        raise BadEdit(
            f"template {id} of {edit.host} is one of threads: its posts are found by rules that a"
            f" report cannot edit; scrapy forest forget {edit.host} --template {id} has them"
            " learned again"
        )
    own = _of_template(pages, edit.host, stored, config)
    lines = list(_compare_all(own, stored.wrapper, edit.wrapper, config))
    with closing(open_wrappers(config, must_exist=True)) as store:
        store.save_edited(edit.host, stored.template_id, edit.wrapper)
    lines.append(
        f"stored as the wrapper of template {stored.template_id} of {edit.host}, edited by hand"
    )
    return "\n".join(lines) + "\n"


def read_edit(text: str, name: str) -> Edit:
    """The edit that a report has written; ``name``: of its source, for messages.  Raises
    ``BadEdit``."""
    try:
        data = json.loads(text)
        host, template_id = read_host(str(data["host"])), str(data["template"])
        wrapper = Wrapper.from_dict(data["wrapper"])
    except BadWrapper as error:
        raise BadEdit(f"{name}: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadEdit(
            f"{name}: not an edited wrapper, a JSON object with host, template and wrapper"
        ) from error
    if not wrapper.keep and wrapper.source == "page":
        raise BadEdit(f"{name}: the wrapper keeps nothing")
    if not host or not template_id:
        raise BadEdit(
            f"{name}: the wrapper was not stored; make the report with FOREST_REPORT, or with"
            " report --stored, and edit it there"
        )
    return Edit(host, template_id, wrapper)


def _of_template(
    pages: Sequence[Page], host: str, stored: StoredWrapper, config: ForestSettings
) -> list[Page]:
    """The pages of the host that belong to the template."""
    own = [page for page in pages if host_of_page(page) == host]
    with closing(open_wrappers(config, must_exist=True)) as store:
        found = find_stored(own, store.load(host), config)
    return [
        page
        for page, one in zip(own, found, strict=True)
        if one and one.template_id == stored.template_id
    ]


def _compare_all(
    pages: Sequence[Page], old: Wrapper, new: Wrapper, config: ForestSettings
) -> Iterator[str]:
    """For each page that changes its values, then how much changes in all."""
    if not pages:
        yield "no page of the template to compare on: name some (files or URLs)"
        return
    scores = []
    for page in pages:
        score, lines = _compare(page, old, new, config)
        scores.append(score)
        if lines:
            yield f"{page.url}: F1 {score:.3f} against the old text"
            yield from (f"  {line}" for line in lines)
    changed = sum(score < 1 for score in scores)
    yield f"{len(pages)} pages: the text of {changed} changes; mean F1 {fmean(scores):.3f}"


def _compare(
    page: Page, old: Wrapper, new: Wrapper, config: ForestSettings
) -> tuple[float, list[str]]:
    """The F1 of the new text against the old one, and the lines that differ."""
    wrappers = (old, new)
    found = [extract(page, wrapper, config.params)[1] for wrapper in wrappers]
    one, other = (content.text for content in found)
    diff = unified_diff(one.splitlines(), other.splitlines(), n=0, lineterm="")
    changed = [line for line in diff if not line.startswith(("---", "+++", "@@"))]
    more = [f"... and {len(changed) - _LINES} more lines"] if len(changed) > _LINES else []
    lines = [_cut(line) for line in changed[:_LINES]] + more
    values = [
        read_fields(page, wrapper.fields, content.content)
        for wrapper, content in zip(wrappers, found, strict=True)
    ]
    for name in _FIELDS:
        before, after = (getattr(value, name) for value in values)
        if before != after:
            lines.append(f"{name}: {before!r} is now {after!r}")
    return text_f1(one, other), lines


def _cut(line: str, most: int = 100) -> str:
    return line if len(line) <= most else f"{line[: most - 3]}..."
