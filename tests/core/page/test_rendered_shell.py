from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.page.rendered import is_shell

APP = "<div id=app></div><script src=/app.js></script>"
TEXT = "A sentence of an article. " * 9


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (APP, True),
        (f"<noscript>{TEXT}</noscript>{APP}", True),
        ("<div id=app></div><script>start()</script>", True),
        (f"<p>{TEXT}</p>{APP}", False),
        (f"<ul>{'<li><a>A link of a long list</a>' * 30}</ul>{APP}", False),
        ("<p>Nothing here", False),
        ('<script type="application/ld+json">{"a": 1}</script>', False),
        ("<script></script>", False),
        ("", False),
    ],
)
def test_a_shell_has_scripts_and_next_to_no_text(html: str, expected: bool) -> None:
    assert is_shell(Page.from_html(html)) is expected
