"""IRIs are legal, and the same ones each time."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.graph.iris import entity_iri, local_name, page_iri, part_iri, web_iri

#: RFC 3986, with the names of properties in other alphabets (RFC 3987).
LEGAL = re.compile(r"[a-z]+:(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#\[\]-]|%[0-9A-Fa-f]{2}|[^\x00-\xbf])+")
#: Any characters, also halves of pairs.
ANY = st.text(st.characters(exclude_categories=()), max_size=30)


@given(ANY, ANY)
def test_any_url_gives_a_legal_iri(path: str, seed: str) -> None:
    for url in (path, f"https://a.example/{path}", f"http://{path}/", f"http://a.example#{path}"):
        iri = entity_iri(url, seed)
        assert LEGAL.fullmatch(iri) and iri.isascii() and iri.count("#") <= 1
        assert iri == entity_iri(url, seed)


@given(ANY)
def test_an_iri_stays_as_it_is(path: str) -> None:
    iri = web_iri(f"https://a.example/{path}")
    assert web_iri(iri) == iri


@given(ANY, ANY)
def test_each_name_has_its_own_property(one: str, other: str) -> None:
    assert (local_name(one) == local_name(other)) == (one == other)
    assert LEGAL.fullmatch(part_iri("https://a.example/", local_name(one)))


def test_names_that_look_alike() -> None:
    names = ("First name", "First_name", "First  name", "first name", "First name ", "record-1", "")
    assert len(set(map(local_name, names))) == len(names)


def test_urls_that_are_none() -> None:
    wrong = ("", None, 5, ["x"], "ftp://a/", "//a/b", "/b", "http://", "http:///b", "http://a\\b/")
    assert {web_iri(url) for url in wrong} == {""}
    assert page_iri("javascript:alert(1)") == ""


def test_hosts() -> None:
    assert web_iri("http://[::1]:80/") == "http://[::1]:80/"
    assert web_iri("https://Bücher.example/ü") == "https://xn--bcher-kva.example/%C3%BC"
    assert web_iri("https://a.example") == "https://a.example/"
    assert web_iri("https://a.example?q") == "https://a.example/?q"
