"""Segments of rendered pages; the styles are written by hand."""

from __future__ import annotations

from forest_scrapy.core import Page, Params
from forest_scrapy.core.methods.mss import RenderedSegments, learn_mss
from forest_scrapy.core.page.rendered import STYLE_ATTRIBUTE, read_styles


def styled(
    tag: str, inner: str, left: int = 100, right: int = 700, size: int = 16, color: str = "black",
    display: str = "block",
) -> str:  # fmt: skip
    style = f"{left},0,{right - left},20,{size},{color},{display}"
    return f'<{tag} {STYLE_ATTRIBUTE}="{style}">{inner}</{tag}>'


def inline(tag: str, inner: str) -> str:
    return styled(tag, inner, display="inline")


def rendered(inner: str) -> Page:
    return Page.from_html(f"<html>{styled('body', inner, 0, 800)}</html>")


def kept(*pieces: str) -> list[str]:
    page = rendered("".join(pieces))
    return learn_mss([page], Params()).apply(page).text.splitlines()


def paragraph(word: str, **style: int | str) -> str:
    return styled("p", f"{word} {'text of the body ' * 8}".strip(), **style)  # type: ignore[arg-type]


def test_the_segments_of_the_papers_second_figure() -> None:
    """Five segments: {n12, n13}, {n7}, {n19}, {n20, n16}, {n17, n18}; n6 is a ``br``."""
    second = (
        inline("span", f"{inline('b', 'n12 ')}{inline('i', 'n13')}")
        + "<br>"
        + inline("span", "n7")
        + inline("span", styled("div", "n19") + inline("b", "n20 ") + inline("i", "n16"))
    )
    third = f"{inline('b', 'n17 ')}{inline('i', 'n18')}"
    page = rendered(styled("div", second) + styled("div", third))
    styles = read_styles(page.outline)
    assert styles is not None
    segments = RenderedSegments.cut(page.outline, styles).segments
    assert [one.text for one in segments] == ["n12 n13", "n7", "n19", "n20 n16", "n17 n18"]


def test_the_browser_decides_where_lines_break() -> None:
    """A ``span`` that a style sheet makes a block, and a ``div`` that it makes inline."""
    page = rendered(styled("span", "one") + styled("span", "two") + inline("div", "three"))
    styles = read_styles(page.outline)
    assert styles is not None
    segments = RenderedSegments.cut(page.outline, styles).segments
    assert [one.text for one in segments] == ["one", "two", "three"]


def test_other_sizes_and_colors_are_not_the_body() -> None:
    small = paragraph("small", size=11)
    grey = paragraph("grey", color="grey")
    assert [text.split()[0] for text in kept(paragraph("a"), paragraph("b"), small, grey)] == [
        "a",
        "b",
    ]


def test_a_segment_may_have_some_text_in_another_size() -> None:
    """At least 0.7 of its text has the body's size."""

    def mixed(characters: int) -> str:
        inner = "x" * (100 - characters) + styled("b", "y" * characters, size=20, display="inline")
        return styled("p", inner)

    assert len(kept(paragraph("a"), mixed(30))) == 2
    assert len(kept(paragraph("a"), mixed(31))) == 1


def test_what_is_beside_the_body_is_left_out() -> None:
    """Captions and links to related stories cover a small part of the body's range."""
    caption = styled("div", "A caption below the image", 100, 300, size=12)
    related = styled("div", "Read this story as well", 520, 700)
    texts = kept(paragraph("a"), caption, paragraph("b"), related, paragraph("c"))
    assert [text.split()[0] for text in texts] == ["a", "b", "c"]


def test_three_headings_of_the_body_stay() -> None:
    """By edges: a heading's box is as wide as the body; by centre: a short one, centred."""
    wide = styled("h2", "A wide heading", size=22)
    short = styled("h2", "Centred", 360, 440)
    quote = styled("blockquote", "Indented words", 150, 650)
    texts = kept(paragraph("a"), wide, paragraph("b"), short, paragraph("c"), quote, paragraph("d"))
    assert [text.split()[0] for text in texts] == ["a", "A", "b", "Centred", "c", "Indented", "d"]


def test_the_edges_are_those_of_most_text() -> None:
    """A wide banner does not decide; its box covers the body's range, and it stays."""
    banner = styled("div", "banner", 0, 800)
    texts = kept(paragraph("a"), banner, paragraph("b"))
    assert [text.split()[0] for text in texts] == ["a", "banner", "b"]


def test_a_page_without_text() -> None:
    assert kept() == []
