"""Forms of a page: their controls, what these are called, and where pressing the button leads.

``forms.purposes`` tells what a form is for.  Formasaurus is trained for that, but its
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
from forest_scrapy.forms.scripted import ScriptedAddress, find_scripted_address

#: Controls that take any text, by the type of an ``input``.
_TEXT_TYPES = frozenset("text search number date month week time year tel".split())
#: Buttons are pressed, not filled in.
_BUTTONS = frozenset("submit image button reset".split())
#: Forms of a page, controls of a form, and options of a control that are read.
MAX_FORMS = 50
MAX_CONTROLS = 200
MAX_OPTIONS = 500
#: Labels of a page that are read.
MAX_LABELS = 10 * MAX_CONTROLS
#: Characters of the longest label.
MAX_LABEL_LENGTH = 80

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
    values and the texts that readers see, without those that stand for "any".  ``type``: ``number``
    or ``date`` if it takes nothing else.
    """

    name: str
    kind: str
    label: str = ""
    value: str = ""
    options: tuple[tuple[str, str], ...] = ()
    type: str = ""


@dataclass(frozen=True)
class Form:
    """A form of a page.

    - ``number``: from 1, in the order of the page.
    - ``url``, ``method`` (``GET``, ``POST`` or ``DIALOG``): of the request that pressing its first
      button sends; a button may replace those of the form.
    - ``purpose``: ``search`` if the form is evidently for that, ``other`` if its purpose cannot be
      told, else one of the others of ``forms.purposes``.
    - ``hidden``: names and values that are sent as they are.
    - ``encoding``: the declared one of a form that is posted.
    - ``is_scripted``: whether a script sends it; ``url`` is then the address that this asks.
    """

    number: int
    url: str
    method: str
    purpose: str
    controls: tuple[Control, ...]
    hidden: tuple[tuple[str, str], ...] = ()
    title: str = ""
    encoding: str = ""
    is_scripted: bool = False

    @property
    def identity(self) -> tuple[object, ...]:
        """What is the same whenever the page is fetched: all but the values of hidden fields, the
        query of the address, and texts."""
        address, _, _ = self.url.partition("?")
        address, _, _ = address.partition(";")
        controls = tuple((control.name, control.kind) for control in self.controls)
        hidden_names = sorted(name for name, _ in self.hidden if not _is_token(name))
        return self.number, address, self.method, controls, tuple(hidden_names)

    @property
    def texts(self) -> tuple[Control, ...]:
        """The controls that take any text."""
        return tuple(control for control in self.controls if control.kind == "text")

    @property
    def choices(self) -> tuple[Control, ...]:
        """The controls with values to choose from."""
        return tuple(
            control for control in self.controls if control.kind == "choice" and control.options
        )

    def describe(self) -> str:
        """The form on one line."""
        names = [f"{control.label or control.name} ({control.kind})" for control in self.controls]
        controls = ", ".join(names) or "none"
        return f"form {self.number}: {self.purpose}, {self.method} {self.url}: {controls}"


def read_forms(root: Element, url: str) -> list[Form]:
    """The forms of a page in its order, the first 50.  ``url``: the base of the page's URLs.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> html = "<form action=/find><label>Title <input name=t></label><input type=submit></form>"
    >>> (form,) = read_forms(parse_html(html), "https://a.example/")
    >>> form.purpose, form.url, form.texts[0].label
    ('search', 'https://a.example/find', 'Title')
    """
    elements = list(islice(root.iter("form"), MAX_FORMS))
    if not elements:
        return []
    labels = _labels_for(root)
    forms = []
    for number, element in enumerate(elements, 1):
        scripted = find_scripted_address(root, element, url)
        forms.append(_read_form(element, number, url, labels, scripted))
    return forms


def choose_form(forms: Sequence[Form]) -> Form | None:
    """The form to search with; None if there is none.

    Of the forms that are evidently for searching: those that are sent with GET first, then the one
    with the fewest controls, which can do the least harm.  Ties: the first."""
    search_forms = [form for form in forms if form.purpose == "search"]
    return min(
        search_forms,
        key=lambda form: (form.method != "GET", len(form.controls), form.number),
        default=None,
    )


