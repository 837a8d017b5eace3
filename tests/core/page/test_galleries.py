"""Lists of pictures behind the text of an article."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Options, Page, extract_item, learn_rules
from forest_scrapy.core.items import Article
from forest_scrapy.core.page.galleries import is_gallery
from forest_scrapy.core.page.outline import find_hidden
from forest_scrapy.core.page.tree import parse_html

NUMBERS = range(5)


def write_list(link: str, name: str = "", text: str = "", tag: str = "ul") -> str:
    items = "".join(
        f"<li><a href='{link.format(n)}'><img src='/s/{n}.jpg' width=200>{text}</a></li>"
        for n in NUMBERS
    )
    return f"<{tag} class='{name}'>{items}</{tag}>"


#: Galleries as they are written: what is around all pictures, and around each; ``@`` hides it.
GALLERIES = {
    "figure of figures": ("<figure class=wp-block-gallery>{}</figure>", "{}"),
    "list": ("<ul class=gallery>{}</ul>", "<li>{}</li>"),
    "definition lists": ("<div class=gallery>{}</div>", "{}"),
    "slides": ("<div class=swiper><div class=wrapper>{}</div></div>", "<div class=slide>{}</div>"),
    "slides hidden from screen readers": (
        "<div class=carousel>{}<button>Next</button></div>",
        "<div class=slide aria-hidden=@>{}</div>",
    ),
    "slides with a style": ("<div class=slideshow>{}</div>", "<div style='display:@'>{}</div>"),
}
SHOWN = {"aria-hidden=@": "false", "display:@": "block"}
HIDDEN = {"aria-hidden=@": "true", "display:@": "none"}


def write_gallery(day: int, name: str) -> str:
    outer, inner = GALLERIES[name]
    items = []
    for number in range(4):
        picture = f"<img src='/p/{day}-{number}.jpg' width=800 height=600>"
        caption = f"Boat {number} of day {day}"
        figure = f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"
        if name == "definition lists":
            figure = f"<dl><dt>{picture}</dt><dd class='wp-caption-text'>{caption}</dd></dl>"
        item = inner.format(figure)
        for marked, value in (HIDDEN if number else SHOWN).items():
            item = item.replace(marked, marked.replace("@", value))
        items.append(item)
    return outer.format("".join(items))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (write_list("/i/{}.jpg"), True),
        (write_list("#{}"), True),
        (write_list("/photo/{}"), False),
        (write_list("/photo/{}", "photo-gallery"), True),
        (write_list("/photo/{}", "gallery related"), False),
        (write_list("/i/{}.jpg", "partners"), False),
        (write_list("/i/{}.jpg", text="The quay"), False),
        (write_gallery(0, "figure of figures"), True),
        (write_gallery(0, "slides hidden from screen readers"), True),
        (write_list("/i/{}.jpg").replace("width=200", "width=16"), False),
        ("<div><img src=/1.jpg><img src=/2.jpg></div>", False),
    ],
)
def test_is_gallery(html: str, expected: bool) -> None:
    element = next(parse_html(f"<main>{html}</main>").iter("main"))[0]
    assert is_gallery(element) is expected


@pytest.mark.parametrize(
    ("behind", "count"),
    [
        (write_list("/i/{}.jpg"), 5),
        (write_list("/photo/{}", "photos", tag="div"), 5),
        (f"<p><img src=/first.jpg></p>{write_list('#{}')}", 6),
        (write_list("/article/{}", "teasers"), 0),
    ],
)
def test_all_pictures_are_images_of_the_article(behind: str, count: int) -> None:
    """The paragraphs are what the pages of the template have in common."""
    pages = []
    for day in range(6):
        text = "".join(
            f"<p>The fair opened at noon with boats from nine towns, and the quay was full until "
            f"night. On day {day} there were {7 * day + part} boats in the harbour.</p>"
            for part in range(3)
        )
        pictures = behind.replace("/s/", f"/s/{day}/").replace("/first", f"/first{day}")
        html = (
            f"<html lang=en><title>Fair {day}</title><nav><a href=/>Home</a></nav><main><article>"
            f"<h1>Fair {day} in pictures</h1><p class=by>By Ana Bo</p>{text}{pictures}</article>"
        )
        pages.append(Page.from_html(html, f"https://g.example/fair/{day}"))
    rules = learn_rules(pages)
    for page in pages:
        article = extract_item(page, rules)
        assert isinstance(article, Article)
        assert len(article.images) == count


@pytest.mark.parametrize("name", GALLERIES)
@pytest.mark.parametrize("place", ["in the text", "behind it"])
@pytest.mark.parametrize("days", [1, 4])
def test_each_picture_of_a_gallery_has_its_caption(name: str, place: str, days: int) -> None:
    options = Options(formats=("html", "markdown"))
    pages = []
    for day in range(days):
        paragraphs = [
            f"<p>The fair opened at noon with boats from nine towns, and the quay was full until "
            f"night. On day {day} there were {7 * day + part} boats in the harbour.</p>"
            for part in range(4)
        ]
        at = 2 if place == "in the text" else 4
        paragraphs.insert(at, write_gallery(day, name))
        html = (
            f"<html lang=en><title>Fair {day}</title><nav><a href=/>Home</a></nav><main><article>"
            f"<h1>Fair {day} in pictures</h1><p class=by>By Ana Bo</p>{''.join(paragraphs)}"
            "</article></main><footer>About this site and its people</footer>"
        )
        pages.append(Page.from_html(html, f"https://g.example/fair/{day}"))
    rules = learn_rules(pages, options)
    for day, page in enumerate(pages):
        article = extract_item(page, rules, options)
        assert isinstance(article, Article)
        captions = [f"Boat {number} of day {day}" for number in range(4)]
        assert [image["caption"] for image in article.images] == captions
        for number, caption in enumerate(captions):
            assert article.markdown.count(caption) == 1
            assert f"/p/{day}-{number}.jpg" in article.markdown


def test_a_hidden_picture_that_is_no_slide_stays_hidden() -> None:
    """Nothing like it is shown beside it, or it has text of its own."""
    figure = "<figure><img src=/a.jpg><figcaption>An owl</figcaption></figure>"
    teaser = f"<div hidden>{figure}<p>Read more of our owls</p></div>"
    root = parse_html(f"<main><div>{figure}</div>{teaser}<section hidden>{figure}</section></main>")
    assert {element.tag for element in find_hidden(root)} == {"div", "section"}
