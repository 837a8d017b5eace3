"""Requests of forms: they are those that the forms were judged by."""

from __future__ import annotations

import pytest

pytest.importorskip("form2request")

from dataclasses import replace

from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.forms.form import Form, read_forms
from forest_scrapy.forms.probing import FormProbe
from forest_scrapy.forms.requests import FormNotSent, FormRequests

URL = "https://town.example/page"
PROBE = FormProbe((("q", "owl"),), ())


def made(html: str, change: dict[str, str] | None = None) -> tuple[str, str, Form]:
    root = parse_html(f"<html><body>{html}</body></html>")
    form = read_forms(root, URL)[-1]
    request = FormRequests(root, replace(form, **(change or {})), URL).make(PROBE)
    return request.method, request.url, form


@pytest.mark.parametrize(
    ("html", "method", "url"),
    [
        ("<form action=/find><input name=q></form>", "GET", "/find?q=owl"),
        ("<form><input name=q></form>", "GET", "/page?q=owl"),
        ("<form action=' /find '><input name=q></form>", "GET", "/find?q=owl"),
        (
            "<form method=post action=/a><input name=q>"
            "<button formaction=/b formmethod=GET>Go</form>",
            "GET",
            "/b?q=owl",
        ),
        (
            "<form action=/a><input name=q><button disabled formaction=/b>No</button>"
            "<button name=go value=1>Go</button></form>",
            "GET",
            "/a?q=owl&go=1",
        ),
        (
            "<form action=/a><input name=q><input type=hidden disabled name=do value=delete>",
            "GET",
            "/a?q=owl",
        ),
        (f"{'<div>' * 300}<form action=/deep><input name=q></form>", "GET", "/deep?q=owl"),
        ("<form action=/x><input name=q></form><form action=/y><input name=q>", "GET", "/y?q=owl"),
    ],
)
def test_the_request_is_that_of_the_form_that_was_read(html: str, method: str, url: str) -> None:
    sent_method, sent_url, form = made(html)
    assert (sent_method, sent_url) == (method, f"https://town.example{url}")
    assert (form.method, form.url) == (method, sent_url.partition("?")[0])


@pytest.mark.parametrize(
    "html",
    [
        "<form method=dialog><input name=q></form>",
        "<form method=post enctype=multipart/form-data><input name=q></form>",
        "<form action='http://[::1/find'><input name=q></form>",
        "<form action='javascript:go()'><input name=q></form>",
    ],
)
def test_what_cannot_be_sent_says_why(html: str) -> None:
    with pytest.raises(FormNotSent, match="form 1 "):
        made(html)


def test_a_request_that_was_not_judged_is_not_made() -> None:
    with pytest.raises(FormNotSent, match="would send GET"):
        made("<form action=/find><input name=q></form>", {"method": "POST"})


def test_letters_of_an_address_are_sent_once_encoded() -> None:
    _, url, _ = made("<form action='/s\u00f8g %41'><input name=q></form>")
    assert url == "https://town.example/s%C3%B8g%20%41?q=owl"
