"""The wrapper: where the pages of a template have their article, and what that rests on."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from types import MappingProxyType
from typing import Any

from forest_scrapy.core.boilerplate.asides import find_asides
from forest_scrapy.core.boilerplate.author_boxes import find_author_box
from forest_scrapy.core.boilerplate.notices import find_masked_notices
from forest_scrapy.core.boilerplate.own_lines import (
    OwnValues,
    find_bylines,
    find_own_lines,
    may_begin_with_byline,
)
from forest_scrapy.core.boilerplate.paywalls import read_is_free
from forest_scrapy.core.boilerplate.responses import find_responses
from forest_scrapy.core.codec import from_json, read_object, to_json
from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.fields.metadata import FieldSources, Metadata
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.fields.text_sources import read_page_data
from forest_scrapy.core.items import Article
from forest_scrapy.core.page.between import add_between
from forest_scrapy.core.page.content import Content, join_contents, text_content
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.galleries import find_galleries_behind
from forest_scrapy.core.page.markup import add_picture
from forest_scrapy.core.page.other_articles import find_other_articles, find_related
from forest_scrapy.core.page.outline import nearest_of
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.structures.sparing import find_notes_outside, spare_structures
from forest_scrapy.core.page.text import line_text
from forest_scrapy.core.page.tree import Element, in_document_order, outermost_elements
from forest_scrapy.core.page.urls import without_trackers
from forest_scrapy.core.plurals import count
from forest_scrapy.core.segments.classifier import Classifier, Unseen, classify_unseen, find_unknown
from forest_scrapy.core.xpaths.checking import check_xpaths, select_elements

#: The version of the JSON.
FORMAT = 3
#: The version before, which can be read: its evidence had the cut of the template, which
#: ``TemplateRules`` has now.
EARLIER = 2
#: What ``Wrapper.source`` may be.
SOURCES = ("page", "entry", "data")
#: What ``Wrapper.take`` may be.
TAKES = ("largest", "all", "span")

#: The methods whose wrappers leave out remarks between paragraphs.
_WITH_ASIDES = ("trained", "single")
#: How many more linked headings a page may have than any page the wrapper was learned from.
#: Not tuned.
_MORE_HEADINGS = 2


@dataclass(frozen=True)
class Rule:
    """What an expression of ``keep`` or ``drop``, or one part of a union, rests on.

    ``pages``: on how many of the pages it finds something.  ``confidence``: the mean
    probability, 0 to 1, that the text there is content (for ``drop``: that it is not).
    """

    xpath: str = ""
    pages: int = 0
    confidence: float = 0.0


@dataclass(frozen=True)
class Evidence:
    """What a wrapper rests on.

    - ``pages``: the number of pages of the sample it was learned from.
    - ``signifiers``: where the method's signals came from: ``feed``, ``query`` (the search that
      the page answers), ``tf-idf``, ``page`` (its own title and description) or ``segments``.
    - ``score``: the method's score of the first expression; ``runner_up`` and
      ``runner_up_score``: the next best.  Scores of different methods cannot be compared.
    - ``match``: the share of the pages on which the wrapper finds text, 0 to 1.
    - ``linked_headings``: the largest number of linked headings in the content of one page.
    - ``text_at``: the anchored path that holds the largest share of the pages' text; templates
      are named after it.
    - ``rules``: what each expression rests on, for methods that score segments.
    """

    pages: int = 0
    signifiers: str = ""
    score: float = 0.0
    runner_up: str = ""
    runner_up_score: float = 0.0
    match: float = 0.0
    linked_headings: int = 0
    text_at: str = ""
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class Wrapper:
    """The extraction rules of one template, as a value.

    - ``method``: the name of the method that learned them.
    - ``keep``: XPath 1.0 expressions, tried in order; the first that finds text gives the text.
    - ``evidence``: what the rules rest on.
    - ``source``: ``page``; ``entry``: the feed entry (DESCRIPTION); ``data``: ``read_page_data``.
    - ``drop``: XPath 1.0 expressions; elements that they find are left out of the content.
    - ``take``: which of several elements found is the content: ``largest``, the one with the
      most text; ``all``, in document order; ``span``, all, and what stands between them (see
      ``add_between``), and galleries behind the last.
    - ``known``: the anchored paths (as ``write_anchored_path`` writes them) inside the kept
      elements where the learning pages had text.  The classifier decides on text that a page
      has anywhere else in there.  Empty: the classifier is not used.
    - ``outside``: the anchored paths where the learning pages had prose that is not content.
    - ``repeated``: texts of blocks, on one line, that are left out, since articles of other
      templates of the host have them, too, or several of this one, which are notices; in lower
      case with ``{title}``, ``{author}``, ``{date}`` or ``{url}`` where pages have their own; see
      ``learn_repeated``, ``learn_notices`` and ``learn_masked_notices``.
    - ``labels``: folded texts that short blocks begin with which are nothing else but links to
      other pages of the site, such as "read more"; these blocks are left out; ``""``: so are
      single links between two paragraphs; see ``learn_labels``.
    - ``fields``: where the pages have title, dates, authors and tags.
    """

    method: str
    keep: tuple[str, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    source: str = "page"
    drop: tuple[str, ...] = ()
    take: str = "largest"
    known: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    fields: FieldSources = field(default_factory=FieldSources)

    @property
    def xpath(self) -> str:
        """The first expression of ``keep``; ``""`` if nothing was learned."""
        if self.keep:
            return self.keep[0]
        return ""

    @cached_property
    def id(self) -> str:
        """10 hex digits of a digest of what the wrapper does, without fields and evidence."""
        rules = [self.method, self.source, self.keep, self.drop, self.take, self.known]
        # Parts that came later: a wrapper without them has the id that it had before.
        if self.repeated:
            rules.append(self.repeated)
        if self.outside:
            rules.append(self.outside)
        if self.labels:
            rules.append(("labels", *self.labels))
        text = json.dumps(rules, ensure_ascii=False)
        return hex_digest(text, 5)

    @cached_property
    def is_as_learned(self) -> bool:
        """Whether the expressions are those that were learned: a person has changed none."""
        xpaths = set(self.drop)
        for union in self.keep:
            xpaths.update(union.split(" | "))
        learned_xpaths = {rule.xpath for rule in self.evidence.rules}
        return xpaths == learned_xpaths

    def apply(
        self,
        page: Page,
        classifier: Classifier | None = None,
        without: Collection[Element] = (),
        also: Collection[Element] = (),
    ) -> Extract:
        """The content of the page; an empty ``Extract`` if no expression finds text.

        ``classifier``: for text outside the ``known`` paths; None: the one that ships.
        ``without``: elements to leave out; ``also``: elements that are content, too, whatever
        ``drop`` says.  The page is not changed.  Cost: the XPaths, one walk over what they find,
        and the classifier (some 8 ms) only if the page has unseen text.
        What the classifier that ships gives is kept with the page.
        """
        if classifier is not None or without or also:
            return self._apply(page, classifier, without, also)
        extract = page.applied.get(self.id)
        if extract is None:
            extract = self._apply(page, None, (), ())
            page.applied[self.id] = extract
        return extract

    def _apply(
        self,
        page: Page,
        classifier: Classifier | None,
        without: Collection[Element],
        also: Collection[Element],
    ) -> Extract:
        if self.source != "page":
            return Extract(_read_other(self.source, page))
        dropped: set[Element] = set()
        for xpath in self.drop:
            dropped.update(select_elements(xpath, page.root))
        dropped.difference_update(also)
        for element in also:
            dropped.difference_update(element.iterancestors())
        dropped.update(without)
        for xpath in self.keep:
            elements = select_elements(xpath, page.root)
            if also:
                all_elements = {*elements, *also}
                elements = in_document_order(page.root, all_elements)
            with_pictures = dict.fromkeys(map(add_picture, elements))
            blocks = outermost_elements(list(with_pictures))
            if self.take == "span":
                blocks = add_between(blocks)
                blocks += find_galleries_behind(blocks)

            left_out = dropped | find_other_articles(page, blocks)
            content = self._take(page, blocks, left_out)

            unseen = self._classify_unseen(page, blocks, content, left_out, classifier)
            boilerplate = unseen.boilerplate | self._find_repeated(page, content)
            boilerplate |= self._find_asides(page, content)
            if self.method in _WITH_ASIDES:
                boilerplate |= find_author_box(page, content, boilerplate)
            if boilerplate:
                left_out |= boilerplate
                content = self._take(page, blocks, left_out)

            if content.text:
                return Extract(
                    content,
                    xpath,
                    unseen.segments,
                    blocks=tuple(blocks),
                    left_out=frozenset(left_out),
                    boilerplate=len(boilerplate),
                )
        return Extract()

    def leave_out(
        self,
        page: Page,
        extract: Extract,
        elements: Iterable[Element],
    ) -> Extract:
        """The ``extract`` of this wrapper from the page, without the elements; as it was if nothing
        would be left."""
        left_out = extract.left_out.union(elements)
        blocks = list(extract.blocks)
        content = self._take(page, blocks, set(left_out))
        if not content.body:
            return extract
        if extract.content.own_body is None:
            content = content.with_captions()
        return replace(extract, content=content, left_out=left_out)

    def article(self, page: Page, fetched_at: str = "") -> Article | None:
        """The article of the page with all its fields; None if no expression finds text."""
        extract = self.apply(page)
        if not extract.text:
            return None
        return build_article(page, self, extract, self.fields, fetched_at)

    def _take(
        self,
        page: Page,
        blocks: list[Element],
        without: set[Element],
    ) -> Content:
        """The content of all blocks with text or media, or of the one with the most text, and the
        notes that it has marks of."""
        without = spare_structures(page.structures, without, blocks)
        contents = _read_blocks(page, blocks, without)
        if self.take == "largest":
            filled = [block for block in blocks if contents[block].text]
            if filled:
                largest = max(filled, key=lambda block: len(contents[block].text))
                blocks = [largest]
            else:
                blocks = []
        notes = find_notes_outside(page.structures, blocks, without)
        parts = [contents[block] for block in blocks]
        for note in notes:
            parts.append(read_content(note, without, page.base_url, page.structures))
        return join_contents(part for part in parts if not part.is_empty)

    def _find_repeated(
        self,
        page: Page,
        content: Content,
    ) -> frozenset[Element]:
        """The blocks with ``repeated`` texts; none if these are most of the content."""
        if not self.repeated:
            return frozenset()
        repeated = frozenset(self.repeated)
        blocks = set(find_masked_notices(page, content, repeated, self.fields))
        size = sum(len(line_text(block)) for block in blocks)
        for block in content.text_blocks:
            text = line_text(block)
            if text in repeated and block not in blocks:
                blocks.add(block)
                size += len(text)
        is_most = 2 * size > len(content.text)
        if is_most:
            return frozenset()
        return frozenset(blocks)

    def _find_asides(self, page: Page, content: Content) -> frozenset[Element]:
        """The remarks between the paragraphs, and the comments of readers at the end; the published
        methods have no such step."""
        if self.method not in _WITH_ASIDES:
            return frozenset()
        asides = find_asides(page, content, self.labels)
        return asides | find_responses(content)

    def _classify_unseen(
        self,
        page: Page,
        blocks: list[Element],
        content: Content,
        dropped: set[Element],
        classifier: Classifier | None,
    ) -> Unseen:
        if not self.known:
            return Unseen()
        unknown = find_unknown(content.text_blocks, self._known)
        if not unknown:
            return Unseen()
        return classify_unseen(page, blocks, unknown, dropped, classifier)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.known)

    def shows_several(self, extract: Extract) -> bool:
        """Whether a page's content is several articles: it has far more headings with links to
        other pages than any page the wrapper was learned from."""
        max_headings = max(self.evidence.linked_headings, _MORE_HEADINGS)
        max_headings += _MORE_HEADINGS
        return extract.content.linked_headings > max_headings

    def to_dict(self) -> dict[str, Any]:
        """The wrapper as JSON values, all of them, as the report and ``export`` give it."""
        return {"format": FORMAT, **to_json(self, whole=True)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Wrapper":
        """The wrapper of ``to_dict``, also of ``EARLIER`` formats.  Wrappers may be edited by hand:
        ``BadRules`` is raised for another format, a missing or unknown key, a value of another
        type, or what is not an XPath for elements."""
        number = data.get("format")
        if number not in (FORMAT, EARLIER):
            raise BadRules(f"format {number!r} is not {FORMAT}; learn it again")
        values = {name: value for name, value in data.items() if name != "format"}
        evidence = values.get("evidence")
        if number == EARLIER and isinstance(evidence, Mapping):
            names = evidence.keys() - {"cut", "cut_reason"}
            values["evidence"] = {name: evidence[name] for name in names}
        wrapper = from_json(cls, values)
        wrapper.check()
        return wrapper

    def check(self) -> None:
        """Raise ``BadRules`` for a value that the wrapper cannot have."""
        if self.source not in SOURCES or self.take not in TAKES:
            raise BadRules(
                f"source {self.source!r} is not one of {', '.join(SOURCES)}, or take {self.take!r}"
                f" not one of {', '.join(TAKES)}"
            )
        for name in ("keep", "drop"):
            check_xpaths(name, getattr(self, name))
        xpaths_by_field = self.fields.xpaths()
        for name, xpaths in xpaths_by_field.items():
            check_xpaths(f"fields.{name}", xpaths)

    def _repr_html_(self) -> str:  # for notebooks
        return rules_table(self.method, self.keep, self.drop, self.evidence)

    def dumps(self) -> str:
        """``to_dict`` as indented JSON; equal wrappers give the same text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def loads(cls, text: str) -> "Wrapper":
        """The wrapper of ``dumps``; raises ``BadRules``, also for a text that is not JSON."""
        return cls.from_dict(read_object(text))


