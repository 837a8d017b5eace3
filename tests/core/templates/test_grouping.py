"""The pages of a host by template, as a value that can be written and merged."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Entry, Fingerprint, Page
from forest_scrapy.core.templates.fingerprints import DISTANCES
from forest_scrapy.core.templates.grouping import (
    ENOUGH_PAGES,
    Grouping,
    UnknownPage,
    group_pages,
    read_fingerprint,
)
from forest_scrapy.core.templates.kinds import MIN_CHANCE, MIN_CHANCE_ALIKE, MIN_CHANCE_BESIDE_FEED
from forest_scrapy.core.templates.signals import Signals, read_signals

from ..helpers import demo_pages

fingerprints = st.builds(Fingerprint, st.frozensets(st.integers(0, 12), max_size=7))
signals = st.none() | st.builds(Signals, st.sampled_from([0.0, 0.5, 1.0]), st.just(2.0))
#: Pages: a fingerprint, whether it is known to be an article, and its signals if it is not.
arrivals = st.lists(st.tuples(fingerprints, st.booleans(), signals), min_size=1, max_size=12)
Arrivals = list[tuple[Fingerprint, bool, Signals | None]]

STORY = "<p>The owls of this harbour town hunt by night, and they sleep when the boats leave.</p>"


def grouping_of(pages: Arrivals, distance: str = "typed") -> Grouping:
    grouping = Grouping(distance)
    for fingerprint, is_article, one in pages:
        grouping.add(fingerprint, is_article, one)
    grouping.measure()
    return grouping


def state(grouping: Grouping) -> object:
    return (grouping.clusters(), grouping.cut, grouping.unknown_pages, grouping.to_dict())


def merge(*groupings: Grouping) -> Grouping:
    merged = Grouping()
    for one in groupings:
        merged.merge(json.loads(json.dumps(one.to_dict())))
    merged.measure()
    return merged


@given(arrivals, st.randoms(use_true_random=False))
def test_the_order_of_pages_does_not_matter(pages: Arrivals, random: Random) -> None:
    shuffled = list(pages)
    random.shuffle(shuffled)
    one, other = grouping_of(pages), grouping_of(shuffled)
    assert (one.clusters(), one.cut) == (other.clusters(), other.cut)
    assert one.unknown_pages == other.unknown_pages == sum(s is not None for _, _, s in pages)


@given(arrivals)
def test_written_as_json_and_read_again(pages: Arrivals) -> None:
    grouping = grouping_of(pages)
    assert state(merge(grouping)) == state(grouping)


@given(arrivals, st.integers(0, 12))
def test_two_halves_are_the_whole(pages: Arrivals, at: int) -> None:
    halves = [grouping_of(pages[:at]), grouping_of(pages[at:])]
    whole = grouping_of(pages)
    assert state(merge(*halves)) == state(merge(*halves[::-1])) == state(whole)


@pytest.mark.parametrize("has_feed", [True, False])
def test_a_feed_is_known_of_all_that_are_merged(has_feed: bool) -> None:
    grouping = Grouping()
    grouping.has_feed = has_feed
    assert merge(Grouping(), grouping, Grouping()).has_feed is has_feed


def test_the_pages_of_a_cluster_with_an_article_are_articles_if_there_is_a_feed() -> None:
    one, other = Fingerprint(frozenset((1, 2))), Fingerprint(frozenset((7, 8)))
    grouping = grouping_of(
        [(one, True, None), *[(one, False, None)] * 2, *[(other, False, None)] * 3]
    )
    named, unnamed = grouping.cluster_of(one), grouping.cluster_of(other)
    assert named and unnamed
    assert [grouping.has_articles(named, n) for n in (1, 2)] == [True, False]
    grouping.has_feed = True
    assert [grouping.has_articles(named, n) for n in (1, 3, 4)] == [True, True, False]
    assert not grouping.has_articles(unnamed, 1)


def story(number: int) -> Page:
    return Page.from_html(
        f"<html lang=en><title>Owls {number}</title><h1>Owls {number}</h1><article class=story>"
        f"<time datetime=2024-05-0{number % 9 + 1}>May</time>{STORY * (5 + number % 3)}</article>",
        f"http://a.example/2024/05/0{number % 9 + 1}/owls-of-the-harbour-{number}",
    )


def listing(number: int) -> Page:
    rows = "".join(f"<li><h2><a href=/{number}/{i}>Owls {i}</a></h2>" for i in range(12))
    return Page.from_html(
        f"<html lang=en><title>Tag {number}</title><ul class=list>{rows}</ul>",
        f"http://a.example/tag/{number}",
    )


def unknown_pages(
    grouping: Grouping,
    pages: list[Page],
) -> dict[tuple[str, ...], list[UnknownPage]]:
    """The pages by the digests of their cluster."""
    by_digests: dict[tuple[str, ...], list[UnknownPage]] = {}
    for page in pages:
        fingerprint = read_fingerprint(page, "typed")
        cluster = grouping.cluster_of(fingerprint)
        assert cluster
        unknown = UnknownPage(page.url, fingerprint.digest, read_signals(page))
        by_digests.setdefault(cluster.digests, []).append(unknown)
    return by_digests


def test_pages_are_chosen_by_their_content() -> None:
    pages = [make(i) for i in range(12) for make in (story, listing)]
    grouping = Grouping()
    for page in pages:
        grouping.add(read_fingerprint(page, "typed"), signals=read_signals(page))
    grouping.measure()
    by_digests = unknown_pages(grouping, pages)
    choices = grouping.choose(by_digests, ())
    assert [one.digests for one in choices] == sorted(by_digests)
    articles = {url for one in choices for url in one.articles}
    others = {url for one in choices for url in one.other_pages}
    assert articles == {page.url for page in pages if "owls" in page.url}
    assert others == {page.url for page in pages if "tag" in page.url}
    assert grouping.choose({}, ()) == []


def essay(slug: str, tail: str = "") -> Page:
    links = "".join(f"<li><a href=/e/owl-{i}>Owls of harbour {i}</a>" for i in range(4))
    return Page.from_html(
        f"<html lang=en><title>Owls | Mill</title><nav><ul>{links}</ul></nav>"
        f"<div class=essay><h1>Owls</h1>{STORY * 5}{tail}</div><aside><ol>{links}</ol></aside>",
        f"http://a.example/{slug}",
    )


def essay_of(number: int) -> Page:
    return essay(f"e/owls-{number}")


def story_with_notes(number: int) -> Page:
    notes = "<div class=notes><h3>Notes</h3><ol class=list><li><i>One</i></ol><hr></div>"
    html = (
        f"<html lang=en><title>Owls {number}</title><h1>Owls {number}</h1><article class=story>"
        f"<time datetime=2024-05-03>May</time>{STORY * 6}{notes}</article>"
    )
    return Page.from_html(html, f"http://a.example/2024/05/03/owls-of-the-mill-{number}")


def essays_and_lists() -> list[Page]:
    tail = f"<h2>More</h2><table><tr><td>{STORY}</table><pre><code>owl</code></pre>"
    pages = [essay(f"e/owls-{number}", tail) for number in range(8)]
    pages += [
        essay("e/a-night-with-two-owls"),
        essay("e/owl"),
        essay("tag/page/2", tail),
        listing(1),
    ]
    return pages


def test_of_pages_with_one_layout_all_that_are_about_as_likely_are_articles() -> None:
    pages = essays_and_lists()
    grouping = Grouping()
    for page in pages:
        grouping.add(read_fingerprint(page, "typed"), signals=read_signals(page))
    grouping.measure()
    chances: dict[str, float] = {}
    articles: set[str] = set()
    for choice in grouping.choose(unknown_pages(grouping, pages), ()):
        chances.update(choice.chances)
        articles.update(choice.articles)
    assert MIN_CHANCE_ALIKE < chances["http://a.example/e/owl"] < MIN_CHANCE
    assert articles == {page.url for page in pages if "/e/" in page.url}


@pytest.mark.parametrize(
    ("article", "is_service", "is_chosen"),
    [
        (story_with_notes, False, True),
        (story_with_notes, True, False),  # its URL names a page about the site
        (essay_of, False, False),  # another layout than that of each page here
    ],
)
def test_beside_the_articles_of_a_feed_pages_have_to_resemble_these(
    article: Callable[[int], Page], is_service: bool, is_chosen: bool
) -> None:
    unknown = [make(i) for i in range(5) for make in (story, listing)]
    grouping = Grouping()
    grouping.has_feed = True
    for number in range(3):
        grouping.add(read_fingerprint(article(number), "typed"), is_article=True)
    for page in unknown:
        grouping.add(read_fingerprint(page, "typed"), signals=read_signals(page))
    grouping.measure()
    by_digests = {
        digests: [page._replace(is_service=is_service) for page in pages]
        for digests, pages in unknown_pages(grouping, unknown).items()
    }
    choices = grouping.choose(by_digests, ())
    articles = {url for choice in choices for url in choice.articles}
    stories = {page.url for page in unknown if "owls" in page.url}
    assert articles == (stories if is_chosen else set())


def test_without_a_feed_pages_about_the_site_have_to_be_likelier() -> None:
    pages = essays_and_lists()
    grouping = Grouping()
    for page in pages:
        grouping.add(read_fingerprint(page, "typed"), signals=read_signals(page))
    grouping.measure()
    by_digests = unknown_pages(grouping, pages)
    for is_service in (False, True):
        choices = grouping.choose(
            {
                digests: [page._replace(is_service=is_service) for page in pages]
                for digests, pages in by_digests.items()
            },
            (),
        )
        chances: dict[str, float] = {}
        articles: set[str] = set()
        for choice in choices:
            chances.update(choice.chances)
            articles.update(choice.articles)
        likely = {key for key, chance in chances.items() if chance >= MIN_CHANCE_BESIDE_FEED}
        essays = {page.url for page in pages if "/e/" in page.url}
        assert 0 < len(likely) < len(essays)
        assert articles == (likely if is_service else essays)


def test_a_new_page_is_told_from_the_others_when_enough_are_known() -> None:
    grouping = Grouping()
    for number in range(ENOUGH_PAGES):
        first = story(0)
        assert grouping.classify(read_fingerprint(first, "typed"), read_signals(first), ()) is None
        page = (story if number % 2 else listing)(number)
        grouping.add(read_fingerprint(page, "typed"), signals=read_signals(page))
    for make, is_article in ((story, True), (listing, False)):
        page = make(ENOUGH_PAGES)
        told = grouping.classify(read_fingerprint(page, "typed"), read_signals(page), ())
        assert told and (told.probability >= MIN_CHANCE) is is_article
    far = Fingerprint(frozenset((1, 2)))
    assert grouping.classify(far, read_signals(story(1)), ()) is None


@pytest.mark.parametrize("distance", sorted(DISTANCES))
def test_the_sections_of_the_demo(distance: str) -> None:
    news, journal = demo_pages("news"), demo_pages("journal")
    groups, cut = group_pages([*news, *journal], distance)
    assert sorted(map(len, groups)) == sorted(map(len, (news, journal)))
    assert cut.reason


def test_no_page() -> None:
    assert group_pages([])[0] == []
    assert Grouping().clusters() == ()
    assert Grouping().to_dict() == {"has_feed": False, "points": [], "signals": {}}


def test_pages_with_an_entry_are_articles() -> None:
    page = Page.from_html("<main><p>a", "http://a.example/1", Entry("a"))
    assert group_pages([page])[0] == [[page]]
