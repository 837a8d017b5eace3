"""Reading sitemaps."""

from __future__ import annotations

import gzip

import pytest
from effort import limited_effort
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Entry
from forest_scrapy.feeds.sitemap import (
    MAX_SITEMAP_BYTES,
    MAX_URLS,
    SitemapUrl,
    may_be_slow,
    read_robots,
    read_sitemap,
)

URL = "http://a.example/sitemap.xml"
START = b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
NEWS = b"""xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>/owls</loc>
<lastmod>2024-05-02</lastmod><news:news><news:publication><news:name>A</news:name>
</news:publication><news:publication_date>2024-05-01T10:00:00+02:00</news:publication_date>
<news:title>Owls &amp; elks</news:title><news:keywords>sea, owls,sea</news:keywords></news:news>
</url><url><loc>http://a.example/no-news</loc><news:news/></url></urlset>"""


def urls(body: bytes) -> list[str]:
    return [one.url for one in read_sitemap(body, URL).urls]


def test_pages_with_dates_and_news() -> None:
    found = read_sitemap(START + b" " + NEWS, URL)
    assert (found.kind, found.problem) == ("pages", "")
    entry = Entry(
        title="Owls & elks",
        published="2024-05-01T10:00:00+02:00",
        updated="2024-05-02",
        tags=("sea", "owls"),
        feed=URL,
    )
    assert found.urls == (
        SitemapUrl("http://a.example/owls", "2024-05-02", entry),
        SitemapUrl("http://a.example/no-news"),
    )


def test_an_index_without_a_namespace() -> None:
    body = b"<sitemapindex><sitemap><loc> http://a.example/1.xml </loc></sitemap></sitemapindex>"
    found = read_sitemap(body, URL)
    assert (found.kind, found.urls) == ("index", (SitemapUrl("http://a.example/1.xml"),))


def test_text_and_compressed_sitemaps() -> None:
    lines = b"\xef\xbb\xbf\nhttp://a.example/1\r\nno URL\nhttps://a.example/2\n"
    assert urls(gzip.compress(lines)) == ["http://a.example/1", "https://a.example/2"]
    assert urls(gzip.compress(START + b"><url><loc>/1</loc></url></urlset>")) == [
        "http://a.example/1"
    ]


@pytest.mark.parametrize(
    ("body", "kind", "problem"),
    [
        (b"", "", "not a sitemap"),
        (b"<html><body><p>Not found", "", "not a sitemap"),
        (b"{}", "", "not a sitemap"),
        (b"\x1f\x8b\x08 damaged", "", "cannot be decompressed: "),
        pytest.param(
            gzip.compress(bytes(MAX_SITEMAP_BYTES + 1)),
            "",
            "cannot be decompressed: ",
            id="too large",
        ),
        (b"<rss><channel/></rss>", "feed", ""),
        (START + b"></urlset>", "pages", ""),
    ],
)
def test_what_is_wrong_with_a_sitemap(body: bytes, kind: str, problem: str) -> None:
    found = read_sitemap(body, URL)
    assert (found.kind, found.urls) == (kind, ())
    assert found.problem.startswith(problem)
    assert bool(found.problem) == bool(problem)


def test_broken_and_hostile_xml() -> None:
    cut = START + b"><url><loc>/1</loc></url><url><loc>/2</loc><url><loc>ftp://a/3</loc>&x;</url>"
    assert urls(cut)[:1] == ["http://a.example/1"]
    entities = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(12))
    bomb = (
        f'<!DOCTYPE urlset [<!ENTITY e0 "http://a.example/x">{entities}'
        '<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>&e12;</loc></url>'
        "<url><loc>http://a.example/&f;</loc></url><url><loc>/1</loc></url></urlset>"
    )
    found = urls(bomb.encode())
    assert not any(len(url) > 100 or "root" in url for url in found)


