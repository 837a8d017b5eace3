"""How well a wrapper fits the pages of its template, which rules contradict it, and what has
changed in its articles."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import fmean

from forest_scrapy.core import METHODS, PAGE_METHODS, Page, Params, Wrapper, extract, learn
from forest_scrapy.core.changes import compare_texts, share_changed, summarize_text
from forest_scrapy.core.fields.read_fields import read_fields
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
from forest_scrapy.report.version_view import view_latest
from forest_scrapy.stores import HistoryStore

#: The fields that are compared with those of a wrapper learned again.
_COMPARED_FIELDS = ("title", "published", "authors")


#: Where a fit that is not known stands among the others: after all of them.
_UNKNOWN_FIT = (2.0, 2.0)


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
    learned, and for a wrapper that a person has corrected, which learning would undo.  Without
    pages all are None: the fit is not known.
    """

    match: float | None = None
    single: float | None = None
    text: float | None = None
    titles: float | None = None
    fields: float | None = None
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def rules(self) -> float | None:
        """1 without contradictions, 0 if a certain rule is contradicted on every page."""
        if self.text is None:
            return None
        weights = [contradiction.weight for contradiction in self.contradictions]
        return 1 - max(weights, default=0.0)

    @property
    def score(self) -> float | None:
        """The smallest of ``match``, ``text``, ``titles``, ``fields`` and ``rules``."""
        shares = (self.match, self.text, self.titles, self.fields, self.rules)
        return min((share for share in shares if share is not None), default=None)

    @property
    def sort_key(self) -> tuple[float, float]:
        """Smaller for a worse fit; the largest for one that is not known."""
        if self.score is None or self.single is None:
            return _UNKNOWN_FIT
        return round(self.score, 3), round(self.single, 3)


def measure_fit(
    pages: Sequence[Page],
    views: Sequence[PageView],
    wrapper: Wrapper,
    params: Params,
    is_edited: bool = False,
) -> Fit:
    """The fit of a wrapper on pages, which have these ``views``.  Cost: learning from them.

    ``is_edited``: whether a person has corrected the wrapper.
    """
    if not pages:
        return Fit()
    match = 0.0
    if wrapper.keep:
        match = fmean(wrapper.method == view.method for view in views)
    single = fmean(text_agreement(view.text, view.likely) for view in views)
    if len(pages) < 2 or is_edited or wrapper.method in PAGE_METHODS:
        return Fit(match, single)

    method = wrapper.method if wrapper.method in METHODS else params.method
    learned_again = learn(pages, replace(params, method=method))
    is_same = learned_again.id == wrapper.id and learned_again.fields == wrapper.fields
    if is_same:
        return Fit(
            match,
            single,
            text=1.0,
            titles=1.0,
            fields=1.0,
        )

    agreements = []
    equal: dict[str, list[bool]] = {name: [] for name in _COMPARED_FIELDS}
    for page, view in zip(pages, views, strict=True):
        _, extracted = extract(page, learned_again, params)
        agreements.append(text_agreement(view.text, extracted.text))
        fields = read_fields(page, learned_again.fields, extracted.content)
        for name in _COMPARED_FIELDS:
            equal[name].append(view.value(name) == as_text(getattr(fields, name)))

    text = fmean(agreements)
    shares = {name: fmean(are_equal) for name, are_equal in equal.items()}
    contradictions: tuple[Contradiction, ...] = ()
    if text != 1:
        contradictions = find_contradictions(pages, wrapper, learned_again)
    return Fit(
        match=match,
        single=single,
        text=text,
        titles=shares["title"],
        fields=fmean(shares.values()),
        contradictions=contradictions,
    )


