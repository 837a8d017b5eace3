"""A page with a form, for the spiders of a project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import HtmlResponse

from forest_scrapy import forms
from forest_scrapy.core import ForestError
from forest_scrapy.core.plurals import count
from forest_scrapy.responses.conversion import page_of, repair_encoding

if TYPE_CHECKING:
    from forest_scrapy.forms import Form, FormRequests


class NoSuchForm(ForestError):
    """The page does not have the form, or the form is never sent; the message says which."""


@dataclass(frozen=True)
class FormPage:
    """A page with forms, and the one to search with.

        def parse(self, response):
            page = FormPage.from_response(response)
            yield page.request({"title": "hamlet"}, callback=self.parse_answer)

    ``forms``: all forms of the page; ``form``: the chosen one.
    """

    forms: tuple[Form, ...]
    form: Form
    _requests: FormRequests = field(repr=False, compare=False)

    @classmethod
    def from_response(
        cls,
        response: HtmlResponse,
        number: int = 0,
        allows_post: bool = False,
    ) -> FormPage:
        """The forms of a response.

        ``number``: of the form on the page, from 1; 0: the smallest one that is evidently for
        searching.  ``allows_post``: whether the form, which then must be named, may be sent with
        POST.  Raises ``NoSuchForm``, also for a form to log in, register, pay, order, delete, vote,
        comment or contact; ``NoFormRequests`` if form2request is not installed.
        """
        page = page_of(repair_encoding(response))
        page_forms = tuple(forms.read_forms(page.root, page.base_url))
        is_named = bool(number)
        if is_named:
            form = next((form for form in page_forms if form.number == number), None)
        else:
            form = forms.choose_form(page_forms)
        if form is None:
            description = f"form {number}" if is_named else "form for searching"
            raise NoSuchForm(
                f"{response.url} has no {description}; it has {count(len(page_forms), 'form')}"
            )
        if reason := forms.refuse(form, response.url, allows_post, is_named):
            raise NoSuchForm(f"{response.url}: form {form.number} is not sent: {reason}")
        try:
            requests = forms.FormRequests(page.root, form, page.base_url)
        except forms.FormNotSent as error:
            raise NoSuchForm(f"{response.url}: {error}") from error
        return cls(page_forms, form, requests)

    def request(
        self,
        values: Mapping[str, str],
        **arguments: Any,
    ) -> Request:
        """The request of the filled form.

        ``values``: by the name or the label of a control; the others are sent as they are.
        ``arguments``: of ``scrapy.Request``.  Raises ``NoSuchForm`` if there is no such control.
        """
        controls = self.form.controls
        names = {control.label: control.name for control in controls if control.label}
        names |= {control.name: control.name for control in controls}
        filling = []
        for name, value in values.items():
            if name not in names:
                raise NoSuchForm(
                    f"form {self.form.number} has no control {name!r}; it has"
                    f" {', '.join(control.name for control in controls)}"
                )
            filling.append((names[name], value))
        request = self._requests.make(forms.FormProbe(tuple(filling), ()))
        filled: Request = request.replace(**arguments)
        return filled
