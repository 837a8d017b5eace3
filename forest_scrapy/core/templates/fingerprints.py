"""The fingerprints of pages, sets of tag paths or shingles, and the distances between them (Gottron
2008, section 4).

The published distances compare the whole ``document``, or by choice its visible ``body``: without
its head, hidden elements, scripts and form fields.  Letters of the paper: p(D), ps(D) and ts(D) are
the features of a document D.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nsmallest
from typing import NamedTuple

from forest_scrapy.core.digests import digest_number, hex_digest
from forest_scrapy.core.options import SCOPE_NAMES, SHINGLE
from forest_scrapy.core.page.columns import Step, read_steps
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element, body_of
from forest_scrapy.core.site_caches import site_cache
from forest_scrapy.core.xpaths.structural import tolerant_form

#: The number of elements in a shingle of kinds of fingerprints whose names have none.
_EARLIER_SHINGLE = 3

#: Steps with longer classes and ids, in characters together, are not cached.
_MAX_CACHED_LENGTH = 500

Path = tuple[str, ...]
#: 64-bit digests of paths or shingles.
Features = frozenset[int]


class TagRow(NamedTuple):
    """An element: its tag, and the row of its parent (-1: none)."""

    tag: str
    parent: int


def path_set(page: Page, scope: str = SCOPE_NAMES[0]) -> Features:
    """p(D): digests of the root-to-leaf tag paths, for the CP distance (Gottron section 4.1,
    equation 1)."""
    leaf_paths = _leaf_paths(read_tags(page, scope))
    return frozenset(map(_digest, leaf_paths))


def path_shingles(
    page: Page,
    scope: str = SCOPE_NAMES[0],
    shingle: int = SHINGLE,
) -> Features:
    """ps(D): digests of the runs of so many elements on the tag paths, for CPS (section 4.2,
    equation 2)."""
    runs = set[Path]()
    for path in _leaf_paths(read_tags(page, scope)):
        runs.update(_runs(path, shingle))
    return frozenset(map(_digest, runs))


def sequence_shingles(
    page: Page,
    scope: str = SCOPE_NAMES[0],
    shingle: int = SHINGLE,
) -> Features:
    """ts(D): digests of the runs of so many start tags in document order, for CTSS (section 4.3,
    equation 3)."""
    tags = tuple(row.tag for row in read_tags(page, scope))
    runs = set(_runs(tags, shingle))
    return frozenset(map(_digest, runs))


def read_tags(page: Page, scope: str) -> list[TagRow]:
    """The elements of the ``document``, or of its visible ``body``, in document order.

    >>> page = Page.from_html("<title>Owls</title><p hidden>a</p><p>b</p>")
    >>> [row.tag for row in read_tags(page, "document")]
    ['html', 'head', 'title', 'body', 'p', 'p']
    >>> [row.tag for row in read_tags(page, "body")]
    ['body', 'p']
    """
    if scope == "body":
        return [TagRow(node.tag, node.parent) for node in page.outline.nodes]

    rows: list[TagRow] = []
    row_of: dict[Element | None, int] = {None: -1}
    for element in page.root.iter("*"):
        parent = row_of[element.getparent()]
        row_of[element] = len(rows)
        rows.append(TagRow(str(element.tag), parent))
    return rows


def typed_paths(page: Page) -> Features:
    """Digests of the paths from the body to every element; each step is a tag with the tolerant
    form of its class, or of its id.  Style sheets and scripts of a template depend on these.

    Paths with the same steps are one, so the set does not grow with the length of a page's text.
    Cost: one walk over the elements, without an outline.
    """
    # Most steps are repeated.
    digests: dict[Step, int] = {}
    paths: list[int] = []
    steps = read_steps(body_of(page.root))
    for parent, tag, classes, id in steps:
        above = paths[parent] if paths else 0
        key = (above, tag, classes, id)
        if key not in digests:
            digests[key] = _extend_path(above, tag, classes, id)
        paths.append(digests[key])
    return frozenset(digests.values())


def _extend_path(
    above: int,
    tag: str,
    classes: str | None,
    id: str | None,
) -> int:
    length = len(classes or "") + len(id or "")
    is_short = length <= _MAX_CACHED_LENGTH
    extend = _digest_step if is_short else _digest_step.__wrapped__
    return extend(above, tag, classes, id)


@site_cache
@lru_cache(maxsize=50_000)
def _digest_step(
    above: int,
    tag: str,
    classes: str | None,
    id: str | None,
) -> int:
    form = tolerant_form(classes or "")
    if not form:
        form = tolerant_form(id or "")
    step = f"{tag}.{form}" if form else tag
    path = (str(above), step)
    return _digest(path)


#: The distances between pages by name: functions that give the features compared by the distance,
#: as published.
DISTANCES: dict[str, Callable[[Page], Features]] = {
    "typed": typed_paths,
    "cp": path_set,
    "cps": path_shingles,
    "ctss": sequence_shingles,
}


def read_features(page: Page, kind: str) -> Features:
    """The features of a page that fingerprints of this kind have (see ``fingerprint_kind``)."""
    distance, *choices = kind.split(" ")
    if distance == "typed":
        return typed_paths(page)
    scope = choices[0] if choices else "body"
    if distance == "cp":
        return path_set(page, scope)
    shingle = int(choices[1]) if choices else _EARLIER_SHINGLE
    if distance == "cps":
        return path_shingles(page, scope, shingle)
    return sequence_shingles(page, scope, shingle)


def _leaf_paths(rows: Iterable[TagRow]) -> set[Path]:
    """Tag paths of the elements without child elements, each once.

    Each distinct path is built from its parent's and written out only at the end, so the cost
    does not grow with the depth of the tree.
    """
    numbers: dict[tuple[int, str], int] = {}  # a path is its parent's number and a tag
    path_of_row: list[int] = []
    parents = set()
    for tag, parent in rows:
        above = path_of_row[parent] if parent >= 0 else -1
        number = numbers.setdefault((above, tag), len(numbers))
        path_of_row.append(number)
        parents.add(parent)

    leaf_paths = set()
    for index, path in enumerate(path_of_row):
        if index not in parents:
            leaf_paths.add(path)
    steps = list(numbers)
    return {_write_path(path, steps) for path in leaf_paths}


def _write_path(end: int, steps: Sequence[tuple[int, str]]) -> Path:
    path: list[str] = []
    while end >= 0:
        end, tag = steps[end]
        path.append(tag)
    return tuple(reversed(path))


def _runs(path: Path, length: int) -> Iterator[Path]:
    """All runs of so many elements; a shorter path as a whole."""
    if len(path) < length:
        yield path
    last = len(path) - length
    for start in range(last + 1):
        end = start + length
        yield path[start:end]


def _digest(path: Path) -> int:
    """A 64-bit hash, the same in every process (unlike ``hash``)."""
    return digest_number("/".join(path))


#: Features of a page; one with more is unusual (of 700 pages of the development set, none has more
#: than 350): it has very many classes, or is nested very deeply, so that walks over it may be slow.
MANY_FEATURES = 600
#: Features that are kept of a page: placing takes time in proportion to all that a host has.
_MAX_FEATURES = 1_000


def bound_features(features: Features) -> Features:
    """The features, the smallest ones if there are very many: so the features that two pages
    share are kept of both, or of none.

    >>> len(bound_features(frozenset(range(5_000))))
    1000
    """
    if len(features) <= _MAX_FEATURES:
        return features
    smallest = nsmallest(_MAX_FEATURES, features)
    return frozenset(smallest)


@dataclass(frozen=True)
class Fingerprint:
    """The features of one page: 64-bit digests of its tag paths or shingles.  Fingerprints with
    the same features have the same ``digest``."""

    features: Features = field(repr=False)
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hex_digest(self.to_bytes())
        object.__setattr__(self, "digest", digest)

    def to_bytes(self) -> bytes:
        """The features, sorted, 8 bytes each."""
        ordered = sorted(self.features)
        packed = [feature.to_bytes(8, "big") for feature in ordered]
        return b"".join(packed)

    @classmethod
    def from_bytes(cls, packed: bytes) -> "Fingerprint":
        """Read ``to_bytes``."""
        features = set()
        for start in range(0, len(packed), 8):
            digest = packed[start : start + 8]
            features.add(int.from_bytes(digest, "big"))
        return cls(frozenset(features))


def overlap_distance(
    shared: int,
    a: int,
    b: int,
    are_equal: bool,
) -> float:
    """d(D1, D2) = 1 - |A & B| / max(|A|, |B|), equations 1 to 3, from the sizes (or weights) of the
    sets of features of two documents and of their intersection.  If both are 0, the sets differ by
    0 or 1.

    >>> overlap_distance(2, 4, 2, are_equal=False)
    0.5
    """
    larger = max(a, b)
    if not larger:
        return float(not are_equal)
    share = shared / larger
    return 1 - share
