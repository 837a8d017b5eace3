"""The items: what becomes of a page.  The ``type`` of each is its kind in ``ITEM_KINDS``, by which
those in one file can be told apart.

``extra`` of an item: what a spider has given with the page, see ``ArticlePage``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from forest_scrapy.core.lazy import LazyPattern

#: Runs of scripts that have no spaces between words: Thai, Lao, Japanese and Chinese.
_UNSPACED = LazyPattern(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+")
#: Characters of a word in these, in the mean.
CHARACTERS_OF_WORD = 2


def count_words(text: str) -> int:
    """How many words a text has; of scripts without spaces two characters count as one.

    >>> count_words("Boats come in."), count_words("港に船が入る and 3 leave"), count_words("")
    (3, 6, 0)
    """
    if text.isascii():
        return len(text.split())
    spaced = _UNSPACED.compiled.sub(" ", text)
    count = len(spaced.split())
    for run in _UNSPACED.compiled.findall(text):
        count += (len(run) + CHARACTERS_OF_WORD - 1) // CHARACTERS_OF_WORD
    return count


@dataclass
class Article:
    """An article, one JSON line.  ``docs/fields.md`` describes where each field comes from.

    - ``url``: the page's URL after redirects, without parameters that track readers;
      ``fetched_url``: with these, if it had some; ``canonical_url``: the URL that it declares;
      ``other_urls``: the other URLs of the article that were known when it was emitted.
    - ``title``, ``authors``, ``published``, ``modified`` (ISO 8601; ``*_raw`` as written on the
      page), ``language``, ``summary``, ``tags``, ``categories``, ``breadcrumbs``,
      ``site_name``.
    - ``text``: one line for each paragraph; ``html``: the same content, sanitized, with
      absolute URLs; ``markdown``: the same as Markdown, if ``FOREST_FORMATS`` names it;
      ``word_count``: the words of the text.
    - ``main_image``, ``images`` (url, alt, caption), ``videos``, ``audios``, ``links`` (url,
      text): the media and links of the article.
    - ``related`` (title, url): other articles that the page shows or links to.
    - ``comments``: those on the page, if ``FOREST_COMMENTS`` is set, with position, author, date,
      text, html, quote, reply_to and attributes.
    - ``comments_url`` and ``comments_count``: from the feed.
    - ``is_free``: whether the article can be read without paying; None if nothing tells.
    - ``pages``: the URLs of the pages that the article is on, in their order; ``next_page``: the
      URL of the page that comes after these and is not part of the item, ``""`` if the article is
      complete.
    - ``entry``: the feed entry: title, description, id, published, updated, author, tags,
      comments_url, comments_count, feed.
    - ``sources``: the source of each field: feed, json-ld, microdata, opengraph, meta, html,
      template, text, url, sitemap, http.
    - ``date_confidence``: for ``published`` and ``modified``, the probability that the date is
      right to a day.
    - ``confidence``: how far the text can be trusted, 0 to 1: the F1 that it is expected to have.
    - ``template_id``: the id of the page's template.
    - ``method``: how the content was found: ``trained`` by the wrapper of a template,
      ``single`` from the single page, ``data`` from the data for the page's scripts,
      ``description`` if nothing was found on the page and the feed entry is used (or the
      page's own description), ``entry`` if
      the page could not be fetched or the full text in the feed is better; or the method that
      ``FOREST_METHOD`` names.
    - ``xpath``: the expression that found the content; ``wrapper_id``: the id of its wrapper;
      ``score``: the method's own score of the wrapper.
    - ``change``: what has become of the article since it was last crawled: ``kind`` (``new``,
      ``changed``, ``wrapper``: changed by us, ``unchanged``, ``gone`` or ``returned``);
      ``since``, when it was fetched last; of a changed text the ``share`` of its shingles, and what
      was ``inserted`` and ``deleted``; ``fields`` that have changed, each ``from`` what ``to``
      what.
    - ``status``: the HTTP status; 0 if there was no response.
    - ``fetched_at``: ISO 8601, UTC; ``last_modified`` and ``etag``: the HTTP headers.
    """

    url: str
    title: str = ""
    text: str = field(default="", repr=False)
    html: str = field(default="", repr=False)
    markdown: str = field(default="", repr=False)
    published: str = ""
    published_raw: str = field(default="", repr=False)
    modified: str = field(default="", repr=False)
    modified_raw: str = field(default="", repr=False)
    authors: list[str] = field(default_factory=list)
    language: str = ""
    summary: str = field(default="", repr=False)
    main_image: str = field(default="", repr=False)
    images: list[dict[str, Any]] = field(default_factory=list, repr=False)
    videos: list[dict[str, Any]] = field(default_factory=list, repr=False)
    audios: list[dict[str, Any]] = field(default_factory=list, repr=False)
    links: list[dict[str, str]] = field(default_factory=list, repr=False)
    related: list[dict[str, str]] = field(default_factory=list, repr=False)
    tags: list[str] = field(default_factory=list, repr=False)
    categories: list[str] = field(default_factory=list, repr=False)
    breadcrumbs: list[str] = field(default_factory=list, repr=False)
    site_name: str = field(default="", repr=False)
    canonical_url: str = field(default="", repr=False)
    other_urls: list[str] = field(default_factory=list, repr=False)
    pages: list[str] = field(default_factory=list, repr=False)
    next_page: str = field(default="", repr=False)
    comments: list[dict[str, Any]] = field(default_factory=list, repr=False)
    comments_url: str = field(default="", repr=False)
    comments_count: int | None = field(default=None, repr=False)
    is_free: bool | None = field(default=None, repr=False)
    entry: dict[str, Any] | None = field(default=None, repr=False)
    sources: dict[str, str] = field(default_factory=dict, repr=False)
    date_confidence: dict[str, float] = field(default_factory=dict, repr=False)
    confidence: float = 0.0
    template_id: str = ""
    method: str = ""
    xpath: str = ""
    wrapper_id: str = field(default="", repr=False)
    score: float = 0.0
    change: dict[str, Any] = field(default_factory=dict, repr=False)
    status: int = 200
    fetched_at: str = ""
    last_modified: str = field(default="", repr=False)
    etag: str = field(default="", repr=False)
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    type: str = "article"
    word_count: int = field(default=0, repr=False)
    fetched_url: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        self.word_count = count_words(self.text)


def is_teaser(article: Article) -> bool:
    """Whether the text is only a description of the article: that of its feed entry, if the page
    cannot be fetched or has no text, or the page's own.

    >>> is_teaser(Article("https://a.example/", text="Owls.", method="single"))
    False
    >>> entry = {"title": "Birds", "description": "Owls."}
    >>> is_teaser(Article("https://a.example/", text="Owls.", method="entry", entry=entry))
    True
    """
    if article.method == "description":
        return not article.xpath  # else it is the method with that name
    if article.method != "entry":
        return False
    entry = article.entry or {}
    title = entry.get("title")
    description = entry.get("description")
    return article.text in (title, description)


@dataclass
class Thread:
    """A thread, such as that of a forum, with all its pages that were fetched.

    ``url``: that of its first page; ``pages``: those of all pages.  ``text``: that of all posts,
    one line for each paragraph.  ``posts``: objects with ``position`` (from 1), ``author``,
    ``date`` (ISO 8601), ``text``, ``html`` (safe), ``quote``, ``reply_to`` (the position of the
    post that it is inside or links to, or None) and ``attributes`` (objects with ``name``,
    ``value``, ``type`` and ``unit``); texts are ``""`` if unknown.  ``next_page``: the URL of the
    page that comes after these and is not part of the item, ``""`` if the thread is complete.
    ``is_cut``: whether one of its pages is too long, so that its last posts are missing.
    ``confidence``: how far the posts can be trusted, 0 to 1, the lowest of its pages.  ``change``:
    as of ``Article``.
    """

    url: str
    title: str = ""
    text: str = field(default="", repr=False)
    posts: list[dict[str, Any]] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    next_page: str = ""
    language: str = ""
    fetched_at: str = ""
    template_id: str = ""
    is_cut: bool = False
    confidence: float = 0.0
    change: dict[str, Any] = field(default_factory=dict, repr=False)
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    type: str = "thread"


def join_texts(posts: Sequence[Mapping[str, Any]]) -> str:
    """The text of a thread with these posts."""
    texts = []
    for post in posts:
        text = post["text"]
        if text:
            texts.append(text)
    return "\n".join(texts)


@dataclass
class Product:
    """The product of a page; texts are ``""`` if unknown.

    ``price``: a decimal number such as ``1299.00``; ``currency``: its ISO 4217 code;
    ``regular_price``: the higher one that it takes the place of.  ``availability``: the name that
    schema.org has for it, such as ``InStock``.  ``sku``: the number that the shop gives it;
    ``gtin``: the one that all shops have (EAN, UPC, ISBN), with a right check digit.  ``images``:
    absolute URLs, the main one first.  ``attributes``: objects such as the rows of a table of
    technical data, with ``name`` and ``value`` as the page has them, ``type`` (``price``,
    ``number``, ``date``, ``url`` or ``text``) and ``unit``: the currency of a price (ISO 4217), the
    unit of a number.  ``text``: the main text of the page.  ``sources``: for
    each field that has a value, where it is from: ``json-ld``, ``microdata``, ``meta``,
    ``template`` (a place that was learned from the pages of the template) or ``page``.
    ``confidence``: the probability that the page is about one product.
    ``published``, ``modified``: the dates that the page declares for itself (ISO 8601), with
    ``date_confidence`` as of ``Article``.  ``change``: as of ``Article``; its ``share``,
    ``inserted`` and ``deleted`` are those of the description.
    """

    url: str
    name: str = ""
    price: str = ""
    currency: str = ""
    availability: str = ""
    sku: str = ""
    brand: str = ""
    images: list[str] = field(default_factory=list)
    description: str = ""
    attributes: list[dict[str, str]] = field(default_factory=list)
    regular_price: str = ""
    gtin: str = ""
    text: str = ""
    published: str = ""
    modified: str = field(default="", repr=False)
    date_confidence: dict[str, float] = field(default_factory=dict, repr=False)
    language: str = ""
    fetched_at: str = ""
    template_id: str = ""
    sources: dict[str, str] = field(default_factory=dict)
    confidence: float = 0.0
    change: dict[str, Any] = field(default_factory=dict, repr=False)
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    type: str = "product"


@dataclass
class Listing:
    """A page of a list.

    ``text``: the main text of the page, with that of its items.  ``items``: objects with
    ``position`` (from 1), ``title``, ``url`` and ``image`` (absolute URLs), ``text``, ``date``
    (ISO 8601), ``price`` (a decimal number), ``currency`` and ``attributes`` (objects with
    ``name``, ``value``, ``type`` and ``unit``); texts are ``""`` if unknown.  ``next_page``: the
    URL of the next page of the list, ``""`` if there is none.  ``published``, ``modified``,
    ``date_confidence``: as of ``Product``.  ``is_cut``: whether the page is too long, so that its
    last items are missing.  ``change``: as of ``Article``; its text is a line for each item.
    """

    url: str
    title: str = ""
    text: str = field(default="", repr=False)
    items: list[dict[str, Any]] = field(default_factory=list)
    next_page: str = ""
    published: str = ""
    modified: str = field(default="", repr=False)
    date_confidence: dict[str, float] = field(default_factory=dict, repr=False)
    language: str = ""
    fetched_at: str = ""
    template_id: str = ""
    is_cut: bool = False
    change: dict[str, Any] = field(default_factory=dict, repr=False)
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    type: str = "listing"


@dataclass
class WebPage:
    """A page of any kind, such as documentation, a service or a company, with its main text.

    ``kind``: what the page looks like: ``article``, ``thread``, ``product``, ``listing`` or
    ``other``.  ``text``: one line for each paragraph; ``html``: the same content, sanitized, with
    absolute URLs; ``markdown``: the same as Markdown, if ``FOREST_FORMATS`` names it.
    ``published``, ``modified``, ``date_confidence``: as of ``Article``.
    ``language``: its code, ``""`` if unknown.  ``confidence``: how far the text can be trusted, 0
    to 1.  ``change``: as of ``Article``.
    """

    url: str
    title: str = ""
    kind: str = "other"
    text: str = field(default="", repr=False)
    html: str = field(default="", repr=False)
    markdown: str = field(default="", repr=False)
    published: str = ""
    modified: str = field(default="", repr=False)
    date_confidence: dict[str, float] = field(default_factory=dict, repr=False)
    language: str = ""
    fetched_at: str = ""
    template_id: str = ""
    confidence: float = 0.0
    change: dict[str, Any] = field(default_factory=dict, repr=False)
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    type: str = "page"


@dataclass(frozen=True)
class Refusal:
    """A page without an item, and why, as the name of a stat: ``no_content`` (no text was found on
    it, and no feed entry describes it), ``several_articles``, ``other_kind`` (its kind is not
    wanted), ``not_article``, ``blocked`` (the server sent a challenge, a consent wall or a notice
    that scripts are needed, and no feed entry describes the page)."""

    reason: str


Item = Article | Thread | Product | Listing | WebPage
#: The items by the kind of their page, which is that of ``FOREST_KINDS``.
ITEM_KINDS: dict[str, type[Item]] = {
    "article": Article,
    "thread": Thread,
    "product": Product,
    "listing": Listing,
    "page": WebPage,
}
#: The kinds of items that are no articles.
OTHER_ITEMS = tuple(kind for kind in ITEM_KINDS if kind != "article")


def item_kind(item: object) -> str:
    """The kind of ``ITEM_KINDS`` that an item is of; ``""`` for other objects.

    >>> item_kind(WebPage("https://a.example/")), item_kind(None)
    ('page', '')
    """
    for kind, item_class in ITEM_KINDS.items():
        if type(item) is item_class:
            return kind
    return ""
