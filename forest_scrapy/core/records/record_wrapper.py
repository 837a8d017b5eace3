"""The wrapper for records, applied to a page or written as JSON."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import NamedTuple

from forest_scrapy.core.errors import BadCharacteristic, BadRules
from forest_scrapy.core.methods.characteristics import make_container
from forest_scrapy.core.methods.vsse import read_pairs
from forest_scrapy.core.page.content import NO_CONTENT, Content, join_contents
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.markup import clean_markup
from forest_scrapy.core.page.noscript import show_content
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.records.attributes.attribute import (
    TYPES,
    Attribute,
    read_replies,
    read_values,
    read_values_of,
)
from forest_scrapy.core.records.attributes.learn_attributes import learn_attributes
from forest_scrapy.core.records.main_text import (
    MainTextClassifier,
    read_main_text,
    read_product_text,
)
from forest_scrapy.core.records.products.product_rules import ProductRules
from forest_scrapy.core.records.quotes import (
    Quote,
    find_line_before,
    read_quote,
    read_quoted_author,
)
from forest_scrapy.core.records.record import (
    QUOTED_AUTHOR,
    Inner,
    Located,
    Record,
    Value,
    is_quote,
    locate_records,
    roots_of,
    walk_record,
)
from forest_scrapy.core.records.regions.groups import find_visible
from forest_scrapy.core.records.replies import (
    INDENT,
    PARENT_ID,
    POST_ID,
    QuotedPosts,
    find_parents,
    find_references,
    read_indents,
    read_post_ids,
    split_quoted_lines,
)
from forest_scrapy.core.records.stories import find_story
from forest_scrapy.core.templates.kinds import KINDS, Kind
from forest_scrapy.core.wrapper import Wrapper
from forest_scrapy.core.xpaths.checking import check_xpaths, select_elements


class RecordReader:
    """Reads the records of one page."""

    def __init__(
        self,
        page: Page,
        text: Sequence[str],
        drop: Sequence[str],
        quotes: Sequence[str] = (),
    ) -> None:
        self.page = page
        self._text = text
        self._drop = frozenset(drop)
        self._quotes = frozenset(quotes)
        self._sorted_roots: list[int] = []
        self._roots: frozenset[int] = frozenset()

    def nodes_of(self, elements: Iterable[Element]) -> list[int]:
        """The visible ones of the elements, by index."""
        outline = self.page.outline
        is_visible = find_visible(outline)
        nodes = set(outline.indices(elements))
        return sorted(node for node in nodes if is_visible[node])

    def locate(
        self,
        nodes: Sequence[int],
        before: int,
        after: int,
    ) -> list[Located]:
        """The records with these elements, which are those that are read from now on."""
        located = locate_records(self.page.outline, nodes, before, after)
        self._roots = roots_of(located)
        self._sorted_roots = sorted(self._roots)
        return located

    def walk(self, record: Located) -> list[Inner]:
        """The nodes of the record with their internal paths."""
        return list(walk_record(self.page.outline, record, self._roots))

    def read_text(
        self,
        record: Located,
        inner_nodes: Sequence[Inner],
    ) -> tuple[Content, Sequence[Quote]]:
        """The text of a record, and what it quotes."""
        outline = self.page.outline
        nodes = outline.nodes
        usual_steps: set[str] = set()
        for text_path in self._text:
            usual_steps.update(text_path.split(" "))
        roots_inside = self._find_roots_inside(record)
        without = {nodes[root].element for root in roots_inside}
        bodies = []
        quotes = []
        for node, path in inner_nodes:
            is_quoted = path in self._quotes or is_quote(path, usual_steps)
            if is_quoted:
                quotes.append(node)
            if path in self._text:
                bodies.append(node)
            elif is_quoted or path in self._drop:
                without.add(nodes[node].element)

        quoted = []
        for node in outline.outermost(quotes):
            quote = read_quote(outline, node)
            line = find_line_before(outline, node)
            if line is not None:
                without.add(nodes[line].element)
                author = quote.author or read_quoted_author(outline.line(line))
                quote = quote._replace(author=author)
            quoted.append(quote)

        contents = []
        for node in outline.outermost(bodies):
            content = self._read_content(nodes[node].element, without)
            if content.text:
                contents.append(content)
        if not bodies:
            return NO_CONTENT, quoted
        return join_contents(contents), quoted

    def _read_content(
        self,
        element: Element,
        without: Collection[Element],
    ) -> Content:
        page = self.page
        return read_content(element, without, page.base_url, page.structures)

    def _find_roots_inside(self, record: Located) -> list[int]:
        """The roots of other records inside those of a record."""
        ends = self.page.outline.ends
        inside = []
        for root, _ in record.roots:
            first = bisect_right(self._sorted_roots, root)
            last = bisect_left(self._sorted_roots, ends[root])
            inside += self._sorted_roots[first:last]
        return inside


def read_pair_records(
    page: Page,
    characteristics: Sequence[str] = (),
    is_filtered: bool = False,
) -> list[Record]:
    """The pairs of attribute and value in the page's area of records (Zhang et al. 2018) as
    records.  The paper does not divide them: a name that a record has already begins the next.
    ``characteristics``: those of ``Params``."""
    values_of_records: list[dict[str, str]] = []
    for name, text in read_pairs(page, characteristics, is_filtered):
        if not values_of_records or name in values_of_records[-1]:
            values_of_records.append({})
        values_of_records[-1][name] = text

    records = []
    for position, values in enumerate(values_of_records, 1):
        lines = []
        values_of_record = []
        for name, text in values.items():
            lines.append(f"{name}: {text}")
            value = Value(name, "text", text)
            values_of_record.append(value)
        record = Record(
            position=position,
            text="\n".join(lines),
            values=tuple(values_of_record),
        )
        records.append(record)
    return records


class PlacedRecord(NamedTuple):
    """A record and the index of its element."""

    node: int
    record: Record


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
    - ``quotes``: the internal paths of quotes that are not named so.
    """

    record: str
    before: int = 0
    after: int = 0
    text: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    quotes: tuple[str, ...] = ()

    def find(self, page: Page, fetched_at: str = "") -> list[PlacedRecord]:
        """The records of the page in its order, each with the index of its element.  Positions
        start at 0, without any left out."""
        reader = RecordReader(page, self.text, self.drop, self.quotes)
        nodes = self._find_nodes(reader)
        located = reader.locate(nodes, self.before, self.after)
        walks = [reader.walk(record) for record in located]
        indents = read_indents(page, walks)
        replies = self._read_replies(page, walks, indents)
        all_ids = read_post_ids(page, walks)

        placed = []
        for number, (place, inner_nodes) in enumerate(zip(located, walks, strict=True)):
            record = self._read(reader, place, inner_nodes, fetched_at)
            reply_to = replies[number]
            if indents:
                indent = Value(INDENT, "number", str(indents[number]))
                record = replace(record, values=(*record.values, indent))
            if all_ids:
                own = Value(POST_ID, "text", all_ids[number].own)
                parent = Value(PARENT_ID, "text", all_ids[number].parent)
                ids = [value for value in (own, parent) if value.text]
                record = replace(record, values=(*record.values, *ids))
            if place.container is None:
                record = replace(record, reply_to=reply_to)
            placed.append(PlacedRecord(place.node, record))
        return placed

    def _read_replies(
        self,
        page: Page,
        walks: Sequence[Sequence[Inner]],
        indents: Sequence[int],
    ) -> list[int | None]:
        """For each record of a page the position, from 0, of the one that it replies to: by a link,
        by what its quote names, or by its indent if there are no links."""
        linked = read_replies(page, walks, self.attributes)
        quoted = find_references(page, walks, self.quotes)
        has_links = any(position is not None for position in linked)
        if has_links or not indents:
            indented: list[int | None] = [None] * len(walks)
        else:
            indented = find_parents(indents)
        replies = []
        for link, reference, parent in zip(linked, quoted, indented, strict=True):
            known = (link, reference, parent)
            reply_to = next((position for position in known if position is not None), None)
            replies.append(reply_to)
        return replies

    def _find_nodes(self, reader: RecordReader) -> list[int]:
        """The visible elements of the records, by index."""
        elements = select_elements(self.record, reader.page.root)
        return reader.nodes_of(elements)

    def with_all_attributes(self, pages: Sequence[Page]) -> "RecordRules":
        """The rules whose attributes are all that differ from record to record, also those that
        are part of the text: the columns of a table, rather than a post and its author.  Names are
        those of labels, and of things."""
        values = []
        for page in pages:
            reader = RecordReader(page, (), ())
            nodes = self._find_nodes(reader)
            located = reader.locate(nodes, self.before, self.after)
            walks = [reader.walk(record) for record in located]
            values.append(read_values_of(page, walks))
        language = pages[0].language
        attributes = learn_attributes(
            values,
            language,
            is_text=lambda path: False,
            are_things=True,
        )
        return replace(self, attributes=attributes)

    def _read(
        self,
        reader: RecordReader,
        located: Located,
        inner_nodes: Sequence[Inner],
        fetched_at: str,
    ) -> Record:
        content, quotes = reader.read_text(located, inner_nodes)
        mail = split_quoted_lines(content.text, clean_markup(content.markup))
        quote = "\n".join(quoted.text for quoted in quotes if quoted.text)
        values = read_values(reader.page, inner_nodes, self.attributes, fetched_at)
        quoted_authors = dict.fromkeys(quoted.author for quoted in quotes if quoted.author)
        for author in quoted_authors:
            values = (*values, Value(QUOTED_AUTHOR, "author", author))
        return Record(
            position=located.position,
            text=mail.text,
            html=mail.html,
            quote=quote or mail.quote,
            reply_to=located.container,
            values=values,
        )

    def check(self) -> None:
        """Raise ``BadRules`` for a value that the rules cannot have."""
        check_xpaths("record", [self.record])
        is_valid = self.before >= 0 and self.after >= 0
        if not is_valid:
            raise BadRules(f"before {self.before} or after {self.after} is not a number from 0")
        for attribute in self.attributes:
            if attribute.type not in TYPES:
                raise BadRules(f"type {attribute.type!r} is not one of {', '.join(TYPES)}")


