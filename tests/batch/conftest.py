"""A WARC file of the demo site, and a batch of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.batch.helpers import demo_pages, run, write_warc


@pytest.fixture(scope="session")
def warc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_warc(tmp_path_factory.mktemp("warc") / "pages.warc.gz", demo_pages())


@pytest.fixture(scope="session")
def done(tmp_path_factory: pytest.TempPathFactory, warc: Path) -> Path:
    """The folder of a batch of the WARC file."""
    folder = tmp_path_factory.mktemp("done")
    run(folder, warc, save_wrappers=str(folder / "wrappers.db"))
    return folder
