"""Forms in the spiders of a project."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

pytest.importorskip("form2request")

from forest_scrapy.spiders.form_page import FormPage, NoSuchForm

URL = "https://library.example/"
FORMS = """
<form action=/login method=post><input name=u><input type=password name=p></form>
<form action=/find><input type=hidden name=lang value=en><label>Title <input name=t></label>
<select name=c><option value=''>Any<option value=1>Art</select><button>Search</button></form>
<form method=post action=/search><input name=query></form>
"""


def response(html: str = FORMS) -> HtmlResponse:
    return HtmlResponse(URL, body=f"<html><body>{html}</body></html>".encode(), encoding="utf-8")


def test_the_request_has_hidden_fields_and_defaults_and_is_made_by_label_or_name() -> None:
    page = FormPage.from_response(response())
    for name in ("Title", "t"):
        request = page.request({name: "hamlet"}, cb_kwargs={"word": "hamlet"})
        assert request.url == f"{URL}find?lang=en&c=&t=hamlet"
        assert (request.method, request.cb_kwargs) == ("GET", {"word": "hamlet"})
    assert [one.purpose for one in page.forms] == ["login", "search", "search"]


def test_a_form_with_post_must_be_named_and_allowed() -> None:
    with pytest.raises(NoSuchForm, match="sent with POST"):
        FormPage.from_response(response(), 3)
    request = FormPage.from_response(response(), 3, allows_post=True).request({"query": "a b"})
    assert (request.method, request.body) == ("POST", b"query=a+b")


@pytest.mark.parametrize(
    ("html", "number", "said"),
    [
        (FORMS, 1, "it is for login"),
        (FORMS, 4, "has no form 4; it has 3 forms"),
        ("<p>Nothing", 0, "has no form for searching; it has 0 forms"),
        ("<form action=http://10.0.0.1/><input name=q></form>", 0, "another site, 10.0.0.1"),
    ],
)
def test_what_is_refused(html: str, number: int, said: str) -> None:
    with pytest.raises(NoSuchForm, match=said):
        FormPage.from_response(response(html), number, allows_post=True)


def test_a_control_that_is_not_there() -> None:
    with pytest.raises(NoSuchForm, match="no control 'author'; it has t, c"):
        FormPage.from_response(response()).request({"author": "x"})
