"""The ``FOREST_*`` settings.  Each is stated once, as a field of ``ForestSettings`` with its
default, its reader and its description; docs/settings.md is made of them.

A reader takes the name and the value of a setting, also as text from the command line, and returns
the validated value, or raises ``BadSetting``.
"""

import json
import os
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeVar

from forest_scrapy.core import METHODS, BadCharacteristic, ForestError, Options, Params
from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.core.options import (
    ATTRIBUTE_VALUES,
    COMPARED_NAMES,
    COVERAGE_NAMES,
    DISTANCE_NAMES,
    FILTER_NAMES,
    MAX_BITS,
    MEASURE_NAMES,
    MIN_WEIGHT_SHARE,
    OCCURRENCE_NAMES,
    SCOPE_NAMES,
    SHINGLE,
    SOURCE_NAMES,
)

_T = TypeVar("_T")
_Reader = Callable[[str, Any], _T]


class BadSetting(ForestError):
    """A setting has an invalid value; the message names both, and the valid values."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(f"{name} = {value!r} cannot be used: it must be {allowed}")
        self.name = name
        self.value = value
        self.allowed = allowed


class UnknownSetting(BadSetting):
    """There is no setting of this name; the message suggests the most similar one."""

    _MESSAGE = "{name} is not a setting{hint} The settings are {known}"

    def __init__(self, name: str, value: object, setting_names: Collection[str]) -> None:
        super().__init__(name, value, f"one of {', '.join(setting_names)}")
        names = {
            setting_name.removeprefix("FOREST_"): setting_name for setting_name in setting_names
        }
        similar = get_close_matches(name.removeprefix("FOREST_"), names, 1)
        hint = f"; did you mean {names[similar[0]]}?" if similar else "."
        self.args = (self._MESSAGE.format(name=name, hint=hint, known=", ".join(setting_names)),)


class UnknownOption(UnknownSetting):
    """``FOREST_METHOD_OPTIONS`` has an option that does not exist."""

    _MESSAGE = "FOREST_METHOD_OPTIONS has no option {name!r}{hint} The options are {known}"


class MovedSetting(BadSetting):
    """A setting that has become an option of ``FOREST_METHOD_OPTIONS``."""

    def __init__(self, name: str, value: object) -> None:
        option = name.removeprefix("FOREST_").lower()
        self.name = name
        self.value = value
        self.allowed = f"the option {option}"
        self.args = (
            f"{name} is now an option: use FOREST_METHOD_OPTIONS = {{{option!r}: {value!r}}}",
        )


def setting(default: _T, reader: _Reader[_T], meaning: str) -> _T:
    """A field of a class of settings; ``meaning``: Markdown, for a page in docs/."""
    metadata = {"reader": reader, "meaning": meaning}
    return field(default=default, metadata=metadata)


#: SQLite stores no larger page, and no crawl lasts for so many seconds.
MAX_INTEGER = 1_000_000_000
#: The largest number of bytes of a table.
_MAX_TABLE_BYTES = 1_000_000_000_000
#: The largest number of hours after which a new article is asked for again.
MAX_RECHECK_HOURS = 1000


def integer(minimum: int, maximum: int = MAX_INTEGER) -> _Reader[int]:
    allowed = f"an integer from {minimum} to {maximum}"

    def read(name: str, value: Any) -> int:
        try:
            number = int(value)
        except (TypeError, ValueError, OverflowError):  # infinity: OverflowError
            raise BadSetting(name, value, allowed) from None
        if isinstance(value, bool) or not minimum <= number <= maximum:
            raise BadSetting(name, value, allowed)
        return number

    return read


def between(minimum: float, maximum: float, allowed: str) -> _Reader[float]:
    """Reads numbers from ``minimum`` to ``maximum``; ``allowed``: these limits, in words."""

    def read(name: str, value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise BadSetting(name, value, allowed) from None
        if not minimum <= number <= maximum:
            raise BadSetting(name, value, allowed)
        return number

    return read


seconds = between(1e-6, 999, "a number of seconds above 0, at most 999")


def hours(name: str, value: Any) -> tuple[float, ...]:
    """Reads a list of numbers, as a list or as text: of JSON, ``[1, 4]``, or with commas,
    ``1,4``."""
    values = value
    try:
        if isinstance(value, str):
            is_json = value.strip().startswith("[")
            values = json.loads(value) if is_json else value.split(",")
        numbers = tuple(float(hour) for hour in values)
    except (TypeError, ValueError, OverflowError, RecursionError):
        allowed = "a list of hours, such as 1,4,12, or [] for none"
        raise BadSetting(name, value, allowed) from None
    if not all(0 < number <= MAX_RECHECK_HOURS for number in numbers):
        raise BadSetting(name, value, f"a list of hours from above 0 to {MAX_RECHECK_HOURS}")
    return numbers


def boolean(name: str, value: Any) -> bool:
    booleans = {"1": True, "true": True, "0": False, "false": False}
    if str(value).lower() not in booleans:
        raise BadSetting(name, value, "True or False")
    return booleans[str(value).lower()]


def private_addresses(name: str, value: Any) -> bool | Literal["never"]:
    if value == "never":
        return "never"
    return boolean(name, value)


def _path_text(value: Any) -> Any:
    """A ``pathlib.Path`` as text; other values as they are."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


