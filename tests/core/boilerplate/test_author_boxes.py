"""The box on the author at the end of an article."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Entry, Options, Page, extract_item, learn_rules
from forest_scrapy.core.items import Article
from forest_scrapy.core.wrapper import Wrapper

URL = "http://a.example/news/1"
PROSE = "<p>Forty boats came in at noon, with herring in their holds, and all had a crane.</p>"
LABEL = "<h3>About the author</h3>"
TEXT = "<p>Ana Bo has written on boats for twenty years.</p>"
PORTRAIT = "<img src=/ana.jpg>"
PHOTO = "<figure><img src=/boats.jpg><figcaption>Boats at noon</figcaption></figure>"


def article_of(body: str, drop: tuple[str, ...] = ()) -> Article:
    html = f"<meta name=author content='Ana Bo'><main>{3 * PROSE}{body}</main>"
    article = Wrapper("single", ("//main",), drop=drop).article(Page.from_html(html, URL))
    assert article is not None
    return article


def test_a_box_names_an_author_of_the_page_and_ends_the_article() -> None:
    box = LABEL + TEXT
    assert "Ana Bo" not in article_of(box).text and "About" not in article_of(box).text
    homer = box.replace("Ana Bo", "Homer")
    assert "Homer" in article_of(homer).text and "About" in article_of(homer).text
    assert "Ana Bo" in article_of(box + 4 * PROSE).text
    assert "Ana Bo" in article_of(box.replace("years.", "years. " + 80 * "She has a boat. ")).text


@pytest.mark.parametrize(
    "box",
    [
        f"{LABEL}<p>{PORTRAIT}</p>{TEXT}",
        f"{LABEL}<figure>{PORTRAIT}</figure>{TEXT}",
        f"<div>{PORTRAIT}{LABEL}{TEXT}</div>",
        f"<div><figure>{PORTRAIT}<figcaption>Ana Bo</figcaption></figure>{LABEL}{TEXT}</div>",
        f"<div>{LABEL}{PORTRAIT}<h4>Ana Bo</h4>{TEXT}<p>Harbour desk</p><p>Since 2010</p></div>",
    ],
)
def test_the_portrait_is_left_out_with_the_box(box: str) -> None:
    article = article_of(PHOTO + box)
    assert "ana.jpg" not in article.html
    assert "About the author" not in article.text and "Ana Bo" not in article.text
    assert [image["url"] for image in article.images] == ["http://a.example/boats.jpg"]


def test_the_text_is_left_out_in_another_element_than_that_of_the_article() -> None:
    html = (
        f"<meta name=author content='Ana Bo'><main><div>{3 * PROSE}<div>{LABEL}</div></div>"
        f"<div>{PORTRAIT}{TEXT}<p>Harbour desk</p></div></main>"
    )
    article = Wrapper("single", ("//main",)).article(Page.from_html(html, URL))
    assert article is not None
    assert "About the author" not in article.text
    assert "Ana Bo" not in article.text and "Harbour desk" not in article.text


@pytest.mark.parametrize(
    "box",
    [
        f"<div>{PORTRAIT}{LABEL}<div class=bio>She has written on boats for twenty years.</div></div>",
        f"{LABEL}<div>{PORTRAIT}<div class=bio>She has written on boats for years.</div></div>",
        f"{LABEL}<p>{PORTRAIT}</p><p class=bio>She has written on boats for years.</p>",
        f"{LABEL}<p class=bio>She has written on boats, and on much else.</p><p>Harbour desk</p>",
    ],
)
def test_a_box_is_left_out_as_a_whole_if_its_text_is(box: str) -> None:
    article = article_of(PHOTO + box, drop=("//*[@class='bio']",))
    assert "About the author" not in article.text
    assert "ana.jpg" not in article.html and "boats.jpg" in article.html


@pytest.mark.parametrize(
    "body",
    [
        # What is left out is less than what is kept.
        f"{LABEL}<p>Homer sang of ships and of the long way home.</p><p class=bio>Read this book now.",
        # Nothing is left out.
        f"{LABEL}<p>Homer</p>",
        f"{LABEL}<p class=bio>Share</p>",
        # More of the article follows.
        f"{LABEL}<p class=bio>She has written on boats for years.</p>{6 * PROSE}",
    ],
)
def test_a_section_about_an_author_stays(body: str) -> None:
    assert "About the author" in article_of(body, drop=("//*[@class='bio']",)).text


def test_the_images_of_the_article_stay_in_an_element_with_the_box() -> None:
    gallery = "".join(f"<img src=/boat-{number}.jpg>" for number in range(4))
    article = article_of(f"<div>{gallery}{LABEL}{TEXT}</div>")
    assert len(article.images) == 4
    assert "Ana Bo" not in article.text


AUTHORS = ("Ana Bo", "Cy Dee", "Eve Fox")


@pytest.mark.parametrize("authors", [1, 3])
def test_the_articles_of_a_feed_have_no_heading_of_the_box_without_its_text(authors: int) -> None:
    pages = []
    for number in range(8):
        name = AUTHORS[number % authors]
        paragraphs = ""
        for part in range(6):
            noun = ("harbour", "ferry", "owl", "bridge", "quay", "tide")[(number + part) % 6]
            paragraphs += f"<h3>The {noun} of pier {number}</h3>" if part % 2 else ""
            paragraphs += (
                f"<p>In year {part} the {noun} of pier {number} was painted, and those who had seen"
                f" it before said that number {number * part} was nicer than {noun}s are at noon."
            )
        box = (
            f"<div><div>{PORTRAIT}</div><div>{name} lives by the sea, and keeps a boat.</div></div>"
        )
        html = (
            f"<html lang=en><title>Pier {number}</title><header><a href=/>Gazette</a></header>"
            f"<article><h1>Pier {number}</h1><p class=byline>By {name}</p>"
            f"<div class=content>{paragraphs}{LABEL}{box}</div></article><footer>Imprint</footer>"
        )
        entry = Entry(title=f"Pier {number}", description="The piers", author=name)
        pages.append(Page.from_html(html, f"http://a.example/news/{number}", entry))
    rules = learn_rules(pages, Options())
    for page in pages:
        article = extract_item(page, rules)
        assert isinstance(article, Article)
        assert "lives by the sea" not in article.text
        assert "About the author" not in article.text
        assert "ana.jpg" not in article.html
