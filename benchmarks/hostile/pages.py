"""Hostile pages."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator

from benchmarks.hostile.server import Answer, answer

_START = b"<html><body><p>The boats are in the harbour today, and the sea is calm.</p>"


def hostile_pages() -> Iterator[tuple[str, Answer]]:
    """Pages by name."""
    for name, body in hostile_bodies():
        yield name, answer(_START + body)
    yield from _bodies()


def hostile_bodies() -> Iterator[tuple[str, bytes]]:
    """The pages whose markup or text is hostile, by name."""
    yield from (*_markup(), *_text(), *_metadata())


def _rows(number: int, row: Callable[[int], bytes]) -> bytes:
    return b"".join(map(row, range(number)))


def _markup() -> Iterator[tuple[str, bytes]]:
    yield "million_attributes", b"<p " + _rows(1_000_000, lambda i: b"a%d " % i) + b">"
    yield "30000_attributes", b"<p " + _rows(30_000, lambda i: b"a%d=1 " % i) + b">"
    yield "9000_attributes", b"<p " + _rows(9_000, lambda i: b"a%d " % i) + b">"
    yield "attributes_with_tags", b"<p " + _rows(60_000, lambda i: b"a%d='</p>'" % i) + b">"
    yield "attributes_in_a_comment", b"<!-- <p x=' -->" + _rows(40_000, lambda i: b"<p a%d " % i)
    yield "open_paragraphs", b"<p>a" * 72_000
    yield "breaks", b"<br>" * 1_000_000
    yield "siblings", b"<div>a</div>" * 400_000
    yield "just_within_the_bounds", b"<p class=date>By A B, 1 May 2024 10:00" * 7_900
    yield "breadcrumbs", b"<nav class=breadcrumb><a href=/x>tag</a>" * 2_600
    yield "classes", _rows(300_000, lambda i: b"<i class=c%dz>a</i>" % i)
    yield "7000_classes", _rows(3_900, lambda i: b"<i class=c%dz>a</i>" % i)
    yield "long_class", b"<div class='" + b"a " * 2_000_000 + b"'>a</div>"
    yield "deep", b"<div>" * 500_000
    yield "deep_with_text", b"<div>a " * 2_000 + b"<p>x y z" * 5_000
    yield "deep_within_the_bounds", b"<div>a " * 550 + b"<p>x y z" * 7_000
    yield "deep_tables", b"<table><tr><td>" * 100_000
    yield "formatting", b"<b><i><u><a href=x>" * 50_000
    yield "misnested", b"<b><p></b><i></p></i>" * 50_000
    yield "comments", b"<!-- a -->" * 500_000
    yield "open_comment", b"<!--" + b"<p>a" * 500_000
    yield "entities", b"&amp;" * 1_500_000
    yield "bad_entities", b"&bogus" * 1_000_000
    yield "scripts", b"<script>a</script>" * 200_000
    yield "open_script", b"<script>" + b"<p>a" * 1_000_000
    yield "svg", b"<svg><math><foreignObject>" * 50_000
    yield "templates", b"<template><p>a" * 50_000
    yield "select", b"<select><option>a" * 100_000


def _text() -> Iterator[tuple[str, bytes]]:
    yield "one_word", b"<p>" + b"a" * 9_000_000
    yield "900_kb_word", b"<p>" + b"a" * 900_000
    yield "many_words", b"<p>" + b"some words " * 800_000
    yield "punctuation", b"<p>" + b",. " * 300_000
    yield "spaces", b"<p>" + b" " * 9_000_000 + b"a"
    yield "combining_marks", b"<p>a" + "\u0301".encode() * 400_000
    yield "digits", b"<p class=date>" + b"1" * 900_000
    yield "date_like", b"<time>" + b"1 May 2024 " * 50_000 + b"</time>"
    yield "byline", b"<p class=author>By " + b"A. B., " * 100_000
    yield "nul_bytes", b"\0" * 50 + b"<p>a\0b" * 1_000
    yield "title", b"<title>" + b" - " * 300_000 + b"</title><h1>" + b"| " * 300_000 + b"</h1>"


def _metadata() -> Iterator[tuple[str, bytes]]:
    start = b"<script type='application/ld+json'>"
    yield "json_ld_depth", start + b"[" * 400_000 + b"</script>"
    yield "json_ld_nodes", start + b"[" + b'{"@type":"Article"},' * 20_000 + b"{}]</script>"
    yield "json_ld_digits", start + b'{"a":' + b"1" * 400_000 + b"}</script>"
    yield "microdata", b"<div itemscope itemtype=Article>" * 290 + b"<i itemprop=author>A B" * 5_000
    yield "items_in_items", b"<div itemscope itemtype=Article>" * 200 + b"<i itemprop=a>A" * 3_700
    yield "itemref", b"<div itemscope id=a itemref='a b'><div itemscope id=b itemref='a b'>" * 100
    yield "metas", b"<meta name=author content='A B'><meta name=date content=2024>" * 3_900
    yield "links", _rows(200_000, lambda i: b"<a href=/%d>a</a>" % i)
    yield "base", b"<base href='http://[" + b"a" * 100_000 + b"'><a href=x>a</a><img src=y>"
    yield "long_urls", b"<img src='" + b"a" * 500_000 + b"'><a href='" + b"b" * 400_000 + b"'>x</a>"


def _bodies() -> Iterator[tuple[str, Answer]]:
    page = _START + b"</body></html>"
    zeros = gzip.compress(bytes(500_000_000))
    twice = gzip.compress(zeros)
    yield "gzip_bomb", answer(zeros, Content_Encoding="gzip")
    yield "gzip_bomb_twice", answer(twice, Content_Encoding="gzip, gzip")
    yield "deflate_bomb", answer(zlib.compress(bytes(100_000_000)), Content_Encoding="deflate")
    yield "not_gzip", answer(page, Content_Encoding="gzip")
    yield "cut_gzip", answer(gzip.compress(page)[:-9], Content_Encoding="gzip")
    yield "100_mb", answer(b"<p>a" * 25_000_000)
    yield "utf_16", answer(("<p>a" * 100_000).encode("utf-16"), kind="text/html; charset=utf-16")
    yield "charset_hex", answer(page, kind="text/html; charset=hex")
    yield "charset_punycode", answer(b"a" * 3_000_000, kind="text/html; charset=punycode")
    yield "charset_idna", answer(b"a." * 1_000_000, kind="text/html; charset=idna")
    yield "binary_as_html", answer(bytes(range(256)) * 10_000)
    yield "png_as_html", answer(b"\x89PNG\r\n\x1a\n" + bytes(100_000))