def location(name: str, value: Any) -> str:
    value = _path_text(value)
    if not isinstance(value, str) or not value:
        raise BadSetting(name, value, "a path, or a sqlite:/// or postgresql+psycopg:// URI")
    return value


def folder(name: str, value: Any) -> str:
    value = _path_text(value)
    if not isinstance(value, str) or "\0" in value or Path(value).is_file():
        raise BadSetting(name, value, "the path of a folder, which need not be there yet")
    return value


def file(name: str, value: Any) -> str:
    value = _path_text(value)
    if not isinstance(value, str) or "\0" in value or (value and Path(value).is_dir()):
        raise BadSetting(name, value, "the path of a file, which need not be there yet")
    return value


def command(name: str, value: Any) -> str:
    allowed = "a command with its arguments, as a shell splits them, or a URL"
    if not isinstance(value, str):
        raise BadSetting(name, value, allowed)
    try:
        shlex.split(value)
    except ValueError:  # a quotation mark is not closed
        raise BadSetting(name, value, allowed) from None
    return value


def one_of(*names: str) -> _Reader[str]:
    def read(name: str, value: Any) -> str:
        if value not in names:
            raise BadSetting(name, value, f"one of {', '.join(names)}")
        return str(value)

    return read


def some_of(*names: str, allowed: str) -> _Reader[tuple[str, ...]]:
    """Reads some of the names, as a list or as text with commas; ``allowed``: these, in words."""

    def read(name: str, value: Any) -> tuple[str, ...]:
        values = value.split(",") if isinstance(value, str) else value
        if not isinstance(values, list | tuple):
            raise BadSetting(name, value, allowed)
        chosen = tuple(str(member).strip() for member in values)
        if not chosen or not set(names).issuperset(chosen):
            raise BadSetting(name, value, allowed)
        return chosen

    return read


def item_type(name: str, value: Any) -> str:
    kind = one_of("article", "zyte")(name, value)
    if kind == "zyte" and find_spec("zyte_common_items") is None:
        raise _not_installed(name, value, "article", "zyte-common-items", "zyte")
    return kind


def render_mode(name: str, value: Any) -> str:
    mode = one_of("never", "auto", "always")(name, value)
    if mode != "never" and find_spec("scrapy_playwright") is None:
        raise _not_installed(name, value, "never", "scrapy-playwright", "render")
    return mode


def content_formats(name: str, value: Any) -> tuple[str, ...]:
    allowed = "a list of text and, if wanted, html and markdown"
    formats = some_of("text", "html", "markdown", allowed=allowed)(name, value)
    if "text" not in formats:
        raise BadSetting(name, value, allowed)
    return formats


def _not_installed(
    name: str,
    value: Any,
    alternative: str,
    package: str,
    extra: str,
) -> BadSetting:
    remedy = f"pip install {package} (forest-scrapy[{extra}])"
    return BadSetting(name, value, f"{alternative}, unless you {remedy}")


def characteristics_of_records(name: str, value: Any) -> tuple[str, ...]:
    """Reads a list of texts, each of which is a characteristic."""
    from forest_scrapy.core.methods.characteristics import read_characteristic

    allowed = "a list of words, marks, and tags such as <dt>, each of at most 100 characters"
    if not isinstance(value, list | tuple):
        raise BadSetting(name, value, allowed)
    for text in value:
        if not isinstance(text, str):
            raise BadSetting(name, value, allowed)
        try:
            read_characteristic(text)
        except BadCharacteristic:
            raise BadSetting(name, value, allowed) from None
    return tuple(value)


