"""``forest-scrapy refresh``."""

from argparse import ArgumentParser, Namespace

from scrapy.exceptions import UsageError

from forest_scrapy.commands.standalone import crawl


class Command(crawl.Command):
    """``scrapy crawl refresh`` as a command of its own."""

    def syntax(self) -> str:
        return "HOST ... [options]"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.usage = f"forest-scrapy refresh {self.syntax()}"

    def short_desc(self) -> str:
        return "Take articles again from pages that were kept (FOREST_WARC)"

    def run(self, args: list[str], opts: Namespace) -> None:
        if not args:
            raise UsageError("name the host; scrapy forest history lists those that are known")
        opts.spargs["host"] = ",".join(args)
        super().run(["refresh"], opts)
