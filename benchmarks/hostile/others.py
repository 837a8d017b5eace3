"""Hostile feeds, sites, headers and redirects."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from benchmarks.hostile.server import Answer, answer

_ITEM = b"<item><title>An item</title><link>/story/0</link></item>"

_TEXT = b"<item><link>/story/0</link><description>%s</description></item>"


def _rss(body: bytes) -> bytes:
    return b"<rss version='2.0'><channel><title>a</title>" + body + b"</channel></rss>"


def hostile_feeds() -> Iterator[tuple[str, Answer]]:
    """Feeds by name."""
    for name, body in (*_slow_feeds(), *_wrong_feeds()):
        yield name, answer(body, "feed")
    bomb = gzip.compress(bytes(300_000_000))
    yield "feed_gzip_bomb", answer(bomb, "feed", Content_Encoding="gzip")
    yield "feed_charset", answer(_rss(_ITEM), "feed", "text/xml; charset=punycode")
    yield "feed_header_byte", answer(_rss(_ITEM), "feed", ETag="caf\xe9")


def _slow_feeds() -> Iterator[tuple[str, bytes]]:
    attributes = b"".join(b"a%d='' " % i for i in range(100_000))
    spaces = b"".join(b"<n%d:a xmlns:n%d='u%d'/>" % (i, i, i) for i in range(60_000))
    dates = b"<pubDate>" + b"9" * 2_000 + b"</pubDate>"
    yield "feed_attributes", b"<rss " + attributes + b">"
    yield "feed_items", _rss(_ITEM * 100_000)
    yield "feed_large_text", _rss(_TEXT % (b"word " * 1_800_000))
    yield "feed_open_tags", _rss(_TEXT % (b"<p>a" * 700_000))
    yield "feed_escaped_tags", _rss(_TEXT % (b"&lt;p&gt;a" * 200_000))
    yield "feed_namespaces", _rss(spaces)
    yield "feed_depth", b"<rss>" + b"<channel>" * 300_000
    yield "feed_categories", _rss(_TEXT % b"a" + b"<item>" + b"<category>a</category>" * 50_000)
    yield "feed_dates", _rss((b"<item><link>/story/0</link>" + dates + b"</item>") * 500)
    yield "feed_not_a_feed", b"<html><body>" + b"<p>a <b>b</b>" * 200_000


def _wrong_feeds() -> Iterator[tuple[str, bytes]]:
    laughs = b"".join(b"<!ENTITY l%d '%s'>" % (i + 1, b"&l%d;" % i * 10) for i in range(9))
    passwords = b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
    yield "feed_laughs", b"<!DOCTYPE a [<!ENTITY l0 'ha'>" + laughs + b"]>" + _rss(_TEXT % b"&l9;")
    yield "feed_external", passwords + _rss(_TEXT % b"&x;")
    for name, link in (
        ("feed_bad_port", b"http://a:99999/"),
        ("feed_bad_host", b"http://["),
        ("feed_local_links", b"file:///etc/passwd"),
        ("feed_script_links", b"javascript:x"),
    ):
        yield name, _rss(_ITEM + b"<item><link>%s</link></item>" % link * 1_000)
    yield "feed_binary", bytes(range(256)) * 4_000


def hostile_sites() -> Iterator[tuple[str, Answer]]:
    """Pages that link feeds, and robots files, by name."""
    link = "<link rel=alternate type='application/rss+xml' href='{}'>"
    for name, links in (
        ("site_file_feed", ["file:///etc/passwd", "/feed/"]),
        ("site_script_feed", ["javascript:alert(1)", "http://[", "/feed/"]),
        ("site_links_itself", ["/site_links_itself", "/loop", "/feed/"]),
        ("site_many_feeds", ["/feed/", *(f"/none/{i}" for i in range(20_000))]),
    ):
        yield name, answer(f"<head>{''.join(map(link.format, links))}</head>".encode(), "site")
    rules = b"".join(b"Disallow: /a%d*b*c$\n" % i for i in range(400_000))
    yield "robots_rules", answer(b"User-agent: *\n" + rules, "robots")
    yield "robots_wildcards", answer(b"User-agent: *\nDisallow: /" + b"*a" * 200_000, "robots")
    yield "robots_binary", answer(bytes(range(256)) * 20_000, "robots")


def _urls(number: int, fields: bytes = b"") -> bytes:
    urls = b"".join(b"<url><loc>/story/%d</loc>%b</url>" % (i % 3, fields) for i in range(number))
    return b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>" + urls + b"</urlset>"


def hostile_sitemaps() -> Iterator[tuple[str, Answer]]:
    """Sitemaps by name."""
    attributes = b"".join(b"a%d='' " % i for i in range(3_000_000))
    space = b" xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'"
    keywords = b"<news:news%b><news:keywords>%b</news:keywords></news:news>"
    bodies = {
        "sitemap_attributes": b"<urlset " + attributes + b">",
        "sitemap_urls": _urls(50_000),  # as many as one may have
        "sitemap_keywords": _urls(3, keywords % (space, b"a," * 1_000_000)),
        "sitemap_depth": b"<urlset>" + b"<url>" * 300_000,
        "sitemap_packed": gzip.compress(_urls(50_000)),
        "sitemap_bomb": gzip.compress(_urls(1) + b" " * 300_000_000),
        "sitemap_not_one": b"<html><body>" + b"<p>a <b>b</b>" * 200_000,
    }
    for name, body in bodies.items():
        yield name, answer(body, "sitemap", "application/xml")
    bomb = gzip.compress(_urls(3) + b"<a/>" * 3_000_000)
    yield "sitemap_part", answer(bomb, "sitemap", "application/xml")
    parts = b"".join(b"<sitemap><loc>/sitemap_part?%d</loc></sitemap>" % i for i in range(8))
    index = b"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>%b</sitemapindex>"
    yield "sitemap_index_of_bombs", answer(index % parts, "sitemap", "application/xml")


def hostile_headers() -> Iterator[tuple[str, Answer]]:
    """Responses with odd headers, statuses and redirects by name."""
    page = b"<html><body><p>The boats are in the harbour today.</p></body></html>"
    yield "loop", answer(b"", status="302 Found", Location="/site_links_itself")
    yield "redirect_to_itself", answer(b"", status="302 Found", Location="/redirect_to_itself")
    yield "redirect_to_file", answer(b"", status="302 Found", Location="file:///etc/passwd")
    yield "redirect_to_nowhere", answer(b"", status="302 Found", Location="http://[")
    yield (
        "refresh_to_script",
        answer(b"<meta http-equiv=refresh content='0;url=javascript:x'>" + page),
    )
    yield "header_byte", answer(page, X_Odd="caf\xe9 \xff", ETag="\xff")
    yield (
        "many_headers",
        Answer(
            b"HTTP/1.1 200 OK\r\n"
            + b"".join(b"X-%d: a\r\n" % i for i in range(400))
            + b"\r\n"
            + page,
            "page",
        ),
    )
    yield "long_header", answer(page, X_Long="a" * 14_000)
    yield "cookies", answer(page, Set_Cookie="a=" + "b" * 12_000)
    yield "status_999", answer(page, status="999 No")
    yield "no_length", Answer(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + page, "page")
    yield (
        "wrong_length",
        Answer(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n" + page,
            "page",
        ),
    )
    yield "garbage", Answer(bytes(range(256)) * 100, "page")
