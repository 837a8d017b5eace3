"""Forms of a page: their controls, what these are called, and what the form is for.

Kinds of forms are told by their own controls and words.  Formasaurus is trained for that, but its
last release is of 2024, brings scikit-learn and SciPy, and takes a form with a number of a credit
card for one to search with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import absolute_url

#: Controls that take any text, by the type of an ``input``.
_TEXT_TYPES = frozenset("text search number date month week time year tel".split())
#: Buttons are pressed, not filled in.
_BUTTONS = frozenset("submit image button reset".split())
#: Forms, controls and options of a page that are read.
_MOST_FORMS, _MOST_CONTROLS, _MOST_OPTIONS = 50, 200, 500
#: Characters of the longest label.
_LONGEST_LABEL = 80

#: The words of forms that are never sent, by what these are for; in names, ids, labels, actions
#: and the texts of buttons.  A form with a control of these types is none for searching either.
_REFUSED = {
    "login": r"log[ _-]?[io]n|sign[ _-]?in|anmelden|einloggen|connexion|iniciar sesi|accedi",
    "registration": r"regist(?:er|rier|ration)|sign[ _-]?up|create account|inscri(?:re|ption|vez)",
    "newsletter": r"newsletter|subscri(?:be|ption)|abonnier|mailing[ _-]?list",
    "payment": r"payment|checkout|credit[ _-]?card|\bcvv\b|donat(?:e|ion)|spende|\bcart\b|basket",
    "comment": r"comment|kommentar|repl(?:y|ies)\b|leave a",
    "contact": r"contact|feedback|kontakt|your message|message us",
}
_REFUSED_WORDS = {name: re.compile(words, re.IGNORECASE) for name, words in _REFUSED.items()}
_SEARCH_WORDS = re.compile(
    r"search|such(?:e|en)\b|recherch|busca|buscar|cerca|ricerca|zoek|s[øö]k|szuk|hled|find|filter|"
    r"query|catalog|browse|\bq\b|поиск|искать|検索|搜索|查询|ara\b|بحث",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Control:
    """A control of a form that can be filled in.

    ``kind``: ``text``, ``choice`` (a drop-down or radio buttons) or ``check``.  ``label``: what the
    page calls it, ``""`` if it does not.  ``value``: its default.  ``options``: of a choice, the
    values and the texts that readers see, without those that stand for "any".
    """

    name: str
    kind: str
    label: str = ""
    value: str = ""
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Form:
    """A form of a page.

    ``number``: from 1, in the order of the page.  ``url``: where it is sent to; ``method``:
    ``GET`` or ``POST``.  ``purpose``: ``search``, or what it is for else: one of ``login``,
    ``registration``, ``newsletter``, ``payment``, ``comment``, ``contact``, ``upload``, ``other``.
    ``hidden``: names and values that are sent as they are.
    """

    number: int
    url: str
    method: str
    purpose: str
    controls: tuple[Control, ...]
    hidden: tuple[tuple[str, str], ...] = ()
    title: str = ""

    @property
    def texts(self) -> tuple[Control, ...]:
        """The controls that take any text."""
        return tuple(one for one in self.controls if one.kind == "text")

    @property
    def choices(self) -> tuple[Control, ...]:
        """The controls with values to choose from."""
        return tuple(one for one in self.controls if one.kind == "choice" and one.options)

    def describe(self) -> str:
        """The form on one line."""
        controls = ", ".join(f"{one.label or one.name} ({one.kind})" for one in self.controls)
        return f"form {self.number}: {self.purpose}, {self.method} {self.url}: {controls or 'none'}"


def read_forms(root: Element, url: str) -> list[Form]:
    """The forms of a page in its order, the first 50.  ``url``: the base of the page's URLs.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> html = "<form action=/find><label>Title <input name=t></label><input type=submit></form>"
    >>> (form,) = read_forms(parse_html(html), "https://a.example/")
    >>> form.purpose, form.url, form.texts[0].label
    ('search', 'https://a.example/find', 'Title')
    """
    elements = islice(root.iter("form"), _MOST_FORMS)
    return [_read_form(element, number, url) for number, element in enumerate(elements, 1)]


def choose_form(forms: Sequence[Form]) -> Form | None:
    """The form to search with: of those for searching the one with the most controls, since that
    of the page's head has only one; None if there is none.  Ties: the first."""
    found = [form for form in forms if form.purpose == "search"]
    return max(found, key=lambda form: (len(form.controls), -form.number), default=None)


def form_element(root: Element, form: Form) -> Element:
    """The element of a form that was read from this tree."""
    return next(islice(root.iter("form"), form.number - 1, None))


def _read_form(element: Element, number: int, url: str) -> Form:
    labels = _labels_for(element)
    controls, hidden, types = dict[str, Control](), list[tuple[str, str]](), set[str]()
    inner = islice(element.iter("input", "select", "textarea", "button"), _MOST_CONTROLS)
    for one in inner:
        name = one.get("name") or ""
        kind = (one.get("type") or "text").lower() if one.tag == "input" else str(one.tag)
        types.add("cc" if (one.get("autocomplete") or "").startswith("cc-") else kind)
        if kind == "hidden" and name:
            hidden.append((name, one.get("value") or ""))
        elif name and one.get("disabled") is None and kind not in (*_BUTTONS, "password", "file"):
            _add_control(controls, one, name, kind, labels)
    given = (element.get("action") or "").strip()
    action = absolute_url(given, url) or given if given else url
    method = "POST" if (element.get("method") or "").strip().upper() == "POST" else "GET"
    found = tuple(controls.values())
    purpose = _tell_purpose(element, action, method, types, found)
    title = _line(next(element.iter("legend", "h1", "h2", "h3", "caption"), None))
    return Form(number, action.partition("#")[0], method, purpose, found, tuple(hidden), title)


