"""One page without others: what a batch makes of it, without its files, passes and processes."""

from collections.abc import Sequence

from forest_scrapy.batch.batch import PageResult, warn_of_base, without_body
from forest_scrapy.batch.planning import learn_templates, plan_host
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.batch.work import (
    ExtractedPage,
    ReadPage,
    extract_by_template,
    extracted_or_refused,
    note_read_page,
    read_page,
    result_or_reason,
)
from forest_scrapy.core import Page
from forest_scrapy.core.other_kinds import find_other_kind
from forest_scrapy.items import Article
from forest_scrapy.joining.duplicates import list_other_urls
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import NotedPage


def extract_single(
    raw: RawPage,
    settings: ForestSettings,
    is_article: bool,
) -> PageResult | None:
    """The outcome of the only page of a batch, which is that of the batch: the same item.  None for
    a page of a thread, or a further page of an article, which a batch joins.  Cost: that of
    learning from the page and of extracting from it."""
    result_page = without_body(raw)
    read = result_or_reason(_read, settings, is_article, raw)
    if isinstance(read, str):
        return PageResult(result_page, read)
    page, note = read
    extracted = _extract(page, note, settings)
    if extracted.reason:
        return PageResult(
            result_page,
            extracted.reason,
            other_kind=extracted.other_kind,
            pages_alike=1,
        )

    item = extracted.item
    held_page = extracted.held_page
    if held_page is not None:
        is_first = isinstance(item, Article) and held_page.is_first
        if not is_first or held_page.next_key == note.key:
            return None
    if extracted.has_no_base:
        warn_of_base(raw)
    if isinstance(item, Article):
        item.other_urls = list_other_urls(item, (item.canonical_url,))
    return PageResult(result_page, "", item, extracted.has_no_base)


def _read(
    settings: ForestSettings,
    is_article: bool,
    raw: RawPage,
) -> tuple[ReadPage, NotedPage]:
    page = read_page(settings, is_article, raw)
    return page, note_read_page(page, settings, number=0)


def _extract(page: ReadPage, note: NotedPage, settings: ForestSettings) -> ExtractedPage:
    """What the template gives that is learned from the page alone."""
    plan = plan_host(note.host, [note], settings.options)
    if note.key not in plan.assigned:
        other_kind = find_other_kind(
            page.page,
            settings.options,
            may_be_article=False,
            needs_hint=False,
        )
        return ExtractedPage("not_article", other_kind=other_kind)

    def read_pages(keys: Sequence[str]) -> list[Page]:
        return [page.page for _ in keys]

    learned = learn_templates(note.host, plan.templates, read_pages, settings.options)
    ((template, _),) = learned
    return extracted_or_refused(
        extract_by_template,
        page.item,
        page.page,
        template,
        settings,
    )