def _with_unshown_description(page: Page, extract: Extract) -> Extract:
    """The text of a product's page with the description that scripts fill in, if it has one."""
    from forest_scrapy.core.records.products.descriptions import find_unshown_description

    description = find_unshown_description(page, extract.text)
    if not description:
        return extract
    markup = "".join(f"<p>{escape(line)}</p>" for line in description.splitlines() if line)
    content = join_contents([extract.content, Content(description, markup)])
    return replace(extract, content=content)


@dataclass(frozen=True)
class RecordWrapper:
    """The rules that find the records of a template's pages, as a value.

    ``rules``: those of the records, first those of what they reply to, if it is marked up in
    another way; empty if each page is a single record, such as an article or a product.
    ``page``: the wrapper of articles.  ``hidden``: pages may have their records in ``noscript``
    elements, for readers without scripts.  ``kind``: that of the pages.  ``product``: where they
    show the values of products, if they are about these.  ``evidence``: what the rules rest on.
    ``pairs``: the records are the pairs of attribute and value of each page by itself
    (``vsse-records``), found with these ``characteristics`` beside those of the paper, without
    those that do not tell them apart if ``filter_characteristics`` is true.
    ``title_ends``: what all titles of threads end with, see ``learn_title_ends``.
    """

    rules: tuple[RecordRules, ...] = ()
    page: Wrapper | None = None
    hidden: bool = False
    kind: Kind = field(default_factory=Kind)
    product: ProductRules | None = None
    evidence: RecordEvidence = field(default_factory=RecordEvidence)
    pairs: bool = False
    characteristics: tuple[str, ...] = ()
    title_ends: tuple[str, ...] = ()
    filter_characteristics: bool = False

    def apply(self, page: Page, fetched_at: str = "") -> list[Record]:
        """The records of the page that have text, or any value if none has text, in the order of
        the page.

        ``fetched_at`` (ISO 8601): for relative dates.  The page is not changed.  Cost: the
        XPaths, and a few walks over what they find.
        """
        if self.hidden:
            page = show_content(page)
        if self.pairs:
            return read_pair_records(page, self.characteristics, self.filter_characteristics)
        if not self.rules:
            extract = self._read_page(page, None)
            if not extract.text:
                return []
            return [Record(1, extract.text, extract.html)]
        return self._find(page, fetched_at)

    def read_text(
        self,
        page: Page,
        classifier: MainTextClassifier | None = None,
    ) -> str:
        """The text of ``read_main``."""
        return self.read_main(page, classifier).text

    def read_main(
        self,
        page: Page,
        classifier: MainTextClassifier | None = None,
    ) -> Extract:
        """The main text of the page: that of the posts of a thread, one after the other, else
        that of the page.  ``classifier``: for pages that are neither threads nor articles; None
        for the one that ships.  Cost: some 30 ms for these."""
        if self.hidden:
            page = show_content(page)
        if self.kind.name == "thread":
            posts = self._find(page, "")
            contents = []
            for post in posts:
                if post.text:
                    contents.append(Content(post.text, post.html))
            if contents:
                return Extract(join_contents(contents))
        return self._read_page(page, classifier)

    def _read_page(
        self,
        page: Page,
        classifier: MainTextClassifier | None,
    ) -> Extract:
        if self.page:
            return self.page.apply(page)
        if self.kind.name == "product":
            # Few pages are about products, and what reads them takes long to load.
            from forest_scrapy.core.records.products.product import (
                count_evidence,
                find_other_nodes,
            )

            # Pages of services that look like products have no evidence, and need testimonials.
            if count_evidence(page):
                extract = read_product_text(page, find_other_nodes(page), classifier)
                return _with_unshown_description(page, extract)
        return read_main_text(page, classifier)

    def _find(self, page: Page, fetched_at: str) -> list[Record]:
        records = []
        for number, rules in enumerate(self.rules):
            for node, record in rules.find(page, fetched_at):
                records.append(RuledRecord(number, node, record))
        if self.kind.name == "thread":
            story = find_story(page, [ruled.node for ruled in records], fetched_at)
            if story:
                records.append(RuledRecord(_STORY, *story))
        records.sort(key=lambda ruled: (ruled.node, ruled.rules))
        return number_records(records)

    def check(self) -> None:
        """Raise ``BadRules`` for a value that the rules cannot have."""
        if self.kind.name not in KINDS:
            raise BadRules(f"kind is {self.kind.name!r}, not one of {', '.join(KINDS)}")
        for rules in self.rules:
            rules.check()
        try:
            make_container(self.characteristics)
        except BadCharacteristic as error:
            raise BadRules(str(error)) from None
        if self.page:
            self.page.check()
        if self.product:
            check_xpaths("product", self.product.xpaths())


