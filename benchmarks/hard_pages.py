"""Hard pages that are made from pages with known text: what is rare in sets of recorded pages, and
costs most where it occurs.

Each kind changes a page and its siblings in the same way, with their own content.  What is put in
comes from sites of the same fold, so that folds stay folds.  The same examples give the same pages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from random import Random

from lxml import etree
from lxml import html as lxml_html

from benchmarks.bench_set import load_groups
from benchmarks.examples import Example, label_segments
from benchmarks.folds import fold_of
from benchmarks.trees import CONTENT_SHARE
from forest_scrapy.core import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.records import learn_records
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page

#: The kinds, with the share of examples that each is made from.
KINDS = {
    "short": 0.15, "comments": 0.25, "short comments": 0.35, "next article": 0.2,
    "gallery": 0.15, "hidden": 0.1, "notice": 0.15,
}  # fmt: skip


@dataclass(frozen=True)
class _Own:
    """A copy of a page that may be changed: its root, the gold blocks and the body around them."""

    page: Page
    root: Element
    body: Element
    gold: list[tuple[Element, str]]
    whole: str


def make_hard_pages(
    examples: Sequence[Example], threads: Sequence[str], folds: int
) -> list[tuple[str, Example]]:
    """The made pages with their kinds.  ``threads``: sets of threads, whose posts become
    comments."""
    posts = _read_posts(threads, folds)
    gold_of = {id(e.page): e.gold for e in examples}
    by_fold: dict[int, list[Example]] = defaultdict(list)
    for e in examples:
        by_fold[fold_of(e.site, folds)].append(e)
    made = []
    for e in examples:
        fold = fold_of(e.site, folds)
        for kind, share in KINDS.items():
            random = Random(f"{kind} {e.page.page.url}")
            if random.random() >= share:
                continue
            # what all siblings share: the page with the first url decides
            first = min(p.page.url for p in e.siblings)
            shared = f"{kind} {first}"
            golds = {id(p): gold_of.get(id(p), "") for p in e.siblings}
            changed = {}
            for p in e.siblings:
                own = _open(p, golds[id(p)])
                if own is None:
                    continue
                done = _MAKERS[kind](own, Random(shared), Random(f"{kind} {p.page.url}"),
                                     posts[fold], by_fold[fold], e)
                if done is not None:
                    changed[id(p)] = done
            if id(e.page) not in changed:
                continue
            pages = {k: _close(own, e) for k, (own, _) in changed.items()}
            siblings = tuple(pages[id(p)] for p in e.siblings if id(p) in pages)
            own_page = pages[id(e.page)]
            made.append((kind, replace(e, set=f"made {kind}", page=own_page, siblings=siblings,
                                       gold=changed[id(e.page)][1])))
    return made


def _open(page: SegmentedPage, gold: str) -> _Own | None:
    if not gold:
        return None
    html = lxml_html.tostring(page.page.root, encoding="unicode")
    copy = segment_page(Page.from_html(html, page.page.url, page.page.entry))
    labels = label_segments(copy, gold)
    nodes = copy.outline.nodes
    chosen = [i for i, label in enumerate(labels) if label >= CONTENT_SHARE
              and len(copy.segments[i].text) > 20]
    if not chosen:
        return None
    total = sum(len(copy.segments[i].text) for i in chosen)
    # the innermost element with nine tenths of the text
    inside: dict[int, int] = defaultdict(int)
    for i in chosen:
        for n in copy.outline.path(copy.segments[i].block):
            inside[n] += len(copy.segments[i].text)
    body = max((n for n in inside if inside[n] >= 0.9 * total), default=0)
    if nodes[body].element.tag in ("html",):
        return None
    blocks = [(nodes[copy.segments[i].block].element, copy.segments[i].text) for i in chosen]
    return _Own(copy.page, copy.page.root, nodes[body].element, blocks, gold)


def _close(own: _Own, e: Example) -> SegmentedPage:
    html = lxml_html.tostring(own.root, encoding="unicode")
    return segment_page(Page.from_html(html, own.page.url, own.page.entry))


def _cut(own: _Own, random: Random, words: int) -> _Own | None:
    """Only the first paragraphs are left, with about so many words."""
    kept, count = [], 0
    blocks = {id(el) for el, _ in own.gold}
    for el, text in own.gold:
        if count < words or any(a is el for a, _ in kept):
            kept.append((el, text))
            count += len(text.split())
        elif not any(id(x) in blocks for x in el.iterdescendants()) and el is not own.body:
            if not any(a is el or el in a.iterancestors() for a, _ in kept) and el.getparent() is not None:
                _remove(el)
            else:
                return None
        else:
            return None
    if count < 25 or len(kept) == len(own.gold):
        return None
    return replace(own, gold=kept, whole="\n".join(t for _, t in kept))


def _remove(element: Element) -> None:
    parent, tail = element.getparent(), element.tail
    before = element.getprevious()
    parent.remove(element)
    if tail:
        if before is not None:
            before.tail = (before.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail


def _after(place: Element, new: Sequence[Element]) -> None:
    parent = place.getparent()
    at = parent.index(place) + 1
    for i, one in enumerate(new):
        parent.insert(at + i, one)


def _place(own: _Own, shared: Random) -> Callable[[Sequence[Element]], None]:
    """Where something is put: in the body, after it, or after the element around it."""
    where = shared.choice(("in", "after", "after", "around"))
    body = own.body
    if body.tag == "body" or (where == "in"):
        return lambda new: body.extend(new)
    parent = body.getparent()
    if where == "around" and parent is not None and parent.tag not in ("body", "html"):
        return lambda new: _after(parent, new)
    return lambda new: _after(body, new)


def _make_short(own, shared, random, posts, others, e):
    done = _cut(own, random, shared.choice((30, 60, 100)))
    return (done, done.whole) if done else None


_NAMES = ("comments", "commentlist", "responses", "reader-comments", "disqus_thread", "talkback", "")


def _make_comments(own, shared, random, posts, others, e, cut=0):
    if not posts:
        return None
    if cut:
        done = _cut(own, random, cut)
        if done is None:
            return None
        own = done
    threads = shared.sample(posts, min(3, len(posts)))
    records = random.choice(threads[:1])
    number = random.choice((3, 6, 12, 25, 50))
    container = etree.Element(shared.choice(("div", "ol", "ul", "section")))
    name = shared.choice(_NAMES)
    if name:
        container.set(shared.choice(("class", "id")), name)
    title = shared.choice(("Comments", "Responses", "What readers say", "Kommentare", "", "Discussion"))
    named = shared.random() < 0.5
    strip = shared.random() < 0.4
    if title:
        h = etree.SubElement(container, shared.choice(("h2", "h3", "h4", "p")))
        h.text = f"{number} {title}" if shared.random() < 0.5 else title
    item = "li" if container.tag in ("ol", "ul") else "div"
    start = random.randrange(max(1, len(records) - 1))
    for record in (records[start:] + records[:start])[:number]:
        wrap = etree.SubElement(container, item)
        if named and not strip:
            wrap.set("class", shared.choice(("comment", "comment-body", "reply", "post")))
        copy = deepcopy(record)
        copy.tail = None
        if strip:
            for x in copy.iter(etree.Element):
                x.attrib.pop("class", None)
                x.attrib.pop("id", None)
        if copy.tag in ("tr", "tbody", "td", "li"):
            copy.tag = "div"
        wrap.append(copy)
    _place(own, shared)([container])
    return own, own.whole


def _make_short_comments(own, shared, random, posts, others, e):
    return _make_comments(own, shared, random, posts, others, e, cut=shared.choice((40, 80, 150)))


def _make_next(own, shared, random, posts, others, e):
    siblings = [p for p in e.siblings if p.page.url != own.page.url]
    pool = siblings or []
    wrapper = shared.choice(("article", "div", ""))
    heading = shared.choice(("h1", "h2", "h2"))
    linked = shared.random() < 0.5
    count = shared.choice((1, 1, 2, 4))
    if not pool:
        return None
    golds = {id(x.page): x.gold for x in others}
    new = []
    for p in random.sample(pool, min(count, len(pool))):
        other = _open(p, golds.get(id(p), ""))
        if other is None:
            continue
        copy = deepcopy(other.body)
        copy.tail = None
        if copy.tag == "body":
            return None
        h = etree.Element(heading)
        text = p.page.declared.title or "More"
        if linked:
            a = etree.SubElement(h, "a", href=p.page.url)
            a.text = text
        else:
            h.text = text
        if wrapper:
            w = etree.Element(wrapper)
            w.extend([h, copy])
            new.append(w)
        else:
            new.extend([h, copy])
    if not new:
        return None
    _place(own, shared)(new)
    return own, own.whole


def _make_gallery(own, shared, random, posts, others, e):
    """A gallery of the section, the same on all pages of the site."""
    teasers = []
    for other in shared.sample(others, min(12, len(others))):
        lines = [x for x in other.gold.splitlines() if len(x) > 40]
        if lines:
            teasers.append((other.page.page.declared.title or "In pictures", lines[0][:300]))
    if len(teasers) < 4:
        return None
    box = etree.Element("div")
    if shared.random() < 0.6:
        box.set("class", shared.choice(("gallery", "slideshow", "pictures", "carousel", "media")))
    h = etree.SubElement(box, shared.choice(("h2", "h3", "div")))
    h.text = shared.choice(("In pictures", "Show all", "Gallery", "Bilder", "More photos"))
    form = shared.choice(("ul", "div", "p"))
    around = etree.SubElement(box, "ul" if form == "ul" else "div")
    linked = shared.random() < 0.5
    for n, (title, text) in enumerate(teasers, 1):
        item = etree.SubElement(around, "li" if form == "ul" else "div")
        etree.SubElement(item, "img", src=f"/{n}.jpg")
        if shared.random() < 0.5:
            c = etree.SubElement(item, "span")
            c.text = f"{n}/{len(teasers)}"
        t = etree.SubElement(item, shared.choice(("h4", "strong", "p")))
        if linked:
            etree.SubElement(t, "a", href=f"/{n}.html").text = title
        else:
            t.text = title
        etree.SubElement(item, "p").text = text
    where = shared.choice(("before", "in", "after"))
    if where == "before" and own.body.getparent() is not None and own.body.tag != "body":
        parent = own.body.getparent()
        parent.insert(parent.index(own.body), box)
    elif where == "in":
        own.body.insert(min(len(own.body), shared.choice((0, 1, 2))), box)
    else:
        _place(own, shared)([box])
    return own, own.whole


def _make_hidden(own, shared, random, posts, others, e):
    body = own.body
    if body.tag in ("body", "td", "tr") or body.getparent() is None:
        return None
    how = shared.choice(("hidden", "style", "aria"))
    if how == "hidden":
        body.set("hidden", "")
    elif how == "style":
        body.set("style", "display:none")
    else:
        body.set("aria-hidden", "true")
    teaser = etree.Element("div", {"class": shared.choice(("paywall", "teaser", "preview"))})
    etree.SubElement(teaser, "p").text = own.gold[0][1][:200]
    p = etree.SubElement(teaser, "p")
    p.text = shared.choice(("Subscribe to read on.", "This article is for subscribers.",
                            "Jetzt weiterlesen mit einem Abo.", "Log in to continue."))
    parent = body.getparent()
    parent.insert(parent.index(body), teaser)
    return own, own.whole


def _make_notice(own, shared, random, posts, others, e):
    """A box for donations or letters within the text, the same on all pages of the site."""
    if len(own.gold) < 4:
        return None
    source = shared.choice(others)
    lines = [x for x in source.gold.splitlines() if 60 < len(x) < 600]
    if len(lines) < 2 or source.site == e.site:
        return None
    lines = lines[: shared.choice((1, 2, 3))]
    box = etree.Element(shared.choice(("div", "aside", "section", "div")))
    if shared.random() < 0.5:
        box.set("class", shared.choice(("box", "support", "promo", "newsletter", "inset")))
    if shared.random() < 0.6:
        etree.SubElement(box, shared.choice(("h3", "strong", "p"))).text = shared.choice(
            ("Support us", "Stay informed", "Before you go", "A note to our readers"))
    for line in lines:
        etree.SubElement(box, "p").text = line
    at = own.gold[len(own.gold) // 2][0]
    while at.getparent() is not None and at.getparent() is not own.body:
        at = at.getparent()
    if at.getparent() is None:
        return None
    _after(at, [box])
    return own, own.whole


_MAKERS = {
    "short": _make_short, "comments": _make_comments, "short comments": _make_short_comments,
    "next article": _make_next, "gallery": _make_gallery, "hidden": _make_hidden,
    "notice": _make_notice,
}  # fmt: skip


def _read_posts(folders: Sequence[str], folds: int) -> dict[int, list[list[Element]]]:
    """By fold, the posts of threads: their elements."""
    found: dict[int, list[list[Element]]] = defaultdict(list)
    for folder in folders:
        for group in load_groups(folder):
            fold = fold_of(group.name, folds)
            for page in group.pages:
                if not page.gold:
                    continue
                parsed = page.parse()
                wrapper = learn_records([parsed], with_article=False)
                if wrapper.kind.name != "thread" or not wrapper.rules:
                    continue
                rules = wrapper.rules[-1]
                outline = parsed.outline
                posts = []
                for node, record in rules.find(parsed):
                    if len(record.text) >= 40:
                        element = outline.nodes[node].element
                        if len(list(element.iter())) < 300:
                            posts.append(element)
                if len(posts) >= 3:
                    found[fold].append(posts)
    return found
