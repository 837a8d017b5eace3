"""Which template a page belongs to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forest_scrapy.core import (
    Entry,
    Fingerprint,
    Options,
    Page,
    Params,
    RecordWrapper,
    Template,
    TemplateRules,
    Wrapper,
)
from forest_scrapy.core.hosts import HostTemplates, find_stored
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.core.templates.grouping import group_pages, read_fingerprint
from forest_scrapy.core.templates.kinds import Kind
from tests.crawls.helpers import story

OPTIONS = Options()
#: Clusters of pages that share at least half of their features.
PLAIN = Options(distance="cp", threshold=0.5)


def make(number: int, template: str, entry: Entry | None = None) -> Page:
    return Page.from_html(story(number, template), f"http://a.example/{template}/{number}", entry)


def known(page: Page) -> Fingerprint:
    return read_fingerprint(page, OPTIONS.fingerprint_kind)


def features(first: int, last: int) -> Fingerprint:
    return Fingerprint(frozenset(range(first, last)))


def stored(
    id: str, *fingerprints: Fingerprint, method: str = "trained", cut: float = 0.1
) -> Template:
    rules = TemplateRules(Wrapper(method, ("//p",)), cut=Cut(cut, ""))
    return Template(f"a.example {id}", "a.example", id, rules, fingerprints, is_stored=True)


def test_pages_are_grouped_by_template_the_largest_group_first() -> None:
    plain, fancy = [make(i, "plain") for i in range(2)], [make(i, "fancy") for i in range(3)]
    groups, cut = group_pages([*plain, *fancy])
    assert groups == [fancy, plain]
    assert 0 < cut.distance < 1
    assert group_pages([fancy[0], plain[0], plain[1], fancy[1]])[0][0][0] is fancy[0]


def test_all_pages_are_one_group_at_a_threshold_of_one() -> None:
    pages = [make(1, "plain", Entry("a")), make(2, "fancy", Entry("b"))]
    assert len(group_pages(pages)[0]) == 2
    assert len(group_pages(pages, threshold=1.0)[0]) == 1


def test_stored_templates_are_found_by_their_fingerprints() -> None:
    both = [stored(name, known(make(9, name))) for name in ("plain", "fancy")]
    other = Page.from_html("<body><table><tr><td>1</table>", "http://a.example/")
    pages = [make(1, "fancy"), other, make(1, "plain")]
    assert find_stored(pages, both, OPTIONS) == [both[1], None, both[0]]
    assert find_stored(pages, [], OPTIONS) == [None] * 3


def test_a_page_of_another_template_with_the_same_navigation_is_not_recognised() -> None:
    """Most of what it shares is on all pages of the host: features are weighted by how well they
    tell pages apart."""
    navigation = range(100)
    articles = [Fingerprint(frozenset((*navigation, *range(200, 240), 1000 + i))) for i in range(4)]
    listings = [Fingerprint(frozenset((*navigation, *range(300, 340), 2000 + i))) for i in range(5)]
    host = HostTemplates("a.example", OPTIONS, [stored("t", *articles)])
    for fingerprint in listings:
        host.grouping.add(fingerprint)
    assert len(articles[0].features & listings[0].features) > 0.7 * 141
    assert [host.recognise(one) for one in listings] == [None] * 5
    found = host.recognise(Fingerprint(frozenset((*navigation, *range(200, 240), 1009))))
    assert found is not None and found.id == "t"


def test_the_cut_is_not_below_that_of_the_stored_templates() -> None:
    one = stored("plain", known(make(9, "plain")))
    wide = stored("fancy", known(make(9, "fancy")), cut=0.9)
    host = HostTemplates("a.example", OPTIONS, [one, wide])
    host.grouping.measure()
    assert host.grouping.cut.distance == 0.9


@pytest.mark.parametrize(("method", "ids"), [("auto", {"a", "b"}), ("trained", {"a"})])
def test_stored_templates_of_another_method_are_left_out(method: str, ids: set[str]) -> None:
    both = [stored("b", features(0, 5), method="forest"), stored("a", features(9, 15))]
    options = replace(PLAIN, params=Params(method=method))
    host = HostTemplates("a.example", options, both)
    assert {template.id for template in host.templates.values()} == ids


@pytest.mark.parametrize(("kinds", "is_used"), [(("thread",), True), (("article",), False)])
def test_stored_threads_are_used_with_any_method(kinds: tuple[str, ...], is_used: bool) -> None:
    rules = TemplateRules(records=RecordWrapper(kind=Kind("thread")))
    threads = replace(stored("t", features(0, 5)), rules=rules)
    options = replace(PLAIN, params=Params("entropy"), kinds=kinds)
    assert bool(HostTemplates("a.example", options, [threads]).templates) == is_used


def test_a_digest_belongs_to_the_first_stored_template_that_has_it() -> None:
    same = features(0, 10)
    host = HostTemplates("a.example", PLAIN, [stored("b", same), stored("a", same)])
    found = host.place(same)
    assert found is not None and found.id == "a"


def test_of_merged_clusters_the_template_with_a_wrapper_stays() -> None:
    host = HostTemplates("a.example", PLAIN)
    left, right, between = features(0, 20), features(15, 35), features(8, 28)
    for fingerprint in (left, right):
        host.grouping.add(fingerprint, True)
    first, second = (host.add_template((one.digest,)) for one in (left, right))
    assert host.recognise(left) is first
    assert host.recognise(right) is second
    rules = TemplateRules(Wrapper("trained", ("//p",)))
    second = host.templates[second.key] = replace(second, rules=rules)
    host.grouping.add(between, True)
    host.grouping.measure()
    assert len(host.grouping.clusters()) == 1
    assert host.recognise(left) is second
    first = host.templates[first.key] = replace(first, rules=rules)
    assert host.recognise(left) is min(first, second, key=lambda template: template.key)


def test_a_template_is_added_once() -> None:
    host = HostTemplates("a.example", PLAIN)
    assert host.add_template(("b", "a")) is host.add_template(("a",))
    assert list(host.templates) == ["a.example a"]


def test_ids_are_the_same_in_every_crawl_and_differ_within_one() -> None:
    rules = TemplateRules(Wrapper("trained", ("//p",)), text_at="html/body/div")
    ids = []
    for _ in range(2):
        host = HostTemplates("a.example", PLAIN)
        for digest in ("a", "b", "c"):
            template = host.add_template((digest,))
            host.templates[template.key] = replace(template, id=host.new_id(rules))
        ids.append([template.id for template in host.templates.values()])
    assert ids[0] == ids[1]
    first = ids[0][0]
    assert ids[0] == [first, f"{first}-2", f"{first}-3"]
