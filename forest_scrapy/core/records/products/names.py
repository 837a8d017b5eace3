"""The name and the brand that a page shows for its product."""

import re
from collections.abc import Iterator

from forest_scrapy.core.fields.site_names import find_site_names
from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import class_and_id
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.core.records.products.prices import ShownValue

#: Characters of the longest name.
_LONGEST_NAME = 300
#: Declared titles that are looked at.
_MOST_TITLES = 4
#: Elements that are looked at.
_MOST_NODES = 20_000
#: Leaves of the largest element that is a name.
_MOST_LEAVES = 20
_HEADINGS = {"h1": 0.6, "h2": 0.2}
#: What it is worth that a text is a part of the declared title.
_CONTAINED = 0.5
_TITLE_NAME = re.compile(r"(?:product|item)[\w-]*(?:name|title)", re.IGNORECASE)


def find_names(page: Page) -> list[ShownValue]:
    """The headings of a page that may be the product's name, the likeliest first."""
    outline = page.outline
    declared = (*page.declared.meta.get("og:title", ()), *page.declared.titles)
    titles = [text[:_LONGEST_NAME] for text in (*declared[:_MOST_TITLES], page.declared.title)]
    sites = {fold_words(one) for one in find_site_names(page.declared)}
    found = []
    for i, node in enumerate(outline.nodes[:_MOST_NODES]):
        if not 0 < node.last - node.first <= _MOST_LEAVES:
            continue
        text = text_at(outline, i, " ")
        names = class_and_id(node.element, 300)
        bonus = max(_HEADINGS.get(node.tag, 0.0), 0.4 * bool(_TITLE_NAME.search(names)))
        inside = any(_contains(one, text) for one in titles)
        is_site = fold_words(text[:_LONGEST_NAME]) in sites
        if (bonus or inside) and not is_site and 1 < len(text) <= _LONGEST_NAME:
            alike = max((similarity(text, one) for one in titles), default=0.0)
            found.append(ShownValue(i, text, round(alike + bonus + _CONTAINED * inside, 4)))
    return sorted(found, key=lambda one: (-one.score, one.node))


def _contains(title: str, text: str) -> bool:
    """Whether a text is a part of a title, in whole words."""
    return len(text) > 1 and f" {text.casefold()} " in f" {title.casefold()} "


def similarity(text: str, other: str) -> float:
    """Twice the words of both texts by the words of each, 0 to 1.

    >>> similarity("Red box", "The red box"), similarity("Box", "Owl")
    (0.8, 0.0)
    """
    a, b = set(split_words(text)), set(split_words(other))
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


def text_at(outline: Outline, index: int, between: str = "") -> str:
    """The text of an element, on one line, or of an image; ``""`` if it is too long for a name.

    ``between``: what separates its parts; nothing for prices, which are often in several.
    """
    node = outline.nodes[index]
    if node.tag == "img":
        return " ".join((node.element.get("alt") or "")[:_LONGEST_NAME].split())
    if node.last - node.first > _MOST_LEAVES:
        return ""
    text = between.join(leaf.text for leaf in outline.leaves[node.first : node.last])
    return " ".join(text.split()) if len(text) <= 2 * _LONGEST_NAME else ""


#: Characters of the longest brand.
_LONGEST = 40
#: The largest similarity of a brand to the name of the product.
_MOST_ALIKE = 0.7
#: Elements that are looked at, and leaves around the name in which a brand is looked for.
_MOST_BRAND_NODES, _NEAR = 20_000, 60
#: Words of a host's name.
_HOST_WORDS = 3
#: Names of elements; not those of colours and backgrounds, such as "text-brand-500".
_NAMED = re.compile(
    r"(?<!text-)(?<!bg-)(?<!border-)(?<!color-)(?<!fill-)(?:brand|manufacturer|vendor|hersteller"
    r"|marque|marca|maker)",
    re.IGNORECASE,
)
_LINK = re.compile(r"[/?&](?:brands?|manufacturers?|marken?|marques?|marcas?|vendors?)[/=_-]")
_LABEL = re.compile(
    r"\s*(?:brand|manufacturer|marke|hersteller|marque|marca|by|merk|producent|märke)\s*:?\s*",
    re.IGNORECASE,
)
_STORE_WORDS = re.compile(
    r"^(?:visit the|brand:|by|shop(?: all)?|more (?:from|by)|view all|see all)\s+|\s+store$",
    re.IGNORECASE,
)
#: Links of shops that sell several brands, or for several sellers.
_SEVERAL = re.compile(
    r"(?:(?:shop by|all|our|top|popular|featured|explore)\s+)?(?:brands|designers|manufacturers"
    r"|marken|hersteller|marques|marcas|marche|merken|märken|varumärken|mærker|merker|tuotemerkit"
    r"|marki|бренды|sellers|vendors)(?:\s+a\W*z)?"
    r"|shop by brand|brand outlet|sell(?:\s+(?:on|with|your)\b.{0,20})?|become a seller",
    re.IGNORECASE,
)
_DOMAIN = re.compile(r"(?<=\w)\.(?:com?|net|org|shop|store|[a-z]{2})$", re.IGNORECASE)


