"""Markdown of articles, rendered again, is the HTML that it is made of, and nothing runs in it."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.hostile.dangerous_html import build_html
from benchmarks.support.rendered_markdown import find_differences
from forest_scrapy.core import learn
from forest_scrapy.core.markdown.blocks import text_to_markdown, to_markdown
from forest_scrapy.core.page.markup import clean_markup

from ..helpers import clean_html, demo_pages
from ..page.test_markup import BASE, XSS

_PAYLOADS = [folder / "shared/suites/dompurify/payloads.json" for folder in Path(__file__).parents]
PAYLOADS = next(filter(Path.exists, _PAYLOADS), None)


def check(html: str) -> None:
    markdown = to_markdown(html)
    assert list(find_differences(html, markdown)) == [], (html, markdown)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;script>alert(1)&lt;/script>"),
        ("<p>[x](javascript:alert(1))", r"\[x](javascript:alert(1))"),
        ("<p>![x](http://a.example/i.png)", r"!\[x](http://a.example/i.png)"),
        ("<p>[x]: javascript:alert(1)", r"\[x]: javascript:alert(1)"),
        ("<p>&amp;#106;avascript: AT&amp;T", "&amp;#106;avascript: AT&T"),
        ("<p># 1<br>1. 2<br>- 3<br>===<br>---", "\\# 1  \n1\\. 2  \n\\- 3  \n\\===  \n\\---"),
        ("<p>a<br><br>b<br>", "a\n\nb"),
        ("<ul><li>[ ] a<li>b</ul>", "- \\[ ] a\n- b"),
        ("<p>a | b<br>- | -", "a | b  \n\\- | -"),
        ("<p>snake_case, 5 * 3, price*, [1] and #tag", "snake_case, 5 * 3, price*, [1] and #tag"),
        ("<p>__init__, *a* and ~b~", r"\_\_init\_\_, \*a\* and \~b\~"),
        ("<p>C:\\new \\* `a`", r"C:\new \\* \`a\`"),
        ("<p>See https://a.example/x_y?a=1&amp;b", "See https://a.example/x_y?a=1&b"),
        ("<p>www.a.example/_x_ ftp://a.example/", r"www\.a.example/\_x\_ ftp\://a.example/"),
        ("<p>a<b> b </b>c<i>d</i>e", "a **b** c*d*e"),
        ("<p>a<b>(b)</b>c", "a(b)c"),
        ("<p><i>a <b>b</b></i> <b>c</b><i>d</i>", "_a **b**_ **c**_d_"),
        ("<p><code>a`b</code> <code>c</code>", "``a`b`` `c`"),
        ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"),
        ("<h2>C #</h2><h3>1. a<br>b</h3>", "## C \\#\n\n### 1. a b"),
        ("<p>Look!<a href='http://a.example/'>[here]</a>", r"Look\![\[here\]](http://a.example/)"),
        ("<a href='http://a.example/a(b) &lt;c'>d</a>", r"[d](http://a.example/a\(b\)%20%3Cc)"),
        ("<a href='javascript:x'>d</a><img src='data:,x'>", "d"),
        ("<a href='http://a.example/' title='a\"b'>c</a>", '[c](http://a.example/ "a&#34;b")'),
        ("<a href='http://a.example/'><h2>a</h2>b</a>",
         "## [a](http://a.example/)\n\n[b](http://a.example/)"),
        ("<img src='http://a.example/i' alt='^a](b'>", r"![\^a\](b](http://a.example/i)"),
        ("<ol start=3><li>a<p>b</p><li>c<ul><li>d</ul></ol>", "3. a\n\n   b\n4. c\n   - d"),
        ("<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol><ol><li>d</ol>",
         "- a\n\n* b\n\n1. c\n\n1) d"),
        ("<blockquote><p>a<p>b</blockquote><hr>c", "> a\n>\n> b\n\n___\n\nc"),
        ("<table><tr><th>a|b<th>c<tr><td>d<td><code>e|f</code></table>",
         "| a\\|b | c |\n| --- | --- |\n| d | `e\\|f` |"),
        ("<table><tr><td colspan=2>a<tr><td>b<td>c</table>",
         "|  |  |\n| --- | --- |\n| a |  |\n| b | c |"),
        ("<table><tr><td>a<tr><td><p>b<p>c</table>", "a\n\nb\n\nc"),
        ("<video src='http://a.example/v'></video>", "[](http://a.example/v)"),
    ],
)  # fmt: skip
def test_elements(html: str, markdown: str) -> None:
    clean = clean_markup(html)
    assert to_markdown(clean) == markdown
    check(clean)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<table><tr><th rowspan=2>Town<th colspan=2>Boats<tr><th>2022<th>2023"
         "<tr><td>Marlow<td>1<td>2</table>",
         "| Town | Boats |  |\n| --- | --- | --- |\n|  | 2022 | 2023 |\n| Marlow | 1 | 2 |"),
        ("<table><tr><td>a<td rowspan=3>b<tr><td>c<tr><td>d</table>",
         "|  |  |\n| --- | --- |\n| a | b |\n| c |  |\n| d |  |"),
        ("<table><tr><td rowspan=0>a<td>b<tr><td>c<td>d</table>",
         "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"),
        ("<table><thead><tr><td>a<td>b<tbody><tr><td>c<td>d</table>",
         "| a | b |\n| --- | --- |\n| c | d |"),
        ("<table><tr><td><th>b<tr><th>c<td>d</table>",
         "|  | b |\n| --- | --- |\n| c | d |"),
        ("<table><tr><th>a<th>b<tr><td><ul><li>c<li>d</ul><td><p>e</p><p>f</p></table>",
         "| a | b |\n| --- | --- |\n| c d | e f |"),
        ("<table><tr><th>a<th>b<tr><td><pre>c</pre><td><nobr>d</nobr> e</table>",
         "| a | b |\n| --- | --- |\n| `c` | d e |"),
        ("<table><tr><td><ul><li>a</ul><td><ul><li>b</ul></table>", "- a\n\n* b"),
        ("<table><tr><td><h2>a</h2><td>b</table>", "## a\n\nb"),
    ],
)  # fmt: skip
def test_tables(html: str, markdown: str) -> None:
    clean = clean_markup(html)
    assert to_markdown(clean) == markdown
    check(clean)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<pre><code class=language-c++>a</code></pre>", "```c++\na\n```"),
        ("<pre><code class='x language-c'>a</code></pre>", "```\na\n```"),
        ("<p>a <span class='math inline'>x_1 &lt; y*z*</span> b", "a $x_1 < y*z*$ b"),
        ("<p>a <span class='math display'>x</span> b", "a\n\n$$\nx\n$$\n\nb"),
        ("<p><span class='math inline'>\\text{http://a.example}</span>/`x`",
         "$\\text{http: //a.example}$/\\`x\\`"),
        ("<p><span class='math inline'>WWW.a.example</span>", "$WWW .a.example$"),
        ("<h2>On <span class='math display'>x</span></h2>", "## On $x$"),
        ("<p><span class='math inline'>&lt;img src=x&gt; [a](b)</span>",
         "$< img src=x> [a] (b)$"),
        ("<p>a<sup class=footnote-ref>[1]</sup><ol><li id=fn-1>b</ol>", "a[^1]\n\n[^1]: b"),
        ("<p>a<sup class=footnote-ref>[1]</sup><div id=fn-1><p>b<p>c</div>",
         "a[^1]\n\n[^1]: b\n\n    c"),
        ("<p>a<sup class=footnote-ref>[2]</sup>", "a<sup>[2]</sup>"),
        ("<p>a<sup class=footnote-ref><a href=#fn-1p2>[1]</a></sup><p id=fn-1p2>[1] b [2] c",
         "a[^1p2]\n\n[^1p2]: b [2] c"),
        ("<p>[^1] a<p>[^1]: b", "\\[^1] a\n\n\\[^1]: b"),
    ],
)  # fmt: skip
def test_code_formulas_and_footnotes(html: str, markdown: str) -> None:
    assert to_markdown(clean_markup(html)) == markdown


def test_spans_of_a_hostile_table_do_not_grow_it() -> None:
    row = "<tr>" + "<td rowspan=200 colspan=30>a" * 100
    assert len(to_markdown(f"<table>{row * 20}</table>")) < 200_000


@pytest.mark.parametrize("vector", XSS)
def test_attacks_are_text(vector: str) -> None:
    check(clean_html(f"<p>{escape(vector)}</p><p>a</p>{vector}", BASE))


@pytest.mark.slow
@pytest.mark.skipif(PAYLOADS is None, reason="needs the recorded payloads")
def test_the_payloads_of_dompurify_are_text() -> None:
    assert PAYLOADS is not None
    payloads = [one["payload"] for one in json.loads(PAYLOADS.read_text(encoding="utf-8"))]
    assert len(payloads) == 223
    for payload in payloads:
        for html in (f"<p>{escape(payload)}</p>", f"<ul><li>{escape(payload)}</ul>"):
            check(clean_html(html, BASE))
            check(clean_html(f"<p>a</p>{payload}<p>b</p>", BASE))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=120))
def test_any_markdown_has_the_text_and_elements_of_its_html(numbers: bytes) -> None:
    check(build_html(numbers))


#: Without the control characters that are spaces for Python only: libxml2 before 2.14 drops them.
_IN_HTML = st.characters(codec="utf-8", exclude_characters="\x0b\x1c\x1d\x1e\x1f")
_DANGEROUS = st.text(st.sampled_from("<>&;:[]()!`*_~#-+=|\\\"' \n\t\xa0^1.axhtp/@"), max_size=40)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(_DANGEROUS | st.text(_IN_HTML, max_size=30))
def test_any_text_is_text(text: str) -> None:
    check(clean_markup(f"<p>{escape(text)}</p>"))
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
    assert list(find_differences(clean_markup(paragraphs), text_to_markdown(text))) == []


@pytest.mark.parametrize("section", ["news", "journal"])
def test_articles_have_no_escapes_that_they_do_not_need(section: str) -> None:
    pages = demo_pages(section)
    wrapper = learn(pages)
    for page in pages:
        html = clean_html(wrapper.apply(page).html, page.url)
        check(html)
        assert "\\" not in to_markdown(html)


@pytest.mark.parametrize("tag", ["div", "blockquote", "ul><li", "b", "table><tr><td"])
def test_any_depth(tag: str) -> None:
    """The work and the length do not grow with the square of the depth."""
    html = f"<{tag}>" * 600 + "a" + f"<p>b</p></{tag.partition('>')[0]}>" * 600
    markdown = to_markdown(html)
    assert "a" in markdown and len(markdown) < 20 * len(html)


@pytest.mark.parametrize(
    "piece",
    ["*a ", "_a", "**", "[", "](", "![", "<", "&", "`", "www.", "http://", "~a~",
     "<br>", "<b>a</b>b", "\\", "<code>`</code>", "<b> </b>",
     "<a href='http://a.example/'>www.</a>", "<i>a<b>(</b></i>"],
)  # fmt: skip
def test_long_texts_take_no_longer_for_each_character(piece: str) -> None:
    assert len(to_markdown(f"<p>{piece * 5000}</p>")) < 50 * 5000 * len(piece)
