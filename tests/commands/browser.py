"""A headless Chromium that records what a page does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Opened", "open_browser"]


@dataclass
class Opened:
    """A browser's page, what it has written to the console, and its requests."""

    page: Any
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, file: Path) -> None:
        """Open a file from disk; wait until a page of the report shows its frame."""
        self.page.goto(file.absolute().as_uri())
        self.wait()

    def wait(self) -> None:
        """Wait until the frame, if there is one, is shown."""
        if self.page.query_selector("#frame"):
            self.page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)

    @property
    def frame(self) -> Any:
        """The frame of a page of the report."""
        return self.page.frames[1]


@contextmanager
def open_browser() -> Iterator[Opened]:
    """Debian's Chromium, driven by playwright; the test is skipped if one of them is missing.

    ``CHROMIUM``: the program, if it is not in the path.
    """
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not program:
        pytest.skip("needs Chromium: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = started.new_page(viewport={"width": 1400, "height": 900})
        page.set_default_timeout(60_000)
        opened = Opened(page)
        page.on("console", lambda message: opened.messages.append(message.text))
        page.on("pageerror", lambda error: opened.messages.append(str(error)))
        page.on("request", lambda request: opened.requests.append(request.url))
        page.on("dialog", lambda dialog: opened.messages.append(f"dialog {dialog.message}"))
        yield opened
        started.close()
