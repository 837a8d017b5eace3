"""The bodies of records: which of their inner paths hold their text, and which do not."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from forest_scrapy.core.page.tree import PHRASING
from forest_scrapy.core.records.attributes.attribute import Attribute
from forest_scrapy.core.records.record import Inner, is_below, is_quote, is_signature
from forest_scrapy.core.records.regions.prose import ProsePage, looks_like_date

# These constants were set by hand while looking at harvest-forum, without a search.
#: Words of a text, in the mean, from which a path counts in full, and up to which it counts
#: against being part of the text.
FULL_WORDS = 10
FEW_WORDS = 3
#: The share of values that must be linked, repeated, dates or start with the same word.
MIN_SHARE = 0.5
#: Words of the longest text, in the mean, that starts with a label; records it must be in.
MAX_LABELLED_WORDS = 8
MIN_LABELLED_VALUES = 3
#: Words at the start of a text by which it is told from that of another record: a line above each
#: post begins with the title of the thread.
TITLE_WORDS = 3
#: Characters of a text from which it is boilerplate if two records have it, such as a signature.
MIN_REPEATED_LENGTH = 20
#: The cost of a character that is not part of the text, relative to one that is.
OTHER_COST = 0.5
#: The least share of the text for a further path, and the largest number of paths.
MIN_BODY_SHARE = 0.05
MAX_BODIES = 3
#: Elements that are a part of a text, and the least share of its worth that the element around
#: must have.
_PARTS = frozenset(("p", "li", "ul", "ol", "pre", "span"))
MIN_AROUND_SHARE = 0.8
#: A step that at least this share of the records has is not a quote.
MIN_USUAL_SHARE = 0.8
#: The weight of links, and the weight up to which a path inside the text is left out: links are
#: kept there.
LINKED_WEIGHT = -0.6
DROP_UP_TO = -0.8
#: The attributes that stand in the header of a record.
HEADER_ROLES = ("author", "date")


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
    title_starts: Counter[tuple[str, ...]] = field(default_factory=Counter)
    records: set[int] = field(default_factory=set)

    def add(self, cell: Cell, is_repeated: bool) -> None:
        """Count a cell."""
        size = len(cell.text)
        words = cell.text.split()
        self.characters += size
        self.linked += cell.linked
        if is_repeated:
            self.repeated += size
        self.words += max(len(words), size // 12)
        self.dates += looks_like_date(cell.text)
        self.values += 1
        first_words = tuple(word.lower() for word in words[:TITLE_WORDS])
        self.starts[first_words[0]] += 1
        if len(words) > TITLE_WORDS:
            self.title_starts[first_words] += 1
        self.records.add(cell.record)

    def are_titled(self) -> bool:
        """Whether each of several records has one text, and most start as that of another one."""
        is_once = len(self.records) == self.values
        if not is_once or self.values < MIN_LABELLED_VALUES:
            return False
        titled = sum(count for count in self.title_starts.values() if count > 1)
        return titled > MIN_SHARE * self.values

    def weigh(self) -> float:
        """How likely the text at the path is part of the records' text."""
        words = self.words / self.values
        is_repeated = self.repeated > MIN_SHARE * self.characters
        are_dates = self.dates > MIN_SHARE * self.values
        if is_repeated or are_dates or self._are_labelled(words):
            return -1.0
        if self.linked > MIN_SHARE * self.characters:
            return LINKED_WEIGHT
        weight = (words - FEW_WORDS) / (FULL_WORDS - FEW_WORDS)
        return max(-0.4, min(1.0, weight))

    def _are_labelled(self, words: float) -> bool:
        """Whether the texts are short and most start with the same word."""
        if self.values < MIN_LABELLED_VALUES or words >= MAX_LABELLED_WORDS:
            return False
        max_count = max(self.starts.values())
        return max_count > MIN_SHARE * self.values


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