@dataclass(frozen=True)
class MethodOptions:
    """The parameters of published methods: ``FOREST_METHOD_OPTIONS``, see docs/methods.md."""

    # fmt: off
    signifiers: int = setting(10, integer(1),
        "The number of signifiers, the terms that describe a page. F1 falls below 5, and slightly"
        " above 20 (figure 6 of the FOREST paper).")
    measure: str = setting("J*U", one_of(*MEASURE_NAMES),
        "What `forest` ranks patterns by: `J*U`, or the statistical density `J` or the"
        " unexpectedness `U` alone (figure 7).")
    occurrences: str | None = setting(None, one_of(*OCCURRENCE_NAMES),
        "What p of equation 5 of FOREST counts: the significant terminal `paths` with a pattern, as"
        " its text says, or the `pages`, as its figure 3 has it. `None`: `pages` with signifiers by"
        " tf-idf, `paths` with others.")
    source: str | None = setting(None, one_of(*SOURCE_NAMES),
        "Where the methods of FOREST and `sigfeed` take signifiers from: `tf-idf` over the pages,"
        " the `feed` entry, its `title` alone, the `query` that a page answers, the title and"
        " description in the `metadata` of the page, the words of its `url`, or the texts of"
        " `links` to it. Pages without the source are read by `tf-idf`. `None`: `tf-idf` for"
        " `forest` and `coverage`, the query for `forest-records`, the feed entry for the others.")
    ngram: int = setting(3, integer(1, 10),
        "The number of words in an n-gram of `sigfeed`.")
    attribute_values: str = setting("tolerant", one_of(*ATTRIBUTE_VALUES),
        "The values of attributes by which FOREST tells types of elements apart: in `tolerant`"
        " form, or `full`.")
    level_factor: bool = setting(True, boolean,
        "Whether the level of a pattern is a factor of its relevance (equation 5 of FOREST).")
    filtered: tuple[str, ...] = setting((),
        some_of(*FILTER_NAMES, allowed="some of links, comments"),
        "What FOREST filters first: lists of `links`, which are left out of the text, too, and"
        " paths with `comments` in their signature.")
    coverage: str = setting("mean", one_of(*COVERAGE_NAMES),
        "What `coverage` ranks patterns by: the `mean` of the normalized weights of the page's"
        " signifiers, as published (equation 6), or the `share` of their weight.")
    t1: float = setting(MIN_WEIGHT_SHARE, between(0, 1, "a number from 0 to 1"),
        "T1 of `vsse`: the share of the largest weight of a page that the leaves have from which"
        " the text is found.")
    t2: int = setting(MAX_BITS, integer(0, 64),
        "T2 of `vsse`: the number of bits of 64 in which a leaf may differ from title and"
        " description.")
    compared: str = setting("unmarked", one_of(*COMPARED_NAMES),
        "The leaves that `vsse` compares with title and description: the `unmarked` ones without"
        " punctuation, or `all` of the area, as published.")
    characteristics: tuple[str, ...] = setting((), characteristics_of_records,
        "What tells records to `vsse-records`, beside the delimiters and names of attributes that"
        " it knows: a list of names (`\"release date\"`), marks (`\"→\"`), and tags of the elements"
        " around a text (`\"<dt>\"`).")
    filter_characteristics: bool = setting(False, boolean,
        "Whether `vsse-records` leaves out the characteristics that are no more frequent where it"
        " finds the records than elsewhere, and looks for the records again.")
    distance: str = setting("typed", one_of(*DISTANCE_NAMES),
        "The distance by which pages are grouped into templates, for all methods: `typed` (weighted"
        " tag paths with class or id), or as published by Gottron: `cp`, `cps`, `ctss`.")
    threshold: float | None = setting(None,
        between(0, 1, "a number from 0 to 1, or None to choose it for each host"),
        "A fixed distance, 0 to 1, at which templates are cut apart (published: 0.7 for `cp`, 0.6"
        " for `cps`, 0.85 for `ctss`). `None`: chosen for each host.")
    scope: str = setting(SCOPE_NAMES[0], one_of(*SCOPE_NAMES),
        "What `cp`, `cps` and `ctss` compare: the whole `document`, as published, or its visible"
        " `body`.")
    shingle: int = setting(SHINGLE, integer(1, 100),
        "The number of elements in a shingle of `cps` and `ctss`. The paper does not give it; its"
        " thresholds fit 6.")
    # fmt: on


