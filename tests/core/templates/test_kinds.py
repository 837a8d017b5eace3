from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.records.learning import read_candidates
from forest_scrapy.core.templates.kinds import (
    ArticleChances,
    article_model,
    choose_template_kind,
    classify_templates,
    is_article_without_site,
)
from forest_scrapy.core.templates.signals import FEATURES, HostSignals, Signals, read_signals

from ..helpers import demo_pages

ARTICLE = Signals(plain_share=0.9, log_plain_words=7.0, one_heading=1, log_url_length=3.0)
LISTING = Signals(plain_share=0.3, log_plain_words=4.0, linked_headings=1, url_listing=1)


def host_of(templates: dict[str, list[Signals]]) -> HostSignals:
    host = HostSignals()
    for digest, pages in templates.items():
        for signals in pages:
            host.add(digest, signals)
    return host


def classify(templates: dict[str, list[Signals]], known: set[int] | None = None) -> list[float]:
    digests = [(digest,) for digest in templates]
    found = classify_templates(host_of(templates), digests, list(templates.values()), known or ())
    return [one.probability for one in found]


def column(name: str) -> int:
    return FEATURES.index(name)


def test_the_pages_of_a_template_are_compared_with_those_of_the_host() -> None:
    host = host_of({"a": [ARTICLE] * 3, "b": [LISTING]})
    articles, listings = host.describe([("a",), ("b",)], [[ARTICLE, LISTING], [LISTING]])
    assert articles.shape == (2, len(FEATURES))
    assert articles[0, column("plain_share")] == 0.9
    assert articles[1, column("plain_share")] == 0.3
    assert articles[1, column("template's plain_share")] == pytest.approx(0.9)
    assert articles[0, column("plain_share above the host's")] == pytest.approx(0.9 - 0.75)
    assert articles[0, column("pages_share")] == 0.75
    assert articles[0, column("length_rank")] == 0
    assert listings[0, column("length_rank")] == -3
    assert listings[0, column("length_spread")] == 0


def test_a_template_is_made_of_digests() -> None:
    long, short = replace(ARTICLE, log_plain_words=8.0), replace(ARTICLE, log_plain_words=6.0)
    host = host_of({"a": [long], "b": [short], "c": [LISTING]})
    [table] = host.describe([("a", "b", "unknown")], [[long]])
    assert table[0, column("template's log_plain_words")] == 7
    assert table[0, column("length_spread")] == pytest.approx(1)


def test_without_pages() -> None:
    assert HostSignals().describe([], []) == []
    [table] = HostSignals().describe([("a",)], [[]])
    assert table.shape == (0, len(FEATURES))
    assert classify_templates(HostSignals(), [("a",)], [[]]) == [ArticleChances((), 0.0, ())]


def test_articles_and_listings() -> None:
    article, listing = classify({"a": [ARTICLE] * 5, "b": [LISTING] * 5})
    assert article > 0.9
    assert listing < 0.1


def test_a_known_article_makes_its_template_more_likely() -> None:
    templates = {"a": [ARTICLE] * 5, "b": [LISTING] * 5}
    assert classify(templates, {1})[1] > classify(templates)[1]


def test_a_template_of_mixed_pages_is_decided_page_by_page() -> None:
    pages = [ARTICLE] * 4 + [LISTING]
    [found] = classify_templates(host_of({"a": pages}), [("a",)], [pages])
    assert min(found.pages[:4]) > found.pages[4]
    assert found.probability == pytest.approx(sum(found.pages) / 5)


def test_the_reasons_are_those_that_speak_for_the_decision() -> None:
    kind = ArticleChances((0.9,), 0.9, (("a", -3.0), ("b", 2.0), ("c", 1.5), ("d", 1.0)))
    assert kind.explain() == "b +2.0, c +1.5, d +1.0"
    assert kind.explain(1) == "b +2.0"
    assert replace(kind, probability=0.2).explain() == "a -3.0"


def test_the_reasons_add_up_to_the_decision() -> None:
    pages = [ARTICLE] * 3
    [found] = classify_templates(host_of({"a": pages}), [("a",)], [pages])
    odds = sum(value for _, value in found.reasons) + article_model().biases[0]
    assert found.probability == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-3)


def test_the_articles_of_the_demo_are_found() -> None:
    pages = {s: [read_signals(page) for page in demo_pages(s)] for s in ("news", "journal")}
    assert min(classify(pages)) > 0.5


def test_a_kind_that_is_told_by_facts_names_the_likeliest_kind_too() -> None:
    product = '<script type="application/ld+json">{"@type": "Product", "name": "Lamp"}</script>'
    texts = "".join(f"<p>The boats are in the harbour, and the sea is calm {i}." for i in range(9))
    page = Page.from_html(f"{product}<h1>Boats</h1>{texts}", "http://a.example/")
    kind = choose_template_kind(read_candidates([page]).facts)
    assert kind.name == "product"
    assert ", although other has" in kind.evidence[0]


@pytest.mark.parametrize(
    ("text", "path", "is_article"),
    [
        ("<p>The owls of this harbour town hunt by night, and sleep by day.</p>" * 9, "owls", True),
        ("<p>It works. Nothing here yet.</p>", "2024/05/owls-of-the-harbour", False),
        ("<li><h2><a href=/1>The owls of the harbour town</a></h2>" * 20, "tag/owls", False),
    ],
)
def test_an_article_of_whose_site_nothing_is_known(text: str, path: str, is_article: bool) -> None:
    page = Page.from_html(f"<title>Owls</title><h1>Owls</h1>{text}", f"http://a.example/{path}")
    assert is_article_without_site(read_signals(page)) is is_article
