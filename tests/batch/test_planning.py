"""From the notes of the pages of a host to its templates, and from these to rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from forest_scrapy.batch import planning
from forest_scrapy.batch.planning import HostPlan, learn_templates, plan_host
from forest_scrapy.batch.raw_page import page_of_item, read_article_page
from forest_scrapy.batch.work import note_page
from forest_scrapy.core import Page, Template
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import NotedPage

from .helpers import HOST, articles, demo_pages

SETTINGS = ForestSettings()
NAME = host_of(HOST)


def note(are_articles: bool = False, settings: ForestSettings = SETTINGS) -> list[NotedPage]:
    """The notes of the pages of the demo site."""
    raws = demo_pages()
    return [note_page(settings, are_articles, number, raw) for number, raw in enumerate(raws)]


def urls_of(plan: HostPlan, pages: Sequence[NotedPage]) -> set[str]:
    """The URLs of the pages that are assigned to templates of articles."""
    are_articles = {template.key for template in plan.templates if template.may_be_articles}
    return {page.url for page in pages if plan.assigned.get(page.key) in are_articles}


@pytest.fixture(scope="module")
def notes() -> list[NotedPage]:
    return note()


@pytest.mark.slow
def test_the_articles_of_a_site_are_those_of_a_batch(notes: list[NotedPage], done) -> None:
    plan = plan_host(NAME, notes, SETTINGS.options)
    assert urls_of(plan, notes) == {article["url"] for article in articles(done)}


def test_a_plan_does_not_depend_on_the_order_of_the_pages(notes: list[NotedPage]) -> None:
    shuffled = Random(3).sample(notes, len(notes))
    plan = plan_host(NAME, notes, SETTINGS.options)
    again = plan_host(NAME, shuffled, SETTINGS.options)
    assert again.assigned == plan.assigned
    assert again.templates == plan.templates


def test_pages_are_classified_in_chunks_with_the_same_outcome(
    notes: list[NotedPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = plan_host(NAME, notes, SETTINGS.options)
    monkeypatch.setattr(planning, "_CHUNK_SIZE", 7)
    assert plan_host(NAME, notes, SETTINGS.options) == whole


def test_pages_that_are_known_to_be_articles_are_all_assigned() -> None:
    pages = note(are_articles=True)
    plan = plan_host(NAME, pages, SETTINGS.options)
    assert plan.assigned.keys() == {page.key for page in pages}


def test_other_pages_have_templates_of_their_own_if_other_kinds_are_wanted(
    notes: list[NotedPage],
) -> None:
    settings = ForestSettings(kinds=("article", "listing"))
    plan = plan_host(NAME, notes, settings.options)
    others = [template for template in plan.templates if not template.may_be_articles]
    assert others
    assert all(template.key.endswith(" others") for template in others)
    assert plan.assigned.keys() == {page.key for page in notes}
    assert urls_of(plan, notes) == urls_of(plan_host(NAME, notes, SETTINGS.options), notes)


def test_a_template_is_learned_from_the_first_pages_by_their_rank(
    notes: list[NotedPage],
) -> None:
    settings = ForestSettings(pages=3)
    plan = plan_host(NAME, notes, settings.options)
    for template in plan.templates:
        pages = [page for page in notes if plan.assigned.get(page.key) == template.key]
        ranked = sorted(pages, key=lambda page: (page.sample_key, page.key))
        assert list(template.sample) == [page.key for page in ranked[:3]]
        digests = {fingerprint.digest for fingerprint in template.fingerprints}
        assert {page.fingerprint.digest for page in ranked[:3]} <= digests


def test_a_host_without_pages_has_no_templates() -> None:
    assert plan_host(NAME, [], SETTINGS.options) == HostPlan(NAME, (), {})


class Reader:
    """Reads the pages of samples, and counts how often."""

    def __init__(self, notes: Sequence[NotedPage]) -> None:
        raws = demo_pages()
        self._raws = {note.key: raws[note.number] for note in notes}
        self.keys: list[str] = []

    def __call__(self, keys: Sequence[str]) -> list[Page]:
        self.keys += keys
        return [page_of_item(read_article_page(self._raws[key], 10**7, False)) for key in keys]


def learn(templates: Sequence[Template], read: Reader, host: str = NAME) -> list[Template]:
    return [learned for learned, _ in learn_templates(host, templates, read, SETTINGS.options)]


def test_templates_are_learned_in_their_order_from_pages_read_once(
    notes: list[NotedPage],
) -> None:
    plan = plan_host(NAME, notes, SETTINGS.options)
    read = Reader(notes)
    learned = learn(plan.templates, read)
    assert [template.key for template in learned] == [one.key for one in plan.templates]
    assert len({template.id for template in learned}) == len(learned)
    assert all(template.rules and template.wrapper.keep for template in learned)
    assert sorted(read.keys) == sorted(key for one in plan.templates for key in one.sample)


def test_a_learned_template_keeps_where_its_host_was_cut(notes: list[NotedPage]) -> None:
    plan = plan_host(NAME, notes, SETTINGS.options)
    for planned, learned in zip(plan.templates, learn(plan.templates, Reader(notes)), strict=True):
        assert planned.rules and learned.rules
        assert learned.rules.cut == planned.rules.cut


def test_files_without_a_host_are_not_compared_with_each_other(notes: list[NotedPage]) -> None:
    """The first page of each template is read with its sample, not before."""
    plan = plan_host(NAME, notes, SETTINGS.options)
    templates = [replace(template, host="") for template in plan.templates]
    read = Reader(notes)
    learn(templates, read, host="")
    assert read.keys == [key for template in templates for key in template.sample]
