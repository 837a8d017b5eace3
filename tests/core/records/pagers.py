"""Pagers as sites write them, and pages that have none; written before the code that reads them.

A pager is drawn for any page of five; the answer is the address of the next page, or None on the
last one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SITE = "https://pages.example"
LAST = 5

Address = Callable[[int], str]
Markup = Callable[[int, Address], str]


@dataclass(frozen=True)
class Pager:
    """One way to write a pager: the addresses of its pages, and its markup on a page."""

    name: str
    address: Address
    markup: Markup

    def url(self, number: int) -> str:
        return SITE + self.address(number)

    def next_url(self, number: int) -> str | None:
        return None if number == LAST else self.url(number + 1)

    def html(self, number: int) -> str:
        return list_page(number, self.markup(number, self.address))


def list_page(number: int, pager: str) -> str:
    """The page of a list, its rows with titles, dates and counts, and the pager below it."""
    rows = "".join(
        f'<li><a href="/entry/{number}{row}-report-of-the-survey">Report'
        f" {number}{row} of the survey</a>"
        f" <span>2024-0{row}-1{number}</span> <span>{row * 7} answers</span></li>"
        for row in range(1, 9)
    )
    return (
        "<html><head><title>Reports of the survey</title></head><body>"
        '<div id="top"><a href="/">Home</a> <a href="/about">About</a> <a'
        ' href="/news">News</a></div>'
        f"<h1>Reports</h1><ul>{rows}</ul>{pager}"
        '<div id="foot"><a href="/imprint">Imprint</a> <a'
        ' href="/contact">Contact</a> 2019 - 2024</div>'
        "</body></html>"
    )


def query(name: str) -> Address:
    return lambda number: f"/reports?{name}={number}" if number > 1 else "/reports"


def always(name: str) -> Address:
    return lambda number: f"/reports?{name}={number}"


def offset(name: str, size: int = 25) -> Address:
    return lambda number: f"/reports?{name}={(number - 1) * size}" if number > 1 else "/reports"


def path(pattern: str) -> Address:
    return lambda number: "/reports" + pattern.format(number) if number > 1 else "/reports"


def numbers(
    other: str = '<a href="{url}">{number}</a>',
    current: str = "<b>{number}</b>",
    separator: str = " ",
    around: str = "<div>{}</div>",
) -> Markup:
    """The numbers of all pages, the current one drawn in another way."""

    def markup(number: int, address: Address) -> str:
        shown = []
        for page in range(1, LAST + 1):
            drawn = current if page == number else other
            shown.append(drawn.format(url=address(page), number=page))
        return around.format(separator.join(shown))

    return markup


def step(forward: str, back: str = "", around: str = "<p>{}</p>") -> Markup:
    """A link forward where there is a next page, a link back where there is one before."""

    def markup(number: int, address: Address) -> str:
        links = []
        if back and number > 1:
            links.append(back.format(url=address(number - 1), number=number - 1))
        if number < LAST:
            links.append(forward.format(url=address(number + 1), number=number + 1))
        return around.format(" ".join(links))

    return markup


def ranges(number: int, address: Address) -> str:
    shown = []
    for page in range(1, LAST + 1):
        label = f"{(page - 1) * 25 + 1}-{page * 25}"
        shown.append(label if page == number else f'<a href="{address(page)}">{label}</a>')
    return "<p>" + " ".join(shown) + "</p>"


def ranges_of_links(number: int, address: Address) -> str:
    shown = []
    for page in range(1, LAST + 1):
        label = f"{(page - 1) * 25 + 1} \u2013 {page * 25}"
        shown.append(f'<td><a href="{address(page)}">{label}</a></td>')
    return "<table><tr>" + "".join(shown) + "</tr></table>"


def windowed(number: int, address: Address) -> str:
    """The first, the last and the pages beside the current one, with dots between."""
    shown = []
    for page in (1, number - 1, number, number + 1, LAST):
        if not 1 <= page <= LAST:
            continue
        text = (
            f"<strong>{page}</strong>"
            if page == number
            else f'<a href="{address(page)}">{page}</a>'
        )
        if text not in shown:
            shown.append(text)
    return '<div class="n">' + " … ".join(shown) + "</div>"


def first_to_last(number: int, address: Address) -> str:
    """Arrows to the first, the previous, the next and the last page."""
    shown = []
    if number > 1:
        shown.append(f'<a href="{address(1)}">«</a><a href="{address(number - 1)}">&lsaquo;</a>')
    shown.append(f"<span>{number}</span>")
    if number < LAST:
        shown.append(f'<a href="{address(number + 1)}">&rsaquo;</a><a href="{address(LAST)}">»</a>')
    return "<div>" + " ".join(shown) + "</div>"


def words_to_ends(number: int, address: Address) -> str:
    shown = []
    if number > 1:
        shown.append(f'<a href="{address(1)}">First</a> | <a href="{address(number - 1)}">Prev</a>')
    shown.append(f"Page {number} of {LAST}")
    if number < LAST:
        shown.append(
            f'<a href="{address(number + 1)}">Next</a> | <a href="{address(LAST)}">Last</a>'
        )
    return "<div>" + " | ".join(shown) + "</div>"


def always_next(number: int, address: Address) -> str:
    """Both words on every page: without a link at the ends."""
    back = (
        f'<a href="{address(number - 1)}">Previous</a>' if number > 1 else "<span>Previous</span>"
    )
    forward = f'<a href="{address(number + 1)}">Next</a>' if number < LAST else "<span>Next</span>"
    return f"<div>{back} {forward}</div>"


def disabled_next(number: int, address: Address) -> str:
    """Bootstrap's: the last page has a dead link."""
    items = []
    for page in range(1, LAST + 1):
        state = ' class="page-item active"' if page == number else ' class="page-item"'
        items.append(f'<li{state}><a class="page-link" href="{address(page)}">{page}</a></li>')
    if number < LAST:
        items.append(
            f'<li class="page-item"><a class="page-link" href="{address(number + 1)}">Next</a></li>'
        )
    else:
        items.append('<li class="page-item disabled"><a class="page-link" href="#">Next</a></li>')
    return '<nav><ul class="pagination">' + "".join(items) + "</ul></nav>"


