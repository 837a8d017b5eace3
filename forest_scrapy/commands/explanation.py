"""``scrapy forest explain``: what is learned from some pages, and why."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from scrapy.settings import Settings

from forest_scrapy.commands.inputs import read_inputs
from forest_scrapy.core import ForestError, Page, Wrapper, learn
from forest_scrapy.core.explain import (
    Expression,
    PageExplanation,
    PatternRow,
    explain_expressions,
    explain_page,
    explain_ranking,
)
from forest_scrapy.runtime.context import open_wrappers
from forest_scrapy.runtime.recognition import find_stored, group_pages
from forest_scrapy.settings import ForestSettings

__all__ = ["Explanation", "NothingToExplain", "Part", "explain"]


class NothingToExplain(ForestError):
    """No page could be read, or nothing is stored for them."""


@dataclass(frozen=True)
class Part:
    """A wrapper and the pages it was learned from, or that fall into its template.

    ``template``: the id of a stored one; ``ranking`` is empty for these.
    """

    template: str
    pages: tuple[str, ...]
    wrapper: Wrapper
    expressions: tuple[Expression, ...]
    ranking: tuple[PatternRow, ...]
    outcomes: tuple[PageExplanation, ...]


@dataclass(frozen=True)
class Explanation:
    """``parts``: one that was learned, or one for each stored template; ``notes``: what the
    reader should know of the pages as a whole; ``complaints``: inputs that were of no use."""

    parts: tuple[Part, ...]
    notes: tuple[str, ...]
    complaints: tuple[str, ...]


def explain(
    names: Sequence[str], options: Namespace, config: ForestSettings, settings: Settings
) -> Explanation:
    """Read the pages, learn from them or look up what is stored, and say why.

    Raises ``NothingToExplain``, and what learning raises.
    """
    inputs = read_inputs(names, options, config, settings)
    if not inputs.pages:
        raise NothingToExplain("\n".join((*inputs.complaints, "no page to learn from")))
    config = replace(config, method=options.method or config.method)
    if options.stored:
        parts, notes = _look_up(inputs.pages, config)
    else:
        group, notes = _choose_pages(inputs.pages, options.all_together, config)
        parts = [_learn(group, config, options.top)]
    return Explanation(tuple(parts), tuple(notes), inputs.complaints)


def _choose_pages(
    pages: Sequence[Page], all_together: bool, config: ForestSettings
) -> tuple[list[Page], list[str]]:
    """The pages to learn from, and what is to be said of the others."""
    groups, cut = group_pages(pages, config)
    if len(groups) == 1:
        return groups[0], []
    sizes = ", ".join(str(len(group)) for group in groups)
    apart = f"the pages are of {len(groups)} templates ({sizes}), cut at {cut.distance:.2f}"
    notes = [f"{apart}: {cut.reason}"]
    if all_together:
        return list(pages), [*notes, "learned from all of them together, as asked"]
    others = ", ".join(page.url for group in groups[1:] for page in group)
    notes.append(f"learned from the largest alone (--all-together takes all); not from {others}")
    return groups[0], notes


def _learn(pages: Sequence[Page], config: ForestSettings, top: int) -> Part:
    wrapper = learn(pages, config.params)
    ranking = explain_ranking(pages, config.params, wrapper, top)
    return _part("", wrapper, pages, ranking, config)


def _look_up(pages: Sequence[Page], config: ForestSettings) -> tuple[list[Part], list[str]]:
    """One part for each stored template that some of the pages fall into."""
    found: dict[tuple[str, str], tuple[Wrapper, list[Page]]] = {}
    notes = []
    with closing(open_wrappers(config, must_exist=True)) as store:
        for host in sorted({_host(page) for page in pages}):
            own = [page for page in pages if _host(page) == host]
            for page, one in zip(own, find_stored(own, store.load(host), config), strict=True):
                if one:
                    found.setdefault((host, one.template_id), (one.wrapper, []))[1].append(page)
                else:
                    notes.append(f"{page.url}: in no stored template of {host or 'its host'}")
    if not found:
        raise NothingToExplain("\n".join((*notes, "scrapy forest show lists what is stored")))
    return [
        _part(template, wrapper, own, (), config) for (_, template), (wrapper, own) in found.items()
    ], notes


def _part(
    template: str,
    wrapper: Wrapper,
    pages: Sequence[Page],
    ranking: tuple[PatternRow, ...],
    config: ForestSettings,
) -> Part:
    return Part(
        template,
        tuple(page.url for page in pages),
        wrapper,
        explain_expressions(wrapper, pages),
        ranking,
        tuple(explain_page(page, wrapper, config.params) for page in pages),
    )


def _host(page: Page) -> str:
    """The host that a page's templates are stored under."""
    return (urlsplit(page.url).hostname or "").lower()
