"""Site configs of Full-Text RSS."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page, Wrapper
from forest_scrapy.core.exports import Origin, export_wrapper
from forest_scrapy.core.fields.metadata import FieldSources
from forest_scrapy.core.imports.ftr import BadSiteConfig, read_site_config

CONFIG = """
# A comment
title: //h1[@class='headline']
title: //meta[@property="og:title"]/@content
author: //a[@rel='author']/text()
author: substring-after(//p[@class='by'], 'By ')
date: //time/@datetime

body://div[@class='story']
body: //article
strip: //aside
strip_id_or_class: 'advert'
strip_image_src: /pixel.gif
prune: no
tidy: no
http_header(user-agent): Mozilla/5.0
replace_string(<noscript>): <div>
next_page_link: //a[@rel='next']
test_url: https://news.example/harbour
test_contains: the council
"""
PAGE = """<h1 class=headline>The harbour</h1><p class=by>By Cy Dee</p>
<time datetime=2026-11-28T08:00:00Z>today</time><div class=story><p>The council has decided it.</p>
<div class="big-advert box">Buy this.</div><aside>Elsewhere</aside><p>It was late.</p></div>"""


def test_a_config() -> None:
    config = read_site_config(CONFIG)
    wrapper = config.wrapper
    assert wrapper.keep == ("//div[@class='story']", "//article")
    assert wrapper.fields.title == ("//h1[@class='headline']", "meta:og:title")
    assert wrapper.fields.authors == ("//a[@rel='author']",)
    assert wrapper.fields.published == ("//time",)
    assert config.test_urls == ("https://news.example/harbour",)
    assert [note.partition(" is not used")[0] for note in config.notes] == [
        "line 6: author",
        "line 17: replace_string",
        "line 18: next_page_link",
    ]
    wrapper.check()
    article = wrapper.article(Page.from_html(PAGE, "https://news.example/harbour"))
    assert article is not None
    assert article.text == "The council has decided it.\nIt was late."
    assert (article.title, article.published[:10]) == ("The harbour", "2026-11-28")


def test_what_is_exported_can_be_read_again() -> None:
    fields = FieldSources(title=("//h1",), authors=("//b",), published=("//time",))
    wrapper = Wrapper("trained", ("//main",), drop=("//nav",), take="all", fields=fields)
    text = export_wrapper(wrapper, Origin("a.example", "t", ("https://a.example/1",)), "ftr")
    config = read_site_config(text)
    assert (config.wrapper.keep, config.wrapper.drop) == (wrapper.keep, wrapper.drop)
    assert (config.wrapper.fields, config.test_urls) == (fields, ("https://a.example/1",))
    assert config.notes == ()


def test_the_mark_of_utf_8_is_no_part_of_the_first_line() -> None:
    assert read_site_config(b"\xef\xbb\xbfbody: //p".decode()).wrapper.keep == ("//p",)


def test_directives_that_would_change_the_text_are_named() -> None:
    config = read_site_config(
        "body: //p\nif_page_contains: //b\nwrap_in(i): //u\nmove_into(p): //a"
    )
    assert [note.partition(" is ")[0] for note in config.notes] == [
        "line 2: if_page_contains",
        "line 4: move_into",
    ]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["no line names the article, such as body: //article"]),
        ("title: //h1\n", ["no line names the article, such as body: //article"]),
        ("\nbody //div", ["line 2: 'body //div' is not NAME: VALUE, such as body: //article"]),
        ("boddy: //div", ["line 1: boddy is not a directive; did you mean body?"]),
        ("http://a.example/", ["line 1: http is not a directive"]),
        ("body: //div[", ["line 1: body: '//div[' is not an XPath"]),
        ("body: //p\nstrip: //a/@href", ["line 2: strip: '//a/@href' finds attributes"]),
        ("body: count(//p)", ["line 1: body: 'count(//p)' gives a number, not elements"]),
        ("body: //p\ndate: //b[[", ["line 2: date: '//b[[' is not an XPath"]),
        ("body: //p\x00[", ["line 1: body: "]),
        ("body: //p\nstrip_id_or_class: ''", ["line 2: strip_id_or_class: '' names nothing"]),
        ('body: //p\nstrip_image_src: "\'"', ["line 2: strip_image_src: "]),
        ("body: //a[\nstrip: //b[", ["line 1: body: ", "line 2: strip: "]),
        ("<html><p>Not found", ["line 1: '<html><p>Not found' is not NAME: VALUE"]),
    ],
)
def test_problems_with_the_numbers_of_their_lines(text: str, problems: list[str]) -> None:
    with pytest.raises(BadSiteConfig) as raised:
        read_site_config(text)
    assert len(raised.value.problems) == len(problems)
    for problem, start in zip(raised.value.problems, problems, strict=True):
        assert problem.startswith(start)


def test_directives_about_attributes_change_no_text() -> None:
    config = read_site_config("body: //article\nstrip_attr: //img/@width\nstrip_comments: yes")
    assert config.wrapper.keep == ("//article",)
    assert config.notes == ()


def test_bad_lines_can_be_skipped() -> None:
    text = "body: //article\nstrip: //div[\nstripe: //b\nreplace_string(a): b\nstrip: //aside"
    config = read_site_config(text, skip_bad_lines=True)
    assert (config.wrapper.keep, config.wrapper.drop) == (("//article",), ("//aside",))
    assert config.left_out == ("strip", "stripe", "replace_string")
    assert [note.partition(":")[0] for note in config.notes] == ["line 2", "line 3", "line 4"]
    with pytest.raises(BadSiteConfig, match="no line names the article"):
        read_site_config("strip: //div[", skip_bad_lines=True)
