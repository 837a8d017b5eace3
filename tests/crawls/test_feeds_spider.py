"""The feeds spider: where its feeds come from, and feeds of every format."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace

import pytest

from demo import DemoServer
from forest_scrapy.feeds.discovery import USUAL_PATHS

from .helpers import RSS, Item, Project, Run, Server, rss, slow, story, story_title

RSS_091 = """<?xml version="1.0"?>
<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
 "http://my.netscape.com/publish/formats/rss-0.91.dtd">
<rss version="0.91"><channel><title>Old</title><link>/</link><description>d</description>
<language>en</language>
<item><title>{title}</title><link>{link}</link><description>From 0.91</description></item>
</channel></rss>"""

RSS_10 = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="/"><title>RDF</title><link>/</link><description>d</description>
<items><rdf:Seq><rdf:li resource="{link}"/></rdf:Seq></items></channel>
<item rdf:about="{link}"><title>{title}</title><link>{link}</link>
<description>From 1.0</description><dc:date>2024-05-06T07:08:09+02:00</dc:date>
<dc:creator>R. D. F.</dc:creator></item></rdf:RDF>"""

RSS_20 = """<?xml version="1.0" encoding="iso-8859-1"?>
<rss version="2.0"><channel><title>Two</title>
<item><title>{title}</title><guid isPermaLink="true">{link}</guid>
<pubDate>Mon, 06 May 2024 07:08:09 GMT</pubDate><category>tide</category>
<description>&lt;p&gt;From &lt;b&gt;2.0&lt;/b&gt;, M\xf6we&lt;/p&gt;</description></item>
<item><title>No link at all</title><guid isPermaLink="false">17</guid></item>
<item><title>Mail</title><link>mailto:a@b.example</link></item>
</channel></rss>"""

ATOM = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/atom/"><title>Atom</title><id>urn:a</id>
<updated>2024-05-06T07:08:09Z</updated>
<entry><title>{title}</title><id>urn:b</id><updated>2024-05-06T07:08:09Z</updated>
<link rel="edit" href="/edit"/><link rel="alternate" href="{link}"/>
<author><name>A. T. Om</name></author><category term="reef"/>
<summary>From Atom</summary><content type="html">&lt;p&gt;all of it&lt;/p&gt;</content>
</entry></feed>"""

CUT_OFF = """<?xml version="1.0"?><rss version="2.0"><channel><title>Cut</title>
<item><title>{title}</title><link>{link}</link><description>From & a cut feed</description></item>
<item><title>Half an it"""

FORMATS = {
    "091": (RSS_091, "/story/0", "From 0.91", ""),
    "10": (RSS_10, "story/1", "From 1.0", "2024-05-06T07:08:09+02:00"),
    "20": (RSS_20, "/story/2", "From 2.0, Möwe", "2024-05-06T07:08:09+00:00"),
    "atom": (ATOM, "../story/3", "From Atom", "2024-05-06T07:08:09+00:00"),
    "cut": (CUT_OFF, "/story/4", "From & a cut feed", ""),
}


def add_stories(server: Server, numbers: range = range(12)) -> None:
    for number in numbers:
        server.add(f"/story/{number}", story(number))


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Feeds of every format, with relative links, named in one argument."""
    project = Project(tmp_path_factory.mktemp("formats"))
    with Server() as server:
        add_stories(server)
        for number, (name, (text, link, _, _)) in enumerate(FORMATS.items()):
            feed = text.format(title=story_title(number), link=link)
            encoding = "latin-1" if "iso-8859-1" in text else "utf-8"
            server.add(f"/{name}.xml", feed.encode(encoding), "application/xml")
        feeds = ", ".join(f"{server.url}/{name}.xml" for name in FORMATS)
        return project.crawl("feeds", f"feeds={feeds}")


def test_formats_are_read(formats: Run) -> None:
    assert formats.status == 0
    (complaint,) = formats.complaints
    assert "cut.xml is cut off after 1 item; it is read again" in complaint
    assert formats.counted("feeds") == {"read": 5, "items": 5, "cut": 1}