def form_element(root: Element, form: Form) -> Element:
    """The element of a form that was read from this tree."""
    return next(islice(root.iter("form"), form.number - 1, None))


def press_button(element: Element) -> Element | None:
    """The button that is pressed to send a form: its first one that can be; None if it has none."""
    for button in islice(element.iter("input", "button"), MAX_CONTROLS):
        kind = (button.get("type") or "").strip().lower()
        if button.tag == "input":
            sends = kind in ("submit", "image")
        else:
            sends = kind not in ("button", "reset")
        is_disabled = button.get("disabled") is not None
        if sends and not is_disabled:
            return button
    return None


def _read_form(
    element: Element,
    number: int,
    url: str,
    labels: Mapping[str, str],
    scripted: ScriptedAddress | None,
) -> Form:
    parameters = {} if scripted is None else _parameters(element, scripted)
    controls: dict[str, Control] = {}
    hidden: list[tuple[str, str]] = []
    types: set[str] = set()
    text_count = 0
    control_elements = element.iter("input", "select", "textarea", "button")
    for control in islice(control_elements, MAX_CONTROLS):
        name = parameters.get(control) or control.get("name") or ""
        kind = _kind_of(control)
        completion = (control.get("autocomplete") or "").strip().lower()
        types.add("cc" if completion.startswith("cc-") else kind)
        if completion.endswith("-password") or completion == "one-time-code":
            types.add("password")

        if control.get("disabled") is not None:
            continue
        if kind in _TEXT_TYPES or kind == "textarea":
            text_count += 1
        if not name:
            continue
        if kind == "hidden":
            hidden.append((name, control.get("value") or ""))
        elif kind not in (*_BUTTONS, "password", "file"):
            _add_control(controls, control, name, kind, labels)

    button = press_button(element)
    action = _action_of(element, button, url)
    if scripted is not None:
        action = scripted.url
        hidden.extend(scripted.fixed)
    method = _attribute(element, button, "formmethod", "method").upper()
    if method not in ("POST", "DIALOG"):
        method = "GET"
    encoding = ""
    if method == "POST":
        encoding = _attribute(element, button, "formenctype", "enctype").lower()

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
    address, _, _ = action.partition("#")
    return Form(
        number=number,
        url=address,
        method=method,
        purpose=tell_purpose(texts),
        controls=fields,
        hidden=tuple(hidden),
        title=title,
        encoding=encoding,
        is_scripted=scripted is not None,
    )


def _parameters(element: Element, scripted: ScriptedAddress) -> dict[Element, str]:
    """The parameters that a script sends for the controls: those that its address names, in their
    order, if these are not the names of the controls; else the names or ids of these."""
    controls = []
    for control in islice(element.iter("input", "select", "textarea"), MAX_CONTROLS):
        if _kind_of(control) not in (*_BUTTONS, "hidden"):
            controls.append(control)
    names = [control.get("name") or control.get("id") or "" for control in controls]
    if not set(scripted.names) <= set(names):
        names[: len(scripted.names)] = scripted.names
    return dict(zip(controls, names, strict=False))


#: The attributes of a form that name it.
_MARKS = ("id", "class", "name", "aria-label", "title")


def _kind_of(control: Element) -> str:
    """The type of an ``input``, else the name of the element; what HTML does not know is text."""
    if control.tag != "input":
        return str(control.tag)
    kind = (control.get("type") or "text").strip().lower()
    return kind if kind in _INPUT_TYPES else "text"


def _attribute(
    element: Element,
    button: Element | None,
    of_button: str,
    of_form: str,
) -> str:
    """An attribute of the form that its button may replace."""
    if button is not None and (value := button.get(of_button)):
        return value.strip()
    return (element.get(of_form) or "").strip()


def _action_of(
    element: Element,
    button: Element | None,
    url: str,
) -> str:
    """The address that pressing the button leads to; as it is written if it is no address."""
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
    # Only the parent: the role of a whole page says nothing of its forms.
    parent_role = (parent.get("role") or "").strip().lower()
    return parent.tag == "search" or parent_role == "search"


def _button_texts(element: Element, button: Element | None) -> str:
    """The texts of the button that is pressed, and what it sends; of a form that a script sends,
    those of its first button."""
    if button is None:
        button = _scripted_button(element)
    if button is None:
        return ""
    texts = [_line(button)]
    for name in ("name", "value", "aria-label", "title", "alt", "id"):
        texts.append(button.get(name) or "")
    return " ".join(texts)


