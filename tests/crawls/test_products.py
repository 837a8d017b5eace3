"""Products and listings of a crawl."""

from __future__ import annotations

import pytest

from tests.core.records.shop import LAMPS, crowded_html, list_html, product_html

from .helpers import Project, Server, story


def make_shop(server: Server) -> None:
    """Two pages that list four lamps each; every other lamp declares its values."""
    server.add("/lamps", list_html(LAMPS[:4], "/lamps?page=2"))
    server.add("/lamps?page=2", list_html(LAMPS[4:]))
    for number, lamp in enumerate(LAMPS):
        server.add(f"/p/{lamp.key}", product_html(lamp, declares=number % 2 == 0))


def test_the_products_of_a_list(project: Project, server: Server) -> None:
    make_shop(server)
    run = project.crawl("records", f"url={server.url}/lamps", FOREST_KINDS="product,listing")
    assert (run.status, run.complaints) == (0, [])
    products = [item for item in run.items if "price" in item]
    assert {item["name"]: item["price"] for item in products} == {
        lamp.name: lamp.price for lamp in LAMPS
    }
    assert {item["currency"] for item in products} == {"EUR"}
    lists = sorted((item for item in run.items if "items" in item), key=lambda one: one["url"])
    assert [len(one["items"]) for one in lists] == [4, 4]
    assert lists[0]["next_page"] == lists[1]["url"] == f"{server.url}/lamps?page=2"
    assert (run.stat("articles/product"), run.stat("articles/listing")) == (8, 2)


@pytest.mark.parametrize("kinds", ["product", ""])
def test_only_the_kinds_that_are_wanted(project: Project, server: Server, kinds: str) -> None:
    make_shop(server)
    wanted = {"FOREST_KINDS": kinds} if kinds else {}
    run = project.crawl("records", f"url={server.url}/lamps", **wanted)
    assert (run.status, run.complaints) == (0, [])
    assert len([item for item in run.items if "price" in item]) == len(run.items) == 8


def test_a_warning_if_nothing_that_a_list_names_is_wanted(project: Project, server: Server) -> None:
    make_shop(server)
    run = project.crawl("records", f"url={server.url}/lamps", FOREST_KINDS="thread")
    assert (run.status, run.items) == (0, [])
    (complaint,) = run.complaints
    assert "No item from 8 pages that lists name" in complaint
    assert "FOREST_KINDS=thread,product" in complaint


def test_pages_of_a_bound(project: Project, server: Server) -> None:
    make_shop(server)
    run = project.crawl(
        "records", f"url={server.url}/lamps", "next_pages=1", FOREST_KINDS="product,listing"
    )
    assert "/lamps?page=2" not in server.requests
    assert len([item for item in run.items if "items" in item]) == 1


def test_articles_stay_articles(project: Project, server: Server) -> None:
    for number in range(6):
        server.add(f"/story/{number}", story(number))
    links = "".join(f"<item><link>{server.url}/story/{n}</link></item>" for n in range(6))
    feed = f"<rss version='2.0'><channel>{links}</channel></rss>"
    server.add("/feed", feed, "application/rss+xml")
    run = project.crawl("feeds", f"feeds={server.url}/feed", FOREST_KINDS="article,product,listing")
    assert (run.status, run.complaints) == (0, [])
    assert len(run.items) == 6
    assert all(item["text"] and "published" in item for item in run.items)


def test_a_product_whose_page_looks_like_a_list(project: Project, server: Server) -> None:
    server.add("/p/owl", crowded_html(LAMPS[0]))
    run = project.crawl("records", f"url={server.url}/p/owl", FOREST_KINDS="product")
    assert (run.status, run.complaints) == (0, [])
    assert [(item["name"], item["price"]) for item in run.items] == [
        (LAMPS[0].name, LAMPS[0].price)
    ]
    assert "/p/wren1" not in server.requests


def test_products_of_zyte(project: Project, server: Server) -> None:
    pytest.importorskip("zyte_common_items")
    make_shop(server)
    run = project.crawl(
        "records", f"url={server.url}/p/owl", FOREST_KINDS="product", FOREST_ITEM="zyte"
    )
    assert (run.status, run.complaints) == (0, [])
    assert run.items[0]["brand"]["name"] == "Strix"
    assert run.items[0]["mainImage"]["url"] == f"{server.url}/img/owl.jpg"
