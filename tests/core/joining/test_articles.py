"""One article of the parts that its pages have."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from effort import limited_effort

from forest_scrapy.core import Article, Extraction, Page, extract_page
from forest_scrapy.core.extraction import Visit
from forest_scrapy.core.joining.articles import join_articles
from forest_scrapy.core.options import Options

URL = "http://a.example/owls/"
BOTH = ("text", "html")


def line(word: str) -> str:
    return f"The {word} owl sat on the old beam of the barn and looked at all of us in silence."


def part(
    number: int, *lines: str, title: str = "Owls in the snow", html: str = "", **fields: Any
) -> dict[str, Any]:
    url = URL if number == 1 else f"{URL}{number}/"
    html = html or "".join(f"<p>{one}</p>" for one in lines)
    article = Article(url, title, "\n".join(lines), html, pages=[url], **fields)
    return asdict(article)


def join(*pages: dict[str, Any], formats: tuple[str, ...] = BOTH) -> Article:
    return join_articles(pages, formats)[0]


def test_the_content_of_all_pages_in_their_order() -> None:
    image = {"url": "http://a.example/owl.jpg", "alt": "", "caption": ""}
    first = part(1, line("first"), images=[image], next_page=f"{URL}2/", published="2024-05-01")
    second = part(2, line("second"), images=[image], published="2024-06-01", authors=["Ana"])
    joined = join(first, second, formats=("text", "html", "markdown"))
    assert joined.text == f"{line('first')}\n{line('second')}"
    assert joined.html == f"<p>{line('first')}</p><p>{line('second')}</p>"
    assert joined.markdown.split("\n\n") == [line("first"), line("second").strip()]
    assert (joined.url, joined.published, joined.authors) == (URL, "2024-05-01", [])
    assert (joined.images, joined.next_page) == ([image], "")
    assert joined.pages == [URL, f"{URL}2/"]
    assert joined.word_count == len(joined.text.split())


def test_footnotes_of_each_page_stay_with_its_marks() -> None:
    mark = '<sup class="footnote-ref"><a href="#fn-1">[1]</a></sup>'
    html = f'<p>{{}}{mark}</p><ol><li id="fn-1">{{}}</li></ol>'
    first = part(1, line("first"), "[1] Barn.", html=html.format(line("first"), "Barn."))
    second = part(2, line("second"), "[1] Tree.", html=html.format(line("second"), "Tree."))
    joined = join(first, second, formats=("html", "markdown"))
    assert [joined.html.count(f'id="{name}"') for name in ("fn-1", "fn-1p2")] == [1, 1]
    assert [joined.html.count(f'href="#{name}"') for name in ("fn-1", "fn-1p2")] == [1, 1]
    assert "silence.[^1p2]" in joined.markdown
    assert "[^1p2]: Tree." in joined.markdown


def test_thousands_of_notes_with_one_id_take_linear_time() -> None:
    notes = '<li id="fn-1">Barn.</li>' * 5_000
    html = f"<p>{line('first')}</p><ol>{notes}</ol>"
    with limited_effort(2):
        joined = join(part(1, line("first"), html=html), part(2, line("second")))
        assert 'id="fn-1p5000"' in joined.html


def test_the_forms_of_the_content_that_are_wanted() -> None:
    joined = join(part(1, line("first")), part(2, line("second")), formats=("text",))
    assert (joined.html, joined.markdown) == ("", "")
    assert joined.text


def test_what_further_pages_repeat_at_their_start() -> None:
    standfirst = "All that we know of the owls of the north, and of those who look for them."
    head = ("Owls in the snow", standfirst, "By Ana Lind")
    first = part(1, *head, line("first"))
    second = part(2, "Owls in the snow - page 2", standfirst, "By Ana Lind", line("second"))
    third = part(3, "Owls in the snow (3/3)", "Where they nest", line("third"), standfirst)
    joined = join(first, second, third)
    assert joined.text.split("\n") == [
        *head, line("first"), line("second"), "Where they nest", line("third"), standfirst
    ]  # fmt: skip
    assert joined.html.count("By Ana Lind") == 1
    assert "page 2" not in joined.html
    assert "<p>Where they nest</p>" in joined.html


def test_what_all_pages_have_at_their_end_is_at_the_end() -> None:
    about = "Ana Lind writes of birds."
    pages = [part(n, line(f"{n}th"), about, f"Pages: 1 2 {n}") for n in (1, 2, 3)]
    joined = join(*pages)
    assert joined.text.split("\n") == [line("1th"), line("2th"), line("3th"), about]
    assert joined.html.count(about) == 1
    assert "Pages" not in joined.html


@pytest.mark.parametrize("numbers", ["1984", "42", "12 45 33", "2024 2025", "1 2 3 4"])
def test_numbers_at_the_ends_of_a_page_that_are_no_page_numbers_stay(numbers: str) -> None:
    joined = join(part(1, line("first")), part(2, numbers, line("second")))
    assert numbers in joined.text.split("\n")
    assert f"<p>{numbers}</p>" in joined.html


@pytest.mark.parametrize("pager", ["1 2", "[1] [2]", "1 2 3 4 5 Next", "\u00ab 3 4", "Page 2 of 9"])
def test_numbers_of_pages_go(pager: str) -> None:
    joined = join(part(1, line("first"), pager), part(2, line("second")))
    assert joined.text == f"{line('first')}\n{line('second')}"


def test_numbers_of_pages_that_are_missing_go() -> None:
    second = part(2, line("second"), "1 2 3 4", next_page=f"{URL}3/")
    assert join(part(1, line("first")), second).text.endswith(line("second"))


def test_a_figure_whose_image_is_repeated_keeps_its_table() -> None:
    image = "<img src='http://a.example/o.jpg'>"
    first = part(1, line("first"), html=f"{image}<p>{line('first')}</p>")
    table = "<table><tr><td>Barn owls</td><td>12</td></tr></table>"
    figure = f"<figure>{image}{table}<figcaption>Owls</figcaption></figure>"
    second = part(2, line("second"), html=f"<p>{line('second')}</p>{figure}")
    joined = join(first, second)
    assert joined.html.count("<img") == 1
    assert "Barn owls" in joined.html
    assert "<figcaption>Owls" in joined.html


def test_a_repeated_box_goes_with_its_element_and_its_image() -> None:
    photo = "<figure><img src='http://a.example/o.jpg'><figcaption>An owl</figcaption></figure>"
    box = f"<div><h1>Owls in the snow</h1>{photo}</div>"
    pages = [
        part(n, "Owls in the snow", line(f"{n}th"), html=f"{box}<p>{line(f'{n}th')}</p>")
        for n in (1, 2)
    ]
    joined = join(*pages)
    assert joined.html.count("<h1>") == joined.html.count("<img") == 1
    assert joined.html.count("An owl") == 1


def test_text_that_is_repeated_within_the_article_stays() -> None:
    refrain = "Who, who are you?"
    first = part(1, line("first"), refrain, line("second"))
    second = part(2, line("third"), refrain, line("fourth"))
    assert join(first, second).text.count(refrain) == 2


def test_short_lines_that_are_repeated_after_the_start_stay() -> None:
    dialogue = ("ふくろうはどこ。", "はい", "雪の下です。")
    first = part(1, "こんにちは", "はい", "夕方です。")
    second = part(2, *dialogue)
    joined = join(first, second)
    assert joined.text.split("\n")[3:] == list(dialogue)
    assert joined.html.count("<p>はい</p>") == 2


def test_a_chorus_at_the_start_of_a_further_page_stays() -> None:
    """A line that the first page has twice, or far from its ends, is none of the page's frame."""
    chorus = "Owls in the snow, owls in the snow."
    verses = [line(word) for word in ("first", "second", "third", "fourth")]
    first = part(1, verses[0], chorus, verses[1], chorus)
    second = part(2, chorus, verses[2], chorus)
    joined = join(first, second)
    assert joined.text.split("\n")[-3:] == [chorus, verses[2], chorus]
    assert joined.html.count(chorus) == 4

    many = [line(f"verse {number}") for number in range(12)]
    first = part(1, *many, chorus, *[line(f"more {number}") for number in range(12)])
    joined = join(first, part(2, chorus, verses[2]))
    assert joined.text.split("\n")[-2:] == [chorus, verses[2]]


