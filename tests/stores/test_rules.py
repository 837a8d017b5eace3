from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from forest_scrapy.core import (
    Evidence,
    Fingerprint,
    RecordWrapper,
    Template,
    TemplateRules,
    Wrapper,
    learn_records,
)
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.core.templates.redesigns import TemplateFit
from forest_scrapy.stores import RulesStore
from forest_scrapy.stores.database import BadStore, StoreFailed
from tests.core.records.threads import pages_of

from .helpers import make_fingerprint

WRAPPER = Wrapper("forest", ('//div[@class="it\'s 記事"]', "//p"), Evidence(10, "feed", 1.5))
RULES = TemplateRules(WRAPPER, text_at="//p")
HOST = "a.example"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "wrappers.db"


@pytest.fixture
def store(path: Path) -> Iterator[RulesStore]:
    with closing(RulesStore(str(path), "typed")) as store:
        yield store


def stored(id: str, rules: TemplateRules, *fingerprints: Fingerprint) -> Template:
    """A template as it is loaded."""
    return Template(f"{HOST} {id}", HOST, id, rules, fingerprints, is_stored=True)


def edit(path: Path, template: str, text: str) -> None:
    """Edit stored rules, as a user might with another program."""
    with closing(sqlite3.connect(path)) as database, database:
        change = "UPDATE template_rules SET rules = ? WHERE template = ?"
        assert database.execute(change, (text, template)).rowcount == 1


def test_rules_are_loaded_as_they_were_saved(store: RulesStore, path: Path) -> None:
    fingerprints = (make_fingerprint(1, 2), make_fingerprint(2**64 - 1))
    store.save(HOST, "t", RULES, fingerprints)
    with closing(RulesStore(str(path), "typed")) as again:
        (found,) = again.load(HOST)
    assert (found.id, found.rules) == ("t", RULES)
    assert set(found.fingerprints) == set(fingerprints)


def test_fingerprints_are_in_a_fixed_order(store: RulesStore) -> None:
    fingerprints = [make_fingerprint(i, i + 1) for i in range(5)]
    store.save(HOST, "t", RULES, fingerprints)
    first = store.load(HOST)
    store.save(HOST, "t", RULES, [*reversed(fingerprints), fingerprints[0]])
    assert store.load(HOST) == first
    assert len(first[0].fingerprints) == 5


def test_templates_of_a_host_are_sorted_by_id(store: RulesStore) -> None:
    for host, template in ((HOST, "b"), (HOST, "a"), ("b.example", "c")):
        store.save(host, template, RULES, [])
    assert store.load(HOST) == [stored(name, RULES) for name in "ab"]
    assert store.load("c.example") == []


def test_rules_replace_the_previous_ones(store: RulesStore) -> None:
    store.save(HOST, "t", RULES, [make_fingerprint(1), make_fingerprint(2)])
    other = TemplateRules(Wrapper("coverage", ("//b",)))
    store.save(HOST, "t", other, [make_fingerprint(3)])
    assert store.load(HOST) == [stored("t", other, make_fingerprint(3))]


def test_rules_of_another_distance_are_not_loaded(store: RulesStore, path: Path) -> None:
    store.save(HOST, "t", RULES, [make_fingerprint(1)])
    with closing(RulesStore(str(path), "cps")) as other:
        assert other.load(HOST) == []
        other.save(HOST, "t", TemplateRules(Wrapper("coverage")), [make_fingerprint(2)])
        assert other.load(HOST)[0].fingerprints == (make_fingerprint(2),)
    assert store.load(HOST) == [stored("t", RULES, make_fingerprint(1))]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not JSON"),
        ("[]", "rules are a JSON object"),
        (RULES.dumps().replace('"format": 3', '"format": 4'), "format 4 is not 3"),
        (WRAPPER.dumps(), "is not one of article, records"),
        (RULES.dumps().replace("//p", "//p["), "'//p[' is not an XPath"),
        (
            RULES.dumps().replace("//p", "//p[re:test(., 'a')]"),
            "keep: \"//p[re:test(., 'a')]\" is not an XPath that can be evaluated: "
            "re:test(., 'a'): ",
        ),
    ],
    ids=["cut off", "a list", "another format", "a wrapper", "not an XPath", "a prefix"],
)
def test_rules_that_cannot_be_read_are_skipped_with_a_warning(
    store: RulesStore, path: Path, caplog: pytest.LogCaptureFixture, text: str, why: str
) -> None:
    for template in ("good", "spoilt"):
        store.save(HOST, template, RULES, [])
    edit(path, "spoilt", text)
    assert [found.id for found in store.load(HOST)] == ["good"]
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert f"Stored wrapper spoilt of {HOST}: " in record.message
    assert why in record.message


def test_rules_that_could_not_be_loaded_are_not_saved(
    store: RulesStore, caplog: pytest.LogCaptureFixture
) -> None:
    assert store.save(HOST, "t", TemplateRules(Wrapper("forest", ("//p/@id",))), []) == 0
    assert store.load(HOST) == []
    assert caplog.messages == [
        f"Wrapper t of {HOST} is not stored: keep: '//p/@id' finds attributes, texts or other "
        "nodes, not elements"
    ]


