"""Made sites: a table of rows behind a search form, in several layouts, served over HTTP.

``table`` (a table, an error page with status 200), ``cards`` (two forms, pages of results) and
``pairs`` (two fields must be filled in together) were there while the code was written; ``list``,
``terms`` and ``blocks`` when the choice of probes was written; ``nested`` (French, a table for each
row in an outer table), ``icons`` (cards with icons, placeholders instead of labels, numbered pages)
and ``groups`` (definitions in groups, a pair of fields) were not looked at before.  Further ones
are in ``benchmarks.forms.markups``.
"""

from __future__ import annotations

import json
import random
import re
import threading
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate, product
from urllib.parse import parse_qsl, urlencode, urlsplit

Row = Mapping[str, str]
#: Rows of an answer, and of a page of results.
MOST_ROWS = 100
PAGE_ROWS = 25


@dataclass(frozen=True)
class Field:
    """A field of a form: its name in the query, its label, the column it searches in, and how:
    ``words`` of it, ``equal``, ``starts`` (the text begins with it), ``contains``, ``from`` and
    ``to`` (numbers and ISO dates, inclusive), or any of its columns (``column`` is then ``""``)."""

    name: str
    label: str
    column: str
    how: str = "words"
    options: tuple[str, ...] = ()


def next_link(url: str, number: int, last: int) -> str:
    if number >= last:
        return ""
    return f"<p class=pager><a rel=next href='{escape(url)}{number + 1}'>Next</a></p>"


@dataclass(frozen=True)
class Layout:
    """How a site shows its form and its answers.  ``needs``: fields that must be filled in
    together; ``pages``: whether answers have pages of results; ``status``: of the error page;
    ``writes``: how the values of a column are written; ``data``: the JSON of an answer, of its
    rows, of how many there are and of its page."""

    name: str
    fields: tuple[Field, ...]
    show: Callable[[Sequence[tuple[int, Row]]], str]
    form: Callable[[Sequence[Field]], str]
    needs: tuple[str, ...] = ()
    pages: bool = False
    status: int = 200
    pager: Callable[[str, int, int], str] = next_link
    words: Mapping[str, str] = field(default_factory=dict)
    method: str = "get"
    address: str = "/find"
    max_rows: int = MOST_ROWS
    page_rows: int = PAGE_ROWS
    writes: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    data: Callable[[Sequence[tuple[int, Row]], int, int], object] | None = None

    def say(self, text: str) -> str:
        """A text in the site's language."""
        return self.words.get(text, text)


_PARTS = (
    "bar con del fal gor hem jan kel lom mar nor pol quin ros sal tor ver wil".split(),
    "a e i o u an er il".split(),
    "ton ley ford by burg mont field wick ham stead".split(),
)
_FIRST_NAMES = "Ana Ben Cleo Dora Emil Fay Gus Hal Ida Jon Kay Leo Mia Ned Ola Pam Quin Ray Sue Tom"
_SUBJECTS = ("Art", "History", "Law", "Music", "Poetry", "Science", "Travel")


def make_rows(count: int, seed: int = 7) -> list[Row]:
    """A register of books: few words are in many titles, most in few (Zipf)."""
    chance = random.Random(seed)
    words = ["".join(parts) for parts in product(*_PARTS)]
    sums = list(accumulate(1 / (i + 1) ** 0.8 for i in range(len(words))))

    def word() -> str:
        return words[bisect(sums, chance.random() * sums[-1])]

    def row() -> Row:
        title = [word() for _ in range(chance.randint(1, 4))]
        title += chance.choice((["of", "the", word()], ["and", word()], ["in", "the", word()], []))
        surname = words[chance.randrange(200, 500)].title()
        return {
            "Title": " ".join(title).title(),
            "Author": f"{chance.choice(_FIRST_NAMES.split())} {surname}",
            "Year": str(chance.randint(1880, 2020)),
            "Subject": chance.choice(_SUBJECTS),
        }

    return [row() for _ in range(count)]


