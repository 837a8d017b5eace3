"""Compare the text of exported page objects with that of the articles of the same wrappers.

    pip install web-poet zyte-common-items
    python -m benchmarks.quality.page_objects SET [SET ...] [--sites 60] [--worst 10] [--json]

For each site the wrapper of its largest template is learned and exported as ``scrapy forest export
--format web-poet`` does, and both read all pages of the template.  Sites whose largest template has
fewer than 4 pages are left out.

Printed: the mean F1 of word 2-grams over the sites, how many sites have at least .99, the worst
sites and pages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import fmean
from typing import Any

from benchmarks.sets.bench_set import Group, load_groups, run_command
from benchmarks.sets.placed_pages import read_site
from benchmarks.sets.scores import score_text
from forest_scrapy.core import Params, Wrapper, learn, sample_pages
from forest_scrapy.core.exports import Origin, export_wrapper
from forest_scrapy.core.exports.page_object import page_name
from forest_scrapy.responses.conversion import repair_encoding

try:
    from web_poet import HttpResponse
except ImportError:
    raise SystemExit("pip install web-poet zyte-common-items") from None

PARAMS = Params("auto")
#: Pages that a template must have.
MIN_PAGES = 4
#: The F1 that sites are counted by.
GOOD_F1 = 0.99


@dataclass(frozen=True)
class SiteResult:
    """The F1 of the pages of a site, by their URLs."""

    site: str
    pages: dict[str, float]

    @property
    def f1(self) -> float:
        return fmean(self.pages.values())


def compare_site(group: Group) -> SiteResult | None:
    """The result of a site; None if it has no template to learn from, or no article."""
    template = max(read_site(group).templates, key=len, default=())
    if len(template) < MIN_PAGES:
        return None
    pages = [placed.page for placed in template]
    wrapper = learn(sample_pages(pages, PARAMS.pages), PARAMS)
    responses = {page.url: repair_encoding(page.make_response()) for page in group.pages}
    scores = {}
    page_object = PageObject(wrapper, group.name)
    for page in pages:
        article = wrapper.article(page)
        if article is not None and article.text:
            text = page_object.read_text(page.url, responses[page.url].text)
            scores[page.url] = score_text(article.text, text).f1
    return SiteResult(group.name, scores) if scores else None


class PageObject:
    """The page object that a wrapper is exported as."""

    def __init__(self, wrapper: Wrapper, site: str) -> None:
        # web-poet warns of two page objects of one host.
        origin = Origin(f"{site}.example")
        source = export_wrapper(wrapper, origin, "web-poet")
        space: dict[str, Any] = {"__name__": "exported"}
        exec(compile(source, "exported.py", "exec"), space)
        self._page_class = space[page_name(origin.host)]

    def read_text(self, url: str, html: str) -> str:
        """The text of a page; ``""`` if it finds none."""
        response = HttpResponse(url, body=html.encode(), encoding="utf-8")
        page = self._page_class(response)
        return asyncio.run(page.to_item()).articleBody or ""


def summarize(results: Sequence[SiteResult], worst: int) -> dict[str, Any]:
    """The figures of a set."""
    by_f1 = sorted(results, key=lambda result: (result.f1, result.site))
    pages = [(f1, url) for result in results for url, f1 in result.pages.items()]
    return {
        "sites": len(results),
        "pages": len(pages),
        "f1": round(fmean(result.f1 for result in results), 4) if results else None,
        "good_sites": sum(result.f1 >= GOOD_F1 for result in results),
        "worst_sites": {result.site: round(result.f1, 3) for result in by_f1[:worst]},
        "worst_pages": {url: round(f1, 3) for f1, url in sorted(pages)[:worst]},
    }


def compare_sets(folders: Sequence[str]) -> Iterator[SiteResult]:
    """The results of the sites of some sets, one at a time."""
    for folder in folders:
        for group in load_groups(folder):
            result = compare_site(group)
            if result is not None:
                yield result


def print_summary(row: dict[str, Any]) -> None:
    print(f"{row['sites']} sites, {row['pages']} pages")
    if not row["sites"]:
        return
    print(f"  F1 {row['f1']:.4f}; at least {GOOD_F1} on {row['good_sites']} sites")
    for title in ("worst_sites", "worst_pages"):
        print(f"  {title.replace('_', ' ')}")
        for name, f1 in row[title].items():
            print(f"    {f1:.3f} {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="SET", help="folders with a manifest.json")
    parser.add_argument("--sites", type=int, help="only so many sites; all by default")
    parser.add_argument("--worst", type=int, default=10, help="number of worst sites printed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    results = list(islice(compare_sets(options.sets), options.sites))
    row = summarize(results, options.worst)
    if options.json:
        print(json.dumps(row))
    else:
        print_summary(row)


if __name__ == "__main__":
    run_command(main)
