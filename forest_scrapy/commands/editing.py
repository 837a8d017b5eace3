"""``scrapy forest edit``: correct the wrappers of hosts in a browser."""

from __future__ import annotations

import signal
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from scrapy.settings import Settings

from forest_scrapy.commands.edit_server import EditServer
from forest_scrapy.commands.edited import BadEdit, read_edit, store_edit
from forest_scrapy.commands.host_report import HostPages, stored_report
from forest_scrapy.commands.lookup import find_wrappers, read_host
from forest_scrapy.runtime.report.writing import write_report
from forest_scrapy.settings import ForestSettings

__all__ = ["Editor", "edit_hosts"]


class Editor:
    """Writes the report of some hosts to a folder, and stores the edits that are made there."""

    def __init__(self, given: HostPages, folder: Path, config: ForestSettings) -> None:
        self._given, self._folder, self._config = given, folder, config
        self._pages = tuple(page for pages in given.pages.values() for page in pages)

    def write(self) -> None:
        """Write the report, with the wrappers as they are stored now."""
        report = stored_report(self._given, self._config)
        write_report(report, self._folder, self._config, saves=True)

    def save(self, text: str) -> str:
        """Store an edit; what it changes.  Raises ``BadEdit``, also for another host."""
        edit = read_edit(text, "the edit")
        if edit.host not in self._given.hosts:
            raise BadEdit(f"{edit.host} is not among {', '.join(self._given.hosts)}")
        done = store_edit(edit, self._pages, self._config)
        self.write()
        return done


def edit_hosts(
    names: Sequence[str], options: Namespace, config: ForestSettings, settings: Settings
) -> tuple[str, Sequence[str]]:
    """Serve the report of the hosts until Ctrl-C; a message for each page that cannot be used.

    Raises ``BadStore``, ``UnknownHost``, and ``OSError``.
    """
    hosts = tuple(dict.fromkeys(map(read_host, names)))
    for host in hosts:
        find_wrappers(host, config)  # an unknown host is named before anything is fetched
    given = HostPages.fetch(hosts, options, config, settings)
    with TemporaryDirectory(prefix="forest-edit-") as folder:
        editor = Editor(given, Path(folder), config)
        editor.write()
        with EditServer(Path(folder), editor.save) as server:
            _stop_by_signals()
            print(f"Open {server.url} - this URL is secret; stop with Ctrl-C", flush=True)
            with suppress(KeyboardInterrupt):
                server.serve_forever()
    return "", given.errors


def _stop_by_signals() -> None:
    """Handle signals as Python does: after a crawl, Scrapy's handlers are still there."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
