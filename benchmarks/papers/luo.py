"""Section 5 of Luo et al. 2009: precision and recall of text segments."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import forest_scrapy.rendering
from benchmarks.papers.article_layouts import LABEL, make_articles
from benchmarks.papers.tables import Row, print_table
from benchmarks.sets.bench_set import load_groups
from benchmarks.sets.scores import score_text
from forest_scrapy.core import Page
from forest_scrapy.core.methods.mss import RenderedSegments, value_segment
from forest_scrapy.core.page.rendered import STYLE_ATTRIBUTE, read_styles
from forest_scrapy.core.segments.segmentation import Segment, best_run, cut_segments

METHOD = "MSS and alignment"
#: Precision and recall in section 5.
PUBLISHED = {METHOD: "0.916; 0.991"}
#: The share of a segment's word 2-grams in the correct text from which on it counts as labelled,
#: where nobody has labelled segments.
MIN_LABELLED_SHARE = 0.8
LAYOUT = Path(forest_scrapy.rendering.__file__).with_name("layout.js")

Choices = dict[str, list[str]]


class NoBrowser(Exception):
    """No page can be rendered; the message tells what to install."""


class Figures(NamedTuple):
    """Precision and recall of one page."""

    precision: float
    recall: float


def print_luo(folder: str, names: set[str], pictures: Path | None) -> None:
    """Print the figures of section 5 on made pages, and on the named sites of a set."""
    articles = list(make_articles())
    try:
        rendered = [Page.from_html(html) for html in render_pages(articles)]
    except NoBrowser as error:
        print(f"\nLuo, section 5, on rendered pages: skipped: {error}")
    else:
        print_made(rendered, [Page.from_html(html) for html in articles])
    print_recorded(folder, names)


def render_pages(articles: Iterable[str]) -> list[str]:
    """The HTML of pages as Chromium shows them, with the styles of their elements.

    Raises ``NoBrowser``.
    """
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if find_spec("playwright") is None:
        raise NoBrowser("playwright is missing: pip install playwright")
    if not program:
        raise NoBrowser("Chromium is missing: apt-get install chromium")

    from playwright.sync_api import sync_playwright

    script = LAYOUT.read_text(encoding="utf-8")
    rendered = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        for html in articles:
            tab.set_content(html)
            tab.evaluate(script, STYLE_ATTRIBUTE)
            rendered.append(tab.content())
        browser.close()
    return rendered


def print_made(rendered: Sequence[Page], plain: Sequence[Page]) -> None:
    """Equations 4 and 5 on made pages, with and without what the browser knows."""
    segments: dict[str, list[Figures]] = {}
    words: dict[str, list[Figures]] = {}
    for page, plain_page in zip(rendered, plain, strict=True):
        labelled = labelled_texts(page)
        choices = choose_rendered(page)
        for name, texts in choose_plain(plain_page).items():
            choices[f"{name}, not rendered"] = texts
        for name, texts in choices.items():
            segments.setdefault(name, []).append(compare_segments(texts, labelled))
            words.setdefault(name, []).append(compare_words(texts, labelled))

    print_table(
        "Luo, section 5: precision and recall of segments (equation 4)",
        figure_rows(segments, PUBLISHED),
        f"{len(rendered)} made pages in six layouts instead of 95 of ten news sites; the labelled"
        " segments are those of the rendered page; the last layout has comments that look as the"
        " text does.",
    )
    print_table(
        "Luo, section 5: precision and recall of words (equation 5)",
        figure_rows(words, {}),
        "the paper gives no figures by this measure, which it finds too easy.",
    )


def print_recorded(folder: str, names: set[str]) -> None:
    """Equation 4 on recorded pages, which have no style sheets."""
    segments: dict[str, list[Figures]] = {}
    for group in load_groups(folder):
        if group.name not in names:
            continue
        for recorded in group.articles:
            page = recorded.parse()
            choices = choose_plain(page)
            labelled = []
            for text in choices["all segments"]:
                if score_text(recorded.gold, text).precision >= MIN_LABELLED_SHARE:
                    labelled.append(text)
            if not labelled:
                continue
            for name, texts in choices.items():
                segments.setdefault(name, []).append(compare_segments(texts, labelled))
    pages = len(segments.get("MSS", []))
    if not pages:
        return
    print_table(
        "Luo, section 5, on recorded pages",
        figure_rows(segments, {"MSS": PUBLISHED[METHOD]}),
        f"{pages} pages of feeds without style sheets, so that F looks at links only, and nothing"
        f" is aligned; segments with {MIN_LABELLED_SHARE:.0%} of their word 2-grams in the correct"
        " text count as labelled.",
    )


def figure_rows(figures: dict[str, list[Figures]], published: dict[str, str]) -> list[Row]:
    """The means over pages."""
    rows = []
    for name, pages in figures.items():
        precision = fmean(page.precision for page in pages)
        recall = fmean(page.recall for page in pages)
        rows.append(Row(name, published.get(name, ""), f"{precision:.3f}; {recall:.3f}"))
    return rows


def choose_rendered(page: Page) -> Choices:
    """The texts of the segments that the method and its parts choose on a rendered page."""
    rendered = cut_rendered(page)
    values = rendered.values()
    first, last = best_run(values)
    are_aligned = rendered.aligned(values, first, last)
    return {
        METHOD: choose(rendered.segments, lambda i: are_aligned[i]),
        "MSS": choose(rendered.segments, lambda i: first <= i < last),
        "F alone": choose(rendered.segments, lambda i: values[i] > 0),
        "all segments": choose(rendered.segments, lambda i: True),
    }


def choose_plain(page: Page) -> Choices:
    """The same on a page that no browser has rendered."""
    segments = cut_segments(page.outline)
    values = [value_segment(segment) for segment in segments]
    first, last = best_run(values)
    return {
        "MSS": choose(segments, lambda i: first <= i < last),
        "F alone": choose(segments, lambda i: values[i] > 0),
        "all segments": choose(segments, lambda i: True),
    }


def choose(segments: Sequence[Segment], is_chosen: Callable[[int], bool]) -> list[str]:
    return [segment.text for i, segment in enumerate(segments) if is_chosen(i)]


def labelled_texts(page: Page) -> list[str]:
    """The texts of the segments whose first leaf is in an element with the label."""
    outline = page.outline
    roots = {i for i, node in enumerate(outline.nodes) if LABEL in node.element.attrib}
    inside = outline.subtree(roots)
    texts = []
    for segment in cut_rendered(page).segments:
        if outline.leaves[segment.first].node in inside:
            texts.append(segment.text)
    return texts


def cut_rendered(page: Page) -> RenderedSegments:
    styles = read_styles(page.outline)
    assert styles is not None
    return RenderedSegments.cut(page.outline, styles)


def compare_segments(predicted: Sequence[str], labelled: Sequence[str]) -> Figures:
    """P and R of equation 4; each segment counts as often as it occurs.

    >>> compare_segments(["a", "b"], ["a"])
    Figures(precision=0.5, recall=1.0)
    """
    common = (Counter(predicted) & Counter(labelled)).total()
    return Figures(common / (len(predicted) or 1), common / (len(labelled) or 1))


def compare_words(predicted: Sequence[str], labelled: Sequence[str]) -> Figures:
    """P' and R' of equation 5; each word counts once.

    >>> compare_words(["the owl", "the end"], ["The owl"])
    Figures(precision=0.6666666666666666, recall=1.0)
    """
    predicted_words = set(re.findall(r"\w+", " ".join(predicted).lower()))
    labelled_words = set(re.findall(r"\w+", " ".join(labelled).lower()))
    common = len(predicted_words & labelled_words)
    return Figures(common / (len(predicted_words) or 1), common / (len(labelled_words) or 1))
