"""The columns of a page by the compiled module, and the same in Python."""

from gzip import decompress
from itertools import islice
from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from forest_scrapy.core.encoding import decode_html
from forest_scrapy.core.page import columns
from forest_scrapy.core.page.columns import (
    count_alike,
    find_marked,
    find_markup_names,
    find_with_attributes,
    inherit_in_python,
    inherit_nearest,
    inherit_outermost,
    read_columns,
    read_line_pieces,
    read_long_texts,
    read_steps,
    walk_alike,
    walk_columns,
    walk_line_pieces,
    walk_long_texts,
    walk_marked,
    walk_markup_names,
    walk_steps,
    walk_with_attributes,
)
from forest_scrapy.core.page.tree import body_of, parse_html

SITES = Path(__file__).parents[4] / "shared/bench/feeds-dev"
needs_native = pytest.mark.skipif(not columns.IS_NATIVE, reason="nothing was compiled here")


def assert_alike(root, most=inf):
    """Both ways give the same columns, also without some of the elements."""
    body = body_of(root)
    for without in (frozenset(), frozenset(list(body.iter("*"))[1::7])):
        own, walked = (read(body, 3, 1, without, most) for read in (read_columns, walk_columns))
        assert [list(one) if isinstance(one, tuple | list) else one for one in own] == [
            list(one) if isinstance(one, tuple | list) else one for one in walked
        ]
    assert read_steps(body) == walk_steps(body)
    assert find_marked(body) == walk_marked(body)
    assert find_markup_names(body, {"class"}) == walk_markup_names(body, {"class"})
    for wanted in ({"class"}, {"id", "hidden", "type"}):
        elements = find_with_attributes(body, wanted.__contains__)
        assert elements == walk_with_attributes(body, wanted.__contains__)
    for ignored in ({"b", "p"}, {body.tag}):
        pieces = read_line_pieces(body, {"a", "span"}, ignored)
        assert "".join(pieces) == "".join(walk_line_pieces(body, {"a", "span"}, ignored))
    for element in islice(body.iter("*"), 100):
        assert count_alike(element) == walk_alike(element)
    for least in (0, 2, 10):
        long_texts = read_long_texts(body, {"a", "script"}, least)
        assert long_texts == walk_long_texts(body, {"a", "script"}, least)


@needs_native
@given(st.lists(st.tuples(st.integers(0, 99), st.integers(-1, 5)), max_size=30))
def test_values_are_inherited_alike_in_both_ways(rows):
    parents = np.array([above % row if row else -1 for row, (above, _) in enumerate(rows)], np.intp)
    values = np.array([value for _, value in rows], np.intp)
    nearest = inherit_in_python(parents, values, is_outermost=False)
    outermost = inherit_in_python(parents, values, is_outermost=True)
    assert inherit_nearest(parents, values).tolist() == nearest.tolist()
    assert inherit_outermost(parents, values).tolist() == outermost.tolist()


_TAGS = "div p a span b script ul li form input br o:p noscript svg table td h1 article".split()
_ATTRIBUTES = st.sampled_from(
    ["", " class='lead big'", " id=x7 role=dialog", " hidden", " aria-hidden=true", " class=''",
     " style='display: none'", " class=cookie-bar", " itemprop=author", " type=password",
     " id='onsent&amp;x'", " style='overflow: hidden' class=\"caf\u00e9 &eacute;\""]
)  # fmt: skip
_TEXTS = st.sampled_from(
    ["", " ", "one", " two ", "\u2003", "&nbsp;", "f\u00fcnf \U0001f98a", "<!--c-->"]
)


@st.composite
def markup(draw):
    pieces = []
    for _ in range(draw(st.integers(0, 25))):
        tag, kind = draw(st.sampled_from(_TAGS)), draw(st.integers(0, 2))
        start = f"<{tag}{draw(_ATTRIBUTES)}>" if kind < 2 else f"</{tag}>"
        pieces += [start, draw(_TEXTS), f"</{tag}>" if kind == 0 else ""]
    return "".join(pieces)


@needs_native
@given(markup(), st.sampled_from([inf, 3, 7.5]))
def test_any_markup_gives_the_same_columns_in_both_ways(text, most):
    assert_alike(parse_html(text), most)


@needs_native
@pytest.mark.parametrize(
    "root",
    [
        etree.fromstring("<a:b xmlns:a='u'><body a:class='a' class='b'>x<a:p/>y</body></a:b>"),
        etree.fromstring("<body>a<![CDATA[b]]>c<?pi d?>e<!--f-->g<p>h<![CDATA[ ]]></p></body>"),
        etree.fromstring("<!DOCTYPE b [<!ENTITY e 'z'>]><b>x&e;y<i class='&e;q'/></b>",
                         etree.XMLParser(resolve_entities=False)),
        html.fromstring("<div><p>a"),
        html.fromstring("<div>" * 3000 + "deep"),
        parse_html(""),
    ],
)  # fmt: skip
def test_trees_of_other_kinds_give_the_same_columns_in_both_ways(root):
    assert_alike(root)


@needs_native
def test_only_the_first_marked_elements_of_a_kind_are_found():
    root = parse_html("<p hidden>" * 1001 + "<p role=dialog hidden><i style='x: none' id=Cookie>")
    found = find_marked(root)
    assert found == walk_marked(root)
    assert len(found) == 1002


@needs_native
@pytest.mark.skipif(not SITES.exists(), reason="needs recorded pages")
@pytest.mark.parametrize("most", [60, pytest.param(2000, marks=pytest.mark.slow)])
def test_recorded_pages_give_the_same_columns_in_both_ways(most):
    files = sorted((SITES / "html").rglob("*.*"))
    assert files
    for file in islice(files, most):
        data = file.read_bytes()
        assert_alike(parse_html(decode_html(decompress(data) if file.suffix == ".gz" else data)))


def test_another_version_of_lxml_is_not_read_by_the_compiled_module(monkeypatch, caplog):
    caplog.set_level("INFO")
    if columns._native is None:
        pytest.skip("nothing was compiled here")
    monkeypatch.setattr(columns._native, "COMPILED_FOR", "1.0")
    assert not columns._is_usable()
    assert "compiled for lxml 1.0" in caplog.text
