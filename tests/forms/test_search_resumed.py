"""The search of a form that goes on after a kill."""

from __future__ import annotations

from pathlib import Path

from forest_scrapy.core import Page
from forest_scrapy.forms import read_forms
from forest_scrapy.forms.form import Form
from forest_scrapy.forms.probe_file import ProbeFile
from forest_scrapy.forms.probing import NONSENSE, FormProbe
from forest_scrapy.forms.search import FormSearch

URL = "http://a.example/find"
WORDS = ("owl", "barn", "river", "stone", "night", "wood")


def read_form() -> Form:
    page = Page.from_html("<form action=/find><input name=q><input type=submit></form>", URL)
    (form,) = read_forms(page.root, URL)
    return form


def answer(probe: FormProbe) -> Page:
    """Eight books for each word, none for words of no language."""
    word = dict(probe.filling).get("q", "")
    books = range(0 if word in ("", *NONSENSE) else 8)
    rows = "".join(
        f"<tr><td><a href=/b/{word}{n}>The {word} {n}</a><td>{WORDS[n % 6]} hill<td>{1900 + 3 * n}"
        for n in books
    )
    table = f"<table><tr><th>Title<th>Author<th>Year</tr>{rows}</table>" if rows else "None."
    return Page.from_html(f"<h1>Found</h1>{table}", f"{URL}?q={word}")


def open_search(path: Path) -> FormSearch:
    return FormSearch.open(read_form(), path, WORDS, "en", "runs")


def close(search: FormSearch) -> None:
    assert search.file is not None
    search.file.close()


def send(search: FormSearch, probes: int) -> list[str]:
    """Send so many probes; the titles of the records that come out."""
    titles = []
    for _ in range(probes):
        probe = search.next()
        if probe is None:
            break
        for outcome in search.add(probe, [answer(probe)]):
            titles += [item.title for item in outcome.items]
    return titles


def test_answers_that_waited_are_read_after_a_kill_behind_the_wrapper(tmp_path: Path) -> None:
    whole = open_search(tmp_path / "whole.jsonl")
    titles = send(whole, 12)
    titles += [
        item.title for outcome in (*whole.learn(), *whole.settle()) for item in outcome.items
    ]
    assert len(titles) == len(set(titles)) > 20
    close(whole)
    assert whole.file is not None

    lines = whole.file.path.read_bytes().splitlines(keepends=True)
    wrapper = next(number for number, line in enumerate(lines) if line.startswith(b'{"wrapper"'))
    file = tmp_path / "killed.jsonl"
    file.write_bytes(b"".join(lines[: wrapper + 1]))
    resumed = open_search(file)
    recalled = [item.title for item in resumed.recalled]
    assert recalled
    assert set(recalled) <= set(titles)
    stored = ProbeFile(file).read()[1]
    assert resumed.sent == len(stored)
    assert "waiting" not in {line.kind for line in stored}
    again = open_search(file)
    assert [item.title for item in again.recalled] == recalled
    close(again)
    recalled += send(resumed, 12)
    close(resumed)
    assert sorted(recalled) == sorted(set(recalled))
    assert set(titles) <= set(recalled)
