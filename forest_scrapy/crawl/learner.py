"""The learner: gives the templates of a crawl their rules, each learned once and in a thread,
notices when they do not fit any more, and stores them."""

from __future__ import annotations

import logging
from asyncio import Lock, Semaphore
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scrapy.statscollectors import StatsCollector

from forest_scrapy import core
from forest_scrapy.core.health.digest import Redesign
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.templates import PagePlacer
from forest_scrapy.freed_memory import give_back
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.background import in_thread
from forest_scrapy.responses.conversion import page_of, rebuild_page, visit_of, was_fetched
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import RulesStore, Spool, SpooledPage

if TYPE_CHECKING:
    from forest_scrapy.core.records import RecordRules, RecordWrapper

logger = logging.getLogger(__name__)

#: Templates that are learned at a time: several take no less time, since Python runs one thread at
#: a time, and 30 MB more each.
MAX_LEARNED_AT_ONCE = 1
#: Characters of a text that are shown before and after a redesign.
MAX_SHOWN_TEXT = 300
#: Articles whose lines are kept in memory, 5 KB each.
MAX_ARTICLES_WITH_LINES = 1000
#: Pages that are extracted from when their template is learned and have not been released yet, at
#: most: what became of them is in memory, 50 KB each.
MAX_EXTRACTED = 200

#: By the part of the rules that could not be learned, the stat; ``comments`` for others.
_STATS_OF_PARTS = {"article": "templates", "records": "records"}

#: What became of pages by their keys.
_Extractions = Mapping[str, "core.Extraction"]


@dataclass(frozen=True)
class _Undecided:
    """A template, by its key, whose pages may be threads with few posts: its rules without the
    other templates of the host, and the keys of the pages that they were learned from."""

    key: str
    rules: core.TemplateRules
    sample: tuple[str, ...]


