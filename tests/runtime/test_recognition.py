from __future__ import annotations

from dataclasses import replace

from crawl.helpers import story

from forest_scrapy.core import Entry, Evidence, Fingerprint, Page, Wrapper
from forest_scrapy.core.clustering.tag_paths import DISTANCES
from forest_scrapy.runtime.recognition import find_stored, group_pages
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import StoredWrapper

CONFIG = ForestSettings()


def make(number: int, template: str, entry: Entry | None = None) -> Page:
    return Page.from_html(story(number, template), f"http://a.example/{template}/{number}", entry)


def test_pages_fall_into_templates_the_largest_first() -> None:
    plain, fancy = [make(i, "plain") for i in range(2)], [make(i, "fancy") for i in range(3)]
    groups, cut = group_pages([*plain, *fancy], CONFIG)
    assert groups == [fancy, plain]
    assert 0 < cut.distance < 1
    assert group_pages([fancy[0], plain[0], plain[1], fancy[1]], CONFIG)[0][0][0] is fancy[0]


def test_pages_of_a_feed_stay_together_at_a_fixed_threshold_of_one() -> None:
    pages = [make(1, "plain", Entry("a")), make(2, "fancy", Entry("b"))]
    assert len(group_pages(pages, CONFIG)[0]) == 2
    assert len(group_pages(pages, replace(CONFIG, threshold=1.0))[0]) == 1


def test_stored_templates_are_found_by_their_fingerprints() -> None:
    stored = [
        StoredWrapper(name, Wrapper("x", ("//p",), Evidence(cut=0.1)), (known(make(9, name)),))
        for name in ("plain", "fancy")
    ]
    other = Page.from_html("<body><table><tr><td>1</table>", "http://a.example/")
    pages = [make(1, "fancy"), other, make(1, "plain")]
    assert find_stored(pages, stored, CONFIG) == [stored[1], None, stored[0]]
    assert find_stored(pages, [], CONFIG) == [None] * 3


def known(page: Page) -> Fingerprint:
    return Fingerprint(DISTANCES[CONFIG.distance](page.outline))
