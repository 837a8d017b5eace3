"""How far the text of an item can be trusted: the F1 that it is expected to have.

    rate_text(page, extract, origin) -> 0 to 1
    rate_posts(page, posts) -> 0 to 1

A text without its correct version is described by how it was found, what its wrapper rests on, what
it looks like, what the page has of prose that is not in it, and whether it has the words that the
page and its feed entry declare.  Trees that were trained on pages with a correct text estimate the
F1 of its word 2-grams from that.  ``python -m benchmarks.training.confidence`` makes the model
file, for sites that neither it nor the classifiers have seen.

Nothing here needs a classifier to score the page: most articles are read by the rules of a
template, which takes a few times as long as the parse of the page.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from math import log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.methods import TRAINED_METHODS
from forest_scrapy.core.models.files import read_arrays, read_packaged, write_arrays
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.page.columns import read_long_texts
from forest_scrapy.core.page.content import NO_CONTENT
from forest_scrapy.core.page.language import START_LENGTH, split_words, words_at_start
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.tree import IGNORED, PHRASING, Element, body_of, class_and_id
from forest_scrapy.core.wrapper import Wrapper
from forest_scrapy.core.xpaths.anchored import element_path

#: Decimal digits of a confidence, and the lowest one: 0 is that of what was not estimated.
_DIGITS = 3
_LOWEST = 0.001

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: The value of a feature of what is not there.
_NONE = -1.0
#: Characters of a text that its marks are read from (its words: ``START_LENGTH``), and of a
#: declared description.
_SAMPLE_LENGTH = 1_500
_DESCRIPTION_LENGTH = 500
#: Texts of the page that are looked at.
_MAX_TEXTS = 3_000
#: Characters from which on a line is prose, and up to which it is a label.
_PROSE_LINE = 80
_LABEL_LINE = 25
#: Elements around the kept text whose names are looked at, and around a text node.
_MAX_NAMED = 6
_MAX_LEVELS = 8
#: Characters of a text node of prose.
_MIN_PROSE = 40
_GOOD_NAMES = re.compile(r"content|article|entry|post|body|story|text|main", re.IGNORECASE)
_BAD_NAMES = re.compile(
    r"comment|sidebar|footer|header|menu|\bnav|related|widget|share|banner|promo|modal|cookie|"
    r"login|search|list|card|grid|teaser",
    re.IGNORECASE,
)
_MARKS = re.compile("[.,;:!?\\u3002\\uff0c\\u3001\\uff01\\uff1f\\uff1b\\uff1a]")
_NUMBERS = re.compile("[0-9]")
_CAPITALS = re.compile("[A-Z\\u00c0-\\u00de\\u0391-\\u03a9\\u0410-\\u042f]")
_ENDS = '.!?:"\u2026\u201d\u00bb\u3002\uff01\uff1f'

#: Names of the features, in their order.
FEATURES = (
    # How the text was found.
    "is_template", "is_single", "is_data", "is_entry", "is_page", "is_thread", "is_missed",
    "kind_product", "kind_listing", "kind_article",
    # What its wrapper rests on.
    "pages", "match", "score", "keep_confidence", "least_confidence", "alternative", "drops",
    "unseen", "expected",
    # What it looks like.
    "length", "lines", "mean_line", "prose_lines", "label_lines", "ended_lines", "repeated_lines",
    "first_line", "last_line", "longest_line", "marks", "digits", "capitals", "links",
    "linked_text", "linked_headings", "images",
    # Where it stands.
    "good_names", "bad_names", "is_article_tag", "is_main_tag", "is_body_tag", "blocks",
    "list_blocks", "paragraph_blocks", "cell_blocks",
    # What the page has of prose.
    "prose", "prose_ratio", "kept_prose", "prose_before", "prose_between", "prose_after",
    "new_prose", "linked_prose", "kept_linked_prose",
    # What the page and the feed entry declare.
    "title_words", "description_words", "description_start", "declared_length", "declared_words",
    "has_entry", "entry_words", "entry_start",
    # The posts of a thread.
    "posts", "with_author", "with_date", "with_text", "mean_post", "shortest_post",
)  # fmt: skip


@dataclass(frozen=True)
class TextOrigin:
    """How a text was found.

    ``wrapper``: what found it; ``is_missed``: whether the wrapper of the template found nothing;
    ``kind``: of the page, if it is a ``WebPage``, else ``""``.
    """

    wrapper: Wrapper
    is_missed: bool = False
    kind: str = ""


@dataclass(frozen=True, eq=False)
class ConfidenceModel:
    """Trees that estimate the F1 of a text from a row of ``FEATURES``."""

    trees: Trees

    def predict(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """The expected F1 of each row."""
        return self.trees.probabilities(table)

    def to_bytes(self) -> bytes:
        return write_arrays({"features": FEATURES, **self.trees.to_arrays()})

    @classmethod
    def from_bytes(cls, data: bytes) -> "ConfidenceModel":
        """Read ``to_bytes``; raises ``ValueError`` if the model was trained on other features."""
        return cls(Trees.from_arrays(read_arrays(data, {"features": FEATURES})))


@cache
def default_model() -> ConfidenceModel:
    """The model of this package, loaded once."""
    return ConfidenceModel.from_bytes(read_packaged("confidence"))


def rate_text(page: Page, extract: Extract, origin: TextOrigin) -> float:
    """The confidence of the text of an article or a page of any kind.

    Cost: three quarters of the parse of the page.
    """
    return _rate(describe_text(page, extract, origin))


def rate_posts(page: Page, posts: Sequence[Mapping[str, Any]]) -> float:
    """The confidence of a thread with these posts, as those of ``Thread``."""
    return _rate(describe_posts(page, posts))


def _rate(row: Sequence[float]) -> float:
    table = np.array([row], dtype=np.float32)
    (expected_f1,) = default_model().predict(table)
    return max(round(float(expected_f1), _DIGITS), _LOWEST)


def describe_text(page: Page, extract: Extract, origin: TextOrigin) -> list[float]:
    """The ``FEATURES`` of the text of an article or a page of any kind."""
    features = {
        **_describe_origin(extract, origin),
        **_describe_lines(extract.text),
        **_describe_links(extract),
        **_describe_place(extract),
        **_describe_prose(page, extract, origin.wrapper),
        **_describe_declared(page, extract.text),
    }
    return [features.get(name, _NONE) for name in FEATURES]


def describe_posts(
    page: Page,
    posts: Sequence[Mapping[str, Any]],
) -> list[float]:
    """The ``FEATURES`` of a thread."""
    texts = []
    with_author = 0
    with_date = 0
    for post in posts:
        text = post.get("text")
        if text:
            texts.append(str(text))
        if post.get("author"):
            with_author += 1
        if post.get("date"):
            with_date += 1

    lengths = [len(text) for text in texts]
    mean_length = sum(lengths) / max(len(texts), 1)
    count = max(len(posts), 1)
    whole_text = "\n".join(texts)
    nothing = Extract(NO_CONTENT)
    features = {
        "is_thread": 1.0,
        "posts": log1p(len(posts)),
        "with_author": with_author / count,
        "with_date": with_date / count,
        "with_text": len(texts) / count,
        "mean_post": log1p(mean_length),
        "shortest_post": log1p(min(lengths, default=0)),
        **_describe_lines(whole_text),
        **_describe_prose(page, nothing, length=len(whole_text)),
        **_describe_declared(page, whole_text),
    }
    return [features.get(name, _NONE) for name in FEATURES]


def _describe_origin(extract: Extract, origin: TextOrigin) -> dict[str, float]:
    wrapper = origin.wrapper
    evidence = wrapper.evidence
    is_article = not origin.kind
    is_from_elements = is_article and wrapper.source == "page"
    features: dict[str, float] = {
        "is_template": is_from_elements and evidence.pages > 1,
        "is_single": is_from_elements and evidence.pages == 1,
        "is_data": wrapper.source == "data",
        "is_entry": wrapper.source == "entry",
        "is_page": bool(origin.kind),
        "is_thread": 0.0,
        "is_missed": origin.is_missed,
        "kind_product": origin.kind == "product",
        "kind_listing": origin.kind == "listing",
        "kind_article": origin.kind == "article",
        "expected": extract.expected_f1 or _NONE,
    }
    if wrapper.method not in TRAINED_METHODS or not is_article:
        return features

    parts = set(extract.xpath.split(" | "))
    confidences = []
    for rule in evidence.rules:
        if rule.xpath in parts:
            confidences.append(rule.confidence)
    if confidences:
        features["keep_confidence"] = confidences[0]
        features["least_confidence"] = min(confidences)
    if extract.xpath in wrapper.keep:
        features["alternative"] = wrapper.keep.index(extract.xpath)
    features["pages"] = log1p(evidence.pages)
    features["match"] = evidence.match
    features["score"] = evidence.score
    features["drops"] = log1p(len(wrapper.drop))
    features["unseen"] = log1p(extract.unseen)
    return features


def _describe_lines(text: str) -> dict[str, float]:
    lines = [line for line in text.split("\n") if line]
    if not lines:
        return {"length": 0.0, "lines": 0.0}

    size = len(text)
    count = len(lines)
    lengths = [len(line) for line in lines]
    prose = sum(length for length in lengths if length >= _PROSE_LINE)
    labels = sum(length <= _LABEL_LINE for length in lengths)
    ended = sum(line[-1] in _ENDS for line in lines)

    sample = text[:_SAMPLE_LENGTH]
    marks = len(_MARKS.findall(sample))
    digits = len(_NUMBERS.findall(sample))
    capitals = len(_CAPITALS.findall(sample))
    return {
        "length": log1p(size),
        "lines": log1p(count),
        "mean_line": log1p(size / count),
        "prose_lines": prose / size,
        "label_lines": labels / count,
        "ended_lines": ended / count,
        "repeated_lines": 1 - len(set(lines)) / count,
        "first_line": log1p(lengths[0]),
        "last_line": log1p(lengths[-1]),
        "longest_line": max(lengths) / size,
        "marks": marks / len(sample),
        "digits": digits / len(sample),
        "capitals": capitals / len(sample),
    }


def _describe_links(extract: Extract) -> dict[str, float]:
    content = extract.content
    size = max(len(content.text), 1)
    linked = sum(len(link.text) for link in content.links)
    return {
        "links": 1000 * len(content.links) / (size + 200),
        "linked_text": min(linked / size, 1.0),
        "linked_headings": content.linked_headings,
        "images": log1p(len(content.images)),
    }


def _describe_place(extract: Extract) -> dict[str, float]:
    """The elements that the text is in; nothing of a text that is from none."""
    blocks = extract.content.text_blocks
    if not blocks:
        return {}

    path = _common_path(blocks[0], blocks[-1])[:_MAX_NAMED]
    tags = [element.tag for element in path]
    good_names = 0
    bad_names = 0
    for element in path:
        is_good, is_bad = _rate_name(class_and_id(element, 200))
        if is_good:
            good_names += 1
        if is_bad:
            bad_names += 1

    count = len(blocks)
    block_tags = Counter(block.tag for block in blocks)
    list_blocks = block_tags["li"] + block_tags["ul"] + block_tags["ol"]
    cell_blocks = block_tags["td"] + block_tags["th"]
    return {
        "good_names": good_names,
        "bad_names": bad_names,
        "is_article_tag": "article" in tags,
        "is_main_tag": "main" in tags,
        "is_body_tag": "body" in tags[:1],
        "blocks": log1p(count),
        "list_blocks": list_blocks / count,
        "paragraph_blocks": block_tags["p"] / count,
        "cell_blocks": cell_blocks / count,
    }


@lru_cache(maxsize=2048)  # the pages of a template have the same
def _rate_name(name: str) -> tuple[bool, bool]:
    """Whether a name is that of an article, and whether it is that of another part of a page."""
    is_good = _GOOD_NAMES.search(name) is not None
    is_bad = _BAD_NAMES.search(name) is not None
    return is_good, is_bad


def _common_path(first: Element, last: Element) -> Sequence[Element]:
    """The elements that are around both, the innermost first; an element is around itself."""
    around = {last, *last.iterancestors()}
    for element in (first, *first.iterancestors()):
        if element in around:
            return (element, *element.iterancestors())
    return ()


def _describe_prose(
    page: Page,
    extract: Extract,
    wrapper: Wrapper | None = None,
    length: int = 0,
) -> dict[str, float]:
    """The prose of the page, and how much of it is in the text: characters of long text nodes,
    those in links apart.  ``wrapper``: knows the places of prose that is no content; ``length``: of
    a text whose elements are not known."""
    body = body_of(page.root)
    blocks = set(extract.content.text_blocks)
    outside: dict[Element, int] = {}
    inside = 0
    inside_linked = 0
    linked = 0
    total_outside = 0
    before = 0
    between = 0
    for element, text in islice(read_long_texts(body, IGNORED, _MIN_PROSE), _MAX_TEXTS):
        size = len(text.strip())
        if size < _MIN_PROSE:  # the rest is white space
            continue
        block, is_linked = _find_block(element, blocks)
        if block in blocks:
            if not inside:
                before = total_outside
            inside += size
            if is_linked:
                inside_linked += size
            between = total_outside - before
        elif is_linked:
            linked += size
        else:
            total_outside += size
            if block is not None:
                outside[block] = outside.get(block, 0) + size

    prose = inside + total_outside
    text_length = length or len(extract.text)
    features = {
        "prose": log1p(prose),
        "prose_ratio": min(text_length / (prose + 100), 4.0),
        "linked_prose": linked / (prose + linked + 1),
    }
    if blocks and inside:
        after = total_outside - before - between
        features["kept_prose"] = inside / prose
        features["prose_before"] = before / prose
        features["prose_between"] = between / prose
        features["prose_after"] = after / prose
        features["kept_linked_prose"] = inside_linked / inside
        if wrapper is not None and wrapper.outside:
            features["new_prose"] = _count_new(outside, wrapper) / prose
    return features


def _count_new(outside: Mapping[Element, int], wrapper: Wrapper) -> int:
    """The characters of prose at places where the pages that the wrapper was learned from had
    none."""
    paths: dict[Element, str] = {}
    levels: dict[Element, int] = {}
    prose_paths = frozenset(wrapper.outside)
    new_characters = 0
    for block, characters in outside.items():
        if element_path(block, paths, levels) not in prose_paths:
            new_characters += characters
    return new_characters


def _find_block(
    element: Element | None,
    blocks: Collection[Element],
) -> tuple[Element | None, bool]:
    """The nearest one of the blocks around a text in this element, or else the nearest element that
    breaks a line; and whether the text is in a link."""
    is_linked = False
    for _ in range(_MAX_LEVELS):
        if element is None:
            break
        if element.tag == "a":
            is_linked = True
        if element in blocks or element.tag not in PHRASING:
            break
        element = element.getparent()
    return element, is_linked


def _describe_declared(page: Page, text: str) -> dict[str, float]:
    """How many of the words that the page and its feed entry declare are in the text."""
    sample = text[:START_LENGTH]
    words = set(words_at_start(text))
    line = " ".join(sample.split())
    declared = page.declared
    description = declared.description[:_DESCRIPTION_LENGTH]
    features: dict[str, float] = {
        "title_words": _share_of(declared.title, words),
        "description_words": _share_of(description, words),
        "description_start": _has_start(description, line),
        "has_entry": page.entry is not None,
    }
    body = page.declared_text
    if body:
        body_start = body[: START_LENGTH // 2]
        features["declared_length"] = min(len(text) / len(body), 4.0)
        features["declared_words"] = _share_of(body_start, words)
    if page.entry:
        summary = page.entry.description[:_DESCRIPTION_LENGTH]
        features["entry_words"] = _share_of(f"{page.entry.title} {summary}", words)
        features["entry_start"] = _has_start(summary, line)
    return features


def _share_of(declared: str, words: set[str]) -> float:
    """The share of the declared words that are among the words."""
    declared_words = set(split_words(declared))
    if not declared_words:
        return _NONE
    return len(declared_words & words) / len(declared_words)


def _has_start(declared: str, line: str) -> float:
    """Whether the line has the first words of what is declared."""
    start = " ".join(declared[:60].split())[:40]
    if len(start) < 20:
        return _NONE
    return float(start in line)
