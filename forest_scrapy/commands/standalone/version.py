"""``forest-scrapy version``."""

from argparse import Namespace

from scrapy.commands import version

import forest_scrapy


class Command(version.Command):
    """The version of the package, and then Scrapy's."""

    def short_desc(self) -> str:
        return "Print the versions of forest-scrapy and Scrapy"

    def run(self, args: list[str], opts: Namespace) -> None:
        print(f"forest-scrapy {forest_scrapy.__version__}")
        if opts.verbose:
            from forest_scrapy.core.page.columns import IS_NATIVE

            state = "in use" if IS_NATIVE else "not in use: pages are read more slowly"
            print(f"compiled part {state}")
        super().run(args, opts)
