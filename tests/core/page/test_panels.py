"""Prose that markup hides and readers see, and explanations that pages show on request only."""

# ruff: noqa: E501 (tables of markup)

from __future__ import annotations

import pytest
from effort import limited_effort

from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.outline import find_hidden
from forest_scrapy.core.page.tree import body_of, parse_html

from ..helpers import make_page

FIRST = "The boats came in with the fish of the night, and the town bought all of it."
SECOND = "Nobody had counted the nets before the storm, said the keeper of the harbour."
THIRD = "In spring the council wants to build a wall, which the fishermen do not need."
PANEL = f"<p>{SECOND}</p><p>{THIRD}</p>"
NONE_STYLE = 'style="display: none"'


def page_of(part: str, after: str = "") -> str:
    """A page with the part between paragraphs of an article."""
    story = "".join(f"<p>{i}. {FIRST}</p>" for i in range(6))
    return f"<body><article><h1>Boats</h1>{story}{part}<p>7. {FIRST}</p></article>{after}</body>"


def is_read(html: str) -> bool:
    """Whether the second sentence is in the content, and so in the outline."""
    page = make_page(html)
    in_content = SECOND in read_content(body_of(page.root)).text
    assert (SECOND in page.outline.text(page.outline.nodes[0])) == in_content
    return in_content


@pytest.mark.parametrize(
    "part",
    [
        f"<p aria-hidden=true>{SECOND}</p>",
        f"<p class=paywall aria-hidden=true>{SECOND}</p>",
        f"<div class=accordion><h3>Nets</h3><div class=panel hidden>{PANEL}</div></div>",
        f"<h3><button aria-controls=p7>Nets</button></h3><div id=p7 {NONE_STYLE}>{PANEL}</div>",
        f"<a data-bs-target='#p7'>Nets</a><div id=p7 aria-hidden=true>{PANEL}</div>",
        f"<div role=tabpanel hidden>{PANEL}</div>",
        f"<div class='collapse' {NONE_STYLE}>{PANEL}</div>",
        f"<div class=faq-answer {NONE_STYLE}><p>{SECOND}</p></div>",
        f"<a href='#more'>Read more</a><span id=more {NONE_STYLE}>{SECOND}</span>",
        f"<div {NONE_STYLE}>{PANEL}<p>{SECOND.replace('nets', 'ropes')}</p></div>",
        f"<details><summary>Nets</summary>{PANEL}</details>",
        f"<details><summary>Nets</summary><div aria-hidden=true>{PANEL}</div></details>",
        f"<div><h3><button aria-expanded=false>Nets</button></h3><div hidden>{PANEL}</div></div>",
        f"<div><form><div><div><div><div class=panel hidden>{PANEL}</div></div></div></div></form></div>",
        f"<div class=tab-pane hidden>{PANEL}</div><div class=tab-pane {NONE_STYLE}>{PANEL}</div>",
    ],
)
def test_prose_of_closed_panels_is_content(part: str) -> None:
    assert is_read(page_of(part))


@pytest.mark.parametrize(
    "part",
    [
        f"<div class='modal panel' aria-hidden=true><p>{SECOND}</p></div>",
        f"<div role=dialog aria-hidden=true><div class=panel hidden><p>{SECOND}</p></div></div>",
        f"<div class=offcanvas><div class=panel aria-hidden=true><p>{SECOND}</p></div></div>",
        f"<nav><div id=m class=panel hidden><p>{SECOND}</p></div></nav>",
        f"<div class=panel hidden><p><a href=/b>{SECOND}</a></p></div>",
        f"<div class=panel hidden><label>{SECOND}</label></div>",
        f"<div class='share-box collapse' {NONE_STYLE}><p>{SECOND}</p></div>",
        f"<div class='cookie-banner' {NONE_STYLE}><p>{SECOND}</p></div>",
        f"<div class=newsletter {NONE_STYLE}>{PANEL}</div>",
        f"<div class=error-message {NONE_STYLE}><p>{SECOND}</p></div>",
        f"<div {NONE_STYLE}><p>{SECOND}</p></div>",
        f"<form class=panel hidden><p>{SECOND}</p></form>",
        f"<noscript><div class=panel hidden><p>{SECOND}</p></div></noscript>",
        f"<template><p>{SECOND}</p></template>",
        f"<div class=panel hidden><ul><li>{'<li>'.join(SECOND.split())}</ul></div>",
    ],
)
def test_menus_dialogs_and_messages_are_not(part: str) -> None:
    assert not is_read(page_of(part))


