from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Page, Wrapper
from forest_scrapy.core.methods.page_wrapper import write_page_wrapper
from forest_scrapy.core.page.markup import REMOVED

from ..helpers import html_texts, make_page


def keep(page: Page, *texts: str) -> Wrapper:
    """Keep the leaves with these texts."""
    leaves = page.outline.leaves
    return write_page_wrapper(
        "m", page, [leaf.node for leaf in leaves], [x.text in texts for x in leaves], 1
    )


def test_an_element_with_only_kept_pieces_is_kept_as_a_whole() -> None:
    page = make_page("<ul><li>menu</ul><div><p>one<p>two</div>")
    wrapper = keep(page, "one", "two")
    assert wrapper.keep == ("(//*)[5]",)  # html, body, ul, li, div
    assert (wrapper.drop, wrapper.apply(page).text) == ((), "one\ntwo")


def test_pieces_in_several_elements() -> None:
    page = make_page("<p>one<p>two<p>three")
    wrapper = keep(page, "one", "three")
    assert wrapper.keep == ("(//*)[contains(' 3 5 ', concat(' ', position(), ' '))]",)
    assert wrapper.apply(page).text == "one\nthree"


def test_an_element_inside_a_kept_one_can_be_dropped() -> None:
    page = make_page("<div>one<p>menu</p><p>two <b>three</b></p></div>")
    wrapper = keep(page, "one", "two ")
    assert wrapper.apply(page).text == "one\ntwo"


def test_a_piece_in_the_same_element_as_a_kept_one_is_kept() -> None:
    page = make_page("<p>one<br>two")
    assert keep(page, "one").apply(page).text == "one\ntwo"


def test_without_kept_pieces_there_is_no_expression() -> None:
    assert keep(make_page("<p>one"), "two").keep == ()
    assert keep(make_page("")).keep == ()


def test_thousands_of_pieces() -> None:
    page = make_page("<p>one<p>two" * 2_000)
    assert keep(page, "one").apply(page).text == "\n".join(["one"] * 2_000)


@given(html_texts(), st.data())
def test_every_kept_piece_is_extracted(html: str, data: st.DataObject) -> None:
    page = Page.from_html(html)
    leaves = page.outline.leaves
    kept = data.draw(st.lists(st.booleans(), min_size=len(leaves), max_size=len(leaves)))
    wrapper = write_page_wrapper("m", page, [leaf.node for leaf in leaves], kept, 0)
    found = "".join(wrapper.apply(page).text.split())
    removed = page.outline.inside(REMOVED)  # a frame set, say: no article has its text
    for leaf, is_kept in zip(leaves, kept, strict=True):
        is_kept = is_kept and not removed[leaf.node]
        assert not is_kept or "".join(leaf.text.split()) in found
    assert Wrapper.loads(wrapper.dumps()) == wrapper
