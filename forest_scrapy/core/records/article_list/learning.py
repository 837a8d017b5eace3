"""``learn_article_list``: the rules for the list of articles of a page."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from forest_scrapy.core.boilerplate.wordings import Wordings, plain
from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.page.noscript import show_content
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.core.records.article_list.article_links import (
    ArticleLink,
    ArticleLinks,
    url_form,
)
from forest_scrapy.core.records.article_list.places import learn_places
from forest_scrapy.core.records.article_list.rules import ArticleListRules
from forest_scrapy.core.records.regions.groups import (
    RecordKey,
    TokenKey,
    find_visible,
    token_keys,
    write_key,
    write_key_xpath,
)
from forest_scrapy.core.xpaths.anchored import anchored_paths
from forest_scrapy.core.xpaths.checking import select_elements

# Set by hand, looking at the home pages of feeds-dev.
#: Articles of the shortest list, unless the page has no longer one.
MIN_ARTICLES = 3
#: Lists of a page that are joined, at most; the share of the elements of a further one that must
#: be items; the value that its articles have at least, and as a share of those of the first one
#: if their URLs are of another form.
MAX_LISTS = 6
MIN_ITEM_SHARE = 0.8
MIN_VALUE = 8.0
MIN_SHARE_OF_MEAN = 0.6
#: The value that the articles of a page have at least, in the mean: links of a menu have less than
#: 1, and titles of three words more than 2.
MIN_MEAN_VALUE = 1.5
#: Headings of what is read most.
_LABELS_OF_READERS = Wordings(r"""
    (most|now) (read|popular|viewed|shared|commented)( (articles|stories|posts|news))?
    (popular|trending|top)( (articles|stories|posts|news|now|today|this week))?
    what's (hot|trending|popular)
    (am )?(meist|häufig )(gelesen|geklickt|kommentiert)(e artikel)?
    beliebt(e (artikel|beiträge))?
    die beliebtesten( (artikel|beiträge))?
    (les )?(articles )?(les )?plus (lus|populaires|consultés|partagés)
    (lo )?más (leído|visto|popular)s?
    (le|i|gli) (articoli )?più lett[ie]
    (as )?mais (lidas|lidos|populares|vistas)
    (meest|best) gelezen
    mest (läst|lest|læst|lästa|leste|læste|populära)
    luetuimmat
    najczęściej czytane
    najpopularniejsze
    nejčtenější
    legolvasottabb
    en çok okunan(lar)?
    (самое )?(популярное|читаемое)
    (アクセス|人気)(ランキング|記事)
    (热门|最热|熱門)(文章|新闻|新聞)?
""")
_LABEL_ENDS = " \t:.!»\u203a"
#: Candidates that are looked at for further lists.
MAX_CANDIDATES = 300
#: Items of a list whose fields are learned from.
MAX_EXAMPLES = 100
_LEVEL_TEST = re.compile(r"\[count\(ancestor::\*\)=[0-9]+\]")
_MISSING_TEST = re.compile(r"\[not\((?:normalize-space\(@[\w-]+\)|@[\w-]+| or )+\)\]")


class NoArticleList(ForestError):
    """A page has no list of articles; the message names the page."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"{url}: no list of articles is found; name a page that links several articles of its"
            " own site, with their titles"
        )
        self.url = url


@dataclass(frozen=True)
class Candidate:
    """Elements with the same key, the items in them (None: an element without one), and their
    value as a list.  ``is_innermost``: elements around others of them are left out."""

    key: RecordKey
    nodes: tuple[int, ...]
    items: tuple[ArticleLink | None, ...]
    value: float
    is_innermost: bool = False

    @property
    def is_lasting(self) -> bool:
        """Whether the key is likely that of other articles, too: the id of one is its own."""
        if len(self.nodes) >= MIN_ARTICLES:
            return True
        return isinstance(self.key, TokenKey) and self.key.name in ("", "class")

    @property
    def articles(self) -> dict[str, ArticleLink]:
        """The first item of each article, by its key."""
        articles: dict[str, ArticleLink] = {}
        for item in self.items:
            if item is not None:
                articles.setdefault(item.key, item)
        return articles