def next_to_itself(number: int, address: Address) -> str:
    """The last page's "Next" leads to the last page."""
    target = min(number + 1, LAST)
    return (
        f'<p><a href="{address(max(number - 1, 1))}">&lt;</a> <a'
        f' href="{address(target)}">&gt;</a></p>'
    )


def rel_in_head(number: int, address: Address) -> str:
    links = []
    if number > 1:
        links.append(f'<link rel="prev" href="{address(number - 1)}">')
    if number < LAST:
        links.append(f'<link rel="next" href="{address(number + 1)}">')
    return "".join(links)


def rows_of_table(number: int, address: Address) -> str:
    cells = []
    for page in range(1, LAST + 1):
        if page == number:
            cells.append(f'<td class="cur">{page}</td>')
        else:
            cells.append(f'<td><a href="{address(page)}">{page}</a></td>')
    return '<table border="0"><tr><td>Pages:</td>' + "".join(cells) + "</tr></table>"


def counts_before(number: int, address: Address) -> str:
    """A pager behind cells with counts."""
    cells = "".join(f"<tr><td>Row {row}</td><td>2024</td><td>{3 * row}</td></tr>" for row in (1, 2))
    return f"<table>{cells}</table>{numbers(separator=' | ')(number, address)}"


def option_list(number: int, address: Address) -> str:
    options = "".join(
        f'<option value="{address(page)}">{page}</option>' for page in range(1, LAST + 1)
    )
    forward = (
        f'<a href="{address(number + 1)}" title="Next page"><i></i></a>' if number < LAST else ""
    )
    return f"<form><select>{options}</select></form>{forward}"


