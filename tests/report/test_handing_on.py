"""Handing digests on, until something takes them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from socketserver import BaseRequestHandler, TCPServer
from threading import Thread

import pytest

from forest_scrapy.core.health.digest import Digest
from forest_scrapy.output_files import locked
from forest_scrapy.report.handing_on import MAX_WAITING, hand_on, waiting_digests

_FAIL = f'{sys.executable} -c "raise SystemExit(1)"'


class _Garbage(BaseRequestHandler):
    """An answer that is not HTTP."""

    def handle(self) -> None:
        self.request.recv(65_536)
        self.request.sendall(b"not HTTP\r\n\r\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "health.untold"


@pytest.fixture
def taker(tmp_path: Path) -> str:
    """A command that appends what it gets to a file."""
    script = tmp_path / "take.py"
    script.write_text("import sys; open(sys.argv[1], 'a').write(sys.stdin.read() + '\\n')")
    return f"{sys.executable} {script} {tmp_path / 'taken.jsonl'}"


def taken(tmp_path: Path) -> list[str]:
    """The names of the spiders of the digests that were taken."""
    lines = (tmp_path / "taken.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["spider"] for line in lines]


def test_an_answer_that_is_no_http_is_logged(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with TCPServer(("127.0.0.1", 0), _Garbage) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        hand_on(Digest(3), f"http://127.0.0.1:{server.server_address[1]}/", folder)
        thread.join()
    (error,) = [record.getMessage() for record in caplog.records]
    assert "FOREST_ON_TROUBLE" in error and "has failed" in error
    assert len(waiting_digests(folder)) == 1


def test_what_was_not_taken_is_handed_on_again_in_order(
    folder: Path, taker: str, tmp_path: Path
) -> None:
    hand_on(Digest(3, "first"), _FAIL, folder)
    hand_on(None, _FAIL, folder)
    hand_on(Digest(3, "second"), _FAIL, folder)
    assert len(waiting_digests(folder)) == 2
    hand_on(Digest(3, "third"), taker, folder)
    assert taken(tmp_path) == ["first", "second", "third"]
    assert waiting_digests(folder) == []


def test_a_crawl_that_has_nothing_to_tell_hands_on_what_waits(
    folder: Path, taker: str, tmp_path: Path
) -> None:
    hand_on(Digest(3, "first"), _FAIL, folder)
    hand_on(None, taker, folder)
    hand_on(None, taker, folder)
    assert taken(tmp_path) == ["first"]


@pytest.mark.slow
def test_the_number_of_digests_that_wait_is_bounded(
    folder: Path, taker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forest_scrapy.report.handing_on.subprocess.run", _raise)
    for number in range(MAX_WAITING + 3):
        hand_on(Digest(3, str(number)), "command", folder)
    monkeypatch.undo()
    hand_on(None, taker, folder)
    assert taken(tmp_path) == [str(number) for number in range(3, MAX_WAITING + 3)]


def _raise(*arguments: object, **options: object) -> None:
    raise FileNotFoundError("no such command")


def test_another_crawl_that_hands_on_is_not_waited_for_long(
    folder: Path, taker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forest_scrapy.report.handing_on._LOCK_TIMEOUT", 0.01)
    hand_on(Digest(3, "first"), _FAIL, folder)
    with locked(folder):
        hand_on(Digest(3, "second"), taker, folder)
    hand_on(None, taker, folder)
    assert taken(tmp_path) == ["first", "second"]


def test_other_files_of_the_folder_stay(folder: Path, taker: str) -> None:
    folder.mkdir()
    (folder / "notes.json").write_text("mine")
    hand_on(Digest(3, "first"), taker, folder)
    hand_on(Digest(3, "first"), _FAIL, folder)
    hand_on(None, taker, folder)
    assert (folder / "notes.json").read_text() == "mine"