def build_article(
    page: Page,
    wrapper: Wrapper,
    extract: Extract,
    fields: FieldSources | None = None,
    fetched_at: str = "",
    template_id: str = "",
    outer: Mapping[str, str] = MappingProxyType({}),
) -> Article:
    """The article of a page with the fields that the page has for it.

    ``extract``: its content, by the ``wrapper``.

    ``fields``: where the template's pages have their fields; None, or empty, for a single page,
    whose own sources are ranked.  ``template_id``: ``""`` if the template is not known.
    ``fetched_at``: ISO 8601; dates are relative to it.  ``outer``: texts of sources that are not on
    the page, such as ``http:last-modified``.  Cost: see ``read_fields``.
    """
    metadata = read_fields(page, fields, extract.content, fetched_at, outer)
    values = {}
    for name, value in vars(metadata).items():
        values[name] = to_json(value, whole=True)
    sources = {**metadata.sources, "text": _text_source(wrapper)}
    values["sources"] = dict(sorted(sources.items()))

    extract = _without_own_lines(page, wrapper, extract, metadata)
    related = find_related(page, extract.content.text_blocks)
    url = without_trackers(page.url)
    return Article(
        **values,
        url=url,
        fetched_url=page.url if url != page.url else "",
        text=extract.text,
        html=extract.html,
        is_free=read_is_free(page, extract.content),
        related=[related_article._asdict() for related_article in related],
        template_id=template_id,
        method=wrapper.method,
        xpath=extract.xpath,
        wrapper_id=wrapper.id,
        score=wrapper.evidence.score,
        fetched_at=fetched_at,
    )


