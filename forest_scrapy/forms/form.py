"""Forms of a page: their controls, what these are called, and where pressing the button leads.

What a form is for is told by ``forms.purposes``.  Formasaurus is trained for that, but its
last release is of 2024, brings scikit-learn and SciPy, and takes a form with a number of a credit
card for one to search with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urljoin, urlsplit

from lxml.etree import iterwalk

from forest_scrapy.core.page.tree import Element
from forest_scrapy.forms.purposes import FormTexts, tell_purpose

#: Controls that take any text, by the type of an ``input``.
_TEXT_TYPES = frozenset("text search number date month week time year tel".split())
#: Buttons are pressed, not filled in.
_BUTTONS = frozenset("submit image button reset".split())
#: Forms, controls and options of a page that are read.
_MOST_FORMS, _MOST_CONTROLS, _MOST_OPTIONS = 50, 200, 500
#: Characters of the longest label.
_LONGEST_LABEL = 80

#: The types of an ``input`` that HTML knows.
_INPUT_TYPES = frozenset(
    "text search tel url email password date month week time datetime-local number range color"
    " checkbox radio file submit image reset button hidden".split()
)
#: Characters of the shortest name of a hidden field that may be made anew for each visit.
MIN_TOKEN_LENGTH = 16
#: Pieces of text that are read for a label, and nodes that are looked at for the text before a
#: control.
MAX_PIECES = 200
MAX_PIECE_LENGTH = 1000
MAX_NODES_BEFORE = 50
#: What HTML takes for spaces around an address.
_SPACES = " \t\n\f\r"


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

    ``number``: from 1, in the order of the page.  ``url`` and ``method`` (``GET``, ``POST`` or
    ``DIALOG``) are those of the request that pressing its first button sends, which may have its
    own.  ``purpose``: ``search`` if it is evidently for that, ``other`` if that cannot be told, or
    what it does else (see ``forms.purposes``).  ``hidden``: names and values that are sent as they
    are.  ``encoding``: of a form that is posted, as it says.
    """

    number: int
    url: str
    method: str
    purpose: str
    controls: tuple[Control, ...]
    hidden: tuple[tuple[str, str], ...] = ()
    title: str = ""
    encoding: str = ""

    @property
    def identity(self) -> tuple[object, ...]:
        """What is the same whenever the page is fetched: all but the values of hidden fields, the
        query of the address, and texts."""
        address = self.url.partition("?")[0].partition(";")[0]
        controls = tuple((control.name, control.kind) for control in self.controls)
        hidden = tuple(sorted(name for name, _ in self.hidden if not _is_token(name)))
        return self.number, address, self.method, controls, hidden

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
    elements = list(islice(root.iter("form"), _MOST_FORMS))
    if not elements:
        return []
    labels = _labels_for(root)
    return [_read_form(element, number, url, labels) for number, element in enumerate(elements, 1)]


def choose_form(forms: Sequence[Form]) -> Form | None:
    """The form to search with: of those that are evidently for searching the one with the fewest
    controls, which can do the least harm, and rather one that is sent with GET; None if there is
    none.  Ties: the first."""
    searches = [form for form in forms if form.purpose == "search"]
    return min(
        searches,
        key=lambda form: (form.method != "GET", len(form.controls), form.number),
        default=None,
    )


def form_element(root: Element, form: Form) -> Element:
    """The element of a form that was read from this tree."""
    return next(islice(root.iter("form"), form.number - 1, None))


def press_button(element: Element) -> Element | None:
    """The button that is pressed to send a form: its first one that can be; None if it has none."""
    for button in islice(element.iter("input", "button"), _MOST_CONTROLS):
        kind = (button.get("type") or "").strip().lower()
        is_input = button.tag == "input" and kind in ("submit", "image")
        is_button = button.tag == "button" and kind not in ("button", "reset")
        if (is_input or is_button) and button.get("disabled") is None:
            return button
    return None


def _read_form(element: Element, number: int, url: str, labels: Mapping[str, str]) -> Form:
    controls: dict[str, Control] = {}
    hidden: list[tuple[str, str]] = []
    types: set[str] = set()
    text_count = 0
    inner = islice(element.iter("input", "select", "textarea", "button"), _MOST_CONTROLS)
    for control in inner:
        name = control.get("name") or ""
        kind = _kind_of(control)
        completion = (control.get("autocomplete") or "").strip().lower()
        types.add("cc" if completion.startswith("cc-") else kind)
        if completion.endswith("-password") or completion == "one-time-code":
            types.add("password")
        if control.get("disabled") is not None:
            continue
        if kind in _TEXT_TYPES or kind == "textarea":
            text_count += 1
        if kind == "hidden" and name:
            hidden.append((name, control.get("value") or ""))
        elif name and kind not in (*_BUTTONS, "password", "file"):
            _add_control(controls, control, name, kind, labels)
    button = press_button(element)
    action = _action_of(element, button, url)
    method = _attribute(element, button, "formmethod", "method").upper()
    if method not in ("POST", "DIALOG"):
        method = "GET"
    fields = tuple(controls.values())
    title = _line(next(element.iter("legend", "h1", "h2", "h3", "caption"), None))
    texts = FormTexts(
        is_search_role=_is_search_role(element),
        types=frozenset(types),
        url=action,
        method=method,
        button=_button_texts(element, button),
        names=tuple(field.name for field in fields),
        labels=tuple(field.label for field in fields),
        hidden=tuple(hidden),
        title=title,
        marks=" ".join(element.get(name) or "" for name in _MARKS),
        text_count=text_count,
        has_fields=any(field.kind == "text" or field.options for field in fields),
    )
    encoding = _attribute(element, button, "formenctype", "enctype").lower()
    return Form(
        number=number,
        url=action.partition("#")[0],
        method=method,
        purpose=tell_purpose(texts),
        controls=fields,
        hidden=tuple(hidden),
        title=title,
        encoding=encoding if method == "POST" else "",
    )


