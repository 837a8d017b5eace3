from __future__ import annotations

from forest_scrapy.core import Page, learn
from forest_scrapy.report.contents import ReportPage, ReportTemplate
from forest_scrapy.report.template_view import HostDistances, view_template
from forest_scrapy.settings import ForestSettings


def test_pages_of_a_template_agree(pages: list[Page]) -> None:
    config, odd = (
        ForestSettings(),
        Page.from_html("<p>Closed today.</p>", "http://demo.example/odd"),
    )
    shown = tuple(ReportPage(p.url, "article", lambda p=p: p) for p in (*pages[:4], odd))
    template = ReportTemplate("demo.example", "news", learn(pages), shown)
    distances = HostDistances(config)
    view, _ = view_template(template, distances, config.params)
    *others, of_odd = [row.agreement or 0.0 for row in view.pages]
    assert of_odd < 0.2
    assert min(others) > 0.4
    assert {bar.kind for bar in view.pages[0].bars} >= {"kept", "other"}
    assert distances.picture() is not None
    drawn = distances.map_of({row.digest for row in view.pages})
    assert set(drawn.places) == {row.digest for row in view.pages}
