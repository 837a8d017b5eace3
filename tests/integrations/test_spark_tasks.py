"""Spark's tasks, without Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from forest_scrapy.core.page.urls import page_key
from forest_scrapy.settings import ForestSettings
from tests.batch.helpers import demo_pages, write_warc
from tests.crawls.helpers import story

pd = pytest.importorskip("pandas")
from forest_scrapy.integrations import spark_tasks as tasks  # noqa: E402 - it needs pandas

HOST = "http://a.example"


def frame_of(numbers: range) -> Any:
    """The columns of pages as the tasks get them."""
    urls = [f"{HOST}/story/{number}" for number in numbers]
    return pd.DataFrame({
        "url": urls, "html": [story(number).encode() for number in numbers], "status": 200,
        "fetched_at": "", "headers": None, "error": "", "is_text": True, "host": "a.example",
        "key": list(map(page_key, urls)), "part": 0,
    })  # fmt: skip


@pytest.mark.parametrize("method", ["auto", "mss", "forest"])
def test_pages_outside_the_sample_are_recognised(method: str) -> None:
    """By their template, also with a method that learns nothing from it."""
    settings = ForestSettings(method=method)
    plan = tasks.learn_host(frame_of(range(6)), settings, False)
    found = tasks.extract_group(frame_of(range(9)), plan, settings, False)
    assert list(found["reason"]) == [""] * 9
    assert len(set(found["template_id"])) == 1


def test_items_of_another_class() -> None:
    pytest.importorskip("zyte_common_items")
    settings = ForestSettings(item="zyte")
    plan = tasks.learn_host(frame_of(range(4)), settings, True)
    found = tasks.extract_parts(frame_of(range(4)), plan, settings, True)
    assert set(found["kind"]) == {"article"}
    assert all(json.loads(text)["articleBody"] for text in found["item"])


def test_bad_pages_have_a_reason(tmp_path: Path) -> None:
    """A bad URL, a status that is missing, a damaged record: each costs only itself."""
    settings, pages = ForestSettings(), frame_of(range(6))
    plan = tasks.learn_host(pages, settings, False)
    pages["status"] = [float("nan"), None, *[200.0] * 4]
    pages.loc[2, "url"] = "http://[x/"
    pages.loc[3, "error"] = "damaged record: it is cut"
    found = tasks.extract_group(pages, plan, settings, False)
    assert sorted(found["reason"]) == ["", "", "", "", "bad_url", "damaged record: it is cut"]


def test_damaged_archives_are_rows_with_an_error(tmp_path: Path) -> None:
    file = write_warc(tmp_path / "a.warc.gz", demo_pages())
    file.write_bytes(file.read_bytes()[:-9])
    names = [str(file), str(tmp_path / "nowhere.warc")]
    found = pd.concat(list(tasks.read_files(iter([pd.DataFrame({"file": names})]), 10**6)))
    errors = dict(zip(found["url"], found["error"], strict=True))
    assert sum(not error for error in errors.values()) == len(demo_pages())
    (cut,) = [error for url, error in errors.items() if url.startswith(f"{file}@")]
    assert "cut" in cut and "FileNotFoundError" in errors[names[1]]


def test_a_challenge_among_the_pages_is_blocked() -> None:
    frame = frame_of(range(8))
    challenge = "<title>Just a moment...</title><h1>Site</h1><p>Checking your browser.</p>"
    frame.at[7, "html"] = challenge.encode()
    settings = ForestSettings()
    for sample in (frame, frame_of(range(6))):
        plan = tasks.learn_host(sample, settings, False)
        reasons = tasks.extract_group(frame, plan, settings, False)["reason"]
        assert sorted(reasons) == [""] * 7 + ["blocked"]
