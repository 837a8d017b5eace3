"""One template of a report: its rules, its fit, its pages, and the distances between pages."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from forest_scrapy.core import HostClusters, Page, Params
from forest_scrapy.core.changes import text_f1
from forest_scrapy.core.explain import (
    RANKING_METHODS,
    Expression,
    PatternRow,
    explain_expressions,
    explain_ranking,
)
from forest_scrapy.core.templates.grouping import read_fingerprint
from forest_scrapy.core.xpaths.anchored import AnchoredPath
from forest_scrapy.report.contents import ReportTemplate
from forest_scrapy.report.drawings import PageMap, Picture, draw_distances, draw_map
from forest_scrapy.report.fit import Fit, measure_fit
from forest_scrapy.report.page_view import (
    FIELDS,
    Bar,
    PageView,
    count_paths,
    report_file_name,
    view_page,
)
from forest_scrapy.settings import ForestSettings

#: Rows of the ranking.
MAX_ROWS = 10
#: Fits below this are marked.
MIN_GOOD_FIT = 0.9
#: Fields that most articles have; they are marked if at most this share of the articles has them.
EXPECTED = ("title", "published", "authors")
MAX_MISSING_SHARE = 0.8


@dataclass(frozen=True)
class PageRow:
    """A page in the list of its template.

    ``first_line``: of its text; ``missing``: those of ``EXPECTED`` that it does not have;
    ``digest``: of its fingerprint; ``in_feed``: whether it has a feed entry; ``agreement``: the
    mean F1 of the paths of its kept text against those of the other pages; ``single``: the F1 of
    its text against what the classifier finds on the page by itself; ``confidence``: that of its
    text, 0 without one.
    """

    url: str
    file: str
    outcome: str
    title: str
    method: str
    characters: int
    first_line: str
    missing: tuple[str, ...]
    digest: str
    in_feed: bool
    bars: tuple[Bar, ...]
    agreement: float | None
    single: float
    confidence: float

    @property
    def quality(self) -> float:
        """How likely its article is right, to order the pages of a template: 0 without a text, else
        the mean of the agreements and of the share of ``EXPECTED`` that it has."""
        if not self.characters:
            return 0.0
        fields = 1 - len(self.missing) / len(EXPECTED)
        agreement = self.single if self.agreement is None else self.agreement
        return fmean((agreement, self.single, fields))


@dataclass(frozen=True)
class MissingField:
    """A field that many articles of a template lack.  ``share``: of the articles, 0 to 1; ``file``:
    of the first page in the report without it, ``""`` if there is none."""

    name: str
    share: float
    file: str


@dataclass(frozen=True)
class TemplateView:
    """A template of a report.

    ``articles``: of the crawl, or of the pages in the report; ``fields``: the share of articles
    that have each field, None without articles; ``ranking``: of the patterns, for methods that rank
    patterns.
    """

    template: ReportTemplate
    file: str
    fit: Fit
    articles: int
    fields: Mapping[str, float | None]
    expressions: tuple[Expression, ...]
    ranking: tuple[PatternRow, ...]
    pages: tuple[PageRow, ...]

    @property
    def is_bad(self) -> bool:
        """Whether the wrapper fits so badly that a person should look at it."""
        return self.fit.score is not None and self.fit.score < MIN_GOOD_FIT

    @property
    def missing(self) -> dict[str, MissingField]:
        """Those of ``EXPECTED`` that many articles lack, by name."""
        missing = {}
        for name in EXPECTED:
            share = self.fields[name]
            if share is None or share > MAX_MISSING_SHARE:
                continue
            missing[name] = MissingField(
                name=name,
                share=1 - share,
                file=self._first_without(name),
            )
        return missing

    def _first_without(self, name: str) -> str:
        """The file of the first page without a field; ``""`` if there is none."""
        for page in self.pages:
            if name in page.missing:
                return page.file
        return ""

    @property
    def extremes(self) -> tuple[PageRow, ...]:
        """The best and the worst page by ``PageRow.quality``, of equal ones the first and the last;
        fewer if the report has fewer pages."""
        ordered = sorted(self.pages, key=lambda page: -page.quality)
        if len(ordered) < 2:
            return tuple(ordered)
        return ordered[0], ordered[-1]

    @property
    def name(self) -> str:
        """The id of the template, or the first page's URL."""
        if self.template.id:
            return self.template.id
        if self.pages:
            return self.pages[0].url
        return "not stored"


