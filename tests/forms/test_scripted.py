"""Forms that a script sends."""

from __future__ import annotations

import pytest

from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.forms.form import Form, choose_form, read_forms
from forest_scrapy.forms.probing import FormProbe
from forest_scrapy.forms.requests import FormRequests

pytest.importorskip("form2request")

URL = "http://a.example/towns"
FORM = (
    "<form id=find role=search><input name=town placeholder=Town>"
    "<select name=kind><option value=''>Any</option><option>City</option></select>"
    "<button>Search</button></form>"
)
ASK = "document.forms[0].addEventListener('submit', (event) => { event.preventDefault();"


def read(script: str, form: str = FORM) -> tuple[Form, FormRequests]:
    root = parse_html(f"<html><body>{form}<script>{script}</script></body></html>")
    (found,) = read_forms(root, URL)
    return found, FormRequests(root, found, URL)


@pytest.mark.parametrize(
    "script",
    [
        ASK + "fetch('/api/towns?' + new URLSearchParams(new FormData(event.target)))})",
        'const api = "/api/towns"; ' + ASK + "fetch(`${api}?${query}`).then(show)})",
        ASK + "fetch(`/api/towns?town=${town.value}&kind=${kind.value}`)})",
        '$("#find").on("submit", function () { $.getJSON("/api/towns", $(this).serialize()) })',
        'document.getElementById("find").onclick = () => fetch("/api/towns?" + query())',
        "$('[name=town]').on('keyup', () => $.getJSON('/api/towns', values()))",
        ASK + "const r = new XMLHttpRequest(); r.open('GET', '/api/towns?' + query); r.send()})",
    ],
)
def test_the_address_that_the_script_asks(script: str) -> None:
    form, requests = read(script)
    assert (form.url, form.method, form.is_scripted) == ("http://a.example/api/towns", "GET", True)
    assert choose_form([form]) is form
    request = requests.make(FormProbe((("town", "Bor & Cer"),), ()))
    assert (request.method, request.url) == (
        "GET",
        "http://a.example/api/towns?town=Bor+%26+Cer&kind=",
    )


@pytest.mark.parametrize(
    "script",
    [
        ASK + "fetch('/api/towns', {method: 'POST', body: data})})",
        ASK + "axios.post('/api/towns', data)})",
        "console.log('/api/towns')",
        ASK + "show('/static/search.js')})",
        ASK + "fetch('//[')})",
        "addEventListener('load', () => fetch('/api/visits?page=1'))",
        "$(window).on('scroll', () => $.getJSON('/data/weather', show))",
        "",
    ],
)
def test_scripts_that_are_not_followed(script: str) -> None:
    form, _ = read(script)
    assert (form.url, form.is_scripted) == (URL, False)


def test_controls_have_the_names_of_the_address_or_their_ids() -> None:
    bare_form = "<form role=search><input id=what><input id=where><button>Go</button></form>"
    form, _ = read(ASK + "fetch(`/api/towns?q=${a}&near=${b}&limit=50`)})", bare_form)
    assert [control.name for control in form.controls] == ["q", "near"]
    assert form.hidden == (("limit", "50"),)
    form, _ = read(ASK + "fetch('/api/towns?' + query)})", bare_form)
    assert [control.name for control in form.controls] == ["what", "where"]


def test_a_form_with_an_address_is_sent_there() -> None:
    with_action = FORM.replace("id=find", "action=/find")
    form, _ = read(ASK + "fetch('/api/towns?' + query)})", with_action)
    assert (form.url, form.is_scripted) == ("http://a.example/find", False)
