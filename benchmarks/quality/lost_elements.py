"""Count the elements that stand between the text of an article and are not in it.

    python -m benchmarks.quality.lost_elements SET [SET ...] [--single] [--folds 5] [--sites 200]
        [--worst 10] [--lost] [--json]

Wrappers are learned and applied as in a crawl; with ``--single`` each page is read by itself.  Of
each article that is taken from elements of its page, those elements count that come after its first
kept block of text and before its last one, in the order of the document:

- ``image``: pictures that are no icons, pixels or avatars;
- ``video``: videos, audio and the frames that play one;
- ``list``, ``code``, ``table``, ``heading``, ``quote``: lists (also of definitions), preformatted
  text, tables with two rows, headings, quotations, if most of their word 2-grams are in the correct
  text.

Elements in what looks like boilerplate do not count: without kept text in it, and most of its text
in links, or a ``nav``, ``aside`` or form, or with a class or id such as ``share``.  Nor do pictures
and videos that several pages of the site have, nor the inner ones of elements of the same kind.

An image or video is kept if its URL is in ``html``, ``images``, ``videos`` or ``audios``, or if it
shows a formula that is in the text; any other element if half of its text is in kept blocks.  The
numbers of lines of code do not count.  Printed: for each kind how many there are and how
many are lost; the sites that lose most; with ``--lost`` each lost element.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from benchmarks.quality.comparison import ClassifierOf
from benchmarks.sets.bench_set import run_command, set_name
from benchmarks.sets.examples import read_training_data
from benchmarks.sets.placed_pages import PlacedPage, Site, read_sites
from benchmarks.sets.scores import find_words
from benchmarks.training.folds import train_folds
from forest_scrapy.core import Page, Params, learn
from forest_scrapy.core.article_text import find_article
from forest_scrapy.core.page.embeds import find_media
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Extract
from forest_scrapy.core.page.pictures import image_url
from forest_scrapy.core.page.structures.formulas import Formula, latex_line
from forest_scrapy.core.page.tree import HEADINGS, Element, class_and_id
from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import NO_WRAPPER

#: The elements of each kind, the media and the texts.
MEDIA_TAGS = {
    "image": frozenset(("img", "amp-img")),
    "video": frozenset(("video", "audio", "iframe", "embed", "lite-youtube")),
}
TEXT_TAGS = {
    "list": frozenset(("ul", "ol", "dl")),
    "code": frozenset(("pre",)),
    "table": frozenset(("table",)),
    "heading": HEADINGS,
    "quote": frozenset(("blockquote",)),
}
KINDS = (*MEDIA_TAGS, *TEXT_TAGS)
_MEDIA_KINDS = {tag: kind for kind, tags in MEDIA_TAGS.items() for tag in tags}
_TEXT_KINDS = {tag: kind for kind, tags in TEXT_TAGS.items() for tag in tags}
#: The share of an element's word 2-grams in the correct text from which it is part of the article,
#: and the share of its text in kept blocks from which it is kept.
MIN_GOLD_SHARE = 0.6
MIN_KEPT_SHARE = 0.5
#: The share of text in links from which a block is boilerplate.
MAX_LINKED_SHARE = 0.5
#: Pages of a site with the same picture from which it belongs to the site.
MIN_SITE_PAGES = 3
#: The width and height of the largest icon.
ICON_SIZE = 64

_BOILERPLATE_TAGS = frozenset(("nav", "aside", "form", "footer", "button"))
_BOILERPLATE_NAMES = re.compile(
    r"share|sharing|social|newsletter|subscri|sign-?up|related|recommend|popular|most-?read|promo|"
    r"advert|sponsor|banner|sidebar|widget|menu|breadcrumb|comment|respond|author|byline|avatar|"
    r"\bbio\b|entry-meta|post-meta|\btags?\b|pagination|rating|cookie|donat|\bads?\b|jp-post",
    re.IGNORECASE,
)
_LINE_NUMBERS = re.compile(r"\d+(?: \d+)*")
_ICON_NAMES = re.compile(r"emoji|icon|avatar|gravatar|pixel|smiley|wp-smiley|spacer", re.IGNORECASE)
_IMAGE_ATTRIBUTES = ("src", "data-src", "data-lazy-src", "data-original", "data-orig-file")
_SETS = ("srcset", "data-srcset")


@dataclass(frozen=True)
class FoundElement:
    """An element between kept text: its kind, whether it is kept, and what it shows."""

    kind: str
    is_kept: bool
    text: str


def find_elements(
    page: Page,
    extract: Extract,
    gold: str,
    site_urls: frozenset[str] = frozenset(),
) -> list[FoundElement]:
    """The elements between the kept text of a page; none if the text is not from its elements.

    ``site_urls``: of the pictures and videos that belong to the site.
    """
    outline = page.outline
    kept_nodes = set(outline.indices(extract.content.text_blocks))
    if len(kept_nodes) < 2:
        return []
    reader = _PageReader(page, extract, gold, kept_nodes)
    return [*reader.find_media_elements(site_urls), *reader.find_text_elements()]


class _PageReader:
    """Looks for elements between the first and the last kept block of a page."""

    def __init__(self, page: Page, extract: Extract, gold: str, kept_nodes: set[int]) -> None:
        self.page = page
        self.outline: Outline = page.outline
        self.kept_nodes = kept_nodes
        self.first = min(kept_nodes)
        self.last = max(kept_nodes)
        words = find_words(gold)
        self.gold_pairs = set(pairwise(words))
        content = extract.content
        self.text = extract.text
        urls = [image.url for image in content.images]
        urls += [media.url for media in content.media]
        self.shown_urls = "\n".join([extract.html.replace("&amp;", "&"), *urls])
        is_kept = [node in kept_nodes for node in range(len(self.outline.nodes))]
        #: For each node whether kept text is in or below it.
        self.has_kept = list(is_kept)
        for i in range(len(self.outline.nodes) - 1, 0, -1):
            parent = self.outline.nodes[i].parent
            self.has_kept[parent] = self.has_kept[parent] or self.has_kept[i]
        self.in_boilerplate = self.outline.inherit(False, self._is_in_boilerplate)

    def _is_in_boilerplate(self, is_above: bool, node: Any) -> bool:
        index = self.outline.indices([node.element])[0]
        if is_above or self.has_kept[index]:
            return is_above
        names = class_and_id(node.element)
        is_named = _BOILERPLATE_NAMES.search(names) is not None
        return is_named or node.tag in _BOILERPLATE_TAGS or self._is_linked(index)

    def _is_linked(self, index: int) -> bool:
        """Whether most of the text below a node is in links, and there is some."""
        node = self.outline.nodes[index]
        in_link = self.outline.inside(("a",))
        total = 0
        linked = 0
        for leaf in self.outline.leaves[node.first : node.last]:
            length = len(leaf.text)
            total += length
            if in_link[leaf.node]:
                linked += length
        return linked > MAX_LINKED_SHARE * total

    def find_media_elements(self, site_urls: frozenset[str]) -> Iterator[FoundElement]:
        for element, kind, around in self._media_between():
            urls = media_urls(element, kind, self.page.base_url)
            if not urls or urls & site_urls or self.in_boilerplate[around]:
                continue
            is_kept = any(url in self.shown_urls for url in urls)
            yield FoundElement(kind, is_kept or self._is_kept_formula(element), min(urls))

    def _is_kept_formula(self, element: Element) -> bool:
        """Whether a picture shows a formula that the article has as text."""
        formula = self.page.structures.by_element.get(element)
        return isinstance(formula, Formula) and latex_line(formula.latex) in self.text

    def _media_between(self) -> Iterator[tuple[Element, str, int]]:
        """The pictures and videos between kept text, with their kind and the node around them.
        Frames and videos are not in the outline."""
        first = self.outline.nodes[self.first].element
        last = self.outline.nodes[self.last].element
        is_between = False
        seen: set[Element] = set()
        for element in self.page.root.iter("*"):
            if element is first:
                is_between = True
            if element is last:
                return
            kind = _MEDIA_KINDS.get(str(element.tag))
            if not is_between or kind is None or element in seen:
                continue
            seen.update(element.iter())  # the sources of a picture or a video
            around = self._node_around(element)
            if around is not None and _is_shown(element, self.outline):
                yield element, kind, around

    def _node_around(self, element: Element) -> int | None:
        """The nearest node of the outline that contains an element."""
        for ancestor in element.iterancestors():
            indices = self.outline.indices([ancestor])
            if indices:
                return indices[0]
        return None

    def find_text_elements(self) -> Iterator[FoundElement]:
        #: By kind, where the last element ends: the inner ones of the same kind do not count.
        ends = dict.fromkeys(TEXT_TAGS, -1)
        for index in range(self.first + 1, self.last):
            node = self.outline.nodes[index]
            kind = _TEXT_KINDS.get(node.tag)
            if kind is None or index < ends[kind]:
                continue
            if self.in_boilerplate[index]:
                continue
            ends[kind] = self.outline.ends[index]
            if self.last < ends[kind]:
                continue
            if kind == "table" and _is_layout_table(node.element):
                continue
            if not self._is_in_gold(index):
                continue
            text = self.outline.line(index)
            if kind == "code" and _LINE_NUMBERS.fullmatch(text):
                continue
            yield FoundElement(kind, self._is_text_kept(index), text[:80])

    def _is_in_gold(self, index: int) -> bool:
        words = find_words(self.outline.line(index))
        pairs = set(pairwise(words))
        if not pairs:
            return False
        gold_pairs = pairs & self.gold_pairs
        return len(gold_pairs) >= MIN_GOLD_SHARE * len(pairs)

    def _is_text_kept(self, index: int) -> bool:
        node = self.outline.nodes[index]
        total = 0
        kept_length = 0
        for leaf in self.outline.leaves[node.first : node.last]:
            length = len(leaf.text)
            total += length
            block = self.outline.blocks[leaf.node]
            if block in self.kept_nodes:
                kept_length += length
        return kept_length >= MIN_KEPT_SHARE * total


def _is_layout_table(table: Element) -> bool:
    """Whether it has less than two rows."""
    rows = list(islice(table.iter("tr"), 2))
    return len(rows) < 2


def _is_shown(element: Element, outline: Outline) -> bool:
    """Whether the element, or the nearest one around it that is no figure or frame, is in the
    outline."""
    parent = element.getparent()
    while parent is not None and parent.tag in ("picture", "noscript", "amp-img", "video"):
        parent = parent.getparent()
    return parent is not None and bool(outline.indices([parent]))


def media_urls(element: Element, kind: str, base: str) -> frozenset[str]:
    """The URLs that an article may have for an image or a video; none for icons, pixels, and what
    has no URL.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> owl = parse_html("<img src=/owl.png data-src=/large.png>").find(".//img")
    >>> sorted(media_urls(owl, "image", "https://a.example/"))
    ['https://a.example/large.png', 'https://a.example/owl.png']
    """
    if kind == "video":
        return frozenset(media.url for media in find_media(element, base))
    if element.tag == "img" and not image_url(element, base):
        return frozenset()
    if _is_small(element):
        return frozenset()
    names = f"{class_and_id(element)} {element.get('src') or ''}"
    if _ICON_NAMES.search(names):
        return frozenset()

    texts = [element.get(name) or "" for name in _IMAGE_ATTRIBUTES]
    for name in _SETS:
        sources = element.get(name) or ""
        for source in sources.split(", "):
            texts += source.split()[:1]  # without its width

    urls = set()
    for text in texts:
        if not text.strip():
            continue
        url = absolute_url(text, base)
        if url.startswith("http"):
            urls.add(url)
    return frozenset(urls)


def _is_small(element: Element) -> bool:
    """Whether one of its sides is at most that of an icon."""
    for side in ("width", "height"):
        size = (element.get(side) or "").removesuffix("px")
        if size.isdecimal() and int(size[:6]) <= ICON_SIZE:
            return True
    return False


def find_site_urls(pages: Sequence[Page]) -> frozenset[str]:
    """The URLs of pictures and videos that are on several of the pages."""
    counts: Counter[str] = Counter()
    for page in pages:
        on_page: set[str] = set()
        for kind, tags in MEDIA_TAGS.items():
            for element in page.root.iter(*tags):
                on_page |= media_urls(element, kind, page.base_url)
        counts.update(on_page)
    return frozenset(url for url, number in counts.items() if number >= MIN_SITE_PAGES)


#: How a site's page is read: the text of its article.
ReadPage = Callable[[PlacedPage], Extract]


def read_by_template(
    template: Sequence[PlacedPage],
    is_single: bool,
    classifier: Classifier | None,
) -> ReadPage:
    """Reads the pages of a template as a crawl does, or each by itself."""
    params = Params("single" if is_single else "auto")
    wrapper = NO_WRAPPER
    if not is_single:
        pages = [placed.page for placed in template]
        wrapper = learn(pages, params, classifier)

    def read_page(placed: PlacedPage) -> Extract:
        text = find_article(
            placed.page,
            wrapper,
            params,
            placed.is_article,
            classifier,
        )
        if text.is_several:
            return Extract()
        return text.extract

    return read_page


def read_site_elements(
    site: Site,
    is_single: bool = False,
    classifier: Classifier | None = None,
) -> list[FoundElement]:
    """The elements between the kept texts of a site's scored pages."""
    gold_of = {page.url: page.gold for page in site.scored}
    elements: list[FoundElement] = []
    for template in site.templates:
        scored = [placed for placed in template if placed.page.url in gold_of]
        if not scored:
            continue
        read_page = read_by_template(template, is_single, classifier)
        site_urls = find_site_urls([placed.page for placed in template])
        for placed in scored:
            gold = gold_of[placed.page.url]
            elements += find_elements(placed.page, read_page(placed), gold, site_urls)
    return elements


