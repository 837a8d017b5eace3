"""Reading spider arguments."""

import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from difflib import get_close_matches
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.settings import default_settings

from forest_scrapy.core import ForestError
from forest_scrapy.core.digests import digest_number
from forest_scrapy.core.moments import ANY_DATE, DateRange, read_moments
from forest_scrapy.core.page.urls import ends_as_host, site_of, with_scheme
from forest_scrapy.feeds.discovery import is_opml, read_opml
from forest_scrapy.input_files import read_bytes
from forest_scrapy.output_files import is_stream
from forest_scrapy.settings import ForestSettings

if TYPE_CHECKING:
    from forest_scrapy.core.topic_filter import TopicFilter

_FEEDS_FILE = "name a file with one URL a line, or OPML"
#: The new names of arguments.
_RENAMED = {"history": "older", "pages": "next_pages"}
_SCHEME = re.compile("^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_END_OF_HOST = re.compile("[/?#]")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
#: Characters of what is no URL that a message has.
_MAX_SHOWN_LENGTH = 200
_NAMED_KINDS = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


class BadArgument(ForestError, ValueError):
    """A spider argument is missing or invalid; the message names the remedy."""


def argument_names(spider: type[Spider]) -> list[str]:
    """The names of a spider's arguments: the named parameters of its ``__init__`` and of those
    of its base classes, the spider's own first."""
    names: dict[str, None] = {}
    classes = spider.__mro__[: spider.__mro__.index(Spider)]
    for cls in classes:
        if "__init__" not in vars(cls):
            continue
        parameters = signature(vars(cls)["__init__"]).parameters
        for name, parameter in parameters.items():
            if parameter.kind in _NAMED_KINDS and name != "self":
                names.setdefault(name)
    return list(names)


def refuse_unknown(
    arguments: Mapping[str, object],
    names: Collection[str],
    spider: str,
) -> None:
    """Raise ``BadArgument`` for the first argument that is none of ``names``; its message has the
    new name, the setting that has this name, or the most similar argument.  Arguments that begin
    with ``_`` are accepted: scrapyd adds ``_job``."""
    for argument in sorted(arguments):
        if argument in names or argument.startswith("_"):
            continue
        new_name = _RENAMED.get(argument)
        if new_name in names:
            raise BadArgument(f"-a {argument} is now called -a {new_name}")
        setting = "" if argument in _RENAMED else _find_setting(argument)
        if setting:
            value = shlex.quote(str(arguments[argument]))
            raise BadArgument(
                f"-a {argument}: the spider {spider} has no such argument; there is a setting:"
                f" -s {setting}={value}"
            )
        similar = get_close_matches(argument, sorted(names), 1)
        hint = f"; did you mean {similar[0]}?" if similar else "."
        raise BadArgument(
            f"-a {argument}: the spider {spider} has no such argument{hint}"
            f" Its arguments are {', '.join(names)}"
        )


def _find_setting(argument: str) -> str:
    """The setting with the name of an argument, ours or, in capitals, one of Scrapy; ``""`` if
    there is none.

    >>> _find_setting("kinds"), _find_setting("FOREST_Kinds"), _find_setting("LOG_LEVEL")
    ('FOREST_KINDS', 'FOREST_KINDS', 'LOG_LEVEL')
    >>> _find_setting("kind")
    ''
    """
    name = argument.lower().removeprefix("forest_")
    if name in {setting.name for setting in fields(ForestSettings)}:
        return f"FOREST_{name.upper()}"
    if argument.isupper() and argument in vars(default_settings):
        return argument
    return ""


def read_url(text: str) -> str:
    """An http or https URL; a missing scheme is added.  Raises ``BadArgument``.

    >>> read_url("example.org/feed")
    'https://example.org/feed'
    """
    text = text.strip()
    url = with_scheme(text)
    host = _web_host(url)
    had_scheme = url == text
    if not host or not (had_scheme or _is_host(host)):
        shown = repr(text[:_MAX_SHOWN_LENGTH])
        raise BadArgument(f"{shown} is not an http or https URL, such as https://example.org/feed")
    return url


def _web_host(url: str) -> str:
    """The host of an http or https URL without a user; ``""`` if it is none."""
    try:
        parts = urlsplit(url)
        has_port_zero = parts.port == 0  # raises for a port that is no number
    except ValueError:
        return ""
    is_web = parts.scheme in ("http", "https")
    if not is_web or parts.username or has_port_zero:
        return ""
    return parts.hostname or ""


def _is_host(name: str) -> bool:
    """Whether a name without a scheme is a host: a word alone is more likely a mistake."""
    return "." in name.strip(".") or ":" in name or name == "localhost"


def read_urls(text: str) -> list[str]:
    """The URLs of a list with commas or spaces between them, each once.  A comma within a path
    belongs to the URL: what comes after it names no host.  Raises ``BadArgument``.

    >>> read_urls("https://a.example/feed https://b.example/feed, a.example/feed")
    ['https://a.example/feed', 'https://b.example/feed']
    >>> read_urls("https://a.example/1,2,owls.html,b.example/feed")
    ['https://a.example/1,2,owls.html', 'https://b.example/feed']
    """
    names: list[str] = []
    for word in text.split():
        names += _divide_by_commas(word)
    return list(dict.fromkeys(read_url(name) for name in names))


def _divide_by_commas(word: str) -> list[str]:
    names: list[str] = []
    for part in word.split(","):
        last = names[-1] if names else ""
        has_path = "/" in _SCHEME.sub("", last)
        if part and has_path and not _names_host(part):
            names[-1] = f"{last},{part}"
        elif part:
            names.append(part)
    return names


def _names_host(text: str) -> bool:
    """Whether a text begins with a scheme or a host, as a URL does."""
    if _SCHEME.match(text):
        return True
    host = _END_OF_HOST.split(text, maxsplit=1)[0]
    name, _, port = host.partition(":")
    is_local = name == "localhost" or ("." in name and port.isdecimal())
    return is_local or bool(_ADDRESS.fullmatch(name)) or ends_as_host(name)


def read_number(
    name: str,
    value: Any,
    minimum: int = 0,
) -> int:
    """An integer of at least ``minimum``.  Raises ``BadArgument``.

    >>> read_number("follow", "2")
    2
    """
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = minimum - 1
    if number < minimum:
        raise BadArgument(f"-a {name}={value}: must be an integer from {minimum}")
    return number


def read_pattern(name: str, text: str) -> re.Pattern[str] | None:
    """A regular expression, None for ``""``.  Raises ``BadArgument``."""
    try:
        if text:
            return re.compile(text)
        return None
    except re.error as error:
        raise BadArgument(f"-a {name}={text}: not a regular expression: {error}") from None


def read_date_range(since: str, until: str) -> DateRange:
    """The range between two ISO 8601 dates, with or without a time, both included; ``""``: no
    limit.  Without an offset they are in UTC.  Raises ``BadArgument``.

    >>> read_date_range("2024-05-01", "2024-05-31").check("2024-05-31T23:00:00Z")
    ''
    """
    first = last = None
    if since:
        first, _ = _read_date("since", since)
    if until:
        _, last = _read_date("until", until)
    if first and last and first > last:
        raise BadArgument(f"-a since={since} is after -a until={until}")
    return DateRange(first, last)


def read_topic_filter(match: str | None, language: str) -> "TopicFilter | None":
    """The filter of items by words or a regular expression, and by languages; None for any.
    Raises ``BadArgument``, also for words that are empty: a script's variable may be, and the crawl
    would give all items."""
    if match is not None and not match.strip().strip("/"):
        raise BadArgument("-a match= has no words; to get all items, leave -a match out")
    if match is None and not language:
        return None
    match = match or ""
    from forest_scrapy.core.topic_filter import TopicFilter, read_languages, read_topic

    try:
        patterns = read_topic(match)
    except re.error as error:
        raise BadArgument(f"-a match={match}: not a regular expression: {error}") from None
    try:
        languages = read_languages(language)
    except ValueError as error:
        raise BadArgument(f"-a language={language}: {error}") from None
    return TopicFilter(languages, patterns)


def _read_date(name: str, text: str) -> tuple[datetime, datetime]:
    """The first and the last moment of a date."""
    moments = read_moments(text)
    if not moments:
        raise BadArgument(f"-a {name}={text}: must be a date such as 2024-05-31")
    return moments


def read_flag(name: str, value: str) -> bool:
    """Yes or no.  Raises ``BadArgument``.

    >>> read_flag("only_new", "yes")
    True
    """
    word = str(value).lower()
    if word in ("yes", "true", "1"):
        return True
    if word in ("no", "false", "0"):
        return False
    raise BadArgument(f"-a {name}={value}: must be yes or no")


@dataclass(frozen=True)
class ListedFeeds:
    """The feeds that a file lists: their URLs, and for each entry that is none a sentence that says
    so, with what to do."""

    urls: tuple[str, ...]
    problems: tuple[str, ...] = ()


def read_feeds_file(path: str) -> ListedFeeds:
    """The feeds in a file, OPML or one URL on each line.  Raises ``BadArgument``, also if nothing
    that the file lists is a URL."""
    if is_stream(path):  # waiting for its end could not be interrupted: no crawl is running yet
        raise BadArgument(f"{path}: not a regular file; {_FEEDS_FILE}")
    try:
        body = read_bytes(path)
    except OSError as error:
        raise BadArgument(f"{path}: {error.strerror}; {_FEEDS_FILE}") from error

    entries = []
    if is_opml(body):
        for address in read_opml(body):
            entries.append((path, address))
    else:
        for number, line in read_argument_lines(path, body):
            entries.append((f"{path}, line {number}", line))

    urls = []
    problems = []
    for place, text in entries:
        try:
            urls.append(read_url(text))
        except BadArgument as error:
            problems.append(f"{place}: {error}; correct it, or remove it from the file")
    if problems and not urls:
        raise BadArgument(f"no feed to crawl: {problems[0]}")
    if is_opml(body) and not urls:
        raise BadArgument(f"{path}: no feed in this OPML file")
    return ListedFeeds(tuple(urls), tuple(problems))


def read_argument_lines(path: str, body: bytes) -> list[tuple[int, str]]:
    """The lines of a file and their numbers, without empty lines and comments (``#``).  Raises
    ``BadArgument``."""
    try:
        text = body.decode("utf-8-sig")
    except ValueError as error:
        raise BadArgument(f"{path}: not a text in UTF-8; {_FEEDS_FILE}") from error

    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.strip()
        if content and not content.startswith("#"):
            lines.append((number, content))
    return lines


@dataclass(frozen=True)
class Scope:
    """The limits of a crawl; None: no limit.

    - ``allow``, ``deny``: regular expressions that are searched in URLs.
    - ``dates``: of publication.
    - ``max_pages``: number of pages requested.
    - ``max_depth``: number of steps for which links are followed.
    """

    allow: re.Pattern[str] | None = None
    deny: re.Pattern[str] | None = None
    dates: DateRange = ANY_DATE
    max_pages: int | None = None
    max_depth: int | None = None

    def check_url(self, url: str) -> str:
        """``not_allowed``, ``denied``, or ``""`` for a URL in the scope."""
        if self.allow and not self.allow.search(url):
            return "not_allowed"
        if self.deny and self.deny.search(url):
            return "denied"
        return ""

    def check(
        self,
        url: str,
        published: str,
        requested: int,
    ) -> str:
        """The reason why a page is not requested, ``""`` if it is; ``requested``: the number of
        pages requested before."""
        if reason := self.check_url(url):
            return reason
        if published and (reason := self.dates.check(published)):
            return reason
        if self.has_enough(requested):
            return "max_pages"
        return ""

    def has_enough(self, requested: int) -> bool:
        """Whether ``max_pages`` have been requested."""
        return self.max_pages is not None and requested >= self.max_pages


def read_scope(
    allow: str = "",
    deny: str = "",
    since: str = "",
    until: str = "",
    max_pages: Any = "",
    max_depth: Any = "",
) -> Scope:
    """The scope that the spider arguments of these names describe.  Raises ``BadArgument``."""
    return Scope(
        allow=read_pattern("allow", allow),
        deny=read_pattern("deny", deny),
        dates=read_date_range(since, until),
        max_pages=_read_limit("max_pages", max_pages, 1),
        max_depth=_read_limit("max_depth", max_depth, 0),
    )


def _read_limit(
    name: str,
    value: Any,
    minimum: int,
) -> int | None:
    if value in ("", None):
        return None
    return read_number(name, value, minimum)


_SHARD = re.compile(r"(\d{1,6})/(\d{1,6})")


@dataclass(frozen=True)
class Shard:
    """The part ``number`` (from 1) of ``count`` parts, by the registered domain of a URL.

    All hosts of a domain are in one part, so that a site is crawled by one machine only: delays
    and templates need no coordination.  By a digest, which is the same on all machines.
    """

    number: int = 1
    count: int = 1

    def has(self, url: str) -> bool:
        """Whether the URL is in this part."""
        if self.count == 1:
            return True
        return digest_number(site_of(url)) % self.count == self.number - 1

    def select(self, urls: Iterable[str]) -> list[str]:
        """The URLs that are in this part."""
        return [url for url in urls if self.has(url)]


def read_shard(text: str) -> Shard:
    """The part that ``I/N`` means; all for ``""``.  Raises ``BadArgument``.

    >>> read_shard("2/4")
    Shard(number=2, count=4)
    """
    if not text:
        return Shard()
    if match := _SHARD.fullmatch(text.strip()):
        shard = Shard(int(match[1]), int(match[2]))
        if 1 <= shard.number <= shard.count:
            return shard
    raise BadArgument(f"-a shard={text}: must be I/N with I from 1 to N, such as 1/4")