@pytest.mark.parametrize("name", FORMATS)
def test_format(formats: Run, name: str) -> None:
    number = list(FORMATS).index(name)
    item = formats.by_path[f"/story/{number}"]
    _, _, description, published = FORMATS[name]
    assert item["title"] == item["entry"]["title"] == story_title(number)
    assert item["entry"]["description"] == description
    assert item["published"] == published
    assert item["text"]


def test_authors_and_tags(formats: Run) -> None:
    atom, rdf = formats.by_path["/story/3"]["entry"], formats.by_path["/story/1"]["entry"]
    assert (atom["author"], atom["tags"], atom["id"]) == ("A. T. Om", ["reef"], "urn:b")
    assert rdf["author"] == "R. D. F."
    assert formats.by_path["/story/2"]["entry"]["tags"] == ["tide"]


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Run:
    project = Project(tmp_path_factory.mktemp("faults"))
    with Server() as server:
        add_stories(server)
        server.add("/garbage.xml", b"\x00\xff\xfe not a feed \x07" * 50, RSS)
        server.add("/empty.xml", b"", RSS)
        server.add("/void.xml", rss([]), RSS)
        server.add("/nolinks.xml", rss([Item("", description="")]), RSS)
        server.add("/error.xml", b"", RSS, status=500)
        server.add("/page.html", "<html><head><title>A page</title></head><p>No feed</p></html>")
        server.add(
            "/links.html",
            "<html><head><link rel='alternate' type='application/rss+xml' href='good.xml'>"
            "<link rel='alternate' hreflang='de' href='/de'></head><p>Hello</p></html>",
        )
        server.add("/good.xml", rss(["/story/1", "/story/2"]), RSS)
        names = (
            *("garbage.xml", "empty.xml", "void.xml", "nolinks.xml", "error.xml"),
            *("missing.xml", "page.html", "links.html"),
        )
        lines = "".join(f"{server.url}/{name}\n" for name in names)
        project.write("feeds.txt", f"# feeds\n\n{lines}http://127.0.0.1:1/refused.xml\n")
        run = project.crawl("feeds", "feeds_file=feeds.txt", RETRY_TIMES=0, FOREST_REPORT="report")
        report = (project.folder / "report" / "index.html").read_text(encoding="utf-8")
        return replace(run, log=f"{run.log}\nREPORT\n{report}")


def test_failures_are_in_the_summary_and_in_the_report(faults: Run) -> None:
    log, _, report = faults.log.partition("\nREPORT\n")
    (summary,) = re.findall(r"INFO: (2 articles .*)", log)
    assert "8 feeds failed (http://127.0.0.1:1/refused.xml: " in summary
    for name, reason in (("missing.xml", "status 404"), ("error.xml", "status 500")):
        assert f"/{name}: {reason}" in summary
        assert re.search(
            rf"<td>feed</td><td class=\"url\">[^<]*/{name}</td><td>{reason}</td>", report
        )


def test_faulty_feeds_do_not_affect_the_others(faults: Run) -> None:
    assert faults.status == 0
    assert "Traceback" not in faults.log
    assert faults.paths == ["/story/1", "/story/2"]


def test_faulty_feeds_are_counted(faults: Run) -> None:
    counts = {"read": 1, "items": 2, "failed": 3, "unreadable": 5, "other_scheme": 1}
    assert faults.counted("feeds") == counts


@pytest.mark.parametrize(
    "line",
    [
        r"/garbage.xml: not a feed: ",
        r"/empty.xml: no items",
        r"/void.xml: no items",
        r"/nolinks.xml: no item with a link",
        r"/error.xml cannot be fetched: status 500",
        r"/missing.xml cannot be fetched: status 404",
        r"/page.html: not a feed but an HTML page, which links none; -a site=URL looks for",
        r"/refused.xml cannot be fetched: ",
    ],
)
def test_faulty_feeds_are_named_in_the_log(faults: Run, line: str) -> None:
    assert any(line in complaint for complaint in faults.complaints), faults.complaints


def test_page_that_links_a_feed_is_not_faulty(faults: Run) -> None:
    assert "links.html links 1 feed\n" in faults.log
    assert not any("links.html" in complaint for complaint in faults.complaints)


