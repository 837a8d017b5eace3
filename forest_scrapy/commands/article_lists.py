"""``--list`` of ``scrapy forest export`` and ``feed``: the articles that pages list."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scrapy.exceptions import UsageError

from forest_scrapy.commands.forest_command import Action, AddOption
from forest_scrapy.commands.pages import read_pages
from forest_scrapy.core import ForestError, Page
from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.page.urls import fold_url, is_url
from forest_scrapy.core.records.article_list import (
    ArticleListRules,
    ListedArticle,
    NoArticleList,
    learn_article_list,
)
from forest_scrapy.feeds.reader import read_feed
from forest_scrapy.input_files import read_bytes
from forest_scrapy.items import Article
from forest_scrapy.output_files import write_text_file


class NoListedArticles(ForestError):
    """No page of those that were named has a list of articles; the messages before say why."""


def add_list(add: AddOption) -> None:
    """Add ``--list``."""
    add(
        "--list",
        nargs="+",
        default=[],
        metavar="PAGE",
        help="the articles that these pages list, such as a home page without a feed: URLs or"
        " files",
    )


def read_list_pages(
    names: Sequence[str],
    action: Action,
    uses_kept: bool = True,
    url: str = "",
    url_option: str = "--url",
) -> list[Page]:
    """The pages of ``--list``.  ``uses_kept``: False to fetch those that were kept, too.  ``url``:
    the address of the page, if it is one from a file that does not tell it; ``url_option``: the
    option that names it.  Raises ``UsageError``."""
    if url and not is_url(url):
        raise UsageError(f"{url_option} must be an http or https URL")
    if url and len(names) > 1:
        raise UsageError(f"{url_option} is the address of one page")
    pages = []
    for page in read_pages(names, "", action, uses_kept=uses_kept):
        if url:
            page = replace(page, url=url)
        if is_url(page.url):
            pages.append(page)
        else:
            alone = "" if len(names) == 1 else ", for this page alone,"
            action.errors.append(
                f"{page.url}: its address is not known; {url_option} URL{alone} tells it"
            )
    return pages


def learn_lists(pages: Sequence[Page], action: Action) -> list[tuple[Page, ArticleListRules]]:
    """The pages that have a list, with its rules; an error of the action for each other one."""
    lists = []
    for page in pages:
        try:
            lists.append((page, learn_article_list(page)))
        except NoArticleList as error:
            action.errors.append(str(error))
    return lists


def read_listed_articles(
    pages: Sequence[Page],
    rules_file: str,
    fetched_at: str,
    action: Action,
) -> list[ListedArticle]:
    """The articles that the pages list, each once.

    ``rules_file``: the rules of the page, which are learned and written there if there is no such
    file; ``""`` to learn them each time.  Raises ``NoListedArticles`` and ``BadRules``.
    """
    articles: dict[str, ListedArticle] = {}
    if rules_file and Path(rules_file).is_file():
        stored_rules = _load_rules(rules_file)
        lists = [(page, stored_rules) for page in pages]
    else:
        lists = learn_lists(pages, action)
        if rules_file and lists:
            _, first_rules = lists[0]
            write_text_file(rules_file, first_rules.dumps())
    for page, rules in lists:
        listed = rules.apply(page, fetched_at)
        if not listed:
            action.errors.append(
                f"{page.url}: the rules of {rules_file or 'the page'} find nothing on it; delete"
                " the file, and they are learned again"
            )
        for article in listed:
            articles.setdefault(fold_url(article.url), article)
    if not articles:
        raise NoListedArticles("no article is listed; the feed is left as it is")
    return list(articles.values())


def _load_rules(name: str) -> ArticleListRules:
    text = read_bytes(Path(name)).decode("utf-8", "replace")
    try:
        return ArticleListRules.loads(text)
    except BadRules as error:
        raise BadRules(
            f"{name}: {error}; delete the file, and the rules are learned again"
        ) from None


def roll_articles(
    listed: Sequence[ListedArticle],
    earlier: Mapping[str, Article],
    max_articles: int,
    fetched_at: str,
) -> list[Article]:
    """The articles of a rolling feed: those that are listed now, then those that were in the feed
    before.  The date of an article is that of the run that has found it first, also if the page
    has none, or says "2 hours ago"."""
    articles: dict[str, Article] = {}
    for item in listed:
        key = fold_url(item.url)
        known = earlier.get(key)
        published = known.published if known else item.published
        articles[key] = Article(
            url=item.url,
            title=item.title,
            published=published or fetched_at,
            summary=item.summary,
            authors=list(item.authors),
            main_image=item.image,
        )
    for key, article in earlier.items():
        articles.setdefault(key, article)
    return list(articles.values())[:max_articles]


def read_earlier(path: Path) -> dict[str, Article]:
    """The articles of a feed that was written before, by their keys; empty if there is no file."""
    if not path.is_file():
        return {}
    body = read_bytes(path)
    feed = read_feed(body, path.absolute().as_uri(), {})
    if feed.problem:
        raise ForestError(f"{path}: is no feed that articles can be added to: {feed.problem}")
    images = _read_images(body) if feed.format == "json" else {}
    articles = {}
    for url, entry in feed.items:
        articles[fold_url(url)] = Article(
            url=url,
            title=entry.title,
            published=entry.published,
            summary=entry.description,
            authors=entry.author.split(", ") if entry.author else [],
            main_image=images.get(url, ""),
        )
    return articles


def _read_images(body: bytes) -> dict[str, str]:
    """The images of the items of a JSON feed that ``read_feed`` can read, by their URLs."""
    items = json.loads(body)["items"]
    return {str(item.get("url")): str(item.get("image") or "") for item in items}