#: Learned nothing: each page of its template is extracted as a single page.
NO_WRAPPER = Wrapper("none")
#: Takes the text of the page's feed entry.
ENTRY_WRAPPER = Wrapper("entry", source="entry")
#: Takes the text that the page declares for scripts, as pages do that a script fills.
DATA_WRAPPER = Wrapper("data", source="data")
#: Stands for the description that the page declares.
DESCRIPTION_WRAPPER = Wrapper("description", source="data")


def _without_own_lines(
    page: Page,
    wrapper: Wrapper,
    extract: Extract,
    metadata: Metadata,
) -> Extract:
    """The extract, without the lines at its head that repeat the article's own fields."""
    values = _own_values(metadata)
    own_lines = find_own_lines(extract.content.text_blocks, values)
    if not own_lines:
        return extract
    return wrapper.leave_out(page, extract, own_lines)


def without_bylines(page: Page, wrapper: Wrapper, extract: Extract) -> Extract:
    """The extract of a page of any kind, without the lines of authors and dates at its head.
    Cost: that of ``read_fields`` without learned fields, if the first line is short."""
    blocks = extract.content.text_blocks
    is_of_page = False
    if extract.blocks:
        tree = extract.blocks[0].getroottree()
        is_of_page = tree.getroot() is page.root
    if not is_of_page or not may_begin_with_byline(blocks):  # a copy shows what the page hides
        return extract
    metadata = read_fields(page, None, extract.content)
    bylines = find_bylines(blocks, _own_values(metadata))
    if not bylines:
        return extract
    return wrapper.leave_out(page, extract, bylines)


