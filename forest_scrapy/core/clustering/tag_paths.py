"""Tag paths and their shingles (Gottron 2008, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any

from forest_scrapy.core.document.tree import Outline
from forest_scrapy.core.patterns.element_types import tolerant_form

__all__ = [
    "DISTANCES",
    "path_set",
    "path_shingles",
    "sequence_shingles",
    "typed_paths",
]

#: Length of a shingle, in elements (Gottron leaves it open; ``w`` of the pinned algorithms).
SHINGLE = 3

Path = tuple[str, ...]


def path_set(outline: Outline) -> frozenset[int]:
    """Digests of the root-to-leaf tag paths, for the CP distance (Gottron section 4.1)."""
    return frozenset(_digest(path) for path in _leaf_paths(outline))


def path_shingles(outline: Outline) -> frozenset[int]:
    """Digests of the runs of three elements on the tag paths, for CPS (section 4.2)."""
    runs = {run for path in _leaf_paths(outline) for run in _runs(path)}
    return frozenset(map(_digest, runs))


def sequence_shingles(outline: Outline) -> frozenset[int]:
    """Digests of the runs of three tags in document order, for CTSS (section 4.3)."""
    tags = tuple(node.element.tag for node in outline.nodes)
    return frozenset(map(_digest, set(_runs(tags))))


def typed_paths(outline: Outline) -> frozenset[int]:
    """Digests of the paths from the body to every element, each step a tag with the tolerant
    class or id: what a template's style sheet and scripts hold on to.

    Paths of equal steps are one, so a page's set does not grow with the length of its text.
    """
    known: dict[tuple[int, str], int] = {}
    path_of: list[int] = []
    for node in outline.nodes:
        above = path_of[node.parent] if node.parent >= 0 else 0
        step = (above, _step(node.element))
        if step not in known:
            known[step] = _digest((str(above), step[1]))
        path_of.append(known[step])
    return frozenset(path_of)


#: What ``FOREST_DISTANCE`` may be: the features whose shared part is the distance.
DISTANCES: dict[str, Callable[[Outline], frozenset[int]]] = {
    "typed": typed_paths,
    "cp": path_set,
    "cps": path_shingles,
    "ctss": sequence_shingles,
}


def _step(element: Any) -> str:
    for name in ("class", "id"):
        if form := tolerant_form(element.get(name) or ""):
            return f"{element.tag}.{form}"
    return str(element.tag)


def _leaf_paths(outline: Outline) -> set[Path]:
    """Tag paths to the elements without element children, each once.

    Built on a trie of distinct paths, so that depth costs nothing twice; only the
    paths of leaves are written out.
    """
    trie: dict[tuple[int, str], int] = {}
    tags: list[tuple[int, str]] = []
    place: list[int] = []
    parents = {node.parent for node in outline.nodes}
    ends: set[int] = set()
    for i, node in enumerate(outline.nodes):
        step = (place[node.parent] if node.parent >= 0 else -1, str(node.element.tag))
        if step not in trie:
            trie[step] = len(tags)
            tags.append(step)
        place.append(trie[step])
        if i not in parents:
            ends.add(place[-1])
    return {_write_path(end, tags) for end in ends}


def _write_path(end: int, tags: list[tuple[int, str]]) -> Path:
    path: list[str] = []
    while end >= 0:
        end, tag = tags[end]
        path.append(tag)
    return tuple(reversed(path))


def _runs(path: Path) -> Iterator[Path]:
    if len(path) < SHINGLE:
        yield path
    for i in range(len(path) - SHINGLE + 1):
        yield path[i : i + SHINGLE]


def _digest(path: Path) -> int:
    """64 bits of a stable hash; Python's own ``hash`` differs from process to process."""
    return int.from_bytes(blake2b("/".join(path).encode(), digest_size=8).digest(), "big")
