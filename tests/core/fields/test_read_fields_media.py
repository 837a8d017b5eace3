"""Images, videos, audio and links of an article."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Entry, Page
from forest_scrapy.core.fields.metadata import Field
from forest_scrapy.core.fields.read_fields import PageMedia, find_main_image, find_media
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.page.content import NO_CONTENT, Image, Link, MediaFile
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.tree import parse_html

BASE = "http://a.example/1"


def read(head: str) -> PageSources:
    return PageSources(Page.from_html(f"<html><head>{head}</head><body>", BASE))


def find(fragment: str, head: str = "") -> PageMedia:
    return find_media(read_content(parse_html(fragment), base=BASE), read(head))


def test_images_with_their_captions() -> None:
    images, *_ = find(
        "<figure><img src=/a.jpg alt=' A  boat '><figcaption>At <b>sea</b></figcaption></figure>"
        "<img src=/a.jpg><img src=b.jpg>"
    )
    assert images == (
        Image("http://a.example/a.jpg", "A boat", "At sea"),
        Image("http://a.example/b.jpg"),
    )


def test_links_to_other_pages() -> None:
    *_, links = find("<a href=/2>two</a> <a href=#top>up</a> <a href=mailto:x@y.z>x</a> <a>a</a>")
    assert links == (Link("http://a.example/2", "two"),)


@pytest.mark.parametrize(
    ("markup", "videos", "audios"),
    [
        ("<video src=/v.mp4></video>", ("http://a.example/v.mp4",), ()),
        ("<video><source src=/v.mp4><source src=/v.ogv></video>", ("http://a.example/v.mp4",), ()),
        ("<audio src=/s.mp3></audio>", (), ("http://a.example/s.mp3",)),
        ("<iframe src=https://v.example/embed/1></iframe>", ("https://v.example/embed/1",), ()),
        ("<iframe src=https://p.example/podcast/1></iframe>", (), ("https://p.example/podcast/1",)),
        ("<iframe src=https://ads.example/1></iframe>", (), ()),
    ],
)
def test_players(markup: str, videos: tuple[str, ...], audios: tuple[str, ...]) -> None:
    _, found_videos, found_audios, _ = find(markup)
    assert found_videos == tuple(map(MediaFile, videos))
    assert found_audios == tuple(map(MediaFile, audios))


def test_declared_players_come_after_those_in_the_text() -> None:
    head = "<meta property=og:video content=/w.mp4><meta property=og:audio content=/s.mp3>"
    assert find("<video src=/v.mp4></video>", head)[1:3] == (
        (MediaFile("http://a.example/v.mp4"), MediaFile("http://a.example/w.mp4")),
        (MediaFile("http://a.example/s.mp3"),),
    )


def test_files_of_the_feed_entry() -> None:
    files = (
        MediaFile("http://a.example/v.mp4", "video/mp4", 7),
        MediaFile("http://a.example/1.mp3", "audio/mpeg", 9000),
        MediaFile("http://a.example/o.jpg", "image/jpeg"),
        MediaFile("http://a.example/b.jpg", "image/jpeg", 5),
        MediaFile("http://a.example/paper.pdf", "application/pdf"),
    )
    entry = Entry(enclosures=files)
    page = Page.from_html("<html><body>", BASE, entry)
    content = read_content(parse_html("<img src=/o.jpg><video src=/v.mp4></video>"), base=BASE)
    images, videos, audios, _ = find_media(content, PageSources(page))
    assert images == (
        Image("http://a.example/o.jpg"),
        Image("http://a.example/b.jpg", type="image/jpeg", length=5),
    )
    assert (videos, audios) == (files[:1], files[1:2])
    withheld = Page.from_html("<html><body>", BASE, entry.for_signifiers())
    assert find_media(NO_CONTENT, PageSources(withheld)) == ((), (), (), ())
    assert find_main_image(PageSources(page), images[1:]) == Field("http://a.example/b.jpg", "feed")


def test_the_main_image_is_declared_or_the_first_in_the_text() -> None:
    images = (Image("http://a.example/a.jpg"),)
    assert find_main_image(read(""), ()) == Field()
    assert find_main_image(read(""), images) == Field("http://a.example/a.jpg", "text")
    declared = read("<meta property=og:image content=/o.jpg><meta name=image content=/m.jpg>")
    assert find_main_image(declared, images) == Field("http://a.example/o.jpg", "opengraph")


@pytest.mark.parametrize(
    ("element", "source"),
    [
        ("<meta name=image content=/m.jpg>", "meta"),
        ("<meta itemprop=image content=/m.jpg>", "meta"),
        ("<meta name=thumbnail content=/m.jpg>", "meta"),
        ("<link rel=image_src href=/m.jpg>", "html"),
        ("<link itemprop=image href=/m.jpg>", "html"),
    ],
)
def test_older_ways_to_declare_the_main_image(element: str, source: str) -> None:
    images = (Image("http://a.example/a.jpg"),)
    assert find_main_image(read(element), images) == Field("http://a.example/m.jpg", source)
