"""The item of the spider ``form``."""

from dataclasses import dataclass, field


@dataclass
class FormRecord:
    """A record that was found behind a form.

    - ``url``: its own page, if it links to one with its title, else the page it was found on;
      ``found_on``: that page; ``position`` there, from 1.
    - ``title``; ``text``: all of its text, one line per block.
    - ``values``: its attributes, as objects with ``name``, ``value``, ``type`` and ``unit``.
    - ``form``: the URL that the form is sent to, without a query.
    - ``probe``: what the form was filled with when it was found first, by name of control.
    """

    url: str
    found_on: str = ""
    position: int = 0
    title: str = ""
    text: str = ""
    values: list[dict[str, str]] = field(default_factory=list)
    form: str = ""
    probe: dict[str, str] = field(default_factory=dict)
    fetched_at: str = ""
    type: str = "record"
