"""Export as a module with a web-poet page object, which needs web-poet and zyte-common-items."""

import re
from collections.abc import Iterable
from importlib.resources import files

from forest_scrapy.core.exports.origin import Origin, describe
from forest_scrapy.core.exports.parsel_module import fill, in_docstring, list_of
from forest_scrapy.core.wrapper import Wrapper

_IMPORTS = """
import json
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from parsel import Selector
from web_poet import Returns, WebPage, cached_method, field, handle_urls
from zyte_common_items import Article, Author

"""
_SOURCES = """
#: Where the fields are, in the order in which the places are tried: XPaths; ``json-ld:NAME``,
#: ``meta:NAME``, ``opengraph:NAME``, ``microdata:NAME``; ``url:date``.
TITLE: list[str] = []
PUBLISHED: list[str] = []
AUTHORS: list[str] = []
URL_DATE = re.compile(r"/(\\d{4})[/-](\\d\\d)[/-](\\d\\d)(?!\\d)")
#: Characters without a width.
INVISIBLE = dict.fromkeys(map(ord, "\\u00ad\\u200b\\u2060\\ufeff"))
#: What stands before or after the title on all pages, such as the name of the site.
AFFIXES: list[str] = []
#: What structured data have further objects in.
INSIDE = ("@graph",)

"""
#: In modules with page objects: what reads structured data.
JSON_LD_READER = '''
def json_ld_of(selector: Selector) -> list[dict[str, Any]]:
    """The objects of structured data, and those in them that ``INSIDE`` names."""
    objects = []
    for script in selector.xpath("//script[@type='application/ld+json']/text()").getall():
        try:
            waiting = deque([json.loads(script, strict=False)])
        except (ValueError, RecursionError):
            continue
        while waiting:
            value = waiting.popleft()
            if isinstance(value, list):
                waiting.extend(value)
            elif isinstance(value, dict):
                objects.append(value)
                for name in INSIDE:
                    waiting.extend(as_list(value.get(name)))
    return objects


def as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


'''
_PAGE = '''
def read_values(selector: Selector, source: str) -> list[str]:
    """The texts at one of the places of a field."""
    kind, _, name = source.partition(":")
    if source.startswith(("/", "(")):
        elements = selector.xpath(source)
        return [read_element(element) for element in elements]
    if kind == "microdata":
        elements = selector.xpath("//*[@itemprop=$name]", name=name)
        return [read_element(element) for element in elements]
    if kind in ("meta", "meta-name", "opengraph"):
        contents = selector.xpath("//meta[@property=$name or @name=$name]/@content", name=name)
        return [one_line(content) for content in contents.getall()]
    if kind == "json-ld":
        texts = []
        for data in json_ld_of(selector):
            texts.extend(texts_of(data.get(name)))
        return texts
    return []


def read_element(element: Selector) -> str:
    """The value that an element is marked with, such as the date of a ``time``, else its text."""
    marked_value = element.attrib.get("datetime") or element.attrib.get("content")
    if marked_value:
        return one_line(marked_value)
    texts = element.xpath(".//text()").getall()
    return one_line("".join(texts))


def one_line(text: str) -> str:
    return " ".join(text.split())


def read_dates(selector: Selector, source: str) -> list[str]:
    """The texts at one of the places of a date: those of elements are their attributes, too."""
    if not source.startswith(("/", "(")):
        return read_values(selector, source)
    marks = ".//@datetime | .//@content | .//@title | .//@*[starts-with(name(), 'data-')]"
    attributes = selector.xpath(source).xpath(marks).getall()
    dates = [value.strip() for value in attributes]
    return dates + read_values(selector, source)


'''
_CLASS = '''
def texts_of(value: Any) -> list[str]:
    """The texts of a value of structured data, the names of objects."""
    if isinstance(value, list):
        texts = []
        for part in value:
            texts.extend(texts_of(part))
        return texts
    if isinstance(value, dict):
        return texts_of(value.get("name"))
    if isinstance(value, str) and value.strip():
        return [value]
    return []


def first_values(selector: Selector, sources: list[str]) -> list[str]:
    """The texts at the first place that has some."""
    for source in sources:
        values = read_values(selector, source)
        texts = [value for value in values if value]
        if texts:
            return texts
    return []


@handle_urls("HOST")
class SitePage(WebPage, Returns[Article]):
    """An article of the site."""

    @cached_method
    def html(self) -> Selector:
        """The page as HTML; ``self.selector`` takes pages with an XML declaration for XML."""
        return Selector(text=self.response.text, type="html")

    @field
    def url(self) -> str:
        return str(self.response.url)

    @field
    def headline(self) -> str | None:
        titles = first_values(self.html(), TITLE)
        if not titles:
            return None
        title = titles[0]
        for affix in AFFIXES:
            title = title.removeprefix(affix).removesuffix(affix)
        return title.strip() or None

    @field
    def datePublished(self) -> str | None:
        """The first place with a date in ISO 8601; dates in words are left out."""
        for source in PUBLISHED:
            if source == "url:date":
                match = URL_DATE.search(str(self.response.url))
                if match:
                    return "-".join(match.groups())
            for value in read_dates(self.html(), source):
                if re.match(r"\\d{4}-\\d\\d-\\d\\d", value):
                    return value
        return None

    @field
    def authors(self) -> list[Author] | None:
        names = dict.fromkeys(first_values(self.html(), AUTHORS))
        return [Author(name=name) for name in names] or None

    @field
    def articleBody(self) -> str | None:
        """The text, without lines at its head that repeat the title."""
        text = extract(self.html())["text"].translate(INVISIBLE)
        lines = text.split("\\n")
        headline = (self.headline or "").translate(INVISIBLE)
        while lines and lines[0] == headline:
            lines.pop(0)
        return "\\n".join(lines) or None
'''


