"""Text that articles of several templates of a host have word for word, which is boilerplate: a
request for donations, a line about the newsroom, a notice on links.

Within a template the classifier of segments knows on how many pages a text is found, and much of
that text is part of the articles: headings, commands, remarks of a series.  What stands in another
template as well is not.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from forest_scrapy.core.boilerplate.asides import learn_labels
from forest_scrapy.core.boilerplate.documents import are_document_lists, are_headings_of
from forest_scrapy.core.boilerplate.notices import (
    learn_end_boxes,
    learn_masked_notices,
    learn_notices,
)
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
MAX_TEMPLATES = 20
#: Words of the shortest text: headings and labels have fewer.  Not tuned.
_MIN_WORDS = 7
#: The share of an article's characters that another one may have, if it is another article at all
#: and not a copy, a later version or a page with whole posts.  Not tuned.
_MAX_SHARED = 0.5
#: The most headings with links to other pages in an article; a list of teasers has more.
_MAX_LINKED_HEADINGS = 2
#: Articles that have a text, those of the template and the others, from which it is repeated; two
#: are enough if both end with it, as with a request to readers.  Not tuned.
_MIN_ARTICLES = 3
#: Preformatted text: commands and programs are quoted again and again.
_CODE = frozenset(("pre", "code", "samp", "kbd", "table", "td", "th"))


@dataclass(frozen=True)
class ArticleLines:
    """The texts of the blocks of an article that have some words: their lengths by digests of 8
    bytes; ``title``: that which the page declares; ``last``: the digest of the last text, which
    may stand further up, too, or None if there is none."""

    title: str
    lengths: Mapping[bytes, int]
    last: bytes | None

    @property
    def size(self) -> int:
        return sum(self.lengths.values())


def may_repeat(options: Options) -> bool:
    """Whether ``learn_repeated`` does anything with these options."""
    can_leave_out = options.params.method in ("auto", "trained")
    return options.wants_articles and can_leave_out


def read_lines(page: Page) -> ArticleLines | None:
    """The lines of the article of a page, read as a single page; None if the page may be a list of
    articles.  Cost: 25 ms."""
    page = page.head
    learn_single = METHODS["single"]
    params = Params("single")
    wrapper = learn_single([page], params, None)
    extract = wrapper.apply(page)
    content = extract.content
    path = urlsplit(page.url).path
    is_home_page = not path.strip("/")
    if is_home_page or content.linked_headings > _MAX_LINKED_HEADINGS:
        return None
    return _describe(page, content)


def keep_documents(wrapper: Wrapper, pages: Sequence[Page]) -> Wrapper:
    """The wrapper, which no longer drops lists of documents between the paragraphs, nor the heading
    of such a list.

    ``pages``: those that it was learned from, in any order.  Only for the trained method.
    """
    if wrapper.method != "trained" or wrapper.source != "page":
        return wrapper
    elements_by_xpath: dict[str, list[Element]] = {}
    for xpath in wrapper.drop:
        elements = []
        for page in pages:
            dropped = select_elements(xpath, page.root)
            elements.extend(dropped)
        elements_by_xpath[xpath] = elements

    spared_xpaths: set[str] = set()
    lists: set[Element] = set()
    for xpath, elements in elements_by_xpath.items():
        if are_document_lists(elements):
            spared_xpaths.add(xpath)
            lists.update(elements)
    if not spared_xpaths:
        return wrapper
    for xpath, elements in elements_by_xpath.items():
        if are_headings_of(elements, lists):
            spared_xpaths.add(xpath)

    drop = tuple(xpath for xpath in wrapper.drop if xpath not in spared_xpaths)
    rules = []
    for rule in wrapper.evidence.rules:
        if rule.xpath not in spared_xpaths:
            rules.append(rule)
    evidence = replace(wrapper.evidence, rules=tuple(rules))
    known_paths = _extend_known(wrapper, drop, pages)
    return replace(wrapper, drop=drop, evidence=evidence, known=known_paths)


def _extend_known(
    wrapper: Wrapper,
    drop: tuple[str, ...],
    pages: Sequence[Page],
) -> tuple[str, ...]:
    """The known paths of a wrapper, and those of all that it finds if it drops these only."""
    if not wrapper.known:
        return ()
    sparing_wrapper = replace(wrapper, drop=drop, known=())
    known_paths = set(wrapper.known)
    paths: dict[Element, str] = {}
    levels: dict[Element, int] = {}
    for page in pages:
        extract = sparing_wrapper.apply(page)
        for block in extract.content.text_blocks:
            path = element_path(block, paths, levels)
            known_paths.add(path)
    return tuple(sorted(known_paths))


def learn_remarks(wrapper: Wrapper, pages: Sequence[Page]) -> Wrapper:
    """The wrapper, which leaves out remarks that its template has on several pages, each with a
    link to another page, and notices that several of its articles share word for word, or but for
    their own titles, authors, dates and addresses.

    ``pages``: those that it was learned from, in any order.  Only for the trained method.
    """
    if wrapper.method != "trained" or wrapper.source != "page":
        return wrapper
    extracts = [wrapper.apply(page) for page in pages]
    contents = [extract.content for extract in extracts]
    labels = learn_labels(pages, contents)
    notices = set(learn_notices(contents))
    notices.update(learn_end_boxes(extracts))
    notices.update(learn_masked_notices(pages, contents, wrapper.fields))
    return replace(wrapper, labels=labels, repeated=tuple(sorted(notices)))


def learn_repeated(
    wrapper: Wrapper,
    pages: Sequence[Page],
    other_articles: Iterable[ArticleLines | None],
    stored_texts: Collection[str] = (),
) -> Wrapper:
    """The wrapper, which leaves out what the articles of other templates have, too, if three
    articles have it, or if two end with it: two articles may quote the same words.

    ``pages``: those that it was learned from; ``other_articles``: articles of other templates of
    the host; ``stored_texts``: what stored wrappers of other templates of the host leave out as
    repeated, which one page is enough for.  Depends on no order.  Only for methods with the trained
    classifier.
    """
    read_articles = [article for article in other_articles if article]
    if not read_articles and not stored_texts:
        return wrapper
    if wrapper.method not in TRAINED_METHODS or wrapper.source != "page":
        return wrapper

    repeated = set(wrapper.repeated)
    page_counts: Counter[str] = Counter()
    sharing_articles: dict[str, set[int]] = defaultdict(set)
    for page in pages:
        extract = wrapper.apply(page)
        content = extract.content
        article = _describe(page, content)
        shared = [_shared_lines(article, other_article) for other_article in read_articles]
        texts = set(_line_texts(content))
        for text in texts:
            page_counts[text] += 1
            if text in stored_texts:
                repeated.add(text)

            digest = digest_of(text)
            for number, digests in enumerate(shared):
                if digest not in digests:
                    continue
                sharing_articles[text].add(number)
                other_article = read_articles[number]
                both_end_with_it = digest == other_article.last == article.last
                if both_end_with_it:
                    repeated.add(text)

    for text, numbers in sharing_articles.items():
        articles = page_counts[text] + len(numbers)
        if articles >= _MIN_ARTICLES:
            repeated.add(text)
    return replace(wrapper, repeated=tuple(sorted(repeated)))


def _shared_lines(a: ArticleLines, b: ArticleLines) -> set[bytes]:
    """The digests of the lines that two articles have; none if they are the same article."""
    if a.title and a.title == b.title:
        return set()
    shared = a.lengths.keys() & b.lengths.keys()
    shared_size = sum(a.lengths[digest] for digest in shared)
    smaller = min(a.size, b.size)
    if shared_size > _MAX_SHARED * smaller:
        return set()
    return shared


def _describe(page: Page, content: Content) -> ArticleLines:
    lengths: dict[bytes, int] = {}
    last: bytes | None = None
    for text in _line_texts(content):
        last = digest_of(text)
        lengths[last] = len(text)
    return ArticleLines(page.declared.title, lengths, last)


def _line_texts(content: Content) -> list[str]:
    """The texts of the blocks that have some words, without code."""
    texts = []
    for block in content.text_blocks:
        if block.tag in _CODE:
            continue
        text = line_text(block)
        words = split_words(text)
        if len(words) >= _MIN_WORDS:
            texts.append(text)
    return texts
