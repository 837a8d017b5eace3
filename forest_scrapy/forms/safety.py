"""Which forms are never sent."""

from __future__ import annotations

from forest_scrapy.core.page.urls import host_of, site_of
from forest_scrapy.forms.form import Form


def refuse(form: Form, url: str, allows_post: bool = False) -> str:
    """Why the form of the page with this URL is never sent, or not without being named; ``""`` if
    it may be sent.

    >>> refuse(Form(1, "https://b.example/", "GET", "search", ()), "https://a.example/")
    'it is sent to another site, b.example'
    """
    if form.purpose not in ("search", "other"):
        return f"it is for {form.purpose}"
    if form.method == "POST" and not allows_post:
        return f"it is sent with POST; to allow that: -a form={form.number} -a method=post"
    if not form.url.startswith(("http://", "https://")):
        return f"it is sent to {form.url}"
    if site_of(form.url) != site_of(url):
        return f"it is sent to another site, {host_of(form.url)}"
    if not (form.texts or form.choices):
        return "it has no control that can be filled in"
    return ""
