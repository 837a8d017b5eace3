"""Text that articles of several templates of a host have word for word, which is boilerplate: a
request for donations, a line about the newsroom, a notice on links.

Within a template the classifier of segments knows on how many pages a text is found, and much of
that text is part of the articles: headings, commands, remarks of a series.  What stands in another
template as well is not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from forest_scrapy.core.boilerplate.asides import learn_labels
from forest_scrapy.core.boilerplate.documents import are_document_lists, are_headings_of
from forest_scrapy.core.boilerplate.notices import learn_notices
from forest_scrapy.core.digests import digest_of
from forest_scrapy.core.methods import METHODS, TRAINED_METHODS
from forest_scrapy.core.options import Options, Params
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import line_text
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.wrapper import Wrapper
from forest_scrapy.core.xpaths.anchored import element_path
from forest_scrapy.core.xpaths.checking import select_elements

#: Templates of a host whose articles are looked at, the first by their keys.
MOST_TEMPLATES = 20
#: Words of the shortest text: headings and labels have fewer.  Not tuned.
_FEWEST_WORDS = 7
#: The share of an article's characters that another one may have, if it is another article at all
#: and not a copy, a later version or a page with whole posts.  Not tuned.
_MOST_SHARED = 0.5
#: The most headings with links to other pages in an article; a list of teasers has more.
_MOST_LINKED = 2
#: Preformatted text: commands and programs are quoted again and again.
_CODE = frozenset(("pre", "code", "samp", "kbd", "table", "td", "th"))


@dataclass(frozen=True)
class ArticleLines:
    """The texts of the blocks of an article that have some words: their lengths by digests of 8
    bytes; ``title``: that which the page declares."""

    title: str
    lengths: Mapping[bytes, int]

    @property
    def size(self) -> int:
        return sum(self.lengths.values())


def may_repeat(options: Options) -> bool:
    """Whether ``learn_repeated`` does anything with these options."""
    return options.wants_articles and options.params.method in ("auto", "trained")


def read_lines(page: Page) -> ArticleLines | None:
    """The lines of the article of a page, read as a single page; None if the page may be a list of
    articles.  Cost: 25 ms."""
    page = page.head
    content = METHODS["single"]([page], Params("single"), None).apply(page).content
    is_list = content.linked_headings > _MOST_LINKED or not urlsplit(page.url).path.strip("/")
    return None if is_list else _describe(page, content)


def keep_documents(wrapper: Wrapper, pages: Sequence[Page]) -> Wrapper:
    """The wrapper, which no longer drops lists of documents between the paragraphs, nor the heading
    of such a list.

    ``pages``: those that it was learned from, in any order.  Only for the trained method.
    """
    if wrapper.method != "trained" or wrapper.source != "page":
        return wrapper
    dropped = {
        xpath: [element for page in pages for element in select_elements(xpath, page.root)]
        for xpath in wrapper.drop
    }
    lists = {xpath: found for xpath, found in dropped.items() if are_document_lists(found)}
    if not lists:
        return wrapper
    elements = {element for found in lists.values() for element in found}
    spared = {xpath for xpath, found in dropped.items() if are_headings_of(found, elements)}
    spared |= lists.keys()
    drop = tuple(xpath for xpath in wrapper.drop if xpath not in spared)
    rules = tuple(rule for rule in wrapper.evidence.rules if rule.xpath not in spared)
    evidence = replace(wrapper.evidence, rules=rules)
    return replace(wrapper, drop=drop, evidence=evidence, known=_know(wrapper, drop, pages))


def _know(wrapper: Wrapper, drop: tuple[str, ...], pages: Sequence[Page]) -> tuple[str, ...]:
    """The known paths of a wrapper, and those of all that it finds if it drops these only."""
    if not wrapper.known:
        return ()
    keeping = replace(wrapper, drop=drop, known=())
    paths: dict[Element, str] = {}
    levels: dict[Element, int] = {}
    blocks = (block for page in pages for block in keeping.apply(page).content.text_blocks)
    known = {element_path(block, paths, levels) for block in blocks}
    return tuple(sorted(known.union(wrapper.known)))


def learn_remarks(wrapper: Wrapper, pages: Sequence[Page]) -> Wrapper:
    """The wrapper, which leaves out remarks that its template has on several pages, each with a
    link to another page, and notices that several of its articles share word for word.

    ``pages``: those that it was learned from, in any order.  Only for the trained method.
    """
    if wrapper.method != "trained" or wrapper.source != "page":
        return wrapper
    contents = [wrapper.apply(page).content for page in pages]
    labels = learn_labels(pages, contents)
    return replace(wrapper, labels=labels, repeated=learn_notices(contents))


def learn_repeated(
    wrapper: Wrapper, pages: Sequence[Page], others: Iterable[ArticleLines | None]
) -> Wrapper:
    """The wrapper, which leaves out what the articles of other templates have, too.

    ``pages``: those that it was learned from; ``others``: articles of other templates of the host.
    Depends on neither order.  Only for methods with the trained classifier.
    """
    known = [one for one in others if one]
    if not known or wrapper.method not in TRAINED_METHODS or wrapper.source != "page":
        return wrapper
    found: set[str] = set(wrapper.repeated)
    for page in pages:
        content = wrapper.apply(page).content
        own = _describe(page, content)
        shared = {d for one in known for d in _shared(own, one)}
        found.update(text for text in _texts(content) if _digest(text) in shared)
    return replace(wrapper, repeated=tuple(sorted(found)))


def _shared(one: ArticleLines, other: ArticleLines) -> set[bytes]:
    """The lines that two articles have; none if they are the same article."""
    shared = one.lengths.keys() & other.lengths.keys()
    size = sum(one.lengths[digest] for digest in shared)
    is_same = size > _MOST_SHARED * min(one.size, other.size) or one.title == other.title != ""
    return set() if is_same else shared


def _describe(page: Page, content: Content) -> ArticleLines:
    return ArticleLines(page.declared.title, {_digest(text): len(text) for text in _texts(content)})


def _texts(content: Content) -> Iterable[str]:
    texts = (line_text(block) for block in content.text_blocks if block.tag not in _CODE)
    return [text for text in texts if len(split_words(text)) >= _FEWEST_WORDS]


def _digest(text: str) -> bytes:
    return digest_of(text)
