"""The URLs of saved pages."""

from __future__ import annotations

import pytest

from forest_scrapy.batch.saved_url import restore_links, saved_url

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
        ("", "www.example.org/story.php?id=1", "https://www.example.org/story.php?id=1"),
        ("", "www.example.org/story.php?id=1.html", "https://www.example.org/story.php?id=1"),
        ("", "www.example.org/index.php?t=1&p=2", "https://www.example.org/index.php?t=1&p=2"),
        ("", "www.example.org/t.php?12-owls.html", "https://www.example.org/t.php?12-owls"),
        ("", "www.example.org/about.php.html", "https://www.example.org/about.php"),
        ("", "www.example.org:8080/owls.html", "http://www.example.org:8080/owls.html"),
        ("", "www.example.org+8080/owls.html", "http://www.example.org:8080/owls.html"),
        ("", "localhost:8000/owls.html", "http://localhost:8000/owls.html"),
        ("", "127.0.0.1:8000/owls.html", "http://127.0.0.1:8000/owls.html"),
        (
            "",
            "file:///m/www.example.org%3A8080/b%C3%BCcher.php%3Fid%3D1%26a%3Dx%2520y.html",
            "http://www.example.org:8080/b%C3%BCcher.php?id=1&a=x%20y",
        ),
        # A version is no host.
        ("", "docs/1.2.3.4/owls.html", "docs/1.2.3.4/owls.html"),
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


MIRRORED = "file:///m/www.example.org/forum/viewtopic.php%3Ft%3D1.html"


@pytest.mark.parametrize(
    ("link", "restored"),
    [
        ("viewtopic.php%3Ft=2&amp;p=3.html", "viewtopic.php?t=2&amp;p=3"),
        ("../story.php%3Fid=1.html", "../story.php?id=1"),
        ("viewtopic.php%3Ft=1.html#p7", "#p7"),
        ("viewtopic.php%3Ft=2.html#p7", "viewtopic.php?t=2#p7"),
        ("../index.html", "../"),
        ("index.html", "./"),
        ("../about.php.html", "../about.php"),
        ("owls.html", "owls.html"),
        ("https://other.example/a%3Fb.html", "https://other.example/a%3Fb.html"),
        ("owl.jpg", "owl.jpg"),
    ],
)
def test_links_to_files_of_a_mirror_are_links_to_pages_again(link: str, restored: str) -> None:
    body = f"<a class='x' href='{link}'>Owls</a>".encode()
    expected = f"<a class='x' href='{restored}'>Owls</a>".encode()
    assert restore_links(body, MIRRORED) == expected
    assert restore_links(body, "file:///saved/owls.html") == body
