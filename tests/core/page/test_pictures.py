"""Images as sites write them: the largest file, once, and no icons or placeholders."""

# ruff: noqa: E501 (tables of markup)

from __future__ import annotations

import pytest
from effort import limited_effort
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.pictures import background_url, image_url, picture_key, read_set
from forest_scrapy.core.page.tree import parse_html

from ..helpers import make_page

BASE = "http://a.example/x/"
PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="


def images_of(html: str) -> list[str]:
    """The names of the files of the images in the content."""
    content = read_content(
        parse_html(f"<div><p>Before</p>{html}<p>After</p></div>")[0][0], (), BASE
    )
    urls = [image.url for image in content.images]
    assert [content.markup.count(f'src="{url}"'.replace("&", "&amp;")) for url in urls] == [
        1
    ] * len(urls)
    assert "After" in content.text
    return [url.removeprefix("http://a.example/") for url in urls]


@pytest.mark.parametrize(
    ("image", "url"),
    [
        ("<img src=/a.png>", "a.png"),
        ("<img src=data:,x data-src=/a.png>", "a.png"),
        ("<img srcset='/s.png 1x, /l.png 2x'>", "l.png"),
        ("<img src=/s.png srcset='/m.png 1.5x, /l.png 2x'>", "l.png"),
        ("<img src=/s.png srcset='/m.png 400w, /l.png 1600w, /n.png 800w'>", "l.png"),
        ("<img src=/s.png data-srcset='/m.png 400w,/l.png 1600w'>", "l.png"),
        ("<img src=/s.png srcset='/t.png 20w' data-lazy-srcset='/l.png 800w'>", "l.png"),
        ("<img src=/s.png srcset='/f/w_9,c_fill/a.png 400w, /f/w_99,c_fill/a.png 848w'>", "f/w_99,c_fill/a.png"),
        ("<img src=/t.png data-orig-file=/o.png data-large-file=/l.png>", "o.png"),
        (f"<img src={PIXEL} srcset='{PIXEL} 1w' data-lazy-src=/a.png>", "a.png"),
        ("<img src=/img/blank.gif data-original=/a.png>", "a.png"),
        ("<img src=/a.png data-src=/img/placeholder.png>", "a.png"),
        ("<img src=/a.png data-src='/{width}x/a.png'>", "a.png"),
        ("<img src='/_next/image?url=%2Fa.png&w=640&q=75' srcset='/_next/image?url=%2Fa.png&w=1920&q=75 1920w'>", "_next/image?url=%2Fa.png&w=1920&q=75"),
        ("<img data-my-src=https://a.example/a>", "https://a.example/a"),
        ("<img src='' data-delay=i/a.png data-id=7>", "x/i/a.png"),
        ("<img src=data:, data-srcs='{\"http://a.example/a\": {}}'>", "a"),
        ("<img data-name='owl' data-page=/owl.html>", ""),
        ("<img src=/a.png width=600 height=400>", "a.png"),
        ("<img src=/a.png width=100% height=auto>", "a.png"),
        ("<img src=/a.png style='width: 640px'>", "a.png"),
        ("<img src=/logo.png width=162 height=29>", "logo.png"),
        ("<img src=/rule.png width=600 height=4>", ""),
        ("<img src=/a.png width=600 height=0>", "a.png"),
        ("<img src=/a.png width=0 height=0>", ""),
        ("<img src=//:0 data-li-src=/a.png>", "a.png"),
        ("<img class=latex src=/a.png height=18>", "a.png"),
        ("<img class=iconic src=/loading-dock.jpg>", "loading-dock.jpg"),
        ("<amp-img src=/a.png srcset='/b.png 900w'></amp-img>", "b.png"),
        ("<img src=/a.png width=1 height=1>", ""),
        ("<img src=/a.png width=24 height=24>", ""),
        ("<img src=/a.png style='height:16px'>", ""),
        ("<img src=/a.png class='author-avatar big'>", ""),
        ("<img src=https://secure.gravatar.com/avatar/8?s=96>", ""),
        ("<img src=/img/spacer.gif>", ""),
        ("<img src=/grey-placeholder.png>", ""),
        ("<img src=/lazy-image-placeholder.jpg srcset=/img/1x1.gif>", ""),
        ("<img src=/empty-quarter.jpg>", "empty-quarter.jpg"),
        ("<img srcset=/t.jpg data-srcset=/a.jpg>", "a.jpg"),
        (f"<img src='{PIXEL}'>", ""),
        ("<img src='http://['>", ""),
        ("<img>", ""),
    ],
)  # fmt: skip
def test_the_largest_file_of_an_image(image: str, url: str) -> None:
    element = next(make_page(image).root.iter("img", "amp-img"))
    assert image_url(element, BASE).removeprefix("http://a.example/") == url


