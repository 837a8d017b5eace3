"""Lists of pictures behind the text of an article."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page, extract_item, learn_rules
from forest_scrapy.core.items import Article
from forest_scrapy.core.page.galleries import is_gallery
from forest_scrapy.core.page.tree import parse_html

NUMBERS = range(5)


def write_list(link: str, name: str = "", text: str = "", tag: str = "ul") -> str:
    items = "".join(
        f"<li><a href='{link.format(n)}'><img src='/s/{n}.jpg' width=200>{text}</a></li>"
        for n in NUMBERS
    )
    return f"<{tag} class='{name}'>{items}</{tag}>"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (write_list("/i/{}.jpg"), True),
        (write_list("#{}"), True),
        (write_list("/photo/{}"), False),
        (write_list("/photo/{}", "photo-gallery"), True),
        (write_list("/photo/{}", "gallery related"), False),
        (write_list("/i/{}.jpg", "partners"), False),
        (write_list("/i/{}.jpg", text="The quay"), False),
        (write_list("/i/{}.jpg").replace("width=200", "width=16"), False),
        ("<div><img src=/1.jpg><img src=/2.jpg></div>", False),
    ],
)
def test_is_gallery(html: str, expected: bool) -> None:
    element = next(parse_html(f"<main>{html}</main>").iter("main"))[0]
    assert is_gallery(element) is expected


@pytest.mark.parametrize(
    ("behind", "count"),
    [
        (write_list("/i/{}.jpg"), 5),
        (write_list("/photo/{}", "photos", tag="div"), 5),
        (f"<p><img src=/first.jpg></p>{write_list('#{}')}", 6),
        (write_list("/article/{}", "teasers"), 0),
    ],
)
def test_all_pictures_are_images_of_the_article(behind: str, count: int) -> None:
    """The paragraphs are what the pages of the template have in common."""
    pages = []
    for day in range(6):
        text = "".join(
            f"<p>The fair opened at noon with boats from nine towns, and the quay was full until "
            f"night. On day {day} there were {7 * day + part} boats in the harbour.</p>"
            for part in range(3)
        )
        pictures = behind.replace("/s/", f"/s/{day}/").replace("/first", f"/first{day}")
        html = (
            f"<html lang=en><title>Fair {day}</title><nav><a href=/>Home</a></nav><main><article>"
            f"<h1>Fair {day} in pictures</h1><p class=by>By Ana Bo</p>{text}{pictures}</article>"
        )
        pages.append(Page.from_html(html, f"https://g.example/fair/{day}"))
    rules = learn_rules(pages)
    for page in pages:
        article = extract_item(page, rules)
        assert isinstance(article, Article)
        assert len(article.images) == count
