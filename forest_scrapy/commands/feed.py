"""``scrapy forest feed``, and ``forest-scrapy feed``: a rolling feed of the latest articles."""

import os
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import fields, replace
from datetime import UTC, datetime
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen
from uuid import NAMESPACE_URL, uuid5

from scrapy.exceptions import UsageError

from forest_scrapy.commands.article_lists import (
    add_list,
    read_earlier,
    read_list_pages,
    read_listed_articles,
    roll_articles,
)
from forest_scrapy.commands.forest_command import Action, AddOption
from forest_scrapy.core import ForestError
from forest_scrapy.core.moments import read_moment
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.context import open_history
from forest_scrapy.exporters.feeds import (
    AtomItemExporter,
    FeedHead,
    RssItemExporter,
    home_of,
    id_of,
    site_name,
    write_json_feed,
)
from forest_scrapy.input_files import read_bytes
from forest_scrapy.items import Article
from forest_scrapy.output_files import create_file, is_stream, locked, output_file, replacing
from forest_scrapy.stores import LatestArticle

#: Seconds that a hub may take to answer.
MAX_HUB_SECONDS = 30
#: Seconds that a run waits for another one that writes the same file, and may be waiting for the
#: hub.
MAX_LOCK_SECONDS = 60
_FIELDS = frozenset(field.name for field in fields(Article))

_Writer = Callable[[FeedHead, Sequence[Article]], bytes]


class NoArticles(ForestError):
    """No article is stored for a feed; the message says why."""


class HubFailed(ForestError):
    """A hub could not be told of a change; the next run does it."""


class Feed(Action):
    """Write a feed with the full texts of the latest articles that crawls have found, or of the
    articles that a page lists.

    The file is replaced as a whole, and only if something has changed. Articles whose text was
    corrected are updated in place. FOREST_FEED_ITEMS says how many articles are kept.
    """

    name = "feed"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add(
            "sources",
            nargs="*",
            metavar="HOST|FEED",
            help="only articles of these hosts, or of feeds with these URLs (default: all)",
        )
        add(
            "-o",
            "--output",
            required=True,
            metavar="FILE",
            help="write to this file; its ending names the format: .xml and .atom: Atom, .rss,"
            " .json",
        )
        add("--format", choices=tuple(_FORMATS), help="instead of that of the ending")
        add(
            "--items",
            type=int,
            metavar="N",
            help="at most so many articles of each source (default: all that are kept)",
        )
        add_list(add)
        add(
            "--page-url",
            default="",
            metavar="URL",
            help="the address of the page of --list, if it is a file that does not name it",
        )
        add(
            "--rules",
            default="",
            metavar="FILE",
            help="the rules for the list, as export --list PAGE --format json writes them; they"
            " are learned and written if there is no such file (default: learned each time)",
        )
        add("--title", default="", metavar="TITLE", help="of the feed")
        add("--url", default="", metavar="URL", help="where the feed is published")
        add(
            "--hub",
            default="",
            metavar="URL",
            help="WebSub: name this hub in the feed, and tell it if the feed has changed; needs"
            " --url",
        )

    def run(self, options: Namespace) -> str:
        """Raises ``BadStore``, ``NoArticles``, ``BadOutput``, ``InUse``, ``HubFailed`` and
        ``OSError``."""
        kind = options.format or Path(options.output).suffix.removeprefix(".")
        if kind not in _FORMATS:
            raise UsageError("name a file that ends in .xml, .atom, .rss or .json, or a --format")
        if options.items is not None and options.items < 1:
            raise UsageError("--items must be 1 or more")
        if options.hub and not options.url:
            raise UsageError("--hub needs --url: hubs know a feed by its URL")
        for name in ("url", "hub"):
            url = getattr(options, name)
            if url and not _is_url(url):
                raise UsageError(f"--{name} must be an http or https URL")
        if options.list and options.sources:
            raise UsageError("--list is of pages: a feed of hosts or feeds is another one")
        if options.page_url and not options.list:
            raise UsageError("--page-url is for --list with one page")
        if options.rules and len(options.list) != 1:
            raise UsageError("--rules is for --list with one page")
        if is_stream(options.output):
            raise UsageError(f"-o {options.output} must be a file: a feed is replaced as a whole")

        path = output_file(options.output)
        with locked(path, MAX_LOCK_SECONDS):
            # Read when it is this run's turn: what another one has written is not older then.
            if options.list:
                head, articles = self._list_contents(options, path)
            else:
                head, articles = self._contents(options, path)
            document = _FORMATS[kind](head, articles)
            is_new = not path.is_file() or read_bytes(path) != document
            # There as long as the hub does not know of a change.
            mark = path.with_name(f".{path.name}.forest-ping")
            if is_new and options.hub:
                os.close(create_file(mark))
            if is_new:
                with replacing(path) as part:
                    part.write(document)
            if options.hub and mark.exists():
                _tell_hub(options.hub, options.url)
                mark.unlink()
        return ""

    def _contents(
        self,
        options: Namespace,
        path: Path,
    ) -> tuple[FeedHead, list[Article]]:
        max_articles = options.items or self.config.feed_items
        with closing(open_history(self.config, must_exist=True)) as store:
            stored = store.latest.read(max_articles)
            latest = [article for article in stored if _is_wanted(article, options.sources)]
        if not latest:
            sources = f" of {', '.join(options.sources)}" if options.sources else ""
            raise NoArticles(f"the history keeps no article{sources} for a feed yet; a crawl does")

        # The first one of each id, at the place of its last one.
        articles_by_id = {
            id_of(str(article.values["url"])): article for article in reversed(latest)
        }
        articles = [_article_of(article) for article in reversed(articles_by_id.values())]
        return _head(articles, options, path), articles

    def _list_contents(
        self,
        options: Namespace,
        path: Path,
    ) -> tuple[FeedHead, list[Article]]:
        """The articles that pages list now, and those of the feed as it was."""
        earlier = read_earlier(path)
        pages = read_list_pages(
            options.list,
            self,
            uses_kept=False,
            url=options.page_url,
            url_option="--page-url",
        )
        fetched_at = _iso(int(datetime.now(UTC).timestamp()))
        listed = read_listed_articles(pages, options.rules, fetched_at, self)
        max_articles = options.items or self.config.feed_items
        articles = roll_articles(listed, earlier, max_articles, fetched_at)
        head = _head(articles, options, path)
        if len(pages) == 1 and not options.title:
            head = replace(head, title=pages[0].declared.title or head.title, link=pages[0].url)
        return head, articles


