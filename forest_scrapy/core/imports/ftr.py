"""Site configs of FiveFilters' Full-Text RSS, which wallabag and others use, as wrappers.

A line is ``name: value``, or a comment after ``#``.  Several lines with the same name are tried in
order.  What tells how Full-Text RSS fetches and cleans a page is read, and not needed here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches

from cssselect.xpath import GenericTranslator

from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.fields.metadata import FieldSources
from forest_scrapy.core.wrapper import Wrapper
from forest_scrapy.core.xpaths.checking import find_problem

#: The name of the method of imported wrappers.
METHOD = "ftr"
#: Directives with an XPath for elements.
_FIELDS = {"title": "title", "author": "authors", "date": "published"}
#: Directives that are not needed: how a page is fetched and cleaned, and what a test expects.
_IGNORED = frozenset(
    "prune tidy parser autodetect_on_failure autodetect_next_page test_contains http_header"
    " skip_json_ld native_ad_clue skip_id_or_class_processing insert_detected_image"
    " src_lazy_load_attr convert_double_br_tags footnotes requires_login login_uri"
    " login_username_field login_password_field login_extra_fields not_logged_in_xpath"
    " dissolve wrap_in strip_attr strip_comments".split()
)
#: Directives that would change the text, and are left out with a note.
_UNUSED = {
    "single_page_link": "the pages of an article are joined",
    "next_page_link": "next pages are found without it",
    "single_page_link_in_feed": "the pages of an article are joined",
    "find_string": "nothing is replaced in pages",
    "replace_string": "nothing is replaced in pages",
    "move_into": "nothing is moved in pages",
    "if_page_contains": "what it is about holds for all pages",
}
_USED = ("body", "strip", "strip_id_or_class", "strip_image_src", "test_url", *_FIELDS)
_NAMES = (*_USED, *_IGNORED, *_UNUSED)
#: The name of a directive, with an argument in brackets.
_DIRECTIVE = re.compile(r"\A([a-z_]+)(\(.*\))?\s*:\s*(.*)", re.IGNORECASE)
#: An attribute or a text at the end of an expression.
_META = re.compile(
    r"//meta\[@(?:property|name)\s*=\s*(?:'([^']+)'|\"([^\"]+)\")\]/@content", re.IGNORECASE
)
_END = re.compile(r"/(?:text\(\)|@datetime|@content)$")

_literal = GenericTranslator.xpath_literal


class BadSiteConfig(ForestError):
    """A site config cannot be used; ``problems``: a message for each, with the number of the
    line."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True)
class SiteConfig:
    """``wrapper``: the expressions; ``test_urls``: articles that the config is for; ``notes``: what
    is left out, with the numbers of the lines; ``left_out``: the names of the directives there."""

    wrapper: Wrapper
    test_urls: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass
class _Lines:
    """What the lines that were read so far give."""

    keep: list[str] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)
    fields: dict[str, list[str]] = field(default_factory=dict)
    test_urls: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_site_config(text: str, skip_bad_lines: bool = False) -> SiteConfig:
    """The site config that a text has.

    Raises ``BadSiteConfig`` for a line that is no directive, an unknown name, an expression that is
    no XPath for elements, and if there is no body.  With ``skip_bad_lines`` such lines are left out
    with a note, as Full-Text RSS does; only the body has to be there.

    >>> config = read_site_config("body: //article\\nstrip_id_or_class: 'advert'")
    >>> config.wrapper.keep, config.wrapper.drop
    (('//article',), ("//*[contains(@class,'advert') or contains(@id,'advert')]",))
    >>> read_site_config("body: //div[")
    Traceback (most recent call last):
    forest_scrapy.core.imports.ftr.BadSiteConfig: line 1: body: '//div[' is not an XPath: \
Invalid expression
    """
    lines = _Lines()
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        for problem in _read_line(line, f"line {number}", lines):
            message = f"line {number}: {problem}"
            if skip_bad_lines:
                lines.notes.append(message)
                lines.left_out.append(line.partition(":")[0])
            else:
                lines.problems.append(message)
    if not lines.keep and not lines.problems:
        lines.problems.append("no line names the article, such as body: //article")
    if lines.problems:
        raise BadSiteConfig(lines.problems)
    wrapper = Wrapper(
        method=METHOD,
        keep=tuple(lines.keep),
        drop=tuple(lines.drop),
        take="all",
        fields=FieldSources(
            title=tuple(lines.fields.get("title", ())),
            published=tuple(lines.fields.get("published", ())),
            authors=tuple(lines.fields.get("authors", ())),
        ),
    )
    return SiteConfig(
        wrapper,
        test_urls=tuple(lines.test_urls),
        notes=tuple(lines.notes),
        left_out=tuple(lines.left_out),
    )


def _read_line(line: str, place: str, lines: _Lines) -> Iterator[str]:
    """Read a line; what is wrong with it, if anything is."""
    directive = _DIRECTIVE.fullmatch(line)
    if directive is None:
        yield f"{line[:60]!r} is not NAME: VALUE, such as body: //article"
        return
    name = directive[1].lower()
    value = directive[3].strip()
    if name not in _NAMES:
        similar = get_close_matches(name, sorted(_NAMES), 1)
        hint = f"; did you mean {similar[0]}?" if similar else ""
        yield f"{name} is not a directive{hint}"
    elif name in _UNUSED:
        lines.notes.append(f"{place}: {name} is not used: {_UNUSED[name]}")
        lines.left_out.append(name)
    elif name in _IGNORED or not value:
        return
    elif name == "test_url":
        lines.test_urls.append(value)
    elif name in _FIELDS:
        yield from _read_field(name, value, place, lines)
    else:
        yield from _read_expression(name, value, lines)


def _read_expression(name: str, value: str, lines: _Lines) -> Iterator[str]:
    """Read what is kept or dropped."""
    text = value.replace("'", "").replace('"', "")
    if name.startswith("strip_") and not text.strip():
        yield f"{name}: {value} names nothing to drop"
        return
    if name == "strip_id_or_class":
        literal = _literal(text)
        value = f"//*[contains(@class,{literal}) or contains(@id,{literal})]"
    elif name == "strip_image_src":
        value = f"//img[contains(@src,{_literal(text)})]"
    problem = find_problem(value)
    if problem:
        yield f"{name}: {problem}"
    elif name == "body":
        lines.keep.append(value)
    else:
        lines.drop.append(value)


def _read_field(name: str, value: str, place: str, lines: _Lines) -> Iterator[str]:
    """Read the source of a field.  An expression that gives a text, which a field cannot use, is
    left out with a note."""
    meta = _META.fullmatch(value)
    source = f"meta:{meta[1] or meta[2]}" if meta else _END.sub("", value)
    problem = "" if meta else find_problem(source)
    if not problem:
        lines.fields.setdefault(_FIELDS[name], []).append(source)
    elif " gives " in problem or " finds attributes" in problem:
        lines.notes.append(f"{place}: {name} is not used: {problem}")
        lines.left_out.append(name)
    else:
        yield f"{name}: {problem}"
