"""``forest-scrapy extract``."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from forest_scrapy.commands.extraction import extract_files
from forest_scrapy.commands.options import add_extract_options
from forest_scrapy.core import ForestError
from forest_scrapy.settings import read_settings

__all__ = ["Command"]


class Command(ScrapyCommand):
    """Extracts articles from stored pages, as ``scrapy forest extract`` does."""

    requires_project = False
    requires_crawler_process = False

    def syntax(self) -> str:
        return "PATH ... -o FILE [options]"

    def short_desc(self) -> str:
        return "Extract articles from HTML files, folders, WARC files and JSON lines"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-o", "--output", metavar="FILE", help="write to this file")
        add_extract_options(parser)

    def run(self, args: list[str], opts: Namespace) -> None:
        if not args:
            raise UsageError("name files or folders with pages")
        assert self.settings is not None
        try:
            extract_files(args, opts, read_settings(self.settings))
        except (ForestError, OSError) as error:
            print(f"forest-scrapy extract: {error}", file=sys.stderr)
            self.exitcode = 1
