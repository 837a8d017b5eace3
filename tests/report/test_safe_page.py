"""A page in a report neither runs nor fetches anything."""

from __future__ import annotations

import re

import html5lib
import pytest
from core.page.test_markup import CONTEXTS, XSS

from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.report.safe_page import POLICY, write_safe_page

REFUSED = set(
    "script iframe frame object embed form input button link base svg math template noscript audio"
    " video source".split()
)
#: Attributes that load, navigate or run something.
LOADING = set(
    "href src srcset srcdoc action formaction data background poster ping cite xlink:href".split()
)


@pytest.mark.parametrize("context", CONTEXTS)
def test_attacks_leave_nothing_that_runs(context: str) -> None:
    for attack in XSS:
        safe = write_safe_page(parse_html(context.replace("{}", attack)), {})
        tree = html5lib.parse(safe, treebuilder="etree", namespaceHTMLElements=False)
        for element in tree.iter():
            if not isinstance(element.tag, str):
                pytest.fail(f"{attack}: a comment")
            assert element.tag not in REFUSED, attack
            assert not {name for name in element.attrib if name.startswith("on")}, attack
            assert not LOADING & element.attrib.keys(), attack
            if element.tag == "meta":
                assert element.attrib in ({"charset": "utf-8"}, _policy()), attack


def _policy() -> dict[str, str]:
    return {"http-equiv": "Content-Security-Policy", "content": POLICY}


@pytest.mark.parametrize(
    "style",
    [
        "@import 'http://a.example/x.css'; p { color: red }",
        "p { background: url(http://a.example/x.png) }",
        "p { background: u\\72l(http://a.example/x.png) }",
        "p { background: URL('http://a.example/x.png') }",
        "p { background: image-set('http://a.example/x.png' 1x) }",
        "p { behavior: url(x.htc) }",
    ],
)
def test_styles_load_nothing(style: str) -> None:
    safe = write_safe_page(parse_html(f"<style>{style}</style><p style='{style}'>a"), {})
    assert not re.search(r"url *\(|@import|image-set|behavior|\\", safe, re.IGNORECASE)


def test_marks_and_text_are_written() -> None:
    root = parse_html("<div class='a &quot;b' onclick=x()><p>1 &lt; 2<br>3<x-y>4</x-y></div>5")
    safe = write_safe_page(root, {root.find(".//p"): {"data-rule": 'keep "1"'}})
    body = safe.partition("<body>")[2]
    expected = (
        '<div class="a &quot;b"><p data-rule="keep &quot;1&quot;">1 &lt; 2<br>3<div>4</div></p>'
        "</div>5</body></html>"
    )
    assert body == expected


def test_deep_pages() -> None:
    safe = write_safe_page(parse_html("<div>" * 5_000 + "a"), {})
    assert safe.count("</div>") > 200
