"""Forms that a script of their page sends: where to, if the address stands in the page.

Such a form has no address of its own.  Its script asks another one, mostly for JSON, with the
values of the controls.  Only scripts that read are followed: none that mentions a method other than
GET.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import parse_qsl, urljoin, urlsplit

from forest_scrapy.core.page.tree import Element

#: Scripts of a page that are read, and characters of them and of an address.
MAX_SCRIPTS = 50
MAX_SCRIPT_LENGTH = 200_000
MAX_ADDRESS_LENGTH = 300

_REQUESTS = re.compile(r"\bfetch\s*\(|XMLHttpRequest|\baxios\b|\$\.(?:get|ajax|getJSON)\b|getJSON")
_CHANGES = re.compile(
    r"""["'](?:post|put|patch|delete)["']|\.(?:post|put|patch|delete)\s*\(|sendBeacon""",
    re.IGNORECASE,
)
_SENDS = re.compile(r"submit|FormData", re.IGNORECASE)
#: Controls of a form whose names are looked for in scripts.
MAX_CONTROLS = 50
_LITERAL = re.compile(
    r"""(?P<before>[^\n"'`]{0,60})(?P<sign>["'`])(?P<text>(?:https?:/)?/[^"'`\s<>]{1,300})(?P=sign)"""
)
_ASKED = re.compile(
    r"(?:fetch|getJSON|\.get|\.open|\.ajax|URL|url)\s*+[(:]\s*+(?:[^(]{0,60},\s*+)?$"
)
_DATA_WORDS = re.compile(
    r"api|json|search|query|find|rest|ajax|data|lookup|results|/v\d", re.IGNORECASE
)
_ASSET = re.compile(r"\.(?:js|mjs|css|png|jpe?g|gif|svg|ico|woff2?|html?)$", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\$\{[^{}]*\}")
_ADDRESS_ATTRIBUTES = ("data-url", "data-api", "data-endpoint", "data-action", "data-src")


@dataclass(frozen=True)
class ScriptedAddress:
    """Where a script sends a form: the address without a query, the names of the parameters that
    it fills in, and those with a value that stays."""

    url: str
    names: tuple[str, ...] = ()
    fixed: tuple[tuple[str, str], ...] = ()


def find_scripted_address(root: Element, form: Element, url: str) -> ScriptedAddress | None:
    """Where a script sends a form that has no address; None if that is not told.

    Of the addresses in scripts that ask for something when a form is sent: one that is asked
    directly, then one whose words are of data.  Ties: the first.
    """
    action = (form.get("action") or "").strip()
    has_no_action = action in ("", "#") or action.lower().startswith("javascript:")
    is_get = (form.get("method") or "get").strip().lower() == "get"
    if not (has_no_action and is_get):
        return None
    for name in _ADDRESS_ATTRIBUTES:
        address = (form.get(name) or "").strip()
        if address and len(address) <= MAX_ADDRESS_LENGTH:
            return _read_address(address, url)

    ranked = []
    for number, (text, before) in enumerate(_find_literals(root, form)):
        try:
            path = urlsplit(_PLACEHOLDER.sub("", text)).path
        except ValueError:  # no address: "//["
            continue
        is_data = _DATA_WORDS.search(path) is not None
        is_asked = _ASKED.search(before) is not None
        if _ASSET.search(path) or not (is_data or is_asked):
            continue
        ranked.append((not is_asked, not is_data, number, text))
    if not ranked:
        return None
    _, _, _, text = min(ranked)
    return _read_address(text, url)


def _find_literals(root: Element, form: Element) -> Iterator[tuple[str, str]]:
    """The addresses in the scripts that may send a form, with what stands before each: those that
    wait for a form to be sent, or name this one or a control of it.  Most other scripts that ask
    for something count visits."""
    names = _names_in_scripts(form)
    remaining = MAX_SCRIPT_LENGTH
    for script in islice(root.iter("script"), MAX_SCRIPTS):
        text = (script.text or "")[: max(0, remaining)]
        remaining -= len(text)
        is_about_form = _SENDS.search(text) or (names is not None and names.search(text))
        if not is_about_form or not _REQUESTS.search(text) or _CHANGES.search(text):
            continue
        for match in _LITERAL.finditer(text):
            yield match["text"], match["before"]


def _names_in_scripts(form: Element) -> re.Pattern[str] | None:
    """How scripts write the ids of a form and its controls, and the names of these; None if they
    have none."""
    names: dict[str, None] = {}
    for element in islice(form.iter("form", "input", "select", "textarea", "button"), MAX_CONTROLS):
        for attribute in ("id", "name"):
            name = element.get(attribute) or ""
            if 0 < len(name) <= MAX_ADDRESS_LENGTH:
                names[name] = None
    return _pattern_of(names) if names else None


def _pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    any_name = "|".join(map(re.escape, names))
    return re.compile(
        rf"""["'`#](?:{any_name})(?![\w-])|\[name=["']?(?:{any_name})(?![\w-])"""
        rf"""|\b(?:{any_name})\.value\b"""
    )


def _read_address(text: str, url: str) -> ScriptedAddress | None:
    """The address of a text in a script, with its parameters."""
    address, _, query = text.partition("?")
    address = _PLACEHOLDER.sub("", address)
    query = _PLACEHOLDER.sub("", query)
    names = []
    fixed = []
    for name, value in parse_qsl(query, keep_blank_values=True):
        if value:
            fixed.append((name, value))
        else:
            names.append(name)
    try:
        joined = urljoin(url, address)
        urlsplit(joined)
    except ValueError:
        return None
    return ScriptedAddress(joined, tuple(names), tuple(fixed))
