"""The comparison with site configs of Full-Text RSS."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.quality.site_configs import SiteConfigs

from ..helpers import Run

CONFIG = """body: //section[@id='story-{year}']
body: //*[contains(@class, 'article-body')]
body: //article
strip: //div[
replace_string(<noscript>): <div>
"""


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://www.news.example/story", "news.example.txt"),
        ("https://news.example/story", "news.example.txt"),
        ("https://sport.news.example/story", ".news.example.txt"),
        ("https://a.b.news.example/story", ".news.example.txt"),
        ("https://blog.other.example/story", "blog.other.example.txt"),
        ("https://other.example/story", ""),
        ("no URL", ""),
    ],
)
def test_the_config_of_a_page(tmp_path: Path, url: str, name: str) -> None:
    for config in ("news.example", ".news.example", "blog.other.example", ".other.example"):
        (tmp_path / f"{config}.txt").write_text("body: //article", "utf-8")
    assert SiteConfigs(tmp_path).find_name(url) == name


def test_the_command_compares_both(small_set: Path, tmp_path: Path, run: Run) -> None:
    config = tmp_path / "demo.example.txt"
    config.write_text(CONFIG, "utf-8")
    done = run("quality.site_configs", small_set, "--configs", tmp_path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = json.loads(done.stdout).values()
    assert (row["pages"], row["with_config"], row["nothing_matched"]) == (12, 12, 0)
    assert row["not_supported"] == {"strip": 1, "replace_string": 1}
    assert 0.5 < row["config_f1"] == row["config_f1_where_matched"] <= 1
    assert row["learned_f1"] > 0.95


def test_nothing_replaces_a_config_that_matches_nothing(
    small_set: Path, tmp_path: Path, run: Run
) -> None:
    config = tmp_path / "demo.example.txt"
    config.write_text("body: //div[@id='gone']", "utf-8")
    done = run("quality.site_configs", small_set, "--configs", tmp_path, "--worst", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "12 of 12 pages have a config (1 files; 0 more name no article)" in done.stdout
    assert "it matches nothing on 12" in done.stdout
    assert "configs 0.000" in done.stdout
    config.write_text("strip: //aside", "utf-8")
    done = run("quality.site_configs", small_set, "--configs", tmp_path)
    assert "0 of 12 pages have a config (0 files; 1 more name no article)" in done.stdout


def test_a_missing_folder_is_named(small_set: Path, tmp_path: Path, run: Run) -> None:
    done = run("quality.site_configs", small_set, "--configs", tmp_path / "none")
    assert done.returncode == 2
    assert "there is no such folder" in done.stderr
