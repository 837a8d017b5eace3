"""How far the text of an item can be trusted: the F1 that it is expected to have.

    rate_text(page, extract, origin) -> 0 to 1
    rate_posts(page, posts) -> 0 to 1

What is known of a text without its correct version: how it was found, what its wrapper rests on,
what it looks like, what the page has of prose that is not in it, and whether it has the words that
the page and its feed entry declare.  Trees that were trained on pages with a correct text estimate
the F1 of its word 2-grams from that.  ``python -m benchmarks.train_confidence`` makes the model
file, for sites that neither it nor the classifiers have seen.

Nothing here needs a classifier to score the page: most articles are read by the rules of a
template, which takes few times the parse of the page.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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
from forest_scrapy.core.page.language import split_words
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
#: Characters of a text that its words are read from, and its marks; and of a declared description.
_TEXT_LENGTH = 4_000
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
class Origin:
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


def rate_text(page: Page, extract: Extract, origin: Origin) -> float:
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


def describe_text(page: Page, extract: Extract, origin: Origin) -> list[float]:
    """The ``FEATURES`` of the text of an article or a page of any kind."""
    found = {
        **_describe_origin(extract, origin),
        **_describe_lines(extract.text),
        **_describe_links(extract),
        **_describe_place(extract),
        **_describe_prose(page, extract, origin.wrapper),
        **_describe_declared(page, extract.text),
    }
    return [found.get(name, _NONE) for name in FEATURES]


def describe_posts(page: Page, posts: Sequence[Mapping[str, Any]]) -> list[float]:
    """The ``FEATURES`` of a thread."""
    texts = [str(post.get("text") or "") for post in posts]
    lengths = [len(text) for text in texts if text]
    count = max(len(posts), 1)
    text = "\n".join(filter(None, texts))
    nothing = Extract(NO_CONTENT)
    found = {
        "is_thread": 1.0,
        "posts": log1p(len(posts)),
        "with_author": sum(bool(post.get("author")) for post in posts) / count,
        "with_date": sum(bool(post.get("date")) for post in posts) / count,
        "with_text": len(lengths) / count,
        "mean_post": log1p(sum(lengths) / max(len(lengths), 1)),
        "shortest_post": log1p(min(lengths, default=0)),
        **_describe_lines(text),
        **_describe_prose(page, nothing, length=len(text)),
        **_describe_declared(page, text),
    }
    return [found.get(name, _NONE) for name in FEATURES]


def _describe_origin(extract: Extract, origin: Origin) -> dict[str, float]:
    wrapper = origin.wrapper
    evidence = wrapper.evidence
    is_trained = wrapper.method in TRAINED_METHODS and not origin.kind
    is_template = wrapper.source == "page" and evidence.pages > 1
    found: dict[str, float] = {
        "is_template": is_template and not origin.kind,
        "is_single": wrapper.source == "page" and evidence.pages == 1 and not origin.kind,
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
    if not is_trained:
        return found
    parts = set(extract.xpath.split(" | "))
    confidences = [rule.confidence for rule in evidence.rules if rule.xpath in parts]
    if confidences:
        found["keep_confidence"] = confidences[0]
        found["least_confidence"] = min(confidences)
    if extract.xpath in wrapper.keep:
        found["alternative"] = wrapper.keep.index(extract.xpath)
    found["pages"] = log1p(evidence.pages)
    found["match"] = evidence.match
    found["score"] = evidence.score
    found["drops"] = log1p(len(wrapper.drop))
    found["unseen"] = log1p(extract.unseen)
    return found


def _describe_lines(text: str) -> dict[str, float]:
    lines = [line for line in text.split("\n") if line]
    if not lines:
        return {"length": 0.0, "lines": 0.0}
    size = len(text)
    lengths = [len(line) for line in lines]
    sample = text[:_SAMPLE_LENGTH]
    return {
        "length": log1p(size),
        "lines": log1p(len(lines)),
        "mean_line": log1p(size / len(lines)),
        "prose_lines": sum(length for length in lengths if length >= _PROSE_LINE) / size,
        "label_lines": sum(length <= _LABEL_LINE for length in lengths) / len(lines),
        "ended_lines": sum(line[-1] in _ENDS for line in lines) / len(lines),
        "repeated_lines": 1 - len(set(lines)) / len(lines),
        "first_line": log1p(lengths[0]),
        "last_line": log1p(lengths[-1]),
        "longest_line": max(lengths) / size,
        "marks": len(_MARKS.findall(sample)) / len(sample),
        "digits": len(_NUMBERS.findall(sample)) / len(sample),
        "capitals": len(_CAPITALS.findall(sample)) / len(sample),
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
    names = [class_and_id(element, 200) for element in path]
    tags = [element.tag for element in path]
    count = len(blocks)
    return {
        "good_names": sum(bool(_GOOD_NAMES.search(name)) for name in names),
        "bad_names": sum(bool(_BAD_NAMES.search(name)) for name in names),
        "is_article_tag": "article" in tags,
        "is_main_tag": "main" in tags,
        "is_body_tag": "body" in tags[:1],
        "blocks": log1p(count),
        "list_blocks": sum(block.tag in ("li", "ul", "ol") for block in blocks) / count,
        "paragraph_blocks": sum(block.tag == "p" for block in blocks) / count,
        "cell_blocks": sum(block.tag in ("td", "th") for block in blocks) / count,
    }


def _common_path(first: Element, last: Element) -> Sequence[Element]:
    """The elements that are around both, the innermost first; an element is around itself."""
    around = {last, *last.iterancestors()}
    for element in (first, *first.iterancestors()):
        if element in around:
            return (element, *element.iterancestors())
    return ()


def _describe_prose(
    page: Page, extract: Extract, wrapper: Wrapper | None = None, length: int = 0
) -> dict[str, float]:
    """The prose of the page, and how much of it is in the text: characters of long text nodes,
    those in links apart.  ``wrapper``: knows the places of prose that is no content; ``length``: of
    a text whose elements are not known."""
    body = body_of(page.root)
    blocks = set(extract.content.text_blocks)
    outside: dict[Element, int] = {}
    kept = 0
    kept_linked = 0
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
            if not kept:
                before = total_outside
            kept += size
            kept_linked += size if is_linked else 0
            between = total_outside - before
        elif is_linked:
            linked += size
        else:
            total_outside += size
            if block is not None:
                outside[block] = outside.get(block, 0) + size
    prose = kept + total_outside
    found = {
        "prose": log1p(prose),
        "prose_ratio": min((length or len(extract.text)) / (prose + 100), 4.0),
        "linked_prose": linked / (prose + linked + 1),
    }
    if blocks and kept:
        found["kept_prose"] = kept / prose
        found["prose_before"] = before / prose
        found["prose_between"] = between / prose
        found["prose_after"] = (total_outside - before - between) / prose
        found["kept_linked_prose"] = kept_linked / kept
        if wrapper is not None and wrapper.outside:
            found["new_prose"] = _count_new(outside, wrapper) / prose
    return found


def _count_new(outside: Mapping[Element, int], wrapper: Wrapper) -> int:
    """The characters of prose at places where the pages that the wrapper was learned from had
    none."""
    paths: dict[Element, str] = {}
    levels: dict[Element, int] = {}
    places = frozenset(wrapper.outside)
    return sum(
        characters
        for block, characters in outside.items()
        if element_path(block, paths, levels) not in places
    )


def _find_block(
    element: Element | None, blocks: Collection[Element]
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
    sample = text[:_TEXT_LENGTH]
    words = set(split_words(sample))
    line = " ".join(sample.split())
    declared = page.declared
    description = declared.description[:_DESCRIPTION_LENGTH]
    found: dict[str, float] = {
        "title_words": _share_of(declared.title, words),
        "description_words": _share_of(description, words),
        "description_start": _has_start(description, line),
        "has_entry": page.entry is not None,
    }
    if body := page.declared_text:
        found["declared_length"] = min(len(text) / len(body), 4.0)
        found["declared_words"] = _share_of(body[: _TEXT_LENGTH // 2], words)
    if page.entry:
        summary = page.entry.description[:_DESCRIPTION_LENGTH]
        found["entry_words"] = _share_of(f"{page.entry.title} {summary}", words)
        found["entry_start"] = _has_start(summary, line)
    return found


def _share_of(declared: str, words: set[str]) -> float:
    """The share of the declared words that are among the words."""
    wanted = set(split_words(declared))
    return len(wanted & words) / len(wanted) if wanted else _NONE


def _has_start(declared: str, line: str) -> float:
    """Whether the line has the first words of what is declared."""
    start = " ".join(declared[:60].split())[:40]
    return float(start in line) if len(start) >= 20 else _NONE