def weigh_paths(
    cells: Sequence[Cell],
    inner_records: Collection[str] = (),
) -> dict[str, float]:
    """For each path of a cell how likely its text is part of the records' text: -1 to 1.

    Against it: links, dates, labels, few words, signatures, what is below the paths
    ``inner_records``, and text that several records have, unless all text is: some forums show
    every reply twice.
    """
    weights: dict[str, float] = {}
    for max_records in (1, 2):
        weights = _weigh_cells(cells, max_records)
        for path in weights:
            if _is_below_any(path, inner_records) or is_signature(path):
                weights[path] = -1.0
        has_text = any(weight > 0 for weight in weights.values())
        if has_text:
            break
    return weights


def _weigh_cells(cells: Sequence[Cell], max_records: int) -> dict[str, float]:
    """The weights; text in more than ``max_records`` records is boilerplate."""
    usual_steps = _usual_steps(cells)
    weights: dict[str, float] = {}
    unquoted = []
    for cell in cells:
        if is_quote(cell.path, usual_steps):
            weights[cell.path] = -1.0
        else:
            unquoted.append(cell)

    records_with: dict[str, set[int]] = defaultdict(set)
    for cell in unquoted:
        text = cell.text.lower()
        records_with[text].add(cell.record)
    stats: dict[str, _Stats] = defaultdict(_Stats)
    for cell in unquoted:
        text = cell.text.lower()
        records = len(records_with[text])
        is_long = len(cell.text) >= MIN_REPEATED_LENGTH
        is_repeated = records > 2 or (records > max_records and is_long)
        stats[cell.path].add(cell, is_repeated)
    for path, path_stats in stats.items():
        weights[path] = path_stats.weigh()
    _weigh_titles(stats, weights)
    return weights


def _weigh_titles(stats: Mapping[str, _Stats], weights: dict[str, float]) -> None:
    """Lines with the title of the thread are no text, unless there is not more of other text."""
    titled = {path for path, path_stats in stats.items() if path_stats.are_titled()}
    text_size = 0
    titled_size = 0
    for path, path_stats in stats.items():
        if path in titled:
            titled_size += path_stats.characters
        elif weights[path] > 0:
            text_size += path_stats.characters
    if text_size > titled_size:
        weights.update(dict.fromkeys(titled, -1.0))


def _usual_steps(cells: Sequence[Cell]) -> set[str]:
    """The steps that are in most records with text: forums write posts as ``blockquote``, too."""
    records_with: dict[str, set[int]] = defaultdict(set)
    for cell in cells:
        for step in cell.path.split(" "):
            records_with[step].add(cell.record)
    all_records = {cell.record for cell in cells}
    min_records = MIN_USUAL_SHARE * len(all_records)
    usual_steps = set()
    for step, records in records_with.items():
        if len(records) >= min_records:
            usual_steps.add(step)
    return usual_steps


def choose_bodies(
    cells: Sequence[Cell],
    weights: Mapping[str, float],
) -> list[str]:
    """The internal paths of the records' text: the best, then the best for the records that
    have no text there, as long as there is enough of it.  Ties: the deeper one, then the path's
    text."""
    total = 0.0
    for cell in cells:
        weight = max(weights[cell.path], 0)
        total += len(cell.text) * weight
    if not total:
        return []

    bodies: list[str] = []
    while len(bodies) < MAX_BODIES:
        records_with_body = set()
        for cell in cells:
            if _is_below_any(cell.path, bodies):
                records_with_body.add(cell.record)
        remaining = []
        for cell in cells:
            if cell.record not in records_with_body:
                remaining.append(cell)
        worths = _measure(remaining, weights)
        if not worths:
            break
        best, worth = min(worths.items(), key=_worth_order)
        is_small = worth.size < MIN_BODY_SHARE * total
        if is_small or worth.gain <= 0:
            break
        body = _widen(best, worths)
        bodies = [path for path in bodies if not is_below(path, body)]
        bodies.append(body)
    return bodies


def _is_below_any(path: str, outer_paths: Collection[str]) -> bool:
    return any(is_below(path, outer_path) for outer_path in outer_paths)


