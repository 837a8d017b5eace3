"""Quotation marks, powers, emoji, ruby and inline blocks in the text, the HTML and the Markdown."""

from __future__ import annotations

import pytest

from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.structures.typography import read_emoji
from forest_scrapy.core.page.tree import parse_html

from ...helpers import read_markdown


def read_text(html: str) -> str:
    return read_content(parse_html(f"<div>{html}</div>")).text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>10<sup>6</sup> m<sup>2</sup> of CO<sub>2</sub>", "10^6 m2 of CO2"),
        ("<p>10<sup>−3</sup>, 2<sup>n</sup>, 2<sub>10</sub>", "10^−3, 2^n, 2_10"),
        ("<p>the 1<sup>st</sup> and 2<sup>e</sup>", "the 1st and 2e"),
        ("<p>the bridge<sup>1</sup> fell.<sup>2</sup>", "the bridge[1] fell.[2]"),
        ("<p>She said <q>ours</q> and left", "She said “ours” and left"),
        ("<p lang=de>Sie rief <q>Ahoi <q>du</q></q>", "Sie rief „Ahoi ‚du‘“"),
        ("<p lang=fr-CA>Il dit <q>oui</q>", "Il dit « oui »"),
        ("<p><ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>", "漢(かん)字(じ)"),
        ("<p><ruby>漢<rp>（</rp><rt>かん</rt><rp>）</rp></ruby>", "漢（かん）"),
        ("<p><span style='display:block'>One</span><span style='display: block'>Two</span>",
         "One\nTwo"),
        ("<p><b><span class=d-block>One</span></b>Two", "One\nTwo"),
        ("<p><span style='display:inline-block'>One</span>Two", "OneTwo"),
        ("<p>One <nobr>two three</nobr> fo<wbr>ur", "One two three four"),
        ("<a href=/x><div>One</div><div>Two</div></a>", "One\nTwo"),
        ("<dl><dt>Depth</dt><dd>Nine</dd><dt>Width</dt><dd>Four</dd></dl>",
         "Depth\nNine\nWidth\nFour"),
        ("<p>Unter\xadneh\u200bmen\ufeff a\u2060b", "Unternehmen ab"),
        ("<p>می\u200cخواهم a\u200cb", "می\u200cخواهم ab"),
        ("<pre>a\n\n  b\n\n\nc\n</pre>", "a\n\n  b\n\n\nc"),
    ],
)  # fmt: skip
def test_text(html: str, text: str) -> None:
    assert read_text(html) == text


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>10<sup>6</sup> of CO<sub>2</sub>", "10<sup>6</sup> of CO<sub>2</sub>"),
        ("<p lang=de>Sie rief <q>Ahoi</q>", "Sie rief „Ahoi“"),
        ("<p>Good <img class=wp-smiley alt='🙂' src=/s.png> day", "Good 🙂 day"),
        ("<p><span style='display:block'>One</span>Two", "One  \nTwo"),
        ("<p><ruby>漢<rt>かん</rt></ruby>", "漢(かん)"),
    ],
)
def test_markdown(html: str, markdown: str) -> None:
    assert read_markdown(html) == markdown


@pytest.mark.parametrize(
    ("image", "emoji"),
    [
        ("<img class=emoji alt='👩‍🔬' src=/e.svg>", "👩‍🔬"),
        ("<img alt='🇳🇴' src=/e.svg>", "🇳🇴"),
        ("<img alt='1️⃣' src=/e.svg>", "1️⃣"),
        ("<img class=wp-smiley alt=':-)'>", ":-)"),
        ("<img class=emoji alt=':slight_smile:'>", ":slight_smile:"),
        ("<img alt=':-)'>", ""),
        ("<img class=emoji alt='An owl'>", ""),
        ("<img alt='🙂' width=600>", ""),
        ("<img alt='12'>", ""),
        ("<img>", ""),
    ],
)
def test_images_of_emoji(image: str, emoji: str) -> None:
    assert read_emoji(next(parse_html(image).iter("img"))) == emoji


def test_an_emoji_is_no_image() -> None:
    content = read_content(parse_html("<p>Good <img alt='🙂' src='http://a.example/s.png'> day"))
    assert content.images == () and "🙂" in content.markup
