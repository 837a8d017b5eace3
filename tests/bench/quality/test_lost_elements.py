"""Elements between kept text that an article lost."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.quality.lost_elements import FoundElement, find_elements, find_site_urls, summarize
from forest_scrapy.core import Page
from forest_scrapy.core.page.page import Extract
from forest_scrapy.core.wrapper import Wrapper

from ..helpers import Run

URL = "https://owl.example/a"
OWLS = "Owls hunt in the night and sleep by day in hollow trees."
VOLES = "Voles are what most of them eat all through the winter."
LIST = "<ul><li>Barn owls hunt over open fields.</li><li>Eagle owls hunt in the hills.</li></ul>"
GOLD = "\n".join((OWLS, "Barn owls hunt over open fields.", "Eagle owls hunt in the hills.", VOLES))


def read(middle: str, keep: str = "//p", before: str = "", gold: str = GOLD) -> list[FoundElement]:
    html = f"<main>{before}<div><p>{OWLS}</p>{middle}<p>{VOLES}</p></div></main>"
    page = Page.from_html(html, URL)
    extract: Extract = Wrapper("test", (keep,), take="all").apply(page)
    assert OWLS in extract.text
    return find_elements(page, extract, gold)


def kinds(elements: list[FoundElement]) -> list[tuple[str, bool]]:
    return [(element.kind, element.is_kept) for element in elements]


def test_a_list_of_the_article_is_lost_if_only_paragraphs_are_kept() -> None:
    assert kinds(read(LIST)) == [("list", False)]
    assert kinds(read(LIST, keep="//div")) == [("list", True)]


def test_a_list_that_is_not_in_the_correct_text_does_not_count() -> None:
    assert read(LIST, gold=f"{OWLS}\n{VOLES}") == []


def test_only_what_stands_between_kept_text_counts() -> None:
    assert read("", before=f'{LIST}<img src="/before.jpg">') == []


def test_images_and_frames_between_paragraphs_are_lost_or_kept_by_their_url() -> None:
    media = (
        '<figure><img src="/owl.jpg"></figure><iframe src="https://tv.example/embed/1"></iframe>'
    )
    assert kinds(read(media)) == [("image", False), ("video", False)]
    assert kinds(read(media, keep="//div")) == [("image", True), ("video", True)]


def test_a_picture_of_a_formula_that_is_in_the_text_is_kept() -> None:
    formula = '<p>So <img src="https://latex.codecogs.com/gif.latex?x%5E2"> it is.</p>'
    assert kinds(read(formula, keep="//div")) == [("image", True)]


def test_numbers_of_lines_are_no_code() -> None:
    code = "<pre>1\n2</pre>"
    assert read(code, gold=f"{OWLS}\n1\n2\n{VOLES}") == []


def test_icons_pixels_and_avatars_are_no_images_of_the_article() -> None:
    assert read('<img src="/pixel.gif" width="1" height="1">') == []
    assert read('<img src="/smile.png" class="wp-smiley">') == []
    assert read('<img src="/print.png" width="16">') == []


def test_what_looks_like_boilerplate_does_not_count() -> None:
    picture = '<img src="/other.jpg">'
    assert read(f'<div class="related-posts">{picture}</div>') == []
    assert read(f"<aside>{picture}</aside>") == []
    assert read(f'<div>{picture}<a href="/b">Another story about eagles</a></div>') == []


def test_pictures_of_several_pages_belong_to_the_site() -> None:
    shared = '<img src="/logo.jpg"><img src="/{}.jpg">'
    pages = [Page.from_html(shared.format(number), URL) for number in range(3)]
    assert find_site_urls(pages) == {"https://owl.example/logo.jpg"}


def test_an_inner_list_does_not_count_beside_its_outer_one() -> None:
    inner = LIST.replace("</li></ul>", f"{LIST}</li></ul>")
    assert kinds(read(inner)) == [("list", False)]


def test_the_sites_that_lose_most_come_first() -> None:
    lost = FoundElement("code", False, "")
    kept = FoundElement("code", True, "")
    report = summarize({"elm": [kept], "oak": [lost], "owl": [lost, lost]}, worst=5)
    assert report["kinds"]["code"] == {"total": 4, "lost": 3}
    assert [row["site"] for row in report["worst_sites"]] == ["owl", "oak"]


def test_the_command_reads_a_set(small_set: Path, run: Run) -> None:
    done = run("quality.lost_elements", small_set, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    (report,) = json.loads(done.stdout).values()
    assert report["kinds"].keys() >= {"image", "list", "code"}
    done = run("quality.lost_elements", small_set, "--single", "--sites", "1")
    assert "elements between kept text" in done.stdout
