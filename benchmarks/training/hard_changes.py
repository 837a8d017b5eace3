"""Changes that make an article's page hard to read, with its text still known: comments and other
articles put in, most paragraphs taken out, the text hidden by its markup.

A change gets two sources of randomness: ``shared`` gives all pages of a template the same,
``page_random`` is that of the page.  It changes the opened page, or returns None if it cannot be
made there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from benchmarks.sets.examples import Example, label_segments
from benchmarks.training.trees import CONTENT_SHARE
from forest_scrapy.core import Page
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page

#: An element of lxml, whose stubs tell those that are made from those that are parsed.
Element = Any
#: Characters of the shortest segment that shows where the text is, and the share of the text that
#: the element around it has.
MIN_PART_LENGTH = 20
MIN_BODY_SHARE = 0.9
#: Words of the shortest text.
_FEWEST_WORDS = 25
#: What comments are headed and named by.
_NAMES = (
    "comments",
    "commentlist",
    "responses",
    "reader-comments",
    "disqus_thread",
    "talkback",
    "",
)
_TITLES = ("Comments", "Responses", "What readers say", "Kommentare", "", "Discussion")


@dataclass(frozen=True)
class Opened:
    """A copy of a page that may be changed: the element around its text, and the elements of the
    text's parts, each with its own text; ``text`` is that of the whole."""

    page: Page
    body: Element
    parts: tuple[tuple[Element, str], ...]
    text: str


@dataclass(frozen=True)
class Source:
    """The pages of the template, and what may be put in: examples and threads of the same fold.
    ``gold_of``: the text of a page, by the identity of the page."""

    site: str
    pages: Sequence[SegmentedPage]
    gold_of: Mapping[int, str]
    others: Sequence[Example]
    threads: Sequence[Sequence[Element]]


Change = Callable[[Opened, Source, Random, Random], Opened | None]


def open_page(page: SegmentedPage, gold: str) -> Opened | None:
    """A copy of a page to change; None if its text is not found in it."""
    html = lxml_html.tostring(page.page.root, encoding="unicode")
    copy = segment_page(Page.from_html(html, page.page.url, page.page.entry))
    labels = label_segments(copy, gold) if gold else []
    gold_segments = []
    for segment, label in zip(copy.segments, labels, strict=bool(gold)):
        if label >= CONTENT_SHARE and len(segment.text) > MIN_PART_LENGTH:
            gold_segments.append(segment)
    if not gold_segments:
        return None

    lengths: dict[int, int] = defaultdict(int)
    for segment in gold_segments:
        for node in copy.outline.path(segment.block):
            lengths[node] += len(segment.text)
    total = sum(len(segment.text) for segment in gold_segments)
    min_length = MIN_BODY_SHARE * total
    innermost = max(node for node, length in lengths.items() if length >= min_length)

    nodes = copy.outline.nodes
    body = nodes[innermost].element
    if body.tag == "html":
        return None
    parts = tuple((nodes[segment.block].element, segment.text) for segment in gold_segments)
    return Opened(copy.page, body, parts, gold)


def close_page(opened: Opened) -> SegmentedPage:
    """The changed page, parsed again."""
    html = lxml_html.tostring(opened.page.root, encoding="unicode")
    return segment_page(Page.from_html(html, opened.page.url, opened.page.entry))


def _shorten(opened: Opened, source: Source, shared: Random, page_random: Random) -> Opened | None:
    return _cut(opened, shared.choice((30, 60, 100)))


def _cut(opened: Opened, words: int) -> Opened | None:
    """The page with the first parts of its text, about so many words of it."""
    parts: list[tuple[Element, str]] = []
    count = 0
    blocks = {id(element) for element, _ in opened.parts}
    for element, text in opened.parts:
        if count < words or any(part is element for part, _ in parts):
            parts.append((element, text))
            count += len(text.split())
        elif _may_go(element, opened.body, parts, blocks):
            _remove(element)
        else:
            return None
    if count < _FEWEST_WORDS or len(parts) == len(opened.parts):
        return None
    lines = [text for _, text in parts]
    return replace(opened, parts=tuple(parts), text="\n".join(lines))


def _may_go(
    element: Element,
    body: Element,
    parts: Sequence[tuple[Element, str]],
    blocks: set[int],
) -> bool:
    """Whether the element is a part without any other part in or around it."""
    if element is body or element.getparent() is None:
        return False
    ancestors = set(element.iterancestors())
    has_parts = any(id(descendant) in blocks for descendant in element.iterdescendants())
    is_in_part = any(part in ancestors for part, _ in parts)
    return not has_parts and not is_in_part