def options_of_methods(name: str, value: Any) -> MethodOptions:
    """Reads a mapping, or a text of JSON."""
    if isinstance(value, MethodOptions):
        return value
    try:
        values = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, Mapping):
        raise BadSetting(name, value, """a dict, or JSON such as {"signifiers": 10}""")

    readers = {option.name: option.metadata["reader"] for option in fields(MethodOptions)}
    for option in values:
        if option not in readers:
            raise UnknownOption(str(option), values[option], list(readers))
    options = {}
    for option, option_value in values.items():
        if option_value is not None:
            options[option] = readers[option](f"{name}[{option!r}]", option_value)
    return MethodOptions(**options)


@dataclass(frozen=True)
class ForestSettings:
    """The settings as one value: ``FOREST_PAGES`` is ``pages``, and so on.  They are described in
    docs/settings.md.  Raises ``BadSetting`` for the first that is invalid.
    """

    # Of each setting: the default, the reader, the description.
    # fmt: off
    pages: int = setting(10, integer(2),
        "A template's wrapper is learned when this many of its pages have been fetched and"
        " [no more are expected](how-it-works.md#the-order-of-responses), and from at most this"
        " many. At least 2.")
    method: str = setting("auto", one_of("auto", *METHODS),
        "The [method](methods.md) to learn with.")
    method_options: MethodOptions = setting(MethodOptions(), options_of_methods,  # noqa: RUF009
        "The [parameters of published methods](methods.md#options): a dict, or JSON on the command"
        " line.")
    max_bytes: int = setting(10_000_000, integer(1),
        "Larger pages are dropped as `too_large`. The spiders of this package stop the download"
        " there; in your own, set `DOWNLOAD_MAXSIZE`.")
    page_seconds: float = setting(1.0, seconds,
        "Seconds of processor time for a page or feed whose markup is"
        " [unusual](reliability.md#hostile-pages). One that takes longer, or 200 MB of memory for"
        " each second (at least 200 MB), is dropped as `too_slow`. Three times as much time with"
        " `FOREST_COMMENTS` or other `FOREST_KINDS`.")
    allow_private: bool | Literal["never"] = setting(False, private_addresses,
        "Whether the spiders request private, loopback and link-local addresses. `False`: only if"
        " the crawl starts with such an address. `\"never\"`: not even then, for URLs that no"
        " person has named.")
    store: str = setting("forest/wrappers.db", location,
        "The wrapper store: a path (text or `pathlib.Path`), relative to Scrapy's data path"
        " (`.scrapy` in the project),"
        " `sqlite:///PATH`, or `postgresql+psycopg://USER@HOST/NAME` for a"
        " [shared one](scale.md#one-store-for-many-machines).")
    history: str = setting("forest/history.db", location,
        "The history of articles and feeds, in the same forms.")
    feed_items: int = setting(50, integer(0),
        "How many articles of each source (a feed, or a host) the history keeps for"
        " [a rolling feed](feed-reader.md#a-rolling-full-text-feed).")
    versions: int = setting(20, integer(0),
        "How many [versions](day-after-day.md#versions) of each article the history keeps: the"
        " first one and the latest; `1`: the latest. `0`: none is added, and those that are there"
        " stay as they are.")
    versions_bytes: int = setting(200_000_000, integer(0, _MAX_TABLE_BYTES),
        "How many bytes the versions of all articles may have together; beyond that those are"
        " deleted that were seen last longest ago.")
    store_seconds: float = setting(60.0, seconds,
        "How long pages wait for a store or history that is [locked](reliability.md#locked-files)"
        " or cannot be reached; then the crawl ends.")
    only_new: bool = setting(False, boolean,
        "Crawl and emit [only what is new or has changed](day-after-day.md). Also `-a"
        " only_new=yes`.")
    recheck_hours: tuple[float, ...] = setting((1, 4, 12), hours,
        "With `only_new`, an item that was at most a day old when it was first seen is requested"
        " again by the next crawl so many hours after that, whatever its feed says; pages of"
        " templates that change often more often, and"
        " [others less often](day-after-day.md#how-often-pages-change). On the command line"
        " `1,4,12`."
        " Then, and for older items and `[]`: [by its age](day-after-day.md#by-age).")
    poll_least: int = setting(900, integer(1),
        "The least number of seconds [between two polls](day-after-day.md#when-feeds-are-polled) of"
        " a feed.")
    poll_greatest: int = setting(86400, integer(1),
        "The greatest number of seconds between two polls of a feed.")
    feed_fields: bool = setting(True, boolean,
        "Whether the title, date, author and tags of feed entries are used: as evidence of where"
        " pages have these fields, and as a fallback.")
    entry_fallback: bool = setting(True, boolean,
        "Whether a page that cannot be fetched becomes an article of"
        " [its feed entry](field-rules.md#full-text-in-the-feed).")
    item: str = setting("article", item_type,
        "The item class: `article` for `forest_scrapy.Article`, `zyte` for"
        " `zyte_common_items.Article` ([extra](dependencies.md#optional) `zyte`).")
    formats: tuple[str, ...] = setting(("text", "html"), content_formats,
        "The forms of the content: `text` (always), `html`, `markdown`.")
    csv_safe: bool = setting(False, boolean,
        "Whether texts in CSV that spreadsheets take for formulas (they begin with `=`, `+`, `-`,"
        " `@`, a tab or a line end) get an apostrophe before; names of columns, too.")
    kinds: tuple[str, ...] = setting(("article",),
        some_of(*ITEM_KINDS, allowed=f"a list of some of {', '.join(ITEM_KINDS)}"),
        "The kinds of pages that become items: `article`,"
        " [`thread`](records.md#threads-in-a-crawl),"
        " [`product`, `listing`](records.md#products-and-listings-in-a-crawl),"
        " [`page`](records.md#pages-of-any-kind) for all others.")
    thread_pages: int = setting(100, integer(1),
        "At most this many pages of a [thread](records.md#the-pages-of-a-thread) become one item.")
    article_pages: int = setting(50, integer(1),
        "At most this many pages of an [article](fields.md#articles-over-several-pages) become one"
        " item. `1`: further pages are not requested, and `next_page` has the next one.")
    comments: bool = setting(False, boolean,
        "Whether articles have the [comments](records.md#comments-on-articles) on their pages.")
    captions: str = setting("separate", one_of("separate", "inline"),
        "Whether [captions](fields.md#captions-and-other-parts-of-an-article) of images are only in"
        " `html` and `images` (`separate`), or also in `text` (`inline`).")
    render: str = setting("never", render_mode,
        "Which pages are [rendered in a browser](feeds-and-sites.md#pages-that-need-a-browser):"
        " `never`, `auto` (those with scripts and next to no text), `always`. Needs the extra"
        " `render`.")
    spiders: bool = setting(True, boolean,
        "Whether the add-on adds the spiders `feeds`, `site`, `records`, `form` and `refresh`.")
    progress: bool = setting(True, boolean,
        "Whether a crawl on a terminal shows a line with its progress.")
    report: str = setting("", folder,
        'The folder that a crawl writes a [report](report.md) to. `""`: none.')
    warc: str = setting("", folder,
        "The folder in which all that is fetched is [kept](keeping-pages.md) as WARC files; needs"
        ' the extra `warc`. `""`: none.')
    health: str = setting("forest/health.json", file,
        "The file of the [health digest](health.md), relative to Scrapy's data path; its page"
        ' `health.html` is beside it, or in `FOREST_REPORT`. `""`: none.')
    on_trouble: str = setting("", command,
        "A command that gets the digest as standard input, or a URL that it is posted to, when"
        " something [needs a person](health.md#notification) that did not before.")
    # fmt: on

    def __post_init__(self) -> None:
        for setting_field in fields(self):
            name = f"FOREST_{setting_field.name.upper()}"
            reader = setting_field.metadata["reader"]
            value = getattr(self, setting_field.name)
            read_value = reader(name, value)
            object.__setattr__(self, setting_field.name, read_value)

    @property
    def distance(self) -> str:
        """The distance between pages: ``method_options.distance``."""
        return self.method_options.distance

    @property
    def fingerprint_kind(self) -> str:
        """The kind of the fingerprints that pages are grouped by, and stored with."""
        return self.options.fingerprint_kind

    @property
    def threshold(self) -> float | None:
        """A fixed cut of templates: ``method_options.threshold``."""
        return self.method_options.threshold

    @property
    def wants_records(self) -> bool:
        """Whether pages become items of other kinds than articles."""
        return self.options.wants_records

    @cached_property  # asked for several times a page
    def options(self) -> Options:
        """The options of learning and extracting."""
        return Options(
            params=self.params,
            kinds=self.kinds,
            comments=self.comments,
            captions=self.captions,
            formats=self.formats,
            distance=self.distance,
            threshold=self.threshold,
            scope=self.method_options.scope,
            shingle=self.method_options.shingle,
        )

    @property
    def params(self) -> Params:
        """The parameters of learning."""
        options = self.method_options
        return Params(
            method=self.method,
            pages=self.pages,
            signifiers=options.signifiers,
            measure=options.measure,
            occurrences=options.occurrences,
            source=options.source,
            ngram=options.ngram,
            attribute_values=options.attribute_values,
            level_factor=options.level_factor,
            filtered=options.filtered,
            coverage=options.coverage,
            t1=options.t1,
            t2=options.t2,
            compared=options.compared,
            characteristics=options.characteristics,
            filter_characteristics=options.filter_characteristics,
        )


