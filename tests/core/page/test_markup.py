"""Sanitized HTML is safe, and has the same text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.hostile.safe_html import dangers
from benchmarks.hostile.suites import run_payloads
from forest_scrapy.core import Page, learn
from forest_scrapy.core.fields.read_fields import find_media
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.markup import clean_markup
from forest_scrapy.core.page.tree import parse_html

from ..helpers import clean_html, demo_pages, html_text, html_texts

PAYLOADS = Path(__file__).parents[4] / "shared" / "suites" / "dompurify" / "payloads.json"
BASE = "http://a.example/x/y"
XSS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<img src='jav&#x09;ascript:alert(1)'>",
    "<a href='java\nscript:alert(1)'>a</a>",
    "<a href=' &#14; javascript:alert(1)'>a</a>",
    "<a href='JaVaScRiPt:alert(1)'>a</a>",
    "<a href='data:text/html;base64,PHNjcmlwdD4='>a</a>",
    "<a href='vbscript:x'>a</a>",
    "<svg/onload=alert(1)><p>a</svg>",
    "<svg><script href='data:,alert(1)'/></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mi xlink:href='javascript:alert(1)'>a</mi></math>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=x&gt;'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='javascript:alert(1)'></object><embed src='javascript:alert(1)'>",
    "<form action='javascript:alert(1)'><input autofocus onfocus=alert(1)><button>b</button></form>",
    "<isindex type=image src=1 onerror=alert(1)>",
    "<body onload=alert(1)><p>a",
    "<div style='background:url(javascript:alert(1))'>a</div>",
    "<style>@import 'javascript:alert(1)';</style>",
    "<link rel=stylesheet href='javascript:alert(1)'>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<base href='javascript:alert(1)//'>",
    "<table background='javascript:alert(1)'><tr><td>a</table>",
    "<video src=x onerror=alert(1)><source src='javascript:x'></video>",
    "<details open ontoggle=alert(1)>a</details>",
    "<template><script>alert(1)</script></template>",
    "<textarea></textarea><script>alert(1)</script>",
    "<xmp><script>alert(1)</script></xmp>",
    "<p/onclick=alert(1)//>a",
    "<<script>alert(1)//<</script>",
    "<a xlink:href='javascript:x' href='#'>a</a>",
    "<img srcset='javascript:alert(1) 1x, y 2x'>",
    "<select><option><style></select><img src=x onerror=alert(1)></style>",
    "<a href='javascript&colon;alert(1)'>a</a>",
    "<a href='javascript&#58;alert(1)'>a</a>",
    "<a href='java&Tab;script:alert(1)'>a</a>",
    "<a href='java&NewLine;script:alert(1)'>a</a>",
    "<a href='\x01javascript:alert(1)'>a</a>",
    "<a href='\u2028javascript:alert(1)'>a</a>",
    "<a href='//javascript:alert(1)'>a</a>",
    "<a href='http:javascript:alert(1)'>a</a>",
    "<a href='view-source:javascript:alert(1)'>a</a>",
    "<a href='blob:http://a.example/1'>a</a>",
    "<a href='filesystem:http://a.example/1'>a</a>",
    "<a href='data:image/svg+xml,<svg onload=alert(1)>'>a</a>",
    "<a href='feed:javascript:alert(1)'>a</a>",
    "<a href='jar:javascript:alert(1)!/'>a</a>",
    "<a ping='javascript:alert(1)' href=x>a</a>",
    "<a href=x target=_blank onmouseover=alert(1)>a</a>",
    "<img src='javascript:alert(1)'>",
    "<img src=x:alert(1) onerror=eval(src)>",
    "<img/src=x/onerror=alert(1)>",
    "<img src=`x` onerror=alert(1)>",
    "<img src='x' onerror=&#97;&#108;&#101;&#114;&#116;(1)>",
    "<img dynsrc='javascript:alert(1)' lowsrc='javascript:alert(1)'>",
    "<img src=x longdesc='javascript:alert(1)'>",
    "<image src=x onerror=alert(1)>",
    "<picture><source srcset='javascript:alert(1)'><img src=x onerror=alert(1)></picture>",
    "<video poster='javascript:alert(1)'></video>",
    "<video><source onerror=alert(1)></video>",
    "<audio src='javascript:alert(1)' controls></audio>",
    "<blockquote cite='javascript:alert(1)'>a</blockquote>",
    "<q cite='data:text/html,x'>a</q>",
    "<del cite='javascript:alert(1)'>a</del>",
    "<svg><a xlink:href='javascript:alert(1)'><text>a</text></a></svg>",
    "<svg><animate attributeName=href values='javascript:alert(1)'/><a id=x>a</a></svg>",
    "<svg><set attributeName=onmouseover to=alert(1)>a</svg>",
    "<svg><use href='data:image/svg+xml,<svg id=x><script>alert(1)</script></svg>#x'/></svg>",
    "<svg><foreignObject><iframe srcdoc='<script>alert(1)</script>'></foreignObject></svg>",
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "<math><annotation-xml encoding='text/html'><script>alert(1)</script></annotation-xml></math>",
    "<math href='javascript:alert(1)'>a</math>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<p><style><!--</style><img src=x onerror=alert(1)>--></style>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<!--[if gte IE 4]><script>alert(1)</script><![endif]-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<?xml version='1.0'?><script>alert(1)</script>",
    "<?php echo '<script>alert(1)</script>' ?>",
    "<%<script>alert(1)</script>%>",
    "<title><img src=x onerror=alert(1)></title>",
    "<noembed><img src=x onerror=alert(1)></noembed>",
    "<noframes><img src=x onerror=alert(1)></noframes>",
    "<plaintext><script>alert(1)</script>",
    "<listing>&lt;img src=x onerror=alert(1)&gt;</listing>",
    "<marquee onstart=alert(1)>a</marquee>",
    "<bgsound src='javascript:alert(1)'>",
    "<layer src='javascript:alert(1)'></layer>",
    "<applet code=x archive='javascript:alert(1)'></applet>",
    "<frameset onload=alert(1)><frame src='javascript:alert(1)'></frameset>",
    "<button formaction='javascript:alert(1)'>a</button>",
    "<input type=image src=x onerror=alert(1) formaction='javascript:alert(1)'>",
    "<keygen autofocus onfocus=alert(1)>",
    "<details open ontoggle='alert(1)'><summary onclick=alert(1)>a</summary></details>",
    "<div contenteditable onblur=alert(1) tabindex=1 autofocus>a</div>",
    "<x onclick=alert(1) id=x tabindex=1>a</x>",
    "<custom-element onpointerdown=alert(1)>a</custom-element>",
    "<p style='width:expression(alert(1))'>a</p>",
    "<p style='behavior:url(x.htc)'>a</p>",
    "<p ONCLICK=alert(1)>a</p>",
    "<p on\0click=alert(1)>a</p>",
    "<scr\0ipt>alert(1)</scr\0ipt>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script/src=data:,alert(1)>",
    "<script\n>alert(1)</script\n>",
    "<time datetime='<img src=x onerror=alert(1)>'>a</time>",
    "<abbr title='</abbr><script>alert(1)</script>'>a</abbr>",
    "<td background='javascript:alert(1)'>a</td>",
    "<ol start='<script>alert(1)</script>'><li value='x onload=1'>a</ol>",
)
#: Where a vector may stand.
CONTEXTS = (
    "{}",
    "<p>before</p>{}<p>after</p>",
    "<table><tr><td>{}</table>",
    "<article><noscript>{}</noscript><pre>{}</pre></article>",
)


def check_safe(html: str) -> None:
    root = parse_html(f"<div>{html}</div>")
    for element in root.iter("*"):
        assert element.tag not in (
            *("script", "style", "iframe", "object", "embed", "form", "input", "svg", "math"),
            *("link", "meta", "base", "template", "noscript", "button", "select", "textarea"),
        )
        for name, value in element.attrib.items():
            assert not name.lower().startswith(("on", "style", "data-", "xlink"))
            if name in ("href", "src", "cite", "poster"):
                assert value.startswith(("http://", "https://", "mailto:", "tel:"))


@pytest.mark.parametrize("vector", XSS)
def test_attacks_are_removed(vector: str) -> None:
    clean = clean_html(f"<p>before</p>{vector}<p>after</p>", BASE)
    check_safe(clean)
    assert html_text(clean).startswith("before")


@pytest.mark.parametrize("context", CONTEXTS)
def test_nothing_can_be_executed(context: str) -> None:
    """html5lib parses as browsers do."""
    assert len(XSS) >= 90
    for vector in XSS:
        clean = clean_html(context.replace("{}", vector), BASE)
        assert list(dangers(clean)) == [], vector
        assert clean_html(clean, BASE) == clean_html(clean_html(clean, BASE), BASE), vector


@pytest.mark.skipif(not PAYLOADS.exists(), reason="needs the recorded payloads")
def test_the_payloads_of_dompurify_are_harmless() -> None:
    result = run_payloads(PAYLOADS)
    assert result == {"payloads": 223, "contexts": 5, "dangers": []}


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(XSS), html_texts()), max_size=4))
def test_any_html_is_safe_and_keeps_its_text(pieces: list[str]) -> None:
    clean = clean_html(" ".join(pieces), BASE)
    check_safe(clean)
    assert html_text(clean_html(clean, BASE)) == html_text(clean)


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("<a href='../b?c#d'>a</a>", '<a href="http://a.example/b?c#d">a</a>'),
        ("<a href='#d'>a</a>", '<a href="http://a.example/x/y#d">a</a>'),
        ("<img data-src=/i.jpg src=data:,x>", '<img src="http://a.example/i.jpg">'),
        ("<img srcset='/s.jpg 1x, /l.jpg 2x'>", '<img src="http://a.example/l.jpg">'),
        ("<img src=/count.gif width=1 height=1>a", "a"),
        ("<x-card>a</x-card><x-card>b</x-card>", "<div>a</div><div>b</div>"),
        ("a<iframe src=/f></iframe>b", "a<br>b"),
        ("<form>a<input><button>b</button></form>", "<div>a<span>b</span></div>"),
        (
            "<figure><img src=/i.jpg alt=x><figcaption>c</figcaption></figure>",
            '<figure><img src="http://a.example/i.jpg" alt="x"><figcaption>c</figcaption></figure>',
        ),
        ("<pre><code>a\n  b</code></pre>", "<pre><code>a\n  b</code></pre>"),
        (
            "<pre><code class='x lang-c'>a</code></pre>",
            '<pre><code class="language-c">a</code></pre>',
        ),
        (
            "<math><mi href='javascript:x'>a</mi><mo>+</mo><mi>b</mi></math>",
            '<span class="math inline">a+b</span>',
        ),
    ],
)
def test_clean_html(given: str, clean: str) -> None:
    assert clean_html(given, BASE) == clean


@pytest.mark.parametrize(
    "html",
    [
        "<code class='language-c x'>a</code>",
        "<code class='language-&quot;&gt;'>a</code>",
        "<span class='x'>a</span>",
        "<p class='math inline'>a</p>",
        "<p id='fn-a-b'>a</p><p id='forms'>a</p>",
        "<span id='fn-1'>a</span>",
    ],
)
def test_other_classes_and_ids_are_removed(html: str) -> None:
    clean = clean_markup(html)
    assert "class" not in clean and "id=" not in clean


@pytest.mark.parametrize("section", ["news", "journal"])
def test_the_html_has_the_text_of_the_extract(section: str) -> None:
    pages = demo_pages(section)
    wrapper = learn(pages)
    for page in pages:
        found = wrapper.apply(page)
        assert html_text(clean_html(found.html, page.url)) == found.content.text


def test_images_videos_audio_and_links() -> None:
    fragment = (
        "<figure><img data-src=/i.jpg alt=x><figcaption>The <b>harbour</b></figcaption></figure>"
        "<img src=/i.jpg><iframe src='https://v.example/embed/7'></iframe><audio><source src=/s.mp3>"
        "</audio><a href=/b>more</a><a href='#top'>up</a>"
    )
    sources = PageSources(Page.from_html("", BASE))
    content = read_content(parse_html(fragment), base=BASE)
    images, videos, audios, links = find_media(content, sources)
    assert [(i.url, i.alt, i.caption) for i in images] == [
        ("http://a.example/i.jpg", "x", "The harbour")
    ]
    assert [video.url for video in videos] == ["https://v.example/embed/7"]
    assert [audio.url for audio in audios] == ["http://a.example/s.mp3"]
    assert [(link.url, link.text) for link in links] == [("http://a.example/b", "more")]