@pytest.mark.parametrize("width", [" " * 9 + "100", "\t1\n", "9" * 5000, "²"])
def test_any_width_is_read(width: str) -> None:
    image = make_page("<img src=/a.png>").root.find(".//img")
    image.set("width", width)
    assert image_url(image, BASE) == ("" if width.strip() == "1" else "http://a.example/a.png")


@pytest.mark.parametrize(
    ("html", "names"),
    [
        ("<img src=data:,x data-src=/a.png><noscript><img src=/a.png></noscript>", ["a.png"]),
        ("<noscript><img src=/a.png></noscript><img class=lazy data-src=/a.png>", ["a.png"]),
        ("<img class=lazy><noscript><img src=/a.png srcset='/b.png 900w'></noscript>", ["b.png"]),
        ("<img src=/blurred.jpg><noscript><img src=/a.png></noscript>", ["a.png"]),
        ("<div class=lazy></div><noscript><img src=/a.png></noscript>", ["a.png"]),
        (
            "<div><img data-src=/a.png></div><noscript><img src=/a-300x200.png></noscript>",
            ["a.png"],
        ),
        (
            "<img data-src=/a.png><noscript><img src=/a.png></noscript>"
            "<img data-src=/b.png><noscript><img src=/b.png></noscript>",
            ["a.png", "b.png"],
        ),
        (
            "<img src=/a.png><noscript><img src=/tr?id=1 width=1 height=1></noscript>",
            ["a.png"],
        ),
        ("<noscript><img src=/tr?id=1 style='display:none'>Please use scripts</noscript>", []),
        ("<p>Owls <noscript><img src=/a.png></noscript> fly</p>", ["a.png"]),
    ],
)
def test_images_for_browsers_without_scripts_are_not_doubled(html: str, names: list[str]) -> None:
    assert images_of(html) == names


@pytest.mark.parametrize(
    ("html", "names"),
    [
        ("<picture><source srcset='/a.webp 800w' type=image/webp><img src=/a.png></picture>", ["a.webp"]),
        ("<picture><source srcset=/a.webp type=image/webp><img src=/a.png></picture>", ["a.png"]),
        (
            "<picture><source srcset='/l.jpg' media='(min-width: 60em)'>"
            "<source srcset='/m.jpg' media='(min-width: 600px)'><img src=/s.jpg></picture>",
            ["l.jpg"],
        ),
        ("<picture><source data-srcset='/s.jpg 400w, /l.jpg 900w'><img src=data:,></picture>", ["l.jpg"]),
        ("<picture><source data-srcset='/a.jpg 1x, /b.jpg 2x'></picture>", ["b.jpg"]),
        (
            f"<div><img aria-hidden=true src='{PIXEL}'><picture><source srcset='/a.webp 900w'>"
            "<img data-main-image></picture><noscript><picture><img src=/a.jpg></picture></noscript></div>",
            ["a.webp"],
        ),
        (
            "<figure><div><picture><source srcset='/a/640/i.jpeg 640w, /a/1400/i.jpeg 1400w'>"
            "<img src=/a/700/i.jpeg></picture></div><figcaption>Owls</figcaption></figure>",
            ["a/1400/i.jpeg"],
        ),
        ("<div class=separator><a href=/s1600/o.jpg><img src=/s320/o.jpg></a></div>", ["s320/o.jpg"]),
        ("<div><img class=img-preview src=/t.jpg><img data-src=/l.jpg></div>", ["l.jpg"]),
        ("<div><img src=/a.jpg><img src=/a.jpg></div>", ["a.jpg"]),
        ("<div><img src=/a.jpg><img src=/b.jpg></div>", ["a.jpg", "b.jpg"]),
        ("<amp-img src=/a.jpg><noscript><img src=/a.jpg></noscript></amp-img>", ["a.jpg"]),
        ("<figure><div style='background-image: url(\"/a.jpg\")'></div></figure>", ["a.jpg"]),
        ("<figure><div data-bg=/a.jpg></div><figcaption>Owls</figcaption></figure>", ["a.jpg"]),
        ("<div style='background-image: url(/a.jpg)'></div>", []),
        ("<figure><img src=/b.jpg><i style='background:url(/a.jpg)'></i></figure>", ["b.jpg"]),
        ("<div aria-hidden=true><img src=/a.jpg></div>", ["a.jpg"]),
        ("<div hidden><img src=/a.jpg></div>", []),
        ("<figure><img src=/a.jpg><img src=/b.jpg style='display:none'></figure>", ["a.jpg"]),
    ],
)  # fmt: skip
def test_images_of_pictures_figures_and_backgrounds(html: str, names: list[str]) -> None:
    assert images_of(html) == names


