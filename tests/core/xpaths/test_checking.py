"""XPaths that would fail on a page, or find no elements, are named before they meet one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import BadRules, Wrapper
from forest_scrapy.core.fields import FieldSources
from forest_scrapy.core.page.tree import find_elements, parse_html
from forest_scrapy.core.xpaths.checking import check_xpaths, find_problem, select_elements

GOOD = [
    "//p",
    "//a[. = '$5']",
    '//a["$x"]',
    "//p[position() < 3] | //b",
    "//*[name()='o:p'][not(@class or @id or @itemprop or @role)]",
    "(//*)[24][self::p][count(ancestor::*)=7]",
    "//div[starts-with(concat(translate(normalize-space(@class), '0123', ''), ' '), 'x ')]/p",
    "//div[has-class('a')]",
    "//div[* or and]/or/and[div mod 2 > * * 3]",
    "//text | //comment/div",
    "//p[text() = 'a' and processing-instruction('x')]/..",
    "//p[@xml:lang]/following-sibling::node()[1]",
    "id('a')/p[lang('en')]",
    "((//p | //b)[1] | //i[not(.//comment())])[last()]",
    "/html/body/*[- 1 < count(*)]/attribute",
    "//div[.//p[.//a]][not(preceding::p[ancestor::nav])]",
    "//a[contains(., ')') or @x=\"[,\"]",
]


@pytest.mark.parametrize("xpath", GOOD)
def test_xpaths_for_elements(xpath: str) -> None:
    check_xpaths("keep", [xpath])


@pytest.mark.parametrize(
    ("xpath", "why"),
    [
        ("//p[", "is not an XPath"),
        ("", "is not an XPath"),
        ("//p\0", "is not an XPath"),
        ("//p[$n]", "needs a variable"),
        ("//p" * 4_000, "an XPath of 12000 characters is too long"),
        ("//o:p", "evaluated: //o:p: Undefined namespace prefix"),
        ("//q[//o:p]", "evaluated: //o:p: Undefined namespace prefix"),
        ("//q[re:test(., 'a')]", "re:test(., 'a')"),
        ("document('file:///etc/passwd')", "Unregistered function"),
        ("//q[document('file:///etc/passwd')]", "Unregistered function"),
        ("//q[unparsed-text('/etc/passwd')]", "Unregistered function"),
        ("//p[true() or foo()]", "evaluated: foo()"),
        ("//p[false() and (1 or foo())]", "evaluated: foo()"),
        ("//q[concat(., (//q[foo()]))]", "evaluated: foo()"),
        ("//q[count('a')]", "Invalid type"),
        ("//p[@x or 'a' | 'b']", "Invalid type"),
        ("//q['a'[1]]", "Invalid type"),
        ("//q[concat('a')]", "Invalid number of arguments"),
        ("//q[has-class()]", "at least 1 argument"),
        ("//p[text()[has-class('b')]]", "Unknown node type"),
        ("count(//p)", "gives a number, not elements"),
        ("string(//p)", "gives a text, not elements"),
        ("//p = 'a'", "gives true or false, not elements"),
        ("//p or //b", "gives true or false, not elements"),
        ("//q/@class", "attributes, texts or other nodes"),
        ("//q/attribute::x", "attributes, texts or other nodes"),
        ("//q | //q/text()", "attributes, texts or other nodes"),
        ("(//q/@id)[1]", "attributes, texts or other nodes"),
        ("//q/self::comment()", "attributes, texts or other nodes"),
        ("//namespace::*", "attributes, texts or other nodes"),
        ("/", "attributes, texts or other nodes"),
        ("//*[.//*[.//*[.//*]]]", "more than 2 searches inside each other"),
        ("//p[count(../p[count(../p[count(../p) > 1]) > 1]) > 1]", "more than 2 searches"),
        (
            "//p[preceding-sibling::p[count(following-sibling::p) > 1]]",
            "a search of siblings inside",
        ),
        ("(" * 4_000 + "//p" + ")" * 4_000, "is not an XPath"),
    ],
)
def test_what_is_wrong_is_said(xpath: str, why: str) -> None:
    with pytest.raises(BadRules) as raised:
        check_xpaths("keep", ["//p", xpath])
    assert str(raised.value).startswith("keep: ")
    assert why in str(raised.value)


_PARTS = "//p //q . .. @a a b:c * | / // [ ] ( ) or and = < + - , 'a' 1 count( text() foo() ::"
#: A page on which every part is evaluated for some element.
_PAGE = parse_html("<div a=1><p a=b>a<q><a>1<p>a</a></q><a><q a=a>b</q></a></div>")


@given(st.lists(st.sampled_from(_PARTS.split()), max_size=12).map(" ".join))
def test_what_is_good_can_be_evaluated(xpath: str) -> None:
    if not find_problem(xpath):
        assert find_elements(xpath, _PAGE) is not None


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        (FieldSources(title=("//h1[re:test(., 'a')]",)), "fields.title"),
        (FieldSources(published=("html:time[document('x')]",)), "fields.published"),
        (FieldSources(authors=("//a/@rel",)), "fields.authors"),
    ],
)
def test_the_sources_of_fields_are_checked(fields: FieldSources, name: str) -> None:
    with pytest.raises(BadRules, match=f"^{name}: "):
        Wrapper("forest", ("//p",), fields=fields).check()


@pytest.mark.parametrize("xpath", ["//p[.='\x01']", "//p[re:test(., 'a')]", "//p["])
def test_what_cannot_be_evaluated_names_the_expression(xpath: str) -> None:
    with pytest.raises(BadRules, match=r"^//p\["):
        select_elements(xpath, _PAGE)