def summarize(elements_by_site: Mapping[str, Sequence[FoundElement]], worst: int) -> dict[str, Any]:
    """For each kind the number of elements and of those lost, and the sites that lose most."""
    totals: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    lost_of: dict[str, Counter[str]] = defaultdict(Counter)
    for site, elements in elements_by_site.items():
        for element in elements:
            totals[element.kind] += 1
            if not element.is_kept:
                lost[element.kind] += 1
                lost_of[site][element.kind] += 1
    ranked = sorted(lost_of, key=lambda site: (-lost_of[site].total(), site))
    worst_sites = []
    for site in ranked[:worst]:
        row = {
            "site": site,
            "elements": len(elements_by_site[site]),
            "lost": dict(lost_of[site]),
        }
        worst_sites.append(row)
    kinds = {}
    for kind in KINDS:
        kinds[kind] = {"total": totals[kind], "lost": lost[kind]}
    return {"kinds": kinds, "worst_sites": worst_sites}


def print_summary(name: str, report: Mapping[str, Any]) -> None:
    print(f"{name}: elements between kept text")
    for kind, row in report["kinds"].items():
        share = row["lost"] / row["total"] if row["total"] else 0.0
        print(f"  {kind:8s} {row['lost']:5d} of {row['total']:5d} lost {share:7.1%}")
    for row in report["worst_sites"]:
        parts = ", ".join(f"{kind} {number}" for kind, number in sorted(row["lost"].items()))
        total = sum(row["lost"].values())
        print(f"  {row['site']:40.40s} {total:4d} of {row['elements']:4d} lost: {parts}")