class TableSite:
    """Answers the requests of a site over some rows."""

    def __init__(self, rows: Sequence[Row], layout: Layout) -> None:
        self.rows = rows
        self.layout = layout
        #: The robots.txt; a site without one answers 404.
        self.robots = ""
        self.queries: list[dict[str, str]] = []
        #: The query, without the page, and the numbers of the rows of each answer that showed any.
        self.shown: list[tuple[tuple[tuple[str, str], ...], tuple[int, ...]]] = []
        self._with_word: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        self._equal: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        for number, row in enumerate(rows):
            for column, text in row.items():
                self._equal[column, text.casefold()].add(number)
                for word in split_words(text):
                    self._with_word[column, word].add(number)
                    self._with_word["", word].add(number)

    def find(self, query: Mapping[str, str]) -> list[int]:
        """The numbers of the rows that a query finds, in their order; none if a field that is
        needed is empty, or all are."""
        fields = [field for field in self.layout.fields if query.get(field.name, "").strip()]
        if not fields or any(not query.get(name, "").strip() for name in self.layout.needs):
            return []
        matching = [self._matching(field, query[field.name]) for field in fields]
        return sorted(set.intersection(*matching))

    def _matching(self, field: Field, value: str) -> set[int]:
        if field.how == "equal":
            return self._equal.get((field.column, value.strip().casefold()), set())
        if field.how != "words":
            return {i for i, row in enumerate(self.rows) if matches(field, value, row)}
        rows_of_words = []
        for word in split_words(value):
            rows_of_words.append(self._with_word.get((field.column, word), set()))
        if not rows_of_words:
            return set()
        return set.intersection(*rows_of_words)

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, str]:
        """The status and the HTML of a page."""
        layout = self.layout
        if path != layout.address:
            example = next(iter(self.rows[0].values()))
            hint = f"<p>{layout.say('For example')}: {escape(example)}"
            form = f"{layout.form(layout.fields)}<p>{layout.say('Search our register.')}{hint}"
            return 200, _page(layout.say("The register"), form)
        self.queries.append(query)
        asked = [value.strip() for name, value in query.items() if name != "page" and value.strip()]
        missing = [name for name in layout.needs if not query.get(name, "").strip()]
        if not asked or missing:
            what = f"{layout.say('Please fill in')} {', '.join(missing) or layout.say('a field')}."
            return layout.status, _page(layout.say("Error"), f"<div class=msg>{what}</div>")
        rows = self.find(query)
        if layout.data is not None:
            return 200, json.dumps(self._data(rows, query, layout.data), indent=1)
        if not rows:
            what = f"{layout.say('No entry for')} <b>{escape(' '.join(asked))}</b>."
            return layout.status, _page(layout.say("Nothing"), f"<div class=msg>{what}</div>")
        return 200, _page(layout.say("Results"), self._results(rows, query))

    def _results(self, rows: Sequence[int], query: dict[str, str]) -> str:
        layout = self.layout
        number, page_rows = self._show(rows, query)
        fields = {name: value for name, value in query.items() if name != "page"}
        count = f"<p>{len(rows)} {layout.say('entries found')}</p>"
        html = count + layout.show(page_rows)
        size = layout.page_rows if layout.pages else layout.max_rows
        last = -(-min(len(rows), layout.max_rows) // size)
        if last > 1:
            html += layout.pager(f"{layout.address}?{urlencode(fields)}&page=", number, last)
        return html

    def _data(
        self,
        rows: Sequence[int],
        query: dict[str, str],
        write: Callable[[Sequence[tuple[int, Row]], int, int], object],
    ) -> object:
        number, page_rows = self._show(rows, query)
        return write(page_rows, len(rows), number)

    def _show(
        self, rows: Sequence[int], query: Mapping[str, str]
    ) -> tuple[int, list[tuple[int, Row]]]:
        """The number of a page and its rows as they are written, which are noted as shown."""
        layout = self.layout
        size = layout.page_rows if layout.pages else layout.max_rows
        number = int(query.get("page", "1"))
        start = (number - 1) * size
        page_rows = rows[: layout.max_rows][start : start + size]
        fields = {name: value for name, value in query.items() if name != "page"}
        if page_rows or layout.data is None:
            self.shown.append((tuple(sorted(fields.items())), tuple(page_rows)))
        return number, [(i, self._written(self.rows[i])) for i in page_rows]

    def _written(self, row: Row) -> Row:
        writes = self.layout.writes
        if not writes:
            return row
        return {name: writes.get(name, str)(value) for name, value in row.items()}


def matches(field: Field, value: str, row: Row) -> bool:
    """Whether a row has the value of a field."""
    texts = [row[field.column]] if field.column else list(row.values())
    if field.how == "equal":
        return any(value.casefold() == text.casefold() for text in texts)
    if field.how == "starts":
        return any(text.casefold().startswith(value.strip().casefold()) for text in texts)
    if field.how == "contains":
        return any(value.strip().casefold() in text.casefold() for text in texts)
    if field.how in ("from", "to"):
        return any(_is_within(field.how, value.strip(), text) for text in texts)
    words = {word for text in texts for word in split_words(text)}
    return all(word in words for word in split_words(value))


def _is_within(side: str, bound: str, text: str) -> bool:
    """Whether a number or an ISO date is at or above (``from``) or below (``to``) a bound; what is
    of another form never is."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", bound):
            return False
        return text >= bound if side == "from" else text <= bound
    try:
        difference = float(text) - float(bound)
    except ValueError:
        return False
    return difference >= 0 if side == "from" else difference <= 0


@lru_cache(100_000)
def split_words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.casefold()))


def _page(title: str, body: str) -> str:
    return (
        f"<!DOCTYPE html><html lang=en><head><title>{title} - The public register</title></head>"
        "<body><div id=head><a href=/>Home</a> <a href=/about>About the register</a></div>"
        f"<h1>{title}</h1>{body}<div id=foot>The register is kept by the town hall.</div></body>"
    )


def _inputs(fields: Sequence[Field], label: str) -> str:
    return "".join(label.format(name=f.name, label=f.label, control=_control(f)) for f in fields)


def _control(field: Field) -> str:
    if not field.options:
        return f'<input type="text" name="{field.name}" id="f-{field.name}">'
    options = "".join(f"<option value='{escape(o)}'>{escape(o)}</option>" for o in field.options)
    names = f'name="{field.name}" id="f-{field.name}"'
    return f'<select {names}><option value="">Any</option>{options}</select>'


def _labelled(fields: Sequence[Field]) -> str:
    label = '<p><label for="f-{name}">{label}</label> {control}</p>'
    return f"<form action=/find>{_inputs(fields, label)}<input type=submit value=Search></form>"


def _two_forms(fields: Sequence[Field]) -> str:
    login = (
        "<form action=/login method=post><input name=user><input type=password name=pw>"
        "<button>Log in</button></form>"
    )
    rows = _inputs(fields, "<tr><td>{label}:</td><td>{control}</td></tr>")
    return f"{login}<form action=/find><table>{rows}</table><button>Find</button></form>"


def _unlabelled(fields: Sequence[Field]) -> str:
    return f"<form role=search action=find>{_inputs(fields, '{label} {control}<br>')}</form>"


def _table(rows: Sequence[tuple[int, Row]]) -> str:
    if not rows:  # a page beyond the last one
        return "<table class=results></table>"
    _, first_row = rows[0]
    head = "".join(f"<th>{escape(name)}</th>" for name in first_row)
    body = ""
    for _, row in rows:
        cells = "".join(f"<td>{escape(value)}</td>" for value in row.values())
        body += f"<tr>{cells}</tr>"
    return f"<table class=results><tr>{head}</tr>{body}</table>"


def _cards(rows: Sequence[tuple[int, Row]]) -> str:
    cards = ""
    for number, row in rows:
        (_, title), *details = row.items()
        texts = ""
        for name, value in details:
            first_word = name.split()[0].lower()
            texts += f"<p class='v-{first_word}'>{escape(value)}</p>"
        heading = f"<h3><a href=/entry/{number}>{escape(title)}</a></h3>"
        cards += f"<div class=card>{heading}{texts}</div>"
    return f"<div class=grid>{cards}</div>"


def _definitions(rows: Sequence[tuple[int, Row]]) -> str:
    html = ""
    for _, row in rows:
        terms = ""
        for name, value in row.items():
            terms += f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
        html += f"<dl class=hit>{terms}</dl>"
    return html


def _items(rows: Sequence[tuple[int, Row]]) -> str:
    items = ""
    for _, row in rows:
        title, *details = row.values()
        spans = ""
        for i, value in enumerate(details):
            spans += f"<span class=c{i}>{escape(value)}</span> "
        items += f"<li><strong>{escape(title)}</strong> {spans}</li>"
    return f"<ol class=hits>{items}</ol>"


def _blocks(rows: Sequence[tuple[int, Row]]) -> str:
    blocks = ""
    for number, row in rows:
        lines = ""
        for i, (name, value) in enumerate(row.items()):
            label = f"<span class=k>{escape(name)}:</span>"
            lines += f"<div class=line>{label} <span class=x{i}>{escape(value)}</span></div>"
        blocks += f"<article class=rec id=r{number}>{lines}</article>"
    return f"<section>{blocks}</section>"


_FRENCH = {
    "The register": "Le registre",
    "Search our register.": "Interrogez notre registre.",
    "For example": "Par exemple",
    "Please fill in": "Veuillez remplir",
    "a field": "un champ",
    "Error": "Erreur",
    "Nothing": "Aucun résultat",
    "No entry for": "Aucune fiche pour",
    "Results": "Résultats",
    "entries found": "fiches trouvées",
}


def _french_form(fields: Sequence[Field]) -> str:
    rows = ""
    for form_field in fields:
        control = _control(form_field).replace(">Any<", ">Tous<")
        rows += f"<tr><td>{escape(form_field.label)}<td>{control}"
    return (
        f"<form action=/find method=get><fieldset><legend>Recherche avancée</legend><table>{rows}"
        "</table></fieldset><input type=submit value=Chercher></form>"
    )


def _nested(rows: Sequence[tuple[int, Row]]) -> str:
    tables = ""
    for _, row in rows:
        cells = ""
        for name, value in row.items():
            cells += f"<tr><td class=lib>{escape(name)} :</td><td>{escape(value)}</td></tr>"
        tables += f"<tr><td><table class=fiche>{cells}</table></td></tr>"
    return f"<table width=100%>{tables}</table>"


def _placeholders(fields: Sequence[Field]) -> str:
    controls = ""
    for form_field in fields:
        control = _control(form_field).replace("<input", f"<input placeholder={form_field.label!r}")
        controls += f"<div>{control}</div>"
    search = "<form action=/find class=quick><input name=q type=search><button>Go</button></form>"
    return f"{search}<form action=/find class=big>{controls}<button>Show all</button></form>"


def _icons(rows: Sequence[tuple[int, Row]]) -> str:
    cards = ""
    for number, row in rows:
        title, *details = row.values()
        lines = ""
        for i, value in enumerate(details):
            lines += f"<li><i class='icon icon-{i}'></i><span>{escape(value)}</span></li>"
        cards += (
            f"<div class='col'><div class='tile'><img src=/pic/{number}.png alt=''>"
            f"<a class=go href='/show?id={number}'><b>{escape(title)}</b></a><ul>{lines}</ul>"
            "<button>Add to list</button></div></div>"
        )
    return f"<main><div class=row>{cards}</div></main>"


def _numbers(url: str, number: int, last: int) -> str:
    if number >= last:
        return ""
    links = ""
    for i in range(1, last + 1):
        if i == number:
            links += f"<li><b>{i}</b></li>"
        else:
            links += f"<li><a href='{escape(url)}{i}'>{i}</a></li>"
    return f"<ul class=pagination>{links}<li><a href='{escape(url)}{number + 1}'>\u203a</a></ul>"


def _groups(rows: Sequence[tuple[int, Row]]) -> str:
    groups = []
    for _, row in rows:
        (title_name, title), *details = row.items()
        pairs = ""
        for name, value in details:
            pairs += (
                f"<div class=pair><dt>{escape(name)}</dt><dd><em>{escape(value)}</em></dd></div>"
            )
        terms = f"<dl title='{escape(title_name)}'>{pairs}</dl>"
        groups.append(f"<section><h2>{escape(title)}</h2>{terms}</section>")
    return "<hr>".join(groups)


def layouts(rows: Sequence[Row]) -> dict[str, Layout]:
    """The layouts over rows whose first column is a name, and whose last but one and last columns
    have few values."""
    name, second, *_, choice = rows[0]
    options = tuple(sorted({row[choice] for row in rows}))
    words = Field("q", name, name)
    second_field = Field("b", second, second)
    chosen = Field("c", choice, choice, "equal", options)
    anything = Field("all", "Anything", "")
    return {
        "table": Layout("table", (words, second_field, chosen), _table, _labelled),
        "cards": Layout("cards", (words, second_field, chosen), _cards, _two_forms, pages=True),
        "pairs": Layout(
            "pairs", (words, second_field, chosen), _definitions, _labelled, needs=("q", "c")
        ),
        "list": Layout("list", (second_field, chosen, words), _items, _unlabelled, status=404),
        "terms": Layout("terms", (anything,), _definitions, _unlabelled),
        "blocks": Layout("blocks", (words, second_field), _blocks, _two_forms, pages=True),
        "nested": Layout(
            "nested",
            (second_field, words, chosen),
            _nested,
            _french_form,
            status=404,
            words=_FRENCH,
        ),
        "icons": Layout(
            "icons",
            (words, chosen, second_field),
            _icons,
            _placeholders,
            pages=True,
            pager=_numbers,
        ),
        "groups": Layout(
            "groups", (chosen, words, second_field), _groups, _labelled, needs=("q", "c")
        ),
    }


@contextmanager
def serve_table(site: TableSite) -> Iterator[str]:
    """Serve a site; the URL of its page with the form."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/robots.txt":
                status = 200 if site.robots else 404
                html = site.robots
            else:
                status, html = site.answer(parts.path, dict(parse_qsl(parts.query)))
            self._send(parts.path, status, html)

        def do_POST(self) -> None:
            """A form that is sent with POST; its further pages are links."""
            length = int(self.headers.get("Content-Length", "0"))
            text = self.rfile.read(length).decode()
            path = urlsplit(self.path).path
            status, html = site.answer(path, dict(parse_qsl(text)))
            self._send(path, status, html)

        def _send(self, path: str, status: int, html: str) -> None:
            body = html.encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", html)
            is_data = path == site.layout.address and site.layout.data is not None
            media_type = "application/json" if is_data else "text/html; charset=utf-8"
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """No lines on the terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()
