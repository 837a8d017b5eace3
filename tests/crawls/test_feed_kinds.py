"""Feeds of every kind: OPML, JSON Feed, full text, media, and entries of pages that are missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .helpers import RSS, Project, Run, Server, rss, story, story_title

FULL = " ".join(f"Sentence {i} of the full text in the feed." for i in range(20))
FULL_HTML = f"<p onclick='x()'>{FULL}</p><p><img src='full.jpg'></p>"
SUMMARY = "What the feed says of it"
RSS_FEED = """<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:media="http://search.yahoo.com/mrss/"><channel>{}</channel></rss>"""
ITEM = (
    "<item><title>{title}</title><link>{link}</link><description>" + SUMMARY + "</description>"
    "<pubDate>Fri, 03 May 2024 10:00:00 +0200</pubDate>{more}</item>"
)
MEDIA = """<enclosure url="/1.mp3" type="audio/mpeg" length="9000"/>
<media:content url="/v.mp4" medium="video" fileSize="77"/><media:content url="/i.jpg"/>"""
JSON_ITEMS = [{"url": f"/story/{number}", "title": story_title(number)} for number in range(6, 10)]


def encoded(html: str) -> str:
    return f"<content:encoded><![CDATA[{html}]]></content:encoded>"


#: Parts of the items of the RSS feed, by the path of their pages.
RESET = "ResponseDataLossError"
ENTRIES = {
    "/story/0": MEDIA,
    "/story/1": encoded("<p>Cut off after some words: " + FULL[:400] + "...</p>"),
    "/story/2": "",
    "/teaser": encoded(FULL_HTML),
    "/missing": encoded(FULL_HTML) + MEDIA,
    "/broken": "",
    "/reset": "",
    "/private/robots": "",
}
OPML = """<?xml version="1.0"?><opml version="2.0"><body><outline text="News">
<outline text="one" type="rss" xmlUrl="{url}/rss.xml"/><outline text="deeper">
<outline text="two" type="rss" xmlUrl="{url}/feed.json"/><outline xmlUrl="{url}/rss.xml"/>
</outline></outline><outline text="broken" type="rss" xmlUrl="not a URL"/>
<outline type="rss" xmlUrl="{url}/gone.xml"><outline text="cut"""


@pytest.fixture(scope="module")
def site() -> Any:
    with Server() as server:
        for number in range(12):
            server.add(f"/story/{number}", story(number))
        start, side, end = story(11).partition("</div></div><div class='side'>")
        teaser = start.partition("Paragraph 1 of")[0]
        server.add("/teaser", f"{teaser} Subscribe.</p>{side}{end}")
        server.add("/broken", "Sorry", status=503)
        server.add("/reset", story(10), cut=0)
        server.add("/robots.txt", "User-agent: *\nDisallow: /private/", "text/plain")
        items = "".join(
            ITEM.format(title=f"About {path}", link=path, more=more)
            for path, more in ENTRIES.items()
        )
        server.add("/rss.xml", RSS_FEED.format(items), RSS)
        feed = {"version": "https://jsonfeed.org/version/1.1", "items": JSON_ITEMS}
        server.add("/feed.json", json.dumps(feed), "application/feed+json")
        server.add("/all.opml", OPML.format(url=server.url), "text/x-opml")
        yield server


@pytest.fixture(scope="module")
def run(site: Server, tmp_path_factory: pytest.TempPathFactory) -> Run:
    project = Project(tmp_path_factory.mktemp("kinds"))
    project.write("feeds.opml", OPML.format(url=site.url))
    return project.crawl("feeds", "feeds_file=feeds.opml", RETRY_TIMES=0, ROBOTSTXT_OBEY=True)


def test_the_feeds_of_an_opml_file(run: Run) -> None:
    assert run.status == 0
    assert "Traceback" not in run.log
    assert run.counted("feeds") == {"read": 2, "items": 12, "failed": 1, "unreadable": 1}
    assert "feeds.opml: 'not a URL' is not an http or https URL" in run.log


def test_every_entry_becomes_an_article(run: Run) -> None:
    assert run.paths == sorted((*ENTRIES, *(item["url"] for item in JSON_ITEMS)))
    assert run.counted("failed") == {"status_404": 1, "status_503": 1, "IgnoreRequest": 1, RESET: 1}
    assert run.stat("refused/not_fetched") == run.stat("articles/entry") - 1 == 4


