"""``scrapy forest probe``: probes a form and aligns its records with an ontology, in turn."""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES

from forest_scrapy.commands.forest_command import Action, AddOption
from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.graph.iris import last_part
from forest_scrapy.core.plurals import count

#: A relation counts as aligned from this probability, and from so many facts, as for ``--enrich``.
MIN_PROBABILITY = 0.5
MIN_FACTS = 2
_PROGRAM = "from forest_scrapy.commands.main import main; main()"


class CrawlFailed(ForestError):
    """A crawl of the form has failed; the message tells where its log is."""


@dataclass(frozen=True)
class Round:
    """What is known after a round: ``relations`` are the aligned ones with the probability of their
    best match; ``values``: the number of values to be tried next."""

    probes: int
    records: int
    relations: dict[str, float]
    values: int

    def is_sure(self, confidence: float) -> bool:
        """Whether all relations that are aligned are so with this probability at least."""
        return bool(self.relations) and min(self.relations.values()) >= confidence

    def describe(self) -> str:
        """The round in one line."""
        relations = []
        for relation, probability in sorted(self.relations.items()):
            relations.append(f"{last_part(relation)} {probability:.2f}")
        aligned = ", ".join(relations) or "nothing aligned"
        return f"{count(self.probes, 'probe')}, {count(self.records, 'record')}: {aligned}\n"


class ProbeForm(Action):
    """Probe a form until its records are aligned with an ontology, with the ontology's own values.

    In turn some probes are sent, the records are aligned, and values of the aligned class that no
    record has are tried next: until the alignment is as sure as --confidence says and the same as
    the round before, nothing is left to try, or all --probes are sent. The folder then has the
    records (records.jsonl, records.nt), links.json, new.ttl, values.json, and the log.
    """

    name = "probe"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("url", metavar="URL", help="the page with the form")
        add("ontology", type=Path, metavar="FILE", help="the ontology, or another graph")
        add("-o", "--output", type=Path, default=Path("probed"), metavar="FOLDER", help="(probed)")
        add("--probes", type=_count, default=500, metavar="N", help="at most (500)")
        add("--step", type=_count, default=100, metavar="N", help="probes of a round (100)")
        add(
            "--confidence",
            type=_probability,
            default=0.9,
            metavar="P",
            help="of all aligned relations, to end before all probes are sent (0.9); 2: never",
        )
        add("--form", default="", metavar="N", help="the number of the form on its page")

    def run(self, options: Namespace) -> Iterator[str]:
        folder: Path = options.output
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "values.json").unlink(missing_ok=True)
        before: Round | None = None
        probes = 0
        while probes < options.probes:
            probes = min(probes + options.step, options.probes)
            self._crawl(options, probes)
            current = self._align(options, probes)
            yield current.describe()
            if before is not None and _is_done(before, current, options.confidence):
                break
            before = current

    def _crawl(self, options: Namespace, probes: int) -> None:
        """Send probes until so many are sent.  Raises ``CrawlFailed``."""
        folder: Path = options.output
        arguments = ["-a", f"url={options.url}", "-a", f"probes={probes}"]
        if options.form:
            arguments += ["-a", f"form={options.form}"]
        values = folder / "values.json"
        if _read_values(values):
            arguments += ["-a", f"values={values}"]
        for name in ("records.jsonl", "records.nt"):
            arguments += ["-O", str(folder / name)]
        status = self._run(folder, ["crawl", "form", *arguments])
        if status:
            raise CrawlFailed(
                f"the form of {options.url} cannot be probed: {folder / 'log.txt'} says why; the"
                " same command goes on there"
            )

    def _align(self, options: Namespace, probes: int) -> Round:
        """Align the records, if there are any."""
        folder: Path = options.output
        links = folder / "links.json"
        links.unlink(missing_ok=True)
        outputs = [
            *("-o", str(links)),
            *("--enrich", str(folder / "new.ttl")),
            *("--values", str(folder / "values.json")),
        ]
        files = [str(folder / "records.nt"), str(options.ontology)]
        # Its status is 1 as long as the records and the ontology have nothing in common.
        self._run(folder, ["forest", "align", *files, *outputs])
        text = (folder / "records.jsonl").read_text("utf-8")
        values = _read_values(folder / "values.json")
        return Round(
            probes=probes,
            records=len(text.splitlines()),
            relations=_read_relations(links),
            values=sum(map(len, values.values())),
        )

    def _run(self, folder: Path, words: Sequence[str]) -> int:
        """Run a command of this program, whose output goes into the log; its exit status."""
        command = [sys.executable, "-c", _PROGRAM, *words, *self._settings_arguments()]
        with (folder / "log.txt").open("ab") as log:
            return subprocess.run(command, stdout=log, stderr=log, check=False).returncode

    def _settings_arguments(self) -> list[str]:
        """The settings of this command line, for those of the commands that it runs."""
        arguments = []
        for name, attribute in self.settings.attributes.items():
            if attribute.priority == SETTINGS_PRIORITIES["cmdline"]:
                arguments += ["-s", f"{name}={attribute.value}"]
        return arguments


def _is_done(before: Round, current: Round, confidence: float) -> bool:
    """Whether the alignment is sure and stands, or the last round has brought nothing."""
    is_same = before.relations.keys() == current.relations.keys()
    if is_same and current.is_sure(confidence):
        return True
    has_new_records = current.records > before.records
    return not has_new_records and current.values >= before.values


def _read_relations(path: Path) -> dict[str, float]:
    """The relations of the records that are below one of the ontology, with the probability of the
    best one; none without the file."""
    if not path.exists():
        return {}
    links: dict[str, Any] = json.loads(path.read_text("utf-8"))
    best: dict[str, float] = {}
    for link in links["relations"]:
        is_relation = link["is_left"] and not link["narrow"].startswith("^")
        is_one_step = "/<" not in link["narrow"]
        is_certain = link["probability"] >= MIN_PROBABILITY and link["evidence"] >= MIN_FACTS
        if is_relation and is_one_step and is_certain:
            narrow = link["narrow"]
            best[narrow] = max(best.get(narrow, 0.0), link["probability"])
    return best


def _read_values(path: Path) -> dict[str, list[str]]:
    """The values to be tried by relation, without those that have none."""
    if not path.exists():
        return {}
    values: dict[str, list[str]] = json.loads(path.read_text("utf-8"))
    return {name: texts for name, texts in values.items() if texts}


def _probability(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not isfinite(value) or value <= 0:
        raise ArgumentTypeError(f"name a number above 0, not {text!r}")
    return value


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"name a number from 1, not {text!r}")
    return int(text)
