"""Handing a digest on."""

from __future__ import annotations

from socketserver import BaseRequestHandler, TCPServer
from threading import Thread

import pytest

from forest_scrapy.core.health.digest import Digest
from forest_scrapy.report.health import hand_on


class _Garbage(BaseRequestHandler):
    """An answer that is not HTTP."""

    def handle(self) -> None:
        self.request.recv(65_536)
        self.request.sendall(b"not HTTP\r\n\r\n")


def test_an_answer_that_is_no_http_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with TCPServer(("127.0.0.1", 0), _Garbage) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        hand_on(Digest(3), f"http://127.0.0.1:{server.server_address[1]}/")
        thread.join()
    (error,) = [one.getMessage() for one in caplog.records]
    assert "FOREST_ON_TROUBLE" in error and "has failed" in error
