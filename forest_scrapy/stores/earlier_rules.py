"""Rules in the tables of earlier versions, where each part had a table of its own."""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from forest_scrapy.core import BadRules, TemplateRules
from forest_scrapy.core.codec import read_object
from forest_scrapy.stores.database import BadStore, Database, Row, StoreAway, StoreFailed

logger = logging.getLogger(__name__)

#: The tables with one row for each template, and the column that has the part.
_PARTS = {"wrapper_fits": "fit", "record_wrappers": "wrapper", "comment_rules": "wrapper"}
#: How SQLite and PostgreSQL say that there is no such table.
_MISSING = ("no such table", "does not exist")
_TABLES = ("wrappers", "wrapper_versions", *_PARTS)


def move_earlier_rules(database: Database, location: str) -> None:
    """Move what the tables of earlier versions have into those of today, in one transaction, and
    drop them.  Rules that cannot be read stay as they are, and are named when they are loaded.
    Raises ``BadStore`` if there are such tables and they cannot be read, or not be written."""
    try:
        found = {table: rows for table in _TABLES if (rows := _read(database, table)) is not None}
        if not found:
            return
        database.write(lambda: _move(database, found))
    except StoreAway:
        raise
    except StoreFailed as error:
        raise BadStore(
            f"{location}: it has wrappers of an earlier version, which have to be moved to other "
            f"tables; make the store writable, or name another one ({error})"
        ) from error
    if moved := len(found.get("wrappers", ())):
        logger.info("%s: moved %d wrappers of an earlier version", location, moved)


def _read(database: Database, table: str) -> Sequence[Row] | None:
    """The rows of a table; None if there is none."""
    try:
        return database.rows(f"SELECT * FROM {table}")
    except StoreFailed as error:
        if any(words in str(error) for words in _MISSING):
            return None
        raise


def _move(database: Database, found: Mapping[str, Sequence[Row]]) -> None:
    parts = {
        table: {_key(row): row[column] for row in found.get(table, ())}
        for table, column in _PARTS.items()
    }
    records, comments = parts["record_wrappers"], parts["comment_rules"]
    for row in found.get("wrappers", ()):
        key = _key(row)
        rules = _read_rules(row["wrapper"], records.get(key), comments.get(key))
        fit = parts["wrapper_fits"].get(key, "")
        database.execute(
            "INSERT INTO template_rules VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (*key, rules, fit),
        )
    for row in found.get("wrapper_versions", ()):
        key = _key(row)
        rules = _read_rules(row["wrapper"], records.get(key), comments.get(key), is_version=True)
        database.execute(
            "INSERT INTO rules_versions VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (*key, row["version"], rules, row["saved_at"], row["reason"]),
        )
    for table in found:  # another crawl that opens the store may have done the same
        database.execute(f"DROP TABLE IF EXISTS {table}")


def _read_rules(
    wrapper: str, records: str | None, comments: str | None, is_version: bool = False
) -> str:
    """The text of ``TemplateRules`` for the parts as earlier versions wrote them; if they cannot be
    read, the wrapper as it is, or all parts in one object."""
    try:
        rules = _convert(read_object(wrapper), records, comments, is_version)
        return TemplateRules.from_dict(rules).dumps()
    except (KeyError, TypeError, AttributeError, BadRules):
        if records is None and comments is None:
            return wrapper
        return json.dumps({"wrapper": wrapper, "records": records, "comments": comments})


def _key(row: Row) -> tuple[str, str, str]:
    return row["host"], row["template"], row["distance"]


def _convert(
    wrapper: Mapping[str, Any], records: str | None, comments: str | None, is_version: bool
) -> dict[str, Any]:
    """The JSON object of ``TemplateRules``."""
    evidence = wrapper.get("evidence", {})
    rules: dict[str, Any] = {
        "format": 3,
        "cut": [evidence.get("cut", 0.0), evidence.get("cut_reason", "")],
    }
    if text_at := evidence.get("text_at"):
        rules["text_at"] = text_at
    if wrapper["method"] != "records":
        rules["article"] = _without_format(wrapper)
    if records:
        rules["records"] = _convert_records(read_object(records))
        if is_version and wrapper["method"] == "records":
            _set_expressions(rules["records"], wrapper["keep"])
    if comments and (found := read_object(comments)["rules"]):
        rules["comments"] = found[0]
    return rules


def _convert_records(records: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in records.items() if name != "format"}
    if given.get("page"):
        given["page"] = _without_format(given["page"])
    return given


def _set_expressions(records: dict[str, Any], keep: Sequence[str]) -> None:
    """Give the records of a version its expressions; of earlier ones nothing else was stored."""
    if [one["record"] for one in records["rules"]] != keep:
        records["rules"] = [{"record": xpath} for xpath in keep]


def _without_format(wrapper: Mapping[str, Any]) -> dict[str, Any]:
    """A wrapper without its format, and without the cut in its evidence."""
    if wrapper.get("format") != 2:
        raise BadRules(f"format {wrapper.get('format')!r} is not known")
    given = {name: value for name, value in wrapper.items() if name != "format"}
    evidence = given.get("evidence", {})
    return {
        **given,
        "evidence": {name: evidence[name] for name in evidence.keys() - {"cut", "cut_reason"}},
    }
