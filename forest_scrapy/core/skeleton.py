"""How much of a page its template and its object tell (Oita's thesis, III.1: an object is put back
into the template of its page).

The skeleton of a template is what its pages have in common: the paths of tags that most of them
have, and the texts that are redundant (Gottron 2008, section 6).  With the values of the object it
gives a page again but for what is neither: advertisements, lists of other pages, comments.  It has
digests only, and no markup.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from forest_scrapy.core.digests import digest_number
from forest_scrapy.core.errors import NotEnoughPages
from forest_scrapy.core.methods.entropy import template_texts
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.templates.fingerprints import path_set

#: The share of the pages that have a path of the template, and more.
MIN_SHARE_OF_PAGES = 1 / 2
#: The bytes of a digest.
_DIGEST_BYTES = 8
#: A leaf is in an object if all runs of so many words of the leaf are.  To look for each leaf in
#: the whole text would take a time that grows with the square of the page.
_RUN_WORDS = 4


@dataclass(frozen=True)
class Skeleton:
    """What the pages of a template have in common: digests of the paths of tags to their leaves,
    and of their texts."""

    paths: frozenset[int]
    texts: frozenset[int]


@dataclass(frozen=True)
class RebuiltShare:
    """The share of the text of a page, by characters, that is of the ``template``, and that is of
    the ``object``; and the share of its ``paths`` of tags that are of the template."""

    template: float
    object: float
    paths: float

    @property
    def text(self) -> float:
        """The share of the text that both give again."""
        return self.template + self.object


def learn_skeleton(pages: Sequence[Page]) -> Skeleton:
    """The skeleton of the pages of one template.  Raises ``NotEnoughPages`` for a single one.

    Cost: one pass over each page.
    """
    if len(pages) < 2:
        raise NotEnoughPages("a skeleton", needed=2, given=len(pages))
    counts: Counter[int] = Counter()
    for page in pages:
        counts.update(path_set(page))
    common_paths = [path for path, number in counts.items() if number > _min_pages(pages)]
    texts = template_texts([set(_leaf_texts(page)) for page in pages])
    return Skeleton(frozenset(common_paths), frozenset(map(_digest, texts)))


def measure_rebuilt(page: Page, skeleton: Skeleton, values: Iterable[str]) -> RebuiltShare:
    """How much of a page the skeleton and the values of its object, such as title and text, give
    again.  A text that is in both is of the template."""
    object_runs = _object_runs(values)
    total = 0
    of_template = 0
    of_object = 0
    for text in _leaf_texts(page):
        total += len(text)
        if _digest(text) in skeleton.texts:
            of_template += len(text)
        elif object_runs.issuperset(_leaf_runs(text)):
            of_object += len(text)
    paths = path_set(page)
    known_paths = len(paths & skeleton.paths)
    return RebuiltShare(
        template=of_template / max(total, 1),
        object=of_object / max(total, 1),
        paths=known_paths / max(len(paths), 1),
    )


def _object_runs(values: Iterable[str]) -> set[str]:
    """The runs of one to ``_RUN_WORDS`` words of an object."""
    words = [word for value in values for word in value.split()]
    runs: set[str] = set()
    for length in range(1, _RUN_WORDS + 1):
        runs.update(_runs(words, length))
    return runs


def _leaf_runs(text: str) -> Iterator[str]:
    """The runs of ``_RUN_WORDS`` words of a leaf; a shorter leaf is one run."""
    words = text.split()
    return _runs(words, min(len(words), _RUN_WORDS))


def _runs(words: Sequence[str], length: int) -> Iterator[str]:
    for start in range(len(words) - length + 1):
        yield " ".join(words[start : start + length])


def _min_pages(pages: Sequence[Page]) -> float:
    return MIN_SHARE_OF_PAGES * len(pages)


def _leaf_texts(page: Page) -> Iterable[str]:
    """The texts of the leaves, with single spaces."""
    for leaf in page.outline.leaves:
        text = " ".join(leaf.text.split())
        if text:
            yield text


def _digest(text: str) -> int:
    return digest_number(text, _DIGEST_BYTES)