def test_site_that_links_its_feed(project: Project) -> None:
    with Server() as server:
        add_stories(server)
        server.add(
            "/",
            "<html><head><base href='/feeds/'>"
            "<link rel='alternate' type='application/atom+xml' href='all.xml'></head></html>",
        )
        server.add("/feeds/all.xml", rss(["/story/1", "../story/2"]), RSS)
        run = project.crawl("feeds", f"site={server.url}")
        assert server.requests[:2] == ["/", "/feeds/all.xml"]
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == ["/story/1", "/story/2"]


def test_demo_site_links_its_feeds(project: Project, demo: DemoServer) -> None:
    run = project.crawl("feeds", f"site={demo.url}/")
    assert (run.status, run.complaints) == (0, [])
    assert len(run.items) == 30
    assert run.stat("feeds/read") >= 1


@pytest.mark.parametrize("path", [USUAL_PATHS[1], USUAL_PATHS[-1]])
def test_site_that_does_not_link_its_feed(project: Project, path: str) -> None:
    with Server() as server:
        add_stories(server)
        server.add("/", "<html><body><p>Welcome</p></body></html>")
        server.add(USUAL_PATHS[0], "<html><body><p>Page not found</p></body></html>")
        server.add(path, rss(["/story/1", "/story/2"]), RSS)
        run = project.crawl("feeds", f"site={server.url}/")
        asked = server.requests[1 : 2 + USUAL_PATHS.index(path)]
        assert asked == list(USUAL_PATHS[: USUAL_PATHS.index(path) + 1])
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == ["/story/1", "/story/2"]


def test_site_without_any_feed(project: Project) -> None:
    with Server() as server:
        server.add("/", "<html><body><p>Welcome</p></body></html>")
        run = project.crawl("feeds", f"site={server.url}/")
    assert run.status == 1
    no_feed, no_sitemap = run.complaints
    assert f"scrapy crawl site -a url={server.url}/" in no_feed
    assert f"{server.url}/sitemap.xml cannot be fetched" in no_sitemap
    assert (run.counted("feeds"), run.counted("sitemaps")) == ({"not_found": 1}, {"failed": 1})


@pytest.mark.parametrize(
    ("feed", "named"), [("gone", "site"), ("empty", "site"), ("gone", "feeds")]
)
def test_a_site_whose_feeds_are_dead(project: Project, feed: str, named: str) -> None:
    """Its sitemap lists the stories."""
    with Server() as server:
        links = '<link rel="alternate" type="application/rss+xml" href="/{}.xml">'
        server.add("/", f"<html><head>{links.format('a')}{links.format('b')}</head></html>")
        if feed == "empty":
            server.add("/b.xml", rss([]), RSS)
        add_stories(server)
        paths = "".join(f"<url><loc>{server.url}/story/{i}</loc></url>" for i in (1, 2, 3))
        server.add("/sitemap.xml", f"<urlset>{paths}</urlset>", "application/xml")
        run = project.crawl("feeds", f"{named}={server.url}/")
    assert run.paths == ["/story/1", "/story/2", "/story/3"]


def test_a_page_whose_feed_has_its_url_but_for_a_slash(project: Project) -> None:
    with Server() as server:
        link = '<link rel="alternate" type="application/rss+xml" href="/blog/">'
        server.add("/blog", f"<html><head>{link}</head></html>")
        server.add("/blog/", rss(["/story/1", "/story/2"]), RSS)
        add_stories(server)
        run = project.crawl("feeds", f"feeds={server.url}/blog")
    assert run.paths == ["/story/1", "/story/2"]


def test_site_that_cannot_be_fetched(project: Project) -> None:
    with Server() as server:
        run = project.crawl("feeds", f"site={server.url}/")
    assert run.status == 1
    warning, digest = run.complaints
    assert "needs a person" in digest
    assert f"{server.url}/ cannot be fetched" in warning


