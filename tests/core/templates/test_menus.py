"""Pages of a site by the links that they share."""

from __future__ import annotations

import random

from forest_scrapy.core import Page
from forest_scrapy.core.templates.menus import group_by_menu, read_menu

from ..helpers import demo_pages


def page(menu: str, *texts: str) -> Page:
    links = "".join(f"<li class=item><a href={text}>{text}</a></li>" for text in menu.split())
    return Page.from_html(f"<ul class=menu>{links}</ul>{''.join(texts)}", "1.html")


def test_a_menu_is_its_short_links_and_their_places() -> None:
    one, other = page("Home News About"), page("Home News About", "<p>Owls")
    assert read_menu(one) == read_menu(other)
    assert len(read_menu(one)) == 3
    elsewhere = Page.from_html("<p><a>Home</a> <a>News</a> <a>About</a>", "1.html")
    assert set(read_menu(elsewhere)).isdisjoint(read_menu(one))
    long = page("Home", f"<li class=item><a href=x>{'Owls ' * 9}</a></li>", "<a></a>")
    assert len(read_menu(long)) == 1


def test_of_many_links_those_with_the_lowest_hashes_are_kept() -> None:
    """So that pages keep the same ones of those that they share."""
    names = [f"n{i}" for i in range(200)]
    first, second = read_menu(page(" ".join(names))), read_menu(page(" ".join([*names, "more"])))
    assert len(first) == len(second) == 64
    assert len(set(first) & set(second)) >= 63


def test_pages_that_share_half_of_the_links_are_of_one_site() -> None:
    assert group_by_menu([(1, 2, 3, 4, 5, 6), (1, 2, 3, 7, 8, 9)]) == [0, 0]
    assert group_by_menu([(1, 2, 3, 4, 5, 6, 7, 8), (1, 2, 3, *range(11, 16))]) == [0, 1]
    assert group_by_menu([(1, 2), (1, 2)]) == [0, 1]
    chain = [(1, 2, 3, 4), (11, 12, 13, 14), (3, 4, 11, 1, 12, 13)]
    assert group_by_menu(chain) == [0, 0, 0]


def test_sites_do_not_depend_on_the_order() -> None:
    chance = random.Random(1)
    sites = [chance.sample(range(i * 100, i * 100 + 8), 6) for i in range(20) for _ in range(9)]
    menus = [tuple(sorted(one)) for one in sites]
    for _ in range(5):
        order = chance.sample(range(len(menus)), len(menus))
        found = group_by_menu([menus[i] for i in order])
        pairs = {(menus[i][0] // 100, group) for i, group in zip(order, found, strict=True)}
        assert len(pairs) == 20


def test_the_pages_of_the_demo_site_are_of_one_site() -> None:
    pages = demo_pages("news") + demo_pages("journal")
    menus = [read_menu(page) for page in pages]
    assert len(set(group_by_menu(menus))) == 1