def learn_article_list(page: Page) -> ArticleListRules:
    """The rules for the articles that a page lists.

    Raises ``NoArticleList``.  Cost: some 0.1 s for a page of 3,000 elements; linear in their
    number, times the tokens of their attributes.
    """
    page = show_content(page)
    links = ArticleLinks(page)
    candidates = find_candidates(links)
    chosen = choose_lists(links, candidates)
    if not chosen or is_menu(chosen):
        raise NoArticleList(page.url)
    expressions = []
    lists = []
    for candidate in chosen:
        expressions.append(_write_items(links, candidate))
        pairs = zip(candidate.nodes, candidate.items, strict=True)
        examples = [(node, item) for node, item in pairs if item is not None]
        lists.append(examples[:MAX_EXAMPLES])
    places = learn_places(links, lists)
    if not places["link"] or not places["title"]:
        raise NoArticleList(page.url)
    return ArticleListRules(
        items=" | ".join(expressions),
        url=page.url,
        name=page.declared.title or host_of(page.url),
        **places,
    )


def find_candidates(links: ArticleLinks) -> list[Candidate]:
    """The candidates for lists that link an article, the best ones first.

    Ties: the one with more elements, then the outer ones, then the key's text.
    """
    outline = links.outline
    nodes_by_key: defaultdict[RecordKey, list[int]] = defaultdict(list)
    for node, key in _find_keys(links):
        nodes_by_key[key].append(node)
    candidates = []
    for key, nodes in nodes_by_key.items():
        is_nested = len(outline.outermost(nodes)) < len(nodes)
        if is_nested and not isinstance(key, TokenKey):
            continue
        if is_nested:
            nodes = _innermost(outline, nodes)
        items = tuple(links.item_at(node) for node in nodes)
        value = _value_list(items)
        if value > 0:
            candidates.append(Candidate(key, tuple(nodes), items, value, is_nested))
    return sorted(candidates, key=_order)


def _innermost(outline: Outline, nodes: Sequence[int]) -> list[int]:
    """The nodes without another one of them inside; they are in document order."""
    innermost = []
    for node, following in zip_longest(nodes, nodes[1:]):
        if following is None or following >= outline.ends[node]:
            innermost.append(node)
    return innermost


def _find_keys(links: ArticleLinks) -> Iterator[tuple[int, RecordKey]]:
    """The visible nodes with links to articles, and their keys."""
    outline = links.outline
    paths = anchored_paths(outline)
    is_visible = find_visible(outline)
    for index, node in enumerate(outline.nodes):
        if node.tag == "body" or not is_visible[index]:
            continue
        for key in token_keys(node.element):
            yield index, key
        yield index, paths[index]


def _order(candidate: Candidate) -> tuple[float, int, int, str]:
    value = round(candidate.value, 2)
    return -value, -len(candidate.nodes), candidate.nodes[0], write_key(candidate.key)


def _value_list(items: Sequence[ArticleLink | None]) -> float:
    """The sum of the values of the items, times the share of the elements that it is divided
    among: a list with menus besides the articles has less than one with articles only."""
    keys: set[str] = set()
    values = []
    for item in items:
        is_new = item is not None and item.key not in keys
        values.append(item.value if item is not None and is_new else 0.0)
        if item is not None:
            keys.add(item.key)
    squares = sum(value * value for value in values)
    if not squares:
        return 0.0
    return sum(values) ** 3 / (squares * len(values))


