"""What a report is made from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from forest_scrapy.core import Page, Template, Wrapper
from forest_scrapy.core.health.doubts import Doubt
from forest_scrapy.core.rules import NO_CUT
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.crawl.unfetched import Unfetched
from forest_scrapy.report.feeds_view import FeedsView
from forest_scrapy.report.form_view import FormReport
from forest_scrapy.report.version_view import VersionsView
from forest_scrapy.stores import RulesVersion

#: Older versions of a wrapper that pages can be compared with.
MAX_VERSIONS = 2


@dataclass(frozen=True)
class Change:
    """How an article has changed since an earlier crawl.

    ``since``: ISO 8601, when it was fetched then; ``share``: of the shingles that only one of the
    texts has, 0 to 1; ``inserted``, ``deleted``: the runs of words that differ, empty if the old
    text is not kept any more; ``fields``: those that have changed, each with the old value
    (``from``) and the new one (``to``).  ``is_gone``: the article does not exist any more;
    ``versions``: what it was and is, if that is kept.
    """

    url: str
    since: str = ""
    share: float = 0.0
    inserted: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    is_gone: bool = False
    versions: VersionsView | None = None


@dataclass(frozen=True)
class ReportPage:
    """A page to show.

    ``outcome``: ``article``, or why it was dropped; ``read`` parses it, so that a report with many
    pages has only those of one template in memory.  ``change``: None if it has not changed.
    """

    url: str
    outcome: str
    read: Callable[[], Page]
    change: Change | None = None


@dataclass(frozen=True)
class ReportTemplate:
    """A wrapper, and pages of its template.

    ``id``: of the stored template, ``""`` if it is not stored.  ``outcomes``: how many of all
    pages of the template ended how, by ``ReportPage.outcome``.  ``fields``: in how many of its
    articles that no pipeline has dropped each field was found, ``url`` in all of them; empty: it is
    counted on ``pages``.  ``others``: wrappers to
    compare with, by what they are called: those of other methods, or older versions.  ``cut``:
    where the template was cut from the others when its wrapper was stored.  ``kind``: ``thread``,
    ``product`` or ``listing`` if its pages become these; ``""`` if they become articles.
    """

    host: str
    id: str
    wrapper: Wrapper
    pages: tuple[ReportPage, ...] = ()
    outcomes: Mapping[str, int] = field(default_factory=dict)
    fields: Mapping[str, int] = field(default_factory=dict)
    versions: tuple[RulesVersion, ...] = ()
    is_edited: bool = False
    cut: Cut = NO_CUT
    others: Mapping[str, Wrapper] = field(default_factory=dict)
    kind: str = ""

    @classmethod
    def of(
        cls,
        template: Template,
        pages: Sequence[ReportPage],
        versions: Sequence[RulesVersion] = (),
        outcomes: Mapping[str, int] = MappingProxyType({}),
        fields: Mapping[str, int] = MappingProxyType({}),
    ) -> "ReportTemplate":
        """A template with rules, and the stored versions of these to compare with."""
        return cls(
            host=template.host,
            id=template.id,
            wrapper=template.wrapper,
            pages=tuple(pages),
            outcomes=outcomes,
            fields=fields,
            versions=tuple(versions),
            is_edited=template.is_edited,
            cut=template.rules.cut if template.rules else NO_CUT,
            others=older_versions(versions, template.wrapper),
            kind=_kind_of_records(template),
        )

    @property
    def note(self) -> str:
        """Why a template of threads, products or listings is not shown, and what shows its rules;
        ``""`` for one of articles."""
        if not self.kind:
            return ""
        note = (
            f"{self.host}: template {self.id} is one of {self.kind}s, which a report does not show"
        )
        if self.kind == "thread":
            return f"{note}."
        return (
            f"{note}: scrapy forest show {self.host} prints its rules, export {self.host}"
            f" --template {self.id} --format json writes them to be edited, and import stores them."
        )

    @property
    def articles(self) -> int:
        """The number of articles."""
        return self.outcomes.get("article", 0)


@dataclass(frozen=True)
class Drops:
    """Pages of a host that are no articles: why, how many, and the URLs of the first."""

    host: str
    reason: str
    pages: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """All of a report.  ``title``: what it is about; ``notes``: lines for the overview;
    ``changes``: articles that have changed, also of pages that are not in the report;
    ``unfetched``: feeds and pages that failed; ``forms``: those that were probed; ``doubts``: the
    items of lowest confidence of a crawl, also of pages that are not in the report; ``feeds``:
    those that any crawl has read, None if there is none."""

    title: str
    templates: tuple[ReportTemplate, ...]
    drops: tuple[Drops, ...] = ()
    notes: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    unfetched: tuple[Unfetched, ...] = ()
    forms: tuple[FormReport, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    feeds: FeedsView | None = None

    def without_records(self) -> "Report":
        """The report without the templates of threads, products and listings, for each of which it
        has a note."""
        notes = list(self.notes)
        templates = []
        for template in self.templates:
            if template.kind:
                notes.append(template.note)
            else:
                templates.append(template)
        return replace(self, templates=tuple(templates), notes=tuple(notes))


def _kind_of_records(template: Template) -> str:
    if template.is_of_threads:
        return "thread"
    if template.is_of_records and template.rules is not None:
        return template.rules.kind
    return ""


def older_versions(versions: Sequence[RulesVersion], wrapper: Wrapper) -> dict[str, Wrapper]:
    """The latest versions with other rules than the wrapper, to compare with."""
    differing = [version for version in versions if version.wrapper.id != wrapper.id]
    latest = differing[-MAX_VERSIONS:]
    return {f"version {version.version}": version.wrapper for version in latest}
