"""How much of the package is loaded: by the add-on, and by a crawl of articles."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from demo import DemoServer

#: Modules and packages of ``forest_scrapy`` that the add-on loads, which all commands of Scrapy do.
MAX_OF_ADD_ON = 20
#: Those that a crawl has loaded before its first page.
MAX_BEFORE_PAGES = 108
#: Those that a crawl of a feed with articles has loaded at its end, with its health digest.
MAX_OF_CRAWL = 218
_CRAWL = """
import sys
from scrapy.crawler import AsyncCrawlerProcess

settings = {
    "ADDONS": {"forest_scrapy.Addon": 500},
    "FEEDS": {"articles.jsonl": {"format": "jsonlines"}},
    "LOG_LEVEL": "ERROR",
    "SPIDER_MODULES": ["forest_scrapy.spiders"],
}
process = AsyncCrawlerProcess(settings)
process.crawl("feeds", feeds=sys.argv[1])
process.start()
print(*sys.modules)
"""


def loaded_modules(program: str, *arguments: str, folder: Path | None = None) -> list[str]:
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def of_package(modules: list[str]) -> list[str]:
    return [name for name in modules if name.partition(".")[0] == "forest_scrapy"]


def test_the_add_on_loads_little() -> None:
    loaded = loaded_modules("import sys, forest_scrapy.addon; print(*sys.modules)")
    assert len(of_package(loaded)) <= MAX_OF_ADD_ON
    assert {"numpy", "msgspec"}.isdisjoint(loaded)


def test_what_reads_pages_is_loaded_with_the_first_page() -> None:
    """A project's own spiders may have no articles, and the first request is sent sooner."""
    modules = (
        "forest_scrapy.addon",
        "forest_scrapy.crawl.article_pipeline",
        "forest_scrapy.crawl.item_processor",
        "forest_scrapy.crawl.middlewares",
        "forest_scrapy.crawl.progress",
        "forest_scrapy.report.health",
        "forest_scrapy.spiders.feeds_spider",
    )
    loaded = loaded_modules(f"import sys, {', '.join(modules)}; print(*sys.modules)")
    assert len(of_package(loaded)) <= MAX_BEFORE_PAGES
    unused = (
        "itemadapter",
        "numpy",
        "forest_scrapy.core.fields.dates",
        "forest_scrapy.core.learning",
        "forest_scrapy.core.page.page",
    )
    assert {*unused}.isdisjoint(loaded)


@pytest.mark.crawl
def test_a_crawl_of_articles_loads_nothing_for_other_kinds(tmp_path: Path) -> None:
    with DemoServer() as site:
        loaded = loaded_modules(_CRAWL, site.feed_url, folder=tmp_path)
    assert len((tmp_path / "articles.jsonl").read_text("utf-8").splitlines()) == 30

    modules = of_package(loaded)
    assert len(modules) <= MAX_OF_CRAWL
    unused = (
        "forest_scrapy.alignment",
        "forest_scrapy.archive",
        "forest_scrapy.batch",
        "forest_scrapy.core.graph",
        "forest_scrapy.core.markdown",
        "forest_scrapy.core.methods.forest",
        "forest_scrapy.core.records.record_wrapper",
        "forest_scrapy.core.records.regions",
        "forest_scrapy.crawl.further_pages",
        "forest_scrapy.crawl.stored_templates",
        "forest_scrapy.exporters.graphs",
        "forest_scrapy.forms",
        "forest_scrapy.rendering",
        "forest_scrapy.report.handing_on",
        "forest_scrapy.report.writing",
        "forest_scrapy.spiders.form_spider",
        "forest_scrapy.spiders.records_spider",
        "forest_scrapy.spiders.refresh_spider",
        "forest_scrapy.spiders.site_spider",
        "forest_scrapy.stores.postgresql",
    )
    assert [name for name in modules if name.startswith(unused)] == []


def test_a_page_is_extracted_without_the_machinery_of_crawls() -> None:
    loaded = loaded_modules("import sys, forest_scrapy.commands.extract; print(*sys.modules)")
    unused = ("forest_scrapy.crawl.context", "forest_scrapy.crawl.recovery")
    assert [name for name in of_package(loaded) if name.startswith(unused)] == []
