"""Whether an article is free, and the text that stands behind a paywall."""

from __future__ import annotations

import json

import pytest

from forest_scrapy.core import Article, Entry, Page, extract_item, learn_rules
from forest_scrapy.core.boilerplate.paywalls import is_paywall, read_declared

URL = "http://a.example/news/1"
SENTENCES = [
    f"Boat {i} came in at noon, with {i} barrels of herring in its hold, said the harbour office."
    for i in range(40)
]


def paragraphs(start: int, end: int) -> str:
    return "".join(f"<p>{' '.join(SENTENCES[i : i + 2])}</p>" for i in range(start, end, 2))


def article(body: str, head: str = "") -> Article:
    html = f"""<title>The boats come in</title>{head}<nav><a href=/>Home</a></nav><main>
        <h1>The boats come in</h1><div class=body>{body}</div></main>"""
    item = extract_item(Page.from_html(html, URL))
    assert isinstance(item, Article)
    return item


def json_ld(**values: object) -> str:
    node = {"@type": "NewsArticle", "headline": "The boats come in", **values}
    return f"<script type=application/ld+json>{json.dumps(node)}</script>"


@pytest.mark.parametrize(
    ("head", "is_free"),
    [
        (json_ld(isAccessibleForFree=True), True),
        (json_ld(isAccessibleForFree="False"), False),
        (json_ld(isAccessibleForFree="https://schema.org/False"), False),
        (json_ld(hasPart={"isAccessibleForFree": False, "cssSelector": ".paid"}), False),
        (json_ld(isAccessibleForFree=True, hasPart=[{"isAccessibleForFree": "no"}]), False),
        (json_ld(hasPart=[{"isAccessibleForFree": True}, "x"]), None),
        (json_ld(isAccessibleForFree={"a": 1}), None),
        ("<meta property=article:content_tier content=locked>", False),
        ("<meta property=article:content_tier content=free>", True),
        ("<meta property=article:content_tier content=metered>", None),
        (
            "<div itemscope itemtype=http://schema.org/Article>"
            "<meta itemprop=isAccessibleForFree content=false></div>",
            False,
        ),
        ("", None),
    ],
)
def test_what_a_page_declares(head: str, is_free: bool | None) -> None:
    assert read_declared(Page.from_html(f"{head}<p>Text", URL).declared) is is_free
    assert article(paragraphs(0, 20), head).is_free is is_free


BOXES = [
    "Subscribe to continue reading",
    "This article is for subscribers only.",
    "Already a subscriber? Log in",
    "Jetzt weiterlesen mit dem Digitalabo",
    "Cet article est réservé aux abonnés.",
    "Il vous reste 80% de cet article à lire.",
    "Contenido exclusivo para suscriptores",
    "Dit artikel is alleen voor abonnees",
    "Denne artikkelen er bare for abonnenter",
]


@pytest.mark.parametrize("box", BOXES)
def test_a_box_after_a_short_text(box: str) -> None:
    assert is_paywall(box)
    item = article(f"{paragraphs(0, 4)}<div class=box><p>{box}</p></div>")
    assert item.is_free is False and "Boat 3" in item.text
    long = article(f"{paragraphs(0, 38)}<div class=box><p>{box}</p></div>")
    assert long.is_free is None


def test_a_text_about_subscribers_is_not_a_box() -> None:
    assert not is_paywall("The paper has lost subscribers, and its articles are shorter.")
    assert article(paragraphs(0, 4) + "<p>Subscribers read the paper at night.").is_free is None


BODY = "\n\n".join(" ".join(SENTENCES[i : i + 2]) for i in range(0, 20, 2))


def test_the_declared_text_replaces_a_teaser() -> None:
    item = article(
        f"{paragraphs(0, 4)}<p class=box>Subscribe now to read the full story.</p>",
        json_ld(articleBody=BODY, isAccessibleForFree=False),
    )
    assert item.text.splitlines() == BODY.split("\n\n")
    assert (item.method, item.is_free) == ("data", False)
    assert item.html.count("<p>") == 10


def test_a_declared_text_with_markup() -> None:
    item = article(paragraphs(0, 4), json_ld(articleBody=paragraphs(0, 20)))
    assert item.text.splitlines() == BODY.split("\n\n")


@pytest.mark.parametrize(
    "body",
    [
        " ".join(SENTENCES[20:]),  # another text
        " ".join(SENTENCES[:5]),  # hardly longer
        " ".join(SENTENCES[:2]),
        " ".join(SENTENCES[:20]) + " Read on ...",  # cut off
        " ".join([SENTENCES[0], *SENTENCES[20:30], *SENTENCES[1:4]]),  # with other parts in between
        ["", {"a": 1}],
        7,
    ],
)
def test_another_declared_text_does_not(body: object) -> None:
    item = article(paragraphs(0, 4), json_ld(articleBody=body))
    assert item.method == "single" and item.text.count("\n") == 1


def test_a_template_whose_pages_show_teasers_is_not_missed() -> None:
    def page(i: int) -> Page:
        text = "\n".join(f"{sentence} It was day {i}." for sentence in SENTENCES[:20])
        shown = "".join(f"<p>{line}</p>" for line in text.splitlines()[:3])
        html = f"<title>Day {i}</title>{json_ld(articleBody=text)}<main class=m>{shown}</main>"
        return Page.from_html(html, f"http://a.example/{i}", Entry(title=f"Day {i}"))

    rules = learn_rules([page(i) for i in range(4)])
    item = extract_item(page(9), rules)
    assert isinstance(item, Article)
    assert item.text.count("It was day 9.") == 20
