"""Hidden text, dialogs and forms: in no outline and no content, unless the article is hidden."""

from __future__ import annotations

from copy import deepcopy

import pytest
from effort import limited_effort
from lxml import etree

from forest_scrapy.core import METHODS, PAGE_METHODS, Page, Params, learn
from forest_scrapy.core.page.outline import find_hidden
from forest_scrapy.core.page.tree import body_of, parse_html

from ..helpers import demo_pages, make_page

SENTENCE = "The boats came in with the fish of the night, and the town bought all of it. "
STORY = f"<article><h1>Boats</h1><p>{6 * SENTENCE}</p></article>"
LOGIN = "<label>Your name</label><input name=user><input type=password><p>Forgot your password?</p>"


def texts(html: str) -> list[str]:
    """The first words of each text that is found as hidden."""
    hidden = find_hidden(body_of(parse_html(html)))
    return sorted(" ".join("".join(one.itertext()).split()[:2]) for one in hidden)


@pytest.mark.parametrize(
    "part",
    [
        "<div hidden>Sign in to read on</div>",
        '<div aria-hidden="true">Sign in</div>',
        '<span class=x style="color: red; DISPLAY : none">Sign in</span>',
        '<p style="visibility:hidden">Sign in</p>',
        '<div role="dialog" aria-modal=true><p>Sign in</p></div>',
        '<div role="alertdialog">Sign in</div>',
        '<div id="cookie-banner"><p>Sign in</p></div>',
        '<section class="b CookieConsent_box">Sign in</section>',
        f"<form>Sign in {LOGIN}</form>",
    ],
)
def test_what_readers_do_not_see_is_found(part: str) -> None:
    assert texts(f"<body>{STORY}{part}</body>") == ["Sign in"]


@pytest.mark.parametrize(
    "part",
    [
        "<p>Sign in</p>",
        '<p aria-hidden="false">Sign in</p>',
        "<details hidden=until-found>Sign in</details>",
        '<p style="max-width: none; overflow: hidden">Sign in</p>',
        '<p style="--display: none-yet">Sign in</p>',
        "<form action=/search><input type=search>Sign in</form>",
        '<p class="tag-cookies">Cookies for the whole family</p>',
        '<div class="consent-banner"><main>Sign in</main></div>',
    ],
)
def test_what_readers_see_is_not_found(part: str) -> None:
    assert texts(f"<body>{STORY}{part}</body>") == []


def test_an_article_that_a_script_shows_is_kept() -> None:
    menu = "<ul><li>Home</li><li>News of the harbour</li></ul>"
    for attribute in ("hidden", 'style="display:none"', "aria-hidden=true"):
        page = make_page(f"{menu}<div {attribute}>{STORY}</div><p hidden>Share this</p>")
        assert "came in" in page.outline.text(page.outline.nodes[0])
        assert "Share" not in page.outline.text(page.outline.nodes[0])


def test_an_article_in_several_hidden_parts_is_kept() -> None:
    parts = [f"<div class=part hidden><p>{i}. {SENTENCE}</p></div>" for i in range(5)]
    assert texts(f"<body><p>{SENTENCE}</p>{''.join(parts)}</body>") == []


def test_a_hidden_article_with_most_of_the_prose_is_kept() -> None:
    """Comments and teasers, in lists, have more text than it."""
    comments = f"<ul>{9 * f'<li><p>I saw it: {SENTENCE}</p></li>'}</ul>"
    teaser = f"<p>{SENTENCE}</p><p>Subscribe to read on.</p>"
    numbered = "".join(f"<p>{i}. {SENTENCE}</p>" for i in range(5))
    distinct = "".join(comments.replace("I saw", f"Owl {i} saw") for i in range(9))
    assert texts(f"<body>{teaser}<div hidden>{numbered}</div>{distinct}</body>") == []
    short = f"<div hidden><p>{SENTENCE}</p></div>"
    assert texts(f"<body><p>{SENTENCE[:50]}</p>{short}{distinct}</body>") == ["The boats"]


def test_hidden_links_are_no_prose() -> None:
    links = "".join(f"<p><a href=/{i}>{i}. {SENTENCE}</a></p>" for i in range(5))
    long = "".join(f"<div>Owl {i}: {SENTENCE}</div>" for i in range(20))
    assert texts(f"<body><p>{SENTENCE}</p><div hidden>{links}</div>{long}</body>") == ["0. The"]


def test_hidden_text_in_a_hidden_article_is_left_out() -> None:
    page = make_page(f"<div hidden>{STORY}<p style='display:none'>Zeppelins</p></div>")
    text = page.outline.text(page.outline.nodes[0])
    assert "came in" in text and "Zeppelins" not in text


def test_a_dialog_with_more_text_than_the_article_is_found() -> None:
    dialogs = (
        4 * f"<div class=popup role=dialog aria-modal=false><p>Give us {9 * SENTENCE}</p></div>"
    )
    assert texts(f"<body>{STORY}{dialogs}</body>") == 4 * ["Give us"]


@pytest.mark.parametrize("method", METHODS)
def test_no_method_keeps_hidden_text(method: str) -> None:
    pages = [_hide_adverts(page) for page in demo_pages("news")[:4]]
    assert all(b"Zeppelins" in etree.tostring(page.root) for page in pages)
    for page in pages:
        wrapper = learn([page] if method in PAGE_METHODS else pages, Params(method=method))
        assert "Zeppelins" not in wrapper.apply(page).text


def _hide_adverts(page: Page) -> Page:
    """The page with a hidden advert after each of its paragraphs."""
    root = deepcopy(page.root)
    advert = f'<div style="display:none"><p>Zeppelins! {SENTENCE}</p></div>'
    for paragraph in list(root.iter("p")):
        paragraph.addnext(body_of(parse_html(advert))[0])
    return Page(page.url, root, page.entry)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["<p><span>{0}", "<p>{0}</p>"])
def test_many_hidden_paragraphs_take_no_time(part: str) -> None:
    """Also paragraphs in each other, as the markup has them that leaves out end tags, as deep as
    the parser reads."""
    parts = f"<div>{part.format(SENTENCE) * 500}</div>" * 40
    root = body_of(parse_html(f"<div hidden>{parts}</div>"))
    with limited_effort(10):
        find_hidden(root)


@pytest.mark.parametrize("attribute", ["hidden", "class='cookie-banner'", "style='display: none'"])
def test_many_nested_elements_take_no_time(attribute: str) -> None:
    sentence = "<p>This is a sentence with more than forty characters in it.</p>"
    nest = f"<div {attribute}>" * 200 + sentence * 60 + "</div>" * 200
    root = body_of(parse_html(nest * 200))
    with limited_effort(10):
        find_hidden(root)
