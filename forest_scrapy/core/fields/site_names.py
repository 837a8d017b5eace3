"""The names of the site that a page declares."""

from __future__ import annotations

from forest_scrapy.core.document.declared import Declared
from forest_scrapy.core.document.structured_data import as_list, names_of, text_of

__all__ = ["find_site_names"]


def find_site_names(declared: Declared) -> dict[str, str]:
    """The kind of source by the name, best first."""
    publisher = declared.article.get("publisher")
    sites = [node for node in declared.nodes if "WebSite" in as_list(node.get("@type"))]
    names = [
        *(("opengraph", name) for name in declared.meta.get("og:site_name", ())[:1]),
        *(("json-ld", name) for name in names_of(publisher, declared.nodes)),
        *(("json-ld", text_of(node.get("name"))) for node in sites),
        *(("meta", name) for name in declared.meta.get("application-name", ())[:1]),
    ]
    found: dict[str, str] = {}
    for kind, name in names:
        if name:
            found.setdefault(name, kind)
    return found