def test_rules_edited_by_hand_are_used(store: RulesStore, path: Path) -> None:
    store.save(HOST, "t", RULES, [])
    edit(path, "t", '{"format": 3, "article": {"method": "forest", "keep": ["//main"]}}')
    assert store.load(HOST)[0].wrapper == Wrapper("forest", ("//main",))


def test_rules_saved_and_not_closed_are_there(store: RulesStore, path: Path) -> None:
    store.save(HOST, "t", RULES, [])
    with closing(RulesStore(str(path), "typed")) as other:
        assert len(other.load(HOST)) == 1


def test_hosts_are_counted_and_sorted(store: RulesStore, path: Path) -> None:
    assert store.hosts() == {}
    for host, template in (("b.example", "x"), (HOST, "a"), (HOST, "b")):
        store.save(host, template, RULES, [])
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
    other = TemplateRules(replace(WRAPPER, drop=("//nav",)))
    assert store.save(HOST, "t", RULES, []) == 1
    assert store.save(HOST, "t", RULES.with_cut(Cut(0.4, "more pages")), []) == 1
    assert store.save(HOST, "t", other, [], "redesign") == 2
    first, second = store.versions(HOST, "t")
    assert (first.rules.cut, first.reason) == (Cut(0.4, "more pages"), "new template")
    assert (second.rules, second.version, second.reason) == (other, 2, "redesign")
    store.delete(HOST, "t")
    assert (store.load(HOST), store.versions(HOST, "t")) == ([], [first, second])
    assert store.versions(HOST, "u") == []


def test_the_latest_versions_are_kept(store: RulesStore) -> None:
    for number in range(1, 31):
        other = TemplateRules(replace(WRAPPER, drop=(f"//nav[{number}]",)))
        assert store.save(HOST, "t", other, [], "redesign") == number
    assert [one.version for one in store.versions(HOST, "t")] == list(range(11, 31))


def test_rules_that_were_edited(store: RulesStore, path: Path) -> None:
    store.save(HOST, "t", RULES, [])
    assert not store.load(HOST)[0].is_edited
    edited = RULES.with_article(replace(WRAPPER, drop=("//nav",)))
    edit(path, "t", edited.dumps())
    (found,) = store.load(HOST)
    assert (found.is_edited, found.rules) == (True, edited)
    store.save_edited(HOST, "t", RULES)
    assert store.load(HOST) == [stored("t", RULES)]
    assert len(store.versions(HOST, "t")) == 1


def test_the_fit_is_stored(store: RulesStore) -> None:
    store.save(HOST, "t", RULES, [])
    assert store.load(HOST)[0].fit == TemplateFit()
    fit = TemplateFit(12, (300, 400), 1.5)
    store.save_fit(HOST, "t", fit)
    assert store.load(HOST)[0].fit == fit
    assert store.load("b.example") == []


def test_fingerprints_may_be_left_as_they_are(store: RulesStore) -> None:
    store.save(HOST, "t", RULES, [make_fingerprint(1)])
    other = RULES.with_article(Wrapper("single"))
    assert store.save(HOST, "t", other) == 2
    assert store.load(HOST) == [stored("t", other, make_fingerprint(1))]


def test_a_version_of_another_format_is_left_out(store: RulesStore) -> None:
    store.save(HOST, "t", RULES, [])
    store.database.execute("UPDATE rules_versions SET rules = '{}'")
    assert store.save(HOST, "t", RULES, []) == 2
    assert [one.version for one in store.versions(HOST, "t")] == [2]


@pytest.fixture(scope="module")
def posts() -> RecordWrapper:
    return learn_records(pages_of())


def test_rules_for_records_and_comments(store: RulesStore, posts: RecordWrapper) -> None:
    thread = TemplateRules(records=posts)
    article = TemplateRules(WRAPPER, comments=posts.rules[0])
    store.save(HOST, "article", article, ())
    store.save(HOST, "thread", thread, ())
    assert store.load(HOST) == [stored("article", article), stored("thread", thread)]
    assert store.save(HOST, "article", TemplateRules(WRAPPER), ()) == 1  # takes the same text
    store.delete(HOST, "thread")
    assert store.load(HOST) == [stored("article", TemplateRules(WRAPPER))]


