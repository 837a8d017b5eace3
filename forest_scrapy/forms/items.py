"""The item of the spider ``form``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, ClassVar

from forest_scrapy.forms.answers import AnswerRecord
from forest_scrapy.forms.form import Form


@dataclass
class FormRecord:
    """A record that was found behind a form.

    - ``url``: its own page, if it links to one with its title or has no other link, else
      ``found_on``, the page it was found on; ``position`` there, from 1.
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

    #: The fields that tell records apart: one form can have the same URL for all answers.
    identity: ClassVar[tuple[str, ...]] = ("found_on", "position", "text")
    #: The table of records in a database.
    export_table: ClassVar[str] = "records"

    def to_row(self) -> dict[str, Any]:
        """The fields, and each attribute under its name, as columns of a table; after ``values.``
        if a field has that name, in which most databases ignore upper and lower case.

        >>> values = [{"name": "Year", "value": "1603"}, {"name": "Title", "value": "Othello"}]
        >>> list(FormRecord("https://a.example/", values=values).to_row())[-3:]
        ['type', 'Year', 'values.Title']
        """
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        used = set(row)
        for value in self.values:
            name = value["name"]
            column = f"values.{name}" if name.lower() in used else name
            if column.lower() not in used:
                used.add(column.lower())
                row[column] = value["value"]
        return row

    @classmethod
    def of(
        cls,
        answer_record: AnswerRecord,
        page_url: str,
        form: Form,
        filling: Iterable[tuple[str, str]],
    ) -> FormRecord:
        """The item of a record that was found now; ``filling``: names of controls and values."""
        record = answer_record.record
        values = []
        for name, value in zip(answer_record.values, record.values, strict=False):
            values.append(
                {
                    "name": name,
                    "value": value.text,
                    "type": value.type,
                    "unit": value.unit,
                }
            )
        form_url, _, _ = form.url.partition("?")
        return cls(
            url=answer_record.url or page_url,
            found_on=page_url,
            position=record.position,
            title=answer_record.title,
            text=record.text or _text_of(values),
            values=values,
            form=form_url,
            probe=dict(filling),
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )


def _text_of(values: Iterable[Mapping[str, str]]) -> str:
    """The values as text, one on each line, without addresses, which nobody reads there."""
    texts = []
    for value in values:
        if value["type"] not in ("url", "image"):
            texts.append(value["value"])
    return "\n".join(texts)


def identity(item: Mapping[str, object]) -> tuple[str, ...]:
    """What an item, or its line in an export, is recognised by."""
    return tuple(str(item.get(name, "")) for name in FormRecord.identity)
