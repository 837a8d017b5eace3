"""The page object of web-poet: the text of the wrapper, and tests that pass without the package."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from forest_scrapy.commands.page_objects import write_page_folder
from forest_scrapy.commands.stored import Export
from forest_scrapy.core.exports import Origin, export_wrapper
from forest_scrapy.core.exports.page_object import page_name
from forest_scrapy.core.fields import FieldSources
from forest_scrapy.core.wrapper import Wrapper

from .test_exports import PAGES, SITE, fold, run_module, wrapper_of

web_poet = pytest.importorskip("web_poet")
pytest.importorskip("zyte_common_items")
pytest.importorskip("time_machine")


def items_of(name: str) -> list[tuple[Any, Any]]:
    """The items of the page object, each with the article of the wrapper."""
    wrapper = wrapper_of(name)
    origin = Origin(f"{name}.example")  # web-poet warns of two page objects of one host
    space: dict[str, Any] = {"__name__": "exported"}
    exec(compile(export_wrapper(wrapper, origin, "web-poet"), "exported.py", "exec"), space)
    items = []
    for page in PAGES:
        article = wrapper.article(page)
        if article is None:
            continue
        body = SITE.files["/" + page.url.split("/", 3)[3]][1]
        response = web_poet.HttpResponse(page.url, body=body, encoding="utf-8")
        items.append((asyncio.run(space[page_name(origin.host)](response).to_item()), article))
    return items


@pytest.mark.parametrize("name", ["news", "journal"])
def test_items_are_those_of_the_wrapper(name: str) -> None:
    extract = run_module(export_wrapper(wrapper_of(name), Origin("a.example"), "parsel"))
    items = items_of(name)
    assert len(items) >= 10
    assert any(item.datePublished for item, _ in items)
    for item, article in items:
        html = SITE.files["/" + article.url.split("/", 3)[3]][1].decode()
        text = extract(html)["text"]
        assert item.articleBody and set(item.articleBody.split("\n")) <= set(text.split("\n"))
        assert len(item.articleBody) > 0.9 * len(article.text)
        assert fold(item.headline) == article.title
        assert item.datePublished is None or item.datePublished[:10] == article.published[:10]
        assert item.url == article.url


def test_a_page_with_an_xml_declaration_is_read_as_html() -> None:
    origin = Origin("xhtml.example")
    space: dict[str, Any] = {"__name__": "exported"}
    exec(export_wrapper(Wrapper("x", ("//main",)), origin, "web-poet"), space)
    html = """<?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "">
        <html xmlns="http://www.w3.org/1999/xhtml"><body><main>The owl.</main></body></html>"""
    response = web_poet.HttpResponse("https://xhtml.example/1", body=html.encode())
    item = asyncio.run(space[page_name(origin.host)](response).to_item())
    assert item.articleBody == "The owl."


def test_dates_that_attributes_have() -> None:
    wrapper = Wrapper("x", ("//main",), fields=FieldSources(published=("//*[@class='on']",)))
    origin = Origin("dates.example")
    space: dict[str, Any] = {"__name__": "exported"}
    exec(export_wrapper(wrapper, origin, "web-poet"), space)
    date = "2012-10-18T21:50:00"
    for markup in (
        f"<abbr class=on title={date}>18 October</abbr>",
        f"<p class=on>On <time datetime={date}>18 October</time>",
        f"<p class=on><span data-date='{date}'>3 days ago</span>",
        f"<p class=on> {date}",
    ):
        html = f"<body>{markup}</body><main>The owl.</main>"
        response = web_poet.HttpResponse("https://dates.example/1", body=html.encode())
        item = asyncio.run(space[page_name(origin.host)](response).to_item())
        assert item.datePublished == date


@pytest.mark.slow
def test_its_tests_pass_where_forest_scrapy_cannot_be_imported(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for number, page in enumerate(PAGES):
        body = SITE.files["/" + page.url.split("/", 3)[3]][1]
        (pages / f"{number:02}.html").write_bytes(body)
    files = [str(path) for path in sorted(pages.iterdir())]
    folder = tmp_path / "poet"
    origin = Origin("tests.example")
    source = export_wrapper(wrapper_of("news"), origin, "web-poet")
    action = Export(Settings())
    options = Namespace(output=f"{folder}/", pages=files)
    summary = write_page_folder(source, origin.host, options, action)
    assert action.errors == [] and "with tests of 1" in summary

    absent = tmp_path / "absent"
    absent.mkdir()
    (absent / "forest_scrapy.py").write_text("raise ImportError('it is not installed')\n", "utf-8")
    done = run_tests(folder, absent)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    # Another page object fails.
    [module] = folder.glob("*page.py")
    source = module.read_text("utf-8").replace("DROP: list[str] = [", "DROP: list[str] = ['//p',")
    module.write_text(source, "utf-8")
    assert run_tests(folder, absent).returncode != 0


def run_tests(folder: Path, absent: Path) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder; modules in ``absent`` come before those that are installed."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(absent)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
