"""One page, one article: appended articles and teasers are left out, and listed as related."""

from __future__ import annotations

import pytest
from effort import limited_effort

from forest_scrapy.core import Entry, Page, Wrapper
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.other_articles import (
    Related,
    find_appended,
    find_other_articles,
    find_related,
    is_one_article,
)

URL = "http://a.example/news/boats-come-in"
TITLE = "<title>The boats come in | Gazette</title>"
OWN = "<article><h1>The boats come in</h1><p>In the harbour.</p></article>"
NEXT = "<article><h1>Owls of the hedge</h1><p>At night.</p></article>"
TEASER = "<article><h3><a href=/news/rain>Rain all week long</a></h3><p>Take a coat.</p></article>"


def others(body: str, head: str = TITLE, entry: Entry | None = None) -> list[str]:
    page = Page.from_html(f"<head>{head}</head><body>{body}</body>", URL, entry)
    found = find_other_articles(page, [page.root])
    return [str(one.findtext("p")) for one in page.root.iter("article") if one in found]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (OWN + NEXT + TEASER, ["At night.", "Take a coat."]),
        (NEXT + OWN, ["At night."]),
        (OWN, []),
        (NEXT.replace("h1", "h2") + TEASER, []),  # none has the title
        (OWN.replace("</article>", f"{TEASER}</article>"), ["Take a coat."]),
        (f"<article>{OWN}</article>", []),
        (OWN + f"<article><p>The text.</p>{TEASER}</article>", ["Take a coat."]),
        (OWN + "<article><h2>Part two of it</h2><p>More.</p></article>", []),
        (OWN + "<article><p>A comment.</p></article>", []),
        (OWN + f"<article><h3><a href='{URL}#c'>At night</a></h3><p>c</p></article>", []),
    ],
)
def test_other_articles(body: str, found: list[str]) -> None:
    assert others(body) == found


def test_a_teaser_in_the_side_column_that_shows_the_title_is_not_the_article() -> None:
    text = "<p>In the harbour.</p><p>Forty of them, and all with herring in their holds.</p>"
    own = f"<article><h1>The boats come in</h1>{text}</article>"
    teaser = f"<article><h3><a href='{URL}'>The boats come in</a></h3><p>Teaser.</p></article>"
    page = Page.from_html(f"<head>{TITLE}</head><aside>{teaser}</aside><main>{own}</main>", URL)
    article = Wrapper("x", ("//main",)).article(page)
    assert article is not None and "Forty of them" in article.text
    linked = own.replace("The boats come in", "<a href=/other>The boats come in</a>")
    assert others(teaser + linked) == []


def test_paragraphs_that_are_kept_in_other_articles_are_left_out() -> None:
    page = Page.from_html(f"{TITLE}<main>{OWN}{NEXT}{TEASER}</main>", URL)
    article = Wrapper("x", ("//article/p",), take="all").article(page)
    assert article is not None and article.text == "In the harbour."


def test_text_outside_of_the_article_that_shows_the_title_is_not_lost() -> None:
    page = Page.from_html(f"{TITLE}{OWN}<main>{NEXT}</main>", URL)
    article = Wrapper("x", ("//main//p",), take="all").article(page)
    assert article is not None and article.text == "At night."


def test_the_title_of_the_feed_entry_counts() -> None:
    entry = Entry(title="Owls of the hedge")
    assert others(OWN + NEXT, "", entry) == ["In the harbour."]


def test_a_wrapper_keeps_the_article_of_the_page() -> None:
    page = Page.from_html(f"{TITLE}<main>{OWN}{NEXT}{TEASER}</main>", URL)
    article = Wrapper("x", ("//main",)).article(page)
    assert article is not None
    assert article.text == "In the harbour."
    assert article.related == [{"title": "Rain all week long", "url": "http://a.example/news/rain"}]


def test_related_articles_are_linked_headings_outside_of_the_content() -> None:
    page = Page.from_html(
        f"<header><h2><a href=/a>All about the Gazette</a></h2></header>{OWN}{TEASER}"
        "<a href=/owls#top><div><h4>Owls of the hedge</h4></div></a><h2><a href=/more>More</a></h2>"
        f"<h2><a href='{URL}#comments'>Comments on this article</a></h2>{TEASER}"
        "<h2><a href='javascript:x()'>Share it with friends</a></h2>",
        URL,
    )
    rain = Related("Rain all week long", "http://a.example/news/rain")
    owls = Related("Owls of the hedge", "http://a.example/owls")
    assert find_related(page, ()) == (rain, owls)
    inside = list(page.root.iter("h4"))
    assert find_related(page, inside) == (rain,)


def test_headings_in_each_other_take_no_time() -> None:
    """Each was read as a whole: 15 s for such a page."""
    nest = "<article><h2>Owls" * 900
    page = Page.from_html(f"{TITLE}{nest}{'<p>At night.</p>' * 8000}", URL)
    with limited_effort(2):
        assert find_other_articles(page, [page.root]) == frozenset()
        assert find_related(page, []) == ()


def is_one(body: str) -> bool:
    page = Page.from_html(f"<head>{TITLE}</head><body>{body}</body>", URL)
    return is_one_article(page, read_content(page.root).text_blocks)


def test_a_list_of_articles_in_a_block_with_text_of_its_own_is_no_article() -> None:
    assert is_one(4 * TEASER)
    assert not is_one(6 * TEASER)
    assert not is_one(f"<div>Share {6 * TEASER}</div>")
    assert is_one(f"<div>Share <p>{40 * 'The boats come in. '}</p>{6 * TEASER}</div>")


def test_blocks_in_each_other_take_no_time() -> None:
    nest = f"<div class=a>{'Owls sleep. ' * 9}" * 1800
    page = Page.from_html(f"{TITLE}<div>{OWN}</div>{6 * TEASER}{nest}", URL)
    blocks = read_content(page.root).text_blocks
    with limited_effort(2):
        assert not is_one_article(page, blocks)
        assert find_appended(page, blocks) == frozenset()
