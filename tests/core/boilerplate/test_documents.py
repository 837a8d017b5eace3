"""Lists of documents are content."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Article, Page, extract_item, learn_rules
from forest_scrapy.core.boilerplate.documents import (
    are_document_lists,
    are_headings_of,
    is_document,
    is_document_list,
)

PROSE = "<p>The pumps of the old harbour were built by hand, and each of them has a book.</p>"
NAV = "<nav><a href=/>Home</a> <a href=/news>News</a></nav>"


def page(i: int, link: str = "/files/{i}-{j}.pdf") -> Page:
    paragraphs = "".join(
        f"<p>Pump {i}.{j} was sold to the water board in that year, and nobody knows why.</p>"
        for j in range(4)
    )
    links = "".join(
        f"<p><a href={link.format(i=i, j=j)}>Handbook {i} part {j}</a></p>" for j in range(12)
    )
    return Page.from_html(
        f"<title>Pump {i}</title>{NAV}<main><article class=story><h1>Pump {i}</h1>{paragraphs}"
        f"<h2>Handbooks</h2><div class=docs>{links}</div>{paragraphs.replace('sold', 'given')}"
        "</article></main>",
        f"http://a.example/pumps/{i}",
    )


def test_the_documents_of_a_template_are_kept() -> None:
    rules = learn_rules([page(i) for i in range(8)])
    assert not any("docs" in xpath for xpath in rules.wrapper.drop)
    item = extract_item(page(20), rules)
    assert isinstance(item, Article)
    assert "Handbook 20 part 0" in item.text and "Handbook 20 part 11" in item.text
    assert "Home" not in item.text


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/a/b.pdf", True),
        ("http://a.example/x.DOCX?download=1", True),
        ("/a.html", False),
        ("/pdf", False),
        ("http://[", False),
        ("", False),
    ],
)
def test_documents_are_told_by_their_ending(url: str, expected: bool) -> None:
    assert is_document(url) is expected


def test_a_list_has_prose_around_it() -> None:
    def is_list(html: str) -> bool:
        root = Page.from_html(f"<main>{html}</main>").root
        return is_document_list(next(root.iter("ul")))

    files = "<ul><li><a href=a.pdf>A</a><li><a href=b.pdf>B</a></ul>"
    assert is_list(PROSE + files + PROSE)
    assert not is_list(files + PROSE) and not is_list(PROSE + files)
    assert not is_list(PROSE + files.replace(".pdf", "") + PROSE)
    assert not is_list(PROSE + "<ul><li>No links</ul>" + PROSE)


def test_headings_of_lists() -> None:
    root = Page.from_html(
        f"{PROSE}<h2>A</h2><ul><li><a href=a.pdf>A</a></ul>{PROSE}<h2>B</h2>"
    ).root
    lists = list(root.iter("ul"))
    first, last = root.iter("h2")
    assert are_document_lists(lists) and not are_document_lists([])
    assert are_headings_of([first], lists)
    assert not are_headings_of([first, last], lists) and not are_headings_of([], lists)
