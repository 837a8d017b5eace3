"""Compare site configs of FiveFilters' Full-Text RSS with what is learned, on the same pages.

    git clone https://github.com/fivefilters/ftr-site-config
    python -m benchmarks.quality.site_configs SET [SET ...] --configs ftr-site-config
        [--folds 5] [--worst 10] [--json]

The config of a page is ``HOST.txt``, the host without ``www.``, or else ``.DOMAIN.txt`` of a domain
that the host is in.  It is read as ``scrapy forest import --format ftr`` reads it; lines that
cannot be used are skipped.  A config that matches nothing gives no text: there is no other method
to fall back to.  Configs that name no article are not counted.  The pages of a site are also
extracted as in a crawl: learned from its templates, by the method ``auto``.

Printed: the pages of the set that have a config, and those where it matches nothing; F1 of word
2-grams of the configs and of the learned wrappers, mean over all pages with a config and over those
where it matches; the directives that are not supported; the worst pages of both.

With folds, the classifier is trained without the site of the page; else the one of the package
is used, which has seen the sets it was trained on.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any
from urllib.parse import urlsplit

from benchmarks.quality.comparison import ClassifierOf
from benchmarks.quality.method_runs import run_method
from benchmarks.sets.bench_set import BenchPage, Group, load_groups, run_command, set_name
from benchmarks.sets.examples import read_training_data
from benchmarks.sets.placed_pages import read_site
from benchmarks.sets.scores import score_text
from benchmarks.training.folds import train_folds
from forest_scrapy.core import Params
from forest_scrapy.core.imports.ftr import BadSiteConfig, SiteConfig, read_site_config

PARAMS = Params("auto")


@dataclass(frozen=True)
class PageResult:
    """The F1 of the two texts of a page; ``is_matched``: the config finds text there."""

    page: str
    config: str
    is_matched: bool
    config_f1: float
    learned_f1: float


class SiteConfigs:
    """The site configs of a folder, each read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read = cache(self._read_file)

    def find_name(self, url: str) -> str:
        """The name of the file for a page; ``""`` if there is none.

        >>> SiteConfigs(Path("nowhere")).find_name("https://www.news.example/story")
        ''
        """
        host = (urlsplit(url).hostname or "").removeprefix("www.")
        labels = host.split(".")
        names = [f"{host}.txt"]
        for start in range(1, len(labels) - 1):
            domain = ".".join(labels[start:])
            names.append(f".{domain}.txt")
        for name in names:
            if (self._folder / name).is_file():
                return name
        return ""

    def find(self, url: str) -> tuple[str, SiteConfig | None]:
        """The name of the file for a page and its config, None if that names no article."""
        name = self.find_name(url)
        return name, self._read(name) if name else None

    def _read_file(self, name: str) -> SiteConfig | None:
        text = (self._folder / name).read_text(encoding="utf-8", errors="replace")
        try:
            return read_site_config(text, skip_bad_lines=True)
        except BadSiteConfig:
            return None


@dataclass(frozen=True)
class SetResults:
    """The results of a set.  ``pages``: those of it that are scored; ``left_out``: the directives
    of the configs that are not supported; ``without_article``: the files that name no article."""

    pages: int
    results: tuple[PageResult, ...]
    left_out: Counter[str]
    without_article: tuple[str, ...]


def compare_set(
    folder: str,
    configs: SiteConfigs,
    classifier_of: ClassifierOf = lambda site: None,
) -> SetResults:
    """The results of the pages of a set that have a config."""
    pages = 0
    results: list[PageResult] = []
    used: dict[str, SiteConfig] = {}
    without_article: set[str] = set()
    for group in load_groups(folder):
        pages += len(group.articles)
        with_config: list[tuple[BenchPage, str, SiteConfig]] = []
        for page in group.articles:
            name, config = configs.find(page.url)
            if config:
                used[name] = config
                with_config.append((page, name, config))
            elif name:
                without_article.add(name)
        if with_config:
            results += _compare_group(group, with_config, classifier_of)
    left_out: Counter[str] = Counter()
    for config in used.values():
        left_out.update(config.left_out)
    return SetResults(pages, tuple(results), left_out, tuple(sorted(without_article)))