class Learner:
    """Learns the rules of templates from the pages in the spool, each once: there is one lock for
    each template.

    With ``only_new`` a crawl sees each page once, so that a new layout whose articles come one a
    day would never have two pages to learn from: the pages of a template without stored rules, and
    those that stored rules do not fit, are kept for the next crawls.
    """

    def __init__(
        self,
        settings: ForestSettings,
        stats: StatsCollector,
        spool: Spool,
        rules: RulesStore,
        templates: PagePlacer,
        keeps_rules: bool = False,
    ) -> None:
        """``keeps_rules``: see ``PageScope``; the pages tell nothing of how the site is now."""
        self._settings = settings
        self._keeps_rules = keeps_rules
        self._options = settings.options
        self._stats = stats
        self._spool = spool
        self._rules = rules
        self._templates = templates
        self._kept_pages = rules.kept_pages_for(core.kinds_apart(settings.kinds))
        #: The templates that were learned again, for the report and the health digest.
        self.redesigns: list[Redesign] = []
        self.locks: defaultdict[str, Lock] = defaultdict(Lock)
        #: Of hosts with threads, whose templates are learned together.
        self._host_locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._learning_slots = Semaphore(MAX_LEARNED_AT_ONCE)
        #: The pages that rules for comments were looked for on, by template and wrapper.
        self._searched_pages: defaultdict[tuple[str, str], int] = defaultdict(lambda: 1)
        #: What other templates are compared with, by the keys of pages.
        self._article_lines: dict[str, core.ArticleLines | None] = {}
        #: What became of pages that were learned from, and by which rules, by their keys.
        self._extracted: dict[str, tuple[core.TemplateRules, core.Extraction]] = {}
        #: The templates whose rules for comments were learned, or have found some, in this crawl.
        self.confirmed: set[str] = set()

    async def template_of(self, item: ArticlePage) -> core.Template | None:
        """The template of a page, with its rules, learned on the first call; None for a page
        without one.  Waits for a thread, never for another page."""
        template = self._templates.get(item.template_key)
        if template is None:
            return None
        if not self._lacks_rules(template) and not self._lacks_comments(template):
            return template
        async with self.locks[template.key]:
            template = self.latest(template)
            if self._lacks_rules(template):
                template = await self._learn_first(template)
            if self._lacks_comments(template):
                template = await self.learn_comments(template)
        return template

    def take_extracted(self, key: str, template: core.Template | None) -> core.Extraction | None:
        """What became of a page when its template was learned from it and others; None if that is
        not known, or the template has other rules now."""
        rules, extraction = self._extracted.pop(key, (None, None))
        if template is None or extraction is None or rules is not template.rules:
            return None
        if extraction.item:
            extraction.item.template_id = template.id
        return extraction

    def may_be_outdated(self, template: core.Template | None) -> bool:
        """See ``Visit``: stored rules for threads, and for comments until they have found some."""
        if template is None or not template.is_stored:
            return False
        return template.is_of_threads or template.key not in self.confirmed

    def emitted(self, template: core.Template) -> None:
        """Note that the rules of a template have given an item."""
        if not template.has_articles:
            latest_template = self.latest(template)
            self._templates.update(latest_template, has_articles=True)

    async def finish(self) -> None:
        """Store the rules learned in this crawl with the fingerprints of all its pages.

        Rules of several pages that have given an item stay as they are, so that the next crawl
        extracts the same text; others are learned again if their sample has changed.
        """
        templates = []
        for template in self._templates.learned():
            if self._may_store(template.rules):
                templates.append(template)
        host_names = {template.host for template in templates}
        for name in sorted(host_names):
            host = self._templates.host(name)
            host.grouping.measure()
        for template in templates:
            sample = self.sample(template)
            if not sample:
                continue
            if template.rules and _is_final(template, sample):
                self.assign(template, template.rules, sample)
            else:
                await self._learn(template, sample)
        for template in self._templates.with_rules():
            if template.is_stored or len(template.sample) > 1:
                self._rules.save_fit(template.host, template.id, template.fit)
            self._keep_pages(template)

    def latest(self, template: core.Template) -> core.Template:
        return self._templates.get(template.key) or template

    def _lacks_rules(self, template: core.Template) -> bool:
        rules = template.rules
        if rules is None:
            return True
        return self._options.wants_records and rules.records is None

    def _lacks_comments(self, template: core.Template) -> bool:
        if not self._options.comments or template.is_of_threads:
            return False
        rules = template.rules
        has_wrapper = bool(template.wrapper.keep)
        return has_wrapper and rules is not None and rules.comments is None

    async def _learn_first(self, template: core.Template) -> core.Template:
        """Learn the rules of a template for the first time.

        Pages that may be threads with few posts tell it by those of other templates of the host.
        All of these that have pages to learn from are learned before, so that the rules do not
        depend on which page was released first.
        """
        if "thread" not in self._options.kinds:
            sample = self.sample(template)
            extracted_keys = self._choose_extracted(sample)
            rules, extractions = await self._learn_from(template, sample, extracted_keys)
            template = self._take_rules(template, sample, rules)
            if template.rules:
                for key, extraction in extractions.items():
                    self._extracted[key] = (template.rules, extraction)
            return template

        async with self._host_locks[template.host]:
            template = self.latest(template)
            if not self._lacks_rules(template):  # learned with another one
                return template
            undecided = await self._learn_undecided(template)
            if undecided is not None:
                undecided_templates = [undecided]
                for other_template in self._templates.of_host(template.host):
                    if other_template.key == template.key or not self._is_due(other_template):
                        continue
                    undecided = await self._learn_undecided(other_template)
                    if undecided is not None:
                        undecided_templates.append(undecided)
                for undecided in undecided_templates:
                    await self._decide(undecided)
            return self.latest(template)

    def _is_due(self, template: core.Template) -> bool:
        """Whether a template has pages to learn its first rules from."""
        return self._lacks_rules(template) and self._spool.has_released(template.key)

    async def _learn_undecided(self, template: core.Template) -> _Undecided | None:
        """Learn a template; if its pages may be threads with few posts, it gets no rules yet."""
        sample = self.sample(template)
        rules, _ = await self._learn_from(template, sample)
        if sample and core.may_have_few_posts(rules, self._options):
            return _Undecided(template.key, rules, _keys(sample))
        self._take_rules(template, sample, rules)
        return None

    async def _decide(self, undecided: _Undecided) -> None:
        """Give a template whose pages may be threads its rules."""
        template = self._templates.get(undecided.key)
        assert template is not None
        sample = self.sample(template)
        rules = undecided.rules
        if _keys(sample) != undecided.sample:  # pages have come meanwhile
            rules, _ = await self._learn_from(template, sample)
        rules = await self._adopt_posts(template, sample, rules)
        self._take_rules(template, sample, rules)

    async def _learn(self, template: core.Template, sample: Sequence[SpooledPage]) -> core.Template:
        """Learn the rules of a template again."""
        rules = await self.learn_from(template, sample)
        return self._take_rules(template, sample, rules)

    def _take_rules(
        self,
        template: core.Template,
        sample: Sequence[SpooledPage],
        rules: core.TemplateRules,
    ) -> core.Template:
        """Give a template the rules that were learned; one with stored rules only what they lack,
        unless the pages are threads and nobody has edited the rules."""
        example = sample[0].url if sample else template.host
        if rules.records:
            self._note_kind(template, rules, example)
        stored_rules = template.rules if template.is_stored else None
        if stored_rules and (template.is_edited or not rules.are_of_threads):
            completed_rules = replace(stored_rules, records=rules.records)
            return self._templates.update(self.latest(template), rules=completed_rules)
        if self._may_store(rules) and rules.article is not None:
            self._note_wrapper(template, rules, sample, example)
        if rules.comments:
            self.note_comments(template)
        self._searched_pages[template.key, rules.wrapper.id] = max(1, len(sample))
        return self.assign(template, rules, sample)

    def _choose_extracted(self, sample: Sequence[SpooledPage]) -> list[str]:
        """The keys of the pages that are extracted from when they are learned from: their trees are
        there, and much of what is needed is known then.  None if records are wanted, which need
        the page afterwards."""
        if self._options.wants_records or self._options.comments:
            return []
        room = max(0, MAX_EXTRACTED - len(self._extracted))
        keys = []
        for page in sample:
            if self._spool.is_pending(page.key):
                keys.append(page.key)
        return keys[:room]

    async def learn_from(
        self, template: core.Template, sample: Sequence[SpooledPage]
    ) -> core.TemplateRules:
        """The rules of a template; a part that cannot be learned is left out."""
        rules, _ = await self._learn_from(template, sample)
        if sample and core.may_have_few_posts(rules, self._options):
            rules = await self._adopt_posts(template, sample, rules)
        return rules

    async def _adopt_posts(
        self,
        template: core.Template,
        sample: Sequence[SpooledPage],
        rules: core.TemplateRules,
    ) -> core.TemplateRules:
        """See ``adopt_posts``."""
        rules_of_threads = self._rules_of_threads(template, sample)
        if not rules_of_threads:
            return rules
        first_pages = sample[: core.MAX_PAGES_WITH_FEW_POSTS]
        try:
            async with self._learning_slots:
                return await in_thread(
                    _adopt_posts,
                    rules,
                    first_pages,
                    rules_of_threads,
                    self._settings,
                )
        except Exception:  # the rules are good without
            logger.exception("Cannot look for posts on %s", sample[0].url)
            self._stats.inc_value("forest/records/failed")
            return rules

    async def _learn_from(
        self,
        template: core.Template,
        sample: Sequence[SpooledPage],
        extracted_keys: Collection[str] = (),
    ) -> tuple[core.TemplateRules, _Extractions]:
        """As ``learn_from``, and what becomes of the pages with these keys by the rules."""
        extractions: _Extractions = {}
        if not sample:
            return core.TemplateRules(core.NO_WRAPPER), extractions
        try:
            async with self._learning_slots:
                if len(self._article_lines) > MAX_ARTICLES_WITH_LINES:
                    self._article_lines = {}
                task = _LearningTask(
                    template=template,
                    sample=sample,
                    settings=self._settings,
                    sample_of_others=self._sample_others(template),
                    stored_texts=self._stored_texts(template),
                    extracted_keys=extracted_keys,
                )
                rules, extractions = await in_thread(task.run, self._article_lines)
        except Exception as error:  # the sample cannot be read
            logger.exception("Cannot learn the template of %s", sample[0].url)
            rules = core.TemplateRules(
                core.NO_WRAPPER,
                self._no_records(),
                failed=(f"article: {error}",),
                kinds=self._options.kinds_of_rules,
            )
        for failure in rules.failed:
            part, _, _ = failure.partition(":")
            stat = _STATS_OF_PARTS.get(part, "comments")
            self._stats.inc_value(f"forest/{stat}/failed")
        return rules, extractions

    def _no_records(self) -> RecordWrapper | None:
        """The rules for records of a template from which nothing is learned."""
        if not self._options.wants_records:
            return None
        from forest_scrapy.core.records import RecordWrapper

        return RecordWrapper()

    def _sample_others(self, template: core.Template) -> list[SpooledPage]:
        """The first page of each of some other templates of the host, for ``learn_repeated``."""
        if not core.may_repeat(self._options) or not template.may_be_articles:
            return []
        templates = self._templates.host(template.host).templates
        pages: list[SpooledPage] = []
        for key in sorted(templates)[: core.MAX_TEMPLATES]:
            if key == template.key or templates[key].is_of_threads:
                continue
            if not templates[key].may_be_articles:
                continue
            pages += self._spool.sample(key, 1)
        return pages

    def _stored_texts(self, template: core.Template) -> set[str]:
        """What stored wrappers of other templates of the host leave out as repeated.

        Those learned in this crawl say nothing: what a page gives must not depend on which page
        came first.
        """
        texts: set[str] = set()
        host = self._templates.host(template.host)
        for key, other_template in host.templates.items():
            if key != template.key and other_template.is_stored:
                texts.update(other_template.wrapper.repeated)
        return texts

    def _rules_of_threads(
        self,
        template: core.Template,
        sample: Sequence[SpooledPage],
    ) -> list[core.TemplateRules]:
        """The rules of the other templates of the host that are of threads.

        A template with as many pages as rules are learned from may be learned before others have
        as many: it takes only rules of such ones, whatever else is there.
        """
        min_pages = 1
        if len(sample) >= self._settings.pages:
            min_pages = self._settings.pages
        rules_of_threads = []
        for other_template in self._templates.of_host(template.host):
            rules = other_template.rules
            if other_template.key == template.key or rules is None or not rules.are_of_threads:
                continue
            has_pages = other_template.is_stored or len(other_template.sample) >= min_pages
            if has_pages:
                rules_of_threads.append(rules)
        return rules_of_threads

    def _note_kind(self, template: core.Template, rules: core.TemplateRules, example: str) -> None:
        assert rules.records is not None
        self._stats.inc_value(f"forest/records/{rules.kind}")
        evidence = "; ".join(rules.records.kind.evidence)
        logger.info(
            "The pages of a template of %s, such as %s, are of kind %s (%s)",
            template.host,
            example,
            rules.kind,
            evidence,
        )

    def _note_wrapper(
        self,
        template: core.Template,
        rules: core.TemplateRules,
        sample: Sequence[SpooledPage],
        example: str,
    ) -> None:
        again = " again" if template.rules else ""
        wrapper = rules.wrapper
        pages = count(len(sample), "page")
        if not wrapper.xpath:
            logger.debug(
                "Learned nothing%s for a template of %s from %s, such as %s: read one by one",
                again,
                template.host,
                pages,
                example,
            )
            return
        stat = "learned_again" if again else "learned"
        self._stats.inc_value(f"forest/templates/{stat}")
        logger.info(
            "Learned%s a template of %s from %s, such as %s: %s by %s, score %.4g",
            again,
            template.host,
            pages,
            example,
            wrapper.xpath,
            wrapper.method,
            wrapper.evidence.score,
        )

    def _may_store(self, rules: core.TemplateRules | None) -> bool:
        """Whether rules are worth to be stored: they give articles, threads, products or lists.
        Those of pages that only may be products one by one are learned anew by each crawl."""
        if rules is None:
            return False
        if rules.are_of_records:
            return self._options.may_store_records
        if rules.article is None and rules.kind != "thread":
            return False
        if rules.kind in ("article", "thread"):
            return True
        return rules.kind not in self._options.kinds

    def assign(
        self,
        template: core.Template,
        rules: core.TemplateRules,
        sample: Sequence[SpooledPage],
    ) -> core.Template:
        """Give a template its rules, and store them unless they were learned from one page, which
        says too little about the template's other pages."""
        host = self._templates.host(template.host)
        is_first = template.rules is None
        only_named = _are_only_named(sample)
        rules = rules.with_cut(host.grouping.cut)
        rules = rules.with_only_named(only_named)
        id = template.id
        taken = self._ids_of_records(template) if rules.are_of_records else set()
        if rules.text_at and (not id or id in taken):
            id = host.new_id(rules, taken)
        template = self._templates.update(
            self.latest(template),
            rules=rules,
            id=id,
            sample=_keys(sample),
            is_stored=False,
        )
        if not template.is_learned or not self._may_store(rules):
            return template
        superseded = None
        if is_first and not self._keeps_rules and not rules.are_of_records:
            superseded = host.find_superseded(len(sample), rules.are_of_threads)
        reason = f"redesign of {superseded.id}" if superseded else "new template"
        self.save(template, sample, reason)
        if superseded:
            self._stats.inc_value("forest/templates/redesigned")
            (page,) = read_sample(sample[:1], self._settings)
            self.note_redesign(template, superseded.wrapper, page)
            logger.warning(
                "Template %s of %s was redesigned: its pages have another layout now, template %s",
                superseded.id,
                template.host,
                template.id,
            )
        return template

    def _ids_of_records(self, template: core.Template) -> set[str]:
        """The ids of the other templates of products and lists of the host that are stored."""
        ids = set()
        for other_template in self._templates.of_host(template.host):
            is_other = other_template.key != template.key and other_template.is_of_records
            if is_other and (other_template.is_stored or other_template.is_learned):
                ids.add(other_template.id)
        return ids

    def note_redesign(self, template: core.Template, old: core.Wrapper, page: core.Page) -> None:
        """Note what the wrappers before and after a redesign take from one of the new pages."""
        new = template.wrapper
        old_text = old.apply(page).text
        new_text = new.apply(page).text
        redesign = Redesign(
            template.host,
            template.id,
            page.url,
            old.xpath,
            new.xpath,
            _shorten(old_text),
            _shorten(new_text),
        )
        self.redesigns.append(redesign)

    def save(self, template: core.Template, sample: Sequence[SpooledPage], reason: str) -> int:
        """Store the rules of a template; the number of the version."""
        assert template.rules is not None
        grouping = self._templates.host(template.host).grouping
        table = self._spool.fingerprints
        sampled: list[core.Fingerprint] = []
        for page in sample:
            fingerprint = table.find(template.host, page.fingerprint)
            if fingerprint:
                sampled.append(fingerprint)

        # Fingerprints of stored templates are in the clusters, but not in this crawl's spool.
        fingerprints: list[core.Fingerprint] = []
        for digest in core.choose_fingerprints(grouping, sampled):
            fingerprint = table.find(template.host, digest)
            if fingerprint:
                fingerprints.append(fingerprint)
        return self._rules.save(template.host, template.id, template.rules, fingerprints, reason)

    async def learn_comments(self, template: core.Template) -> core.Template:
        """Learn the rules for comments of a template without any.  While there are none, they are
        looked for each time the number of its pages has doubled."""
        assert template.rules is not None
        wrapper = template.wrapper
        max_pages = self._settings.pages
        # Pages of a redesigned template are apart; the wrapper fits these, or the others.
        misfits = self._spool.sample(template.misfits_key, max_pages)
        fitting_pages = self._spool.sample(template.key, max_pages)
        sample = [*misfits, *fitting_pages][:max_pages]
        searched_pages = self._searched_pages[template.key, wrapper.id]
        if len(sample) < 2 * searched_pages:
            return template
        self._searched_pages[template.key, wrapper.id] = len(sample)
        try:
            async with self._learning_slots:
                comments = await in_thread(_learn_comments, sample, wrapper, self._settings)
        except Exception:
            logger.exception("Cannot learn the comments of %s", sample[0].url)
            self._stats.inc_value("forest/comments/failed")
            return template
        if comments is None:
            return template
        self.note_comments(template)
        rules = replace(template.rules, comments=comments)
        return self._save_comments(template, rules)

    def note_comments(self, template: core.Template) -> None:
        """Note that rules for a template's comments have been learned."""
        self.confirmed.add(template.key)
        self._stats.inc_value("forest/comments/learned")

    def _save_comments(self, template: core.Template, rules: core.TemplateRules) -> core.Template:
        template = self._templates.update(self.latest(template), rules=rules)
        if template.is_edited:
            self._rules.save_edited(template.host, template.id, rules)
        elif (template.is_stored or template.is_learned) and self._may_store(rules):
            self._rules.save(template.host, template.id, rules)
        return template

    def sample(self, template: core.Template) -> list[SpooledPage]:
        """The pages to learn a template from: those of this crawl, then kept ones."""
        return self._fill(template.key, template)

    def misfits(self, template: core.Template) -> list[SpooledPage]:
        """The pages that stored rules do not fit, to learn them again from."""
        return self._fill(template.misfits_key, template)

    def _fill(self, key: str, template: core.Template) -> list[SpooledPage]:
        max_pages = self._settings.pages
        pages = self._spool.sample(key, max_pages)
        room = max_pages - len(pages)
        if not self._settings.only_new or not pages or not room:
            return pages

        keys = {page.key for page in pages}
        kept_pages = []
        for page in self._kept_of(template):
            if page.key not in keys:
                kept_pages.append(page)
        return pages + kept_pages[-room:]

    def _kept_of(self, template: core.Template) -> list[SpooledPage]:
        host = self._templates.host(template.host)
        kept_pages: list[SpooledPage] = []
        for fingerprint, page in self._kept_pages.load(template.host):
            recognised = host.recognise(fingerprint)
            if recognised and recognised.key == template.key:
                kept_pages.append(page)
        return kept_pages

    def _keep_pages(self, template: core.Template) -> None:
        """Keep the pages of a template for the next crawls if it has no stored rules, or some that
        do not fit; else delete those that are kept."""
        if not self._settings.only_new or not self._may_store(template.rules):
            return
        table = self._kept_pages
        fits = template.is_stored and not template.fit.misfits
        if fits or template.is_learned:
            keys = [page.key for page in self._kept_of(template)]
            table.delete(template.host, keys)
            return

        pages = self.misfits(template) if template.is_stored else self.sample(template)
        if not pages:
            return
        kept_pages: list[tuple[core.Fingerprint, SpooledPage]] = []
        for page in pages:
            fingerprint = self._spool.fingerprints.find(page.host, page.fingerprint)
            if fingerprint:
                kept_pages.append((fingerprint, page))
        table.keep(kept_pages)
        self._stats.inc_value("forest/templates/pages_kept", len(pages))


