"""Requests of a filled form, as a browser sends them, by form2request."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from lxml import etree, html
from scrapy import Request

from forest_scrapy.core import ForestError
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.forms.form import Form, form_element, press_button
from forest_scrapy.forms.probing import FormProbe


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

    def __init__(
        self,
        root: Element,
        form: Form,
        base_url: str,
    ) -> None:
        try:
            from form2request import form2request
        except ImportError as error:
            raise NoFormRequests from error
        self._convert = form2request
        self._form = form
        self._element = _copy_form(form_element(root, form), base_url)
        self._button = press_button(self._element)
        # The copy has the address percent-encoded; the form is sent to the one that was judged.
        self._element.set("action", form.url)
        if self._button is not None:
            self._button.attrib.pop("formaction", None)
        self.make(FormProbe((), ()))

    def make(self, probe: FormProbe) -> Request:
        """The request that pressing the form's button sends.  Raises ``FormNotSent`` if it is not
        the one that the form was judged by."""
        if self._form.is_scripted:
            return Request(self._scripted_url(probe), headers={"Accept": "application/json, */*"})
        button = False if self._button is None else self._button
        try:
            filled = self._convert(self._element, dict(probe.filling), click=button)
            request = Request(
                url=filled.url,
                method=filled.method,
                headers=filled.headers,
                body=filled.body,
            )
        except (ValueError, NotImplementedError) as error:
            raise FormNotSent(f"form {self._form.number} cannot be sent: {error}") from error
        if not self._is_expected(filled.url, request):
            raise FormNotSent(
                f"form {self._form.number} would send {request.method} {request.url[:100]}, not"
                f" {self._form.method} {self._form.url[:100]}"
            )
        return request

    def _scripted_url(self, probe: FormProbe) -> str:
        """The address that the script of a form asks."""
        values = dict(self._form.hidden)
        for control in self._form.controls:
            values.setdefault(control.name, control.value)
        values.update(probe.filling)
        return f"{self._form.url}?{urlencode(values)}"

    def _is_expected(self, url: str, request: Request) -> bool:
        form = self._form
        page_parts = urlsplit(url)[:3]
        form_parts = urlsplit(form.url)[:3]
        is_same_page = page_parts == form_parts
        is_same_host = host_of(request.url) == host_of(form.url)
        is_same_method = request.method == form.method
        return is_same_page and is_same_host and is_same_method


def _copy_form(element: Element, base_url: str) -> html.FormElement:
    """A copy of the form as an element with the methods of forms, which those of pages lack.
    Disabled controls, which are not sent, lose their names."""
    text = etree.tostring(element, encoding="unicode", method="html", with_tail=False)
    body = text.encode("utf-8", "replace")
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
    root = html.document_fromstring(body, base_url=base_url, parser=parser)
    form = next(child for child in root.iter("form") if isinstance(child, html.FormElement))
    for control in form.iter("input", "select", "textarea", "button"):
        is_disabled = control.get("disabled") is not None
        if is_disabled:
            control.attrib.pop("name", None)
    return form