def _worth_order(path_and_worth: tuple[str, _Worth]) -> tuple[float, int, str]:
    path, worth = path_and_worth
    depth = path.count(" ")
    return -round(worth.gain, 3), -depth, path


def _measure(
    cells: Sequence[Cell],
    weights: Mapping[str, float],
) -> dict[str, _Worth]:
    """What is below each path.  Text in elements that are named after quotes, as some forums name
    all posts, is below these only: reading leaves them out of the elements around."""
    worths: dict[str, _Worth] = defaultdict(_Worth)
    for cell in cells:
        value = weights[cell.path] * len(cell.text)
        for path in _prefixes(cell.path):
            worth = worths[path]
            inner_path = cell.path[len(path) :]
            if is_quote(inner_path):
                cost = OTHER_COST * abs(value)
                worth.quoted += cost
                worth.gain -= cost
            else:
                worth.gain += value if value > 0 else OTHER_COST * value
                worth.size += max(value, 0)
    return worths


def _widen(path: str, worths: Mapping[str, _Worth]) -> str:
    """The path of the element around, if that of a paragraph is given: other records have lists
    or tables beside it."""
    around, _, step = path.rpartition(" ")
    if not around or _tag_of(step) not in _PARTS:
        return path
    min_worth = MIN_AROUND_SHARE * worths[path].gain
    is_as_good = worths[around].unquoted >= min_worth
    return around if is_as_good else path


def _tag_of(step: str) -> str:
    step = step.lstrip("+-")
    tag, _, _ = step.partition("[")
    return tag


def _prefixes(path: str) -> list[str]:
    """The path and those above it.

    >>> _prefixes("div p")
    ['', 'div', 'div p']
    """
    steps = path.split(" ") if path else []
    counts = range(len(steps) + 1)
    return [" ".join(steps[:count]) for count in counts]


def _is_block(path: str) -> bool:
    _, _, last_step = path.rpartition(" ")
    return _tag_of(last_step) not in PHRASING


def choose_drops(
    cells: Sequence[Cell],
    weights: Mapping[str, float],
    bodies: Sequence[str],
) -> list[str]:
    """The outermost internal paths inside the text that are not part of it."""
    text_sizes: dict[str, int] = defaultdict(int)
    for cell in cells:
        if not _is_below_any(cell.path, bodies):
            continue
        is_text = weights[cell.path] > DROP_UP_TO
        size = len(cell.text) if is_text else 0
        for path in _prefixes(cell.path):
            if _is_block(path):  # the text of others is in the cells of the blocks they are in
                text_sizes[path] += size

    empty_paths = []
    for path, size in sorted(text_sizes.items()):
        if not size and path not in bodies:
            empty_paths.append(path)
    return [path for path in empty_paths if not _is_inside_any(path, empty_paths)]


#: The share of the records that must have an author or a date in a header, and the weight up to
#: which what is beside these is no text.
MIN_HEADER_SHARE = 0.9
MAX_HEADER_WEIGHT = 0.3


def choose_header_drops(
    cells: Sequence[Cell],
    weights: Mapping[str, float],
    bodies: Sequence[str],
    attributes: Sequence[Attribute],
) -> list[str]:
    """The outermost internal paths inside the text of blocks that hold the author or the date of
    nearly all records, and no text: posts whose text has no element of its own have these in it."""
    text_paths = set()
    for cell in cells:
        if weights[cell.path] > MAX_HEADER_WEIGHT:
            text_paths.update(_prefixes(cell.path))
    cell_paths = {cell.path for cell in cells}
    headers = set()
    for attribute in attributes:
        is_in_header = attribute.name in HEADER_ROLES and attribute.share >= MIN_HEADER_SHARE
        if not is_in_header or not _is_below_any(attribute.path, bodies):
            continue
        path, _, _ = attribute.path.partition(" @")
        blocks = [prefix for prefix in _prefixes(path) if prefix and _is_block(prefix)]
        for block in blocks:
            is_shown = any(is_below(cell_path, block) for cell_path in cell_paths)
            if is_shown and block not in text_paths and block not in bodies:
                headers.add(block)
                break
    return sorted(headers)


