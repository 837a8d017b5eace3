"""Where the body begins if a page leaves out the tags of head and body."""

from __future__ import annotations

import pytest
from lxml import etree

from forest_scrapy.core.page.tree import body_of, parse_html
from tests.core.test_extraction_pages import PRICING, extract_item, page_of


@pytest.mark.parametrize(
    ("html", "body"),
    [
        ("<title>a</title><nav>b</nav><main><p>c</main>", "<nav>b</nav><main><p>c</p></main>"),
        ("<head><title>a</title><article>b</article>", "<article>b</article>"),
        ("<title>a</title><article>b</article><p>c", "<article>b</article><p>c</p>"),
        ("<title>a</title><script>b</script><my-page>c</my-page>", "<my-page>c</my-page>"),
        ("<head><title>a</title></head><body><main>b</main>", "<main>b</main>"),
    ],
)
def test_what_is_not_of_the_head_is_in_the_body(html: str, body: str) -> None:
    found = body_of(parse_html(html))
    assert etree.tostring(found, encoding="unicode") == f"<body>{body}</body>"


def test_a_page_without_these_tags_has_the_same_text() -> None:
    short = PRICING.replace("</head><body>", "").replace("</body></html>", "")
    assert extract_item(page_of(short)).text == extract_item(page_of(PRICING)).text != ""  # type: ignore[union-attr]
