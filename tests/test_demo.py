"""The demo site: its pages, its feeds, its server and the markup of its texts."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit
from xml.etree import ElementTree

import lxml.html
import pytest

import demo
from demo import DemoArticle, DemoServer, DemoSite, build_site
from demo.edition import read_layout
from demo.markup import render
from demo.server import find_lasting_server
from demo.stories import load_stories

ATOM = {"a": "http://www.w3.org/2005/Atom"}
DC = {"dc": "http://purl.org/dc/elements/1.1/"}
BODY = '//div[@class="story-body"] | //div[@class="entry"]'


@pytest.fixture(scope="module")
def server() -> Iterator[DemoServer]:
    with DemoServer() as running:
        yield running


@pytest.fixture(scope="module")
def site(server: DemoServer) -> DemoSite:
    return server.site


def fetch(url: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=10)
    try:
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=names)
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def tree(site: DemoSite, path: str) -> Any:
    return lxml.html.document_fromstring(site.files[path][1].decode("utf-8"))


def squeezed(text: str) -> str:
    return "".join(text.split())


def is_news(article: DemoArticle) -> bool:
    return article.path.startswith("/news/")


# The pages


def test_page_counts_and_three_templates(site: DemoSite) -> None:
    assert len(site.pages) == 40
    marks = {
        "news": '//article[@class="story"]//div[@class="story-body"]',
        "journal": '//div[@id="page"]//div[contains(@class, "post post-")]/div[@class="entry"]',
        "listing": '//div[@class="front"]/div[@class="front-main"]',
    }
    found = Counter(
        tuple(name for name, mark in marks.items() if tree(site, path).xpath(mark))
        for path in site.pages
    )
    assert found == {("news",): 16, ("journal",): 14, ("listing",): 10}


def test_two_builds_are_equal_and_read_only() -> None:
    first = build_site("http://127.0.0.1:1234")
    load_stories.cache_clear()
    read_layout.cache_clear()
    second = build_site("http://127.0.0.1:1234/")
    assert dict(first.files) == dict(second.files)
    assert first.articles == second.articles
    with pytest.raises(TypeError):
        first.files["/new"] = ("text/plain", b"")  # type: ignore[index]


def test_base_url_is_the_only_thing_that_changes() -> None:
    here, there = build_site("http://a.example"), build_site("https://b.example/sub/")
    assert there.feed_url == "https://b.example/sub/feed.xml"
    for path, (_, content) in here.files.items():
        moved = content.replace(b"http://a.example", b"https://b.example/sub")
        moved = moved.replace(b"http%3A%2F%2Fa.example", b"https%3A%2F%2Fb.example%2Fsub")
        assert there.files[path][1] == moved


def test_gold_text_is_the_body_without_captions(site: DemoSite) -> None:
    captions = 0
    for article in site.articles:
        (body,) = tree(site, article.path).xpath(BODY)
        for caption in body.xpath('.//div[@class="wp-caption alignnone"]'):
            captions += 1
            assert squeezed(caption.text_content()) not in squeezed(article.text)
            caption.drop_tree()
        assert squeezed(body.text_content()) == squeezed(article.text), article.path
    assert captions >= 2


def test_gold_lines_occur_in_the_page(site: DemoSite) -> None:
    for article in site.articles:
        page = tree(site, article.path).text_content()
        assert [line for line in article.text.split("\n") if line not in page] == []
        assert all(name in page for name in article.authors)
        assert all(tag in page for tag in article.tags)
        assert 150 <= len(article.text.split()) <= 700, article.path


def test_no_two_articles_share_a_paragraph(site: DemoSite) -> None:
    lines = Counter(
        line
        for article in site.articles
        for line in set(article.text.split("\n"))
        if len(line.split()) > 4
    )
    assert [line for line, count in lines.items() if count > 1] == []


def test_articles_have_blocks_of_every_type(site: DemoSite) -> None:
    journal = [article for article in site.articles if not is_news(article)]
    bodies = [tree(site, article.path).xpath(BODY)[0] for article in journal]
    for kind in (".//pre/code", ".//table//td", ".//ul/li/ul/li", ".//ol/li", ".//blockquote"):
        assert any(body.xpath(kind) for body in bodies), kind


def test_languages(site: DemoSite) -> None:
    for article in site.articles:
        assert tree(site, article.path).get("lang") == article.language
    assert Counter(article.language for article in site.articles) == {"en": 28, "fr": 1, "de": 1}


def test_metadata(site: DemoSite) -> None:
    for article in site.articles:
        root = tree(site, article.path)
        head = root.find("head")
        assert head.findtext("title") == f"{article.title} | The Harbour Gazette"
        assert head.xpath('meta[@property="og:title"]/@content') == [article.title]
        assert head.xpath('link[@rel="canonical"]/@href') == [site.base_url + article.path]
        assert tuple(head.xpath('meta[@name="author"]/@content')) == article.authors
        times = head.xpath('meta[@property="article:published_time"]/@content')
        assert times == [article.published]
        assert datetime.fromisoformat(article.published).tzinfo is not None


def test_json_ld_on_news_only(site: DemoSite) -> None:
    gold = {article.path: article for article in site.articles}
    for path in site.pages:
        scripts = tree(site, path).xpath('//script[@type="application/ld+json"]/text()')
        article = gold.get(path)
        if article is None or not is_news(article):
            assert scripts == []
            continue
        data = json.loads(scripts[0])
        assert (data["@type"], data["headline"]) == ("NewsArticle", article.title)
        assert tuple(person["name"] for person in data["author"]) == article.authors


def test_post_ids_differ(site: DemoSite) -> None:
    ids = [
        tree(site, article.path).xpath('//div[contains(@class, "post post-")]/@id')[0]
        for article in site.articles
        if not is_news(article)
    ]
    assert len(set(ids)) == 14


# The feeds


def test_rss(server: DemoServer, site: DemoSite) -> None:
    items = ElementTree.fromstring(fetch(server.feed_url)[2]).findall("channel/item")
    assert len(items) == 30
    for item, article in zip(items, site.articles, strict=True):
        assert item.findtext("title") == article.title
        assert item.findtext("link") == item.findtext("guid") == server.url + article.path
        when = parsedate_to_datetime(item.findtext("pubDate", ""))
        assert when == datetime.fromisoformat(article.published)
        assert tuple(e.text for e in item.findall("dc:creator", DC)) == article.authors
        assert tuple(e.text for e in item.findall("category")) == article.tags
        description = item.findtext("description", "")
        assert 120 <= len(description) <= 200
        assert article.text.startswith(description.rstrip("…"))


def test_atom(server: DemoServer, site: DemoSite) -> None:
    feed = ElementTree.fromstring(fetch(f"{server.url}/journal/atom.xml")[2])
    entries = feed.findall("a:entry", ATOM)
    posts = [article for article in site.articles if not is_news(article)]
    assert len(entries) == 14
    assert feed.findtext("a:updated", "", ATOM) == posts[0].published
    for entry, article in zip(entries, posts, strict=True):
        link = entry.find("a:link", ATOM)
        assert link is not None
        assert link.get("href") == server.url + article.path
        assert entry.findtext("a:published", "", ATOM) == article.published
        assert tuple(e.text for e in entry.findall("a:author/a:name", ATOM)) == article.authors


def test_every_page_names_the_feed(server: DemoServer, site: DemoSite) -> None:
    for path in site.pages:
        links = tree(site, path).xpath('//link[@type="application/rss+xml"]/@href')
        assert links == [server.url + "/feed.xml"]


# The server


def test_every_internal_link_can_be_fetched(server: DemoServer, site: DemoSite) -> None:
    targets: set[str] = {server.feed_url, f"{server.url}/robots.txt"}
    for path in site.pages:
        found = tree(site, path).xpath("//@href | //@src | //@action")
        targets |= {urljoin(server.url + path, link) for link in found}
    internal = {target for target in targets if target.startswith(server.url)}
    assert len(internal) >= 45
    for page, anchor in map(urldefrag, sorted(internal)):
        status, headers, content = fetch(page)
        assert status == 200, page
        assert content == site.files[urlsplit(page).path][1]
        if anchor:
            assert "charset=utf-8" in headers["content-type"]
            root = lxml.html.document_fromstring(content.decode("utf-8"))
            assert root.xpath("//*[@id=$name]", name=anchor), (page, anchor)


def test_content_types(server: DemoServer) -> None:
    for path, kind in {
        "/": "text/html; charset=utf-8",
        "/feed.xml": "application/rss+xml; charset=utf-8",
        "/journal/atom.xml": "application/atom+xml; charset=utf-8",
        "/robots.txt": "text/plain; charset=utf-8",
    }.items():
        assert fetch(server.url + path)[1]["content-type"] == kind
    assert b"Disallow" not in fetch(f"{server.url}/robots.txt")[2]


def test_etag_head_and_missing(server: DemoServer, capfd: pytest.CaptureFixture[str]) -> None:
    status, headers, content = fetch(f"{server.url}/?from=feed")
    assert status == 200
    assert fetch(server.url + "/", If_None_Match=headers["etag"])[::2] == (304, b"")
    assert fetch(server.url + "/", If_None_Match='"other"')[0] == 200
    status, bare, nothing = fetch(server.url + "/", "HEAD")
    assert (status, nothing) == (200, b"")
    assert bare["content-length"] == str(len(content))
    status, headers, content = fetch(f"{server.url}/news/none.html")
    assert (status, headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert b"Not found" in content
    assert capfd.readouterr() == ("", "")


def test_keep_alive(server: DemoServer) -> None:
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    try:
        connection.connect()
        first = connection.sock
        for path in ("/", "/nowhere", "/feed.xml"):
            connection.request("GET", path)
            connection.getresponse().read()
            assert connection.sock is first
    finally:
        connection.close()


def test_extra_and_requests() -> None:
    extra = {"/bad.html": ("text/html", b"\xff<p>"), "/": ("text/plain", b"mine")}
    with DemoServer(extra=extra) as server:
        assert fetch(f"{server.url}/bad.html")[2] == b"\xff<p>"
        assert fetch(f"{server.url}/?a=1")[2] == b"mine"
        asked = server.requests
        assert asked == ["/bad.html", "/?a=1"]
        asked.clear()
        assert len(server.requests) == 2


def test_requests_from_many_threads() -> None:
    with DemoServer() as server:
        urls = [server.url + path for path in server.site.pages]
        threads = [threading.Thread(target=fetch, args=(url,)) for url in urls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(server.requests) == sorted(server.site.pages)


def test_close_ends_the_delay() -> None:
    with DemoServer(delay=0.2) as server:
        start = time.monotonic()
        assert fetch(server.url + "/")[0] == 200
        assert time.monotonic() - start >= 0.2
    server = DemoServer(delay=60)
    server.start()
    with socket.create_connection(("127.0.0.1", urlsplit(server.url).port or 0)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        while not server.requests:
            time.sleep(0.01)
        start = time.monotonic()
        server.close()
        assert time.monotonic() - start < 10


def test_close_frees_the_port_and_can_be_repeated() -> None:
    threads = set(threading.enumerate())
    server = DemoServer()
    with pytest.raises(RuntimeError):
        _ = server.url
    server.close()
    server.start()
    server.start()
    address = ("127.0.0.1", urlsplit(server.url).port or 0)
    with socket.create_connection(address, timeout=10) as idle:
        idle.sendall(b"GET /robots.txt HTTP/1.1\r\nHost: a\r\n\r\n")
        assert idle.recv(100).startswith(b"HTTP/1.1 200")
        before = server.url
        server.close()
        server.close()
        while idle.recv(1000):
            pass  # the idle connection is closed too
    assert server.url == before
    started = set(threading.enumerate()) - threads
    assert [thread for thread in started if thread.name == "demo-site"] == []
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=10)
    with DemoServer(port=address[1]) as again:
        assert again.url == before


def test_a_server_moves_to_another_port_only_if_it_may() -> None:
    with DemoServer() as first:
        with pytest.raises(OSError, match=r"[Aa]ddress already in use"):
            DemoServer(port=first.port).start()
        with DemoServer(port=first.port, may_move=True) as second:
            assert second.port != first.port
            assert fetch(second.url + "/")[0] == fetch(first.url + "/")[0] == 200
    with DemoServer(port=first.port, may_move=True) as third:
        assert third.url == first.url


def test_a_lasting_server_is_found_and_others_are_not() -> None:
    with DemoServer(is_lasting=True) as server:
        assert find_lasting_server(server.port) == server.url
    assert find_lasting_server(server.port) == ""
    with DemoServer() as server:
        assert find_lasting_server(server.port) == ""


def new_spider(module: ModuleType) -> Any:
    return module.Feeds(feeds="http://a.example/feed")


def test_the_demo_spider_has_the_same_urls_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(demo.__file__).parents[1] / "spiders" / "feeds.py"
    spec = spec_from_file_location("spiders_of_the_checkout", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    with DemoServer(is_lasting=True) as lasting:
        monkeypatch.setattr(module, "DEFAULT_PORT", lasting.port)
        spider = new_spider(module)
        assert spider.default_feeds() == [lasting.feed_url]
        spider.closed("finished")
        assert fetch(lasting.feed_url)[0] == 200
    spiders = [new_spider(module), new_spider(module)]
    assert spiders[0].default_feeds() == [lasting.feed_url]
    assert spiders[1].default_feeds() != [lasting.feed_url]
    for spider in spiders:
        spider.closed("finished")


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_command_line() -> None:
    # A shell that runs the tests in the background has them ignore SIGINT.
    heed_sigint = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    run = "from demo.__main__ import main; raise SystemExit(main(['--port', '0']))"
    root = str(Path(demo.__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", f"{heed_sigint}; {run}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[0]
            assert fetch(url)[0] == 200
            assert find_lasting_server(urlsplit(url).port or 0) == url.rstrip("/")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, errors) == (0, "")


# The markup of the texts


@pytest.mark.parametrize(
    ("source", "html", "text"),
    [
        ("a < b & *c*", "<p>a &lt; b &amp; <em>c</em></p>", "a < b & c"),
        ("one\ntwo", "<p>one two</p>", "one two"),
        ("## Head", "<h3>Head</h3>", "Head"),
        ("> said", "<blockquote><p>said</p></blockquote>", "said"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>", "a\nb"),
        ("```\nx = 1\n\ny < *2*\n```", "<pre><code>x = 1\n\ny &lt; *2*</code></pre>", None),
        ("see [it](/x/)", '<p>see <a href="/x/">it</a></p>', "see it"),
    ],
)
def test_markup(source: str, html: str, text: str | None) -> None:
    body = render(source)
    assert body.html == html
    assert body.text == ("x = 1\n\ny < *2*" if text is None else text)