def test_a_page_that_is_an_earlier_one_again_ends_the_article() -> None:
    lines = [line(word) for word in ("first", "second", "third", "fourth", "fifth", "sixth")]
    first = part(1, *lines, next_page=f"{URL}2/")
    again = part(2, *lines, "Other comments", next_page=f"{URL}3/")
    joined, number = join_articles((first, again), BOTH)
    assert (joined.text, joined.pages, joined.next_page) == ("\n".join(lines), [URL], "")
    assert number == 2


def test_a_page_of_another_article_is_left() -> None:
    first = part(1, line("first"), next_page=f"{URL}2/")
    other = part(2, line("second"), title="Mice of the barn")
    joined, number = join_articles((first, other), BOTH)
    assert (joined.text, joined.next_page, number) == (line("first"), "", 1)


@pytest.mark.parametrize(
    "title", ["Owls in the snow - Page 2", "OWLS IN THE SNOW", "", "Snow owls"]
)
def test_titles_of_pages_of_one_article(title: str) -> None:
    assert len(join(part(1, line("first")), part(2, line("second"), title=title)).pages) == 2


def test_the_url_or_the_canonical_one_says_that_it_is_a_page() -> None:
    named = {**part(2, line("second"), title="Where they nest"), "url": f"{URL}?page=2"}
    assert len(join(part(1, line("first")), named).pages) == 2
    canonical = part(2, line("second"), title="Where they nest", canonical_url=URL)
    assert len(join(part(1, line("first")), canonical).pages) == 2


