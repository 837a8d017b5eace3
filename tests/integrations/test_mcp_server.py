"""The tools for agents, called by the client of the protocol's own library."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from crawls.helpers import environment

from demo import DemoServer

pytest.importorskip("mcp", reason="mcp is not installed")

import anyio
from mcp import Client, StdioServerParameters

from forest_scrapy.integrations.mcp_server import _read_lines, count_tokens, cut_text

PROGRAM = "from forest_scrapy.commands.main import main; main()"


@asynccontextmanager
async def connect(folder: Path, *options: str) -> AsyncIterator[Client]:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", PROGRAM, "mcp", *options],
        cwd=folder,
        env=environment(),
    )
    async with Client(server) as client:
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    text = "".join(part.text for part in result.content)  # type: ignore[union-attr]
    assert not result.is_error, text
    return text if tool == "preview_correction" else json.loads(text)


async def refuse(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return "".join(part.text for part in result.content)  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.crawl
def test_a_site_is_learned_read_explained_and_corrected(tmp_path: Path) -> None:
    async def work() -> None:
        with DemoServer() as demo:
            first = demo.site.articles[0]
            url = demo.url + first.path
            async with connect(tmp_path, "-s", "FOREST_ALLOW_PRIVATE=True") as client:
                learned = await call(client, "learn_site", url=demo.url)
                assert learned["articles"] == len(demo.site.articles)
                assert url in [item["url"] for item in learned["items"]]

                whole = await call(client, "read_article", url=url)
                assert (whole["title"], whole["pages"]) == (first.title, 1)
                parts = []
                limit = count_tokens(whole["text"]) * 2 // 3
                number = pages = 1
                while number <= pages:
                    part = await call(
                        client, "read_article", url=url, max_tokens=limit, page=number
                    )
                    assert count_tokens(part["text"]) <= limit
                    pages = part["pages"]
                    parts.append(part["text"])
                    number += 1
                assert pages > 1
                assert "".join("".join(parts).split()) == "".join(whole["text"].split())
                assert "there is no page 9" in await refuse(client, "read_article", url=url, page=9)

                again = await call(client, "what_changed", url=demo.url)
                assert (again["counts"], again["items"]) == ({}, [])
                assert (again["known_pages_not_requested"], again["next_due"]) == (0, None)
                # The crawl ends before it comes to most of the pages that it knows.
                short = await call(client, "what_changed", url=demo.url, max_pages=5)
                assert 20 <= short["known_pages_not_requested"] <= len(demo.site.articles)
                assert datetime.fromisoformat(short["next_due"]) > datetime.now(UTC)
                reasons = await call(client, "why", url=url)
                assert reasons["result"] == "article"
                template = reasons["layout"]["template"]
                rules = await call(client, "show_rules", host=url)
                preview = await call(
                    client,
                    "preview_correction",
                    host=url,
                    template=template,
                    rules=rules[template],
                    urls=[url],
                )
                assert "nothing was stored" in preview
                assert "no page of the template" not in preview
                await _preview_what_is_wrong(client, url, template, rules[template])

    anyio.run(work)


async def _preview_what_is_wrong(
    client: Client,
    url: str,
    template: str,
    rules: dict[str, Any],
) -> None:
    """What ``preview_correction`` says of rules and templates that are none."""
    arguments = {"host": url, "urls": [url]}
    without_format = {name: value for name, value in rules.items() if name != "format"}
    for wrong_rules in ({}, without_format):
        message = await refuse(
            client, "preview_correction", template=template, rules=wrong_rules, **arguments
        )
        assert "as show_rules gives them" in message
        assert "rules.json" not in message

    empty_rules = {**rules, "article": {**rules["article"], "keep": []}}
    message = await refuse(
        client, "preview_correction", template=template, rules=empty_rules, **arguments
    )
    assert "rules: the wrapper keeps nothing" in message
    assert "rules.json" not in message

    message = await refuse(client, "preview_correction", template="x", rules={}, **arguments)
    assert "has no template 'x'; it has " in message
    assert template in message


@pytest.mark.slow
@pytest.mark.crawl
def test_numbers_out_of_bounds_are_refused_with_the_bounds(tmp_path: Path) -> None:
    async def work() -> None:
        url = "https://a.example/"
        async with connect(tmp_path) as client:
            for tool in ("learn_site", "what_changed"):
                for pages in (-3, 0, 5_000):
                    message = await refuse(client, tool, url=url, max_pages=pages)
                    assert f"max_pages = {pages}: it is from 1 to 1000" in message
            message = await refuse(client, "read_article", url=url, max_tokens=-1)
            assert "max_tokens = -1: it is at least 100" in message
            message = await refuse(client, "read_article", url=url, page=0)
            assert "page = 0: it is at least 1" in message
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            schema = tools["learn_site"].input_schema["properties"]["max_pages"]
            assert (schema["minimum"], schema["maximum"]) == (1, 1000)

    anyio.run(work)


@pytest.mark.slow
@pytest.mark.crawl
def test_names_that_only_a_proxy_resolves_are_read_through_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        with DemoServer() as demo:
            article = demo.site.articles[0]
            for variable in ("http_proxy", "no_proxy"):
                monkeypatch.delenv(variable, raising=False)
                monkeypatch.delenv(variable.upper(), raising=False)
            url = f"http://journal.invalid{article.path}"
            async with connect(tmp_path) as client:
                message = await refuse(client, "read_article", url=url)
                assert "journal.invalid: the name has no address" in message
                assert "http_proxy" in message

            monkeypatch.setenv("http_proxy", demo.url)
            async with connect(tmp_path) as client:
                read = await call(client, "read_article", url=url)
                assert read["title"] == article.title
                private_urls = ("http://127.0.0.1/", "http://2130706433/", "http://a.localhost/")
                for private_url in private_urls:
                    message = await refuse(client, "read_article", url=private_url)
                    assert "FOREST_ALLOW_PRIVATE" in message

            monkeypatch.setenv("no_proxy", "journal.invalid")
            async with connect(tmp_path) as client:
                message = await refuse(client, "read_article", url=url)
                assert "journal.invalid: the name has no address" in message

    anyio.run(work)


@pytest.mark.slow
@pytest.mark.crawl
def test_files_options_and_private_addresses_are_refused(tmp_path: Path) -> None:
    async def work() -> None:
        with DemoServer() as demo:
            async with connect(tmp_path) as client:
                for url in ("file:///etc/passwd", "--help", "example.org"):
                    assert "not an http or https URL" in await refuse(
                        client, "read_article", url=url
                    )
                for tool in ("read_article", "learn_site", "what_changed", "why"):
                    assert "FOREST_ALLOW_PRIVATE" in await refuse(client, tool, url=demo.url)
                assert "no wrappers are stored" in await refuse(
                    client, "show_rules", host="a.example"
                )

    anyio.run(work)


def test_items_with_other_separators_of_lines_are_one_item_each() -> None:
    lines = '{"text": "Owls\u2028hunt\x85here"}\n{"text": "Mice"}\n'
    assert [item["text"] for item in _read_lines(lines)] == ["Owls\u2028hunt\x85here", "Mice"]


@pytest.mark.parametrize(
    "text", ["Owls hunt.\nMice hide.\n\nFoxes wait." * 9, "a" * 900, "漁師" * 90]
)
def test_text_is_cut_into_pieces_without_a_loss(text: str) -> None:
    pieces = cut_text(text, 20)
    assert max(map(count_tokens, pieces)) <= 20
    assert "".join(pieces).replace("\n", "") == text.replace("\n", "")
