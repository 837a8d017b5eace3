"""Pages of search results as book shops write them, after the figures 3.1 and 3.2 of the thesis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from forest_scrapy.core import Page

__all__ = ["SEARCHES", "WRITERS", "Book", "result_page", "result_pages"]


class Book(NamedTuple):
    title: str
    author: str
    price: str
    year: str


#: The query of each page, and the books that answer it.
SEARCHES = {
    "dickens": (
        Book("Great Expectations", "Charles Dickens", "$4.80", "1861"),
        Book("David Copperfield", "Charles Dickens", "$6.20", "1850"),
        Book("Dickens: a Life", "Claire Tomalin", "$9.50", "2011"),
        Book("Bleak House", "Charles Dickens", "$7.00", "1853"),
        Book("Hard Times and Other Stories", "Charles Dickens", "$5.10", "1854"),
        Book("The Quilp Papers", "Charles Dickens", "$3.99", "1999"),
    ),
    "whales": (
        Book("Whales of the North Atlantic", "Ida Skagen", "$31.00", "2004"),
        Book("The Book of Whales", "Richard Ellis", "$18.40", "1980"),
        Book("Among Whales", "Roger Payne", "$12.75", "1995"),
        Book("Songs of Humpback Whales", "Katy Moss", "$14.20", "1972"),
    ),
}

#: From a book and its number to its HTML.
Writer = Callable[[int, Book], str]


def as_item(number: int, book: Book) -> str:
    return (
        f'<li class="result" id="r{number}"><div class="text"><h3><a href="/book/{book.year}">'
        f'{book.title}</a></h3><p class="by">{book.author}</p>'
        f'<p class="about">A printing of {book.year}, in cloth.</p></div>'
        f'<div class="buy"><b>{book.price}</b><i>In Stock.</i></div></li>'
    )


def as_row(number: int, book: Book) -> str:
    """Without any attribute, as the thesis leaves it to the number of the element."""
    return (
        f"<tr><td>{number}</td><td><a href=/book/{book.year}>{book.title}</a></td>"
        f"<td>{book.author}</td><td>{book.year}</td><td>{book.price}</td><td>In Stock.</td></tr>"
    )


def as_column(number: int, book: Book) -> str:
    """Two books in a row of the page."""
    start = '<div class="row">' if number % 2 else ""
    end = "" if number % 2 else "</div>"
    return (
        f'{start}<div class="cell"><a href=/book/{book.year}>{book.title}</a><p>{book.author}</p>'
        f"<b>{book.price}</b></div>{end}"
    )


WRITERS: dict[str, Writer] = {"li": as_item, "tr": as_row, "columns": as_column}


def result_page(query: str, books: Sequence[Book], write: Writer, url: str = "") -> Page:
    written = "".join(write(number, book) for number, book in enumerate(books, 1))
    inside = f"<table>{written}</table>" if write is as_row else f"<ul>{written}</ul>"
    return Page.from_html(
        "<html lang=en><body><ul class=menu><li><a href=/>All books</a><li><a href=/new>New</a>"
        f"<li><a href=/help>Help and contact</a></ul><form action=/find><input name=field></form>"
        f"<h1>Books about {query}</h1><div id=results>{inside}</div>"
        "<div class=side><p>Members get a printed list of all our books twice a year.</p></div>",
        url or f"http://books.example/find?q={query}",
    )


def result_pages(write: Writer) -> list[Page]:
    """The pages of all searches."""
    return [result_page(query, books, write) for query, books in SEARCHES.items()]
