"""The full text of a feed entry, beside the text of its page."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Entry
from forest_scrapy.core.fields.text_sources import is_better, read_entry, read_full_text

TEXT = " ".join(f"word{i} comes after word{i - 1}." for i in range(40))
HALF = TEXT[: len(TEXT) // 2]


@pytest.mark.parametrize(
    ("full", "found", "better"),
    [
        (TEXT, HALF, True),
        (TEXT, "", True),
        (TEXT, "Another text, " * 100, False),
        (TEXT, TEXT, False),
        (TEXT, f"More. {TEXT} And more.", False),
        (TEXT, TEXT[: int(len(TEXT) * 0.9)], False),
        (f"{HALF} The post about it appeared first on the site of the feed.", HALF, False),
        (f"{HALF} ...", "", False),
        (f"{HALF} […]", "", False),
        (f"{HALF}… Continue reading", "", False),
        ("Too short to be the article.", "", False),
        ("", "", False),
    ],
)
def test_the_better_text(full: str, found: str, better: bool) -> None:
    assert is_better(full, found) is better


def test_the_content_of_an_entry() -> None:
    entry = Entry(
        title="Owls",
        description="A summary",
        content="<p onclick=x()>Two <b>owls</b></p><img src=a.jpg><script>x</script><p>and",
    )
    content = read_full_text(entry, "http://a.example/x/")
    assert content.text == "Two owls\nand"
    assert [image.url for image in content.images] == ["http://a.example/x/a.jpg"]
    assert read_entry(entry, "").text == "Two owls\nand"
    assert read_entry(Entry(title="Owls", description="A summary"), "").text == "A summary"
    assert read_entry(Entry(title="Owls", content="<img src=a.jpg>"), "").text == "Owls"
    assert read_entry(Entry(), "").text == ""