@pytest.mark.parametrize("opening", ["<loc>", "<sm:loc>", "<loc><![CDATA["])
def test_a_sitemap_that_is_cut_off_has_no_half_url(opening: str) -> None:
    closing = "]]></loc>" if "CDATA" in opening else opening.replace("<", "</")
    start = "<urlset xmlns:sm='a'>"
    entries = [f"<url>{opening}http://a.example/{n}{closing}</url>" for n in range(3)]
    body = f"{start}{''.join(entries)}</urlset>"
    for end in range(len(start), len(body)):
        sitemap = read_sitemap(body[:end].encode(), "http://a.example/sitemap.xml")
        urls = [f"http://a.example/{n}" for n in range(3)]
        assert [url.url for url in sitemap.urls] in (urls, urls[:2], urls[:1], [])
        assert len(sitemap.urls) >= body[:end].count("</url>")


@pytest.mark.slow
def test_a_sitemap_as_large_as_allowed() -> None:
    rows = "".join(f"<url><loc>/{i}</loc><lastmod>2024</lastmod></url>" for i in range(MAX_URLS))
    with limited_effort(40):
        found = read_sitemap(START + b">" + rows.encode() * 2 + b"</urlset>", URL)
        assert len(found.urls) == MAX_URLS


@given(st.binary(max_size=60), st.sampled_from([b"", START, b"<sitemapindex><sitemap><loc>"]))
def test_anything_is_read(body: bytes, start: bytes) -> None:
    found = read_sitemap(start + body, URL)
    assert found.kind or found.problem


def test_sitemaps_that_may_be_slow() -> None:
    """Compressed ones, and those with many attributes or keywords; not an ordinary one."""
    ordinary = b"<urlset>" + b"<url><loc>http://a.example/</loc></url>" * 1_000
    assert not may_be_slow(ordinary)
    assert may_be_slow(gzip.compress(ordinary))
    assert may_be_slow(b"<urlset><url " + b'a="" ' * 6_000)
    assert may_be_slow(b"<keywords>" + b"a," * 6_000)


@pytest.mark.slow
def test_a_url_of_many_elements_ends_the_reading() -> None:
    """A few kilobytes that become a tree of two million elements."""
    body = gzip.compress(b"<urlset><url>" + b"<y a='1'/>" * 2_000_000)
    with limited_effort(8):
        assert "has more than" in read_sitemap(body, "http://a.example/s.xml.gz").problem


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("declared", ["UTF-16", "UTF-8"])
def test_sitemaps_in_other_encodings(encoding: str, declared: str) -> None:
    prolog = f'<?xml version="1.0" encoding="{declared}"?>\n'
    xml = prolog + "<urlset><url><loc>/möwe</loc></url></urlset>"
    lines = "http://a.example/1\nhttp://a.example/2\n"
    (page,) = read_sitemap(xml.encode(encoding), URL).urls
    assert page.url == "http://a.example/m%C3%B6we"
    assert len(read_sitemap(lines.encode(encoding), URL).urls) == 2


ROBOTS = """Sitemap: /maps/a.xml   # news
SITEMAP : <http://b.example/s.xml>#all\r
User-agent: *
Disallow: /sitemap: no
  sitemap:http://c.example/1.xml http://c.example/2.xml
Sitemap: maps/my map.xml
Sitemap: /maps/a.xml
Sitemap:
Sitemap: ftp://a.example/s.xml
# Sitemap: /no.xml
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_sitemaps_of_a_robots_txt(encoding: str) -> None:
    assert read_robots(ROBOTS.encode(encoding), "http://a.example/robots.txt") == [
        "http://a.example/maps/a.xml",
        "http://b.example/s.xml",
        "http://c.example/1.xml",
        "http://c.example/2.xml",
        "http://a.example/maps/my%20map.xml",
    ]


@given(st.binary(max_size=200), st.sampled_from([b"", b"Sitemap: ", b"\xff\xfe"]))
def test_any_robots_txt_is_read(body: bytes, start: bytes) -> None:
    read_robots(start + body, "http://a.example/robots.txt")