def test_entries_of_several_feeds_are_fetched_once(project: Project) -> None:
    with Server() as server:
        add_stories(server)
        server.add("/a.xml", rss(["/story/1", "/story/2", "/story/2"]), RSS)
        server.add("/b.xml", rss(["/story/2", "/story/3#top", "/story/3"]), RSS)
        run = project.crawl("feeds", f"feeds={server.url}/a.xml,{server.url}/b.xml")
        assert sorted(server.requests).count("/story/2") == 1
    assert run.paths == ["/story/1", "/story/2", "/story/3"]


@pytest.mark.slow
def test_a_link_does_not_hide_the_item_of_a_later_feed(project: Project) -> None:
    """The page looks like no other, so only its feed says that it is an article."""
    with Server() as server:
        add_stories(server, range(11))
        server.add("/story/0", story(0).replace("</body>", "<a href='/late'>x</a></body>"))
        server.add("/late", story(12, "fancy"))
        server.add("/a.xml", rss([f"/story/{number}" for number in range(11)]), RSS)
        server.add("/b.xml", rss(["/late"]), RSS, delay=3)
        feeds = f"feeds={server.url}/a.xml,{server.url}/b.xml"
        run = project.crawl("feeds", feeds, "follow=1")
        assert server.requests.count("/late") == 1
    assert (run.status, run.complaints) == (0, [])
    assert len(run.items) == 12
    assert run.by_path["/late"]["entry"]["title"] == "A title"


@pytest.fixture(scope="module", params=[slow(1), 2])
def followed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[int, Run, DemoServer]:
    """A feed of twelve articles of the demo site; the others are reached by links."""
    steps: int = request.param
    project = Project(tmp_path_factory.mktemp("follow"))
    with DemoServer() as probe:
        paths = [article.path for article in probe.site.articles]
    news = [path for path in paths if path.startswith("/news/")]
    journal = [path for path in paths if path.startswith("/journal/")]
    extra = {"/some.xml": (RSS, rss([*news[:6], *journal[:6]]))}
    with DemoServer(extra=extra) as server:
        run = project.crawl("feeds", f"feeds={server.url}/some.xml", f"follow={steps}")
    return steps, run, server


def test_followed_listings_are_not_articles(followed: tuple[int, Run, DemoServer]) -> None:
    _, run, server = followed
    articles = {article.path for article in server.site.articles}
    assert (run.status, [c for c in run.complaints if "robots" not in c]) == (0, [])
    assert set(run.paths) <= articles
    fetched = set(server.requests) - {"/some.xml"}  # also feeds, which are linked
    dropped = run.counted("dropped")
    assert dropped["not_article"] + dropped["not_html"] == len(fetched - articles) > 5
    assert len(run.items) + sum(dropped.values()) == run.stat("pages/spooled") + run.stat(
        "dropped/duplicate"
    )


def test_articles_reached_by_links_only(followed: tuple[int, Run, DemoServer]) -> None:
    steps, run, server = followed
    articles = {article.path for article in server.site.articles}
    assert set(run.paths) == {path for path in server.requests if path in articles}
    assert len(run.paths) > 12
    if steps == 2:
        assert len(run.paths) == 30
    linked = [item for item in run.items if item["entry"] is None]
    assert len(linked) == len(run.items) - 12
    assert all(item["title"] and item["text"] for item in linked)
    assert len(run.partition) == 2


def test_a_feed_by_https_whose_server_has_http_only(project: Project, server: Server) -> None:
    for number in range(3):
        server.add(f"/{number}", story(number))
    server.add("/feed", rss([f"{server.url}/{number}" for number in range(3)]), RSS)
    listed = server.url.replace("http:", "https:") + "/feed"
    for _ in range(2):
        done = project.crawl("feeds", f"feeds={listed}", "only_new=yes", RETRY_ENABLED=False)
        assert (done.stat("feeds/other_scheme"), done.stat("feeds/failed")) == (1, 0)
        assert f"trying {server.url}/feed" in done.log
        (feed,) = json.loads(project.forest("due", "--all", "--json"))
        assert (feed["url"], feed["status"], feed["failures"]) == (listed, 200, 0)
    assert server.requests.count("/feed") == 2