def _remove(element: Element) -> None:
    """Take out an element, not the text after it."""
    parent = element.getparent()
    before = element.getprevious()
    tail = element.tail or ""
    parent.remove(element)
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail


def _put_in(opened: Opened, shared: Random, new: Sequence[Element]) -> Opened:
    """Put in what is new: at the end of the body, after it, or after the element around it."""
    where = shared.choice(("in", "after", "after", "around"))
    body = opened.body
    parent = body.getparent()
    if body.tag == "body" or where == "in":
        body.extend(new)
    elif where == "around" and parent.tag not in ("body", "html"):
        _put_after(parent, new)
    else:
        _put_after(body, new)
    return opened


def _put_after(place: Element, new: Sequence[Element]) -> None:
    parent = place.getparent()
    for at, element in enumerate(new, parent.index(place) + 1):
        parent.insert(at, element)


def _add_comments(
    opened: Opened,
    source: Source,
    shared: Random,
    page_random: Random,
) -> Opened | None:
    if not source.threads:
        return None
    threads = shared.sample(source.threads, min(3, len(source.threads)))
    posts = page_random.choice(threads[:1])
    number = page_random.choice((3, 6, 12, 25, 50))
    container = etree.Element(shared.choice(("div", "ol", "ul", "section")))
    name = shared.choice(_NAMES)
    if name:
        container.set(shared.choice(("class", "id")), name)
    title = shared.choice(_TITLES)
    is_named = shared.random() < 0.5
    is_bare = shared.random() < 0.4
    if title:
        heading = etree.SubElement(container, shared.choice(("h2", "h3", "h4", "p")))
        heading.text = f"{number} {title}" if shared.random() < 0.5 else title

    start = page_random.randrange(max(1, len(posts) - 1))
    rotated = [*posts[start:], *posts[:start]]
    item_tag = "li" if container.tag in ("ol", "ul") else "div"
    for post in rotated[:number]:
        item = etree.SubElement(container, item_tag)
        if is_named and not is_bare:
            item.set("class", shared.choice(("comment", "comment-body", "reply", "post")))
        item.append(_copy_post(post, is_bare))
    return _put_in(opened, shared, [container])


def _copy_post(post: Element, is_bare: bool) -> Element:
    """A copy of a post; a bare one has no classes and ids."""
    copy = deepcopy(post)
    copy.tail = None
    if is_bare:
        for element in copy.iter(etree.Element):
            element.attrib.pop("class", None)
            element.attrib.pop("id", None)
    if copy.tag in ("tr", "tbody", "td", "li"):
        copy.tag = "div"
    return copy


def _shorten_with_comments(
    opened: Opened,
    source: Source,
    shared: Random,
    page_random: Random,
) -> Opened | None:
    if not source.threads:
        return None
    short = _cut(opened, shared.choice((40, 80, 150)))
    if short is None:
        return None
    return _add_comments(short, source, shared, page_random)


def _add_next(opened: Opened, source: Source, shared: Random, page_random: Random) -> Opened | None:
    """Other articles of the template after the page's own, with and without an element around
    them."""
    wrapper = shared.choice(("article", "div", ""))
    heading = shared.choice(("h1", "h2", "h2"))
    is_linked = shared.random() < 0.5
    count = shared.choice((1, 1, 2, 4))
    pool = [page for page in source.pages if page.page.url != opened.page.url]
    new: list[Element] = []
    for page in page_random.sample(pool, min(count, len(pool))):
        neighbour = open_page(page, source.gold_of.get(id(page), ""))
        if neighbour is None:
            continue
        if neighbour.body.tag == "body":
            return None
        title = _make_heading(heading, page.page, is_linked)
        article = deepcopy(neighbour.body)
        article.tail = None
        if wrapper:
            container = etree.Element(wrapper)
            container.extend([title, article])
            new.append(container)
        else:
            new += [title, article]
    return _put_in(opened, shared, new) if new else None


def _make_heading(tag: str, page: Page, is_linked: bool) -> Element:
    heading = etree.Element(tag)
    title = etree.SubElement(heading, "a", href=page.url) if is_linked else heading
    title.text = page.declared.title or "More"
    return heading


