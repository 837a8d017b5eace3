"""Which forms are sent, and which never, judged by the request that would be sent."""

from __future__ import annotations

from urllib.parse import urlsplit

from forest_scrapy.core.page.urls import host_of, site_of
from forest_scrapy.forms.form import Form


def refuse(
    form: Form,
    url: str,
    allows_post: bool = False,
    is_named: bool = True,
) -> str:
    """Why the form of the page with this URL is never sent, or not without being named; ``""`` if
    it may be sent.

    ``is_named``: whether a person has named the form; else it has to be one that is evidently for
    searching.

    >>> refuse(Form(1, "https://b.example/", "GET", "search", ()), "https://a.example/")
    'it is sent to another site, b.example'
    """
    if form.purpose not in ("search", "other"):
        return f"it is for {form.purpose}"
    if form.purpose == "other" and not is_named:
        return f"it is not evidently for searching; to send it: {naming_arguments(form)}"
    if form.method == "DIALOG":
        return "it sends nothing: its method is dialog"
    if form.method == "POST" and not (allows_post and is_named):
        return f"it is sent with POST; to allow that: {naming_arguments(form)}"
    if form.method == "POST" and form.encoding == "multipart/form-data":
        return "it is sent as multipart/form-data, as files are"
    if not form.url.startswith(("http://", "https://")):
        return f"it is sent to {form.url[:100]}"
    if reason := _refuse_address(form.url, url):
        return reason
    if not (form.texts or form.choices):
        return "it has no control that can be filled in"
    return ""


def naming_arguments(form: Form) -> str:
    """The arguments of the spider by which a person names a form, and allows what it needs.

    >>> naming_arguments(Form(2, "https://a.example/", "POST", "search", ()))
    '-a form=2 -a method=post'
    """
    arguments = f"-a form={form.number}"
    if form.method == "POST":
        arguments += " -a method=post"
    return arguments


def _refuse_address(target: str, url: str) -> str:
    try:
        has_user = "@" in urlsplit(target).netloc
        is_other_site = site_of(target) != site_of(url)
    except ValueError:
        return f"it is sent to {target[:100]}, which is no address"
    if has_user:
        return "its address has a user name"
    if is_other_site:
        return f"it is sent to another site, {host_of(target)}"
    return ""
