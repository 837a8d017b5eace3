from __future__ import annotations

from dataclasses import replace
from math import log

import pytest

from forest_scrapy.core import Entry, Page
from forest_scrapy.core.methods.signifiers import (
    entry_keywords,
    entry_ngrams,
    find_link_texts,
    page_signifiers,
    recurrent_expressions,
    tfidf_signifiers,
    words_of_url,
)

from ..helpers import make_page


def signifiers(entries: list[Entry | None], source: str = "feed") -> list[dict[str, float]]:
    pages = [
        make_page(f"<p>{'ab cd ef gh'.split()[i]}</p>", f"http://a.example/{i}", entry)
        for i, entry in enumerate(entries)
    ]
    terms = [[leaf.text for leaf in page.outline.leaves] for page in pages]
    return page_signifiers(pages, terms, 10, source)


def test_tfidf_by_hand() -> None:
    pages = [["sea", "boat", "boat", "net"], ["sea", "net", "owl"], ["sea"]]
    found = tfidf_signifiers(pages, 10)
    assert found[0] == {"boat": 2 * log(3), "net": log(3 / 2)}
    assert list(found[0]) == ["boat", "net"]
    assert found[2] == {}


def test_tfidf_has_the_k_heaviest_terms_ties_in_alphabetical_order() -> None:
    found = tfidf_signifiers([["b", "c", "a", "d", "d"], ["x"]], 3)
    assert list(found[0]) == ["d", "a", "b"]


def test_tfidf_of_a_single_page_is_empty() -> None:
    assert tfidf_signifiers([["sea", "boat"]], 10) == [{}]
    assert tfidf_signifiers([], 10) == []


def test_keywords_are_stemmed_and_counted_over_title_and_description() -> None:
    entry = Entry("The Owls", "An owl by the sea in 2012")
    assert entry_keywords(entry, "en", 10) == {"owl": 2, "sea": 1}
    assert entry_keywords(entry, "en", 1) == {"owl": 2}
    assert entry_keywords(entry, "en", 10, frozenset(["owl"])) == {"sea": 1}


def test_ngrams_do_not_cross_from_title_to_description() -> None:
    entry = Entry("One Two", "three four five six")
    assert entry_ngrams(entry) == {("three", "four", "five"), ("four", "five", "six")}
    assert entry_ngrams(entry, 2) > {("one", "two")}
    assert ("two", "three") not in entry_ngrams(entry, 2)
    assert entry_ngrams(entry, recurrent=frozenset([("three", "four", "five")])) == {
        ("four", "five", "six")
    }


@pytest.mark.parametrize(
    ("entries", "with_it", "recurs"),
    [(2, 2, False), (3, 1, False), (3, 2, True), (6, 2, False), (6, 3, True)],
)
def test_an_ngram_in_more_than_a_third_of_three_or_more_entries_recurs(
    entries: int, with_it: int, recurs: bool
) -> None:
    feed = [Entry("", "read more on" if i < with_it else f"w{i} x{i} y{i}") for i in range(entries)]
    assert (("read", "more", "on") in recurrent_expressions(feed)) == recurs


def test_an_ngram_counts_once_per_entry() -> None:
    feed = [Entry("a b c", "a b c"), Entry("d e f"), Entry("g h i")]
    assert recurrent_expressions(feed) == frozenset()


def test_pages_with_an_entry_have_its_keywords_others_tfidf() -> None:
    found = signifiers([Entry("Owls"), None])
    assert found == [{"owls": 1}, {"cd": log(2)}]


def test_entries_are_ignored_by_tfidf() -> None:
    assert signifiers([Entry("Owls"), None], source="tf-idf") == [{"ab": log(2)}, {"cd": log(2)}]


def test_a_page_whose_entry_has_no_terms_has_tfidf() -> None:
    assert signifiers([Entry("2012"), Entry("")]) == [{"ab": log(2)}, {"cd": log(2)}]


def test_terms_that_recur_in_a_feed_are_not_keywords() -> None:
    found = signifiers([Entry(f"Gazette {word}") for word in ("owl", "sea", "rain")])
    assert found == [{"owl": 1}, {"sea": 1}, {"rain": 1}]


def test_two_entries_are_too_few_for_recurrent_terms() -> None:
    found = signifiers([Entry("Gazette owl"), Entry("Gazette sea")])
    assert found == [{"gazette": 1, "owl": 1}, {"gazette": 1, "sea": 1}]


def test_recurrent_terms_depend_on_the_language_of_the_page() -> None:
    entry = Entry("The owls")
    german = Page.from_html("<html lang=de><p>ab", "http://a.example/", entry)
    english = Page.from_html("<html lang=en><p>ab", "http://a.example/", entry)
    assert [list(found) for found in page_signifiers([german, english], [[], []], 10, "feed")] == [
        ["owl", "the"],
        ["owl"],
    ]


def test_texts_of_links_are_those_of_the_other_pages_and_of_the_feed() -> None:
    """A link of a page to itself says nothing of it; URLs are compared without what does not change
    the page; each text counts once."""
    first = make_page(
        "<a href=/1>here</a><a href='/2?utm_source=x'>Boats  leave</a>",
        "http://a.example/1",
        Entry("Owls"),
    )
    second = make_page("<a href=//www.a.example/1#top>Owls</a>", "http://a.example/2")
    third = make_page("<a href=/2>Boats leave</a><a href=/4>Rain</a>", "http://a.example/3")
    second = replace(second, link_texts=("The harbour",))
    texts = find_link_texts([first, second, third])
    assert texts == [["Owls"], ["The harbour", "Boats leave"], []]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://a.example/news/barn-owls_at+night.html", "news barn owls at night"),
        ("http://a.example/caf%C3%A9%20noir/?q=tea", "café noir"),
        ("http://a.example", ""),
        ("http://[a.example/x", ""),
    ],
)
def test_words_of_urls(url: str, words: str) -> None:
    assert words_of_url(url) == words
