"""The wrapper for records, applied to a page or written as JSON."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.methods.vsse import read_pairs
from forest_scrapy.core.page.content import NO_CONTENT, Content, join_contents
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.markup import clean_markup
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.records.attributes import (
    TYPES,
    Attribute,
    learn_attributes,
    read_replies,
    read_values,
    read_values_of,
)
from forest_scrapy.core.records.main_text import MainTextClassifier, read_main_text
from forest_scrapy.core.records.products.product import ProductRules
from forest_scrapy.core.records.record import (
    Inner,
    Located,
    Record,
    Value,
    is_quote,
    locate_records,
    walk_record,
)
from forest_scrapy.core.records.regions.groups import find_visible
from forest_scrapy.core.records.regions.prose import show_content
from forest_scrapy.core.templates.kinds import KINDS, Kind
from forest_scrapy.core.wrapper import Wrapper
from forest_scrapy.core.xpaths.checking import check_xpaths, select_elements


class RecordReader:
    """Reads the records of one page."""

    def __init__(self, page: Page, text: Sequence[str], drop: Sequence[str]) -> None:
        self.page, self._text, self._drop = page, text, frozenset(drop)
        self._roots: list[int] = []
        self._known: frozenset[int] = frozenset()

    def nodes_of(self, elements: Iterable[Element]) -> list[int]:
        """The visible ones of the elements, by index."""
        visible = find_visible(self.page.outline)
        return sorted({i for i in self.page.outline.indices(elements) if visible[i]})

    def locate(self, nodes: Sequence[int], before: int, after: int) -> list[Located]:
        """The records with these elements, which are those that are read from now on."""
        located = locate_records(self.page.outline, nodes, before, after)
        self._roots = sorted({root for record in located for root, _ in record.roots})
        self._known = frozenset(self._roots)
        return located

    def walk(self, record: Located) -> list[Inner]:
        """The nodes of the record with their internal paths."""
        return list(walk_record(self.page.outline, record, self._known))

    def read_text(self, record: Located, inner: Sequence[Inner]) -> tuple[Content, str]:
        """The text of a record, and what it quotes."""
        nodes = self.page.outline.nodes
        bodies, quotes = [], []
        usual = {step for path in self._text for step in path.split(" ")}
        without = {nodes[i].element for i in self._inner_roots(record)}
        for node, path in inner:
            if path in self._text:
                bodies.append(node)
            elif path in self._drop or is_quote(path, usual):
                without.add(nodes[node].element)
            if is_quote(path, usual):
                quotes.append(node)
        base, outline = self.page.base_url, self.page.outline
        structures = self.page.structures
        contents = [
            read_content(nodes[node].element, without, base, structures)
            for node in outline.outermost(bodies)
        ]
        content = join_contents(c for c in contents if c.text) if contents else NO_CONTENT
        quoted = (block_text(nodes[node].element) for node in outline.outermost(quotes))
        return content, "\n".join(text for text in quoted if text)

    def _inner_roots(self, record: Located) -> list[int]:
        """The roots of other records inside those of a record."""
        ends = self.page.outline.ends
        return [
            i
            for root, _ in record.roots
            for i in self._roots[
                bisect_right(self._roots, root) : bisect_left(self._roots, ends[root])
            ]
        ]


def read_pair_records(page: Page) -> list[Record]:
    """The pairs of attribute and value in the page's area of records (Zhang et al. 2018) as
    records.  The paper does not divide them: a name that a record has already begins the next."""
    found: list[dict[str, str]] = []
    for name, text in read_pairs(page):
        if not found or name in found[-1]:
            found.append({})
        found[-1][name] = text
    return [
        Record(
            position,
            "\n".join(f"{name}: {text}" for name, text in pairs.items()),
            values=tuple(Value(name, "text", text) for name, text in pairs.items()),
        )
        for position, pairs in enumerate(found, 1)
    ]


@dataclass(frozen=True)
class RecordEvidence:
    """What a wrapper for records rests on.

    ``pages``: the number of pages it was learned from; ``records``: of records found on them.
    ``coverage``: the mean share of a page's prose that is in the records.  ``alike``: how alike
    they are inside, 0 to 1.  ``dated``: the share of them with a date.  ``runner_up``: the next
    best candidate; ``score`` and ``runner_up_score``: what the candidates were ranked by.
    """

    pages: int = 0
    records: int = 0
    coverage: float = 0.0
    alike: float = 0.0
    dated: float = 0.0
    score: float = 0.0
    runner_up: str = ""
    runner_up_score: float = 0.0


@dataclass(frozen=True)
class RecordRules:
    """The rules for records that are marked up alike.

    - ``record``: the XPath 1.0 expression of their elements.
    - ``before``, ``after``: how many siblings before and after it belong to each.
    - ``text``: the internal paths of the elements that hold a record's text; ``drop``: those of
      elements inside them that are left out.
    - ``attributes``: what else the records have.
    """

    record: str
    before: int = 0
    after: int = 0
    text: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()

    def find(self, page: Page, fetched_at: str = "") -> list[tuple[int, Record]]:
        """The records of the page in its order, each with the index of its element.  Positions
        start at 0, without any left out."""
        reader = RecordReader(page, self.text, self.drop)
        nodes = reader.nodes_of(select_elements(self.record, page.root))
        located = reader.locate(nodes, self.before, self.after)
        walked = [reader.walk(one) for one in located]
        replies = read_replies(page, walked, self.attributes)
        read = [self._read(reader, *one, fetched_at) for one in zip(located, walked, strict=True)]
        return [
            (one.node, record if one.outer is not None else replace(record, reply_to=reply))
            for one, record, reply in zip(located, read, replies, strict=True)
        ]

    def with_all_attributes(self, pages: Sequence[Page]) -> "RecordRules":
        """The rules whose attributes are all that differ from record to record, also those that
        are part of the text: the columns of a table, rather than a post and its author."""
        values = []
        for page in pages:
            reader = RecordReader(page, (), ())
            nodes = reader.nodes_of(select_elements(self.record, page.root))
            located = reader.locate(nodes, self.before, self.after)
            values.append(read_values_of(page, [reader.walk(one) for one in located]))
        return replace(
            self, attributes=learn_attributes(values, pages[0].language, lambda path: False)
        )

    def _read(
        self, reader: RecordReader, one: Located, inner: Sequence[Inner], fetched_at: str
    ) -> Record:
        content, quote = reader.read_text(one, inner)
        values = read_values(reader.page, inner, self.attributes, fetched_at)
        markup = clean_markup(content.markup)
        return Record(one.position, content.text, markup, quote, one.outer, values)

    def check(self) -> None:
        """Raise ``BadRules`` for a value that the rules cannot have."""
        check_xpaths("record", [self.record])
        if min(self.before, self.after) < 0:
            raise BadRules(f"before {self.before} or after {self.after} is not a number from 0")
        for attribute in self.attributes:
            if attribute.type not in TYPES:
                raise BadRules(f"type {attribute.type!r} is not one of {', '.join(TYPES)}")


@dataclass(frozen=True)
class RecordWrapper:
    """The rules that find the records of a template's pages, as a value.

    ``rules``: those of the records, first those of what they reply to, if it is marked up in
    another way; empty if each page is a single record, such as an article or a product.
    ``page``: the wrapper of articles.  ``hidden``: pages may have their records in ``noscript``
    elements, for readers without scripts.  ``kind``: that of the pages.  ``product``: where they
    show the values of products, if they are about these.  ``evidence``: what the rules rest on.
    ``pairs``: the records are the pairs of attribute and value of each page by itself
    (``vsse-records``).
    """

    rules: tuple[RecordRules, ...] = ()
    page: Wrapper | None = None
    hidden: bool = False
    kind: Kind = field(default_factory=Kind)
    product: ProductRules | None = None
    evidence: RecordEvidence = field(default_factory=RecordEvidence)
    pairs: bool = False

    def apply(self, page: Page, fetched_at: str = "") -> list[Record]:
        """The records of the page that have text, or any value if none has text, in the order of
        the page.

        ``fetched_at`` (ISO 8601): for relative dates.  The page is not changed.  Cost: the
        XPaths, and a few walks over what they find.
        """
        if self.hidden:
            page = show_content(page)
        if self.pairs:
            return read_pair_records(page)
        if not self.rules:
            found = self._read_page(page, None)
            return [Record(1, found.text, found.html)] if found.text else []
        return self._find(page, fetched_at)

    def read_text(self, page: Page, classifier: MainTextClassifier | None = None) -> str:
        """The text of ``read_main``."""
        return self.read_main(page, classifier).text

    def read_main(self, page: Page, classifier: MainTextClassifier | None = None) -> Extract:
        """The main text of the page: that of the posts of a thread, one after the other, else
        that of the page.  ``classifier``: for pages that are neither threads nor articles; None
        for the one that ships.  Cost: some 30 ms for these."""
        if self.hidden:
            page = show_content(page)
        posts = self._find(page, "") if self.kind.name == "thread" else []
        if any(post.text for post in posts):
            return Extract(
                join_contents(Content(post.text, post.html) for post in posts if post.text)
            )
        return self._read_page(page, classifier)

    def _read_page(self, page: Page, classifier: MainTextClassifier | None) -> Extract:
        return self.page.apply(page) if self.page else read_main_text(page, classifier)

    def _find(self, page: Page, fetched_at: str) -> list[Record]:
        by_rules = enumerate(rules.find(page, fetched_at) for rules in self.rules)
        found = [(i, one) for i, own in by_rules for one in own]
        return number_records(sorted(found, key=lambda one: (one[1][0], one[0])))

    def check(self) -> None:
        """Raise ``BadRules`` for a value that the rules cannot have."""
        if self.kind.name not in KINDS:
            raise BadRules(f"kind is {self.kind.name!r}, not one of {', '.join(KINDS)}")
        for rules in self.rules:
            rules.check()
        if self.page:
            self.page.check()
        if self.product:
            check_xpaths("product", self.product.xpaths())


def _is_post(record: Record) -> bool:
    """Whether it has text, or an author and a date: posts may be a picture."""
    return bool(record.text or (record.get("author") and record.get("date")))


def number_records(found: Sequence[tuple[int, tuple[int, Record]]]) -> list[Record]:
    """The records with text, or with an author and a date, in the given order, numbered from 1;
    those that reply to each other are of the same rules."""
    has_text = any(record.text for _, (_, record) in found)
    kept = [(i, record) for i, (_, record) in found if not has_text or _is_post(record)]
    new = {(i, record.position): number for number, (i, record) in enumerate(kept, 1)}
    return [
        replace(
            record,
            position=new[i, record.position],
            reply_to=None if record.reply_to is None else new.get((i, record.reply_to)),
        )
        for i, record in kept
    ]