def _is_inside_any(path: str, outer_paths: Collection[str]) -> bool:
    """Whether the path is below another one of these."""
    other_paths = [outer_path for outer_path in outer_paths if outer_path != path]
    return _is_below_any(path, other_paths)


# Set by hand while looking at harvest-forum and wcxb-dev-forum.
#: How many of the same elements a record that has any must have, in the mean, the share of these
#: that must have a date, and that of the records with the same number, to be records inside it.
#: From ``MANY_INNER`` on the number may be the same.
MIN_INNER = 2
MANY_INNER = 4
MIN_DATED_SHARE = 0.8
MAX_SAME_NUMBER_SHARE = 0.8
#: The share of records that must have an element in their text, and its most characters, to be an
#: attribute.
MIN_ATTRIBUTE_SHARE = 0.9
MAX_ATTRIBUTE_LENGTH = 60

#: Of all records of a template its page, and its nodes with their internal paths.
Inside = Sequence[tuple[ProsePage, Sequence[Inner]]]


def find_inner_records(inside: Inside) -> list[str]:
    """The internal paths of records inside records, such as remarks on a post: elements that are
    several in a record, not always the same number, and mostly have both prose and a date."""
    is_dated: dict[str, list[bool]] = defaultdict(list)
    counts: dict[str, list[int]] = defaultdict(list)
    for page, inner_nodes in inside:
        for node, path in inner_nodes:
            has_prose = page.prose_below(node) > 0
            has_date = page.dates_below(node) > 0
            is_dated[path].append(has_prose and has_date)
        path_counts = _count_paths(inner_nodes)
        for path, count in path_counts.items():
            counts[path].append(count)
    inner_records = []
    for path, counts_of_path in counts.items():
        if not path or not _are_several(counts_of_path):
            continue
        if fmean(is_dated[path]) >= MIN_DATED_SHARE:
            inner_records.append(path)
    return inner_records


def _count_paths(inner_nodes: Sequence[Inner]) -> Counter[str]:
    return Counter(path for _, path in inner_nodes)


def _are_several(counts: Sequence[int]) -> bool:
    """Whether the numbers of the same element in records are those of records inside them."""
    mean = fmean(counts)
    if mean < MIN_INNER:
        return False
    records_with_usual_count = max(Counter(counts).values())
    differs = records_with_usual_count < MAX_SAME_NUMBER_SHARE * len(counts)
    return differs or mean >= MANY_INNER


def tell_text(
    inside: Inside,
    weights: Mapping[str, float],
    bodies: Sequence[str],
) -> Callable[[str], bool]:
    """A function that tells whether a path is a part of the text of records.

    Elements in the text are none if their own is left out (``weights``, see ``weigh_paths``), or if
    nearly all records have one, and a short one, such as the name of the author.
    """
    records_with_one: Counter[str] = Counter()
    for page, inner_nodes in inside:
        counts = _count_paths(inner_nodes)
        for node, path in inner_nodes:
            is_only = counts[path] == 1
            if is_only and _is_short(page, node):
                records_with_one[path] += 1
    min_records = MIN_ATTRIBUTE_SHARE * len(inside)
    attributes = set()
    for path, count in records_with_one.items():
        if count >= min_records:
            attributes.add(path)

    def is_text(path: str) -> bool:
        is_left_out = weights.get(path, 0.0) <= DROP_UP_TO
        if is_left_out or path in attributes:
            return False
        return _is_below_any(path, bodies)

    return is_text


def _is_short(page: ProsePage, node: int) -> bool:
    """Whether an element has few characters.  At most one leaf for each of these is read."""
    outline_node = page.outline.nodes[node]
    end = min(outline_node.last, outline_node.first + MAX_ATTRIBUTE_LENGTH)
    leaves = page.outline.leaves[outline_node.first : end]
    length = sum(len(leaf.text) for leaf in leaves)
    return length <= MAX_ATTRIBUTE_LENGTH
