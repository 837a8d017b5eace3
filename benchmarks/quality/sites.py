"""Crawl each site of a set in three ways, and compare what is emitted with what is recorded.

    python -m benchmarks.quality.sites SET [--only NAME] [--way WAY] [--folds 5] [--pages] [--json]

The ways: the site's feed; its home page without the feed; one article without the feed.  A local
server in this process answers with the recorded pages.  Printed, for each site and in the mean:

- recall: emitted articles, of the recorded ones that can be reached by recorded links from the
  start (for the feed: that it links); sites without any are left out.
- precision: articles, of the emitted pages that are recorded; an article that is emitted twice
  counts as another page the second time.
- F1: of the texts of the emitted articles, by word 2-grams.
- language: the share of the emitted articles whose language is the site's.

The classifier of article templates in the package was trained on feeds-dev.  With ``--folds`` it
is replaced by classifiers that were trained without the site.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from statistics import fmean
from typing import Any
from unittest.mock import patch

from scrapy.utils.defer import deferred_f_from_coro_f
from scrapy.utils.reactor import install_reactor

from benchmarks.quality.site_crawls import WAYS, crawl_site, start_url
from benchmarks.sets.bench_set import Group, load_groups, run_command
from benchmarks.sets.recorded_site import RecordedSite, SiteServer, serve_sites
from benchmarks.sets.scores import score_text
from benchmarks.training.article_templates import train_type_folds
from forest_scrapy.core.models.logistic import LogisticModel
from forest_scrapy.core.templates import kinds
from forest_scrapy.feeds.reader import read_feed
from forest_scrapy.items import Article

ModelOf = Callable[[str], LogisticModel]

_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"


@dataclass(frozen=True)
class SiteScore:
    """The figures of one crawl.  ``missed`` and ``extra``: URLs of articles that were not
    emitted, and of emitted pages that are no articles."""

    site: str
    way: str
    recall: float
    precision: float
    f1: float
    language: float
    missed: tuple[str, ...]
    extra: tuple[str, ...]


def score_crawl(site: RecordedSite, way: str, emitted: Sequence[Article]) -> SiteScore | None:
    """The figures of a crawl; None if the start leads to no recorded article."""
    expected = expected_articles(site, way)
    if not expected:
        return None
    crawled: dict[str, Article] = {}
    extra = []
    for article in emitted:
        page = site.find(article.url)
        if page and page.is_article and page.id not in crawled:
            crawled[page.id] = article
        elif page:
            extra.append(article.url)
    by_id = {page.id: page for page in site.group.pages}
    languages = [article.language[:2] == site.group.language for article in crawled.values()]
    texts = [score_text(by_id[id].gold, article.text).f1 for id, article in crawled.items()]
    return SiteScore(
        site.group.name,
        way,
        recall=len(expected & crawled.keys()) / len(expected),
        precision=len(crawled) / (len(crawled) + len(extra)) if crawled or extra else 0.0,
        f1=fmean(texts) if texts else 0.0,
        language=fmean(languages) if languages else 0.0,
        missed=tuple(sorted(by_id[id].url for id in expected - crawled.keys())),
        extra=tuple(sorted(extra)),
    )


def expected_articles(site: RecordedSite, way: str) -> set[str]:
    """Ids of the recorded articles that can be reached from the start of a way."""
    start = site.find(start_url(site, way))
    if way == "feed":
        headers = {"content-type": "application/xml"}
        items = read_feed(site.group.feed_body, site.group.feed_url, headers).items
        pages = {page.id for url, _ in items if (page := site.find(url))}
    else:
        pages = site.reachable(start) if start else set()
    return pages & {page.id for page in site.group.articles}


async def crawl_all(
    groups: Sequence[Group],
    ways: Sequence[str],
    server: SiteServer,
    model_of: ModelOf,
) -> list[SiteScore]:
    """Crawl the sites one after the other; progress goes to standard error."""
    scores = []
    for number, group in enumerate(groups, 1):
        site = RecordedSite(group)
        for way in ways:
            if not expected_articles(site, way):
                continue
            with patch.object(kinds, "article_model", partial(model_of, group.name)):
                emitted = await crawl_site(server, site, way)
            if score := score_crawl(site, way, emitted):
                scores.append(score)
        print(f"{number} of {len(groups)} sites: {group.name}", file=sys.stderr)
    return scores


def mean_scores(scores: Sequence[SiteScore]) -> dict[str, dict[str, float]]:
    """The mean over sites of each figure, by way."""
    return {
        way: {
            "sites": len(way_scores),
            **{
                name: round(fmean(getattr(score, name) for score in way_scores), 4)
                for name in ("recall", "precision", "f1", "language")
            },
        }
        for way in WAYS
        if (way_scores := [score for score in scores if score.way == way])
    }


def print_scores(scores: Sequence[SiteScore], verbose: bool) -> None:
    """One line for each crawl, and one for each way."""
    line = "{:44.44s} {:8s} {:6.3f} {:9.3f} {:6.3f} {:8.3f}"
    print(f"{'site':44s} {'way':8s} {'recall':>6s} {'precision':>9s} {'F1':>6s} {'language':>8s}")
    for score in scores:
        values = (score.recall, score.precision, score.f1, score.language)
        print(line.format(score.site, score.way, *values))
        if not verbose:
            continue
        for url in score.missed:
            print(f"    - {url}")
        for url in score.extra:
            print(f"    + {url}")
    for way, mean in mean_scores(scores).items():
        name = f"mean of {mean.pop('sites')} sites"
        print(line.format(name, way, *mean.values()))


def run(groups: Sequence[Group], ways: Sequence[str], model_of: ModelOf) -> list[SiteScore]:
    """Run all crawls in this process; can be called once."""
    scores: list[SiteScore] = []
    install_reactor(_REACTOR)
    from twisted.internet.task import react

    async def crawl(reactor: Any) -> None:
        with serve_sites() as server:
            scores.extend(await crawl_all(groups, ways, server, model_of))

    try:
        react(deferred_f_from_coro_f(crawl))
    except SystemExit as stopped:
        if stopped.code:
            raise
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--only", default="", help="only sites whose name contains this")
    parser.add_argument("--way", choices=WAYS, action="append", help="only this way")
    parser.add_argument("--folds", type=int, default=0, help="classifiers trained without the site")
    parser.add_argument("--pages", action="store_true", help="print missed (-) and other (+) pages")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    shipped = kinds.article_model()
    model_of = train_type_folds(options.set, options.folds) if options.folds else lambda _: shipped
    groups = [group for group in load_groups(options.set) if options.only in group.name]
    scores = run(groups, options.way or WAYS, model_of)
    if options.json:
        sites = [asdict(score) for score in scores]
        print(json.dumps({**mean_scores(scores), "sites": sites}))
    else:
        print_scores(scores, options.pages)


if __name__ == "__main__":
    run_command(main)
