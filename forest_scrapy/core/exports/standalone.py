"""Articles of a site, by XPaths that were learned.

    python THIS_FILE PAGE.html ...

prints one JSON object a page.  Needs parsel and nothing else.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parsel import Selector

#: Tried in order: the first that finds text says what is kept.
KEEP: list[str] = []
#: What of it is left out.
DROP: list[str] = []
#: Of several elements found: "all", or the one with most text, "largest".
TAKE = "all"

INLINE = set(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr "
    "picture q rp rt ruby s samp small source span strike strong sub sup time track tt u var "
    "wbr button input output meter progress script style noscript template".split()
)
UNSEEN = set(
    "head script style noscript template iframe object embed svg math canvas select textarea "
    "datalist audio video map".split()
)


def extract(page: str | Selector) -> dict[str, str]:
    """``text``, a line for each block, and the ``xpath`` that found it; empty where none did."""
    selector = page if isinstance(page, Selector) else Selector(text=page, type="html")
    left_out = {found.root for xpath in DROP for found in selector.xpath(xpath)}
    for xpath in KEEP:
        elements = [found.root for found in selector.xpath(xpath)]
        kept = set(elements)
        outermost = [e for e in elements if not any(up in kept for up in e.iterancestors())]
        texts = [text for e in outermost if (text := block_text(e, left_out))]
        if texts:
            text = "\n".join(texts) if TAKE == "all" else max(texts, key=len)
            return {"text": text, "xpath": xpath}
    return {"text": "", "xpath": ""}


def block_text(element: Any, left_out: set[Any]) -> str:
    """The text below the element, white space folded, one line a block."""
    lines = "".join(pieces(element, left_out)).split("\n")
    return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)


def pieces(element: Any, left_out: set[Any]) -> Iterator[str]:
    """Texts in the page's order, with a line break where a block starts or ends."""
    stack: list[Any] = [element]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        is_element = isinstance(item.tag, str)
        edge = "\n" if is_element and item.tag not in INLINE else ""
        if item is not element:
            stack.append(folded(item.tail))
        stack.append(edge)
        yield edge
        if is_element and item.tag not in UNSEEN and item not in left_out:
            stack.extend(reversed(item))
            stack.append(folded(item.text))


def folded(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        html = Path(name).read_text(encoding="utf-8", errors="replace")
        print(json.dumps({"page": name, **extract(html)}, ensure_ascii=False))
