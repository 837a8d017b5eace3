"""The pages that a person has named."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from forest_scrapy.core import Fingerprint
from forest_scrapy.stores import RulesStore
from forest_scrapy.stores.named_pages import NamedPage

STORY, LIST = Fingerprint(frozenset((1, 2))), Fingerprint(frozenset((3, 4)))


def test_named_pages_are_kept(tmp_path: Path) -> None:
    place = str(tmp_path / "wrappers.db")
    story, other = (NamedPage("a.example", f"https://a.example/{i}", True, STORY) for i in (1, 2))
    listed = NamedPage("a.example", story.url, False, LIST)
    with closing(RulesStore(place, "typed")) as store:
        for page in (other, story, listed):  # the last word on a page counts
            store.named_pages.save(page)
    with closing(RulesStore(place, "typed")) as store:
        assert store.named_pages.load("a.example") == [listed, other]
        assert store.named_pages.load("b.example") == []
        store.named_pages.delete("a.example", [listed.url])
        assert store.named_pages.load("a.example") == [other]
    with closing(RulesStore(place, "plain")) as store:  # fingerprints of another kind
        assert store.named_pages.load("a.example") == []


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    with closing(RulesStore(str(tmp_path / "wrappers.db"), "typed")) as store:
        store.named_pages.save(NamedPage("a.example", "https://a.example/1", True, STORY))
        store.database.write(
            lambda: store.database.execute("UPDATE named_pages SET features = ?", ("x",))
        )
        assert store.named_pages.load("a.example") == []
