"""Pages of HTML that stand alone, by the templates of reports and of the health digest."""

import re
from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache, partial
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from forest_scrapy.core.codec import to_json
from forest_scrapy.core.plurals import count
from forest_scrapy.output_files import replacing

#: A predicate of attributes that an element does not have.
_NEGATION = re.compile(r"\[not\(@[\w-]+(?: or @[\w-]+)*+\)\]")


def write_page(
    path: Path,
    template: str,
    values: Mapping[str, Any],
) -> None:
    """Write one page in the style of a report.  Raises ``OSError``."""
    body = render_page(template, values)
    with replacing(path, is_synced=False) as part:
        part.write(body)


def render_page(template: str, values: Mapping[str, Any], saves: bool = False) -> bytes:
    """The page in UTF-8.  ``saves``: whether it can post what its reader edits."""
    text = _environment().get_template(template).render({**values, "saves": saves})
    return text.encode("utf-8", "replace")


@cache
def _environment() -> Environment:
    """The templates, which escape everything; the script is allowed by its digest."""
    environment = Environment(
        loader=PackageLoader("forest_scrapy.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    folder = resources.files("forest_scrapy.report") / "templates"
    script = (folder / "report.js").read_text(encoding="utf-8")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    environment.globals |= {
        "script": Markup(script),
        "style": Markup((folder / "report.css").read_text(encoding="utf-8")),
        "count": count,
        "policy": f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'",
    }
    environment.filters |= {
        "share": partial(_format, "{:.0%}"),
        "f1": partial(_format, "{:.2f}"),
        "moment": _moment,
        "without_negations": _without_negations,
        "web_url": _web_url,
        "to_json": to_json,
    }
    return environment


def _format(pattern: str, value: float | None) -> str:
    """
    >>> _format("{:.0%}", 0.987), _format("{:.2f}", None)
    ('99%', '')
    """
    if value is None:
        return ""
    return pattern.format(value)


def _moment(seconds: int | None) -> str:
    """
    >>> _moment(0), _moment(None)
    ('1970-01-01 00:00', '')
    """
    return "" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"


def _without_negations(xpath: str) -> str:
    """An XPath as people read it, without the attributes that an element may not have.

    >>> _without_negations("//article[@class='a'][not(@id or @role)]/p[not(@class)]")
    "//article[@class='a']/p"
    """
    return _NEGATION.sub("", xpath)


def _web_url(url: str) -> str:
    """The URL if it is safe to link to, else ``""``.

    >>> _web_url("https://a.example/"), _web_url("javascript:x()")
    ('https://a.example/', '')
    """
    if url.startswith(("http://", "https://")):
        return url
    return ""