def write_page_object(wrapper: Wrapper, origin: Origin) -> str:
    """The source of a module with a page object, whose text is that of ``standalone``."""
    template = files("forest_scrapy.core.exports").joinpath("standalone.py")
    standalone = template.read_text("utf-8")
    start = standalone.index("#: Tried in order")
    end = standalone.index("\n\nif __name__")
    about = in_docstring(describe(wrapper, origin))
    head = f'"""A page object for {about}.\n\nIts text is found by XPaths that were learned.\n"""\n'
    reader_of_text = standalone[start:end].rstrip() + "\n\n"
    parts = (head, _IMPORTS, reader_of_text, _SOURCES, _PAGE, JSON_LD_READER, _CLASS)
    source = name_page("".join(parts), origin.host)

    fields = wrapper.fields
    values = {
        "KEEP": wrapper.keep,
        "DROP": wrapper.drop,
        "TITLE": _readable(fields.title),
        "PUBLISHED": _readable(fields.published),
        "AUTHORS": _readable(fields.authors),
        "AFFIXES": fields.affixes,
    }
    source = fill(source, "TAKE", repr(wrapper.take))
    for name, texts in values.items():
        source = fill(source, f"{name}: list[str]", list_of(texts))
    return source


def name_page(source: str, host: str) -> str:
    """The source of a page object with its host and the name of its class; what was learned, which
    may have any text, is filled in later."""
    source = source.replace('"HOST"', repr(host))
    return source.replace("SitePage", page_name(host))


_READABLE = ("/", "(", "meta:", "meta-name:", "opengraph:", "microdata:", "json-ld:", "url:date")


def _readable(sources: Iterable[str]) -> list[str]:
    """The sources that the module reads; elements by their name as XPaths."""
    readable = []
    for source in sources:
        place = source
        if source.startswith("html:"):
            name = source.removeprefix("html:")
            place = f"//{name}"
        if place.startswith(_READABLE):
            readable.append(place)
    return readable


def page_name(host: str) -> str:
    """The name of the class for a host.

    >>> page_name("www.news-site.example")
    'WwwNewsSiteExamplePage'
    >>> page_name("127.0.0.1")
    'Site127001Page'
    """
    words = re.findall(r"[a-z0-9]+", host.lower())
    name = "".join(word.capitalize() for word in words)
    if not name or name[0].isdigit():
        name = f"Site{name}"
    return f"{name}Page"
