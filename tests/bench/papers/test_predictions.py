"""Dates by the neighbourhood, and Kalman filters, by hand."""

from __future__ import annotations

from benchmarks.papers.kalman import DAYS, EVENTS, make_history, predict_changes
from benchmarks.papers.neighbourhood import (
    DAY,
    date_by_neighbours,
    join_links,
    read_dates,
    read_site_links,
)
from benchmarks.sets.bench_set import BenchPage, Group

LINE = "An owl flew over the old harbour at night, and the boats were all asleep by then, too."


def make_page(number: int, links: str = "", published: str = "") -> BenchPage:
    html = f"<html><head></head><body><p>{LINE}</p>{links}</body></html>"
    url = f"http://a.example/{number}"
    return BenchPage(str(number), url, "article", html.encode(), LINE, published=published)


def test_a_page_is_dated_by_the_pages_that_it_links_and_that_link_it() -> None:
    """The first page links the second, and the third the first: its date is the mean of the 3rd
    and the 9th.  The third has one neighbour, the fourth none."""
    pages = (
        make_page(1, "<a href=/2>two</a><a href=/1>here</a><a href=/7>away</a>", "2012-05-01"),
        make_page(2, "", "2012-05-03T00:00:00+00:00"),
        make_page(3, "<a href=/1>one</a>", "2012-05-09"),
        make_page(4, "", "2012-05-20"),
    )
    group = Group("a.example", pages)
    dates = read_dates(group)
    first, second, third, fourth = dates
    neighbours = join_links(read_site_links(group))
    assert neighbours == {first: {second, third}, second: {first}, third: {first}}
    estimate = date_by_neighbours(neighbours[first], dates)
    assert estimate is not None
    assert (estimate - dates[first]) / DAY == (2 + 8) / 2
    assert date_by_neighbours(neighbours.get(fourth, ()), dates) is None


def test_a_filter_of_one_term_by_hand() -> None:
    """The limit is 1 + 3 * sqrt(2) = 5.24.  After five equal versions the variance of the state is
    0.05 / 5, then 0.01 more, and that of an innovation 0.07: 1 / 0.07 is above the limit.  Training
    on 1, 1, 2, 2, 2 has the variance 0.24 about 1.6: 1.4² / (0.048 + 0.01 + 0.24) is 6.6, and
    0.4² / 0.298 is 0.5."""
    one, two, three = ("owl " * count for count in (1, 2, 3))
    assert predict_changes([one] * 5 + [one, two, two]) == [6]
    assert predict_changes([one, one, two, two, two, two]) == []
    assert predict_changes([one, one, two, two, two, three]) == [5]


def test_made_histories_change_the_article_at_the_events_for_good() -> None:
    versions = make_history(make_page(1))
    texts = [html.split(b'<div class="related')[0].split(b"<p>", 1)[1] for html in versions]
    articles = [text.split(b'<div class="ad-slot')[0] for text in texts]
    assert len(set(versions)) == DAYS
    first, second = EVENTS
    assert len(set(articles[:first])) == len(set(articles[first:second])) == 1
    assert len(set(articles[second:])) == 1
    assert articles[0] != articles[first]
