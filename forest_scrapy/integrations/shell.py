"""The article of a response at hand, in ``scrapy shell`` or a program."""

from contextlib import ExitStack, closing
from datetime import UTC, datetime

from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.project import get_project_settings

from forest_scrapy.core import Entry
from forest_scrapy.crawl.context import find_rules
from forest_scrapy.crawl.stored_templates import StoredTemplates
from forest_scrapy.items import ArticlePage, Item
from forest_scrapy.responses.conversion import repair_encoding
from forest_scrapy.settings import read_settings


def article(
    response: Response,
    entry: Entry | None = None,
    settings: BaseSettings | None = None,
) -> Item | None:
    """The item of a response: by the stored wrapper of its template, or by itself if none is
    stored; None if it has none, see ``scrapy forest why URL``.  Nothing is stored.

    ``settings``: those of the project if None.  10 to 50 ms, and longer the first time.  Raises
    ``BadSetting`` and ``BadStore``.
    """
    forest_settings = read_settings(settings or get_project_settings())
    page = ArticlePage.from_response(repair_encoding(response), entry)
    page.fetched_at = datetime.now(UTC).isoformat(timespec="seconds")
    with ExitStack() as stack:
        rules = find_rules(forest_settings)
        if rules:
            stack.enter_context(closing(rules))
        templates = StoredTemplates(forest_settings, rules)
        return templates.extract_at_once(page).item