def test_a_dead_feed_is_tried_once_by_the_other_scheme(project: Project) -> None:
    with Server() as server:
        listed = f"{server.url}/feed"  # nothing listens there when it is closed
    done = project.crawl("feeds", f"feeds={listed}", RETRY_ENABLED=False)
    assert (done.stat("feeds/other_scheme"), done.stat("feeds/failed")) == (1, 1)
    assert done.log.count("; trying https://127.0.0.1") == 1


def test_an_answer_of_a_server_is_not_asked_for_the_other_way(
    project: Project, server: Server
) -> None:
    done = project.crawl("feeds", f"feeds={server.url}/feed", RETRY_ENABLED=False)
    assert (done.stat("feeds/other_scheme"), done.stat("feeds/failed")) == (0, 1)


def test_a_feed_that_the_connection_cuts_is_read_as_far_as_it_comes(
    project: Project, server: Server
) -> None:
    for number in range(6):
        server.add(f"/story/{number}", story(number))
    whole = rss([Item(f"/story/{number}", story_title(number)) for number in range(6)])
    server.add("/feed.xml", whole, RSS, cut=whole.index(b"/story/4") + 5)
    run = project.crawl("feeds", f"feeds={server.url}/feed.xml", RETRY_TIMES=0)
    assert run.paths == [f"/story/{number}" for number in range(4)]
    assert (run.stat("feeds/cut"), run.stat("feeds/failed")) == (1, 0)
    assert any("is cut off after 4 items" in line for line in run.complaints)
    assert "trying https" not in run.log
    assert server.requests.count("/feed.xml") == 2


@pytest.mark.parametrize("kind", ["rss", "json", "opml"])
def test_a_feed_that_is_whole_is_not_cut(project: Project, server: Server, kind: str) -> None:
    """Its server names more bytes than it sends."""
    server.add("/story/0", story(0))
    feed = rss([Item("/story/0", story_title(0))])
    if kind == "json":
        feed = json.dumps({"items": [{"url": "/story/0", "title": story_title(0)}]}).encode()
    server.add("/feed", feed + b" " * 9, RSS, cut=len(feed))
    opml = f'<opml><body><outline xmlUrl="{server.url}/feed"/></body></opml>\n'.encode()
    server.add("/list", opml + b" " * 9, cut=len(opml))
    source = "list" if kind == "opml" else "feed"
    run = project.crawl("feeds", f"feeds={server.url}/{source}", RETRY_TIMES=0)
    assert run.paths == ["/story/0"]
    assert (run.stat("feeds/read"), run.stat("feeds/cut")) == (1, 0)
    assert "cut off" not in run.log


def test_a_file_that_the_connection_cuts_is_no_feed(project: Project, server: Server) -> None:
    """What it is remains said."""
    server.add("/feed.pdf", b"%PDF-1.4\n" + b"x" * 900, "application/pdf", cut=500)
    run = project.crawl("feeds", f"feeds={server.url}/feed.pdf", RETRY_TIMES=0)
    assert any("no feed: name the feed, -a feeds=URL" in line for line in run.complaints)


def test_a_page_and_an_empty_feed_of_servers_that_name_wrong_lengths(
    project: Project, server: Server
) -> None:
    """They are not called cut off, but what they are; an answer without a body is."""
    bodies = {"/page": b"<!doctype html><p>Hello", "/void": rss([]), "/nothing": b""}
    for path, body in bodies.items():
        server.add(path, body + b" " * 9, RSS, cut=len(body))
    feeds = ",".join(f"{server.url}{path}" for path in bodies)
    run = project.crawl("feeds", f"feeds={feeds}", RETRY_TIMES=0)
    problems = {
        "/page": "not a feed but an HTML page",
        "/void": "no items",
        "/nothing": "cut off by the connection",
    }
    for path, problem in problems.items():
        assert any(f"{path}: {problem}" in line for line in run.complaints), run.complaints


