"""The confidence of texts: the F1 that they are expected to have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from forest_scrapy.core import Entry, Options, Page, Visit, extract_item, extract_page, learn_rules
from forest_scrapy.core.items import Article, Thread, WebPage
from forest_scrapy.core.methods.confidence import (
    FEATURES,
    ConfidenceModel,
    TextOrigin,
    default_model,
    describe_posts,
    describe_text,
    rate_posts,
    rate_text,
)
from forest_scrapy.core.page.page import Extract
from forest_scrapy.core.wrapper import Wrapper
from forest_scrapy.core.xpaths.anchored import element_path

from ..records.threads import THREADS, make_thread

URL = "https://owl.example/a"
BIRDS = ("barn owls", "tawny owls", "eagle owls", "little owls", "snowy owls", "scops owls")


def sentence(bird: str) -> str:
    return f"In a cold winter {bird} leave the woods and hunt close to the villages, day and night."


def write_page(kept: int, left: int = 0, around: str = "") -> str:
    """A page with paragraphs that are kept and others that are not."""
    paragraphs = "".join(f"<p class=in>{sentence(bird)}</p>" for bird in BIRDS[:kept])
    others = "".join(f"<p class=out>{sentence(bird)}</p>" for bird in BIRDS[:left])
    title = "<title>Owls in winter</title><h1>Owls in winter</h1>"
    return f"{title}<main><div>{paragraphs}{others}</div></main>{around}"


def describe(html: str, keep: str = "//p[@class='in']", entry: Entry | None = None) -> Any:
    page = Page.from_html(html, URL, entry)
    wrapper = Wrapper("test", (keep,), take="all")
    row = describe_text(page, wrapper.apply(page), TextOrigin(wrapper))
    return dict(zip(FEATURES, row, strict=True))


def test_prose_outside_of_the_text_is_counted_by_where_it_stands() -> None:
    html = write_page(2, 2)
    assert describe(html)["kept_prose"] == pytest.approx(0.5, abs=0.02)
    assert describe(html)["prose_after"] == pytest.approx(0.5, abs=0.02)
    assert describe(html, "//p[@class='out']")["prose_before"] == pytest.approx(0.5, abs=0.02)
    middle = describe(write_page(3), "//p[not(position()=2)]")
    assert middle["prose_between"] == pytest.approx(1 / 3, abs=0.02)


def test_prose_in_links_counts_apart() -> None:
    teasers = "".join(f"<li><a href=/{i}>{sentence(BIRDS[i])}</a></li>" for i in range(4))
    row = describe(write_page(4, around=f"<ul>{teasers}</ul>"))
    assert row["kept_prose"] == 1
    assert row["linked_prose"] == pytest.approx(0.5, abs=0.05)


def test_a_text_has_the_words_of_its_feed_entry_or_not() -> None:
    html = write_page(2)
    about_owls = Entry("Barn owls", "In a cold winter barn owls leave the woods")
    about_boats = Entry("Boats", "Three ferries were sold")
    assert describe(html, entry=about_owls)["entry_words"] == 1
    assert describe(html, entry=about_owls)["entry_start"] == 1
    assert describe(html, entry=about_boats)["entry_words"] == 0
    assert describe(html)["entry_words"] == -1


def test_every_feature_has_a_number_whatever_the_page() -> None:
    for html in ("", "<p>", "<p>a", write_page(1, 3), "<body>" + 3000 * "<div><a href=x>"):
        for keep in ("//p", "//nothing"):
            row = describe(html, keep)
            assert list(row) == list(FEATURES)
            assert np.isfinite(list(row.values())).all()


def test_confidence_is_a_share_with_three_digits_and_never_0() -> None:
    page = Page.from_html(write_page(3), URL)
    for extract in (Extract(), Wrapper("test", ("//main",)).apply(page)):
        confidence = rate_text(page, extract, TextOrigin(Wrapper("test")))
        assert 0 < confidence <= 1
        assert confidence == round(confidence, 3)


def test_articles_threads_and_pages_have_a_confidence() -> None:
    article = extract_item(Page.from_html(write_page(6), URL))
    assert isinstance(article, Article)
    assert article.confidence > 0
    visit = Visit(is_article=False)
    threads = Options(kinds=("thread",))
    thread = extract_item(make_thread(THREADS[0]), None, threads, visit)
    assert isinstance(thread, Thread)
    assert thread.confidence > 0
    words = "".join(f"<h2>{bird}</h2><p>From 9 euros a month</p>" for bird in BIRDS)
    kinds = Options(kinds=("page",))
    page = extract_item(Page.from_html(f"<main>{words}</main>", URL), None, kinds, visit)
    assert isinstance(page, WebPage)
    assert page.confidence > 0


def test_an_article_by_the_rules_of_a_template_is_rated_without_a_classifier(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = [Page.from_html(write_page(kept), f"{URL}/{kept}") for kept in (3, 4, 5)]
    rules = learn_rules(pages)

    def refuse(*_: object) -> None:
        raise AssertionError("a classifier was asked")

    monkeypatch.setattr("forest_scrapy.core.segments.classifier.Classifier.score", refuse)
    done = extract_page(Page.from_html(write_page(6), f"{URL}/6"), rules)
    assert done.by_template
    assert isinstance(done.item, Article)
    assert done.item.confidence > 0


def test_a_text_that_leaves_out_most_of_the_article_is_of_lower_confidence() -> None:
    around = f"<p>{' '.join(sentence(bird) for bird in 4 * BIRDS)}</p>"
    whole = Page.from_html(write_page(6), URL)
    part = Page.from_html(write_page(1, 5, around), URL)
    wrapper = Wrapper("trained", ("//p[@class='in']",), take="all")
    origin = TextOrigin(wrapper)
    of_whole = rate_text(whole, wrapper.apply(whole), origin)
    assert rate_text(part, wrapper.apply(part), origin) < of_whole


def test_posts_without_text_are_of_lower_confidence_than_others() -> None:
    page = Page.from_html(write_page(6), URL)
    post = {"author": "Ana", "date": "2024-05-01"}
    good = [{**post, "text": sentence(bird)} for bird in BIRDS]
    bad = [{"author": "", "date": "", "text": ""} for _ in BIRDS]
    assert rate_posts(page, bad) < rate_posts(page, good)
    assert len(describe_posts(page, [])) == len(FEATURES)


def test_a_model_of_other_features_is_refused() -> None:
    model = default_model()
    assert ConfidenceModel.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
    data = model.to_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("forest_scrapy.core.methods.confidence.FEATURES", FEATURES[1:])
        with pytest.raises(ValueError, match="trained on other features"):
            ConfidenceModel.from_bytes(data)


def test_prose_at_new_places_is_told_from_that_which_all_pages_have() -> None:
    notice = f"<p class=notice>{sentence('readers of this paper')}</p>"
    page = Page.from_html(write_page(6, around=notice), URL)
    (place,) = (
        element_path(one, {}, {}) for one in page.root.iter("p") if one.get("class") == "notice"
    )
    wrapper = Wrapper("trained", ("//p[@class='in']",), take="all", outside=(place,))
    shares = []
    for around in (notice, f"{notice}<section class=new><p>{sentence('storks')}</p></section>"):
        page = Page.from_html(write_page(6, around=around), URL)
        row = describe_text(page, wrapper.apply(page), TextOrigin(wrapper))
        shares.append(dict(zip(FEATURES, row, strict=True))["new_prose"])
    assert shares[0] == 0
    assert shares[1] > 0.05