def find_contradictions(
    pages: Sequence[Page],
    wrapper: Wrapper,
    learned_again: Wrapper,
) -> tuple[Contradiction, ...]:
    """The rules of ``learned_again`` that ``wrapper`` contradicts, those that weigh most first.
    Cost: both are applied to each page."""
    role_of: dict[Rule, str] = {}
    for rule in learned_again.evidence.rules:
        role = _find_role(rule.xpath, learned_again)
        if role:
            role_of[rule] = role

    texts_of: dict[Rule, list[str]] = {rule: [] for rule in role_of}
    for page in pages:
        differing = _find_differing(page, wrapper, learned_again)
        for rule, role in role_of.items():
            text = _first_text(page, rule.xpath, differing, role)
            if text:
                texts_of[rule].append(text)

    contradictions = []
    for rule, texts in texts_of.items():
        if not texts:
            continue
        contradiction = Contradiction(
            role=role_of[rule],
            xpath=rule.xpath,
            pages=len(texts) / len(pages),
            confidence=rule.confidence,
            text=texts[0],
        )
        contradictions.append(contradiction)
    return tuple(sorted(contradictions, key=_heaviest_first))


def _heaviest_first(contradiction: Contradiction) -> tuple[float, str, str]:
    return -contradiction.weight, contradiction.role, contradiction.xpath


def _find_role(xpath: str, wrapper: Wrapper) -> str:
    """Whether an expression is one of those that a wrapper drops or keeps, or a part of one."""
    for role, rules in (("drop", wrapper.drop), ("keep", wrapper.keep)):
        for rule in rules:
            if xpath == rule or xpath in rule.split(" | "):
                return role
    return ""


@dataclass(frozen=True)
class _DifferingText:
    """A text that only one of two wrappers keeps, and the role of a rule that would explain it:
    ``drop`` if the wrapper learned again does not keep it."""

    role: str
    text: str


def _find_differing(
    page: Page,
    wrapper: Wrapper,
    learned_again: Wrapper,
) -> dict[Element, _DifferingText]:
    """The elements whose own text only one of the wrappers keeps."""
    marks: Marks = {}
    mark_parts(marks, page, wrapper, wrapper.apply(page), 0)
    mark_parts(marks, page, learned_again, learned_again.apply(page), 1)
    states = mark_states(marks, page, 0)
    states_again = mark_states(marks, page, 1)
    differing: dict[Element, _DifferingText] = {}
    for leaf in page.outline.leaves:
        is_kept = states[leaf.node] == "kept"
        is_kept_again = states_again[leaf.node] == "kept"
        if is_kept == is_kept_again:
            continue
        role = "keep" if is_kept_again else "drop"
        element = page.outline.nodes[leaf.node].element
        differing.setdefault(element, _DifferingText(role, leaf.text.strip()))
    return differing


def _first_text(
    page: Page,
    xpath: str,
    differing: dict[Element, _DifferingText],
    role: str,
) -> str:
    """The first differing text with this role in what the expression selects."""
    elements = []
    for element, text in differing.items():
        if text.role == role:
            elements.append(element)
    if not elements:
        return ""
    selected = set(select_elements(xpath, page.root))
    for element in elements:
        ancestors = (element, *element.iterancestors())
        if any(ancestor in selected for ancestor in ancestors):
            return differing[element].text
    return ""


def change_since(
    page: Page,
    wrapper: Wrapper,
    history: HistoryStore,
    params: Params,
) -> Change | None:
    """How the article of a page has changed since a crawl has fetched it last; None if it has
    not, or if its old text is not stored.  Cost: an extraction."""
    record = history.find(page_key(page.url))
    if record is None:
        return None
    old_text = history.text(record.key)
    if old_text is None:
        return None
    _, extracted = extract(page, wrapper, params)
    text = extracted.text
    if text == old_text or summarize_text(text).digest == record.text.digest:
        return None
    delta = compare_texts(old_text, text)
    fetched = datetime.fromtimestamp(record.fetched or record.first_seen, UTC)
    share = share_changed(old_text, text)
    return Change(
        url=page.url,
        since=fetched.isoformat(),
        share=share,
        inserted=delta.inserted,
        deleted=delta.deleted,
        versions=view_latest(page.url, history.versions.of_page(record.key)),
    )
