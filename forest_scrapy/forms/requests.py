"""Requests of a filled form, as a browser sends them, by form2request."""

from __future__ import annotations

from lxml import html
from scrapy import Request
from scrapy.http import HtmlResponse
from w3lib.html import get_base_url

from forest_scrapy.core import ForestError
from forest_scrapy.forms.form import Form
from forest_scrapy.forms.probing import Probe


class NoFormRequests(ForestError):
    """form2request is not installed; the message names the remedy."""

    def __init__(self) -> None:
        super().__init__(
            "form2request, which fills in forms, is not installed: pip install form2request"
            " (forest-scrapy[forms])"
        )


class FormRequests:
    """Makes the requests of a form of a response.  Raises ``NoFormRequests``."""

    def __init__(self, response: HtmlResponse, form: Form) -> None:
        try:
            from form2request import form2request
        except ImportError as error:
            raise NoFormRequests from error
        self._convert = form2request
        base = get_base_url(response.text, response.url, response.encoding)
        # A tree of its own: in those of pages forms have no methods.
        root = html.document_fromstring(response.body, base_url=base, parser=_parser(response))
        self._element = list(root.iter("form"))[form.number - 1]

    def make(self, probe: Probe) -> Request:
        """The request that pressing the form's button sends."""
        made = self._convert(self._element, dict(probe.filling))
        return Request(made.url, method=made.method, headers=made.headers, body=made.body)


def _parser(response: HtmlResponse) -> html.HTMLParser:
    return html.HTMLParser(encoding=response.encoding)
