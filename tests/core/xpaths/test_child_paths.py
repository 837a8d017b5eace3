"""Expressions in the forms that are learned find what libxml2 finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.page.columns import IS_NATIVE
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import find_elements, parse_html
from forest_scrapy.core.xpaths.anchored import anchored_paths, anchored_xpath
from forest_scrapy.core.xpaths.checking import select_elements
from forest_scrapy.core.xpaths.child_paths import MAX_PATHS, read_child_paths

TAGS = ("div", "p", "ul", "li", "o:p")
NAMES = ("class", "id", "itemprop", "role")
VALUES = ("a", "post-12 b", "post-7", " post-12\n b ", "", " ", "7", "é a", "A", "it's")

values = st.sampled_from(VALUES)
attributes = st.dictionaries(st.sampled_from(NAMES), values, max_size=2)
leaves = st.tuples(st.sampled_from(TAGS), attributes, st.just(()))
trees = st.recursive(
    leaves,
    lambda inner: st.tuples(st.sampled_from(TAGS), attributes, st.lists(inner, max_size=4)),
    max_leaves=12,
)


def write_html(tree):
    tag, named, inner = tree
    written = "".join(f' {name}="{value}"' for name, value in named.items())
    return f"<{tag}{written}>x{''.join(map(write_html, inner))}</{tag}>"


literals = st.sampled_from(
    [f"'{value}'" for value in VALUES if value.isprintable() and "'" not in value] + ['"it\'s"']
)
names = st.sampled_from([f"@{name}" for name in NAMES])
missing = st.one_of(names, names.map("normalize-space({})".format))
predicates = st.one_of(
    st.builds("[{}={}]".format, names, literals),
    st.builds("[starts-with(concat(normalize-space({}), ' '), {})]".format, names, literals),
    st.builds(
        "[starts-with(concat(translate(normalize-space({}), '0123456789', ''), ' '), {})]".format,
        names,
        st.sampled_from(["'post- '", "'a '", "' '", "''", "'post-12 '"]),
    ),
    st.integers(0, 5).map("[count(ancestor::*)={}]".format),
    st.lists(missing, min_size=1, max_size=3).map(lambda parts: f"[not({' or '.join(parts)})]"),
)
steps = st.builds(
    "{}{}".format,
    st.sampled_from(("div", "p", "ul", "li", "body", "html")),
    st.lists(predicates, max_size=2).map("".join),
)
paths = st.builds(
    "{}{}".format,
    st.sampled_from(("/", "//")),
    st.lists(steps, min_size=1, max_size=3).map("/".join),
)
expressions = st.lists(paths, min_size=1, max_size=3).map(" | ".join)


@pytest.mark.skipif(not IS_NATIVE, reason="the package was installed without a compiler")
@given(st.lists(trees, max_size=3), expressions)
def test_compiled_code_finds_what_libxml2_finds(page_trees, xpath):
    root = parse_html("".join(map(write_html, page_trees)))
    assert read_child_paths(xpath) is not None
    assert select_elements(xpath, root) == find_elements(xpath, root)


@given(st.lists(trees, min_size=1, max_size=3))
def test_learned_expressions_are_in_these_forms(page_trees):
    page = Page.from_html("".join(map(write_html, page_trees)))
    outline = page.outline
    for node, path in zip(outline.nodes, anchored_paths(outline), strict=True):
        xpath = anchored_xpath(path, [node.element])
        is_odd = "name()" in xpath or not xpath.isprintable()
        assert (read_child_paths(xpath) is None) == is_odd
        assert select_elements(xpath, page.root) == find_elements(xpath, page.root)


@pytest.mark.parametrize(
    "xpath",
    [
        "//p[2]",
        "//p//a",
        "(//p)[1]",
        "//*[@class]",
        "p",
        "//p[@class='a'] |//div",
        "//p[@class=concat('a', \"'\")]",
        "//p[@class='\x01']",
        "//p[@class='a'",
        "//p[not(@class or 1)]",
        "//@class",
        "//p | ",
        "",
    ],
)
def test_other_forms_are_left_to_libxml2(xpath):
    assert read_child_paths(xpath) is None


def test_too_many_paths_are_left_to_libxml2():
    assert read_child_paths(" | ".join(["//p"] * MAX_PATHS)) is not None
    assert read_child_paths(" | ".join(["//p"] * (MAX_PATHS + 1))) is None


def test_an_element_outside_of_the_document_is_left_to_libxml2():
    root = parse_html("<div><p>a</p></div>")
    paragraph = root.find(".//p")
    paragraph.getparent().remove(paragraph)
    assert select_elements("//p", paragraph) == find_elements("//p", paragraph)
