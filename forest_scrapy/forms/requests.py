"""Requests of a filled form, as a browser sends them, by form2request."""

from __future__ import annotations

from urllib.parse import urlsplit

from lxml import etree, html
from scrapy import Request

from forest_scrapy.core import ForestError
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.forms.form import Form, form_element, press_button
from forest_scrapy.forms.probing import Probe


class NoFormRequests(ForestError):
    """form2request is not installed; the message names the remedy."""

    def __init__(self) -> None:
        super().__init__(
            "form2request, which fills in forms, is not installed: pip install form2request"
            " (forest-scrapy[forms])"
        )


class FormNotSent(ForestError):
    """No request can be made of a form, or not the one that was judged; the message says why."""


class FormRequests:
    """Makes the requests of a form that was read from a tree.

    ``base_url``: of the page's URLs.  Raises ``NoFormRequests``; ``FormNotSent`` if the form
    cannot be sent.
    """

    def __init__(self, root: Element, form: Form, base_url: str) -> None:
        try:
            from form2request import form2request
        except ImportError as error:
            raise NoFormRequests from error
        self._convert = form2request
        self._form = form
        self._element = _copy_form(form_element(root, form), base_url)
        self._button = press_button(self._element)
        # The copy has the address percent-encoded; it is sent to that which was judged.
        self._element.set("action", form.url)
        if self._button is not None:
            self._button.attrib.pop("formaction", None)
        self.make(Probe((), ()))

    def make(self, probe: Probe) -> Request:
        """The request that pressing the form's button sends.  Raises ``FormNotSent`` if it is not
        the one that the form was judged by."""
        button = False if self._button is None else self._button
        try:
            made = self._convert(self._element, dict(probe.filling), click=button)
            request = Request(made.url, method=made.method, headers=made.headers, body=made.body)
        except (ValueError, NotImplementedError) as error:
            raise FormNotSent(f"form {self._form.number} cannot be sent: {error}") from error
        if not self._is_expected(made.url, request):
            raise FormNotSent(
                f"form {self._form.number} would send {request.method} {request.url[:100]}, not"
                f" {self._form.method} {self._form.url[:100]}"
            )
        return request

    def _is_expected(self, url: str, request: Request) -> bool:
        target = urlsplit(self._form.url)
        is_same_target = urlsplit(url)[:3] == target[:3]
        is_same_host = host_of(request.url) == host_of(self._form.url)
        return is_same_target and is_same_host and request.method == self._form.method


def _copy_form(element: Element, base_url: str) -> html.FormElement:
    """The form in a tree of its own: those of pages have no methods of forms.  Disabled controls,
    which are not sent, are left out."""
    text = etree.tostring(element, encoding="unicode", method="html", with_tail=False)
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
    body = text.encode("utf-8", "replace")
    root = html.document_fromstring(body, base_url=base_url, parser=parser)
    form = next(child for child in root.iter("form") if isinstance(child, html.FormElement))
    for control in form.iter("input", "select", "textarea", "button"):
        if control.get("disabled") is not None and "name" in control.attrib:
            del control.attrib["name"]
    return form
