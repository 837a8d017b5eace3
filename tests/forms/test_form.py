"""Forms of pages: labels, options, and what a form is for."""

from __future__ import annotations

import pytest

from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.forms.form import Form, choose_form, read_forms
from forest_scrapy.forms.safety import refuse

URL = "https://library.example/find"


def read(html: str) -> list[Form]:
    return read_forms(parse_html(f"<html lang=en><body>{html}</body></html>"), URL)


@pytest.mark.parametrize(
    "html",
    [
        "<label for=t>Title:</label><input id=t name=t>",
        "<label>Title <input name=t></label>",
        "<label>Title<select name=t><option value=1>One</option></select></label>",
        "<input name=t placeholder='Title'>",
        "<input name=t aria-label=Title>",
        "<table><tr><td>Title:</td><td><input name=t></td></tr></table>",
        "<div>Title</div><div><input name=t></div>",
        "Title <input name=t>",
        "<input name=a> Title <input name=t>",
    ],
)
def test_labels(html: str) -> None:
    (form,) = read(f"<form>{html}<button>Search</button></form>")
    assert {one.name: one.label for one in form.controls}["t"] == "Title"


def test_options_without_those_for_all_values() -> None:
    options = "<option value=''>Any</option><option>Art</option><option value=2 selected>Law"
    (form,) = read(f"<form><select name=c>{options}</select></form>")
    (control,) = form.choices
    assert control.options == (("Art", "Art"), ("2", "Law"))
    assert control.value == "2"


def test_radio_buttons_are_a_choice() -> None:
    html = "".join(f"<label><input type=radio name=k value={i}>{i}00</label>" for i in (1, 2))
    (form,) = read(f"<form><fieldset><legend>Kind</legend>{html}</fieldset><input name=q></form>")
    assert form.choices[0].label == "Kind"
    assert form.choices[0].options == (("1", "100"), ("2", "200"))


@pytest.mark.parametrize(
    ("html", "purpose"),
    [
        ("<form action=/s><input name=q></form>", "search"),
        ("<form action=/catalogue><select name=c><option value=1>A</select></form>", "search"),
        ("<form method=post><input name=query><button>Search</button></form>", "search"),
        ("<form><input name=u><input type=password name=p></form>", "login"),
        (
            "<form action=/signup method=post><input name=name><button>Sign up</form>",
            "registration",
        ),
        ("<form method=post><input type=email name=m><button>Subscribe</form>", "newsletter"),
        ("<form><input name=n autocomplete=cc-number></form>", "payment"),
        ("<form method=post><input name=n><textarea name=comment></textarea></form>", "comment"),
        ("<form><input name=n><textarea name=t></textarea><button>Message us</form>", "contact"),
        ("<form><input type=file name=f></form>", "upload"),
        ("<form method=post action=/vote><input type=checkbox name=v></form>", "vote"),
        ("<form method=post action=/go><input type=checkbox name=v></form>", "other"),
    ],
)
def test_purposes(html: str, purpose: str) -> None:
    (form,) = read(html)
    assert form.purpose == purpose


def test_a_login_is_never_chosen() -> None:
    login = "<form><input name=q><input name=v><input name=w><input type=password name=p></form>"
    assert choose_form(read(login)) is None


def test_what_changes_from_visit_to_visit_is_no_part_of_a_form() -> None:
    """Values of hidden fields, sessions in the address, and fields that are named anew."""

    def form_with(token: str, path: str = "/find") -> Form:
        (form,) = read(
            f"<form action='{path};jsessionid={token}?sid={token}'><input name=q>"
            f"<input type=hidden name=csrf value={token}><input type=hidden name={token * 4}>"
        )
        return form

    assert form_with("a1b2c3").identity == form_with("d4e5f6").identity
    assert form_with("a1b2c3").identity != form_with("a1b2c3", "/other").identity


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<form action=http://127.0.0.1/admin><input name=q></form>", "another site, 127.0.0.1"),
        ("<form action=https://other.example/><input name=q></form>", "another site"),
        ("<form method=post><input name=search></form>", "-a form=1 -a method=post"),
        ("<form action='javascript:go()'><input name=q></form>", "javascript"),
        ("<form><input name=u><input type=password name=p></form>", "it is for login"),
        ("<form><input type=submit></form>", "no control"),
    ],
)
def test_what_is_never_sent(html: str, said: str) -> None:
    (form,) = read(html)
    assert said in refuse(form, URL)


def test_what_may_be_sent() -> None:
    get, post = read("<form><input name=q></form><form method=post><input name=search></form>")
    assert (refuse(get, URL), refuse(post, URL, allows_post=True)) == ("", "")
