"""Exports find what the wrapper finds on the pages of the demo site."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from parsel import Selector

from demo import build_site
from forest_scrapy.core import Evidence, Page, Params, Wrapper, learn
from forest_scrapy.core.exports import FORMATS, NothingToExport, Origin, export_wrapper, standalone
from forest_scrapy.core.exports.readers import choose_selectors
from forest_scrapy.core.fields import FieldSources
from forest_scrapy.core.page import content, markup
from forest_scrapy.core.page.tree import IGNORED, PHRASING
from tests.effort import limited_effort

from ..helpers import BASE, demo_pages, make_page

ORIGIN = Origin("www.a.example", "0123456789", ("http://www.a.example/1",))
SITE = build_site(BASE)
PAGES = [Page.from_html(SITE.files[path][1].decode(), BASE + path) for path in SITE.pages]
STORY = "//div[@class='story-body'][@itemprop='articleBody'][count(ancestor::*)=5]"
WRAPPERS = {
    "with drops": Wrapper("x", ("//article",), drop=("//p[not(@class)]", "//aside"), take="all"),
    "a union": Wrapper("x", ("//h1 | //p", "//main"), take="all"),
    "the largest": Wrapper("x", ("//p", "//main"), drop=("//main//a",)),
    "all of the page": Wrapper("x", ("/html/body",), drop=("//script",), take="all"),
}
LEARNED = {
    "news": ("news", Params()),
    "journal": ("journal", Params()),
    "of the paper": ("journal", Params("sigfeed")),
}


@cache
def wrapper_of(name: str) -> Wrapper:
    """Wrappers are learned when a test needs them."""
    if name in WRAPPERS:
        return WRAPPERS[name]
    section, params = LEARNED[name]
    return learn(demo_pages(section), params)


def run_module(source: str) -> Callable[[str], dict[str, str]]:
    space: dict[str, Any] = {"__name__": "exported"}
    exec(compile(source, "exported.py", "exec"), space)
    return space["extract"]


def fold(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", [*LEARNED, *WRAPPERS])
def test_the_module_extracts_what_the_wrapper_does(name: str) -> None:
    wrapper = replace(wrapper_of(name), known=())  # a module has no classifier
    extract = run_module(export_wrapper(wrapper, ORIGIN, "parsel"))
    for path, page in zip(SITE.pages, PAGES, strict=True):
        expected, found = wrapper.apply(page), extract(SITE.files[path][1].decode())
        text = fold(expected.content.body)
        assert (fold(found["text"]), found["xpath"]) == (text, expected.xpath)


def test_the_module_takes_a_selector_and_does_not_import_forest_scrapy() -> None:
    source = export_wrapper(wrapper_of("news"), ORIGIN, "parsel")
    assert "import forest_scrapy" not in source and "from forest_scrapy" not in source
    assert source.startswith('"""Articles of www.a.example, template 0123456789: learned by')
    selector = Selector(text=SITE.files[SITE.articles[0].path][1].decode())
    assert run_module(source)(selector)["text"]


def test_the_module_folds_white_space_but_that_of_code_and_breaks_lines_at_blocks() -> None:
    extract = run_module(export_wrapper(Wrapper("x", ("//body",)), ORIGIN, "parsel"))
    html = "<body>a <b>b</b>\n c<p>d<br>e<script>no</script><!-- no --> f</p>g<pre>h\n  i</pre>"
    assert extract(html)["text"] == "a b c\nd\ne f\ng\nh\n  i"
    assert extract("") == extract("<p>") == {"text": "", "xpath": ""}


def test_the_module_leaves_out_captions_and_the_numbers_of_the_lines_of_code() -> None:
    extract = run_module(export_wrapper(Wrapper("x", ("//main",)), ORIGIN, "parsel"))
    html = """<main><p>The owl hunts.</p>
        <div class="wp-caption"><img src=a.jpg><p class="wp-caption-text">An owl.</p></div>
        <figure><table><tr><td>Owls<td>2</table><figcaption>Owls by year</figcaption></figure>
        <table><tr><td class=gutter><pre>1\n2</pre><td><pre>def owl():\n\n\treturn 2</pre></table>
        <p>Class <span class=lineno-text>B</span>.</p></main>"""
    lines = extract(html)["text"].split("\n")
    assert lines == [
        "The owl hunts.",
        *("Owls", "2", "Owls by year"),
        *("def owl():", "\treturn 2"),
        "Class B.",
    ]


