"""Whether the rules of a template still fit its pages; if they do not, because the site was
redesigned, they are learned again from its latest pages only."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from forest_scrapy import core
from forest_scrapy.core.items import Article, Product, Thread
from forest_scrapy.core.options import Params
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.learner import read_sample
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.background import in_thread

logger = logging.getLogger(__name__)

#: How much less a new wrapper may agree with the classifier than the old one, on pages that both
#: match: the estimate is not more exact.
_TOLERANCE = 0.01


#: Parses the page that is looked at, unless it was parsed already.
ReadPage = Callable[[], Awaitable["core.Page"]]


class Redesigns:
    """Checks on each page whether the rules of its template fit it."""

    def __init__(self, crawl: CrawlContext) -> None:
        self._crawl = crawl
        self._stats = crawl.stats
        self._learner = crawl.learner
        self._templates = crawl.templates
        self._options = crawl.settings.options

    async def check(
        self,
        item: ArticlePage,
        read_page: ReadPage,
        template: core.Template,
        extraction: core.Extraction,
    ) -> bool:
        """Note how the rules of a template fit a page; whether they were replaced because they do
        not fit its latest pages any more, so that the page has to be read again."""
        if template.is_of_threads:
            return await self._check_thread(item, template, extraction)
        if template.is_of_records and not extraction.is_of_article:
            return await self._check_record(item, template, extraction)
        outcome = extraction.outcome
        if isinstance(outcome, Article) and outcome.comments:
            await self._check_comments(item.response.url, template, extraction)
        if not template.wrapper.keep or not extraction.is_of_article:
            return False
        return await self._check_article(item, read_page, template, extraction)

    async def fits(
        self, read_page: ReadPage, template: core.Template, extraction: core.Extraction
    ) -> bool:
        """Whether the rules of a template fit a page, as far as it is an article."""
        has_wrapper = template.is_stored and template.wrapper.keep
        if not has_wrapper or not extraction.is_of_article:
            return True
        return await self._fits(read_page, template, extraction)

    async def _check_article(
        self,
        item: ArticlePage,
        read_page: ReadPage,
        template: core.Template,
        extraction: core.Extraction,
    ) -> bool:
        wrapper = template.wrapper
        fits = await self._fits(read_page, self._learner.latest(template), extraction)
        template = self._learner.latest(template)
        text_length = len(extraction.found.text)
        fit = template.fit.add(text_length, fits)
        template = self._templates.update(template, fit=fit)
        if fits or not template.is_stored:
            return False
        self._stats.inc_value("forest/wrappers/misfits")
        # The pages that do not fit are learned from apart from the others.
        self._crawl.spool.make_ready(item.key, template.misfits_key)
        async with self._learner.locks[template.key]:
            template = self._learner.latest(template)
            if template.wrapper is wrapper and template.fit.has_failed:
                await self._replace(template)
        latest_template = self._learner.latest(template)
        return latest_template.wrapper is not wrapper

    async def _fits(
        self, read_page: ReadPage, template: core.Template, extraction: core.Extraction
    ) -> bool:
        """Whether there is text, which is as usual or agrees with that of the classifier."""
        text = extraction.found.text
        if not text:
            return False
        line_count = text.count("\n") + 1
        unseen_share = extraction.found.unseen / line_count
        if not template.fit.is_unusual(len(text), unseen_share):
            return True
        page = await read_page()
        _, classified = await in_thread(core.extract, page, core.NO_WRAPPER, self._options.params)
        return core.agree(text, classified.text)

    async def _replace(self, template: core.Template) -> None:
        """Learn a redesigned template again, unless a person has edited its rules or the new ones
        are no better."""
        misfits = round(template.fit.misfits)
        template = self._templates.update(template, fit=template.fit.restart())
        if template.is_edited:
            logger.warning(
                "Template %s of %s does not fit its latest pages; it is kept, because its wrapper "
                "was edited: scrapy forest forget %s --template %s --force",
                template.id,
                template.host,
                template.id,
                template.host,
            )
            return
        sample = self._learner.misfits(template)
        rules = await self._learner.learn_from(template, sample)
        pages = await in_thread(read_sample, sample, self._crawl.settings)
        new = rules.wrapper
        old = template.wrapper
        params = self._options.params
        if not new.keep or await in_thread(is_worse, new, old, pages, params):
            logger.info("Template %s of %s: nothing better was learned", template.id, template.host)
            return
        self._stats.inc_value("forest/templates/redesigned")
        if rules.comments:
            self._learner.note_comments(template)
        if template.rules:
            rules = replace(rules, text_at=template.rules.text_at)
        host = self._templates.host(template.host)
        rules = rules.with_cut(host.grouping.cut)
        template = self._templates.update(template, rules=rules)
        version = self._learner.save(template, sample, "redesign")
        self._learner.note_redesign(template, old, pages[0])
        logger.warning(
            "Template %s of %s was redesigned: %d of its latest pages did not fit; learned again "
            "from %s: version %d, %s",
            template.id,
            template.host,
            misfits,
            count(len(sample), "page"),
            version,
            new.xpath,
        )

    async def _check_thread(
        self,
        item: ArticlePage,
        template: core.Template,
        extraction: core.Extraction,
    ) -> bool:
        """As ``check``, for a page of a thread: it fits if it has posts."""
        if "thread" not in self._options.kinds:
            return False
        outcome = extraction.outcome
        posts = []
        if isinstance(outcome, Thread) and extraction.by_template:
            posts = outcome.posts
        characters = sum(len(post["text"]) for post in posts)
        template = self._learner.latest(template)  # other pages have been read meanwhile
        fit = template.fit.add(characters, bool(posts))
        template = self._templates.update(template, fit=fit)
        if posts:
            return False
        return await self._note_misfit(item, template)

    async def _check_record(
        self,
        item: ArticlePage,
        template: core.Template,
        extraction: core.Extraction,
    ) -> bool:
        """As ``check``, for a page of a product or a list: it fits if it is one by the rules, a
        product with a price if the template shows prices."""
        record = extraction.item
        is_fit = record is not None and extraction.by_template
        if isinstance(record, Product) and not record.price and template.records:
            product_rules = template.records.product
            is_fit = product_rules is None or not product_rules.price
        characters = len(record.text) if record else 0
        template = self._learner.latest(template)  # other pages have been read meanwhile
        fit = template.fit.add(characters, is_fit)
        template = self._templates.update(template, fit=fit)
        if is_fit:
            return False
        return await self._note_misfit(item, template)

    async def _note_misfit(self, item: ArticlePage, template: core.Template) -> bool:
        """Count a page of a template of records that does not fit; whether its rules were replaced
        since so many do not."""
        self._stats.inc_value("forest/wrappers/misfits")
        if not template.is_stored or not template.fit.has_failed:
            return False
        async with self._learner.locks[template.key]:
            return await self._replace_records(self._learner.latest(template), item.url)

    async def _replace_records(self, template: core.Template, url: str) -> bool:
        """Learn stored rules that find no post, product or list on their latest pages again from
        the pages of this crawl; False if these are of another kind."""
        if not template.is_stored:  # learned meanwhile
            return True
        template = self._templates.update(template, fit=template.fit.restart())
        sample = self._learner.sample(template)
        rules = await self._learner.learn_from(template, sample)
        if template.rules and template.is_of_records:
            is_of_kind = rules.are_of_records and rules.kind == template.rules.kind
            are_alike = is_of_kind and not template.is_edited
        else:
            are_alike = rules.are_of_threads and bool(rules.text_wrapper.keep)
        if not are_alike:
            return False
        self._learner.assign(template, rules, sample)
        self._stats.inc_value("forest/templates/redesigned")
        logger.warning(
            "Template %s of %s was redesigned: no %s was found on %s; learned again",
            template.id,
            template.host,
            "post" if rules.are_of_threads else rules.kind,
            url,
        )
        return True

    async def _check_comments(
        self, url: str, template: core.Template, extraction: core.Extraction
    ) -> None:
        """Note that rules for comments have found some, or that they find none though there are
        some; then they are learned again."""
        if not extraction.comments_missed:
            self._learner.confirmed.add(template.key)
            return
        async with self._learner.locks[template.key]:
            applied_rules = template.rules
            template = self._learner.latest(template)
            if template.rules is None or template.rules.comments is None:
                return
            if applied_rules and template.rules.comments is not applied_rules.comments:
                return  # they were learned again meanwhile
            logger.info(
                "The rules for comments of template %s of %s find none on %s, which has some; "
                "they are learned again",
                template.id,
                template.host,
                url,
            )
            rules = replace(template.rules, comments=None)
            template = self._templates.update(template, rules=rules)
            await self._learner.learn_comments(template)


def is_worse(
    new: core.Wrapper, old: core.Wrapper, pages: Sequence[core.Page], params: Params
) -> bool:
    """Whether a new wrapper agrees less with the classifier than the old one, on the pages that
    both match."""
    difference = 0.0
    for page in pages:
        new_text = new.apply(page).text
        old_text = old.apply(page).text
        if not new_text or not old_text:
            continue
        _, classified = core.extract(page, core.NO_WRAPPER, params)
        new_difference = core.share_changed(new_text, classified.text)
        old_difference = core.share_changed(old_text, classified.text)
        difference += new_difference - old_difference
    return difference > _TOLERANCE * len(pages)
