"""``forest-scrapy list``, and ``scrapy list`` where the package is installed."""

from argparse import Namespace

from scrapy.addons import AddonManager
from scrapy.commands import list as scrapy_list


class Command(scrapy_list.Command):
    """Scrapy's command; also lists the spiders that add-ons bring."""

    requires_project = False

    def run(self, args: list[str], opts: Namespace) -> None:
        assert self.settings is not None
        AddonManager.load_pre_crawler_settings(self.settings)
        super().run(args, opts)
