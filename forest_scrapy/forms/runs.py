"""Records as runs of siblings: what an answer repeats below one element, in any markup.

A *region* is an element whose children are alternately those of one record and of the next: rows
of a table, one or several for a record; cards; ``dt`` and ``dd`` of one list for all records;
headings with the paragraphs after them; lines that ``br`` ends.  Each child is a *unit* with a
*symbol*: its tag and names, the label of a term or of a line, the cells of a row.  A record begins
at each unit with the start symbol, and goes on as far as units have symbols that are seen between
two starts.

Candidates are all regions of a page with their symbols, after MDR (Liu, Grossman and Zhai 2003,
"Mining data records in Web pages"), which compares strings of tags instead.  The best candidate has
the records with the most values that most of its records have: see ``rate_records``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product
from typing import NamedTuple

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import HEADINGS
from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.core.records.attributes.attribute import Attribute, read_cell_values
from forest_scrapy.core.records.attributes.cells import (
    ValueCell,
    find_heads,
    find_spanned,
    find_start,
    read_cells,
    read_span,
)
from forest_scrapy.core.records.attributes.learn_attributes import (
    learn_attributes,
    was_asked_for,
)
from forest_scrapy.core.records.record import Inner, Record, write_step_of

#: Regions of all pages, by how much they repeat, that are candidates, and start symbols of each.
MAX_REGIONS = 40
MAX_STARTS = 12
#: Units of a page that are read, so that no answer takes long.
MAX_UNITS = 4000
#: Children of a record that are looked at for records inside it.
MAX_CHILDREN = 50
#: Values of a record that count when a way to read records is rated.
MAX_RATED_VALUES = 10
#: What a record counts is a power of its values: one of four values is better than four of one.
VALUES_POWER = 1.5
#: The share of records whose first unit comes again inside of them from which two records are taken
#: for one.
MAX_DOUBLED_SHARE = 0.2
#: The share of records that must have the usual number of values of one key for these to be
#: numbered, and the values that are.
MIN_SAME_NUMBER_SHARE = 0.8
MAX_NUMBERED = 12
#: Characters of the longest line that is a value of its own.
MAX_OWN_LINE_LENGTH = 80
#: The share of records that have a unit from which the last one of a region must have it, too.
MIN_USUAL_SHARE = 0.9
#: Characters of a line that are read.
MAX_LINE_LENGTH = 500
#: What languages such as French write between a label and its colon.
_SPACES_BEFORE_COLON = re.compile(r"(?<!\s)\s++([:\uff1a])")
#: The share of the texts at a place that must be the same to be a label, the share of records that
#: have it, and its characters.
MIN_LABEL_SHARE = 0.9
MIN_LABELLED_SHARE = 0.6
MAX_LABEL_LENGTH = 40

_NAMES_OF_STEPS = re.compile(r"\[[^\[\]\d][^\[\]]*\]")
_SIGNS_BEFORE = re.compile(r"(^| )[+-]")
_CELLS = frozenset(("td", "th"))
#: What marks a cell over several rows in the symbol of a row.
_SPAN = "|"
#: Elements that begin a record and are named themselves: what is in other ones is.
_NAMED_STARTS = frozenset((*HEADINGS, "dt", "a", "b", "strong", "p"))
_TEXT_UNITS = frozenset(("p", "li", "div", "span", "h4", "h5", "h6"))


class Unit(NamedTuple):
    """A child of a region: an element, or a line of its text.

    ``node``: the element; -1 for a line.  ``first``, ``last``: its leaves.  ``height``: the rows
    that its highest cell takes up.
    """

    symbol: str
    node: int
    first: int
    last: int
    label: str = ""
    height: int = 1


@dataclass(frozen=True)
class RunRules:
    """How the records of a form's answers are found.

    - ``region``: the steps from the body down to the element around the records.
    - ``has_lines``: whether its units are lines that ``br`` ends, besides blocks;
      ``has_labels``: whether the labels of terms and lines count in their symbols.
    - ``starts``: the symbols of the units that begin a record; ``symbols``: all that a record may
      have.
    - ``numbered``: the keys of values of which each record has several in the same order.
    - ``line_keys``: the keys of elements whose lines, which ``br`` ends, are values of their own.
    - ``labels``: the keys of texts that are the same in all records, as labels of what follows.
    - ``attributes``: what the values mean.
    """

    region: str
    has_lines: bool
    starts: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    numbered: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    has_labels: bool = True
    line_keys: tuple[str, ...] = ()

    def find(self, page: Page) -> list[Record]:
        """The records of a page, numbered from 1.  Cost: a walk over the page."""
        outline = page.outline
        records: list[Record] = []
        regions = find_regions(outline, 1).get(self.region, ())
        for units in _units_of_regions(outline, regions, self.has_lines, self.has_labels):
            for run in self.divide(units):
                cells = _number_keys(_read_run(page, run, self.line_keys), self.numbered)
                cells = _label_cells(cells, self.labels)
                values = read_cell_values(page, cells, self.attributes)
                if not values and self.attributes:
                    continue
                lines: list[str] = []
                for unit in run:
                    lines.extend(outline.lines[unit.first : unit.last])
                record = Record(len(records) + 1, "\n".join(lines), values=values)
                records.append(record)
        return records

    def divide(self, units: Sequence[Unit]) -> list[list[Unit]]:
        """The units of a region, by the record that they are of; without those of none."""
        runs: list[list[Unit]] = []
        is_inside = False
        for unit in units:
            if unit.symbol in self.starts:
                runs.append([unit])
                is_inside = True
            elif is_inside and unit.symbol in self.symbols:
                runs[-1].append(unit)
            else:
                is_inside = False
        return runs


def learn_runs(
    pages: Sequence[Page],
    asked_words: Sequence[frozenset[str]] = (),
) -> RunRules | None:
    """The rules for the records of answers; None if nothing is repeated on them.  ``asked_words``:
    those of each probe; a text of all records is no label if they were asked for it.

    Cost: some passes over each page.  Ties: the region that is higher, then the first start.
    """
    candidates = _find_candidates(pages)
    best: RunRules | None = None
    best_rank: tuple[float, int, int, str] | None = None
    for order, (rules, runs_of_pages) in enumerate(candidates):
        rate = _rate_candidate(pages, runs_of_pages)
        rank = (-rate, rules.region.count(" "), order, rules.region)
        if rate > 0 and (best_rank is None or rank < best_rank):
            best = rules
            best_rank = rank
    return None if best is None else _with_attributes(best, pages, asked_words)


def find_regions(outline: Outline, min_children: int = 2) -> dict[str, list[int]]:
    """The elements with so many children, by the steps that lead to them."""
    child_counts: Counter[int] = Counter()
    for node in outline.nodes:
        child_counts[node.parent] += 1
    steps: list[str] = []
    regions: defaultdict[str, list[int]] = defaultdict(list)
    for index, node in enumerate(outline.nodes):
        step = write_step_of(outline, index)
        path = f"{steps[node.parent]} {step}" if node.parent >= 0 else step
        steps.append(path)
        has_texts = node.last - node.first >= min_children
        if child_counts[index] >= min_children and has_texts:
            regions[path].append(index)
    return regions


class _Candidate(NamedTuple):
    rules: RunRules
    #: Of each page the records.
    runs: list[list[list[Unit]]]


def _find_candidates(pages: Sequence[Page]) -> list[_Candidate]:
    regions_of_pages = [find_regions(page.outline) for page in pages]
    sizes: Counter[str] = Counter()
    for page, regions in zip(pages, regions_of_pages, strict=True):
        nodes = page.outline.nodes
        for path, indices in regions.items():
            sizes[path] += sum(nodes[index].last - nodes[index].first for index in indices)
    ranked = sorted(sizes, key=lambda path: (-sizes[path], path))

    candidates = []
    for path in ranked[:MAX_REGIONS]:
        for has_lines, has_labels in product((False, True), (True, False)):
            units_of_pages: list[list[list[Unit]]] = []
            for page, regions in zip(pages, regions_of_pages, strict=True):
                indices = regions.get(path, [])
                units_of_pages.append(
                    list(_units_of_regions(page.outline, indices, has_lines, has_labels))
                )
            if has_lines and not _has_lines(units_of_pages):
                continue
            if not has_labels and not _has_labels(units_of_pages):
                continue
            for starts in _find_starts(units_of_pages):
                rules = RunRules(path, has_lines, starts, has_labels=has_labels)
                candidate = _make_candidate(rules, units_of_pages)
                if candidate is not None:
                    candidates.append(candidate)
    return candidates


def _has_lines(units_of_pages: Iterable[Iterable[Sequence[Unit]]]) -> bool:
    """Whether some region has several lines."""
    for regions in units_of_pages:
        for units in regions:
            if sum(unit.node < 0 for unit in units) > 1:
                return True
    return False


def _has_labels(units_of_pages: Iterable[Iterable[Sequence[Unit]]]) -> bool:
    """Whether some unit has a label."""
    for regions in units_of_pages:
        for units in regions:
            if any(unit.label for unit in units):
                return True
    return False


def _find_starts(units_of_pages: Iterable[Iterable[Sequence[Unit]]]) -> list[tuple[str, ...]]:
    """The symbols that may begin a record, alone, and those of one tag together, such as odd and
    even rows; the ones that come first on pages first."""
    counts: Counter[str] = Counter()
    places: dict[str, float] = {}
    is_repeated: set[str] = set()
    for regions in units_of_pages:
        for units in regions:
            in_region: Counter[str] = Counter()
            for place, unit in enumerate(units):
                in_region[unit.symbol] += 1
                places[unit.symbol] = min(place, places.get(unit.symbol, place))
            counts.update(in_region)
            is_repeated.update(symbol for symbol, count in in_region.items() if count > 1)

    by_tag: defaultdict[str, list[str]] = defaultdict(list)
    for symbol in sorted(counts):
        by_tag[_tag_of(symbol)].append(symbol)
    common = sorted(is_repeated, key=lambda symbol: (-counts[symbol], symbol))[:MAX_STARTS]
    common.sort(key=lambda symbol: (places[symbol], symbol))
    starts: list[tuple[str, ...]] = [(symbol,) for symbol in common]
    for tag, symbols in sorted(by_tag.items()):
        body_symbols = tuple(symbol for symbol in symbols if "th" not in _cells_of(symbol))
        if len(body_symbols) > 1 and tag not in ("dt", "dd"):
            starts.append(body_symbols)
    return starts


def _make_candidate(
    rules: RunRules,
    units_of_pages: Sequence[Sequence[Sequence[Unit]]],
) -> _Candidate | None:
    """The candidate; None if no region has two records."""
    starts = rules.starts
    symbols: set[str] = set()
    has_several = False
    for regions in units_of_pages:
        for units in regions:
            places = [place for place, unit in enumerate(units) if unit.symbol in starts]
            for place, next_place in pairwise(places):
                symbols.update(unit.symbol for unit in units[place + 1 : next_place])
                has_several = True
    if not has_several:
        return None
    if not _fits_spans(starts, units_of_pages):
        return None
    rules = replace(rules, symbols=tuple(sorted(symbols - {*starts})))
    runs_of_pages = []
    runs_of_regions = []
    for regions in units_of_pages:
        page_runs: list[list[Unit]] = []
        for units in regions:
            runs = rules.divide(units)
            runs_of_regions.append(runs)
            page_runs.extend(runs)
        runs_of_pages.append(page_runs)
    if _is_shifted(runs_of_regions):
        return None
    return _Candidate(rules, runs_of_pages)


def _is_shifted(runs_of_regions: Iterable[Sequence[Sequence[Unit]]]) -> bool:
    """Whether records begin in the middle, with the start of the next one at their end: the last
    one of a region then lacks what all others have."""
    counts: Counter[str] = Counter()
    inner_count = 0
    last_runs = []
    for runs in runs_of_regions:
        if not runs:
            continue
        *inner_runs, last_run = runs
        last_runs.append({unit.symbol for unit in last_run})
        inner_count += len(inner_runs)
        for run in inner_runs:
            counts.update({unit.symbol for unit in run[1:]})
    usual = {symbol for symbol in counts if counts[symbol] >= MIN_USUAL_SHARE * inner_count}
    ragged = sum(not usual <= symbols for symbols in last_runs)
    return 2 * ragged > len(last_runs)


def _fits_spans(
    starts: tuple[str, ...],
    units_of_pages: Sequence[Sequence[Sequence[Unit]]],
) -> bool:
    """Whether rows may begin records as cells over several rows tell: those of one height are
    around the rows of a record, those of different ones around several records."""
    heights: set[int] = set()
    for regions in units_of_pages:
        for units in regions:
            heights.update(unit.height for unit in units if unit.height > 1)
    if not heights:
        return True
    have_spans = [_SPAN in start for start in starts]
    return all(have_spans) if len(heights) == 1 else not all(have_spans)


def _rate_candidate(
    pages: Sequence[Page],
    runs_of_pages: Sequence[Sequence[list[Unit]]],
) -> float:
    """How good the records of a candidate are; 0 if they are none."""
    records = []
    texts: Counter[tuple[tuple[str, str], ...]] = Counter()
    doubled = 0
    line_keys = _find_line_keys(pages, runs_of_pages)
    for page, runs in zip(pages, runs_of_pages, strict=True):
        page_texts = set()
        for run in runs:
            if _is_doubled(page, run):
                doubled += 1
            cells = _read_run(page, run, line_keys)
            counts: Counter[str] = Counter()
            for cell in cells:
                if not cell.key.endswith(("@href", "@src")):
                    counts[_plain_key(cell)] += 1
            records.append(counts)
            page_texts.add(tuple((cell.key, cell.text) for cell in cells))
        texts.update(page_texts)
    if not records or doubled > MAX_DOUBLED_SHARE * len(records):
        return 0.0
    repeated = 0
    if len(pages) > 1:
        repeated = sum(count == len(pages) for count in texts.values())
    if repeated == len(texts):
        return 0.0

    usual_numbers = _usual_numbers(records)
    values_of_records = []
    for counts in records:
        values: list[str] = []
        for key, count in counts.items():
            usual = usual_numbers.get(key, 1)
            values.extend(f"{key} {number}" for number in range(min(count, usual)))
        values_of_records.append(values)
    distinct_share = len(texts) / max(1, sum(texts.values()))
    return round(rate_records(values_of_records) * distinct_share / (1 + repeated), 6)


def rate_records(records: Sequence[Sequence[str]]) -> float:
    """How good records are, which are given as the names of their values: the sum of a power of
    how many they have, where a value counts the share of records that have it."""
    shares: Counter[str] = Counter()
    for names in records:
        shares.update(set(names))
    rate = 0.0
    for names in records:
        worth = sum(shares[name] / len(records) for name in set(names))
        rate += min(worth, MAX_RATED_VALUES) ** VALUES_POWER
    return round(rate, 6)


def _is_doubled(page: Page, run: Sequence[Unit]) -> bool:
    """Whether a run has two records: a unit like its first one, or children that are records."""
    first, *others = run
    outline = page.outline
    if first.node < 0:
        return any(unit.symbol == first.symbol for unit in others)
    structure = _structure(outline, first.node)
    has_several_texts = len(structure) > 2 and first.height == 1
    for unit in others:
        is_alike = unit.node >= 0 and unit.label == first.label
        if has_several_texts and is_alike and _structure(outline, unit.node) == structure:
            return True
    if others:
        return False
    node = first.node
    for _ in range(3):  # through an element around all of the children
        children = list(islice(outline.children(node), MAX_CHILDREN))
        if len(children) != 1:
            break
        node = children[0]
    structures = [_structure(outline, child) for child in children]
    are_alike = len(structures) > 1 and len(set(structures)) == 1
    # Rows and lines of a label and a value have two texts.
    return are_alike and len(structures[0]) > 3


def _structure(outline: Outline, index: int) -> tuple[str, ...]:
    """The tag of an element, and the paths of tags of the texts in it."""
    node = outline.nodes[index]
    paths = []
    for leaf in outline.leaves[node.first : min(node.last, node.first + MAX_CHILDREN)]:
        tags = []
        inner = leaf.node
        while inner > index:
            tags.append(outline.nodes[inner].tag)
            inner = outline.nodes[inner].parent
        paths.append(" ".join(reversed(tags)))
    return (node.tag, *paths)


def without_names(path: str) -> str:
    """The path of a value without classes and ids; numbers of columns stay.

    >>> without_names("+tr[class=odd] td[2]")
    '+tr td[2]'
    """
    return _NAMES_OF_STEPS.sub("", path)


def _plain_key(cell: ValueCell) -> str:
    """The key of a value without names of elements; its label if it has one."""
    if cell.label:
        return cell.label
    return _SIGNS_BEFORE.sub(r"\1", without_names(cell.key))


def _usual_numbers(records: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """How many values of a key records have, of those keys of which they have several, and most of
    them as many."""
    by_key: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for counts in records:
        for key, count in counts.items():
            by_key[key][count] += 1
    usual_numbers = {}
    for key, counts_of_key in by_key.items():
        number, frequency = min(
            counts_of_key.items(), key=lambda number_count: (-number_count[1], number_count[0])
        )
        is_usual = frequency >= MIN_SAME_NUMBER_SHARE * counts_of_key.total()
        if is_usual and 1 < number <= MAX_NUMBERED:
            usual_numbers[key] = number
    return usual_numbers


def _with_attributes(
    rules: RunRules,
    pages: Sequence[Page],
    asked_words: Sequence[frozenset[str]],
) -> RunRules:
    """The rules with what the values of their records mean."""
    runs_of_pages: list[list[Sequence[Unit]]] = []
    for page in pages:
        outline = page.outline
        regions = find_regions(outline, 1).get(rules.region, ())
        page_runs: list[Sequence[Unit]] = []
        for units in _units_of_regions(outline, regions, rules.has_lines, rules.has_labels):
            page_runs.extend(rules.divide(units))
        runs_of_pages.append(page_runs)

    line_keys = _find_line_keys(pages, runs_of_pages)
    cells_of_pages: list[list[list[ValueCell]]] = []
    for page, page_runs in zip(pages, runs_of_pages, strict=True):
        cells_of_pages.append([_read_run(page, run, line_keys) for run in page_runs])

    counts_of_records: list[Counter[str]] = []
    for page_cells in cells_of_pages:
        for cells in page_cells:
            counts_of_records.append(Counter(cell.key for cell in cells if not cell.label))
    numbered = tuple(sorted(_usual_numbers(counts_of_records)))
    numbered_cells = [
        [_number_keys(cells, numbered) for cells in page_cells] for page_cells in cells_of_pages
    ]
    all_records = [cells for page_cells in numbered_cells for cells in page_cells]
    labels = _find_label_keys(all_records, asked_words)
    labelled_cells = [
        [_label_cells(cells, labels) for cells in page_cells] for page_cells in numbered_cells
    ]
    attributes = learn_attributes(
        labelled_cells,
        pages[0].language,
        is_text=lambda path: False,
        are_things=True,
        asked_words=asked_words,
    )
    return replace(
        rules,
        numbered=numbered,
        labels=labels,
        attributes=attributes,
        line_keys=line_keys,
    )


def _find_line_keys(
    pages: Sequence[Page],
    runs_of_pages: Sequence[Sequence[Sequence[Unit]]],
) -> tuple[str, ...]:
    """The keys of elements that have the same number of lines in most records: each line is a value
    of its own then, and no part of a text that a site has divided."""
    counts_of_records: list[dict[str, int]] = []
    for page, page_runs in zip(pages, runs_of_pages, strict=True):
        for run in page_runs:
            inner_nodes = _find_inner_nodes(page.outline, run)
            counts = {path: 1 for _, path in inner_nodes}
            for (path, _), lines in _find_own_lines(page.outline, inner_nodes).items():
                counts[path] = len(lines)
            counts_of_records.append(counts)
    return tuple(sorted(_usual_numbers(counts_of_records)))


def _find_label_keys(
    records: Sequence[Sequence[ValueCell]],
    asked_words: Sequence[frozenset[str]],
) -> tuple[str, ...]:
    """The keys of texts that are labels: they have letters, are the same in nearly all records and
    not what these were asked for, and values that differ follow them."""
    texts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for cells in records:
        for cell in cells:
            texts[cell.key][cell.text] += 1
    constant_keys = set()
    for key, counts in texts.items():
        text = min(counts, key=lambda text: (-counts[text], text))
        is_constant = counts[text] >= MIN_LABEL_SHARE * counts.total()
        has_letters = any(map(str.isalpha, text))
        is_asked = was_asked_for(text, asked_words)
        is_label = has_letters and len(text) <= MAX_LABEL_LENGTH and not is_asked
        is_usual = counts.total() >= MIN_LABELLED_SHARE * len(records)
        if is_constant and is_label and is_usual and len(records) > 1:
            constant_keys.add(key)

    following: defaultdict[str, set[str]] = defaultdict(set)
    for cells in records:
        for cell, next_cell in pairwise(cells):
            if cell.key in constant_keys:
                following[cell.key].add(next_cell.key)
    labels = []
    for key, next_keys in following.items():
        has_values = next_keys.isdisjoint(constant_keys)
        is_told = any(cell.label for cells in records for cell in cells if cell.key in next_keys)
        if has_values and not is_told:
            labels.append(key)
    return tuple(sorted(labels))


def _label_cells(cells: Sequence[ValueCell], labels: Sequence[str]) -> list[ValueCell]:
    """The values, with the texts that are labels as labels of those after them."""
    if not labels:
        return list(cells)
    result = []
    label = ""
    for cell in cells:
        if cell.key in labels:
            label = cell.text.rstrip(" :\uff1a")
            continue
        if label:
            cell = cell._replace(label=label)
            label = ""
        result.append(cell)
    return result


def _number_keys(cells: Iterable[ValueCell], numbered: Sequence[str]) -> list[ValueCell]:
    """The values; the second of a key that is numbered has a key of its own, and so on."""
    counts: Counter[str] = Counter()
    result = []
    for cell in cells:
        if cell.key in numbered and not cell.label:
            counts[cell.key] += 1
            number = counts[cell.key]
            if number > 1:
                cell = cell._replace(key=f"{cell.key} {number}")
        result.append(cell)
    return result


def _units_of_regions(
    outline: Outline,
    regions: Iterable[int],
    has_lines: bool,
    has_labels: bool,
) -> Iterator[list[Unit]]:
    """The units of each region; at most ``MAX_UNITS`` in all."""
    remaining = MAX_UNITS
    for region in regions:
        units = list(islice(_read_units(outline, region, has_lines, has_labels), remaining))
        remaining -= len(units)
        if units:
            yield units
        if remaining <= 0:
            return


def _read_units(
    outline: Outline,
    region: int,
    has_lines: bool,
    has_labels: bool,
) -> Iterator[Unit]:
    if not has_lines:
        for child in outline.children(region):
            node = outline.nodes[child]
            if node.first < node.last:
                yield _element_unit(outline, child, has_labels)
        return

    line: list[tuple[int, int, str]] = []  # first leaf, last leaf, tag
    for first, last, child in _contents(outline, region):
        tag = outline.nodes[child].tag if child >= 0 else ""
        is_end = child >= 0 and (tag in ("br", "hr") or outline.nodes[child].is_block)
        if not is_end:
            if first < last:
                line.append((first, last, tag))
            continue
        if line:
            yield _line_unit(outline, line, has_labels)
            line = []
        if first < last:
            yield _element_unit(outline, child, has_labels)
    if line:
        yield _line_unit(outline, line, has_labels)


def _contents(outline: Outline, region: int) -> Iterator[tuple[int, int, int]]:
    """The texts and children of an element in order: their first and last leaf, and the child; -1
    for a text."""
    node = outline.nodes[region]
    leaf = node.first
    for child in outline.children(region):
        child_node = outline.nodes[child]
        while leaf < child_node.first:
            yield leaf, leaf + 1, -1
            leaf += 1
        yield child_node.first, child_node.last, child
        leaf = max(leaf, child_node.last)
    while leaf < node.last:
        yield leaf, leaf + 1, -1
        leaf += 1


def _element_unit(outline: Outline, index: int, has_labels: bool) -> Unit:
    """The unit of an element: its symbol has the label of a term or of a short text, and the cells
    of a row."""
    node = outline.nodes[index]
    symbol = write_step_of(outline, index)
    label = ""
    height = 1
    if node.tag == "dt":
        label = outline.line(index, 10).rstrip(" :\uff1a")
    elif node.tag in _TEXT_UNITS and node.last - node.first <= 3:
        label, _ = _read_line(outline, node.first, node.last)
    if label and has_labels:
        symbol = f"{symbol}={label}"
    if node.tag == "tr":
        cells = []
        for child in islice(outline.children(index), MAX_CHILDREN):
            cell = outline.nodes[child]
            if cell.tag in _CELLS:
                rows = read_span(cell, "rowspan")
                height = max(height, rows)
                width = "-" if cell.element.get("colspan") else ""
                cells.append(f"{cell.tag}{width}{_SPAN if rows > 1 else ''}")
        symbol = f"{symbol}{{{' '.join(cells)}}}"
    return Unit(symbol, index, node.first, node.last, label, height)


def _line_unit(outline: Outline, parts: Sequence[tuple[int, int, str]], has_labels: bool) -> Unit:
    first = parts[0][0]
    last = parts[-1][1]
    label, _ = _read_line(outline, first, last)
    tag = parts[0][2]
    symbol = f"line {tag}".strip()
    if label and has_labels:
        symbol = f"line={label}"
    return Unit(symbol, -1, first, last, label)


def _read_line(outline: Outline, first: int, last: int) -> tuple[str, str]:
    """The label of a line and its text without it."""
    line = " ".join(outline.lines[first:last])[:MAX_LINE_LENGTH]
    line = _SPACES_BEFORE_COLON.sub(r"\1", line)
    label = find_start(line)
    if label:
        return label, line.partition(":" if ":" in line else "\uff1a")[2].strip()
    return "", line


def _read_run(page: Page, run: Sequence[Unit], line_keys: Sequence[str] = ()) -> list[ValueCell]:
    """The values of a record; a row has those of the cells of rows before it that reach down to
    it.  ``line_keys``: of the elements whose lines are values of their own."""
    outline = page.outline
    lines: list[ValueCell] = []
    for unit in run:
        if unit.node < 0:
            lines.extend(_read_line_cells(page, unit))
    inner_nodes = _find_inner_nodes(outline, run)
    cells = list(read_cells(page, inner_nodes)) if inner_nodes else []
    if line_keys:
        cells = _divide_lines(cells, _find_own_lines(outline, inner_nodes), line_keys)
    row = run[0].node
    if row >= 0 and outline.nodes[row].tag == "tr":
        cells = [*_read_spanned(outline, row), *cells]
    return [*cells, *lines]


def _divide_lines(
    cells: Iterable[ValueCell],
    own_lines: Mapping[tuple[str, str], Sequence[str]],
    line_keys: Sequence[str],
) -> list[ValueCell]:
    """The values, with a value for each line of those that have one of the keys; lines may have
    labels of their own."""
    divided = []
    for cell in cells:
        lines = own_lines.get((cell.key, cell.text))
        if lines is None or cell.key not in line_keys:
            divided.append(cell)
            continue
        for line in lines:
            label = find_start(line)
            key = f"{cell.key} {label}".strip()
            divided.append(cell._replace(key=key, text=line, label=label))
    return divided


def _find_own_lines(
    outline: Outline,
    inner_nodes: Sequence[Inner],
) -> dict[tuple[str, str], list[str]]:
    """The lines of elements that have nothing but lines, by the path and the text of each."""
    own_lines = {}
    for index, path in inner_nodes:
        node = outline.nodes[index]
        leaves = outline.leaves[node.first : node.last]
        if not 1 < len(leaves) <= MAX_NUMBERED or any(leaf.node != index for leaf in leaves):
            continue
        breaks = sum(child.tag == "br" for child in node.element)
        lines = [" ".join(leaf.text.split()) for leaf in leaves]
        if breaks >= len(lines) - 1 and max(map(len, lines)) <= MAX_OWN_LINE_LENGTH:
            own_lines[path, " ".join(lines)] = lines
    return own_lines


def _find_inner_nodes(outline: Outline, run: Sequence[Unit]) -> list[Inner]:
    """The elements of a record with their paths in it."""
    inner_nodes: list[Inner] = []
    for unit in run:
        if unit.node < 0:
            continue
        step = write_step_of(outline, unit.node)
        if inner_nodes:
            step = f"+{step}"
        elif outline.nodes[unit.node].tag not in _NAMED_STARTS:
            step = ""
        paths = {unit.node: step}
        inner_nodes.append(Inner(unit.node, step))
        for index in range(unit.node + 1, outline.ends[unit.node]):
            parent_path = paths[outline.nodes[index].parent]
            path = f"{parent_path} {write_step_of(outline, index)}".strip()
            paths[index] = path
            inner_nodes.append(Inner(index, path))
    return inner_nodes


def _read_spanned(outline: Outline, row: int) -> Iterator[ValueCell]:
    """The values of a row in the cells of rows before it."""
    spanned = find_spanned(outline, row)
    if not spanned:
        return
    heads = find_heads(outline, row)
    for column, cell in spanned:
        text = outline.line(cell, MAX_CHILDREN)[:MAX_LINE_LENGTH]
        label = heads[column] if column < len(heads) else ""
        key = f"{outline.nodes[cell].tag}[{column + 1}]"
        if text:
            yield ValueCell(outline.nodes[cell].tag, key, text, label)


def _read_line_cells(page: Page, unit: Unit) -> Iterator[ValueCell]:
    outline = page.outline
    label, text = _read_line(outline, unit.first, unit.last)
    if text:
        key = "line" if label else unit.symbol
        yield ValueCell(key, key, text, label)
    for leaf in outline.leaves[unit.first : unit.last]:
        node = outline.nodes[leaf.node]
        href = node.element.get("href") if node.tag == "a" else None
        if href:
            yield ValueCell("line a", "line a @href", absolute_url(href, page.base_url))
            return


def _tag_of(symbol: str) -> str:
    return re.split(r"[\[={ ]", symbol, maxsplit=1)[0]


def _cells_of(symbol: str) -> str:
    _, _, cells = symbol.partition("{")
    return cells
