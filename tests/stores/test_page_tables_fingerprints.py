from __future__ import annotations

import pytest

from forest_scrapy.stores import Spool

from .helpers import HOST, make_fingerprint


def test_a_fingerprint_is_found_by_host_and_digest(spool: Spool) -> None:
    table, fingerprint = spool.fingerprints, make_fingerprint(2**64 - 1, 0, 7)
    for _ in range(2):
        table.add(HOST, fingerprint)
    assert table.get(HOST, fingerprint.digest) == table.find(HOST, fingerprint.digest)
    assert table.get(HOST, fingerprint.digest) == fingerprint


@pytest.mark.parametrize(("host", "is_known"), [("b.example", True), (HOST, False)])
def test_an_unknown_fingerprint(spool: Spool, host: str, is_known: bool) -> None:
    table, fingerprint = spool.fingerprints, make_fingerprint(1)
    table.add(HOST, fingerprint)
    digest = fingerprint.digest if is_known else "0"
    assert table.find(host, digest) is None
    with pytest.raises(KeyError, match=digest):
        table.get(host, digest)
