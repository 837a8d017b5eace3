from __future__ import annotations

import pytest

from forest_scrapy.core import Entry, Params
from forest_scrapy.core.methods.sigfeed import learn_sigfeed

from ..helpers import make_page, make_pages

ENTRY = Entry("Boats leave harbour", "at dawn the boats leave harbour for the open sea")


def learn_text(body: str, entry: Entry | None = ENTRY) -> str:
    page = make_page(body, entry=entry)
    return learn_sigfeed([page], Params()).apply(page).text


def test_the_block_with_the_words_of_the_entry_is_kept() -> None:
    body = "<div class=menu>home sea</div><div class=story><p>At dawn the boats leave.</p></div>"
    assert learn_text(body) == "At dawn the boats leave."


def test_ngrams_are_used_before_keywords() -> None:
    """Both blocks have keywords, the first more of them; only the second has a 3-gram."""
    body = "<div class=a>sea boats harbour</div><div class=b>we saw boats leave harbour early</div>"
    assert learn_text(body) == "we saw boats leave harbour early"


def test_keywords_are_used_if_no_ngram_is_found() -> None:
    body = "<div class=a>rain and wind</div><div class=b>a boat, boats, the sea</div>"
    assert learn_text(body) == "a boat, boats, the sea"


def test_matches_are_divided_by_the_length_of_the_text() -> None:
    long = "boats leave harbour " + "and much more is said of other things " * 3
    body = f"<div class=a>{long}</div><div class=b>boats leave harbour now</div>"
    assert learn_text(body) == "boats leave harbour now"


def test_densities_of_a_block_are_added() -> None:
    line = "<p>we saw boats leave harbour</p>"
    body = f"<div class=a>now boats leave harbour</div><div class=b>{line}{line}</div>"
    assert learn_text(body).startswith("we saw")


@pytest.mark.parametrize("tag", ["div", "article", "main", "section"])
def test_the_lowest_block_above_the_text(tag: str) -> None:
    body = f"<div class=a>rain<{tag} class=b><p><b>boats leave harbour</b></p></{tag}></div>"
    assert learn_text(body) == "boats leave harbour"


def test_a_cell_of_a_table_is_a_block() -> None:
    body = "<table><tr><td class=a>rain<td class=b>boats leave harbour</table>"
    assert learn_text(body) == "boats leave harbour"


def test_without_a_block_the_body_is_kept() -> None:
    assert learn_text("<p>boats leave harbour</p><p>rain</p>") == "boats leave harbour\nrain"


def test_without_an_entry_the_declared_title_is_used() -> None:
    line = "<p>boats leave harbour</p>"
    page = make_page(f"<h1>Boats leave harbour</h1><div>rain</div><div class=b>{line}{line}</div>")
    wrapper = learn_sigfeed([page], Params())
    assert wrapper.evidence.signifiers == "page"
    assert wrapper.apply(page).text == "boats leave harbour\nboats leave harbour"


def test_nothing_is_found() -> None:
    page = make_page("<div>rain</div>", entry=ENTRY)
    wrapper = learn_sigfeed([page], Params())
    assert (wrapper.keep, wrapper.evidence.signifiers) == ((), "feed")


def test_more_pages_add_expressions_the_most_frequent_first() -> None:
    pages = [
        make_page(f"<div class={name}>boats leave harbour</div>", f"http://a.example/{i}", ENTRY)
        for i, name in enumerate(["a", "b", "b"])
    ]
    wrapper = learn_sigfeed(pages, Params())
    assert [xpath.split("'")[1] for xpath in wrapper.keep] == ["b", "a"]
    assert wrapper.evidence.score == pytest.approx(2 * wrapper.evidence.runner_up_score, abs=2e-4)


def test_ngrams_that_recur_in_the_feed_are_not_signifiers() -> None:
    bodies = (
        "<div class=more>read more on boats</div><div class=story>three boats left today</div>",
        "<div class=more>read more on boats</div><div class=story>two owls were seen</div>",
        "<div class=more>read more on boats</div><div class=story>much rain has fallen</div>",
    )
    titles = ("three boats left", "two owls were", "much rain has")
    pages = [
        make_page(body, f"http://a.example/{i}", Entry(title, "read more on"))
        for i, (body, title) in enumerate(zip(bodies, titles, strict=True))
    ]
    assert [learn_sigfeed(pages, Params()).apply(page).text for page in pages] == [
        "three boats left today",
        "two owls were seen",
        "much rain has fallen",
    ]


def test_two_pages_with_the_same_block_give_one_expression() -> None:
    pages = make_pages("<h1>sea</h1><div class=a>sea</div>", "<h1>owl</h1><div class=a>owl</div>")
    assert len(learn_sigfeed(pages, Params()).keep) == 1


def test_the_title_alone_finds_its_own_block() -> None:
    """Thesis 2.5.1: the lowest block around the title is the heading's, and not the article's."""
    heading = "<div class=head><h1>Boats leave harbour</h1></div>"
    story = "<div class=story><p>At dawn the boats leave.</p><p>The boats leave harbour.</p></div>"
    page = make_page(heading + story, entry=ENTRY)
    by_entry = learn_sigfeed([page], Params())
    by_title = learn_sigfeed([page], Params(source="title"))
    assert by_entry.apply(page).text.startswith("At dawn")
    assert by_title.apply(page).text == "Boats leave harbour"
    assert (by_entry.evidence.signifiers, by_title.evidence.signifiers) == ("feed", "title")
    assert learn_sigfeed([page], Params(source="tf-idf")) == by_entry


@pytest.mark.parametrize(("n", "first"), [(1, "sea sea"), (2, "open sea"), (3, "boats leave")])
def test_the_words_of_an_ngram_are_an_option(n: int, first: str) -> None:
    """The blocks have 14 words of the entry in 55 characters and 12 in 58; 6 pairs in 58 and 2 in
    34; only the last one has a triple."""
    sea = " ".join(["sea"] * 14)
    pairs = "; ".join(["open sea"] * 6)
    triple = "boats leave harbour, and it rained"
    body = f"<div class=a>{sea}</div><div class=b>{pairs}</div><div class=c>{triple}</div>"
    page = make_page(body, entry=ENTRY)
    assert learn_sigfeed([page], Params(ngram=n)).apply(page).text.startswith(first)
