from __future__ import annotations

import gc
from collections.abc import Sequence

import pytest
from effort import limited_effort

from forest_scrapy.core import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.xpaths.anchored import (
    AnchoredPath,
    TreePath,
    _SeenPaths,
    anchored_paths,
    anchored_xpath,
    element_path,
    find_text_path,
    write_anchored_path,
)
from forest_scrapy.core.xpaths.structural import Pattern

from ..helpers import demo_pages, make_page


def write(path: AnchoredPath, pages: Sequence[Page]) -> str:
    """The expression for an anchored path of these pages."""
    nodes = [
        (node, found)
        for page in pages
        for node, found in zip(page.outline.nodes, anchored_paths(page.outline), strict=True)
    ]
    return anchored_xpath(path, [node.element for node, found in nodes if found == path])


def missed(pages: Sequence[Page]) -> list[tuple[str, str]]:
    """Nodes that the expression for their own path does not select."""
    found = []
    for page in pages:
        for node, path in zip(page.outline.nodes, anchored_paths(page.outline), strict=True):
            xpath = write(path, pages)
            if node.element not in page.root.xpath(xpath):
                found.append((str(node.element.tag), xpath))
    return found


@pytest.mark.parametrize("section", ["news", "journal"])
def test_expressions_select_their_own_elements(section: str) -> None:
    assert missed(demo_pages(section)[:2]) == []


@pytest.mark.parametrize("section", ["news", "journal"])
def test_expressions_select_nothing_else(section: str) -> None:
    page = demo_pages(section)[0]
    paths = anchored_paths(page.outline)
    path_of = {node.element: p for node, p in zip(page.outline.nodes, paths, strict=True)}
    for path in set(paths):
        found = page.root.xpath(write(path, [page]))
        assert {path_of[element] for element in found if element in path_of} == {path}


def test_paths_of_a_small_page() -> None:
    page = make_page("<div id=main><ul><li class=x-1>a<p>b</ul></div><p>c")
    main, item = Pattern("div", (("id", "main"),), 2), Pattern("li", (("class", "x-"),), 4)
    assert anchored_paths(page.outline) == [
        AnchoredPath(None, ("body",)),
        AnchoredPath(main, ()),
        AnchoredPath(main, ("ul",)),
        AnchoredPath(item, ()),
        AnchoredPath(item, ("p",)),
        AnchoredPath(None, ("body", "p")),
    ]


@pytest.mark.parametrize(
    "attribute", ["class=aside", "id=aside", "itemprop=name", "role=note", "class=a role=b"]
)
def test_elements_with_more_attributes_are_not_selected(attribute: str) -> None:
    page = make_page(f"<div class=story><p>text</p><p {attribute}>aside</p></div><p>end</p>")
    path = anchored_paths(page.outline)[2]
    assert path.tags == ("p",)
    assert [e.text for e in page.root.xpath(write(path, [page]))] == ["text"]


def test_an_anchor_with_more_attributes_is_not_selected() -> None:
    page = make_page("<div class=story>text</div><div class=story id=related>more</div>")
    found = page.root.xpath(write(anchored_paths(page.outline)[1], [page]))
    assert [element.text for element in found] == ["text"]


def test_a_path_without_attributes() -> None:
    page = make_page("<div><p>one</p></div><div id=x><p>two</p></div><div><p>three</p></div>")
    found = page.root.xpath(write(AnchoredPath(None, ("body", "div", "p")), [page]))
    assert "one" in [element.text for element in found]


@pytest.mark.parametrize(
    "body",
    [
        "<o:p>name</o:p>",
        '<div class="it\'s">quote<p>a</div>',
        "<div class='post-1 a'><p>a</div><div class='post-2 b'><p>a</div>",
        "<section><article><h2>a</h2></article></section>",
        "<div data-x=1><p title=a>other attributes</div>",
    ],
)
def test_unusual_pages(body: str) -> None:
    assert missed([make_page(body)]) == []


@pytest.mark.parametrize(
    "body",
    [
        '<div class="" id=main><p>text</div>',
        '<div id=main><p class="">text</div>',
        '<p id="7">text',
        '<div id=main class="2024 wide"><p>text</div>',
    ],
)
def test_attributes_without_a_tolerant_form(body: str) -> None:
    assert missed([make_page(body)]) == []


def test_a_page_without_body() -> None:
    html = "<html><frameset><noframes><p>text</p></noframes></frameset></html>"
    assert missed([Page.from_html(html)]) == []


@pytest.mark.parametrize("section", ["news", "journal"])
def test_the_path_of_one_node_is_that_among_all(section: str) -> None:
    for page in demo_pages(section)[:3]:
        paths = anchored_paths(page.outline)
        written = [element_path(node.element, {}, {}) for node in page.outline.nodes]
        assert written == list(map(write_anchored_path, paths))
        known: dict[Element, str] = {}
        levels: dict[Element, int] = {}
        again = [element_path(node.element, known, levels) for node in page.outline.nodes]
        assert again == written
        assert len({write_anchored_path(path) for path in paths}) == len(set(paths))


def test_the_text_path_has_the_largest_share_of_text() -> None:
    """All pages count the same: p has less text than li in all, but a larger mean share."""
    bodies = ("<p>abcdefgh</p><ul><li>ij</ul>", f"<p>{'a' * 45}</p><ul><li>{'b' * 55}</ul>")
    path = find_text_path([make_page(body).outline for body in bodies])
    assert path == AnchoredPath(None, ("body", "p"))
    assert find_text_path([make_page("").outline]) is None


def test_a_blank_class_counts_as_missing() -> None:
    page = make_page(
        "<div id=a><div>one</div><div class=''>two</div><div class=x>three</div></div>"
    )
    paths = dict(zip(anchored_paths(page.outline), page.outline.nodes, strict=True))
    (path,) = (path for path in paths if path.tags == ("div",))
    found = page.root.xpath(write(path, [page]))
    assert [element.text for element in found] == ["one", "two"]


def test_paths_of_deep_elements_take_no_time() -> None:
    page = make_page("<div>" * 1900 + "<p>text</p>" * 4000)
    with limited_effort(2):
        known: dict[Element, str] = {}
        levels: dict[Element, int] = {}
        elements = page.root.iter("p")
        paths = {element_path(element, known, levels) for element in elements}
    assert len(paths) == 1


@pytest.mark.slow
def test_forgotten_paths_are_released_without_garbage_collection() -> None:
    def count() -> int:
        return sum(isinstance(one, TreePath) for one in gc.get_objects())

    outline = make_page("<div id=a><p>one<p><b>two</b></div>").outline
    gc.collect()
    gc.disable()
    try:
        before, known = count(), _SeenPaths()
        paths = known.read(outline)
        assert count() == before + 4
        tags = [path.anchored.tags for path in paths]
        known.forget()
        assert [path.anchored.tags for path in paths] == tags
        del known, paths
        assert count() == before
    finally:
        gc.enable()
