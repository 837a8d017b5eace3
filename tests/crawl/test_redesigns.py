"""Whether rules still fit the pages of their template."""

from __future__ import annotations

import asyncio
from pathlib import Path

from forest_scrapy.core import Extraction, Refusal, Template, TemplateRules, learn_records
from forest_scrapy.crawl.redesigns import Redesigns
from forest_scrapy.responses.conversion import page_of
from tests.core.records.threads import pages_of

from .helpers import HOST, article_page, counted, open_crawl


def test_pages_of_a_thread_that_are_read_at_the_same_time_all_count(tmp_path: Path) -> None:
    with open_crawl(tmp_path, kinds=("article", "thread")) as crawl:
        rules = TemplateRules(records=learn_records(pages_of()))
        template = Template(f"{HOST} t", HOST, "t", rules)
        crawl.templates.host(HOST).templates[template.key] = template
        redesigns = Redesigns(crawl)
        item, nothing = article_page(0), Extraction(Refusal("other_kind"))
        for _ in range(3):  # with the template as it was before all of them
            asyncio.run(redesigns.check(item, page_of(item.response), template, nothing))
        latest = crawl.templates.get(template.key)
        assert latest is not None
        assert (latest.fit.pages, latest.fit.misfits) == (3, 3.0)
        assert counted(crawl, "wrappers") == {"misfits": 3}