@pytest.mark.parametrize(
    ("paragraphs", "text"),
    [
        (6, "The owl hunts.\n" * 6),
        (1, "The owl hunts.\nAn owl in May.\nAn owl in June.\nAn owl in July.\n"),
    ],
)
def test_the_module_keeps_the_captions_of_a_story_in_pictures(paragraphs: int, text: str) -> None:
    """As the core does."""
    html = "<p>The owl hunts.</p>" * paragraphs
    for month in ("May", "June", "July"):
        caption = f"<p class=photo-description>An owl in {month}.</p><p class=bildnachweis>Eva"
        html += f"<div><img src=a.jpg>{caption}</div>"
    wrapper = Wrapper("x", ("//main",))
    page = Page.from_html(f"<main>{html}</main>", "http://a.example/1")
    extract = run_module(export_wrapper(wrapper, ORIGIN, "parsel"))
    assert extract(f"<main>{html}</main>")["text"] + "\n" == text
    assert wrapper.apply(page).content.body + "\n" == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>It is <span class='inline-number'>42</span> years old.", "It is 42 years old."),
        ("<b class=timeline-node>1999</b> The harbour.", "1999 The harbour."),
        ("<div class='row gutter-sm'>1999</div>Founded.", "1999\nFounded."),
        ("<img src=a.png><div class=thumb-caption-text>The owls.</div>", "The owls."),
        ("<pre>if owl:\n\u00a0\u00a0return \ue000</pre>", "if owl:\n\u00a0\u00a0return \ue000"),
    ],
)
def test_the_module_keeps_what_only_resembles_captions_and_line_numbers(
    html: str, text: str
) -> None:
    extract = run_module(export_wrapper(Wrapper("x", ("//main",)), ORIGIN, "parsel"))
    assert extract(f"<main>{html}</main>")["text"] == text


@pytest.mark.parametrize("markup", ["<p class=caption>a</p>", "<figcaption>a</figcaption>"])
def test_the_module_takes_linear_time_for_captions(markup: str) -> None:
    extract = run_module(export_wrapper(Wrapper("x", ("//main",)), ORIGIN, "parsel"))
    html = f"<main><figure>{markup * 10_000}</figure></main>"
    with limited_effort(10):
        assert extract(html)["text"].count("a") == 10_000


def test_the_module_has_the_same_lists_of_elements_as_the_core() -> None:
    assert (standalone.INLINE, standalone.IGNORED) == (PHRASING, IGNORED)


def test_the_module_tells_captions_as_the_core_does() -> None:
    patterns = (standalone.CAPTION_CLASS, standalone.NAMED_CAPTION, standalone.CREDIT)
    assert patterns == (markup._CAPTION_CLASS, markup._NAMED_CAPTION, markup._CREDIT)
    limits = (standalone.MAX_NAMED_CAPTION, standalone.MIN_STORY_CAPTIONS)
    assert limits == (markup._MAX_NAMED_CAPTION, content.MIN_STORY_CAPTIONS)


@pytest.mark.parametrize("xpath", ['//p[@class=\'"""\']', '//p[@title="it\'s\\"]', "//p[.='漁']"])
def test_the_module_can_contain_any_expression(xpath: str) -> None:
    wrapper = Wrapper("x", (xpath,), drop=(xpath,))
    space: dict[str, Any] = {"__name__": "exported"}
    exec(export_wrapper(wrapper, Origin('a"""\\', "\n"), "parsel"), space)
    assert (space["KEEP"], space["DROP"]) == ([xpath], [xpath])


def test_a_site_config() -> None:
    wrapper = Wrapper("trained", ("//a | //b", "//c\n"), Evidence(9), "page", ("//d",), "all")
    lines = export_wrapper(wrapper, ORIGIN, "ftr").splitlines()
    assert lines == [
        "# www.a.example, template 0123456789: learned by forest-scrapy (trained) from 9 pages",
        "# A site config of Full-Text RSS: save it as a.example.txt",
        "",
        "body: //a | //b",
        "# body with a line break, which the format cannot contain: '//c\\n'",
        "strip: //d",
        "",
        "# The rules are complete, and count levels in the tree that libxml2 builds.",
        "prune: no",
        "tidy: no",
        "parser: libxml",
        "",
        "test_url: http://www.a.example/1",
    ]


def test_a_site_config_notes_that_it_keeps_all_elements() -> None:
    text = export_wrapper(Wrapper("x", ("//a",)), ORIGIN, "ftr")
    assert "# Of several elements the wrapper keeps the one with the most text" in text


@pytest.mark.parametrize("name", ["news", "journal"])
def test_freshrss_selects_the_elements_that_the_wrapper_keeps(name: str) -> None:
    selectors = choose_selectors(wrapper_of(name))
    pages_with_content = 0
    for page in PAGES:
        selector = Selector(root=page.root, type="html")
        found = [one.root for one in selector.css(", ".join(selectors.keep))]
        assert found == page.root.xpath(wrapper_of(name).xpath)
        pages_with_content += bool(found)
    assert pages_with_content >= 10