PAGERS = (
    Pager("counts before it", query("page"), counts_before),
    Pager("image of a file", query("page"), step('<a href="{url}"><img src="/i/next.gif"></a>')),
    Pager(
        "German forward",
        query("page"),
        step('<a href="{url}">vor</a>', '<a href="{url}">zurück</a>'),
    ),
    Pager("bracketed current", query("page"), numbers(current="[{number}]")),
    Pager("bars between", query("page"), numbers(current="{number}", separator=" | ")),
    Pager(
        "Page: and numbers", query("page"), numbers(current="{number}", around="<p>Page: {}</p>")
    ),
    Pager(
        "Pages: in brackets",
        query("p"),
        numbers(current="<b>{number}</b>", around="<p>Pages ({})</p>"),
    ),
    Pager(
        "all numbers bracketed",
        always("pg"),
        numbers('[<a href="{url}">{number}</a>]', "[{number}]"),
    ),
    Pager(
        "current as a link to itself",
        always("page"),
        numbers(current='<a href="{url}">{number}</a>'),
    ),
    Pager("current in bold", query("page"), numbers()),
    Pager("current in a span", query("page"), numbers(current="<span>{number}</span>")),
    Pager(
        "aria-current",
        query("page"),
        numbers(
            '<li><a href="{url}">{number}</a></li>',
            '<li><a href="{url}" aria-current="page">{number}</a></li>',
            "",
            "<ul>{}</ul>",
        ),
    ),
    Pager(
        "active item",
        query("page"),
        numbers(
            '<li><a href="{url}">{number}</a></li>',
            '<li class="active"><a href="#">{number}</a></li>',
            "",
            "<ul>{}</ul>",
        ),
    ),
    Pager(
        "current link without an address",
        path("/page/{}/"),
        numbers(current='<a class="selected">{number}</a>', around="<nav>{}</nav>"),
    ),
    Pager("path of page", path("/page/{}/"), numbers(current="<em>{number}</em>")),
    Pager("path with a hyphen", path("-{}.html"), numbers(current="<strong>{number}</strong>")),
    Pager("path of folders", path("/{}"), numbers()),
    Pager("pages of PHP", always("seite"), numbers(separator=" · ")),
    Pager("offset start", offset("start"), numbers()),
    Pager(
        "offset from, all linked", offset("from"), numbers(current='<a href="{url}">{number}</a>')
    ),
    Pager(
        "offset from nought",
        lambda n: f"/reports?offset={(n - 1) * 20}",
        numbers(current="{number}"),
    ),
    Pager(
        "pages from nought", lambda n: f"/reports?page={n - 1}" if n > 1 else "/reports", numbers()
    ),
    Pager("ranges", offset("start"), ranges),
    Pager("ranges, all linked", lambda n: f"/reports?from={(n - 1) * 25 + 1}", ranges_of_links),
    Pager("window with dots", query("page"), windowed),
    Pager("table of numbers", query("page"), rows_of_table),
    Pager("arrows to the ends", query("page"), first_to_last),
    Pager("words to the ends", query("page"), words_to_ends),
    Pager("words without links at the ends", query("page"), always_next),
    Pager("disabled next", query("page"), disabled_next),
    Pager("next leads to itself", always("page"), next_to_itself),
    Pager("rel in the head", query("page"), rel_in_head),
    Pager(
        "rel in the body",
        query("page"),
        step(
            '<a rel="next" href="{url}"><svg></svg></a>',
            '<a rel="prev" href="{url}"><svg></svg></a>',
        ),
    ),
    Pager("select and an icon", query("page"), option_list),
    Pager(
        "Next 25",
        offset("start"),
        step('<a href="{url}">Next 25</a>', '<a href="{url}">Previous 25</a>'),
    ),
    Pager(
        "Next 25 with brackets",
        offset("skip"),
        step(
            '<a href="{url}">[Next 25 &gt;&gt;]</a>', '<a href="{url}">[&lt;&lt; Previous 25]</a>'
        ),
    ),
    Pager(
        "Next page",
        query("page"),
        step('<a href="{url}">Next page</a>', '<a href="{url}">Previous page</a>'),
    ),
    Pager("Next results", offset("first"), step('<a href="{url}">Next 10 results</a>')),
    Pager("More results", offset("start"), step('<a href="{url}">More results</a>')),
    Pager(
        "More",
        always("p"),
        step('<a href="{url}">More</a>', around="<table><tr><td>{}</td></tr></table>"),
    ),
    Pager("Load more", query("page"), step('<a class="btn" href="{url}">Load more</a>')),
    Pager("Show more entries", query("page"), step('<a href="{url}">Show more entries</a>')),
    Pager(
        "Older posts",
        path("/page/{}/"),
        step('<a href="{url}">← Older posts</a>', '<a href="{url}">Newer posts →</a>'),
    ),
    Pager(
        "German next",
        query("seite"),
        step('<a href="{url}">Nächste Seite</a>', '<a href="{url}">Vorige Seite</a>'),
    ),
    Pager(
        "German next 20",
        offset("ab", 20),
        step('<a href="{url}">Nächste 20</a>', '<a href="{url}">Vorherige 20</a>'),
    ),
    Pager(
        "German further",
        offset("start"),
        step('<a href="{url}">Weitere Treffer</a>', '<a href="{url}">Zurück</a>'),
    ),
    Pager(
        "German on",
        query("page"),
        step('<a href="{url}">weiter &gt;</a>', '<a href="{url}">&lt; zurück</a>'),
    ),
    Pager(
        "French results",
        offset("debut", 10),
        step('<a href="{url}">Résultats suivants</a>', '<a href="{url}">Résultats précédents</a>'),
    ),
    Pager(
        "French next",
        query("page"),
        step('<a href="{url}">Suivant »</a>', '<a href="{url}">« Précédent</a>'),
    ),
    Pager(
        "French page",
        query("page"),
        step('<a href="{url}">Page suivante</a>', '<a href="{url}">Page précédente</a>'),
    ),
    Pager(
        "Spanish",
        query("pagina"),
        step('<a href="{url}">Siguiente</a>', '<a href="{url}">Anterior</a>'),
    ),
    Pager(
        "Italian",
        query("pagina"),
        step('<a href="{url}">Successiva</a>', '<a href="{url}">Precedente</a>'),
    ),
    Pager(
        "Portuguese",
        query("page"),
        step('<a href="{url}">Próxima página</a>', '<a href="{url}">Página anterior</a>'),
    ),
    Pager(
        "Dutch", query("page"), step('<a href="{url}">Volgende</a>', '<a href="{url}">Vorige</a>')
    ),
    Pager(
        "Polish",
        query("strona"),
        step('<a href="{url}">Następna</a>', '<a href="{url}">Poprzednia</a>'),
    ),
    Pager(
        "Russian",
        query("page"),
        step('<a href="{url}">Следующая</a>', '<a href="{url}">Предыдущая</a>'),
    ),
    Pager("Japanese", query("page"), step('<a href="{url}">次へ</a>', '<a href="{url}">前へ</a>')),
    Pager(
        "Chinese", query("page"), step('<a href="{url}">下一页</a>', '<a href="{url}">上一页</a>')
    ),
    Pager(
        "image with alt",
        query("page"),
        step(
            '<a href="{url}"><img src="/r.gif" alt="next"></a>',
            '<a href="{url}"><img src="/l.gif" alt="previous"></a>',
        ),
    ),
    Pager(
        "image with title",
        query("page"),
        step(
            '<a href="{url}"><img src="/r.gif" title="Next Page"></a>',
            '<a href="{url}"><img src="/l.gif" title="Prev"></a>',
        ),
    ),
    Pager(
        "aria-label",
        query("page"),
        step(
            '<a aria-label="Go to next page" href="{url}"><svg></svg></a>',
            '<a aria-label="Go to previous page" href="{url}"><svg></svg></a>',
        ),
    ),
    Pager(
        "class of an icon",
        query("page"),
        step(
            '<a class="next" href="{url}"><i></i></a>', '<a class="prev" href="{url}"><i></i></a>'
        ),
    ),
    Pager(
        "two arrows",
        query("page"),
        step('<a href="{url}">&gt;&gt;</a>', '<a href="{url}">&lt;&lt;</a>'),
    ),
    Pager(
        "arrow and word",
        query("page"),
        step('<a href="{url}">Next →</a>', '<a href="{url}">← Back</a>'),
    ),
)