def test_files_of_media(run: Run) -> None:
    item, url = run.by_path["/story/0"], run.by_path["/story/0"]["url"].removesuffix("/story/0")
    assert item["audios"] == [{"url": f"{url}/1.mp3", "type": "audio/mpeg", "length": 9000}]
    assert item["videos"] == [{"url": f"{url}/v.mp4", "type": "video/mp4", "length": 77}]
    (image,) = item["images"]
    assert (image["url"], image["type"], image["length"]) == (f"{url}/i.jpg", "image/jpeg", None)
    assert (item["main_image"], item["sources"]["main_image"]) == (f"{url}/i.jpg", "feed")


def test_the_better_of_page_and_full_text(run: Run) -> None:
    page, feed = run.by_path["/story/1"], run.by_path["/teaser"]
    assert (page["method"], page["sources"]["text"]) == ("trained", "template")
    assert "Paragraph 5 of 1." in page["text"]
    assert page["entry"]["description"] == SUMMARY
    assert page["entry"]["content"].startswith("<p>Cut off")
    assert (feed["method"], feed["sources"]["text"]) == ("entry", "feed")
    assert feed["text"] == FULL
    assert "onclick" not in feed["html"] and "/full.jpg" in feed["html"]
    assert [image["url"].rpartition("/")[2] for image in feed["images"]] == ["full.jpg"]
    assert feed["status"] == page["status"] == 200
    assert run.counted("full_text") == {"page": 1, "feed": 1}


@pytest.mark.parametrize(
    ("path", "status"), [("/missing", 404), ("/broken", 503), ("/reset", 0), ("/private/robots", 0)]
)
def test_a_page_that_cannot_be_fetched_becomes_what_its_entry_says(
    run: Run, path: str, status: int
) -> None:
    item = run.by_path[path]
    assert (item["method"], item["status"]) == ("entry", status)
    assert item["title"] == f"About {path}"
    assert item["text"] == (FULL if path == "/missing" else SUMMARY)
    assert item["published"] == "2024-05-03T10:00:00+02:00"
    assert set(item["sources"].values()) <= {"feed", "text"}
    assert bool(item["audios"]) == (path == "/missing")


def test_entries_can_be_left_out(site: Server, project: Project) -> None:
    """Without the fallback; the OPML file is fetched."""
    run = project.crawl(
        "feeds", f"feeds={site.url}/all.opml", RETRY_TIMES=0, FOREST_ENTRY_FALLBACK=False
    )
    assert run.status == 0
    assert run.counted("feeds") == {"read": 2, "items": 12, "failed": 2}
    assert {item["status"] for item in run.items} == {200}
    assert set(ENTRIES) - set(run.paths) == {"/missing", "/broken", "/reset", "/private/robots"}


@pytest.mark.slow
def test_hostile_opml_on_a_server_is_bounded(tmp_path: Path) -> None:
    """A list of categories, 5,001 feeds, and a list of lists, which is not followed."""
    with Server() as server:
        categories = ",".join(f"/a{i}" for i in range(120_000))
        dead = "".join(f'<outline xmlUrl="file:///{i}"/>' for i in range(5_000))
        body = (
            f'<opml><body><outline category="{categories}" xmlUrl="/rss.xml"/>'
            f'<outline xmlUrl="/more.opml"/>{dead}<outline xmlUrl="/beyond.xml"/></body></opml>'
        )
        server.add("/all.opml", body, "text/x-opml")
        server.add("/more.opml", '<opml><outline xmlUrl="/deeper.xml"/></opml>', "text/x-opml")
        server.add("/rss.xml", rss([f"{server.url}/story/0"]), RSS)
        server.add("/story/0", story(0))
        run = Project(tmp_path / "project").crawl("feeds", f"feeds={server.url}/all.opml")
        assert (run.status, run.paths) == (0, ["/story/0"])
        asked = {path for path in server.requests if path != "/robots.txt"}
        assert asked == {"/all.opml", "/more.opml", "/rss.xml", "/story/0"}
    assert "lists 5003 feeds; only the first 5000 are read" in run.log
