"""``forest-scrapy crawl``."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from scrapy.commands import crawl
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError


class Command(crawl.Command):
    """Scrapy's command; the exit status is also 1 if nothing could be fetched, and 3 if something
    needs a person, as the health digest says.

    Raises ``BadSetting`` before anything is started.
    """

    requires_project = False

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.usage = f"forest-scrapy crawl {self.syntax()}"

    def short_desc(self) -> str:
        return (
            "Crawl feeds (crawl feeds -a feeds=URL), a site (crawl site -a url=URL), or threads and"
            " products (crawl records -a url=URL)"
        )

    def process_options(self, args: list[str], opts: Namespace) -> None:
        # Imported here, since Scrapy imports this module for every command.
        from forest_scrapy.commands.pages import check_reactor
        from forest_scrapy.exporters import add_formats
        from forest_scrapy.exporters.commands import with_formats
        from forest_scrapy.settings import read_settings

        assert self.settings is not None
        add_formats(self.settings)  # Scrapy checks the formats of -o and -O before it loads add-ons
        opts.output = with_formats(opts.output)
        opts.overwrite_output = with_formats(opts.overwrite_output)
        super().process_options(args, opts)
        check_reactor(self.settings)
        read_settings(self.settings)

    def run(self, args: list[str], opts: Namespace) -> None:
        from forest_scrapy.crawl.outcomes import found_nothing
        from forest_scrapy.exporters.commands import describe_argument

        assert self.crawler_process is not None
        spider_names = sorted(self.crawler_process.spider_loader.list())
        if args and args[0] in spider_names and len(args) > 1:
            raise UsageError(describe_argument(args[0], args[1:]))
        if not args or args[0] not in spider_names:
            named = f"{args[0]!r} is not a spider; " if args else ""
            raise UsageError(f"{named}name one of the spiders {', '.join(spider_names)}")
        crawler = self.crawler_process.create_crawler(args[0])
        self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        stats = _read_stats(crawler)
        if found_nothing(stats):
            print("forest-scrapy crawl: nothing could be fetched; see the log", file=sys.stderr)
            self.exitcode = 1
        elif self.crawler_process.bootstrap_failed:
            self.exitcode = 1
        elif not self.exitcode:
            self.exitcode = 3 if stats.get("forest/health/troubles") else 0


def _read_stats(crawler: Crawler) -> dict[str, Any]:
    """The stats of a crawl that has ended; empty if it could not start."""
    try:
        if crawler.stats:
            return crawler.stats.get_stats()
        return {}
    except RuntimeError:  # of Scrapy 2.19 and later, before the start
        return {}
