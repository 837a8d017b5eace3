"""Articles of a site with a feed whose layout is another one than that of the feed's articles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from scrapy.http import HtmlResponse

from forest_scrapy.core import Entry
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import spool_page
from forest_scrapy.stores.decisions import Decision

from .helpers import HOST, counted, features_of, flush, open_crawl, ready

NOUNS = "harbour ferry owl council bridge meadow orchard lantern quarry tide tower garden".split()
HEADER = (
    "<header class=site><a class=logo href=/>Gazette</a><nav class=menu><ul>"
    "<li><a href=/news>News</a><li><a href=/about>About</a><li><a href=/imprint>Imprint</a>"
    "</ul></nav></header>"
)
FOOTER = "<footer class=foot><p>Gazette</p><a href=/privacy>Privacy</a></footer>"
META = "<div class=meta><span class=date>3 May 2024</span><span class=by>By Ana Bo</span></div>"
FEED_ITEMS = 4


def sentence(random: Random) -> str:
    nouns = random.choices(NOUNS, k=4)
    return "The {} near the {} was painted before the {} and the {} were seen.".format(*nouns)


def paragraphs(random: Random, number: int) -> str:
    return "".join(f"<p>{sentence(random)} {sentence(random)}</p>" for _ in range(number))


def page(title: str, body: str, kind: str = "single") -> str:
    return (
        f"<html lang=en><head><title>{title}</title></head><body class='{kind}'>{HEADER}"
        f"<main class=wrap>{body}</main>{FOOTER}</body></html>"
    )


def new_article(random: Random, number: int) -> str:
    title = f"The {random.choice(NOUNS)} of pier {number}"
    return page(
        title,
        f"<article class=post><h1 class=title>{title}</h1>{META}"
        f"<figure class=pic><img src=/{number}.jpg></figure>"
        f"<div class=text>{paragraphs(random, 8)}</div>"
        "<ul class=tags><li class=tag><a href=/tag/owl>Owls</a></ul></article>",
    )


def old_article(random: Random, number: int) -> str:
    title = f"The {random.choice(NOUNS)} of quay {number}"
    return page(
        title,
        f"<article class=post><div class=from>Archive</div><h1 class=title>{title}</h1>{META}"
        f"<div class=lead><div class=intro>{sentence(random)}</div></div>"
        f"<div class=text>{paragraphs(random, 7)}"
        f"<div class=pull><span class=words>{sentence(random)}</span></div></div>"
        "<div class=send><a href=#print>Print</a><a href=#mail>Mail</a></div></article>",
    )


def service_page(random: Random, title: str, kind: str = "page") -> str:
    layout = "post" if kind == "single" else "page"
    body = f"<h1 class=title>{title}</h1><div class=text>{paragraphs(random, 9)}</div>"
    return page(title, f"<article class={layout}>{body}</article>", kind)


def list_page(random: Random, title: str, kind: str, lead: str = "") -> str:
    teasers = "".join(
        f"<div class=teaser><h2 class=title><a href=/n/{i}>{sentence(random)}</a></h2>"
        f"<p class=sum>{sentence(random)}</p></div>"
        for i in range(8)
    )
    return page(title, f"<h1 class=title>{title}</h1>{lead}{teasers}", f"archive {kind}")


def make_site() -> Iterator[tuple[str, str]]:
    """The paths and pages of a site: the first four are in its feed."""
    random = Random(7)
    for number in range(8):
        yield f"/2024/05/story-of-the-pier-{number}", new_article(random, number)
    for number in range(5):
        yield f"/2019/02/story-of-the-quay-{number}", old_article(random, number)
    for name in ("imprint", "about", "contact"):
        yield f"/{name}", service_page(random, name)
    yield "/our-history", service_page(random, "Our history")
    yield "/terms-of-use", service_page(random, "Terms", kind="single")
    for name in ("ana-bo", "cy-dee"):
        lead = f"<p class=bio>{sentence(random)} {sentence(random)}</p>"
        yield f"/author/{name}", list_page(random, name, "author", lead)
    for name in NOUNS[:5]:
        yield f"/tag/{name}", list_page(random, name, "tag")
    yield "/news", list_page(random, "News", "news")


def place_site(crawl: CrawlContext, feed_items: int) -> dict[str, str]:
    """The paths by the keys of the pages."""
    path_of = {}
    for number, (path, body) in enumerate(make_site()):
        is_item = number < feed_items
        response = HtmlResponse(f"http://{HOST}{path}", body=body.encode(), encoding="utf-8")
        entry = Entry("A story", "A description") if is_item else None
        item = ArticlePage.from_response(response, entry)
        item.is_article = is_item
        spooled = spool_page(item)
        assert crawl.spool.add(spooled)
        crawl.templates.place(spooled, features_of(item, crawl.settings.distance))
        path_of[spooled.key] = path
    return path_of


def test_articles_with_another_layout_are_found_and_nothing_else(tmp_path: Path) -> None:
    decisions: dict[str, Decision] = {}

    def note(decision: Decision) -> None:
        decisions[decision.key] = decision

    with open_crawl(tmp_path) as crawl:
        crawl.templates.on_decision = note
        path_of = place_site(crawl, FEED_ITEMS)
        flush(crawl)
        article_paths = sorted(path_of[key] for key in ready(crawl))
        templates = counted(crawl, "templates")

    stories = [f"/2019/02/story-of-the-quay-{number}" for number in range(5)]
    stories += [f"/2024/05/story-of-the-pier-{number}" for number in range(8)]
    assert article_paths == stories
    assert templates == {"found": 2, "by_content": 1}
    path_decisions = {path_of[key]: decision for key, decision in decisions.items()}
    old_story = path_decisions["/2019/02/story-of-the-quay-0"]
    assert (old_story.is_article, old_story.decided_by) == (True, "content")
    tag = path_decisions["/tag/owl"]
    assert (tag.is_article, tag.decided_by) == (False, "template")


def test_a_resumed_crawl_decides_as_one_that_was_not_interrupted(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        path_of = place_site(crawl, FEED_ITEMS)
    with open_crawl(tmp_path) as crawl:
        flush(crawl)
        old_paths = {path_of[key] for key in ready(crawl) if "/2019/" in path_of[key]}
    assert len(old_paths) == 5