ARTICLE = "<article><h1>The survey of the harbour</h1>" + "".join(
    f"<p>The {word} part of the harbour was surveyed again this year, and"
    f" the figures of the report differ little "
    "from those of the years before, as the office said on the day of its yearly meeting.</p>"
    for word in ("northern", "southern", "eastern", "western")
)


def article(after: str) -> str:
    return (
        f"<html><head><title>The survey</title></head><body>{ARTICLE}{after}"
        f"</article></body></html>"
    )


def links(
    template: str, values: object, around: str = "<div>{}</div>", separator: str = " "
) -> str:
    shown = [template.format(value) for value in values]  # type: ignore[attr-defined]
    return around.format(separator.join(shown))


#: Name: address and markup: pages without a next page
WITHOUT_PAGER: dict[str, tuple[str, str]] = {
    "next article": (
        "/2024/05/survey",
        article('<a href="/2024/06/storm-at-sea">Next article</a>'),
    ),
    "next article by its title": (
        "/2024/05/survey",
        article(
            '<nav class="post-nav"><a href="/2024/04/fish">← Fish again</a> <a'
            ' href="/2024/06/storm">Storm at sea →</a></nav>'
        ),
    ),
    "previous and next post": (
        "/blog/survey-of-the-harbour",
        article(
            '<a rel="prev" href="/blog/fish-again">Previous</a> <a rel="next"'
            ' href="/blog/storm-at-sea">Next</a>'
        ),
    ),
    "next post in rel of the head": (
        "/blog/survey-of-the-harbour",
        article('<link rel="next" href="/blog/storm-at-sea">'),
    ),
    "next story numbered": (
        "/story/1201/survey",
        article('<a href="/story/1202/storm">Next story</a>'),
    ),
    "previous and next by numbers of posts": (
        "/?p=41",
        article('<a href="/?p=40">« Previous post</a> <a href="/?p=42">Next post »</a>'),
    ),
    "calendar": (
        "/blog/survey",
        article(
            "<table><caption>May 2024</caption><tr>"
            + links('<td><a href="/2024/05/{0}/">{0}</a></td>', range(1, 8), "{}", "")
            + "</tr><tr>"
            + links('<td><a href="/2024/05/{0}/">{0}</a></td>', range(8, 15), "{}", "")
            + '</tr></table><a href="/2024/04/">« Apr</a> <a href="/2024/06/">Jun »</a>'
        ),
    ),
    "calendar with a day of today": (
        "/events?day=3",
        list_page(
            1,
            links(
                '<a href="/events?day={0}">{0}</a>',
                range(1, 32),
                "<div class='cal'><b>May</b> {}</div>",
            ),
        ),
    ),
    "calendar with months": (
        "/events/2024/05",
        list_page(1, '<a href="/events/2024/04">« April</a> <a href="/events/2024/06">June »</a>'),
    ),
    "years": ("/reports", list_page(1, links('<a href="/reports/{0}">{0}</a>', range(2015, 2025)))),
    "years, one current": (
        "/reports/2019",
        list_page(1, "<b>2019</b> " + links('<a href="/reports/{0}">{0}</a>', range(2020, 2025))),
    ),
    "table of years": (
        "/table",
        article(
            "<table>"
            + "".join(
                f'<tr><td><a href="/y/{y}">{y}</a></td><td>{y - 1900}</td></tr>'
                for y in range(2001, 2012)
            )
            + "</table>"
        ),
    ),
    "tags": (
        "/blog",
        list_page(1, links('<a href="/tag/{0}">{0}</a>', ("harbour", "fish", "storm", "next"))),
    ),
    "tags with counts": (
        "/blog",
        list_page(1, "".join(f'<a href="/tag/t{n}">tag</a> ({n}) ' for n in range(1, 9))),
    ),
    "counts as links": (
        "/shop",
        list_page(
            1, "".join(f'<li>Shoes <a href="/shop?size={n}">{n}</a></li>' for n in range(36, 46))
        ),
    ),
    "sizes": (
        "/shop?size=38",
        list_page(1, links('<a href="/shop?size={0}">{0}</a>', range(36, 46))),
    ),
    "results to a page": (
        "/search?q=a",
        list_page(
            1,
            "Show "
            + links('<a href="/search?q=a&limit={0}">{0}</a>', (10, 25, 50, 100))
            + " a page",
        ),
    ),
    "letters": (
        "/index",
        list_page(1, links('<a href="/index?letter={0}">{0}</a>', "ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
    ),
    "letters, one current": (
        "/index/a",
        list_page(1, "<b>A</b> " + links('<a href="/index/{0}">{0}</a>', "BCDEFGHIJ", "{}", " | ")),
    ),
    "ranges of letters": (
        "/index/a-c",
        list_page(1, 'A-C <a href="/index/d-f">D-F</a> <a href="/index/g-k">G-K</a>'),
    ),
    "table of contents": (
        "/manual",
        article(links('<li><a href="#s{0}">{0}</a></li>', range(1, 6), "<ol>{}</ol>")),
    ),
    "chapters on other pages": (
        "/manual/intro",
        article(
            '<ol><li><a href="/manual/setup">1 Setup</a></li><li><a'
            ' href="/manual/use">2 Use</a></li></ol>'
        ),
    ),
    "numbered headings": (
        "/manual",
        article(links('<h2><a href="#h{0}">{0}</a></h2>', range(1, 6), "{}")),
    ),
    "footnotes": ("/paper", article(links('<sup><a href="#fn{0}">{0}</a></sup>', range(1, 6)))),
    "footnotes to another page": (
        "/paper",
        article(links('<sup><a href="/notes#fn{0}">[{0}]</a></sup>', range(1, 6))),
    ),
    "footer with numbers": (
        "/paper",
        article(
            '<div class="footer"><a href="tel:123">123</a> <a href="/law/4">§ 4</a> 1 2 3</div>'
        ),
    ),
    "stars": (
        "/film/7",
        article(
            links('<a href="/rate?film=7&stars={0}">{0}</a>', range(1, 6), "<div>Rate: {}</div>")
        ),
    ),
    "comments and shares": (
        "/blog/survey",
        article(
            '<a href="/blog/survey/comments">2</a> <a href="/share?u=1">3</a> <a href="/like">4</a>'
        ),
    ),
    "read more": (
        "/blog",
        list_page(1, '<a href="/blog/survey">Read more</a> <a href="/blog/fish">Read more</a>'),
    ),
    "more links of sections": (
        "/",
        list_page(
            1,
            '<a href="/news">More news</a> <a href="/sport">More</a> <a'
            ' href="/film">More films</a>',
        ),
    ),
    "read next": (
        "/blog/survey",
        article('<h3>Read next</h3><a href="/blog/storm">Storm at sea</a>'),
    ),
    "up next": ("/video/3", article('<a href="/video/4">Up next: storm at sea</a>')),
    "next of a gallery": (
        "/photos/harbour/3",
        article('<a href="/photos/storm/1">Next gallery</a>'),
    ),
    "carousel": (
        "/",
        list_page(
            1,
            '<div class="carousel"><a class="prev" href="#c">&lsaquo;</a><a'
            ' class="next" href="#c">&rsaquo;</a></div>',
        ),
    ),
    "carousel by a script": (
        "/",
        list_page(1, '<a class="slick-next" href="javascript:void(0)">Next</a>'),
    ),
    "next steps": ("/help", article('<a href="/help/next-steps">Next steps</a>')),
    "next generation": ("/", list_page(1, '<a href="/next">Next generation of ships</a>')),
    "next thread": (
        "/thread/12",
        article('<a href="/thread/11">Previous thread</a> | <a href="/thread/13">Next thread</a>'),
    ),
    "next topic of phpBB": (
        "/viewtopic.php?t=12",
        article(
            '<a href="/viewtopic.php?t=12&view=previous">Previous topic</a> <a'
            ' href="/viewtopic.php?t=12&view=next">Next topic</a>'
        ),
    ),
    "next event": ("/events/harbour-day", article('<a href="/events/fish-day">Next event »</a>')),
    "next product": (
        "/p/81",
        article('<a href="/p/80">Previous product</a><a href="/p/82">Next product</a>'),
    ),
    "pages of rows in a list": (
        "/forum",
        list_page(
            1,
            "".join(
                f'<li><a href="/t/{t}">Topic {t}</a> <a href="/t/{t}?page=2">2</a> <a'
                f' href="/t/{t}?page=3">3</a></li>'
                for t in range(50, 58)
            ),
        ),
    ),
    "numbers of posts": (
        "/t/50",
        list_page(1, "".join(f'<div><a href="/t/50#p{n}">#{n}</a></div>' for n in range(1, 9))),
    ),
    "permalinks of posts": (
        "/t/50",
        list_page(
            1, "".join(f'<div>post <a href="/t/50/post/{n}">{n}</a></div>' for n in range(1, 9))
        ),
    ),
    "steps of a wizard": (
        "/order",
        list_page(1, links('<a href="/order/{0}">{0}</a>', ("cart", "address", "pay"))),
    ),
    "versions": (
        "/docs/3.1/intro",
        article(links('<a href="/docs/{0}/intro">{0}</a>', ("3.0", "3.1", "3.2"))),
    ),
    "scores of games": (
        "/games",
        list_page(
            1,
            "".join(
                f'<div>Reds <a href="/game/{n}">{n}</a>:<a href="/game/{n}">{n + 1}</a></div>'
                for n in range(4)
            ),
        ),
    ),
    "reply to": (
        "/t/50",
        list_page(1, '<a href="/t/50/reply">Reply</a> <a href="/t/50?sort=new">Next newest</a>'),
    ),
    "a table sorted": (
        "/reports",
        list_page(
            1,
            '<a href="/reports?sort=1">1</a> <a href="/reports?order=desc">▼</a> '
            '<a href="/reports?order=asc">▲</a>',
        ),
    ),
    "back to the list": ("/entry/11", article('<a href="/reports?page=2">Back to the list</a>')),
    "breadcrumbs": (
        "/a/b/c",
        article('<a href="/">Home</a> &gt; <a href="/a">A</a> &gt; <a href="/a/b">B</a> &gt; C'),
    ),
    "an arrow to a story": (
        "/news",
        list_page(1, '<a href="/news/storm">Storm at sea »</a> <a href="/news/fish">»</a>'),
    ),
    "an anchor": ("/help", article('<a href="#next">Next</a>')),
    "another host": ("/help", article('<a href="https://other.example/help?page=2">Next</a>')),
    "next page of a manual": ("/docs/setup", article('<a href="/docs/use">Next page</a>')),
    "the next week": ("/week?w=3", list_page(1, '<a href="/week?w=4">Next week</a>')),
    "a question that opens": ("/faq", list_page(1, '<a href="/faq?open=2">2</a> Questions')),
}
