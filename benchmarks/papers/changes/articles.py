"""The article of a version of a page, as a crawl reads and compares it."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.sets.bench_set import BenchPage, Group
from forest_scrapy.core import Page, Params, Wrapper, extract, learn
from forest_scrapy.core.changes import TextSummary, share_changed, summarize_text


class SitePage(NamedTuple):
    """A recorded page, and the wrapper of its site."""

    page: BenchPage
    wrapper: Wrapper


class ArticleVersion(NamedTuple):
    """The article of a version."""

    text: str
    summary: TextSummary


def learn_site(group: Group) -> Wrapper:
    """The wrapper of the articles of a site."""
    sample = group.articles[: Params().pages]
    return learn([page.parse() for page in sample], Params())


def read_article(site_page: SitePage, html: bytes) -> ArticleVersion:
    """The article of a version of the page.  Lines that are nothing but a link are not compared."""
    page = Page.from_html(html, site_page.page.url)
    _, extraction = extract(page, site_page.wrapper)
    content = extraction.content
    link_texts = tuple(link.text for link in content.links)
    return ArticleVersion(content.text, summarize_text(content.text, link_texts))


def article_difference(old: ArticleVersion, new: ArticleVersion) -> float:
    """The share of the shingles that differ; 0 if the summaries are the same."""
    if old.summary.digest == new.summary.digest:
        return 0.0
    return share_changed(old.text, new.text)
