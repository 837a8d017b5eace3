"""Captions and credits that only their classes tell."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page, extract_page
from forest_scrapy.core.items import Article
from forest_scrapy.core.page.markup import find_caption, is_caption
from forest_scrapy.core.page.tree import Element, parse_html
from forest_scrapy.core.wrapper import Wrapper

CLASSES = [
    "bildunterschrift",
    "artikel__bildnachweis",
    "Bildtext",
    "field field--name-field-copyright",
    "legende",
    "légende-photo",
    "foto-credit",
    "photoCredit",
    "post-image-credit",
    "detail-img__description",
    "pie-de-foto",
    "didascalia",
    "fotobijschrift",
]


@pytest.mark.parametrize("names", CLASSES)
def test_words_for_captions(names: str) -> None:
    markup = f"<div><img src=a.jpg><div class='{names}'>The harbour</div></div>"
    assert is_caption(parse_html(markup).find(".//div/div"))
    long_text = "The boats are in the harbour. " * 20
    markup = markup.replace("The harbour", long_text)
    assert not is_caption(parse_html(markup).find(".//div/div"))


@pytest.mark.parametrize(
    "names",
    [
        "copyright",
        "credits",
        "field-body",
        "image-text",
        "legendary",
        "description",
        "bild",
        "source",
    ],
)
def test_other_words(names: str) -> None:
    markup = f"<div><img src=a.jpg><div class='{names}'>The harbour</div></div>"
    assert not is_caption(parse_html(markup).find(".//div/div"))


@pytest.mark.parametrize("around", ["figure", "div"])
def test_a_caption_with_its_credit(around: str) -> None:
    paragraph = "The boats of the harbour are painted each spring by their owners, said the mayor."
    paragraphs = "".join(f"<p>{paragraph} It was year {number}.</p>" for number in range(6))
    page = (
        f"<h1>Boats</h1><div class=text><p>First. {paragraph}</p><{around} class=media-block>"
        "<img src=/a.jpg width=600 height=400><div class=field-copyright>Foto: Eva</div>"
        f"<div class=bildunterschrift>Am Hafen</div></{around}>{paragraphs}</div>"
    )
    item = extract_page(Page.from_html(page, "http://a.example/1")).item
    assert isinstance(item, Article)
    assert "Am Hafen" not in item.text and "Foto: Eva" not in item.text
    (image,) = item.images
    assert image["caption"] == "Foto: Eva Am Hafen"


@pytest.mark.parametrize("names", ["photo-description", "image-description", "bildtext"])
def test_a_story_in_pictures(names: str) -> None:
    """What it tells stands beside its images."""
    parts = []
    for number in range(6):
        parts.append(
            f"<div class=photo><img src=/{number}.jpg width=600 height=400><p class='{names}'>"
            f"In the year {number}, the boats of the harbour were painted by owners.</p></div>"
        )
    intro = "<p>Six pictures of the harbour and of the people who painted its boats.</p>"
    body = f"<h1>Boats</h1><div class=text>{intro}{''.join(parts)}</div>"
    page = Page.from_html(body, "http://a.example/1")
    item = extract_page(page).item
    assert isinstance(item, Article)
    assert [f"year {number}" in item.text for number in range(6)] == [True] * 6
    assert [image["caption"][:10] for image in item.images] == ["In the yea"] * 6


@pytest.mark.parametrize("names", ["bildnachweis", "photo-description"])
def test_captions_between_the_blocks_of_an_article(names: str) -> None:
    """Whether they are text is asked of all blocks together."""
    caption = f"<div class='pic t'><img src=/a.jpg><div class='{names}'>Foto: dpa / Eva</div></div>"
    blocks = "".join(
        f"<p class=t>The boats of the harbour, year {n}.</p>{caption}" for n in range(9)
    )
    page = Page.from_html(f"<main>{blocks}</main>", "http://a.example/1")
    wrapper = Wrapper("x", ("//*[contains(concat(' ', @class, ' '), ' t ')]",))
    assert "dpa" not in wrapper.apply(page).content.body


def test_a_short_text_and_the_caption_of_its_image() -> None:
    """One caption tells no story, however short the text is."""
    long_caption = "The boats of the harbour are painted by their owners each spring, in May. " * 2
    html = (
        "<main><p>The boats are painted.</p><div><img src=/a.jpg><p class=bildunterschrift>"
        f"{long_caption}</p></div></main>"
    )
    content = Wrapper("x", ("//main",)).apply(Page.from_html(html, "http://a.example/1")).content
    assert content.body == "The boats are painted."


def test_a_class_with_more_than_the_word_for_captions() -> None:
    paragraph = "The boats of the harbour are painted each spring by their owners, said the mayor."
    body = (
        "<h1>Boats</h1><div class=text><img src=/a.jpg width=600 height=400>"
        f"<div class=bild-text-inhalt>{paragraph}</div>"
        + "".join(f"<p>{paragraph} It was year {number}.</p>" for number in range(6))
        + "</div>"
    )
    item = extract_page(Page.from_html(body, "http://a.example/1")).item
    assert isinstance(item, Article)
    assert item.text.count(paragraph) == 7


def test_many_empty_captions() -> None:
    """Only the first ones are read."""
    named = "<div class=bildtext></div>"
    figure = parse_html(f"<figure><img src=a.jpg>{named * 4}<p class=bildtext>At sea</p></figure>")
    assert find_figure_caption(figure) == "At sea"
    many = parse_html(f"<figure><img src=a.jpg>{named * 9}<p class=bildtext>At sea</p></figure>")
    assert find_figure_caption(many) == ""


def find_figure_caption(root: Element) -> str:
    image = root.find(".//img")
    assert image is not None
    return find_caption(image, root, {})
