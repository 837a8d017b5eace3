"""The made sites behind forms."""

from __future__ import annotations

import pytest

from benchmarks.forms.markups import further_layouts
from benchmarks.forms.sites import TableSite, layouts, make_rows

ROWS = make_rows(30)
LAYOUTS = {**layouts(ROWS), **further_layouts(ROWS)}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_page_beyond_the_last_one_has_no_rows(name: str) -> None:
    """It is asked for by a reader that counts further than the links lead."""
    layout = LAYOUTS[name]
    site = TableSite(ROWS, layout)
    query = {field.name: ROWS[0].get(field.column) or next(iter(ROWS[0].values()))
             for field in layout.fields}  # fmt: skip
    assert site.answer(layout.address, query)[0] == 200
    status, html = site.answer(layout.address, {**query, "page": "99"})
    assert status == 200
    assert next(iter(ROWS[0].values())) not in html
