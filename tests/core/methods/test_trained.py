from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from forest_scrapy.core import Page, Params, Wrapper, extract, learn
from forest_scrapy.core.methods.trained import (
    _learn_from,
    choose_drops,
    learn_from_sample,
    learn_single,
    learn_trained,
)
from forest_scrapy.core.segments.classifier import default_classifier
from forest_scrapy.core.segments.scoring import Choice, _score_page, score_pages
from forest_scrapy.core.segments.segmentation import segment_page
from forest_scrapy.core.xpaths.anchored import write_anchored_path

from ..helpers import chain_tree, html_texts, make_page

NOUNS = "boat harbour owl hedge rain cloud train station baker oven violin market".split()
VERBS = "crossed found watched followed left carried repaired painted".split()


def make_sentence(random: Random) -> str:
    one, two, three = random.sample(NOUNS, 3)
    year = random.randint(1900, 2020)
    return f"The {one} {random.choice(VERBS)} the {two} near the old {three} in {year}, they said."


def paragraphs(number: int) -> list[str]:
    random = Random(number)
    count = 4 + number % 3
    return [" ".join(make_sentence(random) for _ in range(4)) for _ in range(count)]


def make_story(number: int, attributes: str = 'class="post-body"') -> Page:
    """An article between a menu, a share bar, comments and related links."""
    random = Random(1000 + number)
    body = "".join(f"<p>{text}</p>" for text in paragraphs(number))
    comments = "".join(
        f'<li class="comment"><b>Reader{random.randint(1, 99)}</b><p>I liked it, thanks!</p></li>'
        for _ in range(3)
    )
    related = "".join(f"<li><a href=/{i}>About the {NOUNS[i]}</a></li>" for i in range(number, 5))
    return Page.from_html(
        f"""<html lang=en><head><title>Story {number}</title></head><body>
        <ul class="menu"><li><a href=/>Home</a></li><li><a href=/about>About</a></li></ul>
        <article class="post"><h1>The story of number {number}</h1>
        <div {attributes}>{body}
        <div class="share-bar"><a href=#>Tweet</a> <a href=#>Mail</a></div></div></article>
        <div class="related"><h3>Related links</h3><ul>{related}</ul></div>
        <div class="comments" id="comments"><h3>Comments</h3><ol>{comments}</ol></div>
        <div class="footer">Copyright 2020. All rights reserved.</div></body></html>""",
        f"http://a.example/story/{number}",
    )


STORIES = [make_story(number) for number in range(5)]


def check(wrapper: Wrapper, page: Page, number: int) -> None:
    lines = wrapper.apply(page).text.splitlines()
    assert [line for line in lines if line in paragraphs(number)] == paragraphs(number)
    text = "\n".join(lines)
    for word in ("Reader", "thanks", "Related", "About", "Comments", "Home", "Copyright"):
        assert word not in text


def test_paragraphs_are_kept_and_the_rest_dropped() -> None:
    wrapper = learn_trained(STORIES, Params())
    assert (wrapper.method, wrapper.take) == ("trained", "span")
    assert wrapper.evidence.pages == 5
    for number, page in enumerate(STORIES):
        check(wrapper, page, number)
        assert "Tweet" not in wrapper.apply(page).text


def test_unseen_pages() -> None:
    wrapper = learn_trained(STORIES, Params())
    for number in (5, 6, 7):
        check(wrapper, make_story(number), number)


def test_auto_is_trained() -> None:
    wrapper = learn(STORIES)
    assert (wrapper.method, wrapper.evidence.match) == ("trained", 1.0)
    assert wrapper.keep == learn_trained(STORIES, Params()).keep


def learned_from(wrapper: Wrapper) -> int:
    """The number of pages whose segments were scored."""
    return max(rule.pages for rule in wrapper.evidence.rules if rule.xpath in wrapper.keep)


MORE = [make_story(number) for number in range(20, 29)]


def test_the_first_pages_are_enough_where_they_are_clear() -> None:
    wrapper, found = learn_from_sample(MORE)
    first = learn_trained(MORE[:4], Params())
    assert (wrapper.keep, wrapper.drop) == (first.keep, first.drop)
    assert (learned_from(wrapper), wrapper.evidence.pages) == (4, 9)
    assert [one.text for one in found] == [wrapper.apply(page).text for page in MORE]