def _is_post(record: Record) -> bool:
    """Whether it has text, or an author and a date: posts may be a picture."""
    is_signed = record.get("author") and record.get("date")
    return bool(record.text or is_signed)


#: The number in place of that of rules of a story, see ``find_story``.
_STORY = -1


class RuledRecord(NamedTuple):
    """A record, the number of the rules that found it, and the index of its element."""

    rules: int
    node: int
    record: Record


def number_records(records: Sequence[RuledRecord]) -> list[Record]:
    """The records with text, or with an author and a date, in the given order, numbered from 1;
    those that reply to each other are of the same rules, unless one quotes the other."""
    has_text = any(ruled.record.text for ruled in records)
    posts = []
    for ruled in records:
        if not has_text or _is_post(ruled.record):
            posts.append(ruled)
    number_of = {}
    for number, (rules, _, record) in enumerate(posts, 1):
        number_of[rules, record.position] = number

    numbered: list[Record] = []
    lead_replies = _indent_below_lead([record for _, _, record in posts])
    quoted_posts = QuotedPosts()
    for rules, _, record in posts:
        reply_to = None
        if record.reply_to is not None:
            reply_to = number_of.get((rules, record.reply_to))
        if reply_to is None and lead_replies and record.get(INDENT) == lead_replies:
            reply_to = 1
        if reply_to is None and record.quote:
            index = quoted_posts.find(record.quote, record.get(QUOTED_AUTHOR))
            reply_to = None if index is None else index + 1
        position = number_of[rules, record.position]
        record = replace(record, position=position, reply_to=reply_to)
        quoted_posts.add(record.get("author"), record.text)
        numbered.append(record)
    return numbered


def _indent_below_lead(records: Sequence[Record]) -> str:
    """The indent of the posts that reply to the first one, which is not indented: the smallest one;
    ``""`` if the first one is, or others are not."""
    if not records or records[0].get(INDENT):
        return ""
    indents = [record.get(INDENT) for record in records[1:]]
    smallest = min(map(int, filter(None, indents)), default=0)
    return str(smallest) if smallest and all(indents) else ""
