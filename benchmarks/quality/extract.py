"""Extract the articles of a set with the components of a crawl, and score them.

    python -m benchmarks.quality.extract SET OUT.jsonl [--method NAME] [--withhold-feed-fields]
        [--json]

The pages of each group are clustered, and wrappers are learned and applied.  OUT.jsonl gets one
line for each page of kind article, with an empty text if nothing was found.  Printed: precision,
recall and F1 of word 2-grams over the pages with a gold text, by the method that found them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.sets.bench_set import BenchPage, load_groups, run_command
from benchmarks.sets.offline import crawl_pages
from benchmarks.sets.scores import Score, mean_score, score_text
from forest_scrapy.core import METHODS
from forest_scrapy.items import Article
from forest_scrapy.settings import ForestSettings


async def extract_set(
    folder: str, config: ForestSettings
) -> list[tuple[BenchPage, Article | None]]:
    """Every page of kind article with the article extracted from it."""
    articles_of_pages: list[tuple[BenchPage, Article | None]] = []
    for group in load_groups(folder):
        articles = await crawl_pages(group.pages, config)
        for page in group.pages:
            if page.is_article:
                articles_of_pages.append((page, articles.get(page.url)))
    return articles_of_pages


def prediction(page: BenchPage, article: Article | None) -> dict[str, Any]:
    """One line of the output."""
    article = article or Article(page.url, method="dropped")
    return {
        "id": page.id,
        "url": page.url,
        "text": article.text,
        "title": article.title,
        "authors": article.authors,
        "published": article.published,
        "method": article.method,
        "xpath": article.xpath,
    }


def score_methods(extracted: Iterable[tuple[BenchPage, Article | None]]) -> dict[str, list[Score]]:
    """The scores of the pages with gold, by the method that found them; ``all`` has all."""
    scores: dict[str, list[Score]] = defaultdict(list)
    for page, article in extracted:
        if page.gold:
            score = score_text(page.gold, article.text if article else "")
            scores[article.method if article else "dropped"].append(score)
            scores["all"].append(score)
    return dict(sorted(scores.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("out", help="predictions, JSON lines")
    parser.add_argument("--method", default="auto", choices=("auto", *METHODS))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--withhold-feed-fields",
        action="store_true",
        help="use feed entries as signifiers only, not for titles, dates, authors and tags",
    )
    options = parser.parse_args()
    config = ForestSettings(method=options.method, feed_fields=not options.withhold_feed_fields)
    start = time.perf_counter()
    extracted = asyncio.run(extract_set(options.set, config))
    seconds = time.perf_counter() - start
    with Path(options.out).open("w", encoding="utf-8") as out:
        for page, article in extracted:
            out.write(json.dumps(prediction(page, article), ensure_ascii=False) + "\n")
    report(extracted, seconds, options.json)


def _round_scores(score: Score) -> dict[str, float]:
    return {name: round(value, 4) for name, value in score._asdict().items()}


def report(
    extracted: list[tuple[BenchPage, Article | None]],
    seconds: float,
    as_json: bool,
) -> None:
    scores = score_methods(extracted)
    rows = {
        name: {"pages": len(method_scores), **_round_scores(mean_score(method_scores))}
        for name, method_scores in scores.items()
    }
    if as_json:
        print(json.dumps({"pages": len(extracted), "seconds": round(seconds, 2), "methods": rows}))
        return
    print(f"{'method':14s} {'pages':>6s} {'precision':>10s} {'recall':>8s} {'F1':>8s}")
    for name, row in rows.items():
        print(f"{name:14s} {row['pages']:6d} {row['precision']:10.4f}", end="")
        print(f" {row['recall']:8.4f} {row['f1']:8.4f}")
    print(f"{len(extracted)} pages in {seconds:.1f} s")


if __name__ == "__main__":
    run_command(main)
