"""The notes of a batch."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from forest_scrapy.core import Template, TemplateRules, Wrapper
from forest_scrapy.core.digests import digest_number
from forest_scrapy.core.templates.files import FilePage
from forest_scrapy.core.templates.signals import Signals
from forest_scrapy.stores import BatchStore, NotedPage

from .helpers import make_fingerprint

HOST = "a.example"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[BatchStore]:
    with closing(BatchStore(str(tmp_path / "pages.db"))) as store:
        yield store


def page(number: int, host: str = HOST, is_article: bool = False, key: str = "") -> NotedPage:
    return NotedPage(
        number=number,
        key=key or f"k{number}",
        host=host,
        url=f"http://{host}/{number}",
        sample_key=f"1 {number}",
        fingerprint=make_fingerprint(number),
        signals=None if is_article else Signals(plain_share=0.5),
    )


def template(sample: tuple[str, ...] = ("k0", "k1")) -> Template:
    return Template(
        "t", HOST, rules=TemplateRules(), fingerprints=(make_fingerprint(0),), sample=sample
    )


def test_pages_are_read_as_they_were_noted(store: BatchStore) -> None:
    file = NotedPage(
        number=2,
        key="k2",
        host="",
        url="owls.html",
        sample_key="1 2",
        fingerprint=make_fingerprint(2),
        signals=Signals(plain_share=0.25),
        file=FilePage(menu=(1, 2), numbers={"words": 3.0}, is_article_alone=True),
    )
    pages = [page(0), page(1, is_article=True), file]
    with store.writing():
        for noted in pages:
            store.add(noted)
    assert [*store.pages_of(HOST), *store.pages_of("")] == pages
    assert store.hosts() == ["", HOST]
    assert store.has_page("k0") and not store.has_page("k9")
    assert store.numbers_of(["k2", "k0", "k9"]) == {2: "k2", 0: "k0"}


def test_a_page_that_comes_again_is_a_duplicate_with_a_further_url(store: BatchStore) -> None:
    with store.writing():
        store.add(page(0))
        store.add(page(1, key="k0"))
        store.refuse(2, "http://a.example/2", "not_html")
    assert [noted.number for noted in store.pages_of(HOST)] == [0]
    assert store.articles.urls("k0") == ["http://a.example/1"]
    reasons = [reason for _, reason, _ in store.outcomes(0, 3)]
    assert reasons == ["", "duplicate", "not_html"]


def test_pages_without_a_template_are_no_articles_unless_they_are_known_to_be_some(
    store: BatchStore,
) -> None:
    with store.writing():
        for noted in (page(0), page(1), page(2, is_article=True)):
            store.add(noted)
        store.plan_host(HOST, [template()], {"k0": "t"})
    assert store.outcomes(0, 3) == [("t", "", ""), ("", "not_article", ""), ("", "", "")]
    with store.writing():  # a host that is planned again, after a stop
        store.plan_host(HOST, [template()], {"k1": "t"})
    assert store.outcomes(1, 2) == [("t", "", "")]


def test_samples_are_kept_until_their_template_is_learned(store: BatchStore) -> None:
    head = {"url": "http://a.example/0", "is_text": False}
    with store.writing():
        store.templates.add(0, template())
        assert store.templates.missing_samples() == {"k0", "k1"}
        store.templates.add_sample("k0", head, b"<p>Owls")
        assert store.templates.missing_samples() == {"k1"}
        assert store.templates.sample("k0") == (head, b"<p>Owls")

        rules = TemplateRules(Wrapper("trained", ("//p",)))
        learned = Template("t", HOST, "id", rules, sample=("k0", "k1"))
        store.templates.learned(learned)
    assert store.templates.get("t") == learned
    assert store.templates.of_host(HOST) == [learned]
    assert store.templates.digests("t") == [make_fingerprint(0).digest]
    assert store.templates.missing_samples() == set()
    with pytest.raises(KeyError):
        store.templates.sample("k0")


def test_samples_of_a_template_take_less_for_what_they_have_in_common(
    store: BatchStore, tmp_path: Path
) -> None:
    menu = "".join(f"<li><a href='/{digest_number(str(n))}'>{n}</a>" for n in range(300))
    bodies = {}
    with store.writing():
        for number in range(3):
            store.add(page(number))
        store.plan_host(HOST, [template()], {"k0": "t", "k1": "t"})
        for number in range(3):
            bodies[f"k{number}"] = f"<ul>{menu}</ul><p>Owl number {number}.".encode()
            store.templates.add_sample(f"k{number}", {}, bodies[f"k{number}"])
    for key, body in bodies.items():
        assert store.templates.sample(key) == ({}, body)

    with closing(sqlite3.connect(tmp_path / "pages.db")) as database:
        rows = database.execute("SELECT length(body) FROM sample_pages ORDER BY key")
        first, second, other = (size for (size,) in rows)
    assert second < first / 10
    assert other == first  # of no template


def test_what_was_extracted_early_is_taken_once(store: BatchStore) -> None:
    with store.writing():
        store.add(page(0))
        store.templates.add_extracted("k0", b"outcome")
    assert store.outcomes(0, 1) == [("", "", "k0")]
    assert store.templates.take_extracted("k0") == b"outcome"
    with pytest.raises(KeyError):
        store.templates.take_extracted("k0")


def test_what_fails_is_rolled_back_with_all_that_was_written(store: BatchStore) -> None:
    with pytest.raises(KeyboardInterrupt), store.writing():
        store.set("pages", 7)
        with store.writing():
            store.add(page(0))
        raise KeyboardInterrupt
    assert store.get("pages", 0) == 0
    assert store.hosts() == []


def test_another_process_reads_what_was_committed(store: BatchStore, tmp_path: Path) -> None:
    with store.writing():
        store.set("given", {"files": [["a", 1]]})
    with closing(BatchStore(str(tmp_path / "pages.db"))) as reader:
        assert reader.get("given") == {"files": [["a", 1]]}


def test_a_record_is_new_once(store: BatchStore) -> None:
    with store.writing():
        assert [store.add_record(key) for key in ("a", "b", "a")] == [True, True, False]