def test_freshrss_removes_only_what_its_css_can_select() -> None:
    drops = {
        "//div[@class='share'][count(ancestor::*)=3][not(@id)]": 'div[class="share"]',
        "//div[@id='x'][count(ancestor::*)=2]/p": 'div[id="x"] > p',
        "//div[@id='x'][count(ancestor::*)=2]/p[not(@class)]": "needs :not()",
        "//div[@id='x'][count(ancestor::*)=1]/p": "anchored outside",
        "/html/body/p": "anchored outside",
        "(//*)[24][self::p]": "has no equivalent",
        "//td[@class='nums ']": 'td[class^="nums"][class~="nums"]',
        "//p[@class='a b ']": "has no equivalent",
        "//p[.='a']": "has no equivalent",
    }
    wrapper = Wrapper("x", ("//div[@id='x'][count(ancestor::*)=2]", "//body"), drop=tuple(drops))
    selectors = choose_selectors(wrapper)
    assert selectors.keep == ('html > * > div[id="x"]',)
    assert selectors.remove == tuple(css for css in drops.values() if "[" in css)
    notes = dict(selectors.notes)
    assert "does not try a second one" in notes["//body"]
    assert all(comment in notes[xpath] for xpath, comment in drops.items() if xpath in notes)
    assert len(selectors.notes) == 7


@pytest.mark.parametrize(
    ("xpath", "css"),
    [
        ("//div[@class='a b ']", 'div[class~="a"][class~="b"]'),
        ("//div[@class='mt-[2px] x']", 'div[class~="x"]'),
        (
            "//div[starts-with(concat(translate(normalize-space(@id), '0123456789', ''), ' '),"
            " 'post- ')]",
            'div[id^="post-"]',
        ),
        ("//div[@id='a']/p[not(@class)]", 'div[id="a"] > p'),
    ],
)
def test_freshrss_keeps_a_little_more_if_css_cannot_say_it(xpath: str, css: str) -> None:
    selectors = choose_selectors(Wrapper("x", (xpath,)))
    assert selectors.keep == (css,)
    assert "a little more" in selectors.notes[0][1]


def test_freshrss_notes_what_it_cannot_write() -> None:
    text = export_wrapper(Wrapper("x", ("//p[1]",)), ORIGIN, "freshrss")
    assert re.search(r"# \(none\)\n\n# CSS selector of the elements to remove:\n# \(none\)", text)
    assert "#   //p[1]\n#     has no equivalent" in text


def test_a_wrapper_as_json_is_the_wrapper() -> None:
    text = export_wrapper(wrapper_of("news"), ORIGIN, "json")
    assert Wrapper.loads(text) == wrapper_of("news")


@pytest.mark.parametrize("name", FORMATS)
def test_a_wrapper_without_expressions_is_refused(name: str) -> None:
    described = learn([make_page("<p>a")], Params("description"))
    for wrapper in (Wrapper("x"), described):
        with pytest.raises(NothingToExport, match="has no expression"):
            export_wrapper(wrapper, ORIGIN, name)


def test_ftr_has_the_elements_of_fields() -> None:
    fields = FieldSources(
        title=("json-ld:headline", "//h1"), published=("//time",), authors=("//b",)
    )
    lines = export_wrapper(Wrapper("x", ("//a",), fields=fields), ORIGIN, "ftr").splitlines()
    found = [line for line in lines if line.startswith(("title:", "date:", "author:"))]
    assert found == ["title: //h1", "author: //b", "date: //time"]


def test_the_module_differs_from_articles_as_its_head_says() -> None:
    html = """<main><p>It has decided on the harbour<sup><a id=r href="#n">1</a></sup>, it is old.
        <figure><img src=a.jpg width=600 height=400><figcaption>In May.</figcaption></figure>
        <p>Its energy is <math><mi>E</mi></math>, as it was said by many, often.
        <pre>a = 1\nb = 2</pre><div class=code><pre>c = 3</pre></div>
        <aside><ol><li id=n>A note that is cited. <a href="#r">back</a></ol></aside></main>"""
    wrapper = Wrapper("x", ("//main",), drop=("//aside", "//div[@class='code']"), take="all")
    source = export_wrapper(wrapper, ORIGIN, "parsel")
    head, _, _ = source.removeprefix('"""').partition('"""')
    for word in ("Empty lines of code", "Formulas", "notes that the text"):
        assert word in head

    assert run_module(source)(html)["text"].splitlines() == [
        "It has decided on the harbour1, it is old.",
        "Its energy is",
        ", as it was said by many, often.",
        "a = 1",
        "b = 2",
    ]
    article = wrapper.article(Page.from_html(html, "https://a.example/1"))
    assert article is not None
    assert article.text.splitlines() == [
        "It has decided on the harbour[1], it is old.",
        "Its energy is E, as it was said by many, often.",
        "a = 1",
        "b = 2",
        "c = 3",
        "[1] A note that is cited.",
    ]