def test_an_edit_of_rules_for_posts(
    store: RulesStore, posts: RecordWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    rules = TemplateRules(records=posts)
    store.save(HOST, "t", rules, ())
    assert not store.load(HOST)[0].is_edited
    fewer = tuple(replace(one, drop=(*one.drop, "b")) for one in posts.rules)
    edited = replace(rules, records=replace(posts, rules=fewer))
    store.save_edited(HOST, "t", edited)
    (found,) = store.load(HOST)
    assert (found.rules, found.is_edited, caplog.text) == (edited, True, "")


def edited(number: int) -> TemplateRules:
    return RULES.with_article(replace(WRAPPER, keep=(f"//p[{number}]",)))


def test_corrections_are_undone_one_by_one(store: RulesStore) -> None:
    store.save(HOST, "t", RULES, [make_fingerprint(1)])
    assert store.undo_correction(HOST, "t") is None
    for number in (1, 2, 2):  # the same rules again are no correction
        store.save_correction(HOST, "t", edited(number))
    assert store.undo_correction(HOST, "t") == edited(1)
    (found,) = store.load(HOST)
    assert (found.rules, found.is_edited) == (edited(1), True)
    assert store.undo_correction(HOST, "t") == RULES
    (found,) = store.load(HOST)
    assert (found.rules, found.is_edited) == (RULES, False)
    assert store.undo_correction(HOST, "t") is None
    assert [one.version for one in store.versions(HOST, "t")] == [1]


def test_imported_rules_are_a_correction_of_learned_ones(store: RulesStore) -> None:
    store.save_imported(HOST, "t", RULES, edited(1), [make_fingerprint(1)])
    (found,) = store.load(HOST)
    assert (found.rules, found.is_edited) == (edited(1), True)
    assert found.fingerprints == (make_fingerprint(1),)
    assert [one.reason for one in store.versions(HOST, "t")] == ["learned on an import"]
    assert store.undo_correction(HOST, "t") == RULES


def test_an_import_that_cannot_be_written_leaves_nothing(store: RulesStore, path: Path) -> None:
    store.save(HOST, "t", RULES, [])
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TRIGGER full BEFORE INSERT ON corrected_rules"
            " BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )
    with pytest.raises(StoreFailed):
        store.save_imported(HOST, "u", RULES, edited(1), [make_fingerprint(1)])
    assert [found.id for found in store.load(HOST)] == ["t"]
    assert store.versions(HOST, "u") == []


def test_what_a_crawl_has_added_to_edited_rules_is_undone_with_them(store: RulesStore) -> None:
    store.save(HOST, "t", RULES, [])
    store.save_correction(HOST, "t", edited(1))
    store.save_edited(HOST, "t", replace(edited(1), text_at="//b"))
    assert store.undo_correction(HOST, "t") == RULES


def test_rules_edited_in_the_file_are_undone(store: RulesStore, path: Path) -> None:
    store.save(HOST, "t", RULES, [])
    edit(path, "t", edited(1).dumps())
    assert store.undo_correction(HOST, "t") == RULES
    assert store.undo_correction(HOST, "t") is None


def test_the_latest_corrections_are_kept(store: RulesStore) -> None:
    store.save(HOST, "t", RULES, [])
    store.save(HOST, "u", RULES, [])
    store.save_correction(HOST, "u", edited(1))
    for number in range(1, 31):
        store.save_correction(HOST, "t", edited(number))
    rows = store.database.rows("SELECT template, number FROM corrected_rules ORDER BY number")
    assert [row["number"] for row in rows if row["template"] == "t"] == list(range(11, 31))
    for number in range(29, 9, -1):
        assert store.undo_correction(HOST, "t") == edited(number)
    assert store.undo_correction(HOST, "t") == RULES  # what a crawl has learned
    assert store.undo_correction(HOST, "u") == RULES


@pytest.mark.parametrize("ends", ["forgotten", "learned again"])
def test_corrections_of_rules_that_are_replaced_are_forgotten(store: RulesStore, ends: str) -> None:
    store.save(HOST, "t", RULES, [])
    store.save_correction(HOST, "t", edited(1))
    if ends == "forgotten":
        store.delete(HOST, "t")
    store.save(HOST, "t", edited(2), [])
    assert store.undo_correction(HOST, "t") is None
    assert store.load(HOST)[0].rules == edited(2)


def test_rules_of_one_port_are_not_those_of_another(store: RulesStore, path: Path) -> None:
    store.save("127.0.0.1:8000", "a", RULES, [])
    store.save("127.0.0.1:9000", "b", RULES, [])
    store.save("127.0.0.1", "c", RULES, [])
    store.save("127.0.0.1", "old", RULES, [])
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE template_rules SET port = NULL WHERE template = 'old'")

    def ids(host: str) -> list[str]:
        return [template.id for template in store.load(host)]

    assert ids("127.0.0.1:8000") == ["a", "old"]
    assert ids("127.0.0.1:9000") == ["b", "old"]
    assert ids("127.0.0.1") == ["c", "old"]
    assert [template.key for template in store.load_named("127.0.0.1")] == [
        "127.0.0.1:8000 a",
        "127.0.0.1:9000 b",
        "127.0.0.1 c",
        "127.0.0.1 old",
    ]
    assert store.load_named("127.0.0.1:8000") == store.load("127.0.0.1:8000")
    assert store.hosts() == {"127.0.0.1": 4}


def test_rules_that_are_saved_again_keep_their_port(store: RulesStore, path: Path) -> None:
    store.save("127.0.0.1:8000", "a", RULES, [])
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE template_rules SET port = NULL")
    store.save("127.0.0.1:8000", "a", RULES, [])
    assert [template.id for template in store.load("127.0.0.1:9000")] == ["a"]
