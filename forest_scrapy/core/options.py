"""The options of learning and extracting: every setting that changes an item."""

from dataclasses import dataclass, field

#: What FOREST can rank patterns by (figure 7).
MEASURE_NAMES = ("J*U", "J", "U")
#: What p of FOREST's equation 5 can count.
OCCURRENCE_NAMES = ("paths", "pages")
#: What COVERAGE can rank patterns by, see ``Params``.
COVERAGE_NAMES = ("mean", "share")
#: Where FOREST and SIGFEED can take signifiers from, see ``core.methods.signifiers``.
SOURCE_NAMES = ("tf-idf", "feed", "title", "query", "metadata", "url", "links")
#: The values of attributes that FOREST's types of elements can have.
ATTRIBUTE_VALUES = ("tolerant", "full")
#: What FOREST can filter first.
FILTER_NAMES = ("links", "comments")
#: VSSE's T1 (section 5.2 of the paper): leaves with this share of the page's largest vvtc are kept.
MIN_WEIGHT_SHARE = 0.8
#: VSSE's T2: the number of bits in which a leaf may differ from title and description.
MAX_BITS = 3
#: The leaves of the area that VSSE compares with title and description.
COMPARED_NAMES = ("unmarked", "all")
#: The methods that find records as published, see ``learn_records``.
RECORD_METHODS = ("forest-records", "vsse-records")
#: The distances between pages, see ``core.templates.fingerprints``.
DISTANCE_NAMES = ("typed", "cp", "cps", "ctss")
#: The part of a page whose tags the published distances compare.
SCOPE_NAMES = ("document", "body")
#: Elements in a shingle.  Gottron does not give the number; his thresholds fit this one: with ten
#: sites of feeds-dev together, cut at these, the Rand index of CPS and CTSS is 0.90, with 3 it is
#: 0.76 and 0.11.  Within one site, with a cut of its own, 6 is better for CPS and worse for CTSS.
SHINGLE = 6


def fingerprint_kind(
    distance: str,
    scope: str = SCOPE_NAMES[0],
    shingle: int = SHINGLE,
) -> str:
    """The name of a kind of fingerprints, by which stores tell them apart: those of different
    kinds cannot be compared.

    Those of the body, with shingles of 3, have the name of the distance, as earlier stores have
    them.

    >>> fingerprint_kind("typed"), fingerprint_kind("cp"), fingerprint_kind("cps")
    ('typed', 'cp document', 'cps document 6')
    >>> fingerprint_kind("cps", "body", 3), fingerprint_kind("cps", "body")
    ('cps', 'cps body 6')
    """
    if distance == "typed":
        return distance
    if distance == "cp":
        return distance if scope == "body" else f"{distance} {scope}"
    if scope == "body" and shingle == 3:
        return distance
    return f"{distance} {scope} {shingle}"