def choose_lists(links: ArticleLinks, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best candidate, and those that add articles like its own, in the order of the page; what
    is read most is none of them if it has less than these, such as no dates and images."""
    outline = links.outline
    long_lists = [c for c in candidates if len(c.articles) >= MIN_ARTICLES]
    if not candidates:
        return []
    first = long_lists[0] if long_lists else candidates[0]
    chosen = [first]
    chosen_nodes = list(first.nodes)
    keys = set(first.articles)
    forms = {url_form(item.url) for item in first.articles.values()}
    mean = _mean_value(first)
    while len(chosen) < MAX_LISTS:
        best = None
        best_value = 0.0
        for candidate in candidates[:MAX_CANDIDATES]:
            if not candidate.is_lasting:
                continue
            value = _value_added(candidate, keys, forms, mean)
            if value <= best_value or _overlaps(outline, candidate, chosen_nodes):
                continue
            has_less = _mean_value(candidate) < MIN_SHARE_OF_MEAN * mean
            if has_less and is_of_readers(links, candidate):
                continue
            best = candidate
            best_value = value
        if best is None:
            break
        chosen.append(best)
        chosen_nodes = sorted((*chosen_nodes, *best.nodes))
        keys |= best.articles.keys()
    return sorted(chosen, key=lambda candidate: candidate.nodes[0])


def _mean_value(candidate: Candidate) -> float:
    articles = candidate.articles.values()
    return sum(item.value for item in articles) / len(articles)


def is_menu(chosen: Sequence[Candidate]) -> bool:
    """Whether the best lists of a page have short links only, without headings, dates and images:
    a page without a list has its menu."""
    values = []
    for candidate in chosen:
        values += [item.value for item in candidate.articles.values()]
    return sum(values) < MIN_MEAN_VALUE * len(values)


def is_of_readers(links: ArticleLinks, candidate: Candidate) -> bool:
    """Whether the elements of a candidate are below a heading that says that readers choose them:
    what is read most is not new, and may come again each day."""
    outline = links.outline
    first_node = candidate.nodes[0]
    headings = []
    before = links.heading_before(first_node)
    if before >= 0:
        around = outline.nodes[before].parent
        if around >= 0 and candidate.nodes[-1] < outline.ends[around]:
            headings.append(before)
    inside = links.first_heading_in(first_node)
    if inside >= 0 and len(candidate.nodes) < MIN_ARTICLES:
        headings.append(inside)
    for heading in headings:
        label = plain(outline.line(heading)).strip(_LABEL_ENDS)
        if _LABELS_OF_READERS.fullmatch(label):
            return True
    return False


def _value_added(
    candidate: Candidate,
    keys: Collection[str],
    forms: Collection[tuple[str, ...]],
    mean: float,
) -> float:
    """The value of the articles of a candidate that are new; 0 if some of its elements are none,
    or have too little value; they need more if they are few, or have URLs of another form."""
    articles = 0
    added = 0.0
    is_short = len(candidate.nodes) < MIN_ARTICLES
    for item in candidate.items:
        if item is None:
            continue
        min_value = MIN_VALUE
        if is_short or url_form(item.url) not in forms:
            min_value = max(MIN_VALUE, MIN_SHARE_OF_MEAN * mean)
        if item.value >= min_value:
            articles += 1
            if item.key not in keys:
                added += item.value
    share = articles / len(candidate.items)
    return added * share if share >= MIN_ITEM_SHARE else 0.0


def _overlaps(
    outline: Outline,
    candidate: Candidate,
    chosen: Sequence[int],
) -> bool:
    """Whether some elements of a candidate are inside chosen ones, or around them: links in the
    text of an article are none of the list.  ``chosen``: in document order."""
    for node in candidate.nodes:
        at = bisect_right(chosen, node)
        if at and node < outline.ends[chosen[at - 1]]:
            return True
        if at < len(chosen) and chosen[at] < outline.ends[node]:
            return True
    return False


def _write_items(links: ArticleLinks, candidate: Candidate) -> str:
    """The expression for the elements of a candidate, without tests that it does not need here:
    of their level in the tree, which an advert above the list may change, and of attributes that
    they do not have."""
    elements = [links.outline.nodes[node].element for node in candidate.nodes]
    xpath = write_key_xpath(candidate.key, elements)
    if candidate.is_innermost:
        return f"{xpath}[not(descendant::{xpath.removeprefix('//')})]"
    if isinstance(candidate.key, TokenKey):
        return xpath
    expected = select_elements(xpath, links.page.root)
    for test in (_LEVEL_TEST, _MISSING_TEST):
        shorter = test.sub("", xpath)
        if select_elements(shorter, links.page.root) == expected:
            xpath = shorter
    return xpath
