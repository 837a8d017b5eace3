from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from forest_scrapy.core import METHODS, BadRules, Entry, Evidence, Extract, Wrapper
from forest_scrapy.core.codec import from_json
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.wrapper import EARLIER, FORMAT, Rule

from .helpers import demo_pages, make_page, read_cases

numbers = st.floats(0, 1e6)
names = st.text(alphabet="ab '\"é漢-", max_size=6)
evidences = st.builds(
    Evidence,
    st.integers(0, 99),
    names,
    numbers,
    names,
    numbers,
    numbers,
    st.integers(0, 9),
    names,
    st.lists(st.builds(Rule, names, st.integers(0, 9), numbers), max_size=2).map(tuple),
)
xpaths = st.sampled_from(["//p", "(//*)[3]", '//div[@class="it\'s"]', "//記事", "//a | //b"])
wrappers = st.builds(
    Wrapper,
    st.sampled_from(sorted(METHODS)),
    st.lists(xpaths, max_size=3).map(tuple),
    evidences,
    st.sampled_from(["page", "entry"]),
    st.lists(xpaths, max_size=3).map(tuple),
    st.sampled_from(["largest", "all"]),
)


def keep(*xpaths: str) -> Wrapper:
    return Wrapper("forest", xpaths)


@given(wrappers)
def test_round_trip_through_json(wrapper: Wrapper) -> None:
    text = wrapper.dumps()
    again = Wrapper.loads(text)
    assert (again, again.id) == (wrapper, wrapper.id)
    assert again.dumps() == text


@given(wrappers)
def test_the_order_of_keys_in_the_json_does_not_matter(wrapper: Wrapper) -> None:
    text = json.dumps(wrapper.to_dict(), sort_keys=True)
    assert Wrapper.loads(text).dumps() == wrapper.dumps()


@pytest.mark.parametrize("xpath", ["//p" + "[1]" * 200_000, f"//p[{'+'.join('1' * 200_000)}]"])
def test_an_xpath_that_is_too_long_to_be_evaluated_is_refused(xpath: str) -> None:
    data = {**Wrapper("forest").to_dict(), "keep": [xpath]}
    with pytest.raises(BadRules, match="too long"):
        Wrapper.from_dict(data)


def test_only_the_format_and_the_method_are_required() -> None:
    data = {"format": FORMAT, "method": "forest"}
    assert Wrapper.from_dict(data) == keep()
    assert Wrapper.from_dict({**data, "keep": ["//p"]}) == keep("//p")


def test_a_wrapper_of_the_earlier_format_is_read_without_its_cut() -> None:
    evidence = {"pages": 4, "signifiers": "feed", "cut": 0.4, "cut_reason": "gap"}
    data = {"format": EARLIER, "method": "forest", "keep": ["//p"], "evidence": evidence}
    assert Wrapper.from_dict(data) == Wrapper("forest", ("//p",), Evidence(4, "feed"))
    assert Wrapper.from_dict({**data, "evidence": {}}) == keep("//p")
    with pytest.raises(BadRules, match="'cut' is not one of"):
        Wrapper.from_dict({**data, "format": FORMAT})


@pytest.mark.parametrize("case", read_cases("wrapper", "refused"))
def test_from_dict_refuses(case: dict[str, Any]) -> None:
    with pytest.raises(BadRules) as error:
        Wrapper.from_dict(case["data"])
    assert case["says"] in str(error.value)


@pytest.mark.parametrize("case", read_cases("wrapper", "no_json"))
def test_loads_refuses(case: dict[str, str]) -> None:
    with pytest.raises(BadRules, match=case["says"]):
        Wrapper.loads(case["text"])


@pytest.mark.parametrize(
    "text", ['{"format": ' + "9" * 5_000 + "}", "[" * 100_000], ids=["digits", "nesting"]
)
def test_loads_refuses_huge_numbers_and_deep_nesting(text: str) -> None:
    with pytest.raises(BadRules):
        Wrapper.loads(text)


def test_the_id_depends_on_the_rules_and_not_on_the_evidence() -> None:
    wrapper = keep("//p", "//div")
    assert len(wrapper.id) == 10
    assert wrapper.id == replace(wrapper, evidence=Evidence(pages=3)).id
    others = (
        keep("//div", "//p"),
        replace(wrapper, method="coverage"),
        replace(wrapper, source="entry"),
        replace(wrapper, drop=("//p",)),
        replace(wrapper, take="all"),
        keep(),
    )
    assert len({wrapper.id, *(other.id for other in others)}) == len(others) + 1


def test_the_first_expression_that_finds_text_is_used() -> None:
    page = make_page("<p> </p><b>b</b><i>i</i>")
    found = keep("//q", "//p", "//b", "//i").apply(page)
    assert (found.text, found.html, found.xpath) == ("b", "<p><b>b</b></p>", "//b")


def test_largest_takes_the_element_with_the_most_text() -> None:
    assert keep("//p").apply(make_page("<p>a</p><p>bbb</p><p>cc</p>")).text == "bbb"
    assert keep("//p").apply(make_page("<p>a</p><p>b</p>")).text == "a"


