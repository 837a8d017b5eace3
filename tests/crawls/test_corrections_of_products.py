"""What a person does about the products of a crawl: looks at the rules, corrects and exports
them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.core.records.shop import LAMPS, product_html

from .helpers import Project, Server
from .test_products_day_after_day import add_shop, crawl_shop, kinds_of

HOST = "127.0.0.1"


@pytest.fixture
def shop(project: Project, server: Server) -> Project:
    """A project that has crawled a shop whose products declare nothing."""
    add_shop(server, declares=False)
    crawl_shop(project, server)
    return project


def edit_rules(project: Project, **places: list[str]) -> str:
    """The name of the file with the exported rules, in which these places of values are others."""
    assert project.forest("export", HOST, "--format", "json", "-o", "rules.json") == ""
    file = project.folder / "rules.json"
    edit: dict[str, Any] = json.loads(file.read_text("utf-8"))
    edit["rules"]["records"]["product"] |= places
    file.write_text(json.dumps(edit), "utf-8")
    return file.name


def test_a_wrong_name_is_corrected(shop: Project, server: Server) -> None:
    file = edit_rules(shop, name=["//a[@class='brand']"])
    dry = shop.forest("import", file, "--dry-run")
    assert f"name: '{LAMPS[0].name}' is now '{LAMPS[0].brand}'" in dry
    assert "8 pages: the items of 8 change" in dry and "nothing was stored" in dry
    assert crawl_shop(shop, server).items == []

    stored = shop.forest("import", file)
    assert "stored as the rules of template" in stored
    corrected = crawl_shop(shop, server)
    assert {item["name"] for item in corrected.items} == {lamp.brand for lamp in LAMPS}
    assert set(kinds_of(corrected).values()) == {"wrapper"}
    assert crawl_shop(shop, server).items == []

    assert "what a crawl has learned" in shop.forest("undo", HOST)
    undone = crawl_shop(shop, server)
    assert {item["name"] for item in undone.items} == {lamp.name for lamp in LAMPS}
    assert set(kinds_of(undone).values()) == {"wrapper"}


def test_rules_of_listings_are_exported_and_imported(project: Project, server: Server) -> None:
    add_shop(server)
    server.add("/lamps?page=2", server.answers["/lamps"].body)
    urls = f"{server.url}/lamps,{server.url}/lamps?page=2"
    run = project.crawl("records", f"url={urls}", FOREST_KINDS="listing")
    assert len(run.items) == 2
    assert "--format web-poet" not in project.forest("export", HOST, "--format", "ftr")
    assert project.forest("export", HOST, "--format", "json", "-o", "rules.json") == ""
    assert "2 pages: the items of 0 change" in project.forest("import", "rules.json")


def test_the_wrapper_of_an_article_for_a_template_of_products(shop: Project) -> None:
    edit = json.loads((shop.folder / edit_rules(shop)).read_text("utf-8"))
    wrapper = {"format": 3, "method": "trained", "keep": ["//p"]}
    (shop.folder / "edit.json").write_text(
        json.dumps({"host": HOST, "template": edit["template"], "wrapper": wrapper}), "utf-8"
    )
    message = shop.forest("import", "edit.json")
    assert "is one of products" in message
    assert f"export {HOST} --template {edit['template']} --format json" in message


@pytest.mark.parametrize("name", ["", "parsel", "ftr", "freshrss", "opml"])
def test_formats_that_are_of_articles(name: str, shop: Project) -> None:
    message = shop.forest("export", HOST, *(["--format", name] if name else []))
    assert "is one of products" in message
    assert "--format web-poet writes a page object, --format json writes the rules" in message


def test_a_report_of_products_names_what_shows_their_rules(shop: Project) -> None:
    for arguments in (["report", HOST], ["report"], ["edit", HOST]):
        message = shop.forest(*arguments)
        assert "is one of products, which a report does not show: scrapy forest show" in message
        assert "Open http" not in message


def test_the_report_of_a_crawl_does_not_rate_products(project: Project, server: Server) -> None:
    add_shop(server, declares=False)
    crawl_shop(project, server, FOREST_REPORT="report")
    server.add(f"/p/{LAMPS[0].key}", product_html(replace(LAMPS[0], shown="9,00 €")))
    crawl_shop(project, server, FOREST_REPORT="report")
    index = (project.folder / "report/index.html").read_text("utf-8")
    assert "is one of products, which a report does not show: scrapy forest show" in index
    assert "<b>0</b> of them fit badly" in index
    changed = index.partition("Changed articles")[2].partition("</table>")[0]
    assert f"{server.url}/p/{LAMPS[0].key}" in changed
    assert "<del>1299.00</del> <ins>9.00</ins>" in changed


def test_pages_without_a_url_for_the_tests_of_a_page_object(shop: Project, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for lamp in LAMPS:
        (pages / f"{lamp.key}.html").write_text(product_html(lamp), "utf-8")
    output = ["--format", "web-poet", "-o", "poet/", "--pages", str(pages)]
    message = shop.forest("export", HOST, *output)
    assert "with tests of 8 pages" in message
    assert "not a file" not in message
