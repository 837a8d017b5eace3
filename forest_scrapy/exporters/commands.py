"""``scrapy crawl`` and ``scrapy runspider`` with the formats of the add-on."""

from argparse import Namespace

from scrapy.commands import BaseRunSpiderCommand, crawl, runspider
from scrapy.settings import BaseSettings


class _WithFormats(BaseRunSpiderCommand):
    """Scrapy's command, whose ``-o`` and ``-O`` know the formats of the add-on."""

    def process_options(self, args: list[str], opts: Namespace) -> None:
        assert self.settings is not None
        if _has_addon(self.settings):
            from forest_scrapy.exporters import add_formats

            add_formats(self.settings)  # Scrapy checks the formats before it loads add-ons
        super().process_options(args, opts)


class Crawl(_WithFormats, crawl.Command):
    """``scrapy crawl``."""


class RunSpider(_WithFormats, runspider.Command):
    """``scrapy runspider``."""


def _has_addon(settings: BaseSettings) -> bool:
    for addon in settings.getdict("ADDONS"):
        module = str(getattr(addon, "__module__", addon))
        if module.partition(".")[0] == "forest_scrapy":
            return True
    return False
