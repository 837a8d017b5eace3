"""``scrapy forest form``: the forms of a page, and what is known of the one that was probed."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from scrapy.utils.project import data_path

from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.commands.pages import read_pages
from forest_scrapy.core.codec import to_json
from forest_scrapy.forms.form import Form, choose_form, read_forms
from forest_scrapy.forms.safety import refuse
from forest_scrapy.forms.search import FormSearch, file_name


class ShowForms(Action):
    """Print the forms of a page: what each is for, and whether it would be sent; and for a form
    that ``scrapy crawl form`` has probed what its controls mean, with the evidence."""

    name = "form"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("page", metavar="URL|FILE", help="the page with the form")
        add("--json", action="store_true", help="print JSON")

    def run(self, options: Namespace) -> Iterator[str]:
        pages = read_pages([options.page], "", self)
        for page in pages:
            forms = read_forms(page.root, page.base_url)
            best = choose_form(forms)
            found = [_describe(page.url, form, form is best) for form in forms]
            if options.json:
                yield json_text(found) + "\n"
            else:
                yield "".join(map(_write, found)) or "The page has no form.\n"


def _describe(url: str, form: Form, is_best: bool) -> dict[str, object]:
    path = Path(data_path(str(Path("forest", "forms", file_name(url, form)))))
    search = FormSearch.recall(form, path)
    return {
        "form": to_json(form),
        "is_best": is_best,
        "refused": refuse(form, url, allows_post=True),
        "needs_method": form.method == "POST",
        "probes": search.sent if search else 0,
        "records": len(search.prober.keys) if search else 0,
        "meanings": to_json(search.meanings()) if search else [],
        "line": form.describe(),
    }


def _write(found: dict[str, object]) -> str:
    refused, probes = found["refused"], found["probes"]
    text = f"{found['line']}\n"
    if refused:
        return f"{text}  is never sent: {refused}\n"
    if found["needs_method"]:
        text += "  is sent only if it is named: -a form=N -a method=post\n"
    text += "  is the one that scrapy crawl form takes\n" if found["is_best"] else ""
    if not probes:
        return text
    text += f"  {probes} probes, {found['records']} records\n"
    meanings = found["meanings"]
    assert isinstance(meanings, list)
    head = ("control", "comes back in", "relation", "probes", "records", "share", "by chance")
    rows = [head] + [
        (
            one["control"],
            " or ".join(one["attributes"]),
            one["relation"],
            *(str(one.get(name, 0)) for name in ("probes", "records", "share", "chance")),
        )
        for one in meanings
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(r, widths, strict=True)) for r in rows
    ]
    return text + "".join(f"  {line.rstrip()}\n" for line in lines)