def _add_gallery(
    opened: Opened,
    source: Source,
    shared: Random,
    page_random: Random,
) -> Opened | None:
    """A gallery of the section, the same on all pages of the template."""
    teasers = []
    for example in shared.sample(source.others, min(12, len(source.others))):
        lines = [line for line in example.gold.splitlines() if len(line) > 40]
        if lines:
            teasers.append((example.page.page.declared.title or "In pictures", lines[0][:300]))
    if len(teasers) < 4:
        return None
    box = _make_gallery(teasers, shared)
    where = shared.choice(("before", "in", "after"))
    body = opened.body
    parent = body.getparent()
    if where == "before" and parent is not None and body.tag != "body":
        parent.insert(parent.index(body), box)
    elif where == "in":
        body.insert(min(len(body), shared.choice((0, 1, 2))), box)
    else:
        return _put_in(opened, shared, [box])
    return opened


def _make_gallery(teasers: Sequence[tuple[str, str]], shared: Random) -> Element:
    box = etree.Element("div")
    if shared.random() < 0.6:
        names = ("gallery", "slideshow", "pictures", "carousel", "media")
        box.set("class", shared.choice(names))
    heading = etree.SubElement(box, shared.choice(("h2", "h3", "div")))
    titles = ("In pictures", "Show all", "Gallery", "Bilder", "More photos")
    heading.text = shared.choice(titles)
    is_list = shared.choice(("ul", "div", "p")) == "ul"
    around = etree.SubElement(box, "ul" if is_list else "div")
    is_linked = shared.random() < 0.5
    for number, (title, text) in enumerate(teasers, 1):
        item = etree.SubElement(around, "li" if is_list else "div")
        etree.SubElement(item, "img", src=f"/{number}.jpg")
        if shared.random() < 0.5:
            etree.SubElement(item, "span").text = f"{number}/{len(teasers)}"
        caption = etree.SubElement(item, shared.choice(("h4", "strong", "p")))
        if is_linked:
            caption = etree.SubElement(caption, "a", href=f"/{number}.html")
        caption.text = title
        etree.SubElement(item, "p").text = text
    return box


def _hide(opened: Opened, source: Source, shared: Random, page_random: Random) -> Opened | None:
    """The text hidden by its markup, with a part of it shown instead."""
    body = opened.body
    parent = body.getparent()
    if body.tag in ("body", "td", "tr") or parent is None:
        return None
    name, value = shared.choice(
        (("hidden", ""), ("style", "display:none"), ("aria-hidden", "true"))
    )
    body.set(name, value)
    teaser = etree.Element("div", {"class": shared.choice(("paywall", "teaser", "preview"))})
    etree.SubElement(teaser, "p").text = opened.parts[0][1][:200]
    etree.SubElement(teaser, "p").text = shared.choice(
        (
            "Subscribe to read on.",
            "This article is for subscribers.",
            "Jetzt weiterlesen mit einem Abo.",
            "Log in to continue.",
        )
    )
    parent.insert(parent.index(body), teaser)
    return opened


def _add_notice(
    opened: Opened,
    source: Source,
    shared: Random,
    page_random: Random,
) -> Opened | None:
    """A box within the text, the same on all pages of the template."""
    if len(opened.parts) < 4:
        return None
    example = shared.choice(source.others)
    lines = [line for line in example.gold.splitlines() if 60 < len(line) < 600]
    if len(lines) < 2 or example.site == source.site:
        return None
    lines = lines[: shared.choice((1, 2, 3))]
    box = etree.Element(shared.choice(("div", "aside", "section", "div")))
    if shared.random() < 0.5:
        box.set("class", shared.choice(("box", "support", "promo", "newsletter", "inset")))
    if shared.random() < 0.6:
        title = etree.SubElement(box, shared.choice(("h3", "strong", "p")))
        titles = ("Support us", "Stay informed", "Before you go", "A note to our readers")
        title.text = shared.choice(titles)
    for line in lines:
        etree.SubElement(box, "p").text = line
    place = opened.parts[len(opened.parts) // 2][0]
    while place.getparent() is not None and place.getparent() is not opened.body:
        place = place.getparent()
    if place.getparent() is None:
        return None
    _put_after(place, [box])
    return opened


#: The changes by name.
CHANGES: Mapping[str, Change] = {
    "short": _shorten,
    "comments": _add_comments,
    "short comments": _shorten_with_comments,
    "next article": _add_next,
    "gallery": _add_gallery,
    "hidden": _hide,
    "notice": _add_notice,
}