def print_lost(elements_by_site: Mapping[str, Sequence[FoundElement]]) -> None:
    for site, elements in elements_by_site.items():
        for element in elements:
            if not element.is_kept:
                print(f"  {site} {element.kind}: {element.text}")


def choose_classifiers(folder: str, folds: int) -> ClassifierOf:
    """The classifier that ships (None), or for each site one trained without it."""
    if not folds:
        return lambda site: None
    return train_folds(read_training_data([folder]), folds)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="SET", help="folders with a manifest.json")
    parser.add_argument("--single", action="store_true", help="read each page by itself")
    parser.add_argument("--folds", type=int, default=0, help="train without the site, in N folds")
    parser.add_argument("--sites", type=int, default=None, help="read only the first N sites")
    parser.add_argument("--worst", type=int, default=10, help="number of worst sites printed")
    parser.add_argument("--lost", action="store_true", help="print each lost element")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.folds < 0 or options.folds == 1:
        parser.error("--folds must be 2 or more")
    report = {}
    for folder in options.sets:
        classifier_of = choose_classifiers(folder, options.folds)
        elements_by_site = {}
        for site in islice(read_sites(folder), options.sites):
            elements_by_site[site.name] = read_site_elements(
                site, options.single, classifier_of(site.name)
            )
        name = set_name(folder)
        report[name] = summarize(elements_by_site, options.worst)
        if options.json:
            continue
        print_summary(name, report[name])
        if options.lost:
            print_lost(elements_by_site)
    if options.json:
        print(json.dumps(report))


if __name__ == "__main__":
    run_command(main)