def _own_values(metadata: Metadata) -> OwnValues:
    sections = (*metadata.categories, *metadata.tags, *metadata.breadcrumbs)
    return OwnValues(
        title=metadata.title,
        authors=metadata.authors,
        names=(*sections, metadata.site_name),
        language=metadata.language,
    )


def _text_source(wrapper: Wrapper) -> str:
    """The kind of source of the text, as in ``Field``."""
    if wrapper.source == "entry":
        return "feed"
    if wrapper.evidence.pages > 1:
        return "template"
    return "text"


def rules_table(
    method: str,
    keep: Iterable[str],
    drop: Iterable[str],
    evidence: Evidence,
) -> str:
    """The expressions of a wrapper with the evidence for them, as HTML.

    >>> rules_table("forest", ["//p[.='<']"], (), Evidence())[-89:]
    '<td>keep</td><td><code>//p[.=&#x27;&lt;&#x27;]</code></td><td></td><td></td></tr></table>'
    """
    rows = ["<tr><th>rule</th><th>XPath</th><th>pages</th><th>confidence</th></tr>"]
    roles = [("keep", xpath) for xpath in keep]
    roles += [("drop", xpath) for xpath in drop]
    for role, xpath in roles:
        parts = (xpath, *xpath.split(" | "))
        rules = [rule for rule in evidence.rules if rule.xpath in parts]
        pages = "<br>".join(str(rule.pages) for rule in rules)
        confidence = "<br>".join(f"{rule.confidence:.2f}" for rule in rules)
        rows.append(
            f"<tr><td>{role}</td><td><code>{escape(xpath)}</code></td>"
            f"<td>{pages}</td><td>{confidence}</td></tr>"
        )
    about = f"<p>{escape(method)}, learned from {count(evidence.pages, 'page')}</p>"
    return f"{about}<table>{''.join(rows)}</table>"


def _read_blocks(
    page: Page,
    blocks: Iterable[Element],
    without: Collection[Element],
) -> dict[Element, Content]:
    """The content of each block without some elements.  What was read last is kept with the page:
    of a page that is read again, with boilerplate left out, most blocks have none."""
    left_out: dict[Element, set[Element]] = {block: set() for block in blocks}
    nearest: dict[Element, Element | None] = {}
    for element in without:
        block = nearest_of(element, left_out, nearest)
        while block is not None:
            left_out[block].add(element)
            block = nearest_of(block.getparent(), left_out, nearest)

    read_contents: dict[Element, tuple[set[Element], Content]]
    read_contents = page.notes.setdefault("contents of blocks", {})
    contents = {}
    for block, elements in left_out.items():
        if block not in read_contents or read_contents[block][0] != elements:
            content = read_content(block, elements, page.base_url, page.structures)
            read_contents[block] = (elements, content)
        contents[block] = read_contents[block][1]
    return contents


def _read_other(source: str, page: Page) -> Content:
    """The content from the page's feed entry, or from the data for its scripts."""
    if source == "data":
        return read_page_data(page.declared, page.base_url)
    text = page.entry.text if page.entry else ""
    return text_content(text)
