"""Wrappers written for other tools: pure functions from a wrapper to a text.

Each format is one module with a function ``write_...(wrapper, origin) -> str``.  Only the
expressions are exported.  Other tools keep what ``Wrapper.apply`` leaves out for other reasons:
blocks unknown to the template that the classifier rejects, hidden elements, other articles of the
page, and captions.
"""

import json
from collections.abc import Callable

from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.exports.origin import Origin
from forest_scrapy.core.exports.page_object import write_page_object
from forest_scrapy.core.exports.parsel_module import write_module
from forest_scrapy.core.exports.product_object import write_product_object
from forest_scrapy.core.exports.readers import write_freshrss, write_ftr, write_opml
from forest_scrapy.core.rules import TemplateRules
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["FORMATS", "NothingToExport", "Origin", "export_records", "export_wrapper"]


class NothingToExport(ForestError):
    """The wrapper has no expression, or takes its content from the feed entry."""


def write_json(wrapper: Wrapper, origin: Origin) -> str:
    """The wrapper as it is stored."""
    return wrapper.dumps()


#: The formats by name; the first is the default.
FORMATS: dict[str, Callable[[Wrapper, Origin], str]] = {
    "parsel": write_module,
    "ftr": write_ftr,
    "freshrss": write_freshrss,
    "opml": write_opml,
    "json": write_json,
    "web-poet": write_page_object,
}


def export_wrapper(wrapper: Wrapper, origin: Origin, name: str) -> str:
    """The wrapper in the format ``name``, a key of ``FORMATS``.

    Raises ``NothingToExport`` if no expression finds content on the page.
    """
    if wrapper.source != "page" or not wrapper.keep:
        raise NothingToExport(
            f"the wrapper of {origin.host} by {wrapper.method} has no expression for the page"
        )
    return FORMATS[name](wrapper, origin)


def export_records(rules: TemplateRules, origin: Origin, host: str, name: str) -> str:
    """The rules of a template of products or listings in the format ``name``: ``json``, an object
    that can be edited and imported, or ``web-poet`` for products.  ``host``: with its port.

    Raises ``NothingToExport`` for other formats, which are of articles.
    """
    product_rules = rules.records.product if rules.records else None
    if name == "web-poet" and product_rules is not None:
        return write_product_object(product_rules, origin)
    if name == "json":
        values = {"host": host, "template": origin.template, "rules": rules.to_dict()}
        return json.dumps(values, ensure_ascii=False, indent=2) + "\n"
    formats = "--format web-poet writes a page object, " if product_rules is not None else ""
    raise NothingToExport(
        f"template {origin.template} of {host} is one of {rules.kind}s, and --format {name} is for"
        f" articles: {formats}--format json writes the rules, to be edited and imported"
    )