def test_paths_of_the_other_pages_are_known() -> None:
    quote = "<blockquote class=q>The bakers said so, and nobody had asked them.</blockquote>"
    html = [etree.tostring(page.root, encoding="unicode", method="html") for page in MORE]
    html = [one.replace("<p>", "<div class=par>").replace("</p>", "</div>") for one in html]
    html[-1] = html[-1].replace("they said.</div>", f"they said.{quote}</div>", 1)
    pages = [Page.from_html(one, page.url) for one, page in zip(html, MORE, strict=True)]
    wrapper, found = learn_from_sample(pages)
    assert learned_from(wrapper) == 4
    assert "nobody had asked" in found[-1].text
    assert any("blockquote" in path for path in wrapper.known)
    assert wrapper.apply(pages[-1]).unseen == 0


def test_all_pages_are_learned_from_if_some_have_their_text_elsewhere() -> None:
    others = [make_story(number, 'id="story" class="wide"') for number in range(25, 29)]
    for page in others:
        page.root.find(".//article").set("class", "long-read")
        page.root.find(".//article").tag = "section"
    pages = [*MORE[:5], *others]
    wrapper, found = learn_from_sample(pages)
    assert len(wrapper.evidence.rules) and all(one.text for one in found)
    assert wrapper == learn_trained(pages, Params())


def test_a_small_sample_is_learned_from_whole() -> None:
    for count in (2, 4, 5):
        wrapper, _ = learn_from_sample(MORE[:count])
        assert wrapper == learn_trained(MORE[:count], Params())


def test_a_single_page() -> None:
    wrapper = learn_single(STORIES, Params())
    assert (wrapper.method, wrapper.evidence.pages) == ("single", 1)
    check(wrapper, STORIES[0], 0)


@given(st.permutations(range(5)))
@settings(max_examples=10)
def test_the_order_of_pages_does_not_matter(order: list[int]) -> None:
    wrapper = learn_trained([STORIES[i] for i in order], Params())
    assert wrapper == learn_trained(STORIES, Params())


def test_round_trip_through_json() -> None:
    wrapper = learn_trained(STORIES, Params())
    again = Wrapper.loads(wrapper.dumps())
    assert (again, again.id) == (wrapper, wrapper.id)
    assert again.apply(make_story(6)) == wrapper.apply(make_story(6))


@pytest.mark.parametrize("attributes", ["", 'id="text"', 'class="wide-1 c" itemprop="articleBody"'])
def test_other_attributes_of_the_body(attributes: str) -> None:
    wrapper = learn_trained([make_story(number, attributes) for number in range(5)], Params())
    check(wrapper, make_story(5, attributes), 5)


@pytest.mark.parametrize("attributes", ['class="" id="text"', 'class="2024" id="text"'])
def test_a_body_with_an_attribute_without_letters(attributes: str) -> None:
    wrapper = learn_trained([make_story(number, attributes) for number in range(5)], Params())
    check(wrapper, make_story(5, attributes), 5)


@pytest.mark.parametrize("body", ["", " ", "<div></div>", "<script>no()</script>", "<br><hr>"])
def test_pages_without_text(body: str) -> None:
    page = make_page(body)
    for pages in ([page], [page, page]):
        wrapper = learn(pages)
        assert (wrapper.keep, wrapper.drop) == ((), ())
        assert wrapper.apply(page).text == ""
    assert extract(page, learn_trained(STORIES, Params()))[1].text == ""


def test_an_empty_page_among_others() -> None:
    wrapper = learn_trained([*STORIES, make_page("")], Params())
    for number, page in enumerate(STORIES):
        check(wrapper, page, number)


@pytest.mark.slow
def test_many_paragraphs() -> None:
    pages = []
    for name in "ab":
        random = Random(name)
        body = "".join(
            f"<p>{make_sentence(random)} {make_sentence(random)}</p>" for _ in range(2000)
        )
        pages.append(make_page(f"<div class=story>{body}</div>", f"http://a.example/{name}"))
    wrapper = learn(pages)
    assert [wrapper.apply(page).text.count("\n") for page in pages] == [1999, 1999]


@pytest.mark.parametrize("tag", ["<div>", "<div class=x>"])
def test_a_deep_page(tag: str) -> None:
    text = " ".join(paragraphs(1))
    html = f"{tag * 1000}<p>{text}</p>"
    pages = [make_page(html, f"http://a.example/{i}") for i in "ab"]
    assert pages[0].outline.nodes[-1].level > 1000
    for given_pages in (pages, pages[:1]):
        assert learn(given_pages).apply(pages[0]).text == text