def test_all_takes_the_elements_in_document_order() -> None:
    page = make_page("<p>a</p><b>-</b><p>bbb</p><p> </p><p>cc</p>")
    found = Wrapper("forest", ("//p",), take="all").apply(page)
    assert (found.text, found.html) == ("a\nbbb\ncc", "<p>a</p>\n<p>bbb</p>\n<p>cc</p>")


def test_nested_elements_are_not_taken_twice() -> None:
    page = make_page("<div>a<div>b</div></div><div>c</div>")
    assert Wrapper("forest", ("//div",), take="all").apply(page).text == "a\nb\nc"


DROP = "<div>a<p class=x>b<i>c</i></p>d<i>e</i>f</div>"


@pytest.mark.parametrize(
    ("drop", "text", "html"),
    [
        ((), "a\nbc\ndef", "<div>a<p>b<i>c</i></p>d<i>e</i>f</div>"),
        (("//p[@class='x']",), "a\ndef", "<div>a<br>d<i>e</i>f</div>"),
        (("//i",), "a\nb\ndf", "<div>a<p>b</p>df</div>"),
        (("//p", "//i"), "a\ndf", "<div>a<br>df</div>"),
        (("//q",), "a\nbc\ndef", "<div>a<p>b<i>c</i></p>d<i>e</i>f</div>"),
        (("//i/text()",), "a\nbc\ndef", "<div>a<p>b<i>c</i></p>d<i>e</i>f</div>"),
        (("//div",), "", ""),
    ],
)
def test_dropped_elements_are_left_out(drop: tuple[str, ...], text: str, html: str) -> None:
    page = make_page(DROP)
    before = etree.tostring(page.root)
    found = Wrapper("forest", ("//div",), drop=drop).apply(page)
    assert (found.text, found.html) == (text, html)
    assert etree.tostring(page.root) == before


def test_if_all_text_is_dropped_the_next_expression_is_used() -> None:
    page = make_page("<div>a</div><p>b</p>")
    assert Wrapper("forest", ("//div", "//p"), drop=("//div",)).apply(page).xpath == "//p"


@pytest.mark.parametrize(
    "figure",
    [
        "<figure><img src=/a.png><figcaption>An owl</figcaption></figure>",
        "<figure><a href=/><img src=/a.png></a><figcaption><p>An owl</p></figcaption></figure>",
        "<div class=wp-caption><img src=/a.png><p class=wp-caption-text>An owl</p></div>",
    ],
)
@pytest.mark.parametrize("caption", ["//figcaption", "//figcaption/p", "//p[@class]"])
def test_a_caption_that_is_kept_alone_comes_with_its_picture(figure: str, caption: str) -> None:
    page = make_page(f"<article>{figure}<div><p>One.</p><p>Two.</p></div></article>")
    found = Wrapper("forest", (f"{caption} | //div[not(@class)]",), take="all").apply(page)
    is_kept = bool(page.root.xpath(caption))
    assert found.text == "One.\nTwo."
    assert found.with_captions("inline").text == "An owl\n" * is_kept + found.text
    images = [(image.url.rpartition("/")[2], image.caption) for image in found.content.images]
    assert images == [("a.png", "An owl")] * is_kept
    assert found.html.count("<img") == is_kept


def test_captions_that_are_all_that_is_kept_are_the_text() -> None:
    figures = "".join(
        f"<figure><img src=/{n}.png><figcaption>Owl {n}</figcaption></figure>" for n in "12"
    )
    found = Wrapper("forest", ("//figcaption",), take="all").apply(make_page(figures))
    assert (found.text, len(found.content.images)) == ("Owl 1\nOwl 2", 2)


def test_a_caption_beside_other_text_is_kept_without_it() -> None:
    page = make_page("<div><img src=/a.png>Share<p class=caption>An owl</p></div><main>One.</main>")
    found = Wrapper("forest", ("//p | //main",), take="all").apply(page)
    assert (found.text, found.with_captions("inline").text) == ("One.", "An owl\nOne.")


def test_dropped_headings_do_not_count() -> None:
    page = make_page("<div>a<section><h2><a href=u>b</a></h2></section></div>")
    found = Wrapper("forest", ("//div",), drop=("//section",)).apply(page)
    assert (found.text, found.content.linked_headings) == ("a", 0)


@pytest.mark.parametrize("xpath", ["//p/text()", "//@id", "count(//p)", "'a'", "true()", "/"])
def test_only_elements_are_content(xpath: str) -> None:
    assert keep(xpath).apply(make_page("<p id=a>b</p>")) == Extract()


def test_comments_are_not_content() -> None:
    assert keep("//comment()").apply(make_page("<!-- a -->")) == Extract()


def test_what_was_found_is_kept_with_the_page_for_wrappers_that_do_the_same() -> None:
    page = make_page("<div><p>One.</p><aside>Two.</aside></div>")
    found = keep("//div").apply(page)
    other = replace(keep("//div"), evidence=Evidence(pages=7))
    assert other.apply(page) is found
    assert replace(other, drop=("//aside",)).apply(page).text == "One."
    assert keep("//div").apply(page, without=page.root.findall(".//p")).text == "Two."
    assert keep("//div").apply(page) is found