def test_a_json_feed_that_the_connection_cuts_is_told(project: Project, server: Server) -> None:
    """Nothing of it can be read."""
    items = [{"url": f"/story/{number}", "title": story_title(number)} for number in range(3)]
    feed = json.dumps({"items": items}).encode()
    server.add("/feed.json", feed, "application/feed+json", cut=feed.index(b"/story/2"))
    run = project.crawl("feeds", f"feeds={server.url}/feed.json", RETRY_TIMES=0)
    assert (run.stat("feeds/unreadable"), run.stat("feeds/read")) == (1, 0)
    assert any("feed.json: cut off by the connection" in line for line in run.complaints)


def test_a_list_of_feeds_that_the_connection_cuts_is_told(project: Project, server: Server) -> None:
    """The feeds before the cut are read, and none whose URL is cut off."""
    add_stories(server, range(3))
    for number in range(3):
        feed = rss([Item(f"/story/{number}", story_title(number))])
        server.add(f"/feed/{number}", feed, RSS)
    outlines = "".join(f'<outline xmlUrl="/feed/{number}"/>' for number in range(3))
    opml = f"<opml><body>{outlines}</body></opml>".encode()
    server.add("/all.opml", opml, "text/x-opml", cut=opml.index(b"feed/2") + 4)
    run = project.crawl("feeds", f"feeds={server.url}/all.opml", RETRY_TIMES=0)
    assert run.paths == ["/story/0", "/story/1"]
    assert {path for path in server.requests if "feed" in path} == {"/feed/0", "/feed/1"}
    told = "all.opml is cut off after 2 feeds; the next crawl reads it again"
    assert any(told in line for line in run.complaints)


def test_a_bad_line_of_a_file_of_feeds_does_not_stop_the_others(
    project: Project, server: Server
) -> None:
    server.add("/story/0", story(0))
    server.add("/feed", rss([Item("/story/0", story_title(0))]), RSS)
    project.write("feeds.txt", f"not a url\n{server.url}/feed\n")
    run = project.crawl("feeds", "feeds_file=feeds.txt")
    assert (run.status, run.paths) == (0, ["/story/0"])
    assert (run.stat("feeds/read"), run.stat("feeds/unreadable")) == (1, 1)
    (complaint,) = run.complaints
    assert "feeds.txt, line 1: 'not a url' is not an http or https URL" in complaint
    project.write("feeds.txt", "not a url\n")
    run = project.crawl("feeds", "feeds_file=feeds.txt")
    assert run.status != 0
    assert "no feed to crawl: feeds.txt, line 1: 'not a url' is not" in run.log


def test_a_feed_that_is_too_large_names_the_setting(project: Project, server: Server) -> None:
    feed = rss([Item("/story/1", story_title(1))])
    bomb = gzip.compress(feed + b"<!-- -->" * 9_000)
    server.add("/bomb.xml", bomb, RSS, headers={"Content-Encoding": "gzip"})
    server.add("/long.xml", feed + b" " * 60_000, RSS)
    feeds = f"feeds={server.url}/bomb.xml,{server.url}/long.xml"
    run = project.crawl("feeds", feeds, FOREST_MAX_BYTES=50_000)
    for name in ("bomb", "long"):
        message = f"/{name}.xml cannot be fetched: it has more than 50000 bytes, FOREST_MAX_BYTES"
        assert any(message in line for line in run.complaints), run.complaints


def test_a_feed_that_is_cut_off_is_read_again(project: Project, server: Server) -> None:
    """With a warning, and its last entries come when it is whole, though it has an ETag."""
    for number in range(6):
        server.add(f"/story/{number}", story(number))
    whole = rss([Item(f"/story/{number}", story_title(number)) for number in range(6)])
    cut = whole[: whole.index(b"/story/4") + 5]
    paths = []
    for body in (cut, whole):
        server.add("/feed.xml", body, RSS, headers={"ETag": '"1"'})
        run = project.crawl("feeds", f"feeds={server.url}/feed.xml", FOREST_ONLY_NEW=True)
        paths.append(run.paths)
        is_cut = body is cut
        assert run.stat("feeds/cut") == is_cut
        assert ["is cut off after 4 items" in line for line in run.complaints] == [True] * is_cut
    assert paths == [[f"/story/{n}" for n in range(4)], ["/story/4", "/story/5"]]
