"""Declarative shadow roots: read in the place of their template, with the slots filled."""

# ruff: noqa: E501 (tables of markup)

from __future__ import annotations

import pytest
from effort import limited_effort
from lxml import etree

from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import parse_html


def shadow(content: str, light: str = "", mode: str = "shadowrootmode=open") -> str:
    return f"<main>x<x-card>a<template {mode}>{content}</template>{light}</x-card>y</main>"


def text_of(html: str) -> str:
    return "|".join(" ".join(block_text(parse_html(html)).split("\n")).split())


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (shadow("<p>owls</p>"), "x|owls|y"),
        (shadow("<p>owls</p>", mode="shadowroot=open"), "x|owls|y"),
        (shadow("<p>owls</p>", mode="SHADOWROOTMODE=closed class=c"), "x|owls|y"),
        (shadow("<style>p {}</style>owls <p>fly</p> by"), "x|owls|fly|by|y"),
        (shadow("<p><slot></slot></p>z", "b<p>c</p>d"), "x|ab|c|d|z|y"),
        (shadow("<p>1 <slot name=t>none</slot></p><slot></slot>", "<b slot=t>T</b> b"), "x|1|T|a|b|y"),
        (shadow("<slot name=t>none</slot> 2", "<p>lost</p>"), "x|none|2|y"),
        (shadow("<slot></slot>:<slot></slot>", "<p>b</p>"), "x|a|b|:|y"),
        (shadow("<style>p {}</style>", "<p>b</p>"), "x|a|b|y"),
        (shadow("<p>o</p>", mode="class=t"), "x|a|y"),
        (
            shadow(f"<p>outer</p>{shadow('<p>inner <slot></slot></p>', 'light')}"),
            "x|outer|x|inner|alight|y|y",
        ),
        (shadow("<slot></slot>", shadow("<i>in</i>")), "x|a|x|in|y|y"),
    ],
)  # fmt: skip
def test_content_of_shadow_roots_stands_in_their_place(html: str, text: str) -> None:
    assert text_of(html) == text


def test_other_templates_stay() -> None:
    html = "<div><template><p>owl</p></template><p>shadowrootmode</p></div>"
    assert parse_html(html).find(".//template/p") is not None


@pytest.mark.parametrize(
    "html",
    [
        "<template shadowrootmode=open>" * 300 + "a",
        "<x-a><template shadowrootmode=open><slot></slot></template>" * 300 + "a",
        "<x-a><template shadowrootmode=open>a</template>b</x-a>" * 3000,
        "<x-a><template shadowrootmode=open>" + "<slot></slot>a" * 10_000 + "</template>b</x-a>",
        "<x-a><template shadowrootmode=open><slot></slot></template>" + "a<b>c</b>" * 10_000,
        "<template " + "a " * 100_000,
        "<template shadowrootmode=open><!-- c --><?p i?>a</template>",
    ],
)
def test_hostile_pages_take_no_time(html: str) -> None:
    with limited_effort(5):
        assert etree.tostring(parse_html(html))