@pytest.mark.parametrize("attribute", ["hidden", "aria-hidden=true", NONE_STYLE])
def test_a_copy_for_print_is_not_read_again(attribute: str) -> None:
    page = page_of(f"<p>{SECOND}</p>", f"<div class=panel {attribute}><p>{SECOND}</p></div>")
    assert read_content(body_of(parse_html(page))).text.count(SECOND) == 1


def test_prose_far_from_the_article_needs_the_name_of_a_panel() -> None:
    part = "<div><div {0}><p>{1}</p></div></div>"
    assert not is_read(page_of("", part.format("aria-hidden=true", SECOND)))
    assert is_read(page_of("", part.format("class=tab-pane aria-hidden=true", SECOND)))


@pytest.mark.parametrize(
    "part",
    [
        "The <span class=tooltip>weir<span role=tooltip>{}</span></span> was open.",
        "The <span class=tooltip>weir<span class=tooltiptext>{}</span></span> was open.",
        "The <span class=term>weir<span class=tooltip>A low dam</span></span> was open.",
        "The <a href=/w>weir <span class='popover'>A low dam.</span></a> was open.",
        "The weir <span class=glossary-definition>{}</span> was open.",
        "The weir <span class=tooltip>{}</span> was open.",
        "The <dfn>weir<span class=tippy-box>{}</span></dfn> was open.",
    ],
)
def test_explanations_shown_on_request_are_no_text(part: str) -> None:
    html = f"<div><p>{part.format(SECOND)}</p></div>"
    text = read_content(parse_html(html)[0][0]).text
    assert " ".join(text.split()) == "The weir was open."


@pytest.mark.parametrize(
    "part",
    [
        "The <span class=tooltip title='A low dam'>weir</span> was open.",
        "The <abbr class=tooltip-trigger>weir</abbr> was open.",
        "The <span class=glossary-term>weir</span> was open.",
        "The <span class=tooltips>weir</span> was open.",
        "The weir <i>was</i> open.",
        "<span class=tooltip>The weir was open.</span>",
    ],
)
def test_words_with_an_explanation_are_text(part: str) -> None:
    assert read_content(parse_html(f"<div><p>{part}</p></div>")[0][0]).text == "The weir was open."


@pytest.mark.parametrize(
    "part",
    ["<p><span class=tooltip>{}</span></p>", "<p>Note: <span class=tooltip>{}</span></p>",
     "<ul><li><span class=tooltip>{}</span> It was.</li></ul>"],
)  # fmt: skip
def test_the_main_text_of_a_paragraph_is_no_explanation(part: str) -> None:
    html = f"<div>{part.format(SECOND)}</div>"
    assert SECOND in read_content(parse_html(html)[0][0]).text


@pytest.mark.parametrize(
    "part",
    [
        "<div class=panel hidden>",
        "<div aria-hidden=true>",
        "<p aria-hidden=true>{0}</p>",
        "<div class=panel hidden><p>{0}</p><div>",
        "<span class=tooltip>",
        "<span class=tooltip>a<i>",
        "<a href='#x'>{0}</a><div hidden id=x>",
    ],
)
def test_many_panels_take_no_time(part: str) -> None:
    parts = "".join(part.format(f"{i}. {SECOND}") for i in range(2000))
    root = body_of(parse_html(f"<div hidden><p>{SECOND}</p></div>{parts}"))
    with limited_effort(5):
        find_hidden(root)
        read_content(root)
