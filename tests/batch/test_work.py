"""What worker processes do with a page."""

from __future__ import annotations

from pathlib import Path

from forest_scrapy.batch.library import extract_pages
from forest_scrapy.core.templates.fingerprints import MANY_FEATURES
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import RulesStore


def test_pages_with_unusual_paths_are_tried_also_with_stored_wrappers(tmp_path: Path) -> None:
    RulesStore(str(tmp_path / "w.db"), "typed").close()
    # Few bytes, with more different tag paths than a usual page has.
    rows = "".join(f"<p class='{'a' * (1 + i)}'>A" for i in range(MANY_FEATURES + 1))
    reasons = []
    articles = extract_pages(
        [("http://site.example/a", rows)],
        ForestSettings(page_seconds=1e-6),
        wrappers=str(tmp_path / "w.db"),
        refused=lambda page, reason: reasons.append(reason),
    )
    assert (list(articles), reasons) == ([], ["too_slow"])