class HostDistances:
    """The distances between a host's pages, as a crawl measures them."""

    def __init__(self, config: ForestSettings) -> None:
        self._kind = config.fingerprint_kind
        self._clusters = HostClusters(self._kind == "typed", config.threshold)

    def add(self, page: Page) -> str:
        """Count a page; the digest of its fingerprint."""
        fingerprint = read_fingerprint(page, self._kind)
        self._clusters.add(fingerprint, page.entry is not None)
        return fingerprint.digest

    def map_of(self, digests: Collection[str]) -> PageMap:
        """The pages with these fingerprints in the plane, after ``picture``."""
        points, distances = self._clusters.distances()
        rows = []
        for row, digest in enumerate(points):
            if digest in digests:
                rows.append(row)
        row_points = []
        row_distances = []
        for row in rows:
            distances_of_row = distances[row]
            row_points.append(points[row])
            row_distances.append([distances_of_row[column] for column in rows])
        return draw_map(row_points, row_distances)

    def picture(self) -> Picture | None:
        """The distances as pictures; None for fewer than two fingerprints."""
        self._clusters.measure()
        tree = self._clusters.tree
        if not tree:
            return None
        digests: list[str] = []
        for cluster in self._clusters.clusters():
            digests.extend(cluster.digests)
        return draw_distances(digests, tree, self._clusters.cut)


def view_template(
    template: ReportTemplate,
    distances: HostDistances,
    params: Params,
) -> tuple[TemplateView, list[PageView]]:
    """The template, and its pages, which are counted in ``distances``."""
    pages = [page.read() for page in template.pages]
    counts = count_paths(pages)
    views = []
    for page, report_page in zip(pages, template.pages, strict=True):
        page_view = view_page(page, report_page, template, counts, params)
        views.append(page_view)

    wrapper = template.wrapper
    first_url = [page.url for page in template.pages[:1]]
    ranking: tuple[PatternRow, ...] = ()
    if pages and wrapper.method in RANKING_METHODS:
        ranking = explain_ranking(pages, params, wrapper, MAX_ROWS)
    file = report_file_name("template", template.host, template.id, wrapper.id, *first_url)
    fit = measure_fit(pages, views, wrapper, params, template.is_edited)
    rows = _page_rows(pages, views, distances)
    view = TemplateView(
        template=template,
        file=file,
        fit=fit,
        articles=template.articles or len(views),
        fields=_field_shares(template, views),
        expressions=explain_expressions(wrapper, pages),
        ranking=ranking,
        pages=tuple(rows),
    )
    return view, views


def _field_shares(template: ReportTemplate, views: Sequence[PageView]) -> dict[str, float | None]:
    counts = template.fields
    total = counts.get("url", 0)
    if not counts:
        counts = Counter(field.name for view in views for field in view.fields)
        total = len(views)
    if not total:
        return dict.fromkeys(FIELDS)
    return {name: counts.get(name, 0) / total for name in FIELDS}


def _page_rows(
    pages: Sequence[Page],
    views: Sequence[PageView],
    distances: HostDistances,
) -> Iterator[PageRow]:
    agreements = mean_agreement([view.kept_paths for view in views])
    for page, view, agreement in zip(pages, views, agreements, strict=True):
        first_line, _, _ = view.text.partition("\n")
        missing = [name for name in EXPECTED if not view.value(name)]
        yield PageRow(
            url=view.url,
            file=view.file,
            outcome=view.outcome,
            title=view.value("title"),
            method=view.method,
            characters=len(view.text),
            first_line=first_line,
            missing=tuple(missing),
            digest=distances.add(page),
            in_feed=page.entry is not None,
            bars=view.bars,
            agreement=agreement,
            single=text_f1(view.likely, view.text),
            confidence=view.confidence,
        )


def mean_agreement(sets: Sequence[frozenset[AnchoredPath]]) -> list[float | None]:
    """For each page the mean F1 of the paths of its kept text against those of each other page;
    None for a single page.

    >>> a, b = (AnchoredPath(None, (tag,)) for tag in "pq")
    >>> mean_agreement([frozenset((a,)), frozenset((a, b)), frozenset((a,))])
    [0.833, 0.667, 0.833]
    """
    if len(sets) < 2:
        return [None] * len(sets)
    means: list[float | None] = []
    other_count = len(sets) - 1
    for number, paths in enumerate(sets):
        agreements = []
        for other_number, other_paths in enumerate(sets):
            if other_number != number:
                agreements.append(_f1(paths, other_paths))
        mean = sum(agreements) / other_count
        means.append(round(mean, 3))
    return means


def _f1(first: frozenset[AnchoredPath], second: frozenset[AnchoredPath]) -> float:
    total = len(first) + len(second)
    if not total:
        return 1.0
    common = first & second
    return 2 * len(common) / total