def _add_control(
    controls: dict[str, Control], element: Element, name: str, kind: str, labels: dict[str, str]
) -> None:
    label = labels.get(element.get("id") or "\0") or _label_of(element)
    if kind == "select":
        options = tuple(_options(element))
        chosen = next((o for o in element.iter("option") if o.get("selected") is not None), None)
        value = chosen.get("value") or "" if chosen is not None else ""
        controls[name] = Control(name, "choice", label, value, options)
    elif kind == "radio":
        before = controls.get(name, Control(name, "choice", _legend_of(element)))
        option = (element.get("value") or "on", label)
        value = option[0] if element.get("checked") is not None else before.value
        options = (*before.options, option) if option[0] else before.options
        controls[name] = Control(name, "choice", before.label, value, options[:_MOST_OPTIONS])
    elif kind == "checkbox":
        controls.setdefault(name, Control(name, "check", label, element.get("value") or "on"))
    elif kind in _TEXT_TYPES or kind == "textarea":
        controls.setdefault(name, Control(name, "text", label, element.get("value") or ""))


#: The texts of options that stand for all values.
_ANY = re.compile(
    r"\W*(?:any|all|alle|alles|tous|toutes|todos|todas|tutti|tutte|choose|select|please|bitte|"
    r"everything|egal|none|no preference|-+)\b.*|\W*",
    re.IGNORECASE,
)


def _options(select: Element) -> Iterator[tuple[str, str]]:
    """The values and texts of the options that are one of the values."""
    for option in islice(select.iter("option"), _MOST_OPTIONS):
        text = _line(option)
        value = option.get("value")
        value = text if value is None else value.strip()
        if value and not _ANY.fullmatch(text):
            yield value, text


def _labels_for(form: Element) -> dict[str, str]:
    """The texts of labels by the id of their control; also of labels outside of the form."""
    root = form.getroottree().getroot()
    found: dict[str, str] = {}
    for label in islice(root.iter("label"), 10 * _MOST_CONTROLS):
        if (target := label.get("for")) and (text := _line(label)):
            found.setdefault(target, text)
    return found


def _label_of(element: Element) -> str:
    """The label of a control: that around it, what its attributes say, the head of its row or of
    its column, or the text before it."""
    around = next(element.iterancestors("label", "form"), None)
    if around is not None and around.tag == "label" and (text := _text_beside(around)):
        return text
    for name in ("aria-label", "placeholder", "title"):
        if text := _clean(element.get(name) or ""):
            return text
    return _text_before(element)


def _text_beside(label: Element) -> str:
    """The text of a label without that of the controls in it."""
    parts = [label.text or ""]
    for child in label.iter():
        if child is not label:
            inside = any(one.tag == "select" for one in (child, *child.iterancestors("select")))
            parts += [] if inside or not isinstance(child.tag, str) else [child.text or ""]
            parts += [] if child.tag == "option" else [child.tail or ""]
    return _clean(" ".join(parts))


def _text_before(element: Element) -> str:
    """The nearest text before a control, up to the form or to the control before."""
    one: Element | None = element
    while one is not None and one.tag != "form":
        before = one.getprevious()
        while before is not None:
            if text := _clean(before.tail or ""):
                return text
            if not isinstance(before.tag, str):
                before = before.getprevious()
                continue
            if next(before.iter("input", "select", "textarea"), None) is not None:
                return ""
            if text := _line(before):
                return text
            before = before.getprevious()
        parent = one.getparent()
        if parent is not None and (text := _clean(parent.text or "")):
            return text
        one = parent
    return ""


def _legend_of(element: Element) -> str:
    fieldset = next(element.iterancestors("fieldset", "form"), None)
    legend = next(fieldset.iter("legend"), None) if fieldset is not None else None
    return _line(legend)


def _line(element: Element | None) -> str:
    return "" if element is None else _clean(block_text(element))


def _clean(text: str) -> str:
    """A label on one line, without what ends it."""
    return " ".join(text.split()).strip(" :*-\u2013")[:_LONGEST_LABEL]


def _tell_purpose(
    element: Element, action: str, method: str, types: set[str], controls: Sequence[Control]
) -> str:
    """What a form is for, by its controls and by its words."""
    if "password" in types:
        return "login"
    if "cc" in types:
        return "payment"
    if "file" in types:
        return "upload"
    words = " ".join(_words_of(element, action, controls))
    is_search = element.get("role") == "search" or _SEARCH_WORDS.search(words) is not None
    refused = next((name for name, own in _REFUSED_WORDS.items() if own.search(words)), "")
    if "textarea" in types or "email" in types:
        return refused or ("contact" if "textarea" in types else "newsletter")
    if refused and (method == "POST" or not is_search):
        return refused
    can_search = any(one.kind == "text" or one.options for one in controls)
    return "search" if can_search and (is_search or method == "GET") else "other"


def _words_of(element: Element, action: str, controls: Iterable[Control]) -> Iterator[str]:
    """Names, ids, labels and the texts of buttons; words in CamelCase are divided."""
    yield re.sub(r"(?<=[a-z])(?=[A-Z])", " ", action.rpartition("/")[2])
    yield f"{element.get('id') or ''} {element.get('class') or ''} {element.get('name') or ''}"
    for one in controls:
        yield f"{one.name} {one.label}"
    for button in islice(element.iter("button", "input"), _MOST_CONTROLS):
        if button.tag == "button" or (button.get("type") or "").lower() in _BUTTONS:
            yield f"{button.get('value') or ''} {_line(button)} {button.get('aria-label') or ''}"
