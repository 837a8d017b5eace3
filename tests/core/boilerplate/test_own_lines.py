"""The title, the authors and the date are fields, and no lines of the text."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Article, Page, extract_item
from forest_scrapy.core.boilerplate.own_lines import OwnValues, find_own_lines
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.wrapper import Wrapper

FIRST = "<p>Forty boats came in at noon, with herring in their holds.</p>"
SECOND = "<p>The crane lifted all of them before the night, said the harbour office.</p>"
VALUES = OwnValues("The boats come in", ("Ana Bo", "Cy Dee"), ("News", "Gazette"), "en")


def own_lines(body: str, values: OwnValues = VALUES) -> list[str]:
    page = Page.from_html(f"<div>{body}</div>")
    blocks = read_content(page.root).text_blocks
    return [str(block.text_content()) for block in find_own_lines(blocks, values)]


@pytest.mark.parametrize(
    "line",
    [
        "<h1>The boats come in</h1>",
        "<h1>The boats come in at noon</h1>",
        "<div class=headline>The boats come in!</div>",
        "<p>By Ana Bo</p>",
        "<p>Ana Bo and Cy Dee</p>",
        "<p>By Ana Bo | 3 May 2024</p>",
        "<div>Posted on May 3, 2024 at 10:15 am by Cy Dee, Gazette</div>",
        "<p>Updated 2024-05-03 10:15</p>",
        "<span>3 min read</span>",
        "<p>News</p>",
        "<p>2 hours ago</p>",
    ],
)
def test_a_line_with_nothing_but_the_articles_values(line: str) -> None:
    assert len(own_lines(f"{line}{FIRST}{SECOND}")) == 1
    assert len(own_lines(f"<h2>The boats come in</h2>{line}{FIRST}")) == 2


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("Von Ana Bo, 3. Mai 2024, 10:15 Uhr", "de"),
        ("Par Ana Bo le 3 mai 2024", "fr"),
        ("Von unserer Mitarbeiterin Ana Bo", "de"),
        ("Text und Fotos: Ana Bo", "de"),
        ("Textes et photos : Ana Bo", "fr"),
        ("Lesezeit: 3 Minuten", "de"),
        ("2024年5月3日 10時15分", "ja"),
    ],
)
def test_lines_of_other_languages(line: str, language: str) -> None:
    values = OwnValues("The boats come in", ("Ana Bo",), (), language)
    assert own_lines(f"<p>{line}</p>{FIRST}", values) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "<p>The boats come in</p>",  # the first line of a short post, which is its title, too
        "<h2>The boats of the harbour</h2>",
        "<p>Ana Bo has sold the boats.</p>",
        "<p>Words and pictures by Ana Bo show the boats.</p>",
        "<p>Fotos: 12</p>",
        "<p>On 3 May 2024 the boats came in.</p>",
        "<p>2024</p>",
        "<p>News of the harbour</p>",
        "<h1>Owls at night</h1>",
    ],
)
def test_a_line_that_says_more_is_kept(line: str) -> None:
    assert own_lines(f"{line}{FIRST}") == []


def test_sections_above_the_title_are_dropped_with_it() -> None:
    title = "<h1>The boats come in</h1>"
    assert own_lines(f"<p>Harbour</p><p>Boats</p>{title}{FIRST}")[-1] == "The boats come in"
    assert own_lines(f"{FIRST}{title}{SECOND}") == []
    assert own_lines(f"<p>Harbour</p>{FIRST}{title}") == []


def test_lines_after_the_first_sentence_are_kept() -> None:
    assert own_lines(f"{FIRST}<p>By Ana Bo</p><h1>The boats come in</h1>") == []


def test_the_text_of_a_short_article_is_its_sentences() -> None:
    html = f"""<title>The boats come in</title><meta name=author content="Ana Bo">
        <main><article><h1>The boats come in</h1><p class=byline>By <a rel=author>Ana Bo</a></p>
        <time datetime=2024-05-03>3 May 2024</time>{FIRST}{SECOND}</article></main>"""
    item = extract_item(Page.from_html(html, "http://a.example/1"))
    assert isinstance(item, Article)
    assert (item.title, item.authors) == ("The boats come in", ["Ana Bo"])
    assert item.text.startswith("Forty boats") and "<h1>" not in item.html


def test_an_article_that_is_nothing_but_its_title_keeps_it() -> None:
    page = Page.from_html("<title>The boats come in</title><main><h1>The boats come in</h1></main>")
    article = Wrapper("trained", ("//main",)).article(page)
    assert article is not None and article.text == "The boats come in"


def test_captions_that_are_part_of_the_text_stay() -> None:
    html = f"""<title>The boats come in</title><main><h1>The boats come in</h1>{FIRST}
        <figure><img src=/a.jpg><figcaption>A crane</figcaption></figure></main>"""
    page = Page.from_html(html, "http://a.example/1")
    wrapper = Wrapper("trained", ("//main",))
    article = wrapper.article(page)
    assert article is not None and "A crane" not in article.text
    inline = wrapper.apply(page).with_captions("inline")
    left = wrapper.leave_out(page, inline, page.root.iter("h1"))
    assert left.text.splitlines()[-1] == "A crane" and "boats come in" not in left.text


HOME = "<a href=/>Home</a>"


@pytest.mark.parametrize(
    "line",
    [
        f"<div>{HOME} / <a href=/n>News</a> / <span>The boats come in</span></div>",
        f"<p>{HOME} » The boats come in!</p>",
        f"<div>{HOME} &gt; <b>The boats come in</b></div>",
    ],
)
def test_links_to_sections_before_the_title_are_no_line_of_the_text(line: str) -> None:
    assert len(own_lines(f"{line}{FIRST}{SECOND}")) == 1


@pytest.mark.parametrize(
    "line",
    [
        f"<p>{HOME} / <a href=/n>News</a> / Owls at night</p>",
        f"<p>Read in {HOME}: The boats come in</p>",
        f"<p>{HOME} The boats come in</p>",
        "<p>Home / News / The boats come in</p>",
    ],
)
def test_lines_like_links_to_sections_are_kept(line: str) -> None:
    assert own_lines(f"{line}{FIRST}{SECOND}") == []
