"""``forest-scrapy extract``."""

from argparse import Namespace

from forest_scrapy.commands import forest_command
from forest_scrapy.commands.forest_command import Action


class Command(forest_command.Command):
    """``scrapy forest extract`` as a command of its own.

    Scrapy imports this module for every command, so the action is imported when it runs.
    """

    program = "forest-scrapy"

    def syntax(self) -> str:
        return "PATH|URL|- ... [-o FILE] [options]"

    def short_desc(self) -> str:
        return "Extract articles from URLs, HTML files, folders, WARC files and JSON lines"

    def process_options(self, args: list[str], opts: Namespace) -> None:
        super().process_options(["extract", *args], opts)

    def find_actions(self) -> list[type[Action]]:
        from forest_scrapy.commands.extract import Extract

        return [Extract]
