"""Made sites with blocks that are rare in their template."""

from __future__ import annotations

import pytest

from benchmarks.quality.rare_blocks import (
    BLOCKS,
    LAYOUTS,
    Block,
    Writer,
    count_kept,
    has_block,
    make_site,
    make_sites,
    report_counts,
)
from forest_scrapy.core import Page, Wrapper
from forest_scrapy.core.items import Article


def test_each_layout_has_78_rare_blocks_of_13_kinds() -> None:
    sites = list(make_sites("container"))
    rare = [page for site in sites for page in site.pages if page.block]
    assert (len(BLOCKS), len(rare)) == (13, 78)
    assert {site.kind for site in sites} == set(BLOCKS)


def test_the_sites_are_always_the_same() -> None:
    first = make_site("siblings", "ul", 8, 1, has_boxes=True)
    assert first == make_site("siblings", "ul", 8, 1, has_boxes=True)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rare_blocks_stand_between_paragraphs(layout: str) -> None:
    site = make_site(layout, "blockquote", 8, 1, has_boxes=False)
    (page,) = (page for page in site.pages if page.block)
    assert page.block is not None
    before, _, after = page.html.partition(page.block.markup)
    assert "<p>" in before
    assert "<p>" in after


@pytest.mark.parametrize("kind", sorted(BLOCKS))
def test_a_block_is_in_an_article_that_keeps_all_of_its_markup(kind: str) -> None:
    block = BLOCKS[kind](Writer(kind))
    text = "The pilot drew a plan of the weir before the harvest was over, and slept. " * 4
    html = f"<h1>A weir</h1><article><p>{text}</p>{block.markup}<p>{text}</p></article>"
    article = Wrapper("test", ("//article",)).article(
        Page.from_html(html, "https://weir.example/a")
    )
    assert article is not None
    assert has_block(article, block)


def test_a_block_is_lost_if_a_part_of_it_is() -> None:
    article = Article("https://a.example/", text="An owl.")
    assert not has_block(article, Block("", ("An owl.", "An elk.")))


def test_kept_and_lost_blocks_add_up() -> None:
    sites = [make_site("container", "ol", 8, 1, has_boxes=True)]
    row = report_counts(count_kept(iter(sites)))
    assert row["blocks"] == 1
    assert row["kept"] + len(row["lost"]) == 1
    assert row["kept_by_single"] == 1
    assert (row["kept_boxes"], row["boxes"]) == (0, 8)