def read_sample(sample: Sequence[SpooledPage], settings: ForestSettings) -> list[core.Page]:
    """The pages of a template, parsed.  In a thread, so no tree is shared.

    They are not blocked: blocked pages have no template, see ``PagePlacer.place``.
    """
    pages = []
    for spooled in sample:
        item = rebuild_page(spooled)
        page = page_of(item.response, item.entry, settings.feed_fields, False)
        core.note_unblocked(page)
        pages.append(page)
    return pages


@dataclass(frozen=True)
class _LearningTask:
    """What a template is learned from, in a thread.

    ``sample_of_others``: pages of other templates of the host.  ``stored_texts``: see
    ``Learner._stored_texts``.  ``extracted_keys``: of the pages of the sample to extract from.
    """

    template: core.Template
    sample: Sequence[SpooledPage]
    settings: ForestSettings
    sample_of_others: Sequence[SpooledPage]
    stored_texts: Collection[str]
    extracted_keys: Collection[str]

    def run(
        self, article_lines: dict[str, core.ArticleLines | None]
    ) -> tuple[core.TemplateRules, _Extractions]:
        """The rules of the template, and what becomes of the pages with ``extracted_keys`` by them;
        then the memory of the pages is free again.

        ``article_lines``: lines of pages by key, to which those of other templates are added.
        """
        result = self._learn(article_lines)
        give_back()
        return result

    def _learn(
        self, article_lines: dict[str, core.ArticleLines | None]
    ) -> tuple[core.TemplateRules, _Extractions]:
        lines = []
        for spooled in self.sample_of_others:
            if spooled.key not in article_lines:
                (page,) = read_sample([spooled], self.settings)
                article_lines[spooled.key] = core.read_lines(page)
            lines.append(article_lines[spooled.key])
        pages = read_sample(self.sample, self.settings)
        rules = core.learn_rules(
            pages,
            self.settings.options,
            self.template.may_be_articles,
            lines,
            self.stored_texts,
        )

        extractions: dict[str, core.Extraction] = {}
        for spooled, page in zip(self.sample, pages, strict=True):
            if spooled.key not in self.extracted_keys:
                continue
            extraction = self._extract(spooled, page, rules)
            if extraction:
                extractions[spooled.key] = extraction
        return rules, extractions

    def _extract(
        self,
        spooled: SpooledPage,
        page: core.Page,
        rules: core.TemplateRules,
    ) -> core.Extraction | None:
        """What becomes of a page that was learned from, without elements of its tree; None if that
        is decided when it is released."""
        item = rebuild_page(spooled)
        if not was_fetched(item):
            return None
        visit = visit_of(item, self.template, False)
        try:
            extraction = core.extract_page(page, rules, self.settings.options, visit)
        except Exception:  # it is raised again, and logged, when the page is released
            return None
        content = core.Content(extraction.found.text)
        text_only = replace(extraction.found, content=content, blocks=(), left_out=frozenset())
        return replace(extraction, found=text_only, content=core.Extract())