def test_a_deep_tree() -> None:
    text = " ".join(paragraphs(2))
    pages = [Page(f"http://a.example/{i}", chain_tree(1000, text)) for i in "ab"]
    assert learn(pages).apply(pages[1]).text == text


@given(st.lists(html_texts(), min_size=1, max_size=3))
@settings(max_examples=25)
def test_any_pages_can_be_learned_from(htmls: list[str]) -> None:
    pages = [Page.from_html(html, f"http://a.example/{i}") for i, html in enumerate(htmls)]
    for method in ("trained", "single"):
        wrapper = learn(pages, Params(method=method))
        assert Wrapper.loads(wrapper.dumps()) == wrapper
        for page in pages:
            wrapper.apply(page)


@pytest.mark.parametrize("count", [1, 2])
def test_what_has_an_id_of_its_own_on_one_page_is_not_dropped(count: int) -> None:
    """Ids of headings are made of their words: what is there says nothing of other pages."""
    pages = [make_story(number) for number in range(5)]
    for page in pages[:count]:
        (bar,) = page.root.xpath("//div[@class='share-bar']")
        bar.set("id", "tweet-and-mail")
        del bar.attrib["class"]
    scored = score_pages(default_classifier(), [segment_page(page) for page in pages])
    body = {
        path for path in scored[0].nodes_at if write_anchored_path(path) == "div[class=post-body]@3"
    }
    dropped = {write_anchored_path(path) for path in choose_drops(scored, body)}
    assert "div[class=share-bar]@4" in dropped
    assert ("div[id=tweet-and-mail]@4" in dropped) == (count > 1)


def test_tables_inside_of_articles_are_no_boilerplate() -> None:
    """However few words they have, and however alike they are on all pages."""
    rows = "".join(f"<tr><td>Pier {i}</td><td>{i} boats</td></tr>" for i in range(3))
    terms = "<dl><dt>Depth</dt><dd>Nine metres</dd><dt>Width</dt><dd>Four metres</dd></dl>"
    cells = "<td><a href=/1>Home</a></td><td><a href=/2>News</a></td>"
    menu = f"<table class=menu><tr>{cells}</tr></table>"
    pages = []
    for number in range(6):
        texts = paragraphs(number)
        parts = [f"<p>{text}</p>" for text in texts]
        parts.insert(2, f"<table>{rows}</table>{terms}{menu}")
        pages.append(
            Page.from_html(
                f"<html lang=en><title>Story {number}</title><article><h1>Story {number}</h1>"
                f"<div class=post-body>{''.join(parts)}</div></article></html>",
                f"http://a.example/story/{number}",
            )
        )
    text = learn_trained(pages, Params()).apply(pages[0]).text
    assert "Pier 1" in text and "Nine metres" in text
    assert "Home" not in text


def test_links_within_paragraphs_are_kept_where_others_stand_alone() -> None:
    """The paths of both are the same; what is dropped must not be cut out of sentences."""
    lines = "".join(f"<p>{text} Told by <a href=/x>the keeper</a>.</p>" for text in paragraphs(1))
    alone = "<p><a href=/home>Home</a></p><p><a href=/more>More of it</a></p>"
    html = f"<article class=post>{lines}{alone}</article>"
    pages = [segment_page(Page.from_html(html, f"http://a.example/{i}")) for i in range(3)]
    scored = []
    for page in pages:
        is_text = np.array(["keeper" in segment.text for segment in page.segments])
        scored.append(_score_page(page, is_text.astype(float), Choice(is_text)))
    article = next(path for path in scored[0].paths if path.level == 2)
    dropped = {write_anchored_path(path) for path in choose_drops(scored, {article})}
    assert not any(path.endswith(" a") for path in dropped)


