"""``forest-scrapy mcp``."""

from argparse import Namespace

from forest_scrapy.commands import forest_command
from forest_scrapy.commands.forest_command import Action


class Command(forest_command.Command):
    """``scrapy forest mcp`` as a command of its own; the action is imported when it runs."""

    program = "forest-scrapy"

    def syntax(self) -> str:
        return "[options]"

    def short_desc(self) -> str:
        return "Serve tools for agents (Model Context Protocol)"

    def process_options(self, args: list[str], opts: Namespace) -> None:
        super().process_options(["mcp", *args], opts)

    def find_actions(self) -> list[type[Action]]:
        from forest_scrapy.commands.mcp_tools import Mcp

        return [Mcp]