@given(st.lists(st.integers(0, 7), max_size=3), st.lists(st.integers(0, 7), max_size=3))
def test_blocks_that_were_read_before_are_read_as_on_a_new_page(
    first: list[int],
    then: list[int],
) -> None:
    html = "<div><p>a <b>b</b></p><p>c</p></div>" * 3 + "<p>d<figure><img src=/e.png>f</figure>"
    wrapper = Wrapper("m", keep=("//div | //body/p | //figure",), take="all")

    def leave_out(page: Page, numbers: list[int]) -> Extract:
        elements = page.root.findall(".//p") + page.root.findall(".//b")
        return wrapper.apply(page, without=[elements[number] for number in numbers])

    page = make_page(html)
    leave_out(page, first)
    new_page = make_page(html)
    again = leave_out(page, then)
    assert again == leave_out(new_page, then)
    assert again.html == leave_out(new_page, then).html


def test_a_wrapper_that_finds_nothing() -> None:
    assert keep().apply(make_page("<p>a</p>")) == keep("//q").apply(make_page("")) == Extract()
    assert (keep().xpath, keep("//p", "//q").xpath) == ("", "//p")


def test_an_article_has_the_fields_of_the_page() -> None:
    html = (
        "<title>Boats | Gazette</title><meta property='og:site_name' content='Gazette'>"
        "<h1>Boats</h1><time datetime='2024-05-01T10:00:00+00:00'>May</time><div><p>In the sea."
    )
    page = make_page(html)
    article = keep("//div").article(page, "2024-05-02T00:00:00+00:00")
    assert article is not None
    assert (article.title, article.text, article.site_name) == ("Boats", "In the sea.", "Gazette")
    assert (article.url, article.fetched_at) == (page.url, "2024-05-02T00:00:00+00:00")
    assert article.published == "2024-05-01T10:00:00+00:00"
    assert (article.xpath, article.wrapper_id) == ("//div", keep("//div").id)
    assert keep("//table").article(page) is None


def test_a_wrapper_of_the_feed_entry() -> None:
    wrapper = Wrapper("description", source="entry")
    found = wrapper.apply(make_page("<p>a</p>", entry=Entry("Title", "Words")))
    assert (found.text, found.html) == ("Title\nWords", "<p>Title</p>\n<p>Words</p>")
    assert wrapper.apply(make_page("<p>a</p>")) == Extract()


def test_the_html_is_clean_and_the_page_is_not_changed() -> None:
    page = make_page("<div>a<script>s</script><!-- c --><style>t</style><p>b</p></div>tail")
    before = etree.tostring(page.root)
    assert keep("//div").apply(page).html == "<div>a<p>b</p></div>"
    assert etree.tostring(page.root) == before


def test_demo_pages_are_not_changed() -> None:
    for page in demo_pages("journal"):
        before = etree.tostring(page.root)
        keep("//body").apply(page)
        assert etree.tostring(page.root) == before


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("<h1>a</h1>", 0),
        ("<h2><a href=u>a</a></h2>", 1),
        ("<a href=u><h3>a</h3></a>", 1),
        ("<h2><a href='#top'>a</a></h2>", 0),
        ("<h2><a name=a>a</a></h2>", 0),
        ("<h4><a href=u>a</a></h4>", 0),
        ("<h2><span><a href=u>a</a></span></h2><h3><a href=v>b</a></h3>", 2),
    ],
)
def test_linked_headings(body: str, count: int) -> None:
    page = make_page(f"<div>x{body}</div>")
    assert keep("//div").apply(page).content.linked_headings == count


@pytest.mark.parametrize(
    ("learned", "found", "several"),
    [(0, 4, False), (0, 5, True), (2, 4, False), (2, 5, True), (3, 5, False), (3, 6, True)],
)
def test_far_more_linked_headings_mean_several_articles(
    learned: int, found: int, several: bool
) -> None:
    wrapper = Wrapper("forest", ("//p",), Evidence(linked_headings=learned))
    assert wrapper.shows_several(Extract(Content("a", linked_headings=found))) is several


def test_the_wrapper_in_a_notebook() -> None:
    rule = Rule("//p[.='<b>']", 3, 0.5)
    wrapper = Wrapper("trained", (rule.xpath,), Evidence(rules=(rule,)), drop=("//ul",))
    written = wrapper._repr_html_()
    assert "<td>keep</td><td><code>//p[.=&#x27;&lt;b&gt;&#x27;]</code></td><td>3</td>" in written
    assert "<td>drop</td><td><code>//ul</code></td><td></td>" in written


def test_the_files_of_an_entry_from_another_process_have_all_their_values() -> None:
    """A value that was read from JSON has its defaults in the class only."""
    file = {"url": "http://a.example/1.mp3", "type": "audio/mpeg"}
    entry = from_json(Entry, {"title": "Boats", "enclosures": [file]})
    page = make_page("<article><p>Boats are in the harbour.</p></article>", entry=entry)
    article = Wrapper("single", ("//article",)).article(page)
    assert article.audios == [{**file, "length": None}]
