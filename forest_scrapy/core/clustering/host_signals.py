"""The signals of a host's pages, and how the pages of each template compare with the others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.clustering.page_types import Signals

__all__ = ["FEATURES", "SIGNALS", "TEMPLATE_FEATURES", "HostSignals", "Table"]

SIGNALS = tuple(one.name for one in fields(Signals))
#: Features of a template: its share of the host's pages; the standard deviation of
#: ``log_plain_words`` over its pages; and its mean of that, less the highest of the host.
TEMPLATE_FEATURES = ("pages_share", "length_spread", "length_rank")
#: What a page is classified by: its signals, their means over its template, these less the means
#: of the host, and the features of the template.
FEATURES = (
    *SIGNALS,
    *(f"template's {name}" for name in SIGNALS),
    *(f"{name} above the host's" for name in SIGNALS),
    *TEMPLATE_FEATURES,
)
_LENGTH = SIGNALS.index("log_plain_words")

Table = NDArray[np.float64]


class HostSignals:
    """Sums of the signals of a host's pages, by the digest of their fingerprint.

    Pages are added one by one; what a template is like can be asked at any time.  Memory: some
    200 bytes for each digest.
    """

    def __init__(self) -> None:
        #: For each digest the number of pages, the sums of the signals, and the sum of the
        #: squares of ``log_plain_words``.
        self._sums: dict[str, Table] = {}
        self.pages = 0

    def add(self, digest: str, signals: Signals) -> None:
        """Count a page."""
        row = _row(signals)
        self.pages += 1
        added = np.array([1.0, *row, row[_LENGTH] ** 2])
        self._sums[digest] = self._sum((digest,)) + added

    def describe(
        self, templates: Sequence[Collection[str]], pages: Sequence[Sequence[Signals]]
    ) -> list[Table]:
        """For each template, given by the digests of its pages, a table with a row for each of
        its ``pages`` and a column for each of ``FEATURES``."""
        sums = [self._sum(digests) for digests in templates]
        host = self._sum(self._sums)
        host_means = _means(host)
        longest = max((_means(own)[_LENGTH] for own in sums if own[0]), default=0.0)
        described = []
        for own, signals in zip(sums, pages, strict=True):
            means = _means(own)
            spread = max(0.0, own[-1] / max(own[0], 1) - means[_LENGTH] ** 2) ** 0.5
            shape = [own[0] / max(host[0], 1), spread, means[_LENGTH] - longest]
            shared = np.concatenate([means, means - host_means, shape])
            rows = [np.concatenate([_row(one), shared]) for one in signals]
            described.append(np.array(rows).reshape(len(rows), len(FEATURES)))
        return described

    def _sum(self, digests: Collection[str]) -> Table:
        known = [self._sums[digest] for digest in digests if digest in self._sums]
        return np.sum(known, axis=0) if known else np.zeros(len(SIGNALS) + 2)


def _row(signals: Signals) -> Table:
    return np.array([getattr(signals, name) for name in SIGNALS], dtype=float)


def _means(sums: Table) -> Table:
    return np.asarray(sums[1:-1] / max(sums[0], 1))