def find_brands(page: Page, name: str, name_at: int) -> list[ShownValue]:
    """The texts of a page that may be the product's brand, the likeliest first; ``name_at``: the
    leaf of the name, -1 if it is not shown.

    They are called a brand by markup, a label or the URL that they link to; an image (a logo) may
    also have a text with which the name starts.  Other texts with which the name starts are mostly
    categories.
    """
    outline, found = page.outline, []
    in_menu = outline.inside(("nav", "footer"))
    for i, text, says in _named_brands(outline):
        text = "" if in_menu[i] else clean_brand(text)
        starts = bool(text) and f"{name} ".lower().startswith(f"{text} ".lower())
        is_logo = starts and outline.nodes[i].tag == "img"
        if not text or similarity(text, name) > _MOST_ALIKE or not (says or is_logo):
            continue
        inside = f" {text.lower()} " in f" {name.lower()} "
        near = name_at >= 0 and abs(outline.nodes[i].first - name_at) <= _NEAR
        links = 0.5 * (outline.nodes[i].tag == "a")
        score = says + 1.5 * starts + 0.5 * (inside and not starts) + 0.6 * near + links
        found.append(ShownValue(i, text, round(score, 4)))
    return sorted(found, key=lambda one: (-one.score, one.node))


def find_shop_brand(page: Page) -> str:
    """The name of the site, for shops of one brand; ``""`` if it has links to brands or sellers, or
    does not tell its name.

    >>> html = "<title>Owl Pots mug</title>"
    >>> find_shop_brand(Page.from_html(html, "https://www.owlpots.example/mug"))
    'Owl Pots'
    >>> find_shop_brand(Page.from_html(html + "<a href=/b>Brands</a>", "https://owlpots.example/"))
    ''
    """
    texts = (
        page.outline.text(node)
        for node in page.outline.nodes
        if node.tag == "a" and 0 < node.last - node.first <= 2
    )
    if any(len(text) < _LONGEST and _SEVERAL.fullmatch(" ".join(text.split())) for text in texts):
        return ""
    names = (*find_site_names(page.declared), *_names_in_title(page))
    return next(filter(None, (clean_brand(_DOMAIN.sub("", name)) for name in names)), "")


def _names_in_title(page: Page) -> Iterator[str]:
    """The first words of the title if they are a part of the host."""
    host = host_of(page.url).split(".")
    for title in page.declared.titles[:1]:
        words = title[: 4 * _LONGEST].split()
        starts = (" ".join(words[:count]) for count in range(1, _HOST_WORDS + 1))
        yield from (text for text in starts if fold_words(text).replace(" ", "") in host)


def clean_brand(text: str) -> str:
    """The brand in a text; ``""`` if it is none.

    >>> clean_brand("Visit the Owl Store"), clean_brand("Brand:")
    ('Owl', '')
    """
    text = _STORE_WORDS.sub("", text).strip(" :|-")
    is_short = 1 < len(text) <= _LONGEST and any(map(str.isalpha, text))
    return text if is_short and not _LABEL.fullmatch(text) else ""


def _named_brands(outline: Outline) -> Iterator[tuple[int, str, float]]:
    """Short texts, with what markup and labels say for them being a brand."""
    previous = ""
    for i, node in enumerate(outline.nodes[:_MOST_BRAND_NODES]):
        count = node.last - node.first
        if not 0 < count <= 3:
            text = (node.element.get("alt") or "") if node.tag == "img" else ""
        else:
            text = outline.line(i)
        if not text or len(text) > _LONGEST + 20:
            continue
        before = outline.leaves[node.first - 1].text if node.first else ""
        names = class_and_id(node.element, 300)
        parent = outline.nodes[node.parent].element if node.parent >= 0 else node.element
        names += f" {parent.get('class') or ''}"[:200]
        says = 1.2 * bool(_NAMED.search(names))
        says += 1.0 * (node.tag == "a" and bool(_LINK.search(node.element.get("href") or "")))
        says += 1.5 * (len(before) <= 30 and _LABEL.fullmatch(before) is not None)
        if text != previous or says:
            yield i, text, says
        previous = text
