"""The URLs of saved pages."""

from __future__ import annotations

import pytest

from forest_scrapy.batch.saved_url import saved_url

URL = "https://www.example.org/2024/owls?a=1&b=2"
OTHER = '<link rel="canonical" href="https://other.example/">'


@pytest.mark.parametrize(
    ("html", "source", "url"),
    [
        (f"<!-- saved from url=(0041){URL} --><html>{OTHER}", "Owls.html", URL),
        (
            f"<html><!--\n Page saved with SingleFile \n url: {URL} \n saved date: x -->",
            "a.html",
            URL,
        ),
        (
            "<!-- Mirrored from www.example.org/owls.html by HTTrack Website Copier/3.x -->",
            "owls.html",
            "http://www.example.org/owls.html",
        ),
        (f"<link href='{URL}' rel=canonical>", "owls.html", URL),
        (f"<meta property=og:url content='{URL}'>", "owls.html", URL),
        (
            "<base href='https://www.example.org/b/'>",
            "x/owls.html",
            "https://www.example.org/b/owls.html",
        ),
        # The home page is believed only of an index, or if nothing else is there.
        (OTHER, "owls.html", "owls.html"),
        (OTHER, "www.example.org/owls.html", "https://www.example.org/owls.html"),
        (OTHER, "saved/index.html", "https://other.example/"),
        # As wget -r writes.
        ("", "/home/me/www.example.org/a/index.html", "https://www.example.org/a/"),
        ("", "www.example.org/index.html?p=3", "https://www.example.org/?p=3"),
        ("", "www.example.org/index.html@p=3.html", "https://www.example.org/?p=3"),
        ("", "saved/owls.html", "saved/owls.html"),
        ("", "my.folder/owls.html", "my.folder/owls.html"),
        ("", "saved/pages.zip/owls.html", "saved/pages.zip/owls.html"),
        ("", "pages.zip/www.example.org/owls.html", "https://www.example.org/owls.html"),
        # Of names that differ in what a URL has after its path, each is another page.
        ("", "saved/Owls? C# 1.html", "saved/Owls%3F C%23 1.html"),
        ("", "www.example.org/C# 1.html", "https://www.example.org/C%23%201.html"),
        (
            "<base href='https://www.example.org/b/'>",
            "x/C#1.html",
            "https://www.example.org/b/C%231.html",
        ),
        ("", "mail/me@example.org/owls.html", "mail/me@example.org/owls.html"),
        ("", "sites/of example.org/owls.html", "sites/of example.org/owls.html"),
        ("<link rel=canonical href='/2024/owls'>", "owls.html", "owls.html"),
        ("<link rel=canonical href='http://[a/'>", "owls.html", "owls.html"),
    ],
)
def test_where_the_url_of_a_saved_page_is_from(html: str, source: str, url: str) -> None:
    assert saved_url(html.replace("&", "&amp;").encode(), source) == url
