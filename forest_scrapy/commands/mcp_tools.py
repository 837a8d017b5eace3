"""``scrapy forest mcp``, and ``forest-scrapy mcp``: tools for agents."""

from argparse import Namespace

from forest_scrapy.commands.forest_command import Action, AddOption
from forest_scrapy.commands.stored import find_wrappers, site_name
from forest_scrapy.core import ForestError
from forest_scrapy.crawl.context import store_file


class MissingMcp(ForestError):
    """The library is not installed."""

    def __init__(self) -> None:
        super().__init__("mcp is not installed: pip install 'forest-scrapy[mcp]'")


class Mcp(Action):
    """Serve tools for agents over the Model Context Protocol, on standard input and output: read an
    article, learn a site, what has changed, why, and preview a correction.

    They use the settings and stores of this folder.
    """

    name = "mcp"

    @staticmethod
    def add_options(add: AddOption) -> None:
        """It has none."""

    def run(self, options: Namespace) -> str:
        """Serve until standard input ends.  Raises ``MissingMcp``."""
        try:
            from forest_scrapy.integrations.mcp_server import make_server
        except ImportError as error:
            raise MissingMcp from error
        server = make_server(self.config.allow_private is True, self._find_store)
        server.run("stdio")
        return ""

    def _find_store(self, url: str) -> str:
        """The store of wrappers if it has some for the host of a URL; else ``""``."""
        try:
            templates = find_wrappers(site_name(url), self.config)
        except ForestError:
            return ""  # there is no store yet, or it does not know the host
        if not templates:
            return ""
        file = store_file(self.config.store)
        return self.config.store if file is None else str(file)
