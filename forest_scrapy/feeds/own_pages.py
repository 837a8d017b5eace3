"""Which entries of a feed have a page of their own.

Podcasts often link one page from all episodes, or none; changelogs and status pages link places of
one page.  Such an entry is an article by itself: it has a URL of its own (``entry_url``), by which
it is known like a page, and which is not requested.  Its identity is its id, else its file of
media, else its place on the page, else its title and date.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urldefrag, urlsplit

from forest_scrapy.core import Entry
from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.page.urls import entry_url, fold_url, is_entry_url, own_host, page_key
from forest_scrapy.feeds.feed_items import Feed, FeedItem

#: The share of a feed's entries from which on a page that they link is that of none of them, if
#: they have no files of media: fewer are posts of one thread, or news of one live report.
_MIN_SHARE = 0.5
#: Pages that are remembered of a feed as those of several entries.
MAX_SHARED_PAGES = 20
#: What mail programs and forums write before the title of an answer.
_ANSWER = re.compile(r"\A(?:\s*+(?:re|aw|sv|fwd?)\s*+:)++\s*+", re.IGNORECASE)


@dataclass(frozen=True)
class LinkedEntry:
    """An entry as its feed has it; ``link``: the URL that it links, ``""`` if it links none."""

    link: str
    entry: Entry


@dataclass(frozen=True)
class PlacedItems:
    """The items of a feed, and the keys of the pages that several entries link, sorted."""

    items: tuple[FeedItem, ...]
    shared_pages: tuple[str, ...] = ()


def place_entries(entries: Sequence[LinkedEntry], feed: str, site: str = "") -> PlacedItems:
    """The URLs of the entries of a feed, in its order: that of its page, or ``entry_url`` for one
    that has none.

    ``site``: the page that the feed says it belongs to.  An entry has no page if it links none, or
    one that other entries link, or the site, and has a text or a file of media.  Without these it
    is left out if it links none.

    >>> first = LinkedEntry("", Entry("One", "Boats come in.", id="1"))
    >>> place_entries([first], "http://a.example/feed").items[0][0]
    'http://a.example/feed#:~:entry=1'
    """
    shared_pages = _find_shared_pages(entries)
    ambiguous_identities = _find_ambiguous(entries)
    items = []
    for linked_entry in entries:
        url = linked_entry.link
        entry = linked_entry.entry
        if _has_content(entry):
            is_shared = bool(url) and page_key(url) in shared_pages
            if not url or is_shared or _is_site(linked_entry, feed, site):
                identity = _identify(linked_entry)
                if not url and identity in ambiguous_identities:
                    identity = _digest_all(entry)
                url = entry_url(url or feed, identity)
        if url:
            items.append((url, entry))
    return PlacedItems(
        items=tuple(items),
        shared_pages=tuple(sorted(shared_pages)),
    )


def place_again(feed: Feed, shared_pages: Collection[str]) -> Feed:
    """The feed, in which entries that link pages of several entries, as it was read before, have
    no page of their own either: of these the feed may list one only now."""
    if not shared_pages:
        return feed
    items: list[FeedItem] = []
    for url, entry in feed.items:
        is_shared = not is_entry_url(url) and page_key(url) in shared_pages
        if is_shared and _has_content(entry):
            linked_entry = LinkedEntry(url, entry)
            identity = _identify(linked_entry)
            url = entry_url(url, identity)
        items.append((url, entry))
    return replace(feed, items=tuple(items))


def place_on_feed(feed: Feed, document: str, url: str) -> Feed:
    """The feed, in which entries that link nothing are at its own URL, whatever document they were
    read from: a redirect, or a page with older items, to which an entry moves in time.

    ``document``: the URL of what was read; ``url``: that of the feed.
    """
    prefix = entry_url(document, "")
    items: list[FeedItem] = []
    for item_url, entry in feed.items:
        if item_url.startswith(prefix):
            item_url = entry_url(url, "") + item_url.removeprefix(prefix)
        items.append((item_url, entry))
    return replace(feed, items=tuple(items))


def _has_content(entry: Entry) -> bool:
    if entry.description.strip() or entry.content.strip():
        return True
    return bool(_media_url(entry))


def _media_url(entry: Entry) -> str:
    """The URL of the entry's file of media; ``""`` if it has none but images, which may be those of
    the feed."""
    for file in entry.enclosures:
        if file.kind != "image":
            return file.url
    return ""


def _identify(linked_entry: LinkedEntry) -> str:
    """What tells an entry from the others of its page."""
    entry = linked_entry.entry
    page, fragment = urldefrag(linked_entry.link)
    id = entry.id.strip()
    if id and id not in (page, linked_entry.link):
        return id
    media_url = _media_url(entry)
    if media_url:
        return media_url
    if fragment:
        return fragment
    text = entry.title or entry.description or entry.content
    return hex_digest(f"{text}\n{entry.published}", 12)


def _find_ambiguous(entries: Sequence[LinkedEntry]) -> set[str]:
    """The identities that different entries without a link have, as where a program writes one id
    for all, or one title."""
    contents: dict[str, set[str]] = {}
    for linked_entry in entries:
        if not linked_entry.link and _has_content(linked_entry.entry):
            identity = _identify(linked_entry)
            contents.setdefault(identity, set()).add(_digest_all(linked_entry.entry))
    return {identity for identity, digests in contents.items() if len(digests) > 1}


def _digest_all(entry: Entry) -> str:
    """A digest of what an entry without an identity of its own has."""
    parts = (entry.title, _media_url(entry), entry.published, entry.description, entry.content)
    return hex_digest("\n".join(parts), 12)


def _find_shared_pages(entries: Sequence[LinkedEntry]) -> set[str]:
    """The keys of the pages that several entries with a text or a file of media link."""
    entries_of: dict[str, dict[str, Entry]] = {}
    for linked_entry in entries:
        link = linked_entry.link
        entry = linked_entry.entry
        if not link or not _has_content(entry):
            continue
        key = page_key(link)
        identity = _identify(linked_entry)
        members = entries_of.setdefault(key, {})
        members.setdefault(identity, entry)

    shared_pages = set()
    for key, members in entries_of.items():
        entries_of_page = list(members.values())
        if _are_apart(entries_of_page, len(entries)):
            shared_pages.add(key)
    return shared_pages


def _are_apart(entries: Sequence[Entry], listed: int) -> bool:
    """Whether different entries that link one page are articles each, by their files of media, or
    else by their number, of so many that are ``listed``, and their titles.  Entries with one title
    are posts of a discussion, or states of one article, whose page is to be read."""
    if len(entries) < 2:
        return False
    media_urls = set(map(_media_url, entries))
    media_urls.discard("")
    have_own_files = 2 * len(media_urls) >= len(entries)
    if len(media_urls) >= 2 and have_own_files:
        return True
    if len(entries) < _MIN_SHARE * listed:
        return False
    titles = set(_titles(entries))
    return len(titles) >= 2 or titles == {""}


def _titles(entries: Sequence[Entry]) -> Iterator[str]:
    for entry in entries:
        title = _ANSWER.sub("", entry.title, count=1)
        yield title.strip().casefold()


def _is_site(linked_entry: LinkedEntry, feed: str, site: str) -> bool:
    """Whether an entry links the site of its feed instead of a page of its own: its home page, or
    the page that the feed belongs to.  The latter is believed if the entry has a file of media, or
    the feed is below that page: some feeds name their newest article there."""
    link = linked_entry.link
    entry = linked_entry.entry
    key = page_key(link)
    parts = urlsplit(link)
    may_be_home = parts.path in ("", "/") and not parts.query
    is_home = may_be_home and own_host(link) in (own_host(feed), own_host(site))
    is_page_of_feed = bool(site) and key == page_key(site)
    if not is_home and not is_page_of_feed:
        return False

    is_key_of_id = entry.id == link or page_key(entry.id) == key
    has_page_as_id = is_key_of_id and "#" not in entry.id
    if has_page_as_id:
        return False  # it says that this is its own page
    if is_home or _media_url(entry):
        return True
    folded_site = fold_url(site)
    return fold_url(feed).startswith(folded_site)