def test_an_article_that_is_not_complete_says_so() -> None:
    joined = join(part(1, line("first")), part(2, line("second"), next_page=f"{URL}3/"))
    assert joined.next_page == f"{URL}3/"


def test_links_to_the_pages_are_no_links_of_the_article() -> None:
    links = [{"url": f"{URL}2/", "text": "2"}, {"url": "http://b.example/", "text": "Owls"}]
    joined = join(part(1, line("first"), links=links), part(2, line("second"), links=links))
    assert joined.links == links[1:]


@pytest.mark.parametrize("html", ["", "<p>", "x", "<p>a</p><!-- b -->", "<div><p>a</p>b</div>"])
def test_html_of_any_shape(html: str) -> None:
    pages = (part(1, "a", line("first")), part(2, "a", line("second"), html=html))
    assert join(*pages).text.endswith(line("second"))


def extract(path: str, rest: str = "", formats: tuple[str, ...] = BOTH, **visit: Any) -> Extraction:
    text = "".join(f"<p>{line(word)}</p>" for word in ("first", "second", "third", "fourth"))
    html = f"<title>Owls</title><article><h1>Owls</h1>{text}</article>{rest}"
    page = Page.from_html(html, f"http://a.example{path}")
    return extract_page(page, None, Options(formats=formats), Visit(**visit))


def test_the_item_of_a_page_says_what_comes_next() -> None:
    done = extract("/owls/", "<a href=/owls/2/>2</a>", formats=("text",))
    assert isinstance(done.item, Article)
    assert (done.item.next_page, done.item.pages) == (f"{URL}2/", [URL])
    assert (done.item.html, done.html.count("<p>"), done.has_previous) == ("", 4, False)
    alone = extract("/owls/")
    assert isinstance(alone.item, Article)
    assert (alone.item.next_page, alone.html, alone.has_previous) == ("", "", False)
    assert extract("/owls/3/", number=3).has_previous