def test_headings_of_sections_are_kept_however_often_they_are_repeated() -> None:
    """Those before kept text, after other kept text; the title of the page and the heading of a
    list of links are not."""
    text = "".join(f"<p>{text}</p>" for text in paragraphs(1))
    html = (
        f"<article class=post><h1>The mill</h1>{text}<h2>Books:</h2><ul><li>The last miller</ul>"
        "<h2>Films:</h2><p>Grist</p><h3>Elsewhere</h3><p class=links><a href=/1>A kiln</a></p>"
        "</article>"
    )
    pages = [segment_page(Page.from_html(html, f"http://a.example/{i}")) for i in range(3)]
    boilerplate = {"The mill", "Books:", "Films:", "Elsewhere", "A kiln"}
    scored = []
    for page in pages:
        is_text = np.array([segment.text not in boilerplate for segment in page.segments])
        scored.append(_score_page(page, is_text.astype(float), Choice(is_text)))
    article = next(path for path in scored[0].paths if path.level == 2)
    dropped = {write_anchored_path(path) for path in choose_drops(scored, {article})}
    ends = {path.rpartition(" ")[2] for path in dropped}
    assert "h2" not in ends
    assert {"h1", "h3"} <= ends


@pytest.mark.parametrize(
    ("name", "score", "is_between", "is_kept"),
    [
        ("", 0.3, True, True),
        ("", 0.3, False, False),  # a list of links after the article
        ("", 0.1, True, False),  # what is surely boilerplate
        (" class=links", 0.3, True, False),
    ],
)
def test_lists_without_a_name_between_kept_text_are_kept(
    name: str,
    score: float,
    is_between: bool,
    is_kept: bool,
) -> None:
    """Their links have low scores on all pages, but the article goes on after them."""
    pages = []
    for number in range(3):
        parts = [f"<p>{text}</p>" for text in paragraphs(number)]
        links = f"<ul{name}><li><a href=/{number}>Link to a mill of {number}</a></li></ul>"
        parts.insert(2 if is_between else len(parts), links)
        html = f"<html lang=en><title>Mills</title><div class=post>{''.join(parts)}</div></html>"
        pages.append(Page.from_html(html, f"http://a.example/{number}"))

    scored = []
    for page in map(segment_page, pages):
        is_text = np.array(["Link" not in segment.text for segment in page.segments])
        probabilities = np.where(is_text, 0.9, score)
        scored.append(_score_page(page, probabilities, Choice(is_text)))
    wrapper = _learn_from(scored)
    for page in pages:
        text = wrapper.apply(page).text
        assert ("Link to a mill" in text) == is_kept
        assert "they said" in text


@pytest.mark.parametrize(
    ("html", "score", "is_kept"),
    [
        ("<table><tr><td>Rope<td>Paint</table>", 0.15, True),
        ("<table class=needs><tr><td>Rope<td>Paint</table>", 0.15, False),
        ("<dl class=needs><dt>Rope<dd>Paint</dl>", 0.3, True),
        ("<pre class=needs>Rope</pre>", 0.15, False),
        ("<pre><a href=/r>Rope</a> <a href=/p>Paint</a></pre>", 0.3, False),
        ("<ol><li>Rope<ul><li>thick</li></ul></li><li>Paint</li></ol>", 0.15, True),
        ("<ol><li>Rope<ul><li>thick</li></ul></li><li>Paint</li></ol>", 0.05, False),
        ("<ol class=needs><li>Rope</li><li>Paint</li></ol>", 0.3, True),
        ("<ol><li><a href=/r>Rope</a></li><li><a href=/p>Paint</a></li></ol>", 0.3, False),
        ("<figure class=t><table><tr><td>Rope</table><p>Sold</p></figure>", 0.15, True),
        ("<div class=wide><table class=t><tr><td>Rope</table></div>", 0.3, True),
        ("<figure class=ad><p>Rope</p></figure>", 0.3, False),
        ("<div class=box><p>Rope</p></div>", 0.3, False),
        ("<pre class=listing>Rope = 1</pre>", 0.3, True),
    ],
)
def test_data_between_the_text_of_a_single_page_is_kept(
    html: str,
    score: float,
    is_kept: bool,
) -> None:
    """A cell of a table has few words to tell what it is."""
    parts = [f"<p>{text}</p>" for text in paragraphs(1)]
    parts.insert(2, html)
    page = Page.from_html(f"<html lang=en><title>Mills</title><div>{''.join(parts)}</div></html>")
    segmented = segment_page(page)
    is_text = np.array(["they said" in segment.text for segment in segmented.segments])
    probabilities = np.where(is_text, 0.9, score)
    wrapper = _learn_from([_score_page(segmented, probabilities, Choice(is_text))])
    text = wrapper.apply(page).text
    assert ("Rope" in text) == is_kept
    assert text.count("they said") == 4 * len(paragraphs(1))
