"""The name and the brand that a page shows for its product."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from forest_scrapy.core.fields.site_names import find_site_names, find_upper_links
from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import class_and_id
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.core.records.products.prices import ShownValue, likeliest_first

#: Characters of the longest name.
MAX_NAME_LENGTH = 300
#: Declared titles that are looked at.
MAX_TITLES = 4
#: Elements that are looked at.
MAX_NODES = 20_000
#: Names of elements that are known to be those of names and brands or not: most of a page are the
#: same.
MAX_CACHED = 4096
#: Leaves of the largest element that is a name.
MAX_LEAVES = 20
_HEADINGS = {"h1": 0.6, "h2": 0.2}
#: What it is worth that an element is named after names of products.
NAMED_WORTH = 0.4
#: What it is worth that a text is a part of the declared title.
CONTAINED_WORTH = 0.5
#: What it costs a heading that it has the name of the site: some products are named like it.
SITE_COST = 2.5
#: What stands between the parts of a title.
_TITLE_SEPARATOR = re.compile(r"\s[|\u2013\u2014\u00b7\u2022»-]+\s")
_TITLE_NAME = re.compile(
    r"(?<![\w-])(?>[\w-]*?(?:product|item))[\w-]*(?:name|title)", re.IGNORECASE
)


def find_names(page: Page) -> list[ShownValue]:
    """The headings of a page that may be the product's name, the likeliest first."""
    outline = page.outline
    titles = _find_titles(page)
    site_names = {fold_words(name) for name in find_site_names(page.declared)}
    shop_names = _find_shop_names(page, titles)
    names = []
    for index, node in enumerate(outline.nodes[:MAX_NODES]):
        leaves = node.last - node.first
        if not 0 < leaves <= MAX_LEAVES:
            continue
        text = text_at(outline, index, " ")
        element_names = class_and_id(node.element, 300)
        is_called_name = _is_title_name(element_names)
        heading_worth = _HEADINGS.get(node.tag, 0.0)
        worth = max(heading_worth, NAMED_WORTH * is_called_name)
        is_contained = any(_contains(title, text) for title in titles)
        if not worth and not is_contained:
            continue
        is_name = 1 < len(text) <= MAX_NAME_LENGTH
        if not is_name or fold_words(text) in site_names:
            continue
        similarities = [similarity(text, title) for title in titles]
        alike = max(similarities, default=0.0)
        score = alike + worth + CONTAINED_WORTH * is_contained
        score -= SITE_COST * (fold_words(text) in shop_names)
        value = ShownValue(index, text, round(score, 4))
        names.append(value)
    return sorted(names, key=likeliest_first)


def _find_shop_names(page: Page, titles: Sequence[str]) -> set[str]:
    """The folded words of headings that name the shop: they link to its home page, are the name of
    its host beside another heading that is in the title, or end a title of which another heading is
    the beginning."""
    names = {link.name for link in find_upper_links(page) if not link.path}
    *host_parts, _ = host_of(page.url).split(".")
    host_names = set()
    headings: dict[str, set[str]] = {"h1": set(), "h2": set()}
    outline = page.outline
    for index, node in enumerate(outline.nodes[:MAX_NODES]):
        if node.tag in headings and 0 < node.last - node.first <= MAX_LEAVES:
            folded = fold_words(text_at(outline, index, " "))
            headings[node.tag].add(folded)
            if folded.replace(" ", "") in host_parts:
                host_names.add(folded)
    other_headings = headings["h1"].union(headings["h2"]) - host_names - {""}
    for title in titles:
        parts = [fold_words(part) for part in _TITLE_SEPARATOR.split(title)]
        if not other_headings.isdisjoint(parts):
            names.update(host_names)
        if len(parts) > 1 and parts[0] in headings["h2"] and parts[-1] in headings["h1"]:
            names.add(parts[-1])
    return names


@lru_cache(maxsize=MAX_CACHED)
def _is_title_name(names: str) -> bool:
    return _TITLE_NAME.search(names) is not None


