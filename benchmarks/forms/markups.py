"""Further layouts of made sites, in markups that are usual and have no class of their own.

``errors`` (a table in pages of ten, error pages with status 200), ``post`` (sent with POST, cards
of definitions, at most 40), ``bare`` (a table without a header, pages by their numbers), ``flat``
(one list of definitions for all), ``starts`` (a list of definitions a record, texts that begin with
the word), ``headings`` (headings and the paragraphs after them), ``data`` (answers in JSON) and
``script`` (a script asks an address for JSON) were written before the code that reads them.
``tworows`` (two rows a record), ``spans`` (cells over several rows), ``lines`` (lines that ``br``
ends), ``links`` (each record is a link), ``ranges`` (cards, and ranges of numbers and dates) and
``equals`` (only whole values) were written after it from a list of usual markups, and not looked
at before they were measured once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from benchmarks.forms.sites import Field, Layout, Row, next_link

#: How many rows the answers of most of these sites show, and how many of a page.
_MAX_ROWS = 200
_PAGE_ROWS = 10
_SMALL_CAP = 40


def with_thousands(number: str) -> str:
    """A whole number in groups of three digits.

    >>> with_thousands("1234567")
    '1,234,567'
    """
    return f"{int(number):,}"


def _search(fields: Sequence[Field], attributes: str, button: str = "Search") -> str:
    lines = ""
    for field in fields:
        lines += f"<div><label>{escape(field.label)} {_control(field)}</label></div>"
    return f"<form {attributes}>{lines}<button type=submit>{button}</button></form>"


def _control(field: Field) -> str:
    if not field.options:
        return f"<input name={field.name} size=30>"
    options = "<option value=''>- all -</option>"
    for option in field.options:
        options += f"<option>{escape(option)}</option>"
    return f"<select name={field.name}>{options}</select>"


def _get_form(fields: Sequence[Field]) -> str:
    return _search(fields, "action=/find method=get")


def _post_form(fields: Sequence[Field]) -> str:
    return _search(fields, "action=/find method=post", "Find entries")


def _data_form(fields: Sequence[Field]) -> str:
    return _search(fields, "action=/api/entries method=get")


def _script_form(fields: Sequence[Field]) -> str:
    form = _search(fields, "id=search-form")
    script = """
    const endpoint = "/api/v1/entries";
    const form = document.getElementById("search-form");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const query = new URLSearchParams(new FormData(form));
      const answer = await fetch(`${endpoint}?${query}`);
      const { entries } = await answer.json();
      const list = document.getElementById("entries");
      list.replaceChildren(...entries.map((entry) => {
        const item = document.createElement("li");
        item.textContent = entry.name;
        return item;
      }));
    });
    """
    return f"{form}<ul id=entries></ul><script>{script}</script>"


def _wide_table(rows: Sequence[tuple[int, Row]]) -> str:
    if not rows:
        return ""
    _, first_row = rows[0]
    head = "".join(f"<th>{escape(name)}" for name in first_row)
    body = ""
    for number, row in rows:
        title, *values = row.values()
        cells = f"<td><a href='/entry?id={number}'>{escape(title)}</a>"
        cells += "".join(f"<td>{escape(value)}" for value in values)
        body += f"<tr>{cells}"
    return f"<table border=1><thead><tr>{head}<tbody>{body}</table>"


def _cards_of_terms(rows: Sequence[tuple[int, Row]]) -> str:
    cards = ""
    for _, row in rows:
        (_, title), *pairs = row.items()
        terms = "".join(f"<dt>{escape(name)}<dd>{escape(value)}" for name, value in pairs)
        cards += f"<div class=box><h4>{escape(title)}</h4><dl>{terms}</dl></div>"
    return f"<div class=boxes>{cards}</div>"


def _bare_table(rows: Sequence[tuple[int, Row]]) -> str:
    body = ""
    for _, row in rows:
        title, *values = row.values()
        cells = "".join(f"<td>{escape(value)}</td>" for value in values)
        body += f"<tr><td><b>{escape(title)}</b></td>{cells}</tr>"
    return f"<table cellpadding=4>{body}</table>"


def _own_number_in_brackets(url: str, number: int, last: int) -> str:
    links = []
    for page in range(1, last + 1):
        if page == number:
            links.append(f"[{page}]")
        else:
            links.append(f"<a href='{escape(url)}{page}'>{page}</a>")
    return f"<p align=center>{' '.join(links)}</p>"


def _next_or_previous(url: str, number: int, last: int) -> str:
    previous_link = ""
    if number > 1:
        previous_link = f"<a href='{escape(url)}{number - 1}'>Previous</a> "
    following = ""
    if number < last:
        following = f"<a href='{escape(url)}{number + 1}'>Next</a>"
    return f"<div>{previous_link}Page {number} of {last} {following}</div>"


def _flat_terms(rows: Sequence[tuple[int, Row]]) -> str:
    terms = ""
    for _, row in rows:
        terms += "".join(f"<dt>{escape(name)}</dt><dd>{escape(row[name])}</dd>" for name in row)
    return f"<dl>{terms}</dl>"


def _terms(rows: Sequence[tuple[int, Row]]) -> str:
    lists = ""
    for _, row in rows:
        terms = "".join(f"<dt>{escape(name)}:</dt><dd>{escape(row[name])}</dd>" for name in row)
        lists += f"<dl>{terms}</dl>"
    return lists


def _headings(rows: Sequence[tuple[int, Row]]) -> str:
    html = ""
    for number, row in rows:
        (_, title), *values = row.items()
        html += f"<h3><a href='/entry?id={number}'>{escape(title)}</a></h3>"
        for name, value in values:
            html += f"<p>{escape(name)}: {escape(value)}</p>"
    return html


def _two_rows(rows: Sequence[tuple[int, Row]]) -> str:
    if not rows:
        return ""
    _, first_row = rows[0]
    *names, _, _ = first_row
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = ""
    for _, row in rows:
        *values, before_last, last = row.items()
        cells = "".join(f"<td>{escape(value)}</td>" for _, value in values)
        rest = f"{before_last[0]}: {before_last[1]}"
        body += f"<tr class=main>{cells}</tr><tr class=more><td>{escape(rest)}</td>"
        body += f"<td colspan={len(values) - 1}>{escape(last[0])}: {escape(last[1])}</td></tr>"
    return f"<table id=hits><tr>{head}</tr>{body}</table>"


def _high_cells(rows: Sequence[tuple[int, Row]]) -> str:
    body = ""
    for _, row in rows:
        (_, title), *pairs = row.items()
        for number, (name, value) in enumerate(pairs):
            head = "" if number else f"<td rowspan={len(pairs)}><b>{escape(title)}</b></td>"
            body += f"<tr>{head}<th>{escape(name)}</th><td>{escape(value)}</td></tr>"
    return f"<table>{body}</table>"


def _lines(rows: Sequence[tuple[int, Row]]) -> str:
    records = []
    for _, row in rows:
        lines = [f"<b>{escape(name)}:</b> {escape(value)}" for name, value in row.items()]
        records.append("<br>".join(lines))
    return f"<div id=list>{'<br><br>'.join(records)}</div>"


def _links(rows: Sequence[tuple[int, Row]]) -> str:
    links = ""
    for number, row in rows:
        title, *values = row.values()
        texts = "".join(
            f"<span class=f{i}>{escape(value)}</span> " for i, value in enumerate(values)
        )
        links += (
            f"<a class=result href='/entry/{number}'><strong>{escape(title)}</strong> {texts}</a>"
        )
    return f"<div class=results>{links}</div>"


def _labelled_cards(rows: Sequence[tuple[int, Row]]) -> str:
    cards = ""
    for _, row in rows:
        (_, title), *pairs = row.items()
        lines = ""
        for name, value in pairs:
            lines += f"<div><span class=k>{escape(name)}</span><span>{escape(value)}</span></div>"
        cards += f"<div class=entry><div class=t>{escape(title)}</div>{lines}</div>"
    return f"<div class=entries>{cards}</div>"


def _range_form(fields: Sequence[Field]) -> str:
    form = _search(fields, "action=/find method=get")
    for field in fields:
        if field.how in ("from", "to"):
            kind = "date" if field.column == "Date" else "number"
            form = form.replace(f"name={field.name} size=30", f"name={field.name} type={kind}")
    return form


def _in_miles(number: str) -> str:
    return f"{int(number):,} mi"


def _flat_data(rows: Sequence[tuple[int, Row]], count: int, page: int) -> object:
    items = [_keys(row) for _, row in rows]
    return {"meta": {"total": count, "page": page}, "items": items}


def _nested_data(rows: Sequence[tuple[int, Row]], count: int, page: int) -> object:
    entries = []
    for number, row in rows:
        keys = list(_keys(row).items())
        entries.append({"uri": f"/entry/{number}", **dict(keys[:2]), "details": dict(keys[2:])})
    return {"status": "ok", "count": count, "entries": entries}


def _keys(row: Row) -> dict[str, object]:
    """A row as JSON has it: names as keys of one word, whole numbers as numbers."""
    keys: dict[str, object] = {}
    for name, value in row.items():
        key = name.lower().replace(" ", "_")
        keys[key] = int(value) if value.isdecimal() else value
    return keys


def further_layouts(rows: Sequence[Row]) -> dict[str, Layout]:
    """The layouts over rows as those of ``benchmarks.forms.sites.layouts``; columns whose values
    are all whole numbers are written with separators."""
    name, second, *_, choice = rows[0]
    options = tuple(sorted({row[choice] for row in rows}))
    words = Field("name", name, name)
    contained = Field("name", name, name, "contains")
    starting = Field("name", f"{name} begins with", name, "starts")
    second_words = Field("second", second, second)
    chosen = Field("kind", choice, choice, "equal", options)
    anything = Field("q", "Search for", "")
    writes = {}
    for column in rows[0]:
        if all(row[column].isdecimal() and str(int(row[column])) == row[column] for row in rows):
            writes[column] = with_thousands
    layouts = (
        Layout(
            "errors",
            (contained, second_words, chosen),
            _wide_table,
            _get_form,
            pages=True,
            max_rows=_MAX_ROWS,
            page_rows=_PAGE_ROWS,
            pager=_next_or_previous,
            writes=writes,
        ),
        Layout(
            "post",
            (words, second_words, chosen),
            _cards_of_terms,
            _post_form,
            method="post",
            max_rows=_SMALL_CAP,
            writes=writes,
        ),
        Layout(
            "bare",
            (anything, chosen),
            _bare_table,
            _get_form,
            pages=True,
            max_rows=_MAX_ROWS,
            page_rows=_PAGE_ROWS,
            pager=_own_number_in_brackets,
        ),
        Layout(
            "flat",
            (words, second_words, chosen),
            _flat_terms,
            _get_form,
            pages=True,
            pager=next_link,
            writes=writes,
        ),
        Layout("starts", (starting, chosen), _terms, _get_form, writes=writes),
        Layout(
            "headings",
            (words, second_words, chosen),
            _headings,
            _get_form,
            pages=True,
            pager=next_link,
        ),
        Layout(
            "data",
            (words, second_words, chosen),
            _terms,
            _data_form,
            address="/api/entries",
            data=_flat_data,
        ),
        Layout(
            "script",
            (words, chosen),
            _terms,
            _script_form,
            address="/api/v1/entries",
            data=_nested_data,
        ),
    )
    return {layout.name: layout for layout in (*layouts, *_later_layouts(rows, writes))}


def _later_layouts(
    rows: Sequence[Row],
    writes: Mapping[str, Callable[[str], str]],
) -> tuple[Layout, ...]:
    name, second, *_, choice = rows[0]
    options = {column: tuple(sorted({row[column] for row in rows})) for column in rows[0]}
    words = Field("title", name, name)
    contained = Field("text", name, name, "contains")
    second_words = Field("other", second, second)
    chosen = Field("group", choice, choice, "equal", options[choice])
    anything = Field("query", "Keywords", "")
    ends = []
    for column in ("Date", "Distance"):
        if column in rows[0]:
            key = column.lower()
            ends.append(Field(f"{key}_from", f"{column} from", column, "from"))
            ends.append(Field(f"{key}_to", f"{column} to", column, "to"))
    return (
        Layout("tworows", (words, second_words, chosen), _two_rows, _get_form, writes=writes),
        Layout("spans", (contained, chosen), _high_cells, _get_form, status=404, writes=writes),
        Layout(
            "lines",
            (words, second_words, chosen),
            _lines,
            _get_form,
            pages=True,
            pager=next_link,
        ),
        Layout("links", (anything, chosen), _links, _get_form, max_rows=_MAX_ROWS),
        Layout(
            "ranges",
            (words, *ends),
            _labelled_cards,
            _range_form,
            writes={"Distance": _in_miles},
        ),
        Layout(
            "equals",
            (
                Field("name", name, name, "equal"),
                Field("second", second, second, "equal", options[second]),
                chosen,
            ),
            _wide_table,
            _get_form,
        ),
    )
