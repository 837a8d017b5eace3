"""Pages without a URL: articles among them, by site."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from demo.demo_site import build_site
from forest_scrapy.core import Fingerprint, Page
from forest_scrapy.core.learning import choose_affordable
from forest_scrapy.core.records.learning import read_candidates
from forest_scrapy.core.templates.files import (
    MIN_SITE_PAGES,
    FilePage,
    describe_file,
    describe_site,
    feature_names,
    file_model,
    find_article_files,
    names_of,
)
from forest_scrapy.core.templates.grouping import read_fingerprint

HOST = "http://demo.example"


@cache
def demo_files() -> tuple[tuple[str, Fingerprint, FilePage], ...]:
    """All pages of the demo site, by their paths."""
    files = []
    site = build_site(HOST)
    for path in sorted(site.pages):
        page = Page.from_html(site.files[path][1], "1.html")
        file = describe_file(page, read_candidates(choose_affordable([page])).facts)
        files.append((path, read_fingerprint(page, "typed"), file))
    return tuple(files)


def test_the_articles_of_a_site() -> None:
    articles = {one.path for one in build_site(HOST).articles}
    assert articles < {path for path, *_ in demo_files()}
    assert find_article_files(demo_files()) == articles
    assert find_article_files(reversed(demo_files())) == articles
    only = [one for one in demo_files() if one[0] in articles]
    assert find_article_files(only) == articles


def test_of_few_pages_each_is_judged_by_itself() -> None:
    few = [
        (path, one, replace(file, is_article_alone=number == 1))
        for number, (path, one, file) in enumerate(demo_files()[: MIN_SITE_PAGES - 1])
    ]
    assert find_article_files(few) == {few[1][0]}
    assert find_article_files([]) == set()


def test_files_are_written_as_json() -> None:
    *_, file = demo_files()[0]
    assert FilePage.from_dict(file.to_dict()) == file
    assert not any("url" in name.split("_") for name in file.numbers)


def test_the_columns_are_those_of_the_model() -> None:
    model = file_model()
    names = names_of(model)
    assert feature_names(names) == model.features
    assert set(names) == set(demo_files()[0][2].numbers)
    table = describe_site([(one, file.numbers) for _, one, file in demo_files()], names)
    assert table.shape == (len(demo_files()), len(model.features))
    above = table[:, 2 * len(names) :]
    assert np.abs(above.mean(axis=0)) == pytest.approx(np.zeros(len(names)), abs=1e-9)
