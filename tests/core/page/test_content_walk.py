"""The content of an element: what is kept and left out, and that text and HTML agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from lxml import etree

from forest_scrapy.core.page.content import Content, Image, Link, Media
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.markup import clean_markup
from forest_scrapy.core.page.page import Extract
from forest_scrapy.core.page.tree import Element, find_elements, parse_html

from ..helpers import demo_pages, html_text, html_texts

BASE = "http://a.example/x/"
DIRTY = (
    "<div>a<script>s</script>b<style>t</style><!-- c --><p>d<noscript>n</noscript>e</p>"
    "<template>u</template><?php v ?>f<img src=g.png><a href=h>h</a></div>i"
)


def read(html: str, drop: str = "//nothing", keep: str = "//body/*[1]") -> Content:
    root = parse_html(html)
    return read_content(first(root, keep), set(find_elements(drop, root)), BASE)


def first(root: Element, xpath: str) -> Element:
    return find_elements(xpath, root)[0]


@pytest.mark.parametrize("tail", ["", " ", "\n"])
def test_what_is_around_a_block_that_is_left_out_stays_apart(tail: str) -> None:
    html = f"<div><span>9.90 EUR</span><p class=stock>In stock</p>{tail}<b>Add</b></div>"
    assert read(html, drop="//p").text == "9.90 EUR Add"


def test_scripts_styles_and_comments_leave_no_trace() -> None:
    expected = (
        '<div>ab<p>de</p>f<img src="http://a.example/x/g.png">'
        '<a href="http://a.example/x/h">h</a></div>'
    )
    assert read(DIRTY).markup == expected


def test_the_tree_is_not_changed() -> None:
    root = parse_html(DIRTY)
    before = etree.tostring(root)
    read_content(root, set(find_elements("//p", root)), BASE)
    assert etree.tostring(root) == before


@pytest.mark.parametrize(
    ("html", "markup"),
    [
        ("<b>a</b>", "<p><b>a</b></p>"),
        ("<center>a<font>b</font></center>", "<div>a<span>b</span></div>"),
        ("<p onclick=x() lang=en style=s>a</p>", '<p lang="en">a</p>'),
        ("<p>a<iframe></iframe>b</p>", "<p>a<br>b</p>"),
        ("<p>a<iframe></iframe><b>b</b></p>", "<p>a <b>b</b></p>"),
        ("<p>1 &lt; 2 &amp; 3</p>", "<p>1 &lt; 2 &amp; 3</p>"),
        ("<p><a href=javascript:x()>a</a></p>", "<p><a>a</a></p>"),
        ("<p><img src=a.gif width=1>a</p>", "<p>a</p>"),
        ("<div><video poster=/p.png><source src=/v.mp4>old</video></div>",
         '<div><video poster="http://a.example/p.png" controls="">'
         '<source src="http://a.example/v.mp4"></video></div>'),
    ],
)  # fmt: skip
def test_markup(html: str, markup: str) -> None:
    assert read(html).markup == markup


@pytest.mark.parametrize(
    ("html", "tags"),
    [
        ("<table><tr><td>a</td></tr></table>", 6),
        ("<table><colgroup><col></colgroup><tr><td>a</td></tr></table>", 0),
        ("<table><tr><td>a</td></tr><caption>c</caption></table>", 8),
        ("<table><tr><td><table><tr><th>a</th></tr></table></td></tr></table>", 12),
    ],
)
def test_tables_with_something_between_their_cells_become_plain_blocks(
    html: str, tags: int
) -> None:
    markup = read(html).markup
    assert sum(markup.count(f"{mark}{tag}>") for mark in ("<", "</") for tag in TABLE) == tags
    assert read(html).text == html_text(clean_markup(markup))


TABLE = ("table", "tr", "td", "th", "caption")


def test_a_dropped_figure_leaves_its_images_and_caption() -> None:
    figure = "<figure><img src=i.png alt=o><figcaption>An  owl</figcaption></figure>"
    content = read(f"<div>a{figure}b</div>", drop="//figure")
    assert (content.text, content.body) == ("a\nAn owl\nb", "a\nb")
    assert content.images == (Image("http://a.example/x/i.png", "o", "An owl"),)
    assert content.markup.count("<img") == 1


def test_each_image_of_a_dropped_gallery_has_its_own_caption() -> None:
    figures = [
        f"<figure><img src={name}.png><figcaption>{name}</figcaption></figure>" for name in "abc"
    ]
    items = "".join(f"<li>{figure}</li>" for figure in [*figures, "<img src=d.png>"])
    gallery = f"<figure><ul>{items}</ul><figcaption>Of all</figcaption></figure>"
    content = read(f"<div>One.{gallery}Two.</div>", drop="/html/body/div/figure")
    captions = [(image.url[-5:], image.caption) for image in content.images]
    assert captions == [("a.png", "a"), ("b.png", "b"), ("c.png", "c"), ("d.png", "Of all")]
    assert content.text.split("\n") == ["One.", "a", "b", "c", "Of all", "Two."]
    assert content.body == "One.\nTwo."
    assert content.text == html_text(clean_markup(content.markup))


def test_links_and_media() -> None:
    content = read(
        "<div><a href=/b>more <b>owls</b></a><a href='#top'>up</a><a href='mailto:a@b.c'>m</a>"
        "<iframe src=/embed/1></iframe><iframe src=/ad></iframe><audio src=/s.mp3></audio></div>"
    )
    assert content.links == (Link("http://a.example/b", "more owls"),)
    assert content.media == (
        Media("http://a.example/embed/1", is_audio=False),
        Media("http://a.example/s.mp3", is_audio=True),
    )


def test_text_blocks_are_the_elements_with_text_of_their_own() -> None:
    root = parse_html("<div><p>a <b>b</b></p><section><h2>c</h2></section></div>")
    blocks = read_content(first(root, "//div")).text_blocks
    assert [block.tag for block in blocks] == ["p", "h2"]


def test_text_and_html_of_the_demo_agree() -> None:
    for section in ("news", "journal"):
        for page in demo_pages(section):
            content = read_content(first(page.root, "//body"), (), page.url)
            assert content.text == html_text(clean_markup(content.markup))


@given(html_texts())
def test_any_tree_has_content(text: str) -> None:
    root = parse_html(text)
    content = read_content(root, (), BASE)
    lines = content.text.split("\n")
    assert lines == [""] or all(line.rstrip() == line != "" for line in lines)
    assert not any(parse_html(content.markup).iter("script", "style", etree.Comment))
    assert html_text(clean_markup(content.markup)).split() == content.text.split()


@pytest.mark.parametrize(
    "figure",
    [
        "<figure><img src=i.png><figcaption>An <b>owl</b></figcaption></figure>",
        "<figure><div><img src=i.png></div><span>An </span><small>owl</small></figure>",
        "<figure><img src=i.png><figcaption><p>An owl</p></figcaption></figure>",
        "<div class=wp-caption><img src=i.png><p class=wp-caption-text>An owl</p></div>",
        "<div><img src=i.png><span class='imageCaption x'>An owl</span></div>",
    ],
)
def test_captions_are_in_the_html_and_not_in_the_body(figure: str) -> None:
    content = read(f"<div><p>One.</p>{figure}<p>Two.</p></div>")
    assert content.body == "One.\nTwo."
    assert content.text.replace("\n", " ") == "One. An owl Two."
    assert content.text == html_text(clean_markup(content.markup))
    assert content.images[0].url == "http://a.example/x/i.png"


@pytest.mark.parametrize(
    "part",
    [
        "<figure><pre>x = 1</pre><figcaption>An owl</figcaption></figure>",
        "<figure><table><tr><td>1</td></tr></table><figcaption>An owl</figcaption></figure>",
        "<figure><blockquote>An owl</blockquote></figure>",
        "<figure><img src=i.png><p>A paragraph on owls</p></figure>",
        "<div class=captioned><img src=i.png>An owl</div>",
        "<div class=caption><img src=i.png>An owl</div>",
        "<table><caption>Owls</caption><tr><td>1</td></tr></table>",
    ],
)
def test_other_text_of_figures_is_part_of_the_body(part: str) -> None:
    content = read(f"<div><p>One.</p>{part}</div>")
    assert content.body == content.text != "One."


def test_a_content_of_captions_only_is_its_own_body() -> None:
    content = read("<figure><img src=i.png><figcaption>An owl</figcaption></figure>")
    assert content.body == content.text == "An owl"


def test_the_extract_with_captions() -> None:
    figure = "<figure><img src=i.png><figcaption>An owl</figcaption></figure>"
    found = Extract(read(f"<div><p>One.</p>{figure}</div>"))
    assert found.text == found.with_captions("separate").text == "One."
    assert found.with_captions("inline").text == "One.\nAn owl"
    assert found.with_captions("inline").html == found.html


def test_shortcodes_that_were_not_replaced_are_no_text() -> None:
    html = """<div>[vc_row el_class="a"][vc_column]<p>[vc_column_text]Boats come in.</p>
        <p>[/vc_column_text][/vc_column][/vc_row]</p><p>See [1] and [the map].</p>
        <p>[gallery ids=&#8221;1,2&#8221;]</p></div>"""
    content = read_content(parse_html(html))
    assert content.text == "Boats come in.\nSee [1] and [the map]."
    assert "vc_" not in content.markup and "gallery" not in content.markup


def test_shortcodes_in_code_are_text() -> None:
    html = (
        '<p>Write <code>[vc_row]</code> or <kbd><b>[map zoom="3"]</b></kbd></p><pre>[vc_row]</pre>'
    )
    assert read_content(parse_html(f"<div>{html}</div>")).text.count("[") == 3