def _is_wanted(article: LatestArticle, sources: Sequence[str]) -> bool:
    """Whether an article is of one of these hosts or feeds; of any if none is named."""
    host = host_of(str(article.values["url"]))
    return not sources or article.source in sources or host in sources


def _article_of(stored: LatestArticle) -> Article:
    """The item, with the date of the last correction."""
    values = {name: value for name, value in stored.values.items() if name in _FIELDS}
    article = Article(**values)
    if stored.updated is not None:
        article = replace(article, modified=_iso(stored.updated))
    if not article.published:
        article = replace(article, published=_iso(stored.moment))
    return article


def _head(
    articles: Sequence[Article],
    options: Namespace,
    path: Path,
) -> FeedHead:
    """The head of a feed: the same as long as the articles are."""
    homes = sorted({home_of(article.url) for article in articles})
    if len(homes) == 1:
        title = site_name(articles[0])
        link = homes[0]
    else:
        title = f"Articles of {count(len(homes), 'site')}"
        link = home_of(options.url) if options.url else homes[0]

    moments = []
    for article in articles:
        moment = read_moment(article.modified) or read_moment(article.published)
        if moment:
            moments.append(moment)
    updated = max(moments).isoformat(timespec="seconds") if moments else ""
    return FeedHead(
        title=options.title or title,
        id=options.url or f"urn:uuid:{uuid5(NAMESPACE_URL, str(path))}",
        link=link,
        updated=updated,
        url=options.url,
        hub=options.hub,
    )


def _is_url(text: str) -> bool:
    parts = urlsplit(text)
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _tell_hub(hub: str, url: str) -> None:
    """Publish to a WebSub hub that the feed has changed.  Raises ``HubFailed``."""
    body = urlencode({"hub.mode": "publish", "hub.url": url, "hub.topic": url}).encode()
    try:
        with urlopen(Request(hub, body), timeout=MAX_HUB_SECONDS):
            return
    except (OSError, HTTPException) as error:
        raise HubFailed(
            f"the feed is written, but the hub {hub} does not know: {error}; the next run tells it"
        ) from error


def _with_exporter(exporter: type[RssItemExporter] | type[AtomItemExporter]) -> _Writer:
    """The function that writes articles with an exporter."""

    def write(head: FeedHead, articles: Sequence[Article]) -> bytes:
        file = BytesIO()
        feed = exporter(file, head)
        feed.start_exporting()
        for article in articles:
            feed.export_item(article)
        feed.finish_exporting()
        return file.getvalue()

    return write


_ATOM = _with_exporter(AtomItemExporter)
#: The writers of documents, by the ending of the file.
_FORMATS: dict[str, _Writer] = {
    "xml": _ATOM,
    "atom": _ATOM,
    "rss": _with_exporter(RssItemExporter),
    "json": write_json_feed,
}