#: Set by the add-on, not by users.
_INTERNAL = frozenset(("FOREST_ITEM_PROCESSOR",))
#: Settings of earlier versions, which are options now.
_MOVED = frozenset(("FOREST_SIGNIFIERS", "FOREST_DISTANCE", "FOREST_THRESHOLD"))


def read_settings(settings: Mapping[Any, Any]) -> ForestSettings:
    """The validated ``FOREST_*`` settings.  Raises ``BadSetting`` for the first that is invalid,
    and for an unknown name: a misspelt setting would be ignored silently.

    ``settings``: those of Scrapy, or another mapping.
    """
    field_names = {f"FOREST_{field.name.upper()}": field.name for field in fields(ForestSettings)}
    for name in sorted(map(str, settings.keys())):
        if name in _MOVED:
            raise MovedSetting(name, settings[name])
        is_known = name in field_names or name in _INTERNAL
        if name.startswith("FOREST_") and not is_known:
            raise UnknownSetting(name, settings[name], field_names)

    values = {}
    for name, field_name in field_names.items():
        value = settings.get(name)
        if value is not None:
            values[field_name] = value
    return ForestSettings(**values)


def describe_environment(environment: Mapping[str, str]) -> str:
    """What to say of settings in the environment, which are read nowhere, as those of Scrapy are
    not; ``""`` if there are none.

    >>> describe_environment({"FOREST_METHOD": "forest", "FOREST_HOME": "/srv"})
    'FOREST_METHOD in the environment is not read: use -s FOREST_METHOD=forest, or settings.py'
    """
    field_names = {f"FOREST_{field.name.upper()}" for field in fields(ForestSettings)}
    names = sorted(field_names.intersection(environment))
    if not names:
        return ""
    verb = "is" if len(names) == 1 else "are"
    options = " ".join(f"-s {name}={shlex.quote(environment[name])}" for name in names)
    return f"{', '.join(names)} in the environment {verb} not read: use {options}, or settings.py"


def crawl_command() -> str:
    """``scrapy crawl`` in a project with the add-on; else ``forest-scrapy crawl``, since Scrapy
    does not know the add-on's spiders there.  For messages that recommend a crawl.

    The project's settings are read only where a command of Scrapy has loaded them, so that a
    message imports no code; elsewhere a project is assumed to have the add-on.
    """
    # Imported here: what extracts from files needs no settings of Scrapy.
    from scrapy.utils.conf import closest_scrapy_cfg
    from scrapy.utils.project import ENVVAR, get_project_settings

    is_loaded = ENVVAR in os.environ
    if is_loaded:
        is_known = has_addon(get_project_settings().getdict("ADDONS"))
    else:
        is_known = bool(closest_scrapy_cfg())
    return "scrapy crawl" if is_known else "forest-scrapy crawl"


def has_addon(addons: Iterable[object]) -> bool:
    """Whether an entry of ``ADDONS``, a path or a class, is an add-on of our name.

    >>> has_addon(["forest_scrapy.Addon"]), has_addon(["scrapy_poet.Addon2"])
    (True, False)
    """
    for addon in addons:
        path = str(getattr(addon, "__name__", addon))
        _, _, name = path.rpartition(".")
        if name == "Addon":
            return True
    return False