def _find_titles(page: Page) -> list[str]:
    """The declared titles of a page, the most reliable first."""
    meta = page.declared.meta
    og_titles = meta.get("og:title", ())
    declared = [*og_titles, *page.declared.titles]
    titles = [*declared[:MAX_TITLES], page.declared.title]
    return [title[:MAX_NAME_LENGTH] for title in titles]


def _contains(title: str, text: str) -> bool:
    """Whether a text is a part of a title, in whole words."""
    if len(text) < 2:
        return False
    return f" {text.casefold()} " in f" {title.casefold()} "


def similarity(text: str, other_text: str) -> float:
    """Twice the number of words that two texts share, by the words of each, 0 to 1.

    >>> similarity("Red box", "The red box"), similarity("Box", "Owl")
    (0.8, 0.0)
    """
    words = set(split_words(text))
    other_words = set(split_words(other_text))
    if not words or not other_words:
        return 0.0
    shared = words & other_words
    total = len(words) + len(other_words)
    return 2 * len(shared) / total


def text_at(
    outline: Outline,
    index: int,
    between: str = "",
) -> str:
    """The text of an element, on one line, or of an image; ``""`` if it is too long for a name.

    ``between``: what separates its parts; nothing for prices, which are often in several.
    """
    node = outline.nodes[index]
    if node.tag == "img":
        text = node.element.get("alt") or ""
        words = text[:MAX_NAME_LENGTH].split()
        return " ".join(words)
    if node.last - node.first > MAX_LEAVES:
        return ""
    leaves = outline.leaves[node.first : node.last]
    text = between.join(leaf.text for leaf in leaves)
    if len(text) > 2 * MAX_NAME_LENGTH:
        return ""
    return " ".join(text.split())


