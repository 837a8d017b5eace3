"""What the process of a probe answers."""

from __future__ import annotations

import json
from subprocess import run
from sys import executable
from typing import Any

import pytest

from forest_scrapy.responses import probe_server
from tests.crawls.helpers import environment, rss, story

URL = "http://a.example/1"


def ask(*tasks: tuple[str, bytes, dict[str, Any]], seconds: float = 30.0) -> list[Any]:
    """What the process prints for tasks: their kinds, bodies and options."""
    sent = b""
    for kind, body, options in tasks:
        limits = {"seconds": seconds, "memory": 200_000_000}
        task = {"task": kind, "size": len(body), **limits, "options": options}
        sent += json.dumps(task).encode() + b"\n" + body
    command = [executable, "-m", probe_server.__name__]
    done = run(command, input=sent, capture_output=True, env=environment(), timeout=120)
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_a_task_that_fails_is_answered_with_null_and_the_next_one_is_done() -> None:
    page = {"url": URL, "encoding": "utf-8"}
    slow = b"<p>" + b"<a>" * 300_000
    answers = ask(
        ("page", story(1).encode(), page),
        ("page", b"<p>", {**page, "encoding": "no such encoding"}),
        ("feed", rss([URL]), {"url": URL, "headers": {}}),
    )
    assert answers[:2] == [True, None]
    assert answers[2]["items"][0][0] == URL
    assert ask(("page", slow, page), seconds=0.05) == [None]


@pytest.mark.slow
def test_a_page_that_takes_too_much_memory_writes_no_stack() -> None:
    page = b"<html><body><p>The sea is calm.</p>" + b"&amp;" * 1_500_000
    assert ask(("page", page, {"url": URL, "encoding": "utf-8"})) == [None]


def test_a_page_is_read_as_in_a_crawl() -> None:
    kinds = {"kinds": ["article", "thread"], "comments": True}
    assert probe_server.do_page(story(1).encode(), URL, "utf-8", kinds)
