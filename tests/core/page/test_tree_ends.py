"""Documents that end before the last of their elements."""

import pytest
from effort import limited_effort
from scrapy.http import HtmlResponse

from forest_scrapy.core import Page, extract_page
from forest_scrapy.core.page.tree import body_of, ends_early, parse_html
from forest_scrapy.responses.conversion import page_of

SENTENCE = "The boats came in with the fish of the night, and the town bought all of it. "
STORY = f"<div><h1>Boats in the harbour</h1>{f'<p>{SENTENCE}</p>' * 5}</div>"
MENU = "<nav><a href=/a>Home</a><a href=/b>Contact us</a></nav>"


@pytest.mark.parametrize(
    "html",
    [
        f"<html><body>{MENU}</body></html>{STORY}</body></html>",
        f"<html><body>{MENU}</BODY></HTML>\n{STORY}",
        f"<html><body>{MENU}</body>{STORY}</html>",
        f"<html lang=en /><head><title>Boats</title></head><body>{MENU}{STORY}</body></html>",
        f"<html><head></head><body class=a />{MENU}{STORY}</body></html>",
    ],
)
def test_what_comes_after_the_end_belongs_to_the_body(html: str) -> None:
    assert ends_early(html)
    assert body_of(parse_html(html)).findtext(".//h1") == "Boats in the harbour"
    response = HtmlResponse("http://a.example/1", body=html.encode())
    for page in (Page.from_html(html, response.url), page_of(response)):
        done = extract_page(page)
        assert done.item is not None
        assert done.item.text.count(SENTENCE.strip()) == 5


@pytest.mark.parametrize(
    "after", ["", "\n", "<!-- cached -->", "<script src=a.js></script>", "</div></html>"]
)
def test_nothing_is_changed_without_text_after_the_end(after: str) -> None:
    assert not ends_early(f"<html><body>{STORY}</body></html>{after}")


def test_elements_whose_names_only_begin_like_those_of_the_document_are_kept() -> None:
    html = f"<body><body-text>{STORY}</body-text><aside>More</aside><html-x /><p>b</p></body>"
    assert not ends_early(html)
    assert [one.tag for one in body_of(parse_html(f"{html}<p>c</p>"))][:2] == ["body-text", "aside"]


@pytest.mark.parametrize("tag", ["</body ", "<body ", "</html "])
def test_tags_without_an_end_take_no_time(tag: str) -> None:
    """Each was looked for an end up to the end of the page: 20 s for such a page."""
    with limited_effort(3):
        parse_html(f"<html><body>{MENU}</body>{STORY}{tag * 40_000}")
