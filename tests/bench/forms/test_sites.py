"""The made sites behind forms."""

from __future__ import annotations

import pytest

from benchmarks.forms.sites import TableSite, layouts, make_rows

ROWS = make_rows(30)


@pytest.mark.parametrize("name", layouts(ROWS))
def test_a_page_beyond_the_last_one_has_no_rows(name: str) -> None:
    """It is asked for by a reader that counts further than the links lead."""
    layout = layouts(ROWS)[name]
    site = TableSite(ROWS, layout)
    query = {field.name: ROWS[0].get(field.column) or next(iter(ROWS[0].values()))
             for field in layout.fields}  # fmt: skip
    assert site.answer("/find", query)[0] == 200
    status, html = site.answer("/find", {**query, "page": "99"})
    assert status == 200
    assert next(iter(ROWS[0].values())) not in html
