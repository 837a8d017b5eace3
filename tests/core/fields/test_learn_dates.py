"""Which sources have the dates on the pages of a template."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Entry, Page
from forest_scrapy.core.fields import learn_fields
from forest_scrapy.core.fields.read_fields import read_fields

PROSE = "<p>" + "The ferry to the island leaves at dawn, whatever the weather says. " * 4
DAYS = (5, 23, 11, 19)


def make_pages(head: str, date: str, entries: bool = False, url: str = "x") -> list[Page]:
    """A page for each of ``DAYS`` of October 2024; ``{d}`` in the texts is the day."""
    pages = []
    for number, day in enumerate(DAYS):
        html = (
            f"<html lang=en><head>{head.format(d=day)}</head><body><h1>Boats at pier {number}</h1>"
            f"{date.format(d=day)}{PROSE}{number}"
        )
        entry = Entry(published=f"2024-10-{day:02}T10:00:00+00:00") if entries else None
        pages.append(Page.from_html(html, f"http://a.example/{url.format(d=day)}/{number}", entry))
    return pages


def published(pages: list[Page]) -> list[str]:
    learned = learn_fields(pages)
    return [read_fields(page, learned).published for page in pages]


RIGHT = [f"2024-10-{day:02}" for day in DAYS]


def test_a_day_above_twelve_on_one_page_tells_the_order_of_all() -> None:
    pages = make_pages("", "<p class=date>{d:02}/10/2024")
    assert learn_fields(pages).date_order == "DMY"
    assert published(pages) == RIGHT
    pages = make_pages("", "<p class=date>10/{d:02}/2024")
    assert learn_fields(pages).date_order == "MDY"
    assert published(pages) == RIGHT
    pages = make_pages("", "<p class=date>{d:02}/10/24")
    assert published(pages) == RIGHT


def test_all_pages_of_the_sample_tell_the_order() -> None:
    page = "<html lang=en><h1>Boats {n}</h1><p class=date>{d:02}/10/2024</p>" + PROSE
    pages = []
    for number, day in enumerate((1, 2, 3, 4, 5, 6, 23)):
        html = page.format(n=number, d=day)
        pages.append(Page.from_html(html, f"http://a.example/{number}"))
    assert published(pages)[:2] == ["2024-10-01", "2024-10-02"]


@pytest.mark.parametrize(("entries", "url"), [(True, "x"), (False, "2024/10/05")])
def test_the_feed_or_the_url_tells_the_order_if_no_day_does(entries: bool, url: str) -> None:
    pages = make_pages("", "<p class=date>05/10/2024", entries, url)[:1]
    learned = learn_fields(pages)
    assert learned.date_order == "DMY"
    assert read_fields(pages[0], learned).published[:10] == "2024-10-05"


def test_pages_that_contradict_each_other_have_no_order() -> None:
    pages = make_pages("", "<p class=date>{d:02}/10/2024<p>10/23/2024 and 10/25/2024")
    assert learn_fields(pages).date_order == ""


def test_a_date_whose_order_nothing_tells_is_uncertain() -> None:
    html = "<html lang=en><h1>Boats</h1><p class=date>{}</p>" + PROSE
    rated = {
        date: read_fields(Page.from_html(html.format(date), "http://a.example/1")).date_confidence
        for date in ("05/10/2024", "05/05/2024", "5 October 2024")
    }
    assert rated["05/10/2024"]["published"] < 0.9
    assert rated["05/05/2024"]["published"] > 0.9
    assert rated["5 October 2024"]["published"] > 0.9


CONSTANT = "<meta property=article:published_time content='2012-03-04T00:00:00Z'>"


def test_a_date_that_a_theme_declares_on_all_pages_is_none_of_the_pages() -> None:
    pages = make_pages(CONSTANT, "<span class=date>{d} October 2024</span>")
    learned = learn_fields(pages)
    assert "opengraph:article:published_time" in learned.site_dates
    assert [read_fields(page, learned).published for page in pages] == RIGHT
    other = Page.from_html(f"<head>{CONSTANT}</head><h1>Owls</h1>{PROSE}", "http://a.example/9")
    assert read_fields(other, learned).published == ""


def test_a_date_of_all_pages_that_they_show_is_theirs() -> None:
    pages = make_pages(CONSTANT, "<span class=date>4 March 2012</span><p>Tides of {d}.10.2024")
    learned = learn_fields(pages)
    assert learned.site_dates == ()
    assert read_fields(pages[0], learned).published == "2012-03-04T00:00:00+00:00"


def test_a_date_of_all_pages_is_theirs_if_no_other_is_shown() -> None:
    pages = make_pages(CONSTANT, "")
    assert set(published(pages)) == {"2012-03-04T00:00:00+00:00"}


def test_the_url_does_not_come_before_a_visible_date_with_it() -> None:
    pages = make_pages("", "<p class=date>{d} October 2024, 10:05</p>", url="2024/10/{d:02}")
    assert published(pages) == [f"{day}T10:05:00" for day in RIGHT]


@pytest.mark.parametrize(
    "name",
    "og:regDate article:published dc.date.issued parsely-pub-date sailthru.date regdate "
    "article_date_original story-date".split(),
)
def test_names_of_meta_elements_that_publishing_systems_use(name: str) -> None:
    html = f"<meta name='{name}' content='20241005101500'><h1>Boats</h1>{PROSE}"
    fields = read_fields(Page.from_html(html, "http://a.example/1"))
    assert fields.published == "2024-10-05T10:15:00"


@pytest.mark.parametrize(
    "markup",
    [
        "<span class=js-date data-timestamp=1728122700></span>",
        "<span class=js-date data-timestamp=1728122700000></span>",
        "<span data-datetime='2024-10-05T10:05:00+00:00'></span>",
        "<span class=ts data-utc-time='2024-10-05 10:05:00 UTC'>3 days ago</span>",
        "<span class=ts title='October 5, 2024 10:05 AM UTC'>3 days ago</span>",
        "<abbr title='2024-10-05T10:05:00+00:00'>yesterday</abbr>",
        "<time>1728122700</time>",
        "<time class=ts>1728122700000</time>",
        "<time datetime=1728122700>yesterday</time>",
    ],
)
def test_dates_that_only_attributes_have(markup: str) -> None:
    html = f"<html lang=en><h1>Boats at dawn</h1><div>{markup}</div>{PROSE}"
    page = Page.from_html(html, "http://a.example/1")
    assert read_fields(page).published == "2024-10-05T10:05:00+00:00"


@pytest.mark.parametrize(
    "markup",
    [
        "<div class=share data-timestamp=1728122700>share mail print</div>",
        "<span data-updated-time=1728122700></span>",
        "<span data-event-date=2024-10-05></span>",
        "<a title='Boats of 2024'>Boats</a>",
    ],
)
def test_attributes_that_are_not_the_date_of_the_publication(markup: str) -> None:
    html = f"<html lang=en><h1>Boats at dawn</h1><div>{markup}</div>{PROSE}"
    assert read_fields(Page.from_html(html, "http://a.example/1")).published == ""


def test_a_relative_date_with_the_same_words_on_all_pages_is_read_from_its_title() -> None:
    pages = make_pages("", "<span class=ts title='2024-10-{d:02}'>3 days ago</span>")
    assert published(pages) == RIGHT


def test_the_image_of_all_pages_has_no_date_of_a_page() -> None:
    pages = make_pages("<meta property=og:image content=/2019/03/04/logo.png>", "")
    assert published(pages) == ["", "", "", ""]


@pytest.mark.parametrize(
    ("date", "modified"),
    [
        ("<p>Published: 3 October 2024 | Updated: {d} October 2024</p>", RIGHT),
        ("<p>Updated {d} October 2024, 10:05</p>", [f"{day}T10:05:00" for day in RIGHT]),
        ("<p>3 October 2024</p><p>Zuletzt aktualisiert: {d}.10.2024</p>", RIGHT),
        ("<p>3 October 2024<p><time class=updated datetime=2024-10-{d:02}>yesterday</time>", RIGHT),
        ("<p>3 October 2024</p><p>Tides of {d} October 2024</p>", ["", "", "", ""]),
    ],
)
def test_a_visible_date_of_a_change(date: str, modified: list[str]) -> None:
    pages = make_pages("", date)
    learned = learn_fields(pages)
    assert [read_fields(page, learned).modified for page in pages] == modified
    assert read_fields(pages[0]).modified == modified[0]


def test_a_declared_date_of_a_change_comes_before_a_visible_one() -> None:
    head = "<meta property=article:modified_time content=2024-10-30T10:00:00Z>"
    pages = make_pages(head, "<p>Updated {d} October 2024</p>")
    learned = learn_fields(pages)
    assert read_fields(pages[0], learned).modified == "2024-10-30T10:00:00+00:00"


ONE_DAY = "27 November 2024"
HEADER = "<header><a href=/>The Pier</a></header>"


def make_pages_of_one_day(body: str, entry_day: str = "2024-11-27") -> list[Page]:
    """Pages with feed entries of one day, each at another hour: ``{hour}`` in the body; ``{day}``
    is another one on each page."""
    pages = []
    for number, day in enumerate(DAYS):
        html = body.format(title=f"Boats at pier {number}", hour=10 + number, day=day)
        entry = Entry(published=f"{entry_day}T{10 + number}:00:00+00:00")
        url = f"http://a.example/x/{number}"
        pages.append(Page.from_html(f"<html lang=en><body>{html}", url, entry))
    return pages


def published_without_entry(pages: list[Page], body: str) -> str:
    """The date of a further page of the template, of another day, that no feed lists."""
    html = body.format(title="Owls at night", hour=9, day=3).replace(ONE_DAY, "3 March 2023")
    page = Page.from_html(f"<html lang=en><body>{html}", "http://a.example/x/owls")
    return read_fields(page, learn_fields(pages)).published


@pytest.mark.parametrize(
    ("byline", "date"),
    [
        (f"<h1>{{title}}</h1><p class=date>{ONE_DAY}</p>{PROSE}", "2023-03-03"),
        (f"<h1>{{title}}</h1><p>{ONE_DAY}, {{hour:02}}:05</p>{PROSE}", "2023-03-03T09:05:00"),
        (f"<h1>{{title}}</h1><p>By Anna Berg on {ONE_DAY}</p>{PROSE}", "2023-03-03"),
        (f"<h1>{{title}}</h1><p><time>{ONE_DAY}</time>{PROSE}", "2023-03-03"),
        (f"<p class=date>{ONE_DAY}</p><h1>{{title}}</h1>{PROSE}", "2023-03-03"),
        (f"<h1>{{title}}</h1>{PROSE}<p class=meta>Posted on {ONE_DAY}", "2023-03-03"),
    ],
)
def test_a_date_in_the_byline_of_pages_of_one_day_is_read_on_others(byline: str, date: str) -> None:
    body = f"{HEADER}<article>{byline}</article><footer>Imprint</footer>"
    pages = make_pages_of_one_day(body)
    assert published_without_entry(pages, body) == date
    assert [day[:13] for day in published(pages)] == [f"2024-11-27T1{n}" for n in range(4)]


@pytest.mark.parametrize(
    "body",
    [
        # The day of the visit.
        f"<header><p class=date>{ONE_DAY}</p></header><article><h1>{{title}}</h1>{PROSE}</article>",
        f"<div><p class=date>{ONE_DAY}, {{hour}}:07</p></div><h1>{{title}}</h1>{PROSE}",
        f"<div class=top><p>{ONE_DAY}</p></div><div><h1>{{title}}</h1>{PROSE}</div>",
        f"<article><h1>{{title}}</h1><p id=today>{ONE_DAY}</p>{PROSE}</article>",
        # The day when the site was built.
        f"<article><h1>{{title}}</h1>{PROSE}</article><footer>Built on {ONE_DAY}</footer>",
        f"<div><h1>{{title}}</h1>{PROSE}<div>Published with Quill, {ONE_DAY}</div></div>",
        f"<article><h1>{{title}}</h1>{PROSE}<p>Page made {ONE_DAY} {{hour}}:30</article>",
    ],
)
def test_the_day_of_the_visit_and_of_the_build_are_no_dates_of_pages(body: str) -> None:
    assert published_without_entry(make_pages_of_one_day(body), body) == ""


def test_one_date_of_all_pages_that_the_feed_contradicts_is_none_of_the_pages() -> None:
    body = f"{HEADER}<article><h1>{{title}}</h1><p class=date>{ONE_DAY}</p>{PROSE}</article>"
    pages = make_pages_of_one_day(body, entry_day="2024-05-04")
    assert published_without_entry(pages, body) == ""


def test_dates_in_bylines_that_the_feed_contradicts_are_those_of_pages_without_entry() -> None:
    byline = "<h1>{title}</h1><p class=date>{day} November 2024</p>"
    body = f"{HEADER}<article>{byline}{PROSE}</article>"
    pages = make_pages_of_one_day(body, entry_day="2024-05-04")
    assert published_without_entry(pages, body) == "2024-11-03"
    assert {day[:10] for day in published(pages)} == {"2024-05-04"}


def test_dates_of_responses_are_not_taken_where_the_feed_contradicts_them() -> None:
    responses = "<ol class=responses><li><p class=date>{day} November 2024</p><p>Well said.</ol>"
    body = f"{HEADER}<article><h1>{{title}}</h1>{PROSE}</article>{responses}"
    pages = make_pages_of_one_day(body, entry_day="2024-05-04")
    assert published_without_entry(pages, body) == ""


def read_single(html: str, head: str = "") -> tuple[str, float]:
    html = f"<html lang=en><head>{head}</head><body>{html}</body>"
    fields = read_fields(Page.from_html(html, "http://a.example/1"))
    return fields.published, fields.date_confidence.get("published", 0.0)


CHANGES = [
    "<p>Updated {d} October 2024, 10:05</p>",
    "<p><span>Last modified:</span> <b>{d} October 2024</b></p>",
    "<p><b>Updated</b> <time datetime=2024-10-{d:02}>{d} October</time></p>",
    "<time datetime=2024-10-{d:02}>Updated {d} October 2024</time>",
    "<p class=date>Zuletzt aktualisiert am {d}.10.2024</p>",
    "<p>Joined: {d} October 2024</p>",
    "<p><span>Member since</span><span>{d} October 2024</span></p>",
]


@pytest.mark.parametrize("date", CHANGES)
def test_a_date_with_another_label_is_none_of_publication(date: str) -> None:
    html = f"<h1>Boats at the pier</h1>{date.format(d=5)}{PROSE}"
    assert read_single(html) == ("", 0.0)
    assert published(make_pages("", date)) == [""] * len(DAYS)
    footer = f"<h1>Boats at the pier</h1>{PROSE}<footer>{date.format(d=5)}</footer>"
    assert read_single(footer) == ("", 0.0)


@pytest.mark.parametrize(
    "before",
    ["<h1>Boats: an update</h1>", "<h1>Boats</h1><p>Company updates</p>"],
)
def test_a_word_that_is_like_a_label_of_a_change(before: str) -> None:
    assert read_single(f"{before}<p class=date>5 October 2024</p>{PROSE}")[0] == "2024-10-05"


@pytest.mark.parametrize(
    "times",
    [
        "<time class='entry-date published' datetime=2024-10-05>5 October</time> "
        "<time class=updated datetime=2024-10-23>23 October</time>",
        "<time class=updated datetime=2024-10-23>23 October</time> "
        "<time class='entry-date published' datetime=2024-10-05>5 October</time>",
    ],
)
def test_two_time_elements_with_their_classes(times: str) -> None:
    html = f"<html lang=en><h1>Boats at the pier</h1><p>{times}</p>{PROSE}"
    fields = read_fields(Page.from_html(html, "http://a.example/1"))
    assert (fields.published, fields.modified) == ("2024-10-05", "2024-10-23")


DECLARED = "<meta property=article:published_time content='2025-06-24T10:00:00+00:00'>"


def test_an_earlier_date_at_the_title_is_the_one_of_publication() -> None:
    """Systems declare the day when a page was moved or generated again."""
    shown = "<h1>Boats at the pier</h1><p class=date>{d} October 2024</p>"
    assert read_single(shown.format(d=5) + PROSE, DECLARED) == ("2024-10-05", 0.9)
    assert published(make_pages(DECLARED.replace("06-24", "06-{d:02}"), shown)) == RIGHT


@pytest.mark.parametrize(
    "shown",
    [
        "<h1>Boats at the pier</h1><p class=date>5 October 2025</p>",
        "<h1>Boats at the pier</h1><p class=date>Updated 5 October 2024</p>",
        f"<h1>Boats at the pier</h1>{PROSE}<p>The fair was on 5 October 2024.</p>",
    ],
    ids=["later", "of a change", "in the text"],
)
def test_other_dates_do_not_replace_a_declared_one(shown: str) -> None:
    assert read_single(shown + PROSE, DECLARED)[0] == "2025-06-24T10:00:00+00:00"


def test_a_date_is_less_certain_if_the_page_shows_another_or_none() -> None:
    title = "<h1>Boats at the pier</h1>"
    same = read_single(f"{title}<p>24 June 2025</p>{PROSE}", DECLARED)[1]
    none = read_single(f"{title}{PROSE}", DECLARED)[1]
    other = read_single(f"{title}<p>Updated 5 October 2025</p>{PROSE}", DECLARED)[1]
    assert other <= none <= 0.9 < same


def test_a_visible_date_is_less_certain_far_from_the_title() -> None:
    title = "<h1>Boats at the pier</h1>"
    assert read_single(f"{title}<p class=date>5 October 2024</p>{PROSE}")[1] > 0.9
    assert read_single(f"{title}<p>Posted 5 October 2024</p>{PROSE}")[1] > 0.9
    assert read_single(f"{title}<p>5 October 2024</p>{PROSE}")[1] == 0.9
    assert 0 < read_single(f"{title}{PROSE * 12}<p>5 October 2024</p>")[1] <= 0.9


def test_the_offset_of_the_site_comes_before_utc() -> None:
    local = "<h1>Boats</h1><time datetime=2025-06-24T03:00:00-07:00>24 June</time>"
    assert read_single(local + PROSE, DECLARED)[0] == "2025-06-24T03:00:00-07:00"


@pytest.mark.parametrize(
    "tag", ["<link rel=canonical href={}>", "<meta property=og:url content={}>"]
)
def test_the_date_in_a_declared_url(tag: str) -> None:
    head = tag.format("http://a.example/2024/10/05/boats")
    assert read_single(PROSE, head)[0] == "2024-10-05"


@pytest.mark.parametrize(
    ("data", "date"),
    [
        ('{"publishedAt": "2024-10-05T10:00:00Z"}', "2024-10-05T10:00:00+00:00"),
        ("window.story = {publish_date: '2024-10-05'}", "2024-10-05"),
        ('{"publishedAt": "2024-10-05", "next": {"publishedAt": "2024-10-23"}}', ""),
        ('{"eventDate": "2024-10-05"}', ""),
    ],
)
def test_the_only_date_in_the_data_of_scripts(data: str, date: str) -> None:
    head = f"<script>{data}</script>"
    value, confidence = read_single(f"<h1>Boats</h1>{PROSE}", head)
    assert value == date
    assert confidence <= 0.9
    assert published(make_pages(head.replace("{", "{{").replace("}", "}}"), "")) == [""] * 4


def test_the_earliest_of_several_declared_dates_of_publication() -> None:
    head = (
        "<meta name=published-time content=2025-06-24><meta name=published-date content=2024-10-05>"
    )
    assert read_single(PROSE, head)[0] == "2024-10-05"


def test_a_comment_beside_a_date_is_no_label() -> None:
    html = f"<h1>Boats</h1><p><!-- updated --><b class=date>5 October 2024</b></p>{PROSE}"
    assert read_single(html)[0] == "2024-10-05"