def _scripted_button(element: Element) -> Element | None:
    """The first button of a form that only a script acts on."""
    for button in islice(element.iter("button", "input"), MAX_CONTROLS):
        if (button.get("type") or "").lower() == "button":
            return button
    return None


def _is_token(name: str) -> bool:
    """Whether the name of a hidden field is one that changes with each visit."""
    return len(name) >= MIN_TOKEN_LENGTH and any(letter.isdigit() for letter in name)


def _add_control(
    controls: dict[str, Control],
    element: Element,
    name: str,
    kind: str,
    labels: Mapping[str, str],
) -> None:
    """Add a control to those of the form; radio buttons of one name are one control."""
    label = labels.get(element.get("id") or "\0") or _label_of(element)
    if kind == "select":
        options = tuple(_options(element))
        value = ""
        for option in element.iter("option"):
            if option.get("selected") is not None:
                value = option.get("value") or ""
                break
        controls[name] = Control(name, "choice", label, value, options)
    elif kind == "radio":
        before = controls.get(name) or Control(name, "choice", _legend_of(element))
        value = element.get("value") or "on"
        is_checked = element.get("checked") is not None
        options = (*before.options, (value, label))
        controls[name] = Control(
            name=name,
            kind="choice",
            label=before.label,
            value=value if is_checked else before.value,
            options=options[:MAX_OPTIONS],
        )
    elif kind == "checkbox":
        value = element.get("value") or "on"
        controls.setdefault(name, Control(name, "check", label, value))
    elif kind in _TEXT_TYPES or kind == "textarea":
        value = element.get("value") or ""
        type_ = kind if kind in ("number", "date") else ""
        controls.setdefault(name, Control(name, "text", label, value, type=type_))


#: The texts of options that stand for all values.
_ANY = re.compile(
    r"\W*+(?:(?:(?:any|all|alle|alles|tous|toutes|todos|todas|tutti|tutte|choose|select|please|bitte|"
    r"everything|egal|none|no preference)\b|(?<=-)(?=\w)).*)?",
    re.IGNORECASE,
)


def _options(select: Element) -> Iterator[tuple[str, str]]:
    """The values and texts of the options, without those that stand for all values."""
    for option in islice(select.iter("option"), MAX_OPTIONS):
        text = _line(option)
        value = option.get("value")
        value = text if value is None else value.strip()
        if value and not _ANY.fullmatch(text):
            yield value, text


def _labels_for(root: Element) -> dict[str, str]:
    """The texts of the labels of a page by the id of their control."""
    labels: dict[str, str] = {}
    for label in islice(root.iter("label"), MAX_LABELS):
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
    control_depth = 0
    for event, element in islice(iterwalk(label, ("start", "end")), 2 * MAX_PIECES):
        is_control = element.tag in ("select", "textarea", "button")
        if event == "start":
            control_depth += is_control
            if not control_depth and isinstance(element.tag, str):
                parts.append(element.text or "")
        else:
            control_depth -= is_control
            if not control_depth and element is not label:
                parts.append(element.tail or "")
    return _clean(" ".join(parts))


def _text_before(element: Element) -> str:
    """The nearest text before a control, up to the form or to the control before."""
    remaining_nodes = MAX_NODES_BEFORE
    node: Element | None = element
    while node is not None and node.tag != "form" and remaining_nodes:
        before = node.getprevious()
        while before is not None and remaining_nodes:
            remaining_nodes -= 1
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
    if fieldset is None:
        return ""
    return _line(next(fieldset.iter("legend"), None))


def _line(element: Element | None) -> str:
    """The start of an element's text, on one line."""
    if element is None:
        return ""
    pieces = islice(element.itertext(with_tail=False), MAX_PIECES)
    return _clean(" ".join(piece[:MAX_PIECE_LENGTH] for piece in pieces))


def _clean(text: str) -> str:
    """A label on one line, without the marks around it."""
    line = " ".join(text[:MAX_PIECE_LENGTH].split())
    return line.strip(" :*-\u2013")[:MAX_LABEL_LENGTH]
