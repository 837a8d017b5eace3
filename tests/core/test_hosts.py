"""The templates of a host: assigned by earlier crawls, superseded, stored."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from forest_scrapy.core import Fingerprint, Options, Page, Template, TemplateRules, Wrapper
from forest_scrapy.core.hosts import HostTemplates, choose_fingerprints
from forest_scrapy.core.records import ProductRules, RecordWrapper
from forest_scrapy.core.templates.grouping import Grouping, read_fingerprint
from forest_scrapy.core.templates.kinds import Kind
from forest_scrapy.core.templates.redesigns import TemplateFit

from .test_rules import THREAD

HOST = "a.example"
#: Clusters of pages that share at least half of their features.
PLAIN = Options(distance="cp", threshold=0.5)
RULES = TemplateRules(Wrapper("trained", ("//p",)), text_at="//p")


@dataclass(frozen=True)
class Known:
    fingerprint: str
    template: str
    method: str = "trained"


def features(first: int, last: int) -> Fingerprint:
    return Fingerprint(frozenset(range(first, last)))


def stored(id: str, *prints: Fingerprint, rules: TemplateRules = RULES, pages: int = 0) -> Template:
    fit = TemplateFit(pages)
    return Template(f"{HOST} {id}", HOST, id, rules, prints, is_stored=True, fit=fit)


def test_templates_of_threads_are_used_if_threads_are_wanted() -> None:
    one = stored("t", features(0, 9), rules=THREAD)
    assert HostTemplates(HOST, PLAIN, [one]).templates == {}
    wants = replace(PLAIN, kinds=("article", "thread"))
    assert list(HostTemplates(HOST, wants, [one]).templates.values()) == [one]
    assert HostTemplates(HOST, wants, [replace(one, rules=None)]).templates == {}


def test_a_new_template_has_the_key_of_its_smallest_digest() -> None:
    host = HostTemplates(HOST, PLAIN)
    digests = sorted(features(i, i + 9).digest for i in range(3))
    template = host.add_template(reversed(digests))
    assert template == Template(f"{HOST} {digests[0]}", HOST)
    assert host.template_with(digests[2:]) is template
    assert host.template_with(("unknown",)) is host.template_of(None) is None
    assert host.add_template(digests[:1]) is template


def test_ids_differ_from_those_of_other_templates() -> None:
    host = HostTemplates(HOST, PLAIN)
    first = host.new_id(RULES)
    host = HostTemplates(HOST, PLAIN, [stored(first, features(0, 9))])
    assert host.new_id(RULES) == f"{first}-2"


def test_a_page_keeps_the_template_that_an_earlier_crawl_gave_it() -> None:
    one, other = stored("a", features(0, 9)), stored("b", features(20, 29))
    host = HostTemplates(HOST, PLAIN, [one, other])
    page = features(0, 9)  # looks like "a"
    assert host.find_assigned("key", Known(page.digest, "b"), page) == other
    for known in (None, Known("another layout", "b"), Known(page.digest, "forgotten")):
        assert host.find_assigned("key", known, page) is None
    single = host.find_assigned("key", Known(page.digest, "", "single"), page)
    assert single == Template(f"{HOST} key", HOST)
    empty = HostTemplates(HOST, PLAIN)
    assert empty.find_assigned("key", Known(page.digest, "", "single"), page) is None


@pytest.mark.parametrize(
    ("pages", "placed", "new", "superseded"),
    [(30, 0, 2, True), (30, 1, 2, False), (30, 0, 1, False), (0, 0, 9, False)],
)
def test_a_template_without_pages_is_superseded(
    pages: int, placed: int, new: int, superseded: bool
) -> None:
    one = replace(stored("a", features(0, 9), pages=pages), placed=placed)
    host = HostTemplates(HOST, PLAIN, [one])
    assert host.find_superseded(new) == (one if superseded else None)


def test_the_one_with_most_pages_is_superseded() -> None:
    few, many = stored("b", features(0, 9), pages=40), stored("a", features(20, 29), pages=50)
    assert HostTemplates(HOST, PLAIN, [few, many]).find_superseded(30) == many
    assert HostTemplates(HOST, PLAIN).find_superseded(30) is None


def test_threads_do_not_take_the_place_of_articles() -> None:
    """A crawl of a forum sees none of the articles of its host."""
    articles = stored("t", features(0, 9), pages=30)
    threads = stored("u", features(20, 29), rules=THREAD, pages=30)
    wants = replace(PLAIN, kinds=("article", "thread"))
    host = HostTemplates(HOST, wants, [articles, threads])
    assert host.find_superseded(30, is_of_threads=True) == threads
    assert host.find_superseded(30) == articles
    assert HostTemplates(HOST, wants, [articles]).find_superseded(30, is_of_threads=True) is None


def test_clusters_with_articles() -> None:
    wants = replace(PLAIN, kinds=("article", "thread"))
    article = stored("a", features(0, 9))
    host = HostTemplates(HOST, wants, [article, stored("t", features(20, 29), rules=THREAD)])
    named, other = features(40, 49), features(60, 69)
    host.grouping.add(named, is_article=True)
    host.grouping.add(other)
    host.grouping.measure()
    digests = {(article.fingerprints[0].digest,), (named.digest,)}
    assert host.known_articles() == digests


def test_a_placed_page_belongs_to_its_template_from_now_on() -> None:
    host = HostTemplates(HOST, PLAIN, [stored("a", features(0, 20))])
    near, far = features(5, 25), features(50, 60)
    assert host.template_with((near.digest,)) is None
    template = host.place(near)
    assert template is not None and template.id == "a"
    assert host.template_with((near.digest,)) is template
    assert host.place(far, is_article=True) is None


def test_a_cluster_gets_one_template() -> None:
    host = HostTemplates(HOST, PLAIN)
    first, second = (features(0, 20).digest, features(30, 50).digest)
    template = host.ensure_template((first, second))
    assert host.ensure_template((second,)) is template
    assert list(host.templates.values()) == [template]


def test_other_pages_of_a_cluster_have_a_template_that_no_cluster_has() -> None:
    wants = replace(PLAIN, kinds=("article", "thread"))
    page = features(20, 29)
    threads = stored("t", page, rules=THREAD)
    assert HostTemplates(HOST, wants, [threads]).template_of_others([page.digest]) == threads
    host = HostTemplates(HOST, wants)
    template = host.template_of_others(["b", "a"])
    assert (template.key, template.may_be_articles) == (f"{HOST} a others", False)
    assert host.templates == {}


@pytest.mark.parametrize("counts", [False, True])
def test_a_page_is_recognised_by_what_it_looks_like(counts: bool) -> None:
    html = "<html><body><main><h1>Owls</h1><p>Owls hunt at night.</p></main></body></html>"
    page = Page.from_html(html, f"http://{HOST}/1")
    assert HostTemplates(HOST, PLAIN).recognise_page(page, counts) is None
    template = stored("t", read_fingerprint(page, PLAIN.fingerprint_kind))
    host = HostTemplates(HOST, PLAIN, [template])
    assert host.recognise_page(page, counts) == template


def test_fingerprints_to_recognise_a_template_by() -> None:
    grouping = Grouping("cp", 0.5)
    pages = [features(i, i + 40) for i in range(90)]
    for one in pages:
        grouping.add(one)
    grouping.measure()
    sample = [pages[80], pages[3], pages[3]]
    chosen = choose_fingerprints(grouping, sample)
    assert chosen[:2] == sorted(one.digest for one in sample[:2])
    assert chosen[2:] == sorted(chosen[2:])
    assert len(chosen) == 64
    assert choose_fingerprints(grouping, sample[::-1]) == chosen
    alone = features(900, 940)
    assert choose_fingerprints(grouping, [alone]) == [alone.digest]


ARTICLE = replace(RULES, records=RecordWrapper(kind=Kind("article")))
PRODUCT = TemplateRules(records=RecordWrapper(kind=Kind("product"), product=ProductRules()))
BOTH = ("article", "product")


@pytest.mark.parametrize(
    ("rules", "kinds", "is_edited", "is_used"),
    [
        (RULES, ("article", "thread"), False, True),
        (RULES, BOTH, False, False),
        (RULES, BOTH, True, True),
        (ARTICLE, BOTH, False, True),  # of an earlier version
        (replace(ARTICLE, kinds=("article", "thread")), BOTH, False, False),
        (replace(ARTICLE, kinds=BOTH), ("product", "article"), False, True),
        (replace(ARTICLE, kinds=BOTH), ("article",), True, False),
        (replace(PRODUCT, kinds=BOTH), BOTH, False, True),
        (replace(PRODUCT, kinds=BOTH), ("product",), False, False),
        (PRODUCT, ("product",), True, True),  # written by a person
        (PRODUCT, ("article",), True, False),
    ],
)
def test_rules_are_used_for_the_kinds_that_they_were_learned_for(
    rules: TemplateRules, kinds: tuple[str, ...], is_edited: bool, is_used: bool
) -> None:
    template = replace(stored("a", features(0, 20), rules=rules), is_edited=is_edited)
    host = HostTemplates(HOST, Options(kinds=kinds), [template])
    assert bool(host.templates) == is_used


def test_products_among_pages_that_look_like_articles() -> None:
    """Crawls tell both by their content; whoever does not takes the template of articles."""
    rules = replace(PRODUCT, kinds=BOTH)
    page = features(0, 20)
    others = replace(stored("b", page, rules=rules), may_be_articles=False)
    options = Options(kinds=BOTH)
    host = HostTemplates(HOST, options, [others])
    assert host.recognise(page) is None
    assert host.recognise_stored(page) == host.template_of_others([page.digest]) == others
    host = HostTemplates(HOST, options, [others, stored("c", page, rules=rules)])
    template = host.recognise(page)
    assert template and host.recognise_stored(page) == template != others
    assert host.template_of_others([page.digest]) == others
    ids = {host.new_id(replace(rules, are_of_others=is_other)) for is_other in (True, False)}
    assert len(ids) == 2
