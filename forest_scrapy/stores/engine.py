"""SQLAlchemy's engine for PostgreSQL, and what it takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import Engine, TextClause, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError

from forest_scrapy.stores.connection import Values
from forest_scrapy.stores.database import BadStore

__all__ = ["error_message", "make_engine", "make_statement", "named_values"]

#: Seconds until a server that does not answer counts as away.
_SECONDS = 10
#: Commits are not synced one by one: as with SQLite, they survive the death of a process, but the
#: last ones not that of the machine.
_OPTIONS = f"-c search_path=forest -c synchronous_commit=off -c statement_timeout={_SECONDS}s"
_CONNECT = {
    "options": _OPTIONS,
    "connect_timeout": _SECONDS,
    "tcp_user_timeout": 1000 * _SECONDS,
    "application_name": "forest-scrapy",
}


def make_engine(location: str) -> tuple[Engine, str]:
    """The engine, and its URI without the password.  Raises ``BadStore``."""
    try:
        url = make_url(location)
        if url.drivername == "postgresql":
            url = url.set(drivername="postgresql+psycopg")
        if url.drivername != "postgresql+psycopg":
            raise BadStore("a shared store is named postgresql+psycopg://USER@HOST/NAME")
        # Statements commit by themselves, except between BEGIN and COMMIT.
        engine = create_engine(url, isolation_level="AUTOCOMMIT", connect_args=_CONNECT)
    except (ArgumentError, ValueError):
        raise BadStore(
            "FOREST_STORE or FOREST_HISTORY is not a URI such as"
            " postgresql+psycopg://USER@HOST/NAME"
        ) from None
    except ImportError:
        raise BadStore(
            "a store in PostgreSQL needs pip install 'forest-scrapy[postgresql]'"
        ) from None
    return engine, url.render_as_string(hide_password=True)


@lru_cache(maxsize=256)
def make_statement(query: str) -> TextClause:
    """The query with a name for each ``?``.

    >>> print(make_statement("SELECT ? + ?"))
    SELECT :v0 + :v1
    """
    first, *others = query.split("?")
    return text(first + "".join(f":v{i}{part}" for i, part in enumerate(others)))


def named_values(values: Values) -> dict[str, Any]:
    """The values by name.  PostgreSQL stores no NUL in texts."""
    given = values if isinstance(values, Mapping) else {f"v{i}": v for i, v in enumerate(values)}
    return {
        name: value.replace("\0", "") if isinstance(value, str) else value
        for name, value in given.items()
    }


def error_message(error: Exception) -> str:
    """The first line of what the server or the driver says."""
    text = str(getattr(error, "orig", None) or error).strip()
    return text.split("\n")[0]
