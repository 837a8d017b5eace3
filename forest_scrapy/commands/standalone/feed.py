"""``forest-scrapy feed``."""

from argparse import Namespace

from forest_scrapy.commands import forest_command
from forest_scrapy.commands.forest_command import Action


class Command(forest_command.Command):
    """``scrapy forest feed`` as a command of its own; the action is imported when it runs."""

    program = "forest-scrapy"

    def syntax(self) -> str:
        return "-o FILE [HOST|FEED ...] [options]"

    def short_desc(self) -> str:
        return "Write a feed with the full texts of the latest articles"

    def process_options(self, args: list[str], opts: Namespace) -> None:
        super().process_options(["feed", *args], opts)

    def find_actions(self) -> list[type[Action]]:
        from forest_scrapy.commands.feed import Feed

        return [Feed]
