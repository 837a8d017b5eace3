"""The benchmark of how the time of a page grows."""

from __future__ import annotations

import pytest
from lxml.html import document_fromstring

from benchmarks.speed import growth
from benchmarks.speed.growth import SHAPES, Shape, growth_of, main, make_page
from forest_scrapy import extract_pages


@pytest.mark.parametrize(("power", "is_bad"), [(1.0, False), (1.25, False), (1.5, True)])
def test_the_exponent_is_that_of_the_time_of_what_repeats(
    power: float, is_bad: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def seconds(shape: Shape, count: int, pages: int) -> tuple[float, tuple[str, ...]]:
        return 0.5 + pages * count**power / 1_000, ("Article",)

    monkeypatch.setattr(growth, "_seconds", seconds)
    result = growth_of("siblings", "alone", 100)
    assert result.exponent == pytest.approx(power)
    assert result.seconds == pytest.approx(400**power / 1_000)
    assert main(["siblings", "--check", "--ways", "alone,template"]) == int(is_bad)
    assert ("| above 1.3" in capsys.readouterr().out) == is_bad
    assert main(["siblings", "--ways", "alone"]) == 0


def test_a_busy_machine_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 16.0, 1.0, 0.0, 4.0, 1.0])
    monkeypatch.setattr(growth, "_seconds", lambda *arguments: (next(times), ()))
    assert growth_of("siblings", "alone").exponent == pytest.approx(1.0)


def test_sizes_whose_items_are_of_another_kind_are_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def seconds(shape: Shape, count: int, pages: int) -> tuple[float, tuple[str, ...]]:
        return (count / 100, ("WebPage",)) if count >= 200 else (count / 1_000, ("Thread",))

    monkeypatch.setattr(growth, "_seconds", seconds)
    assert growth_of("siblings", "alone", 100).exponent == pytest.approx(1.0)


def test_there_are_twenty_shapes_and_more_that_grow_with_their_number() -> None:
    assert len(SHAPES) >= 20
    for shape in SHAPES.values():
        lengths = [len(make_page(shape, count, 1)) for count in (0, 400, 1_600)]
        assert 2 * (lengths[1] - lengths[0]) < lengths[2] - lengths[0]
        assert len(document_fromstring(make_page(shape, 1_600, 1)).xpath("//*")) < 8_000


def test_a_real_page_is_timed() -> None:
    assert growth._seconds(SHAPES["headings"], 20, 1)[0] > 0
    pages = [("https://a.example/stories/1", make_page(SHAPES["headings"], 20, 1))]
    assert [item.title for item in extract_pages(pages)] == ["Story lantern1"]