#: The attributes of a form that name it.
_MARKS = ("id", "class", "name", "aria-label", "title")


def _kind_of(control: Element) -> str:
    """The type of an ``input``, else the name of the element; what HTML does not know is text."""
    if control.tag != "input":
        return str(control.tag)
    kind = (control.get("type") or "text").strip().lower()
    return kind if kind in _INPUT_TYPES else "text"


def _attribute(element: Element, button: Element | None, of_button: str, of_form: str) -> str:
    """An attribute of the form that its button may replace."""
    replaced = button.get(of_button) if button is not None else None
    return (replaced or element.get(of_form) or "").strip()


def _action_of(element: Element, button: Element | None, url: str) -> str:
    """Where pressing the button leads to; as it is written if that is no address."""
    action = _attribute(element, button, "formaction", "action").strip(_SPACES)
    try:
        joined = urljoin(url, action)
        urlsplit(joined)
    except ValueError:
        return action
    return joined


def _is_search_role(element: Element) -> bool:
    if (element.get("role") or "").strip().lower() == "search":
        return True
    parent = element.getparent()
    if parent is None:
        return False
    # That of a whole page says nothing of its forms.
    is_of_parent = (parent.get("role") or "").strip().lower() == "search"
    return parent.tag == "search" or is_of_parent


def _button_texts(element: Element, button: Element | None) -> str:
    """What the button that is pressed says and sends; without one, what that of a script says."""
    if button is None:
        buttons = islice(element.iter("button", "input"), _MOST_CONTROLS)
        scripted = (one for one in buttons if (one.get("type") or "").lower() == "button")
        button = next(scripted, None)
    if button is None:
        return ""
    attributes = ("name", "value", "aria-label", "title", "alt", "id")
    texts = [button.get(name) or "" for name in attributes]
    return " ".join([_line(button), *texts])


def _is_token(name: str) -> bool:
    """Whether the name of a hidden field is one that changes with each visit."""
    return len(name) >= MIN_TOKEN_LENGTH and any(letter.isdigit() for letter in name)


def _add_control(
    controls: dict[str, Control], element: Element, name: str, kind: str, labels: Mapping[str, str]
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


def _labels_for(root: Element) -> dict[str, str]:
    """The texts of the labels of a page by the id of their control."""
    labels: dict[str, str] = {}
    for label in islice(root.iter("label"), 10 * _MOST_CONTROLS):
        if (target := label.get("for")) and (text := _line(label)):
            labels.setdefault(target, text)
    return labels


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
    parts: list[str] = []
    inner = 0
    for event, element in islice(iterwalk(label, ("start", "end")), 2 * MAX_PIECES):
        is_control = element.tag in ("select", "textarea", "button")
        if event == "start":
            inner += is_control
            if not inner and isinstance(element.tag, str):
                parts.append(element.text or "")
        else:
            inner -= is_control
            if not inner and element is not label:
                parts.append(element.tail or "")
    return _clean(" ".join(parts))


def _text_before(element: Element) -> str:
    """The nearest text before a control, up to the form or to the control before."""
    left = MAX_NODES_BEFORE
    node: Element | None = element
    while node is not None and node.tag != "form" and left:
        before = node.getprevious()
        while before is not None and left:
            left -= 1
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
        parent = node.getparent()
        if parent is not None and (text := _clean(parent.text or "")):
            return text
        node = parent
    return ""


def _legend_of(element: Element) -> str:
    fieldset = next(element.iterancestors("fieldset", "form"), None)
    legend = next(fieldset.iter("legend"), None) if fieldset is not None else None
    return _line(legend)


def _line(element: Element | None) -> str:
    """The start of an element's text, on one line."""
    if element is None:
        return ""
    pieces = islice(element.itertext(with_tail=False), MAX_PIECES)
    return _clean(" ".join(piece[:MAX_PIECE_LENGTH] for piece in pieces))


def _clean(text: str) -> str:
    """A label on one line, without what ends it."""
    return " ".join(text[:MAX_PIECE_LENGTH].split()).strip(" :*-\u2013")[:_LONGEST_LABEL]
