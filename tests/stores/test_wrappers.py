from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from forest_scrapy.core import Evidence, Wrapper
from forest_scrapy.core.templates.redesigns import TemplateFit
from forest_scrapy.stores import RulesStore, Template
from forest_scrapy.stores.database import BadStore

from .helpers import make_fingerprint

WRAPPER = Wrapper("forest", ('//div[@class="it\'s 記事"]', "//p"), Evidence(10, "feed", 1.5))
HOST = "a.example"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "wrappers.db"


@pytest.fixture
def store(path: Path) -> Iterator[RulesStore]:
    with closing(RulesStore(str(path), "typed")) as store:
        yield store


def edit(path: Path, template: str, text: str) -> None:
    """Edit a stored wrapper, as a user might with another program."""
    with closing(sqlite3.connect(path)) as database, database:
        change = "UPDATE wrappers SET wrapper = ? WHERE template = ?"
        assert database.execute(change, (text, template)).rowcount == 1


def test_a_wrapper_is_loaded_as_it_was_saved(store: RulesStore, path: Path) -> None:
    fingerprints = (make_fingerprint(1, 2), make_fingerprint(2**64 - 1))
    store.save(HOST, "t", WRAPPER, fingerprints)
    with closing(RulesStore(str(path), "typed")) as again:
        (found,) = again.load(HOST)
    assert (found.template_id, found.wrapper) == ("t", WRAPPER)
    assert set(found.fingerprints) == set(fingerprints)


def test_fingerprints_are_in_a_fixed_order(store: RulesStore) -> None:
    fingerprints = [make_fingerprint(i, i + 1) for i in range(5)]
    store.save(HOST, "t", WRAPPER, fingerprints)
    first = store.load(HOST)
    store.save(HOST, "t", WRAPPER, [*reversed(fingerprints), fingerprints[0]])
    assert store.load(HOST) == first
    assert len(first[0].fingerprints) == 5


def test_wrappers_of_a_host_are_sorted_by_template(store: RulesStore) -> None:
    for host, template in ((HOST, "b"), (HOST, "a"), ("b.example", "c")):
        store.save(host, template, WRAPPER, [])
    assert store.load(HOST) == [Template(name, WRAPPER, ()) for name in "ab"]
    assert store.load("c.example") == []


def test_a_wrapper_replaces_the_previous_one(store: RulesStore) -> None:
    store.save(HOST, "t", WRAPPER, [make_fingerprint(1), make_fingerprint(2)])
    other = Wrapper("coverage", ("//b",))
    store.save(HOST, "t", other, [make_fingerprint(3)])
    assert store.load(HOST) == [Template("t", other, (make_fingerprint(3),))]


def test_wrappers_of_another_distance_are_not_loaded(store: RulesStore, path: Path) -> None:
    store.save(HOST, "t", WRAPPER, [make_fingerprint(1)])
    with closing(RulesStore(str(path), "cps")) as other:
        assert other.load(HOST) == []
        other.save(HOST, "t", Wrapper("coverage"), [make_fingerprint(2)])
        assert other.load(HOST)[0].fingerprints == (make_fingerprint(2),)
    assert store.load(HOST) == [Template("t", WRAPPER, (make_fingerprint(1),))]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not JSON"),
        ("[]", "a wrapper is a JSON object"),
        (
            WRAPPER.dumps().replace('"format": 2', '"format": 1'),
            "format 1 is not 2",
        ),
        (WRAPPER.dumps().replace("//p", "//p["), "'//p[' is not an XPath"),
    ],
    ids=["cut off", "a list", "the former format", "not an XPath"],
)
def test_a_wrapper_that_cannot_be_read_is_skipped_with_a_warning(
    store: RulesStore, path: Path, caplog: pytest.LogCaptureFixture, text: str, why: str
) -> None:
    for template in ("good", "spoilt"):
        store.save(HOST, template, WRAPPER, [])
    edit(path, "spoilt", text)
    assert [found.template_id for found in store.load(HOST)] == ["good"]
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert f"Stored wrapper spoilt of {HOST}: " in record.message
    assert why in record.message


def test_a_wrapper_edited_by_hand_is_used(store: RulesStore, path: Path) -> None:
    store.save(HOST, "t", WRAPPER, [])
    edit(path, "t", '{"format": 2, "method": "forest", "keep": ["//main"]}')
    assert store.load(HOST)[0].wrapper == Wrapper("forest", ("//main",))


def test_a_wrapper_saved_and_not_closed_is_there(store: RulesStore, path: Path) -> None:
    store.save(HOST, "t", WRAPPER, [])
    with closing(RulesStore(str(path), "typed")) as other:
        assert len(other.load(HOST)) == 1


def test_hosts_are_counted_and_sorted(store: RulesStore, path: Path) -> None:
    assert store.hosts() == {}
    for host, template in (("b.example", "x"), (HOST, "a"), (HOST, "b")):
        store.save(host, template, WRAPPER, [])
    assert list(store.hosts().items()) == [(HOST, 2), ("b.example", 1)]
    with closing(RulesStore(str(path), "cps")) as other:
        assert other.hosts() == {}


def test_a_store_that_must_exist_is_not_created(tmp_path: Path) -> None:
    location = tmp_path / "folder" / "none.db"
    for name in (str(location), f"sqlite:///{location}"):
        with pytest.raises(BadStore, match="no wrappers are stored here yet"):
            RulesStore(name, "typed", must_exist=True)
    assert not location.parent.exists()
    RulesStore(str(location), "typed").close()
    RulesStore(str(location), "typed", must_exist=True).close()


def test_versions(store: RulesStore) -> None:
    other = replace(WRAPPER, drop=("//nav",))
    assert store.save(HOST, "t", WRAPPER, []) == 1
    assert store.save(HOST, "t", WRAPPER.with_cut(0.4, "more pages"), []) == 1
    assert store.save(HOST, "t", other, [], "redesign") == 2
    first, second = store.versions(HOST, "t")
    assert (first.wrapper.evidence.cut, first.reason) == (0.4, "new template")
    assert (second.wrapper, second.version, second.reason) == (other, 2, "redesign")
    store.delete(HOST, "t")
    assert (store.load(HOST), store.versions(HOST, "t")) == ([], [first, second])
    assert store.versions(HOST, "u") == []


def test_a_wrapper_that_was_edited(store: RulesStore, path: Path) -> None:
    store.save(HOST, "t", WRAPPER, [])
    assert not store.load(HOST)[0].is_edited
    edited = replace(WRAPPER, drop=("//nav",))
    edit(path, "t", edited.dumps())
    (found,) = store.load(HOST)
    assert (found.is_edited, found.wrapper) == (True, edited)


def test_the_fit_is_stored(store: RulesStore) -> None:
    store.save(HOST, "t", WRAPPER, [])
    assert store.load(HOST)[0].fit == TemplateFit()
    fit = TemplateFit(12, (300, 400), 1.5)
    store.save_fit(HOST, "t", fit)
    assert store.load(HOST)[0].fit == fit
