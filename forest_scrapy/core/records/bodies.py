"""The bodies of records: which of their inner paths hold their text, and which do not."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from forest_scrapy.core.page.tree import PHRASING
from forest_scrapy.core.records.record import Inner, is_below, is_quote, is_signature
from forest_scrapy.core.records.regions.prose import ProsePage, looks_like_date

# These constants were set by hand while looking at harvest-forum, without a search.
#: Words of a text, in the mean, from which a path counts in full, and up to which it counts
#: against being part of the text.
_FULL_WORDS, _FEW_WORDS = 10, 3
#: The share of values that must be linked, repeated, dates or start with the same word.
_MOST = 0.5
#: Words of the longest text, in the mean, that starts with a label; records it must be in.
_LABELLED_WORDS, _FEWEST_VALUES = 8, 3
#: Characters of a text from which it is boilerplate if two records have it, such as a signature.
_LONG_REPEATED = 20
#: The cost of a character that is not part of the text, relative to one that is.
_OTHER_COST = 0.5
#: The least share of the text for a further path, and the largest number of paths.
_LEAST_SHARE, _MOST_BODIES = 0.05, 3
#: Elements that are a part of a text, and the least share of its worth that the element around
#: must have.
_PARTS, _WIDE = frozenset(("p", "li", "ul", "ol", "pre", "span")), 0.8
#: A step that at least this share of the records has is not a quote.
_USUAL = 0.8
#: The weight of links, and the weight up to which a path inside the text is left out: links are
#: kept there.
_LINKED, DROP_UP_TO = -0.6, -0.8


@dataclass(frozen=True)
class Cell:
    """A text segment of a record: ``record`` is its number among all records of the template,
    ``path`` the internal path of its block, ``linked`` its characters in links."""

    record: int
    path: str
    text: str
    linked: int


@dataclass
class _Stats:
    """Counts of the cells at one path."""

    characters: int = 0
    linked: int = 0
    repeated: int = 0
    words: int = 0
    dates: int = 0
    values: int = 0
    starts: Counter[str] = field(default_factory=Counter)


@dataclass
class _Worth:
    """What the cells below a path are worth: ``gain`` in characters of text, less the others;
    ``quoted``: what quotes took from it; ``size``: the characters of text."""

    gain: float = 0.0
    quoted: float = 0.0
    size: float = 0.0

    @property
    def unquoted(self) -> float:
        return self.gain + self.quoted


def weigh_paths(cells: Sequence[Cell], others: Collection[str] = ()) -> dict[str, float]:
    """For each path of a cell how likely its text is part of the records' text: -1 to 1.

    Against it: links, dates, labels, few words, signatures, what is below the paths ``others``,
    and text that several records have, unless all text is: some forums show every reply twice.
    """
    found: dict[str, float] = {}
    for allowed in (1, 2):
        found = _weigh_all(cells, allowed)
        for path in found:
            if is_signature(path) or any(is_below(path, other) for other in others):
                found[path] = -1.0
        if any(value > 0 for value in found.values()):
            break
    return found


def _weigh_all(cells: Sequence[Cell], allowed: int) -> dict[str, float]:
    """The weights; text in more than ``allowed`` records is boilerplate."""
    usual = _usual_steps(cells)
    own_cells = [cell for cell in cells if not is_quote(cell.path, usual)]
    records: dict[str, set[int]] = defaultdict(set)
    for cell in own_cells:
        records[cell.text.lower()].add(cell.record)
    found: dict[str, _Stats] = defaultdict(_Stats)
    for cell in own_cells:
        stats, size = found[cell.path], len(cell.text)
        shared = len(records[cell.text.lower()])
        stats.characters += size
        stats.linked += cell.linked
        is_repeated = shared > 2 or (shared > allowed and size >= _LONG_REPEATED)
        stats.repeated += size if is_repeated else 0
        stats.words += max(len(cell.text.split()), size // 12)
        stats.dates += looks_like_date(cell.text)
        stats.values += 1
        stats.starts[cell.text.split()[0].lower()] += 1
    quotes = {cell.path: -1.0 for cell in cells if is_quote(cell.path, usual)}
    return {**quotes, **{path: _weigh(stats) for path, stats in found.items()}}


def _usual_steps(cells: Sequence[Cell]) -> set[str]:
    """The steps that are in most records with text: forums write posts as ``blockquote``, too."""
    records: dict[str, set[int]] = defaultdict(set)
    for cell in cells:
        for step in cell.path.split(" "):
            records[step].add(cell.record)
    count = len({cell.record for cell in cells})
    return {step for step, own in records.items() if len(own) >= _USUAL * count}


def _weigh(stats: _Stats) -> float:
    words = stats.words / stats.values
    is_labelled = (
        stats.values >= _FEWEST_VALUES
        and words < _LABELLED_WORDS
        and stats.starts.most_common(1)[0][1] > _MOST * stats.values
    )
    is_other = stats.repeated > _MOST * stats.characters or stats.dates > _MOST * stats.values
    if is_other or is_labelled:
        return -1.0
    if stats.linked > _MOST * stats.characters:
        return _LINKED
    return max(-0.4, min(1.0, (words - _FEW_WORDS) / (_FULL_WORDS - _FEW_WORDS)))


def choose_bodies(cells: Sequence[Cell], weights: Mapping[str, float]) -> list[str]:
    """The internal paths of the records' text: the best, then the best for the records that
    have no text there, as long as there is enough of it.  Ties: the deeper one, then the path's
    text."""
    chosen: list[str] = []
    total = sum(len(cell.text) * max(weights[cell.path], 0) for cell in cells)
    while total and len(chosen) < _MOST_BODIES:
        done = {c.record for c in cells if any(is_below(c.path, path) for path in chosen)}
        worths = _measure([cell for cell in cells if cell.record not in done], weights)
        ranked = sorted(
            worths, key=lambda path: (-round(worths[path].gain, 3), -path.count(" "), path)
        )
        if not ranked or worths[ranked[0]].size < _LEAST_SHARE * total:
            break
        if worths[ranked[0]].gain <= 0:
            break
        best = _widen(ranked[0], worths)
        chosen = [path for path in chosen if not is_below(path, best)] + [best]
    return chosen


def _measure(cells: Sequence[Cell], weights: Mapping[str, float]) -> dict[str, _Worth]:
    """What is below each path.  Text in elements that are named after quotes, as some forums name
    all posts, is below these only: reading leaves them out of the elements around."""
    found: dict[str, _Worth] = defaultdict(_Worth)
    for cell in cells:
        value = weights[cell.path] * len(cell.text)
        for path in _prefixes(cell.path):
            worth = found[path]
            if is_quote(cell.path[len(path) :]):
                worth.quoted += _OTHER_COST * abs(value)
                worth.gain -= _OTHER_COST * abs(value)
            else:
                worth.gain += value if value > 0 else _OTHER_COST * value
                worth.size += max(value, 0)
    return found


def _widen(path: str, worths: Mapping[str, _Worth]) -> str:
    """The path of the element around, if that of a paragraph is given: other records have lists
    or tables beside it."""
    outer, _, step = path.rpartition(" ")
    is_part = step.lstrip("+-").partition("[")[0] in _PARTS
    least = _WIDE * worths[path].gain
    return outer if is_part and outer and worths[outer].unquoted >= least else path


def _prefixes(path: str) -> list[str]:
    """The path and those above it.

    >>> _prefixes("div p")
    ['', 'div', 'div p']
    """
    steps = path.split(" ") if path else []
    return ["", *(" ".join(steps[: i + 1]) for i in range(len(steps)))]


def _is_block(path: str) -> bool:
    tag = path.rpartition(" ")[2].lstrip("+-").partition("[")[0]
    return tag not in PHRASING


def choose_drops(
    cells: Sequence[Cell], weights: Mapping[str, float], bodies: Sequence[str]
) -> list[str]:
    """The outermost internal paths inside the text that are not part of it."""
    kept: dict[str, float] = defaultdict(float)
    for cell in cells:
        inside = any(is_below(cell.path, path) for path in bodies)
        is_kept = weights[cell.path] > DROP_UP_TO
        for path in _prefixes(cell.path) if inside else ():
            if _is_block(path):  # the text of others is in the cells of the blocks they are in
                kept[path] += len(cell.text) if is_kept else 0
    empty = sorted(path for path, size in kept.items() if not size and path not in bodies)
    return [p for p in empty if not any(p != o and is_below(p, o) for o in empty)]


# Set by hand while looking at harvest-forum and wcxb-dev-forum.
#: How many of the same elements a record that has any must have, in the mean, the share of these
#: that must have a date, and that of the records with the same number, to be records inside it.
#: From ``_MANY`` on the number may be the same.
_SEVERAL, _MANY, _MOSTLY_DATED, _SAME_NUMBER = 2, 4, 0.8, 0.8
#: The share of records that must have an element in their text, and its most characters, to be an
#: attribute.
_NEARLY_ALL, _SHORT = 0.9, 60

#: Of all records of a template its page, and its nodes with their internal paths.
Inside = Sequence[tuple[ProsePage, Sequence[Inner]]]


def find_inner_records(inside: Inside) -> list[str]:
    """The internal paths of records inside records, such as remarks on a post: elements that are
    several in a record, not always the same number, and mostly have both prose and a date."""
    dated: dict[str, list[bool]] = defaultdict(list)
    counts: dict[str, list[int]] = defaultdict(list)
    for page, inner in inside:
        for node, path in inner:
            dated[path].append(page.prose_below(node) > 0 and page.dates_below(node) > 0)
        for path, count in Counter(path for _, path in inner).items():
            counts[path].append(count)
    return [
        path
        for path, own in counts.items()
        if path
        and fmean(own) >= _SEVERAL
        and (fmean(own) >= _MANY or _most_common(own) < _SAME_NUMBER * len(own))
        and fmean(dated[path]) >= _MOSTLY_DATED
    ]


def _most_common(counts: Sequence[int]) -> int:
    """How often the most common number occurs."""
    return max(Counter(counts).values())


def tell_text(
    inside: Inside, weights: Mapping[str, float], bodies: Sequence[str]
) -> Callable[[str], bool]:
    """A function that tells whether a path is a part of the text of records.

    Elements in the text are none if their own is left out (``weights``, see ``weigh_paths``), or if
    nearly all records have one, and a short one, such as the name of the author.
    """
    once: Counter[str] = Counter()
    for page, inner in inside:
        counts = Counter(path for _, path in inner)
        once.update({path for node, path in inner if counts[path] == 1 and _is_short(page, node)})
    known = {path for path, count in once.items() if count >= _NEARLY_ALL * len(inside)}

    def is_text(path: str) -> bool:
        is_inside = any(is_below(path, body) for body in bodies)
        return is_inside and weights.get(path, 0.0) > DROP_UP_TO and path not in known

    return is_text


def _is_short(page: ProsePage, node: int) -> bool:
    own = page.outline.nodes[node]
    leaves = page.outline.leaves[own.first : min(own.last, own.first + _SHORT)]
    return sum(len(leaf.text) for leaf in leaves) <= _SHORT