@dataclass(frozen=True)
class Params:
    """The parameters of learning.

    - ``method``: a name from ``METHODS``, or ``auto``: ``trained`` for two or more pages,
      ``single`` for one.
    - ``pages``: the largest number of pages to learn from; FOREST gains nothing beyond 8 to 10
      (section 4).
    - ``signifiers``: the number of signifiers per page; F1 falls below 5 and slightly above 20
      (figure 6).
    - ``measure``: what FOREST ranks by: ``J*U``, or ``J`` or ``U`` alone (figure 7).
    - ``occurrences``: what p of equation 5 counts: significant terminal ``paths``, as the text has
      it, or ``pages``, as figure 3; None: what is better for the method (see
      ``core.methods.forest``).
    - ``source``: where FOREST and SIGFEED take signifiers from, one of ``SOURCE_NAMES``; None: the
      source of the method (see ``core.methods.signifiers``).
    - ``ngram``: the words of an n-gram of SIGFEED (thesis 2.5.1).
    - ``attribute_values``: the values in FOREST's types of elements (definition 2): in ``tolerant``
      form, or ``full``.
    - ``level_factor``: whether the level is a factor of FOREST's relevance (equation 5).
    - ``filtered``: what FOREST filters first (section 4, challenges): ``links``: lists of links;
      ``comments``: significant paths with "comments" in their signature.
    - ``coverage``: Cov of equation 6 as the ``mean`` of the normalized weights of the page's
      signifiers, as published, or as a ``share`` of their weight.
    - ``t1``, ``t2``: the thresholds of ``vsse``.  ``compared``: the leaves of the area that it
      compares with title and description: those without punctuation (``unmarked``), or ``all``, as
      published.
    - ``characteristics``: of records, for ``vsse-records``, beside those of the paper: words,
      marks, and tags such as ``<dt>``, see ``core.methods.characteristics``.
    - ``filter_characteristics``: whether it leaves out those that do not tell its area apart.
    """

    method: str = "auto"
    pages: int = 10
    signifiers: int = 10
    measure: str = "J*U"
    occurrences: str | None = None
    source: str | None = None
    ngram: int = 3
    attribute_values: str = "tolerant"
    level_factor: bool = True
    filtered: tuple[str, ...] = ()
    coverage: str = "mean"
    t1: float = MIN_WEIGHT_SHARE
    t2: int = MAX_BITS
    compared: str = "unmarked"
    characteristics: tuple[str, ...] = ()
    filter_characteristics: bool = False


@dataclass(frozen=True)
class Options:
    """What changes an item, whoever extracts it; all have the name and the meaning of a setting.

    - ``params``: those of learning the wrapper of articles.
    - ``kinds``: the kinds of pages that become items: ``article``, ``thread``, ``product``,
      ``listing``; ``page``: all pages that do not become one of the others.
    - ``comments``: whether articles have the comments on their pages.
    - ``captions``: ``separate`` or ``inline``.
    - ``formats``: the forms of an article's content: ``text``, ``html``, ``markdown``.
    - ``distance``, ``threshold``: how pages are grouped by template; ``scope``, ``shingle``: what
      the published distances compare, see ``core.templates.fingerprints``.
    """

    params: Params = field(default_factory=Params)
    kinds: tuple[str, ...] = ("article",)
    comments: bool = False
    captions: str = "separate"
    formats: tuple[str, ...] = ("text", "html")
    distance: str = "typed"
    threshold: float | None = None
    scope: str = SCOPE_NAMES[0]
    shingle: int = SHINGLE

    @property
    def fingerprint_kind(self) -> str:
        """The kind of the fingerprints that pages are grouped by."""
        return fingerprint_kind(self.distance, self.scope, self.shingle)

    @property
    def wants_articles(self) -> bool:
        return "article" in self.kinds

    @property
    def wants_pages(self) -> bool:
        """Whether pages of any kind become items."""
        return "page" in self.kinds

    @property
    def kinds_of_rules(self) -> tuple[str, ...]:
        """The kinds that rules are learned for, sorted; empty if only articles are wanted."""
        return tuple(sorted(set(self.kinds))) if self.wants_records else ()

    @property
    def may_store_records(self) -> bool:
        """Whether the rules of products and lists may be stored: those of the published methods,
        which find records whatever the kind of the pages, are learned by each crawl."""
        return self.params.method not in RECORD_METHODS

    def may_be_product(self, kind: str) -> bool:
        """Whether pages that look like this kind are products if they have the evidence of one:
        products are wanted, and the kind is not, nor articles and pages of any kind.

        >>> options = Options(kinds=("product", "listing"))
        >>> options.may_be_product("other"), options.may_be_product("listing")
        (True, False)
        """
        is_wanted = kind in self.kinds or self.wants_articles or self.wants_pages
        return "product" in self.kinds and not is_wanted

    @property
    def wants_records(self) -> bool:
        """Whether pages become items of other kinds than articles."""
        return any(kind != "article" for kind in self.kinds)