def _shorten(text: str) -> str:
    """The start of a text, on one line."""
    line = " ".join(text.split())
    return line[:MAX_SHOWN_TEXT]


def _learn_comments(
    sample: Sequence[SpooledPage],
    wrapper: core.Wrapper,
    settings: ForestSettings,
) -> RecordRules | None:
    pages = read_sample(sample, settings)
    return core.learn_article_comments(pages, wrapper)


def _adopt_posts(
    rules: core.TemplateRules,
    sample: Sequence[SpooledPage],
    rules_of_threads: Sequence[core.TemplateRules],
    settings: ForestSettings,
) -> core.TemplateRules:
    pages = read_sample(sample, settings)
    return core.adopt_posts(rules, pages, rules_of_threads)


def _is_final(template: core.Template, sample: Sequence[SpooledPage]) -> bool:
    """Whether the template's rules must not be learned again from this sample."""
    has_emitted = template.has_articles and len(template.sample) > 1
    return has_emitted or _keys(sample) == template.sample


def _are_only_named(sample: Sequence[SpooledPage]) -> bool:
    """Whether a spider has named all pages as articles, and no feed lists one of them."""
    if not sample:
        return False
    return all(page.is_article and page.entry is None for page in sample)


def _keys(sample: Sequence[SpooledPage]) -> tuple[str, ...]:
    return tuple(page.key for page in sample)