def _compare_group(
    group: Group,
    with_config: Iterable[tuple[BenchPage, str, SiteConfig]],
    classifier_of: ClassifierOf,
) -> list[PageResult]:
    learned = run_method(read_site(group), PARAMS, classifier_of(group.name))
    results = []
    for page, name, config in with_config:
        config_text = config.wrapper.apply(page.parse()).text
        learned_text = learned.texts.get(page.url, "")
        result = PageResult(
            page=page.url,
            config=name,
            is_matched=bool(config_text),
            config_f1=score_text(page.gold, config_text).f1,
            learned_f1=score_text(page.gold, learned_text).f1,
        )
        results.append(result)
    return results


def summarize(results: SetResults, worst: int) -> dict[str, Any]:
    """The figures of a set; F1 is None if there is no page to take it over."""
    matched = [page for page in results.results if page.is_matched]
    by_config = sorted(results.results, key=lambda page: (page.config_f1, page.page))
    by_learned = sorted(results.results, key=lambda page: (page.learned_f1, page.page))
    return {
        "pages": results.pages,
        "with_config": len(results.results),
        "configs": len({page.config for page in results.results}),
        "configs_without_article": len(results.without_article),
        "nothing_matched": len(results.results) - len(matched),
        "config_f1": _mean(page.config_f1 for page in results.results),
        "learned_f1": _mean(page.learned_f1 for page in results.results),
        "config_f1_where_matched": _mean(page.config_f1 for page in matched),
        "learned_f1_where_matched": _mean(page.learned_f1 for page in matched),
        "not_supported": dict(results.left_out.most_common()),
        "worst_by_config": [_row(page) for page in by_config[:worst]],
        "worst_by_learned": [_row(page) for page in by_learned[:worst]],
    }


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return round(fmean(numbers), 4) if numbers else None


def _row(page: PageResult) -> dict[str, Any]:
    return {
        "page": page.page,
        "config_f1": round(page.config_f1, 3),
        "learned_f1": round(page.learned_f1, 3),
    }


def add_results(sets: Sequence[SetResults]) -> SetResults:
    """The results of several sets as those of one."""
    left_out: Counter[str] = Counter()
    without_article: set[str] = set()
    for one_set in sets:
        left_out += one_set.left_out
        without_article.update(one_set.without_article)
    return SetResults(
        pages=sum(one_set.pages for one_set in sets),
        results=tuple(page for one_set in sets for page in one_set.results),
        left_out=left_out,
        without_article=tuple(sorted(without_article)),
    )


def print_summary(name: str, row: dict[str, Any]) -> None:
    print(
        f"{name}: {row['with_config']} of {row['pages']} pages have a config ({row['configs']}"
        f" files; {row['configs_without_article']} more name no article)"
    )
    print(f"  it matches nothing on {row['nothing_matched']}")
    if not row["with_config"]:
        return
    print(f"  F1 on all of them      configs {row['config_f1']:.3f}  auto {row['learned_f1']:.3f}")
    if row["config_f1_where_matched"] is not None:
        print(
            f"  F1 where one matches   configs {row['config_f1_where_matched']:.3f}"
            f"  auto {row['learned_f1_where_matched']:.3f}"
        )
    directives = ", ".join(f"{name} {number}" for name, number in row["not_supported"].items())
    print(f"  lines not supported: {directives or 'none'}")
    for key, title in (("worst_by_config", "configs"), ("worst_by_learned", "auto")):
        if row[key]:
            print(f"  worst by {title} (F1 of configs, auto)")
        for page in row[key]:
            print(f"    {page['config_f1']:.3f} {page['learned_f1']:.3f} {page['page']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="SET", help="folders with a manifest.json")
    parser.add_argument("--configs", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--folds", type=int, default=0, help="train without the site, in N folds")
    parser.add_argument("--worst", type=int, default=10, help="number of worst pages printed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.folds < 0 or options.folds == 1:
        parser.error("--folds must be 2 or more")
    if not options.configs.is_dir():
        parser.error(f"--configs {options.configs}: there is no such folder")
    classifier_of: ClassifierOf = lambda site: None  # noqa: E731
    if options.folds:
        classifier_of = train_folds(read_training_data(options.sets), options.folds)
    configs = SiteConfigs(options.configs)
    sets = {}
    for folder in options.sets:
        sets[set_name(folder)] = compare_set(folder, configs, classifier_of)
    if len(sets) > 1:
        sets["all"] = add_results(list(sets.values()))
    report = {name: summarize(results, options.worst) for name, results in sets.items()}
    if options.json:
        print(json.dumps(report))
        return
    for name, row in report.items():
        print_summary(name, row)


if __name__ == "__main__":
    run_command(main)
