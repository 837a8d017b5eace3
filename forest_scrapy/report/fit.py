"""How well a wrapper fits the pages of its template, which rules contradict it, and what has
changed in its articles."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import fmean

from forest_scrapy.core import METHODS, PAGE_METHODS, Page, Params, Wrapper, extract, learn
from forest_scrapy.core.changes import compare_texts, share_changed, summarize_text
from forest_scrapy.core.fields import read_fields
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.core.wrapper import Rule
from forest_scrapy.core.xpaths.checking import select_elements
from forest_scrapy.report.contents import Change
from forest_scrapy.report.page_view import (
    Marks,
    PageView,
    as_text,
    mark_parts,
    mark_states,
    text_agreement,
)
from forest_scrapy.stores import HistoryStore

#: The fields that are compared with those of a wrapper learned again.
_COMPARED = ("title", "published", "authors")


@dataclass(frozen=True)
class Contradiction:
    """A rule of a wrapper learned again that the wrapper contradicts: it keeps text that the rule
    drops, or does not keep text that the rule keeps.

    ``role``: ``keep`` or ``drop``; ``pages``: the share of the pages with such text, 0 to 1;
    ``confidence``: of the rule, 0 to 1; ``text``: the first such text.
    """

    role: str
    xpath: str
    pages: float
    confidence: float
    text: str

    @property
    def weight(self) -> float:
        """How much it says against the wrapper, 0 to 1: nothing if the rule is as likely wrong as
        right, all if it is certain and every page has such text."""
        return self.pages * max(0.0, 2 * self.confidence - 1)


@dataclass(frozen=True)
class Fit:
    """How well a wrapper fits; shares from 0 to 1, means over the pages.

    - ``match``: the share of the pages on which it finds text.
    - ``text``: how much its texts have in common with those of a wrapper learned again from these
      pages (shared shingles of words).
    - ``titles`` and ``fields``: the shares of equal titles; of equal titles, dates and authors.
    - ``contradictions``: the rules of the wrapper learned again that it contradicts.
    - ``single``: how much its texts have in common with what the classifier finds on each page by
      itself.

    ``text``, ``titles`` and ``fields`` are None for a single page, from which no template can be
    learned.
    """

    match: float
    single: float
    text: float | None = None
    titles: float | None = None
    fields: float | None = None
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def rules(self) -> float | None:
        """1 without contradictions, 0 if a certain rule is contradicted on every page."""
        if self.text is None:
            return None
        return 1 - max((one.weight for one in self.contradictions), default=0.0)

    @property
    def score(self) -> float:
        """The smallest of ``match``, ``text``, ``titles``, ``fields`` and ``rules``."""
        shares = (self.match, self.text, self.titles, self.fields, self.rules)
        return min(share for share in shares if share is not None)

    @property
    def sort_key(self) -> tuple[float, float]:
        """Smaller for a worse fit."""
        return round(self.score, 3), round(self.single, 3)


def measure_fit(
    pages: Sequence[Page], views: Sequence[PageView], wrapper: Wrapper, params: Params
) -> Fit:
    """The fit of a wrapper on pages, which have these ``views``.  Cost: learning from them."""
    if not pages:
        return Fit(0.0, 0.0)
    match = fmean(wrapper.method == view.method for view in views) if wrapper.keep else 0.0
    single = fmean(text_agreement(view.text, view.likely) for view in views)
    if len(pages) < 2 or wrapper.method in PAGE_METHODS:
        return Fit(match, single)
    method = wrapper.method if wrapper.method in METHODS else params.method
    again = learn(pages, replace(params, method=method))
    if (again.id, again.fields) == (wrapper.id, wrapper.fields):
        return Fit(match, single, 1.0, 1.0, 1.0)
    extracts = [extract(page, again, params)[1] for page in pages]
    text = fmean(text_agreement(v.text, e.text) for v, e in zip(views, extracts, strict=True))
    read = [read_fields(p, again.fields, e.content) for p, e in zip(pages, extracts, strict=True)]
    equal = {
        name: fmean(
            view.value(name) == as_text(getattr(fields, name))
            for view, fields in zip(views, read, strict=True)
        )
        for name in _COMPARED
    }
    contradictions = () if text == 1 else find_contradictions(pages, wrapper, again)
    return Fit(match, single, text, equal["title"], fmean(equal.values()), contradictions)


def find_contradictions(
    pages: Sequence[Page], wrapper: Wrapper, again: Wrapper
) -> tuple[Contradiction, ...]:
    """The rules of ``again`` that ``wrapper`` contradicts, those that weigh most first.  Cost: both
    are applied to each page."""
    roles = {rule: role for rule in again.evidence.rules if (role := _role(rule.xpath, again))}
    texts: dict[Rule, list[str]] = {rule: [] for rule in roles}
    for page in pages:
        differing = _differing(page, wrapper, again)
        for rule, role in roles.items():
            if text := _first_text(page, rule.xpath, differing, role):
                texts[rule].append(text)
    rows = [
        Contradiction(role, rule.xpath, len(examples) / len(pages), rule.confidence, examples[0])
        for rule, role in roles.items()
        if (examples := texts[rule])
    ]
    return tuple(sorted(rows, key=lambda row: (-row.weight, row.role, row.xpath)))


def _role(xpath: str, wrapper: Wrapper) -> str:
    for role, rules in (("drop", wrapper.drop), ("keep", wrapper.keep)):
        if any(xpath in (rule, *rule.split(" | ")) for rule in rules):
            return role
    return ""


def _differing(page: Page, wrapper: Wrapper, again: Wrapper) -> dict[Element, tuple[str, str]]:
    """The elements whose own text only one of the wrappers keeps, with the role of a rule that
    would explain it, ``drop`` if ``again`` does not keep it, and the text."""
    marks: Marks = {}
    for number, applied in enumerate((wrapper, again)):
        mark_parts(marks, page, applied, applied.apply(page), number)
    states, states_again = (mark_states(marks, page, number) for number in (0, 1))
    differing: dict[Element, tuple[str, str]] = {}
    for leaf in page.outline.leaves:
        is_kept, is_kept_again = states[leaf.node] == "kept", states_again[leaf.node] == "kept"
        if is_kept != is_kept_again:
            role = "keep" if is_kept_again else "drop"
            differing.setdefault(page.outline.nodes[leaf.node].element, (role, leaf.text.strip()))
    return differing


def _first_text(
    page: Page, xpath: str, differing: dict[Element, tuple[str, str]], role: str
) -> str:
    texts = [(element, text) for element, (kind, text) in differing.items() if kind == role]
    matches = set(select_elements(xpath, page.root)) if texts else set()
    for element, text in texts:
        if any(up in matches for up in (element, *element.iterancestors())):
            return text
    return ""


def change_since(
    page: Page, wrapper: Wrapper, history: HistoryStore, params: Params
) -> Change | None:
    """How the article of a page has changed since a crawl has fetched it last; None if it has
    not, or if its old text is not kept.  Cost: an extraction."""
    record = history.find(page_key(page.url))
    old = history.text(record.key) if record else None
    if record is None or old is None:
        return None
    text = extract(page, wrapper, params)[1].text
    if text == old or summarize_text(text).digest == record.text.digest:
        return None
    delta = compare_texts(old, text)
    fetched = datetime.fromtimestamp(record.fetched or record.first_seen, UTC).isoformat()
    return Change(page.url, fetched, share_changed(old, text), delta.inserted, delta.deleted)
