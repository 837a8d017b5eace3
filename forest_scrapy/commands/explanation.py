"""``scrapy forest explain``: the wrapper of some pages, and the evidence for it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from scrapy.settings import Settings

from forest_scrapy.commands.inputs import read_inputs
from forest_scrapy.commands.options import ROWS
from forest_scrapy.core import (
    ForestError,
    NotEnoughPages,
    Page,
    Template,
    Wrapper,
    learn,
    learn_records,
)
from forest_scrapy.core.explain import (
    RANKING_METHODS,
    Expression,
    PageExplanation,
    PatternRow,
    explain_expressions,
    explain_page,
    explain_ranking,
)
from forest_scrapy.core.hosts import find_stored
from forest_scrapy.core.learning import choose_affordable
from forest_scrapy.core.templates.grouping import group_pages
from forest_scrapy.crawl.context import open_rules
from forest_scrapy.settings import ForestSettings

__all__ = [
    "Explanation",
    "PageGroup",
    "TemplateExplanation",
    "explain",
    "host_of_page",
    "learn_groups",
    "match_stored",
]


@dataclass(frozen=True)
class PageGroup:
    """Pages of one template of a host.

    ``template_id``: ``""`` if the wrapper is not stored; ``is_edited``: whether a person has
    edited the stored wrapper; ``others``: those that other methods have learned, by their names.
    """

    host: str
    template_id: str
    wrapper: Wrapper
    pages: tuple[Page, ...]
    is_edited: bool = False
    others: Mapping[str, Wrapper] = field(default_factory=dict)


def host_of_page(page: Page) -> str:
    """The host that the page's templates are stored under."""
    return (urlsplit(page.url).hostname or "").lower()


def match_stored(
    pages: Sequence[Page], config: ForestSettings
) -> tuple[list[PageGroup], list[str]]:
    """The stored templates that some of the pages match, and a note for each other page.

    Raises ``BadStore``.
    """
    found: dict[tuple[str, str], tuple[Template, list[Page]]] = {}
    notes = []
    with closing(open_rules(config, must_exist=True)) as store:
        for host, own in _by_host(pages):
            for page, one in zip(
                own, find_stored(own, store.load(host), config.options), strict=True
            ):
                if one:
                    found.setdefault((host, one.id), (one, []))[1].append(page)
                else:
                    notes.append(f"{page.url}: matches no stored template of {host or 'its host'}")
    groups = [
        PageGroup(host, template_id, stored.wrapper, tuple(own), stored.is_edited)
        for (host, template_id), (stored, own) in found.items()
    ]
    return groups, notes


def learn_groups(
    pages: Sequence[Page], config: ForestSettings, others: Sequence[str] = ()
) -> tuple[list[PageGroup], list[str]]:
    """A wrapper for each template of each host, also by the methods ``others``, and notes on pages
    too few to learn from."""
    groups, notes = [], []
    for host, own in _by_host(pages):
        for group in group_pages(own, config.distance, config.threshold)[0]:
            try:
                wrapper, *more = (
                    learn(group, replace(config.params, method=method))
                    for method in (config.method, *others)
                )
            except NotEnoughPages as error:
                notes += [f"{page.url}: {error}" for page in group]
            else:
                groups.append(
                    PageGroup(
                        host, "", wrapper, tuple(group), others=dict(zip(others, more, strict=True))
                    )
                )
    return groups, notes


def _by_host(pages: Sequence[Page]) -> list[tuple[str, list[Page]]]:
    hosts = sorted({host_of_page(page) for page in pages})
    return [(host, [page for page in pages if host_of_page(page) == host]) for host in hosts]


class NothingToExplain(ForestError):
    """No page could be read, or no stored template matches; the message has one reason a line."""


@dataclass(frozen=True)
class TemplateExplanation:
    """A wrapper, and what it does on some pages of its template.

    ``pages``: the URLs of the pages it was learned from, or of those that match the stored
    template.  ``template_id``: of the stored template, ``""`` for a wrapper learned just now.
    ``ranking``: FOREST's ranking of the patterns; empty for a stored template, and if the method
    does not rank patterns and nobody asked for it.
    """

    template_id: str
    pages: tuple[str, ...]
    wrapper: Wrapper
    expressions: tuple[Expression, ...]
    ranking: tuple[PatternRow, ...]
    page_explanations: tuple[PageExplanation, ...]


