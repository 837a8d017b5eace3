"""Images, videos, audio and links of an article."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from forest_scrapy.core.fields.metadata import Field
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.page.content import Content, Image, Link, MediaFile
from forest_scrapy.core.page.declared import Declared, Properties, as_list, text_of
from forest_scrapy.core.page.urls import absolute_url

__all__ = ["Media", "find_main_image", "find_media"]

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
    yield "json-ld", _image_of(declared.article.get("thumbnailUrl"))


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
