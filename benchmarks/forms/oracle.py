"""The rows that a prober could find which knew the table: greedy set cover over queries.

A query has for each text field none, one or two words of a row, for each choice none or the option
of the row.  Each next query is the one that shows the most rows not shown before, so no prober that
does not know the table can be expected to find more with as many probes.  ``only_seen``: only words
of rows that were shown before, and of the page, as a prober has them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import combinations, product

from benchmarks.forms.sites import Field, Layout, Row, split_words

#: Words of one field in a query.
MAX_WORDS = 2
#: Words that a prober tries without knowing any row.
FIRST_WORDS = frozenset("the of and in a to for on with from 1 2000 10 2010 5 1990 20".split())

#: A word, or a value, of a field.
Part = tuple[str, str]
Query = tuple[Part, ...]


def find_most_rows(
    rows: Sequence[Row],
    layout: Layout,
    probes: int,
    only_seen: bool = False,
) -> list[int]:
    """The number of rows that are shown after each query.

    Only for fields that search for words or whole values.  Cost: all queries that have a row, some
    hundred for each row.
    """
    queries = _Queries(_shown_rows(rows, layout))
    if only_seen:
        queries.require(_first_parts(rows, layout))
    known_rows: set[int] = set()
    counts: list[int] = []
    while len(counts) < probes:
        new_rows = queries.take_best(known_rows)
        if not new_rows:
            break
        known_rows.update(new_rows)
        counts.append(len(known_rows))
        for row in new_rows:
            for part in _parts_of(rows[row], layout):
                queries.see(part)
    return counts


class _Queries:
    """The queries that can be sent, by how many rows they show.

    Those with parts that a prober has not seen wait until it has.
    """

    def __init__(self, shown_rows: dict[Query, list[int]]) -> None:
        self._shown_rows = shown_rows
        #: The negative number of rows that a query shows at most, and the query.
        self._heap = [(-len(rows), query) for query, rows in shown_rows.items()]
        heapify(self._heap)
        self._unseen_counts: dict[Query, int] = {}
        self._waiting: defaultdict[Part, list[Query]] = defaultdict(list)

    def require(self, seen_parts: set[Part]) -> None:
        """Let all queries wait that have other parts than these."""
        heap = []
        for size, query in self._heap:
            unseen_parts = [part for part in query if part not in seen_parts]
            if not unseen_parts:
                heap.append((size, query))
                continue
            self._unseen_counts[query] = len(unseen_parts)
            for part in unseen_parts:
                self._waiting[part].append(query)
        self._heap = heap
        heapify(self._heap)

    def see(self, part: Part) -> None:
        """Let the queries be sent that wait for this part and for no other one."""
        for query in self._waiting.pop(part, ()):
            self._unseen_counts[query] -= 1
            if not self._unseen_counts[query]:
                heappush(self._heap, (-len(self._shown_rows[query]), query))

    def take_best(self, known_rows: set[int]) -> list[int]:
        """The unknown rows of the query that has the most of them; empty if none has any."""
        while self._heap:
            _, query = heappop(self._heap)
            new_rows = [row for row in self._shown_rows[query] if row not in known_rows]
            if not new_rows:
                continue
            is_best = not self._heap or -self._heap[0][0] <= len(new_rows)
            if is_best:
                return new_rows
            heappush(self._heap, (-len(new_rows), query))
        return []


def _shown_rows(rows: Sequence[Row], layout: Layout) -> dict[Query, list[int]]:
    """The rows that each query shows."""
    shown_rows: defaultdict[Query, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        choices = [list(_queries_of_field(field, row, layout)) for field in layout.fields]
        for parts_of_fields in product(*choices):
            query = tuple(part for parts in parts_of_fields for part in parts)
            if query and len(shown_rows[query]) < layout.max_rows:
                shown_rows[query].append(number)
    return shown_rows


def _queries_of_field(field: Field, row: Row, layout: Layout) -> Iterator[Query]:
    if field.name not in layout.needs:
        yield ()
    parts = sorted(set(_parts_of_field(field, row)))
    for count in range(1, MAX_WORDS + 1):
        yield from combinations(parts, count)


def _parts_of(row: Row, layout: Layout) -> Iterator[Part]:
    for field in layout.fields:
        yield from _parts_of_field(field, row)


def _parts_of_field(field: Field, row: Row) -> Iterator[Part]:
    if field.how == "equal":
        yield field.name, row[field.column]
        return
    texts = [row[field.column]] if field.column else row.values()
    for text in texts:
        for word in split_words(text):
            yield field.name, word


def _first_parts(rows: Sequence[Row], layout: Layout) -> set[Part]:
    """What can be put into the fields without knowing a row: options, frequent words, and those of
    the page of the form."""
    example = next(iter(rows[0].values()))
    words = FIRST_WORDS.union(split_words(example))
    parts: set[Part] = set()
    for field in layout.fields:
        values = field.options or words
        parts.update((field.name, value) for value in values)
    return parts
