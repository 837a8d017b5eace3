"""What the pages of a template are: two questions, and the trained model that answers each.

- ``classify_templates``: which pages of a *host* are articles, if no feed says so?  It is asked of
  all pages of a crawl that wait, each time some have come, so it reads signals only, which were
  counted when the pages came.  It compares a page with those of its template and these with the
  whole host, and gives a probability for each page.
- ``choose_template_kind``: which of ``KINDS`` are the pages of *one template*?  It is asked when
  records are learned, from a few pages whose posts, items and products have been looked for
  (``records.kind_signals``); there may be no host to compare with, such as in a batch or with a
  single page.  It gives one answer for the template.

One model cannot answer both: the first decides by a comparison with the host, which the second does
not have, the second by records, which are not looked for while pages wait (50 ms a page).  Both are
a ``LogisticModel``, with the same names of kinds.
``python -m benchmarks.training.article_templates`` and ``benchmarks.training.kinds`` make the
model files.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import expm1, log

import numpy as np

from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.core.models.files import read_packaged
from forest_scrapy.core.models.logistic import (
    LogisticModel,
    Reason,
    Table,
    rank_reasons,
    write_reasons,
)
from forest_scrapy.core.templates.signals import (
    FEATURES,
    SIGNALS,
    TEMPLATE_FEATURES,
    HostSignals,
    Signals,
)

#: The kinds that pages are told to be of; an item of the kind ``page`` may be of any.
KINDS = (*(kind for kind in ITEM_KINDS if kind != "page"), "other")

#: Added to the log-odds of a page whose template has an article that the user has named, or a
#: wrapper of an earlier crawl.  Not tuned: pages of probability 0.1 or more are articles then.
KNOWN_ARTICLE = 2.2
#: The least probability of an article.
MIN_CHANCE = 0.5
#: The least probability of an article whose fingerprint is that of pages that are articles on
#: average.  Not tuned: feeds-dev has no page between the two with such a fingerprint.
MIN_CHANCE_ALIKE = 0.3
#: The same two, of a page of a host with a feed whose layout is another one than that of the feed's
#: articles, though not far from it (``MAX_CUT``).  Measured on feeds-dev with models that have not
#: seen the site, where a part of the feed is hidden (two or three items or half of them known, five
#: ways): of 27 to 100 articles with another layout 52 to 87% are found, and none of 1,560 other
#: pages.  Wrong ones come below 0.8; all of them are far from the feed's articles, too.
MIN_CHANCE_BESIDE_FEED = 0.9
MIN_CHANCE_ALIKE_BESIDE_FEED = 0.5
#: The least probability of an article of whose site nothing is known.  On feeds-dev, with models
#: that have not seen the site, 0.95 of the articles have it, and 0.05 of the other pages; if a page
#: is taken for the whole of its site, 0.20 of the others have 0.5.
MIN_CHANCE_WITHOUT_SITE = 0.3
#: Words outside links of the shortest page that is an article then: beside other pages, one with
#: less is none.  The shortest article of feeds-dev has 62.
MIN_WORDS_WITHOUT_SITE = 25


@dataclass(frozen=True)
class ArticleChances:
    """For each page of a template the probability that it is an article, their mean, and the
    signals that decided, with what they add to the log-odds on average, strongest first."""

    pages: tuple[float, ...]
    probability: float
    reasons: tuple[Reason, ...]

    def explain(self, max_reasons: int = 3) -> str:
        """The strongest reasons for the decision: ``plain_share +2.1, url_date +0.8``."""
        is_for = self.probability >= MIN_CHANCE
        return write_reasons(self.reasons, max_reasons, is_for)


@cache
def article_model() -> LogisticModel:
    """The model of the package for the only class ``article``, loaded once."""
    return LogisticModel.from_bytes(read_packaged("article_types"), features=FEATURES)


def classify_templates(
    host: HostSignals,
    templates: Sequence[Collection[str]],
    pages: Sequence[Sequence[Signals]],
    with_articles: Collection[int] = (),
) -> list[ArticleChances]:
    """Which pages of the templates of a host are articles.

    ``templates``: the digests of each; ``pages``: the signals of those of its pages that are
    classified.  ``with_articles``: indices of templates that are known to have articles.
    """
    model = article_model()
    chances_of_templates = []
    for index, table in enumerate(host.describe(templates, pages)):
        extra_odds = KNOWN_ARTICLE if index in with_articles else 0.0
        chances = model.predict(table, extra_odds)[:, 0]
        contributions = model.contributions(table, "article")
        article_chances = ArticleChances(
            pages=tuple(map(float, chances)),
            probability=float(chances.mean()) if len(chances) else 0.0,
            reasons=_rank_signals(contributions),
        )
        chances_of_templates.append(article_chances)
    return chances_of_templates


def is_article_without_site(signals: Signals) -> bool:
    """Whether a page is an article of whose site nothing else is known: how it differs from the
    site, and its template from others, is taken as average."""
    if expm1(signals.log_plain_words) < MIN_WORDS_WITHOUT_SITE:
        return False
    host = HostSignals()
    host.add("", signals)
    (table,) = host.describe([("",)], [[signals]])
    model = article_model()
    compared = slice(2 * len(SIGNALS), None)  # behind those of the page and of its template
    table[:, compared] = model.centers[compared]
    chance = model.predict(table)[0, 0]
    return bool(chance >= MIN_CHANCE_WITHOUT_SITE)


def _rank_signals(contributions: Table) -> tuple[Reason, ...]:
    """The mean contribution of each signal, whether of page, template or host."""
    if not len(contributions):
        return ()
    means = contributions.mean(axis=0)
    count = len(SIGNALS)
    of_signals = means[: 3 * count].reshape(3, count)
    of_template = means[3 * count :]
    values = np.concatenate((of_signals.sum(axis=0), of_template))
    return rank_reasons((*SIGNALS, *TEMPLATE_FEATURES), values)


#: If articles are preferred, a template is one of articles from these probabilities on, instead of
#: another kind, and instead of these.  Chosen on the same templates of other sites than trained on
#: that are reported, so that 0.98 of the articles are kept; 0.15 to 0.3 for threads are as good.
MIN_PREFERRED_ARTICLE = 0.07
MIN_PREFERRED_ARTICLE_OVER = {"other": 0.05, "thread": 0.2}
#: The least probability of an article for a page without a site to compare with.  At 0.2, of 50
#: pages each, 0.96 of wcxb-dev-articles and all of fundus are articles, of products 0.06, of forums
#: 0.12, of collections 0.24, of listings 0.54, of pages about services 0.74; at 0.07 0.98 of the
#: articles, but 0.1 to 0.9 of the others.
MIN_CHANCE_ALONE = 0.2
#: The classifier alone decides from this probability on.  On other sites than trained on, 0.4 to
#: 0.6 give the same; without the facts, small pages are ``other``.
MIN_SURE = 0.6
# Set by hand, looking at harvest-forum and 40 pages of wcxb-dev-articles.
#: The share of the prose that must be in the posts of a thread, the same on pages that declare an
#: article, as some forums do, and the share of the posts with a date.
MIN_COVERED = 0.45
MIN_COVERED_OF_ARTICLE = 0.9
MIN_DATED = 0.8
#: Items of the shortest list, the share of them whose heading links to another page, and the share
#: of linked text on its page.
MIN_ITEMS = 4
MIN_TITLED = 0.6
MAX_UNLISTED_LINKED = 0.5
#: The share of the pages that must declare a kind.
MIN_DECLARED = 0.5
#: Reasons that are named.
_MAX_REASONS = 4


@dataclass(frozen=True)
class TemplateFacts:
    """Numbers by name, those of pages averaged over the pages; ``evidence``: the main ones in
    words."""

    numbers: dict[str, float]
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """One of ``KINDS``, and what tells so, in words.

    ``is_doubtful``: whether another kind is likelier, but articles are preferred in doubt.
    """

    name: str = "other"
    evidence: tuple[str, ...] = ()
    is_doubtful: bool = False


@cache
def kind_model() -> LogisticModel:
    return LogisticModel.from_bytes(read_packaged("kinds"), classes=KINDS)


def choose_template_kind(
    facts: TemplateFacts,
    prefer_articles: bool = False,
) -> Kind:
    """The kind of the pages of a template, by what was read from them.

    ``prefer_articles``: in doubt they are articles.
    """
    model = kind_model()
    numbers = facts.numbers
    chances = predict_kinds(model, numbers)
    name = choose_kind(numbers, chances, prefer_articles)
    table = model.contributions(_row(model, numbers), name)
    contributions = table[0]
    reasons = []
    for feature, odds in rank_reasons(model.features, contributions):
        words = feature.replace("log_", "").replace("_", " ")
        reasons.append((words, odds))
    because = write_reasons(reasons, _MAX_REASONS)

    chance = f"probability {chances[name]:.2f}"
    likeliest = max(chances, key=lambda kind: (chances[kind], kind))
    if name != likeliest:
        chance += f", although {likeliest} has {chances[likeliest]:.2f}"
    is_doubtful = name == "article" and name != likeliest
    return Kind(name, (f"{chance}: {because}", *facts.evidence), is_doubtful)


def predict_kinds(
    model: LogisticModel,
    numbers: Mapping[str, float],
) -> dict[str, float]:
    """The probability of each of ``KINDS``, by the numbers of ``TemplateFacts``."""
    table = model.predict(_row(model, numbers))
    chances = table[0].tolist()
    return dict(zip(model.classes, chances, strict=True))


def is_article_alone(facts: TemplateFacts) -> bool:
    """Whether the page with these facts is an article, if nothing else is known of its site."""
    numbers = facts.numbers
    chances = predict_kinds(kind_model(), numbers)
    return bool(numbers["log_segments"]) and chances["article"] >= MIN_CHANCE_ALONE


def article_odds_alone(facts: TemplateFacts) -> float:
    """The log-odds that the page with these facts is an article, between -9.2 and 9.2."""
    chance = predict_kinds(kind_model(), facts.numbers)["article"]
    chance = max(chance, 1e-4)
    chance = min(chance, 1 - 1e-4)
    return log(chance / (1 - chance))


def _row(model: LogisticModel, numbers: Mapping[str, float]) -> Table:
    row = [numbers[name] for name in model.features]
    return np.array([row])


def choose_kind(
    numbers: Mapping[str, float],
    chances: Mapping[str, float],
    prefer_articles: bool = False,
) -> str:
    """The kind for the numbers of ``TemplateFacts``, and the probabilities of the classifier.

    The most likely kind; if that is unlikely, or ``other``, what a few facts tell.  Pages without
    text are ``other``.
    """
    if not numbers["log_segments"]:
        return "other"
    best = max(chances, key=lambda kind: (round(chances[kind], 6), kind))
    if best == "other" or chances[best] < MIN_SURE:
        best = _kind_by_facts(numbers) or best
    min_chance = MIN_PREFERRED_ARTICLE_OVER.get(best, MIN_PREFERRED_ARTICLE)
    if prefer_articles and chances["article"] >= min_chance:
        return "article"
    return best


def _kind_by_facts(numbers: Mapping[str, float]) -> str:
    """What pages declare, or records with dates or with linked titles; ``""`` if there is none."""
    if numbers["declares_one_product"] >= MIN_DECLARED:
        return "product"

    records = expm1(numbers["posts_log_records"])
    are_titled = numbers["posts_titled"] >= MIN_TITLED
    if are_titled:
        return "listing" if records >= MIN_ITEMS else ""

    declares_article = numbers["declares_article"] >= MIN_DECLARED
    min_covered = MIN_COVERED_OF_ARTICLE if declares_article else MIN_COVERED
    are_dated = numbers["posts_dated"] >= MIN_DATED
    if records > 1 and are_dated and numbers["posts_coverage"] >= min_covered:
        return "thread"
    if declares_article:
        return "article"

    items = expm1(numbers["items_log_records"])
    is_linked = numbers["linked_share"] > MAX_UNLISTED_LINKED
    return "listing" if items >= MIN_ITEMS and is_linked else ""
