"""Reading the fields of a page, from the sources that its template taught; its images, videos,
audio and links."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from forest_scrapy.core.fields.learn_authors import (
    AUTHORS,
    LINE_CREDIT,
    first_authors,
    learn_authors,
)
from forest_scrapy.core.fields.learn_dates import (
    MODIFIED,
    OUTER_MODIFIED,
    PUBLISHED,
    find_site_dates,
    first_date,
    first_modified,
    learn_modified,
    learn_order,
    learn_published,
    rate_modified,
    rate_published,
)
from forest_scrapy.core.fields.metadata import Field, FieldSources, Metadata
from forest_scrapy.core.fields.sources import PageSources, kind_of
from forest_scrapy.core.fields.tags import (
    first_breadcrumbs,
    first_terms,
    learn_breadcrumbs,
    learn_categories,
    learn_tags,
)
from forest_scrapy.core.fields.titles import TITLES, first_title, learn_titles
from forest_scrapy.core.page.content import NO_CONTENT, Content, Image, Link, MediaFile
from forest_scrapy.core.page.declared import Declared, Properties, as_list, text_of
from forest_scrapy.core.page.language import (
    are_relatives,
    detect_language,
    most_common_language,
)
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import strip_markup
from forest_scrapy.core.page.urls import absolute_url

#: Pages that the sources of fields are learned from.  With four, a date and the authors of three
#: pages of feeds-dev are lost, of 1,251.
_MOST_PAGES = 5


def learn_fields(pages: Sequence[Page], texts: Sequence[str] = ()) -> FieldSources:
    """The sources of each field in the order they are tried, for all pages of the template.

    ``pages``: a sample, of which the first five are used.  ``texts``: the texts of their articles,
    for the language.
    The pages' feed entries are evidence, and a source among others, unless they are for
    signifiers only.  The result depends on the set of pages, not on their order.  Cost: some
    5 to 10 ms per page.
    """
    language = most_common_language(texts[:_MOST_PAGES])
    pages = pages[:_MOST_PAGES]
    is_unique = len({page.url for page in pages}) == len(pages)
    pages = sorted(pages, key=lambda page: (page.url, "" if is_unique else page.text_digest))
    learned = learn_from_sources([PageSources(page) for page in pages])
    return replace(learned, language=(f"text:{language}",) if language else ())


def learn_from_sources(pages: Sequence[PageSources]) -> FieldSources:
    """``learn_fields``, from pages whose sources may have been read already."""
    order = learn_order(pages)
    if order:
        pages = [replace(page, date_order=order) for page in pages]
    title, affixes = learn_titles(pages)
    titles = [first_title(page, (*title, *TITLES), affixes)[1] for page in pages]
    published = learn_published(pages, titles)
    return FieldSources(
        title=title,
        published=published,
        modified=learn_modified(pages),
        authors=learn_authors(pages),
        tags=learn_tags(pages),
        categories=learn_categories(pages),
        breadcrumbs=learn_breadcrumbs(pages),
        affixes=affixes,
        site_dates=find_site_dates(pages, published),
        date_order=order,
    )


#: The sources of summaries, best first.
_SUMMARIES = (
    "opengraph:og:description",
    "json-ld:description",
    "meta:description",
    "microdata:description",
    "meta:twitter:description",
    "feed:description",
)

#: Values by field, and kinds of their sources by field.
Found = tuple[dict[str, Any], dict[str, str]]


def read_fields(
    page: Page,
    fields: FieldSources | None = None,
    content: Content = NO_CONTENT,
    fetched_at: str = "",
    outer: Mapping[str, str] = MappingProxyType({}),
) -> Metadata:
    """All fields of a page.

    ``fields``: what was learned from its template; None or empty: the page's own sources are
    ranked by how well they agree.  ``content``: what the article holds.
    ``fetched_at``: ISO 8601; relative dates are relative to it, and later dates are ignored.
    ``outer``: texts of sources that are not on the page, such as ``http:last-modified``.
    A field that the page lacks is taken from its feed entry, unless that is for signifiers only.
    Cost: 1 to 2 times the parse of the page if ``fields`` are given, some ten times if not.
    """
    expected = next(iter(fields.language), "") if fields else ""
    order = fields.date_order if fields else ""
    sources = PageSources(page, fetched_at, expected.removeprefix("text:"), outer, order)
    learned = fields if fields else learn_from_sources([sources])
    if learned.date_order != order:
        sources = replace(sources, date_order=learned.date_order)
    found, kinds = _read_learned(sources, learned, is_learned=bool(fields))
    declared, declared_kinds = _read_declared(sources, learned, content)
    media, media_kinds = _read_media(sources, content)
    found |= {**declared, **media}
    kinds |= {**declared_kinds, **media_kinds}
    kept = {name: kind for name, kind in sorted(kinds.items()) if kind and found.get(name)}
    return Metadata(**found, sources=kept)


def _read_learned(sources: PageSources, fields: FieldSources, is_learned: bool) -> Found:
    """Title, dates, authors and tags: from the learned sources, else from the feed, else from
    those that no page had in learning.  The first source that has the field ends the search."""
    declared = (source for source in PUBLISHED if source not in fields.site_dates)
    published = (*fields.published, "feed:published", *declared)
    modified = (*fields.modified, "feed:updated", *MODIFIED, *OUTER_MODIFIED)
    chosen: dict[str, str] = {}
    found: dict[str, Any] = {}
    chosen["title"], found["title"] = first_title(
        sources, (*fields.title, "feed:title", *TITLES, "//h1"), fields.affixes
    )
    chosen["published"], *dates = first_date(sources, published)
    found["published"], found["published_raw"] = dates
    chosen["modified"], *dates = first_modified(sources, modified)
    found["modified"], found["modified_raw"] = dates
    found["date_confidence"] = _rate_dates(sources, fields, chosen, found)
    chosen["authors"], found["authors"] = first_authors(
        sources, (*fields.authors, "feed:author", *AUTHORS, LINE_CREDIT)
    )
    chosen["tags"], found["tags"] = first_terms(sources, (*fields.tags, "feed:tags"))
    return found, {name: kind_of(source, is_learned) for name, source in chosen.items() if source}


def _rate_dates(
    sources: PageSources, fields: FieldSources, chosen: dict[str, str], found: dict[str, Any]
) -> dict[str, float]:
    """The confidence in the dates that were found."""
    published, modified = found["published"], found["modified"]
    rated = {
        "published": rate_published(sources, fields, chosen["published"], published),
        "modified": rate_modified(sources, chosen["modified"], modified, published),
    }
    return {name: confidence for name, confidence in rated.items() if confidence}


def _read_declared(sources: PageSources, fields: FieldSources, content: Content) -> Found:
    """The language of the content, and the other fields that the page declares, or that HTML
    marks, except for media."""
    breadcrumb, breadcrumbs = first_breadcrumbs(sources, fields.breadcrumbs)
    category, categories = first_terms(sources, fields.categories)
    summary = next((source for source in _SUMMARIES if sources.texts(source)), "")
    canonical = _canonical_url(sources)
    expected = sources.expected_language or sources.page.language
    if are_relatives(expected, sources.page.language):
        expected = sources.page.language
    language = detect_language(content.text, expected)
    is_declared = not language and sources.page.root.get("lang")
    found = {
        "summary": strip_markup(sources.texts(summary)[0]) if summary else "",
        "categories": categories,
        "breadcrumbs": breadcrumbs,
        "language": language or sources.page.language,
        "site_name": next(iter(sources.site_names), ""),
        "canonical_url": canonical.value,
    }
    kinds = {
        "summary": kind_of(summary) if summary else "",
        "categories": kind_of(category).replace("template", "html") if category else "",
        "breadcrumbs": kind_of(breadcrumb) if breadcrumb else "",
        "language": "html" if is_declared else "text",
        "site_name": sources.site_kind,
        "canonical_url": canonical.source,
    }
    return found, kinds


def _read_media(sources: PageSources, content: Content) -> Found:
    images, videos, audios, links = find_media(content, sources)
    main_image = find_main_image(sources, images)
    found = {
        "images": images,
        "videos": videos,
        "audios": audios,
        "links": links,
        "main_image": main_image.value,
    }
    return found, {"main_image": main_image.source}


def _canonical_url(sources: PageSources) -> Field:
    """The canonical URL that the page declares, absolute."""
    base = sources.page.base_url
    links = sources.declared.head["link"]
    given = [
        ("html", link.get("href", ""))
        for link in links
        if (link.get("rel") or "").lower() == "canonical"
    ]
    given.append(("opengraph", sources.declared.first_meta("og:url")))
    for kind, text in given:
        url = absolute_url(text, base) if text.strip() else ""
        if url.startswith("http") and urlsplit(url).hostname:
            return Field(url, kind)
    return Field()


#: At most this many images, videos and audio files each.
_MOST = 500
#: Images, videos, audio, links.
Media = tuple[tuple[Image, ...], tuple[MediaFile, ...], tuple[MediaFile, ...], tuple[Link, ...]]


def find_media(content: Content, sources: PageSources) -> Media:
    """The media and links of the content, without duplicates, in document order; then videos and
    audio that the page declares, and the files of the feed entry."""
    files = _entry_files(sources)
    images = {image.url: image for image in content.images[::-1]}
    found = tuple(reversed(images.values()))
    found += tuple(
        Image(file.url, type=file.type, length=file.length)
        for file in files
        if file.kind == "image" and file.url not in images
    )
    played = [(one.url, one.is_audio) for one in content.media]
    played += _declared_players(sources, sources.page.base_url)
    links = {link.url: link for link in reversed(content.links)}
    videos = _merge((url for url, is_audio in played if not is_audio), files, "video")
    audios = _merge((url for url, is_audio in played if is_audio), files, "audio")
    return found[:_MOST], videos, audios, tuple(reversed(links.values()))


def _merge(urls: Iterable[str], files: tuple[MediaFile, ...], kind: str) -> tuple[MediaFile, ...]:
    """The files of the URLs, then those of the kind, without duplicates."""
    known = {file.url: file for file in reversed(files) if file.kind == kind}
    order = dict.fromkeys((*urls, *reversed(known)))
    return tuple(known.get(url, MediaFile(url)) for url in order)[:_MOST]


def _entry_files(sources: PageSources) -> tuple[MediaFile, ...]:
    entry = sources.page.entry
    return () if entry is None or entry.signifiers_only else entry.enclosures


def find_main_image(sources: PageSources, images: tuple[Image, ...]) -> Field:
    """The image that the page declares for the article, else the first in its text."""
    for kind, given in _declared_images(sources.declared):
        if given and (url := absolute_url(given, sources.page.base_url)).startswith("http"):
            return Field(url, kind)
    if not images:
        return Field()
    is_entry = any(file.url == images[0].url for file in _entry_files(sources))
    return Field(images[0].url, "feed" if is_entry else "text")


def _declared_images(declared: Declared) -> Iterator[tuple[str, str]]:
    """Kinds of sources and URLs, best first."""
    yield "json-ld", _image_of(declared.article.get("image"))
    yield "opengraph", declared.first_meta("og:image:secure_url", "og:image", "og:image:url")
    yield "microdata", _image_of(declared.item.get("image"))
    yield "meta", declared.first_meta("twitter:image", "twitter:image:src", "image")
    yield "html", _linked_image(declared)
    yield "json-ld", _image_of(declared.article.get("thumbnailUrl"))
    yield "meta", declared.first_meta("thumbnail", "thumbnailurl")


def _linked_image(declared: Declared) -> str:
    """The image that a ``link`` of the page names, as ``rel=image_src`` or by its property."""
    for link in declared.head["link"]:
        relations = (link.get("rel") or "").lower().split()
        if "image_src" in relations or link.get("itemprop") == "image":
            return link.get("href") or ""
    return ""


def _image_of(value: Any) -> str:
    for one in as_list(value):
        if isinstance(one, dict):
            one = text_of(one.get("url")) or text_of(one.get("contentUrl"))
        if isinstance(one, str) and one.strip():
            return one.strip()
    return ""


def _declared_players(sources: PageSources, base: str) -> Iterator[tuple[str, bool]]:
    """The same for videos and audio of the article's JSON-LD node (those of other nodes may be
    from other pages) and of OpenGraph."""
    for name, is_audio in (("video", False), ("audio", True)):
        for node in as_list(sources.declared.article.get(name)):
            url = absolute_url(_player_of(node), base) if isinstance(node, dict) else ""
            if url.startswith("http"):
                yield url, is_audio
    for name, is_audio in (("og:video", False), ("og:audio", True)):
        given = sources.declared.first_meta(f"{name}:secure_url", f"{name}:url", name)
        if (url := absolute_url(given, base) if given else "").startswith("http"):
            yield url, is_audio


def _player_of(node: Properties) -> str:
    return text_of(node.get("contentUrl")) or text_of(node.get("embedUrl"))