#: Characters of the longest brand.
MAX_BRAND_LENGTH = 40
#: The largest similarity of a brand to the name of the product.
MAX_SIMILARITY = 0.7
#: Elements that are looked at, and leaves around the name in which a brand is looked for.
MAX_BRAND_NODES = 20_000
NEAR_LEAVES = 60
#: Words of a host's name.
MAX_HOST_WORDS = 3
#: Names of elements; not those of colours and backgrounds, such as "text-brand-500".
_NAMED = re.compile(
    r"(?<!text-)(?<!bg-)(?<!border-)(?<!color-)(?<!fill-)(?:brand|manufacturer|vendor|hersteller"
    r"|marque|marca|maker)",
    re.IGNORECASE,
)
_LINK = re.compile(r"[/?&](?:brands?|manufacturers?|marken?|marques?|marcas?|vendors?)[/=_-]")
_LABEL = re.compile(
    r"\s*+(?:brand|manufacturer|marke|hersteller|marque|marca|by|merk|producent|märke)"
    r"\s*+(?::\s*+)?",
    re.IGNORECASE,
)
_STORE_WORDS = re.compile(
    r"^(?:visit the|brand:|by|shop(?: all)?|more (?:from|by)|view all|see all)\s+"
    r"|(?<!\s)\s++store$",
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


def find_brands(
    page: Page,
    name: str,
    name_at: int,
) -> list[ShownValue]:
    """The texts of a page that may be the product's brand, the likeliest first; ``name_at``: the
    leaf of the name, -1 if it is not shown.

    They are called a brand by markup, a label or the URL that they link to; an image (a logo) may
    also have a text with which the name starts.  Other texts with which the name starts are mostly
    categories.
    """
    outline = page.outline
    in_menu = outline.inside(("nav", "footer"))
    lower_name = name.lower()
    brands = []
    for index, shown_text, evidence in _named_brands(outline):
        text = "" if in_menu[index] else clean_brand(shown_text)
        if not text or similarity(text, name) > MAX_SIMILARITY:
            continue
        node = outline.nodes[index]
        starts_name = f"{lower_name} ".startswith(f"{text.lower()} ")
        is_logo = starts_name and node.tag == "img"
        if not evidence and not is_logo:
            continue

        is_in_name = f" {text.lower()} " in f" {lower_name} "
        is_near = name_at >= 0 and abs(node.first - name_at) <= NEAR_LEAVES
        score = evidence + 1.5 * starts_name
        score += 0.5 * (is_in_name and not starts_name)
        score += 0.6 * is_near
        score += 0.5 * bool(_href_of(outline, index))
        value = ShownValue(index, text, round(score, 4))
        brands.append(value)
    return sorted(brands, key=likeliest_first)


def find_shop_brand(page: Page) -> str:
    """The name of the site, for shops of one brand; ``""`` if it has links to brands or sellers, or
    does not tell its name.

    >>> html = "<title>Owl Pots mug</title>"
    >>> find_shop_brand(Page.from_html(html, "https://www.owlpots.example/mug"))
    'Owl Pots'
    >>> find_shop_brand(Page.from_html(html + "<a href=/b>Brands</a>", "https://owlpots.example/"))
    ''
    """
    if _sells_several_brands(page):
        return ""
    names = (*find_site_names(page.declared), *_names_in_title(page))
    for name in names:
        brand = clean_brand(_DOMAIN.sub("", name))
        if brand:
            return brand
    return ""


def _sells_several_brands(page: Page) -> bool:
    """Whether the page has a link to brands or sellers."""
    for node in page.outline.nodes:
        if node.tag != "a" or not 0 < node.last - node.first <= 2:
            continue
        text = page.outline.text(node)
        line = " ".join(text.split())
        if len(text) < MAX_BRAND_LENGTH and _SEVERAL.fullmatch(line):
            return True
    return False


def _names_in_title(page: Page) -> Iterator[str]:
    """The first words of the title if they are a part of the host."""
    host_parts = host_of(page.url).split(".")
    for title in page.declared.titles[:1]:
        words = title[: 4 * MAX_BRAND_LENGTH].split()
        for count in range(1, MAX_HOST_WORDS + 1):
            text = " ".join(words[:count])
            if fold_words(text).replace(" ", "") in host_parts:
                yield text


def clean_brand(text: str) -> str:
    """The brand in a text; ``""`` if it is none.

    >>> clean_brand("Visit the Owl Store"), clean_brand("Brand:")
    ('Owl', '')
    """
    brand = _STORE_WORDS.sub("", text).strip(" :|-")
    if not 1 < len(brand) <= MAX_BRAND_LENGTH or _LABEL.fullmatch(brand):
        return ""
    if any(map(str.isalpha, brand)):
        return brand
    return ""


def _named_brands(outline: Outline) -> Iterator[tuple[int, str, float]]:
    """Short texts, with the evidence of markup and labels that each is a brand."""
    previous_text = ""
    for index, node in enumerate(outline.nodes[:MAX_BRAND_NODES]):
        text = _short_text(outline, index)
        if not text or len(text) > MAX_BRAND_LENGTH + 20:
            continue

        evidence = 0.0
        if _is_brand_name(_names_around(outline, index)):
            evidence += 1.2
        if _LINK.search(_href_of(outline, index)):
            evidence += 1.0
        text_before = ""
        if node.first:
            text_before = outline.leaves[node.first - 1].text
        if len(text_before) <= 30 and _LABEL.fullmatch(text_before):
            evidence += 1.5
        if text != previous_text or evidence:
            yield index, text, evidence
        previous_text = text


def _href_of(outline: Outline, index: int) -> str:
    """The URL that a link, or the link directly around an image, leads to."""
    node = outline.nodes[index]
    if node.tag == "img" and node.parent >= 0:
        node = outline.nodes[node.parent]
    if node.tag != "a":
        return ""
    return node.element.get("href") or ""


@lru_cache(maxsize=MAX_CACHED)
def _is_brand_name(names: str) -> bool:
    return _NAMED.search(names) is not None


def _short_text(outline: Outline, index: int) -> str:
    """The text of an element with up to three leaves, or of an image."""
    node = outline.nodes[index]
    if 0 < node.last - node.first <= 3:
        return outline.line(index)
    if node.tag == "img":
        return node.element.get("alt") or ""
    return ""


def _names_around(outline: Outline, index: int) -> str:
    """The names of an element, and the classes of the one around it."""
    node = outline.nodes[index]
    parent = outline.nodes[node.parent] if node.parent >= 0 else node
    parent_class = f" {parent.element.get('class') or ''}"
    return class_and_id(node.element, 300) + parent_class[:200]