@dataclass(frozen=True)
class Explanation:
    """What ``scrapy forest explain`` prints.

    ``templates``: the one learned, or each stored template that some pages match.  ``notes``:
    how the pages were grouped, and of which kind they are.  ``errors``: one message for each
    input that cannot be used.
    """

    templates: tuple[TemplateExplanation, ...]
    notes: tuple[str, ...]
    errors: tuple[str, ...]


def explain(
    names: Sequence[str], options: Namespace, config: ForestSettings, settings: Settings
) -> Explanation:
    """Read the pages, then learn a wrapper from them, or find their stored templates.

    Raises ``NothingToExplain``, and the errors of ``learn``.
    """
    inputs = read_inputs(names, options, config, settings)
    if not inputs.pages:
        raise NothingToExplain("\n".join((*inputs.errors, "no page to explain")))
    config = replace(config, method=options.method or config.method)
    if options.stored:
        templates, notes = _find_templates(inputs.pages, config, options)
    else:
        group, notes = _choose_group(inputs.pages, options.all_together, config)
        templates = [_learn(group, config, options)]
        notes += _note_kind(group, config)
    return Explanation(tuple(templates), tuple(notes), inputs.errors)


def _choose_group(
    pages: Sequence[Page], all_together: bool, config: ForestSettings
) -> tuple[list[Page], list[str]]:
    """The pages to learn from, and notes on the other groups."""
    groups, cut = group_pages(pages, config.distance, config.threshold)
    if len(groups) == 1:
        return groups[0], []
    sizes = ", ".join(str(len(group)) for group in groups)
    count = f"the pages fall into {len(groups)} templates ({sizes} pages)"
    notes = [f"{count}, cut at distance {cut.distance:.2f}: {cut.reason}"]
    if all_together:
        return list(pages), [*notes, "learned from all of them, because of --all-together"]
    others = ", ".join(page.url for group in groups[1:] for page in group)
    notes.append(f"learned from the largest only (use --all-together for all); not from {others}")
    return groups[0], notes


def _note_kind(pages: Sequence[Page], config: ForestSettings) -> list[str]:
    """A note on threads, products and listings."""
    records = learn_records(choose_affordable(pages), config.params, prefer_articles=True)
    kind = records.kind.name
    note = f"these pages are of kind {kind}; what follows is the wrapper for articles"
    return [] if kind in ("article", "other") else [note]


def _learn(
    pages: Sequence[Page], config: ForestSettings, options: Namespace
) -> TemplateExplanation:
    wrapper = learn(pages, config.params)
    is_wanted = options.json or wrapper.method in RANKING_METHODS
    rows = options.top if options.top is not None else ROWS if is_wanted else 0
    ranking = explain_ranking(pages, config.params, wrapper, rows) if rows else ()
    return _explain_template("", wrapper, pages, ranking, config, bool(options.text))


def _find_templates(
    pages: Sequence[Page], config: ForestSettings, options: Namespace
) -> tuple[list[TemplateExplanation], list[str]]:
    """The stored templates that some of the pages match, and a note for each other page."""
    groups, notes = match_stored(pages, config)
    notes += [
        f"template {one.template_id} is one of threads; the expressions find its posts"
        for one in groups
        if one.wrapper.method == "records"
    ]
    if not groups:
        raise NothingToExplain("\n".join((*notes, "scrapy forest show lists the stored wrappers")))
    return [
        _explain_template(one.template_id, one.wrapper, one.pages, (), config, bool(options.text))
        for one in groups
    ], notes


def _explain_template(
    template_id: str,
    wrapper: Wrapper,
    pages: Sequence[Page],
    ranking: tuple[PatternRow, ...],
    config: ForestSettings,
    whole: bool,
) -> TemplateExplanation:
    return TemplateExplanation(
        template_id,
        tuple(page.url for page in pages),
        wrapper,
        explain_expressions(wrapper, pages),
        ranking,
        tuple(explain_page(page, wrapper, config.params, whole=whole) for page in pages),
    )
