"""Learning where the pages of a template have their fields, and reading them."""

from __future__ import annotations

import gc
import weakref

import pytest

from demo import build_site
from forest_scrapy.core import BadRules, Entry, Page, Wrapper
from forest_scrapy.core.fields import FieldSources, learn_fields
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.wrapper import FORMAT

BARE = {"format": FORMAT, "method": "forest", "keep": []}
NAMES = ("Boats at dawn", "Owls by night", "A mill for sale", "The ferry is late")


def make_pages(template: str, with_entries: bool = False, feed_fields: bool = True) -> list[Page]:
    pages = []
    for i, name in enumerate(NAMES):
        entry = Entry(title=name, published=f"2024-05-0{i + 1}T10:00:00+00:00", author="Ana Bo")
        entry = entry if feed_fields else entry.for_signifiers()
        html = template.format(title=name, day=i + 1)
        pages.append(Page.from_html(html, f"http://a.example/{i}", entry if with_entries else None))
    return pages


PLAIN = (
    "<html lang=en><title>{title} | The Gazette</title><meta property=og:title content='The Gazette'>"
    "<h1>The Gazette</h1><div class=post><h2 class=t>{title}</h2>"
    "<p class=meta>0{day}/05/2024</p></div><p class=tide>High water on 7 May 2024</p>"
)


@pytest.mark.parametrize("with_entries", [False, True])
def test_the_title_differs_between_pages_and_is_not_the_sites(with_entries: bool) -> None:
    pages = make_pages(PLAIN, with_entries)
    fields = learn_fields(pages)
    assert fields.affixes == (" | The Gazette",)
    assert [read_fields(page, fields).title for page in pages] == list(NAMES)
    assert "opengraph:og:title" not in fields.title


def test_the_feed_decides_between_dates() -> None:
    template = (
        "<meta property=article:published_time content='2020-01-0{day}'><h1>{title}</h1>"
        "<p class=when>{day} May 2024</p>"
    )
    for feed_fields, found in ((True, "2024-05-01"), (False, "2020-01-01")):
        pages = make_pages(template, with_entries=True, feed_fields=feed_fields)
        assert read_fields(pages[0], learn_fields(pages)).published == found


def test_no_field_is_read_from_an_entry_for_signifiers_only() -> None:
    template = "<p>nothing of it</p>"
    pages = make_pages(template, with_entries=True)
    with_feed = read_fields(pages[0], learn_fields(pages))
    assert (with_feed.title, with_feed.sources["title"]) == (NAMES[0], "feed")
    assert (with_feed.authors, with_feed.published[:10]) == (("Ana Bo",), "2024-05-01")
    pages = make_pages(template, with_entries=True, feed_fields=False)
    without = read_fields(pages[0], learn_fields(pages))
    assert (without.title, without.authors, without.published) == ("", (), "")


def test_the_order_of_the_pages_does_not_matter() -> None:
    pages = make_pages(PLAIN)
    assert learn_fields(pages) == learn_fields(pages[::-1])


@pytest.mark.parametrize("section", ["/news/", "/journal/"])
def test_the_demo_without_its_feed(section: str) -> None:
    site = build_site("http://demo.example")
    golds = [article for article in site.articles if article.path.startswith(section)]
    pages = [
        Page.from_html(site.files[gold.path][1].decode(), site.base_url + gold.path)
        for gold in golds
    ]
    fields = learn_fields(pages[:10])
    for gold, page in zip(golds, pages, strict=True):
        for read in (read_fields(page, fields), read_fields(page)):
            assert (read.title, read.authors) == (gold.title, gold.authors)
            assert (read.published, read.tags) == (gold.published, gold.tags)


def test_fields_are_part_of_the_wrapper() -> None:
    fields = learn_fields(make_pages(PLAIN))
    wrapper = Wrapper("forest", ("//p",), fields=fields)
    assert Wrapper.loads(wrapper.dumps()) == wrapper
    assert wrapper.to_dict()["fields"]["affixes"] == [" | The Gazette"]
    assert Wrapper.from_dict(BARE).fields == FieldSources()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([], "Expected `object`, got `array`"),
        ({"titel": []}, "'titel' is not one of title, published"),
        ({"title": "//h1"}, r"Expected `array`, got `str` - at `\$.fields.title`"),
        ({"title": [1]}, "Expected `str`, got `int`"),
        ({"title": ["//h1["]}, r"fields.title: '//h1\[' is not an XPath"),
    ],
)
def test_bad_fields_are_refused(fields: object, message: str) -> None:
    with pytest.raises(BadRules, match=message):
        Wrapper.from_dict({**BARE, "fields": fields})


@pytest.mark.parametrize(
    "markup",
    [
        # A menu with dates, more of them than XPaths are tried.
        "<ul>"
        + "".join(f"<li class=m{i}>Fair on {i + 1} May 2019</li>" for i in range(6))
        + "</ul>",
        # Comments with dates; the class of the body says that the page has comments.
        "<div class=comments><div class=comment-date>9 June 2024</div></div>",
    ],
)
def test_dates_of_menus_and_comments_are_not_the_articles(markup: str) -> None:
    pages = make_pages(
        "<html lang=en><title>{title}</title><body class='single comments-open'><h1>{title}</h1>"
        + markup.replace("{", "{{").replace("}", "}}")
        + "<div class=meta>May 0{day}, 2024 | by Ana Bo</div><p>Boats."
    )
    fields = learn_fields(pages)
    found = [read_fields(page, fields).published for page in pages]
    assert found == [f"2024-05-0{i + 1}" for i in range(len(NAMES))]


def test_a_page_that_was_learned_from_reads_the_same_and_is_released() -> None:
    html = """<html lang=en><title>Boats - Gazette</title><a href=/>Gazette</a><h1>Boats</h1>
        <p class=by>By Ana Bo</p><p class=date>2 hours ago</p><p>Boats come in at night."""

    def read(page: Page) -> object:
        outer = {"sitemap:lastmod": "2024-05-04"}
        return read_fields(
            page, fields, fetched_at="2024-05-03T12:00:00+00:00", external_texts=outer
        )

    page = Page.from_html(html, "http://a.example/boats")
    fields = learn_fields([page.head])
    assert page.head is page.whole is page
    assert read(page) == read(Page.from_html(html, "http://a.example/boats"))
    assert read_fields(page, fields).modified == ""
    released = weakref.ref(page)
    gc.disable()
    try:
        del page
        assert released() is None
    finally:
        gc.enable()
