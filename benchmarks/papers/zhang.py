"""Section 5 of Zhang et al. 2018: sentences by T1 and T2, and pairs of attribute and value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.papers.tables import Row, print_table
from benchmarks.sets.bench_set import BenchPage, load_groups
from forest_scrapy.core import Page
from forest_scrapy.core.methods.vsse import choose_leaves, read_pairs, weigh_leaves
from forest_scrapy.core.options import MAX_BITS, MIN_WEIGHT_SHARE
from forest_scrapy.responses.conversion import page_of, repair_encoding

#: T1 and T2 of figures 5 and 6.
SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
BITS = (0, 3, 6, 12, 24)
#: Section 5.4: precision and recall of pairs.
PUBLISHED_PAIRS = "0.98; 0.93"
CATALOGUE_PAGES = 5

_SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s*|\n+")
_WORD = re.compile(r"\w+")

Pairs = list[tuple[str, str]]
PRODUCTS = (
    ("Owl lamp", "19 EUR", "oak", "40 cm"),
    ("Harbour clock", "75 EUR", "brass", "22 cm"),
    ("Tin box", "8 EUR", "tin", "12 cm"),
    ("Reading chair", "240 EUR", "beech", "88 cm"),
)
NAMES = ("Name", "Price", "Material", "Height")


class Figures(NamedTuple):
    """Precision, recall and F1 of one page."""

    precision: float
    recall: float
    f1: float


class Thresholds(NamedTuple):
    """T1, T2, and whether all leaves are compared with title and description."""

    min_share: float
    max_bits: int
    compares_all: bool = False


class Catalogue(NamedTuple):
    """A made page, and the pairs on it."""

    html: str
    pairs: Pairs


def print_zhang(folder: str, names: set[str], pictures: Path | None) -> None:
    """Print figures 5 and 6 on the named sites of a set, and section 5.4 on made pages."""
    articles = []
    for group in load_groups(folder):
        if group.name in names:
            articles += group.articles
    print_sentences(articles)
    print_pairs()


def print_sentences(articles: Sequence[BenchPage]) -> None:
    """Figures 5 and 6, and the figures of section 5.3 at the published thresholds."""
    variants = [Thresholds(share, MAX_BITS) for share in SHARES]
    for bits in BITS:
        variants.append(Thresholds(MIN_WEIGHT_SHARE, bits))
        variants.append(Thresholds(MIN_WEIGHT_SHARE, bits, compares_all=True))
    figures: dict[Thresholds, list[Figures]] = {variant: [] for variant in variants}
    for article in articles:
        page = page_of(repair_encoding(article.make_response()), article.entry)
        leaves = page.outline.leaves
        texts = [leaf.text.strip() for leaf in leaves]
        weights = weigh_leaves(texts)
        gold = split_sentences(article.gold)
        for variant in figures:
            chosen = choose_leaves(page, weights, *variant)
            text = "\n".join(texts[i] for i in sorted(chosen))
            figures[variant].append(compare_counts(split_sentences(text), gold))

    t1_rows = []
    for share in SHARES:
        variant = Thresholds(share, MAX_BITS)
        published = "above 0.9" if share == MIN_WEIGHT_SHARE else ""
        t1_rows.append(Row(f"T1 {share}", published, describe(figures[variant])))
    print_table(
        "Zhang, figure 5: precision; recall; F1 of sentences by T1",
        t1_rows,
        f"{len(articles)} pages of feeds instead of 1,000 of ten Chinese news sites; the paper's"
        " figure has no numbers; it tells that T1 is best between 0.6 and 0.8.",
    )
    t2_rows = []
    for label, compares_all in (("", False), (", all leaves", True)):
        for bits in BITS:
            variant = Thresholds(MIN_WEIGHT_SHARE, bits, compares_all)
            t2_rows.append(Row(f"T2 {bits}{label}", "", describe(figures[variant])))
    print_table(
        "Zhang, figure 6: precision; recall; F1 of sentences by T2",
        t2_rows,
        "the paper's figure has no numbers; it tells that T2 is best at 3. By default only leaves"
        " without punctuation are compared with title and description.",
    )


def print_pairs() -> None:
    """Section 5.4 on made pages."""
    rows = []
    all_figures = []
    filtered_figures = []
    for layout in LAYOUTS:
        layout_figures = []
        for catalogue in make_catalogues(layout):
            page = Page.from_html(catalogue.html)
            correct = Counter(catalogue.pairs)
            pairs = read_pairs(page)
            filtered_pairs = read_pairs(page, is_filtered=True)
            layout_figures.append(compare_counts(Counter(pairs), correct))
            filtered_figures.append(compare_counts(Counter(filtered_pairs), correct))
        rows.append(Row(layout, "", describe(layout_figures)))
        all_figures += layout_figures
    rows.append(Row("all", PUBLISHED_PAIRS, describe(all_figures)))
    rows.append(Row("all, filtered", "", describe(filtered_figures)))
    print_table(
        "Zhang, section 5.4: precision; recall; F1 of pairs",
        rows,
        f"{len(all_figures)} made pages instead of 2,400 of three shops; pairs instead of records"
        " of pairs. In the last row the container has filtered itself (section 6).",
    )


#: A pair, the element around the pairs of a product, and that around all products.
LAYOUTS = {
    "list": ("<li>{0}: {1}</li>", "<ul>{0}</ul>"),
    "bold names": ("<p><b>{0}:</b> {1}</p>", "<div>{0}</div>"),
    "table": ("<tr><th>{0}</th><td>{1}</td></tr>", "<table>{0}</table>"),
    "table with colons": ("<tr><td>{0}:</td><td>{1}</td></tr>", "<table>{0}</table>"),
}


def make_catalogues(layout: str) -> Iterator[Catalogue]:
    """Pages of one product to several, beside a navigation and a note with a colon."""
    pair_markup, product_markup = LAYOUTS[layout]
    for size in range(1, CATALOGUE_PAGES + 1):
        pairs: Pairs = []
        products = ""
        for number in range(size):
            product = PRODUCTS[number % len(PRODUCTS)]
            product_pairs = list(zip(NAMES, product, strict=True))
            pairs += product_pairs
            markup = "".join(pair_markup.format(*pair) for pair in product_pairs)
            products += product_markup.format(markup)
        html = (
            "<html><head><title>Shop</title></head><body><nav><a href=/>Home</a><a href=/c>Contact"
            f"</a></nav><main>{products}</main><footer>Open: Monday to Friday</footer></body>"
            "</html>"
        )
        yield Catalogue(html, pairs)


def split_sentences(text: str) -> Counter[str]:
    """The sentences of a text, by their words in lower case, each as often as it occurs.

    >>> sorted(split_sentences("The owl sat. Where? The owl  sat!"))
    ['the owl sat', 'where']
    """
    sentences: Counter[str] = Counter()
    for sentence in _SENTENCE_END.split(text):
        words = _WORD.findall(sentence.lower())
        if words:
            sentences[" ".join(words)] += 1
    return sentences


def compare_counts(extracted: Counter[Any], correct: Counter[Any]) -> Figures:
    """|ECS| / |EAS|, |ECS| / |GS| and 2 |ECS| / (|EAS| + |GS|) of section 5.1, where EAS is what is
    extracted, GS what is correct, and ECS what is both.

    >>> compare_counts(Counter("ab"), Counter("a"))
    Figures(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    both = (extracted & correct).total()
    extracted_size = extracted.total()
    correct_size = correct.total()
    return Figures(
        precision=both / (extracted_size or 1),
        recall=both / (correct_size or 1),
        f1=2 * both / (extracted_size + correct_size or 1),
    )


def describe(figures: Sequence[Figures]) -> str:
    """The means over pages."""
    means = [fmean(values) for values in zip(*figures, strict=True)]
    return "; ".join(f"{mean:.3f}" for mean in means)
