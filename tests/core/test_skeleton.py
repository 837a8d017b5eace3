"""How much of a page its template and its article give again."""

from __future__ import annotations

import pytest

from forest_scrapy.core import NotEnoughPages, Page
from forest_scrapy.core.skeleton import learn_skeleton, measure_rebuilt
from tests.effort import limited_effort


def make_page(title: str, text: str, extra: str = "") -> Page:
    html = (
        f"<body><ul><li>Home page</li><li>About us</li></ul><main><h1>{title}</h1><p>{text}</p>"
        f"</main>{extra}<footer><p>All rights reserved</p></footer></body>"
    )
    return Page.from_html(html, f"http://a.example/{title}")


PAGES = [make_page(f"Owl {number}", f"The owl of number {number} flew") for number in range(4)]


def test_a_page_is_its_template_and_its_article() -> None:
    skeleton = learn_skeleton(PAGES)
    for number, page in enumerate(PAGES):
        values = (f"Owl {number}", f"The owl of number {number} flew")
        share = measure_rebuilt(page, skeleton, values)
        assert (share.text, share.paths) == (pytest.approx(1), 1)
        assert share.template == pytest.approx(36 / 65)


def test_what_is_neither_is_missing() -> None:
    """An advert has a text and a path that other pages do not have."""
    skeleton = learn_skeleton(PAGES)
    page = make_page("Sea", "The sea", "<aside><b>Buy a boat</b></aside>")
    share = measure_rebuilt(page, skeleton, ("Sea", "The sea"))
    assert share.template == pytest.approx(36 / 56)
    assert share.object == pytest.approx(10 / 56)
    assert share.paths == pytest.approx(4 / 5)
    # Words inside of other words are no texts of the article.
    assert measure_rebuilt(page, skeleton, ("Seal", "Theatre")).object == 0


def test_a_single_page_has_no_template() -> None:
    with pytest.raises(NotEnoughPages):
        learn_skeleton(PAGES[:1])


def test_an_empty_page() -> None:
    page = Page.from_html("", "http://a.example/")
    share = measure_rebuilt(page, learn_skeleton(PAGES), ())
    assert (share.template, share.object) == (0, 0)


def test_long_pages_take_linear_time() -> None:
    """Each leaf is nearly in the text of the article, and at no place of it."""

    def paragraphs(number: int) -> str:
        return "".join(f"<p>word {number} {index} the same</p>" for index in range(20_000))

    pages = [make_page(f"Owl {number}", "", paragraphs(number)) for number in range(2)]
    skeleton = learn_skeleton(pages)
    text = " ".join(f"word 0 {index} another" for index in range(20_000))
    with limited_effort(3):
        share = measure_rebuilt(pages[0], skeleton, [text])
    assert share.object == 0
