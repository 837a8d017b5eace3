"""The links in the HTTP header ``Link`` of a page (RFC 8288), which say the same as its ``link``
elements."""

import re
from collections.abc import Iterator

from forest_scrapy.core.page.urls import absolute_url

#: Characters of a header that are read.
_MAX_LENGTH = 8_000
#: A target, and what stands before the next one; in quotation marks may be anything.
_LINK = re.compile(r'<([^<>]*)>((?:[^<"]|"[^"]*")*)')
#: A parameter, with its value in quotation marks or without; a comma ends those of a link.
_PARAMETER = re.compile(r';\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([^\s",;]+))', re.ASCII)
#: The relations that are read; most of others are of files that browsers load.
_RELATIONS = frozenset(("next", "prev", "previous", "canonical", "alternate"))


def read_header_links(header: str, url: str) -> Iterator[dict[str, str]]:
    """The attributes that ``link`` elements would have in the page with this URL, to which relative
    targets are relative.  Links of another page (``anchor``) are left out.

    >>> list(read_header_links('</list?page=2>; rel="next"', "http://a.example/list"))
    [{'rel': 'next', 'href': 'http://a.example/list?page=2'}]
    >>> list(read_header_links("</app.css>; rel=preload; as=style", "http://a.example/list"))
    []
    """
    for target, text in _LINK.findall(header[:_MAX_LENGTH]):
        parameters: dict[str, str] = {}
        for name, quoted, plain in _PARAMETER.findall(text):
            parameters.setdefault(name.lower(), quoted or plain)
        relations = parameters.get("rel", "").lower().split()
        if "anchor" in parameters or _RELATIONS.isdisjoint(relations):
            continue
        href = absolute_url(target.strip(), url)
        if not href:
            continue
        attributes = {"rel": " ".join(relations), "href": href}
        if "type" in parameters:
            attributes["type"] = parameters["type"]
        yield attributes
