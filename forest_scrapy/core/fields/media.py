"""Images, videos, audio and links of an article."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from forest_scrapy.core.document.queries import find_elements
from forest_scrapy.core.document.sanitize import absolute_url, image_url
from forest_scrapy.core.document.structured_data import Properties, as_list, text_of
from forest_scrapy.core.document.text import CAPTION, block_text
from forest_scrapy.core.document.tree import Element, parse_html
from forest_scrapy.core.fields.metadata import Field, Image, Link
from forest_scrapy.core.fields.sources import PageSources

__all__ = ["Media", "find_main_image", "find_media"]

#: At most this many images, videos and audio files each.
_MOST = 500
#: Parts of the URLs of embedded players, and of those that play audio.
_PLAYERS = ("/embed", "player", "video", "/e/", "podcast", "audio", "track")
_AUDIO = (".mp3", ".m4a", ".ogg", ".oga", ".wav", ".aac", "podcast", "audio", "soundcloud")
_CAPTIONS = (
    "ancestor::*[self::figure or contains(@class, 'caption')][1]"
    "//*[self::figcaption or contains(@class, 'caption-text')]"
)

#: Images, URLs of videos, URLs of audio, links.
Media = tuple[tuple[Image, ...], tuple[str, ...], tuple[str, ...], tuple[Link, ...]]


def find_media(fragment: str, sources: PageSources, base: str) -> Media:
    """The media and links in the article's HTML, without duplicates, in document order; videos
    and audio also as the page declares them.

    ``fragment``: the article's HTML; ``base``: what its URLs are relative to.
    """
    root = parse_html(f"<div>{fragment}</div>") if fragment else parse_html("")
    images = {image.url: image for image in reversed(list(_images(root, base)))}
    played = list(dict.fromkeys((*_players(root, base), *_declared_players(sources, base))))
    audios = tuple(url for url, is_audio in played if is_audio)[:_MOST]
    videos = tuple(url for url, is_audio in played if not is_audio)[:_MOST]
    links = {link.url: link for link in reversed(list(_links(root, base)))}
    return tuple(reversed(images.values()))[:_MOST], videos, audios, tuple(reversed(links.values()))


def find_main_image(sources: PageSources, images: tuple[Image, ...], base: str) -> Field:
    """The image that the page declares for the article, else the first in its text."""
    declared = sources.declared
    candidates = (
        ("json-ld", _image_of(declared.article.get("image"))),
        ("opengraph", declared.first_meta("og:image:secure_url", "og:image", "og:image:url")),
        ("microdata", _image_of(declared.item.get("image"))),
        ("meta", declared.first_meta("twitter:image", "twitter:image:src", "image")),
        ("json-ld", _image_of(declared.article.get("thumbnailUrl"))),
    )
    for kind, given in candidates:
        if given and (url := absolute_url(given, base)).startswith("http"):
            return Field(url, kind)
    return Field(images[0].url, "text") if images else Field()


def _image_of(value: Any) -> str:
    for one in as_list(value):
        if isinstance(one, dict):
            one = text_of(one.get("url")) or text_of(one.get("contentUrl"))
        if isinstance(one, str) and one.strip():
            return one.strip()
    return ""


def _images(root: Element, base: str) -> Iterator[Image]:
    for image in root.iter("img"):
        if url := image_url(image, base):
            captions = find_elements(_CAPTIONS, image)
            caption = block_text(captions[0]) if captions else image.get(CAPTION) or ""
            yield Image(url, _one_line(image.get("alt") or ""), _one_line(caption))


def _links(root: Element, base: str) -> Iterator[Link]:
    for link in root.iter("a"):
        url = absolute_url(link.get("href") or "", base) if link.get("href") else ""
        if url.startswith("http") and url.partition("#")[0] != base.partition("#")[0]:
            yield Link(url, _one_line(block_text(link)))


def _players(root: Element, base: str) -> Iterator[tuple[str, bool]]:
    """The URL of each player in the text, and whether it plays audio."""
    for element in root.iter("video", "audio", "iframe", "embed"):
        urls = [element.get(name) for name in ("src", "data-src", "data-lazy-src")]
        urls += [source.get("src") for source in element.iter("source")]
        for given in urls:
            url = absolute_url(given, base) if given else ""
            is_frame = element.tag in ("iframe", "embed")
            if url.startswith("http") and (not is_frame or any(p in url for p in _PLAYERS)):
                is_audio = element.tag == "audio" or any(s in url.lower() for s in _AUDIO)
                yield url, is_audio
                break


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


def _one_line(text: str) -> str:
    return " ".join(text.split())