def test_the_label_of_a_button_on_an_image_is_no_text() -> None:
    html = (
        "<figure><button><span class=v6-visually-hidden>View fullsize</span>"
        "<img data-src=/a.png data-image=/a.png></button></figure><p>Owls</p>"
    )
    content = read_content(parse_html(f"<div>{html}</div>")[0][0], (), BASE)
    assert "fullsize" not in content.text + content.markup
    assert [image.url for image in content.images] == ["http://a.example/a.png"]


@pytest.mark.parametrize(
    ("html", "caption"),
    [
        ("<figure><img src=a.png><figcaption>An owl</figcaption></figure>", "An owl"),
        ("<figure><a href=b><img src=a.png></a><p class=credit>Me</p></figure>", ""),
        (
            "<div class='wp-caption alignnone'><a href=b><img src=a.png></a>"
            "<p class=wp-caption-text>An owl</p></div>",
            "An owl",
        ),
        (
            "<table class=tr-caption-container><tr><td><a href=b><img src=a.png></a></td></tr>"
            "<tr><td class=tr-caption>An owl</td></tr></table>",
            "An owl",
        ),
        ("<div><img src=a.png><div class='image-caption'>An owl</div></div>", "An owl"),
        ("<div><p><img src=a.png></p><p class=caption>An owl</p><p>More</p></div>", "An owl"),
        (
            "<figure><img src=a.png><figcaption aria-hidden=true><p>An owl</p></figcaption></figure>",
            "An owl",
        ),
    ],
)  # fmt: skip
def test_captions_of_images(html: str, caption: str) -> None:
    content = read_content(parse_html(f"<section>{html}</section>")[0][0], (), BASE)
    assert content.images[0].caption == caption
    assert caption in content.markup


def test_a_caption_without_its_image_stays() -> None:
    html = "<div><p>Owls</p><figure><figcaption>A chart of owls</figcaption></figure></div>"
    content = read_content(parse_html(html)[0][0], (), BASE)
    assert "<figure><figcaption>A chart of owls</figcaption></figure>" in content.markup


def test_a_dropped_figure_leaves_each_of_its_images_once() -> None:
    html = (
        "<div><p>a</p><figure><img data-src=/a.png><noscript><img src=/a.png></noscript>"
        "<picture><source srcset=/b.png><img src=/c.png></picture></figure></div>"
    )
    root = parse_html(html)[0][0]
    content = read_content(root, {root.find("figure")}, BASE)
    names = [image.url.rpartition("/")[2] for image in content.images]
    assert names == ["a.png", "c.png"]


@given(st.text())
def test_any_set_is_read(text: str) -> None:
    assert all(candidate.url for candidate in read_set(text))


@pytest.mark.parametrize("unit", [",", "a", "a,", "a ", "a 1x,", ", ", "\n"])
def test_long_sets_take_no_time(unit: str) -> None:
    with limited_effort(1):
        read_set(unit * 200_000)


@pytest.mark.parametrize("part", ["<picture>", "<source srcset=a>", "<img><noscript>", "<figure>"])
def test_many_nested_parts_take_no_time(part: str) -> None:
    root = parse_html(f"<div>{part * 2000}<img src=/a.png>")[0][0]
    with limited_effort(3):
        read_content(root, (), BASE)


def test_backgrounds_without_an_address_are_none() -> None:
    element = parse_html("<figure><div style='background-image: url()'></div></figure>")[0][0][0]
    assert background_url(element, BASE) == ""


def test_sizes_in_the_name_are_no_part_of_the_key() -> None:
    keys = {picture_key(f"http://a.example/i/owl{end}") for end in ("-9x9.jpg", ".png", "-2x.webp")}
    assert keys == {"owl"}


def test_a_late_file_may_be_named_like_a_placeholder_where_the_page_has_data() -> None:
    html = "<img data-src='/img/lazy.jpg' src='data:image/gif;base64,R0lGOD'>"
    image = parse_html(html).find(".//img")
    assert image_url(image, "https://a.example/") == "https://a.example/img/lazy.jpg"
    image.set("src", "/img/owl.jpg")
    assert image_url(image, "https://a.example/") == "https://a.example/img/owl.jpg"
