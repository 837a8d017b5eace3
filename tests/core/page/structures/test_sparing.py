"""A wrapper does not leave out code, formulas and cited notes of the text that it keeps."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Wrapper

from ...helpers import make_page

BODY = (
    "<article><p>Owls fly<sup><a href=#n1 id=r1>1</a></sup> by night.</p>{}<p>They sleep.</p>"
    "<section class=footnotes><ol><li id=n1>Mice do not. <a href=#r1>↩</a></li></ol></section>"
    "</article>"
)


def read(body: str, *drop: str, keep: str = "//article") -> str:
    return Wrapper("forest", (keep,), drop=drop).apply(make_page(body)).text


@pytest.mark.parametrize("drop", ["//pre", "//pre/code", "//pre//span", "//div[@class='code']"])
def test_code_is_kept_whatever_is_dropped(drop: str) -> None:
    code = "<div class=code><pre><code><span>hoot()</span></code></pre></div>"
    assert (
        read(BODY.format(code), drop)
        == "Owls fly[1] by night.\nhoot()\nThey sleep.\n[1] Mice do not."
    )


def test_code_goes_with_the_part_of_the_page_that_it_is_in() -> None:
    code = "<aside><p>Sponsored.</p><pre><code>hoot()</code></pre></aside>"
    assert "hoot" not in read(BODY.format(code), "//aside")


@pytest.mark.parametrize("drop", ["//section", "//ol", "//li", "//section | //li"])
def test_cited_notes_are_kept(drop: str) -> None:
    assert read(BODY.format(""), drop).endswith("They sleep.\n[1] Mice do not.")


def test_notes_outside_of_the_kept_elements_follow_them() -> None:
    assert read(BODY.format(""), keep="//article/p[1]") == "Owls fly[1] by night.\n[1] Mice do not."


def test_notes_that_no_kept_text_cites_are_left_out() -> None:
    assert read(BODY.format(""), "//section", keep="//article/p[2]") == "They sleep."
    assert "Mice" not in read(BODY.format(""), "//section", "//article/p[1]")
