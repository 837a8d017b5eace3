"""``scrapy shell`` where the package is installed, and ``forest-scrapy shell``."""

from typing import Any

from scrapy.commands import shell


class Command(shell.Command):
    """Scrapy's command; ``article(response)`` is the article of a page."""

    def update_vars(self, vars: dict[str, Any]) -> None:
        from forest_scrapy.integrations.shell import article

        super().update_vars(vars)
        vars["article"] = article
