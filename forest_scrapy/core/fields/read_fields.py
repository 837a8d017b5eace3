"""Reading the fields of a page, from the sources that its template taught; its images, videos,
audio and links."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from forest_scrapy.core.fields.learn_authors import (
    AUTHORS,
    LINE_CREDIT,
    first_authors,
    learn_authors,
)
from forest_scrapy.core.fields.learn_dates import (
    EXTERNAL_MODIFIED,
    MODIFIED,
    PUBLISHED,
    SourceDate,
    find_site_dates,
    first_date,
    first_future_text,
    first_modified,
    learn_modified,
    learn_order,
    learn_published,
    rate_modified,
    rate_published,
)
from forest_scrapy.core.fields.metadata import Field, FieldSources, Metadata
from forest_scrapy.core.fields.source_readers import kind_of
from forest_scrapy.core.fields.sources import PageSources
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
    declared_language,
    detect_language,
    most_common_language,
    relatives_of,
)
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import strip_markup
from forest_scrapy.core.page.urls import absolute_url

#: Pages that the sources of fields are learned from.  With four, a date and the authors of three
#: pages of feeds-dev are lost, of 1,251.
_MAX_PAGES = 5


def learn_fields(
    pages: Sequence[Page],
    texts: Sequence[str] = (),
) -> FieldSources:
    """The sources of each field in the order they are tried, for all pages of the template.

    ``pages``: a sample, of which the first five are used; all tell the order of day and month.
    ``texts``: the texts of their articles, for the language.
    The pages' feed entries are evidence, and a source among others, unless they are for
    signifiers only.  The result depends on the set of pages, not on their order.  Cost: some
    5 to 10 ms per page.
    """
    language = most_common_language(texts[:_MAX_PAGES])
    order = learn_order([PageSources(page) for page in pages])
    pages = pages[:_MAX_PAGES]
    if len({page.url for page in pages}) == len(pages):
        pages = sorted(pages, key=lambda page: page.url)
    else:
        pages = sorted(pages, key=lambda page: (page.url, page.text_digest))
    page_sources = [PageSources(page) for page in pages]
    learned = learn_from_sources(page_sources, order)
    if not language:
        return learned
    return replace(learned, language=(f"text:{language}",))


def learn_from_sources(pages: Sequence[PageSources], order: str) -> FieldSources:
    """``learn_fields``, from pages whose sources may have been read already; ``order``: as of
    ``learn_order``."""
    if order:
        pages = [replace(page, date_order=order) for page in pages]
    title_sources, affixes = learn_titles(pages)
    titles = []
    for page in pages:
        _, title = first_title(page, (*title_sources, *TITLES), affixes)
        titles.append(title)
    published = learn_published(pages, titles)
    return FieldSources(
        title=title_sources,
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

#: At most this many images, videos and audio files each.
_MAX_FILES = 500


@dataclass
class _FoundFields:
    """Values by field, and kinds of their sources by field."""

    values: dict[str, Any]
    kinds: dict[str, str]


class PageMedia(NamedTuple):
    """The images, videos, audio files and links of a page."""

    images: tuple[Image, ...]
    videos: tuple[MediaFile, ...]
    audios: tuple[MediaFile, ...]
    links: tuple[Link, ...]


def read_fields(
    page: Page,
    fields: FieldSources | None = None,
    content: Content = NO_CONTENT,
    fetched_at: str = "",
    external_texts: Mapping[str, str] = MappingProxyType({}),
) -> Metadata:
    """All fields of a page.

    ``fields``: what was learned from its template; None or empty: the page's own sources are
    ranked by how well they agree.  ``content``: what the article holds.
    ``fetched_at``: ISO 8601; relative dates are relative to it, and later dates are ignored.
    ``external_texts``: those of sources that are not on the page, such as ``http:last-modified``.
    A field that the page lacks is taken from its feed entry, unless that is for signifiers only.
    Cost: some 4 times the parse of the page if ``fields`` are given, 12 times if not.
    """
    expected_language = ""
    if fields:
        expected_language = next(iter(fields.language), "")
    sources = PageSources(
        page,
        fetched_at=fetched_at,
        expected_language=expected_language.removeprefix("text:"),
        external_texts=external_texts,
        date_order=fields.date_order if fields else "",
    )
    learned = fields or learn_from_sources([sources], learn_order([sources]))
    if learned.date_order != sources.date_order:
        sources = replace(sources, date_order=learned.date_order)

    values: dict[str, Any] = {}
    kinds: dict[str, str] = {}
    for found_fields in (
        _read_learned(sources, learned, is_learned=bool(fields)),
        _read_declared(sources, learned, content),
        _read_media(sources, content),
    ):
        values |= found_fields.values
        kinds |= found_fields.kinds
    kinds = {name: kind for name, kind in sorted(kinds.items()) if kind and values.get(name)}
    return Metadata(**values, sources=kinds)


class PageDates(NamedTuple):
    """The dates of publication and of the last change of a page (ISO 8601, ``""`` if unknown), and
    the confidence in each, as of ``Article.date_confidence``."""

    published: str
    modified: str
    confidence: dict[str, float]


def read_page_dates(
    page: Page,
    title: str,
    fetched_at: str = "",
    external_texts: Mapping[str, str] = MappingProxyType({}),
    are_shown_read: bool = True,
) -> PageDates:
    """The dates of a page that is no article.

    ``are_shown_read``: whether those that it shows are its own.  On a list or a product they are
    those of items and of reviews; there the declared ones of articles are, too.
    Cost: some 2 ms, or less than one if those that it shows are not read.
    """
    sources = PageSources(page, fetched_at=fetched_at, external_texts=external_texts)
    if are_shown_read:
        order = learn_order([sources])
        sources = replace(sources, date_order=order)
        published_sources = learn_published([sources], [title])
        modified_sources = (*learn_modified([sources]), *EXTERNAL_MODIFIED)
    else:
        published_sources = tuple(source for source in PUBLISHED if not _is_of_article(source))
        published_sources = (*published_sources, "url:date")
        modified_sources = tuple(source for source in MODIFIED if not _is_of_article(source))
        modified_sources += EXTERNAL_MODIFIED
    published = first_date(sources, published_sources)
    modified = first_modified(sources, modified_sources)
    learned = FieldSources(published=published_sources)
    confidence = _rate_dates(
        sources,
        learned,
        published,
        modified,
        title=title if are_shown_read else None,
    )
    return PageDates(published.value, modified.value, confidence)


def _is_of_article(source: str) -> bool:
    """Whether a declared source is of an article, a review or the like on the page."""
    return source.startswith(("json-ld:", "microdata:"))


def _read_learned(
    sources: PageSources,
    fields: FieldSources,
    is_learned: bool,
) -> _FoundFields:
    """Title, dates, authors and tags: from the learned sources, else from the feed, else from
    those that no page had in learning.  The first source that has the field ends the search."""
    title_sources = (*fields.title, "feed:title", *TITLES, "//h1")
    title_source, title = first_title(sources, title_sources, fields.affixes)
    declared = [source for source in PUBLISHED if source not in fields.site_dates]
    published_sources = (*fields.published, "feed:published", *declared)
    published = first_date(sources, published_sources)
    modified_sources = (*fields.modified, "feed:updated", *MODIFIED, *EXTERNAL_MODIFIED)
    modified = first_modified(sources, modified_sources)
    if not published.value:
        published = SourceDate(text=first_future_text(sources, published_sources))
    if not modified.value:
        modified = SourceDate(text=first_future_text(sources, modified_sources))
    author_sources = (*fields.authors, "feed:author", *AUTHORS, LINE_CREDIT)
    author_source, authors = first_authors(sources, author_sources)
    tag_sources = (*fields.tags, "feed:tags")
    tag_source, tags = first_terms(sources, tag_sources)

    values = {
        "title": title,
        "published": published.value,
        "published_raw": published.text,
        "modified": modified.value,
        "modified_raw": modified.text,
        "date_confidence": _rate_dates(
            sources,
            fields,
            published,
            modified,
            title=None if is_learned else title,
        ),
        "authors": authors,
        "tags": tags,
    }
    chosen_sources = {
        "title": title_source,
        "published": published.source,
        "modified": modified.source,
        "authors": author_source,
        "tags": tag_source,
    }
    kinds = {}
    for name, source in chosen_sources.items():
        if source:
            kinds[name] = kind_of(source, is_learned)
    return _FoundFields(values, kinds)


def _rate_dates(
    sources: PageSources,
    fields: FieldSources,
    published: SourceDate,
    modified: SourceDate,
    title: str | None,
) -> dict[str, float]:
    """The confidence in the dates that were found; ``title``: as of ``rate_published``."""
    confidence = {}
    published_confidence = rate_published(
        sources,
        fields,
        published.source,
        published.value,
        title,
    )
    if published_confidence:
        confidence["published"] = published_confidence
    modified_confidence = rate_modified(sources, modified.source, modified.value, published.value)
    if modified_confidence:
        confidence["modified"] = modified_confidence
    return confidence


def _read_declared(
    sources: PageSources,
    fields: FieldSources,
    content: Content,
) -> _FoundFields:
    """The language of the content, and the other fields that the page declares, or that HTML
    marks, except for media."""
    breadcrumb_source, breadcrumbs = first_breadcrumbs(sources, fields.breadcrumbs)
    category_source, categories = first_terms(sources, fields.categories)
    summary_source = ""
    summary = ""
    for source in sources.present(_SUMMARIES):
        texts = sources.texts(source)
        if texts:
            summary_source = source
            summary = strip_markup(texts[0])
            break
    canonical = _canonical_url(sources)
    language = _detect_language(sources, content)
    page_declares_language = not language and sources.page.root.get("lang")
    values = {
        "summary": summary,
        "categories": categories,
        "breadcrumbs": breadcrumbs,
        "language": language or sources.page.language,
        "site_name": next(iter(sources.site_names), ""),
        "canonical_url": canonical.value,
    }
    kinds = {
        "summary": kind_of(summary_source),
        "categories": kind_of(category_source).replace("template", "html"),
        "breadcrumbs": kind_of(breadcrumb_source),
        "language": "html" if page_declares_language else "text",
        "site_name": sources.site_kind,
        "canonical_url": canonical.source,
    }
    return _FoundFields(values, kinds)


def _detect_language(sources: PageSources, content: Content) -> str:
    """The language of the content; ``""`` if its text does not tell."""
    page_language = sources.page.language
    is_declared = bool(declared_language(sources.page.root))
    expected = sources.expected_language
    if is_declared and (not expected or are_relatives(expected, page_language)):
        expected = page_language
    elif not expected and not relatives_of(page_language):
        expected = page_language  # by its stop words, which languages that are alike share
    return detect_language(content.text, expected)


def _read_media(sources: PageSources, content: Content) -> _FoundFields:
    media = find_media(content, sources)
    main_image = find_main_image(sources, media.images)
    values = {
        "images": media.images,
        "videos": media.videos,
        "audios": media.audios,
        "links": media.links,
        "main_image": main_image.value,
    }
    return _FoundFields(values, {"main_image": main_image.source})


def _canonical_url(sources: PageSources) -> Field:
    """The canonical URL that the page declares, absolute."""
    declared_urls = []
    for link in sources.declared.head["link"]:
        relation = (link.get("rel") or "").lower()
        if relation == "canonical":
            declared_urls.append(Field(link.get("href", ""), "html"))
    sharing_url = sources.declared.first_meta("og:url")
    declared_urls.append(Field(sharing_url, "opengraph"))

    for declared in declared_urls:
        if not declared.value.strip():
            continue
        url = absolute_url(declared.value, sources.page.base_url)
        if url.startswith("http") and urlsplit(url).hostname:
            return Field(url, declared.source)
    return Field()


def find_media(content: Content, sources: PageSources) -> PageMedia:
    """The media and links of the content, without duplicates, in document order; then videos and
    audio that the page declares, and the files of the feed entry."""
    files = _entry_files(sources)
    image_by_url = {image.url: image for image in reversed(content.images)}
    images = list(reversed(image_by_url.values()))
    for file in files:
        if file.kind == "image" and file.url not in image_by_url:
            image = Image(file.url, type=file.type, length=file.length)
            images.append(image)

    players = [_Player(media.url, media.is_audio) for media in content.media]
    players += _declared_players(sources)
    video_urls: list[str] = []
    audio_urls: list[str] = []
    for player in players:
        urls = audio_urls if player.is_audio else video_urls
        urls.append(player.url)
    link_by_url = {link.url: link for link in reversed(content.links)}
    return PageMedia(
        images=tuple(images[:_MAX_FILES]),
        videos=_join_files(video_urls, files, "video"),
        audios=_join_files(audio_urls, files, "audio"),
        links=tuple(reversed(link_by_url.values())),
    )


def _join_files(
    urls: Iterable[str],
    entry_files: Sequence[MediaFile],
    kind: str,
) -> tuple[MediaFile, ...]:
    """The files of the URLs, then those of the entry of the kind, without duplicates."""
    file_by_url = {}
    for file in reversed(entry_files):
        if file.kind == kind:
            file_by_url[file.url] = file
    all_urls = dict.fromkeys((*urls, *reversed(file_by_url)))
    files = [file_by_url.get(url, MediaFile(url)) for url in all_urls]
    return tuple(files[:_MAX_FILES])


def _entry_files(sources: PageSources) -> tuple[MediaFile, ...]:
    entry = sources.page.entry
    if entry is None or entry.signifiers_only:
        return ()
    return entry.enclosures


def find_main_image(sources: PageSources, images: tuple[Image, ...]) -> Field:
    """The image that the page declares for the article, else the first in its text."""
    for declared in _declared_images(sources.declared):
        if not declared.value:
            continue
        url = absolute_url(declared.value, sources.page.base_url)
        if url.startswith("http"):
            return Field(url, declared.source)
    if not images:
        return Field()
    is_from_entry = any(file.url == images[0].url for file in _entry_files(sources))
    return Field(images[0].url, "feed" if is_from_entry else "text")


def _declared_images(declared: Declared) -> Iterator[Field]:
    """The URLs of images, best first; ``""`` for what the page does not declare."""
    image = _image_of(declared.article.get("image"))
    yield Field(image, "json-ld")
    yield Field(declared.first_meta("og:image:secure_url", "og:image", "og:image:url"), "opengraph")
    image = _image_of(declared.item.get("image"))
    yield Field(image, "microdata")
    yield Field(declared.first_meta("twitter:image", "twitter:image:src", "image"), "meta")
    yield Field(_linked_image(declared), "html")
    thumbnail = _image_of(declared.article.get("thumbnailUrl"))
    yield Field(thumbnail, "json-ld")
    yield Field(declared.first_meta("thumbnail", "thumbnailurl"), "meta")


def _linked_image(declared: Declared) -> str:
    """The image that a ``link`` of the page names, as ``rel=image_src`` or by its property."""
    for link in declared.head["link"]:
        relation = link.get("rel") or ""
        relations = relation.lower().split()
        if "image_src" in relations or link.get("itemprop") == "image":
            return link.get("href") or ""
    return ""


def _image_of(value: Any) -> str:
    """The URL of the first image in a value of JSON-LD or microdata."""
    for image in as_list(value):
        if isinstance(image, dict):
            image = text_of(image.get("url")) or text_of(image.get("contentUrl"))
        if isinstance(image, str) and image.strip():
            return image.strip()
    return ""


class _Player(NamedTuple):
    """The URL of a video, or of an audio file."""

    url: str
    is_audio: bool


def _declared_players(sources: PageSources) -> Iterator[_Player]:
    """The videos and audio files of the article's JSON-LD node (those of other nodes may be from
    other pages) and of OpenGraph."""
    base = sources.page.base_url
    for name in ("video", "audio"):
        values = as_list(sources.declared.article.get(name))
        for node in values:
            if not isinstance(node, dict):
                continue
            url = absolute_url(_player_url(node), base)
            if url.startswith("http"):
                yield _Player(url, is_audio=name == "audio")
    for name in ("og:video", "og:audio"):
        declared = sources.declared.first_meta(f"{name}:secure_url", f"{name}:url", name)
        url = absolute_url(declared, base) if declared else ""
        if url.startswith("http"):
            yield _Player(url, is_audio=name == "og:audio")


def _player_url(node: Properties) -> str:
    url = text_of(node.get("contentUrl"))
    return url or text_of(node.get("embedUrl"))
