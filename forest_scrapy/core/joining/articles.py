"""One article of the parts that its pages have."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import lxml.html
from lxml import etree

from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.items import Article
from forest_scrapy.core.joining.page_numbers import read_page_numbers
from forest_scrapy.core.markdown.blocks import to_markdown
from forest_scrapy.core.page.markup import MARK_CLASS, NOTE_ID, clean_markup
from forest_scrapy.core.page.tree import Element, parse_html
from forest_scrapy.core.page.urls import page_key

#: A page that repeats so much of the text of an earlier one is that page again.
_REPEATED_SHARE = 0.5
#: Characters of a page that is not repeated by chance, as a standfirst is.
_LONG = 500
#: Titles of pages of one article share so much of the words of the shorter one, unless the URLs say
#: that they are pages of one.
_MIN_SHARED_WORDS = 0.75
#: A line with so many words is prose: what a further page has in common with the pages before it
#: ends there.
_PROSE_WORDS = 12
#: Lines at both ends of a page that may be the numbers of the pages.
_PAGER_LINES = 3
_MAX_PAGER = 200
#: Elements from each end of a page's HTML in which a repeated line is looked for.
_MAX_ELEMENTS = 400
_WORDS = (
    r"pages?|seiten?|p[áa]ginas?|pagine|sida|side|sivu|strony?|strana|страницы?|sayfa|ページ|页|頁"
)
#: "Pages: 1 2 3", "Page 1 of 3", "1 2 3 Next".
_PAGER = re.compile(
    rf"(?:{_WORDS})\s*+:?(?:\s*+[\[(]?\d[\])]?){{2,}}\s*[>»\u203a]*"
    rf"|(?:{_WORDS})\s*\d{{1,3}}\s*(?:of|von|de|sur|di|van|av|af|z|из|/)\s*\d{{1,3}}"
    "|[<«\u2039]*"
    r"(?:\s*+[\[(]?\d[\])]?){2,}\s*+(?:next|weiter|suivant|siguiente)?\s*[>»\u203a]*",
    re.IGNORECASE,
)
#: The number of a page at the end of a title: "Owls - page 2", "Owls (2/3)".
_MARK = re.compile(
    rf"[\s|:,(\[\u2013\u2014-]{{0,8}}(?:(?:{_WORDS})\s*\d{{1,3}}(?:\s*\S{{1,4}}\s*\d{{1,3}})?"
    rf"|\d{{1,3}}\s*/\s*\d{{1,3}})[)\]]*",
    re.IGNORECASE,
)
_ELEMENTS_OF_LINES = frozenset(
    "p h1 h2 h3 h4 h5 h6 li dt dd div section header footer aside figcaption blockquote address"
    " time span ul ol nav td tr table a strong em b i".split()
)


@dataclass(frozen=True)
class _Part:
    """The content of one page: its lines that are kept, and those that are left out of its HTML,
    from the start and from the end."""

    article: Article
    lines: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    left_out_at_end: tuple[str, ...] = ()


def join_articles(
    pages: Sequence[Mapping[str, Any]], formats: Iterable[str]
) -> tuple[Article, int]:
    """The article with these pages, in their order, and how many of them are its: up to one that
    is of another article.

    ``pages``: the fields of the article of each page, with ``html`` in any case; ``formats``: those
    that the article has.  All fields but the content, the media, the links and the comments are
    those of the first page.  What a further page repeats of the pages before it, such as the title
    at its start or the author at its end, is in the article once; a page that repeats an earlier
    one as a whole ends the article, which then has no further page.
    """
    articles = [Article(**page) for page in pages]
    parts = [_read_part(articles[0])]
    number = 1
    is_ended = False
    for article in articles[1:]:
        if not is_part_of(article, articles[0]):
            is_ended = True
            break
        number += 1
        if any(is_repeated(article, part.article) for part in parts):
            is_ended = True
            break
        part = _without_start(_read_part(article), parts)
        if not part.lines:
            continue
        parts[-1] = _without_end(parts[-1], part)
        parts.append(part)
    next_page = "" if is_ended else articles[number - 1].next_page
    return _build(parts, next_page, frozenset(formats)), number


def is_part_of(article: Article, first: Article) -> bool:
    """Whether the article of a page that the first one leads to may be the same.

    >>> first = Article("http://a.example/owls/", "Owls in the snow")
    >>> is_part_of(Article("http://a.example/owls/2/", "Owls in the snow - page 2"), first)
    True
    >>> is_part_of(Article("http://a.example/owls/2/", "Mice of the barn"), first)
    False
    """
    canonical = page_key(article.canonical_url) if article.canonical_url else ""
    if canonical in (page_key(first.url), page_key(first.canonical_url or first.url)):
        return True
    if any(number.is_named for number in read_page_numbers(article.url)):
        return True
    titles = [set(_fold_title(one.title).split()) for one in (article, first)]
    shorter = min(map(len, titles))
    return not shorter or len(titles[0] & titles[1]) >= _MIN_SHARED_WORDS * shorter


def is_repeated(article: Article, earlier: Article) -> bool:
    """Whether the page of an article is that of an earlier one again, as of a server that ignores
    page numbers, or with other comments.

    >>> text = "Owls hear the mouse under the snow."
    >>> is_repeated(Article("", text=f"{text}\\nPage 2"), Article("", text=f"{text}\\nPage 1"))
    True
    """
    known = set(_lines_of(earlier.text))
    lines = _lines_of(article.text)
    repeated = sum(len(line) for line in lines if line in known)
    size = sum(map(len, known))
    is_most_of_page = size >= _LONG or repeated > _REPEATED_SHARE * sum(map(len, lines))
    return repeated > _REPEATED_SHARE * size and is_most_of_page


def _lines_of(text: str) -> tuple[str, ...]:
    return tuple(line for line in text.split("\n") if line.strip())


def _fold_title(title: str) -> str:
    """The words of a title without the number of the page."""
    return fold_words(_MARK.sub(" ", title))


def _without_start(part: _Part, before: Sequence[_Part]) -> _Part:
    """The part without the title, and without the lines at its start that the pages before it
    have."""
    known = {line for one in before for line in (*one.lines, *one.left_out, *one.left_out_at_end)}
    title = _fold_title(before[0].article.title)
    lines: list[str] = []
    left_out: list[str] = []
    for i, line in enumerate(part.lines):
        is_title = bool(title) and _fold_title(line) == title
        if line in known or is_title:
            left_out.append(line)
        else:
            lines.append(line)
            if len(line.split()) >= _PROSE_WORDS:
                lines.extend(part.lines[i + 1 :])
                break
    return replace(part, lines=tuple(lines), left_out=(*part.left_out, *left_out))


def _without_end(part: _Part, after: _Part) -> _Part:
    """The part without the lines at its end that the page after it ends with, too."""
    shared = 0
    for line, other in zip(reversed(part.lines), reversed(after.lines), strict=False):
        if line != other:
            break
        shared += 1
    if not shared or shared == len(part.lines):
        return part
    ending = (*part.lines[-shared:], *part.left_out_at_end)
    return replace(part, lines=part.lines[:-shared], left_out_at_end=ending)


def _read_part(article: Article) -> _Part:
    """The content of a page without lines such as "Pages: 1 2 3" at its ends."""
    lines = _lines_of(article.text)
    start = [line for line in lines[:_PAGER_LINES] if _is_pager(line)]
    rest = [line for line in lines[:_PAGER_LINES] if not _is_pager(line)]
    rest += lines[_PAGER_LINES:]
    end = [line for line in rest[-_PAGER_LINES:] if _is_pager(line)]
    last = [line for line in rest[-_PAGER_LINES:] if not _is_pager(line)]
    return _Part(article, (*rest[:-_PAGER_LINES], *last), tuple(start), tuple(end))


def _is_pager(line: str) -> bool:
    return len(line) <= _MAX_PAGER and bool(_PAGER.fullmatch(line.strip()))


def _build(parts: Sequence[_Part], next_page: str, formats: frozenset[str]) -> Article:
    first = parts[0].article
    pages = [part.article.url for part in parts]
    html = first.html
    article = replace(first, pages=pages, next_page=next_page)
    if len(parts) > 1:
        written_images: set[str] = set()
        note_ids: set[str] = set()
        written = [_write_html(part, written_images, note_ids) for part in parts]
        html = clean_markup("".join(written))
        page_keys = {page_key(url) for url in pages}
        article.text = "\n".join(line for part in parts for line in part.lines)
        article.images = _join_objects(parts, "images")
        article.videos = _join_objects(parts, "videos")
        article.audios = _join_objects(parts, "audios")
        article.links = _without_pages(_join_objects(parts, "links"), page_keys)
        article.related = _without_pages(_join_objects(parts, "related"), page_keys)
        article.comments = max((part.article.comments for part in parts), key=len)
        article.confidence = min(part.article.confidence for part in parts)
    article.html = html if "html" in formats else ""
    article.markdown = to_markdown(html) if "markdown" in formats else ""
    return article


def _join_objects(parts: Sequence[_Part], name: str) -> list[dict[str, Any]]:
    """The media or links of all pages; those that an earlier page has are there once."""
    joined: list[dict[str, Any]] = []
    urls: set[str] = set()
    for part in parts:
        objects = [one for one in getattr(part.article, name) if one["url"] not in urls]
        joined.extend(objects)
        urls.update(one["url"] for one in objects)
    return joined


def _without_pages(objects: Iterable[dict[str, Any]], keys: set[str]) -> list[dict[str, Any]]:
    return [one for one in objects if page_key(one["url"]) not in keys]


def _write_html(part: _Part, images: set[str], note_ids: set[str]) -> str:
    """The HTML of a part without the lines that are left out, and without these images, to which
    its own are added.  Footnotes get other ids than these, to which theirs are added."""
    body = parse_html(part.article.html).find("body")
    if body is None:
        return ""
    elements = [one for one in body.iterdescendants() if one.tag in _ELEMENTS_OF_LINES]
    _remove_lines(elements[:_MAX_ELEMENTS], part.left_out)
    _remove_lines(elements[-_MAX_ELEMENTS:][::-1], part.left_out_at_end[::-1])
    for image in list(body.iter("img")):
        if image.get("src") in images:
            _remove_image(image)
    images.update(filter(None, (image.get("src") for image in body.iter("img"))))
    _rename_notes(body, note_ids)
    written = [lxml.html.tostring(child, encoding="unicode") for child in body]
    return escape(body.text or "", quote=False) + "".join(written)


def _rename_notes(body: Element, note_ids: set[str]) -> None:
    """Give the notes whose ids are among these, of the pages before, others, to which their marks
    lead; add their ids to these."""
    new_ids: dict[str, str] = {}
    for note in _NOTES(body):
        note_id = note.get("id")
        new_id = note_id
        number = 1
        while new_id in note_ids:
            number += 1
            new_id = f"{note_id}p{number}"
        note_ids.add(new_id)
        new_ids[f"#{note_id}"] = f"#{new_id}"
        note.set("id", new_id)
    for link in _MARKS(body):
        url = link.get("href")
        link.set("href", new_ids.get(url, url))


_NOTES = etree.XPath(f".//*[starts-with(@id, '{NOTE_ID}')]")
_MARKS = etree.XPath(f".//sup[@class = '{MARK_CLASS}']/a[@href]")


def _remove_lines(elements: Sequence[Element], lines: Sequence[str]) -> None:
    """Remove the first element of each line; the largest that has no other text."""
    wanted: dict[str, int] = {}
    for line in lines:
        text = " ".join(line.split())
        wanted[text] = wanted.get(text, 0) + 1
    longest = max(map(len, wanted), default=0)
    removed: set[Element] = set()
    for element in elements:
        if not wanted:
            return
        if any(above in removed for above in element.iterancestors()):
            continue
        text = _text_up_to(element, longest)
        container = _container_of(element, text, longest)
        if text and text in wanted and container.getparent() is not None:
            removed.add(container)
            container.drop_tree()
            wanted[text] -= 1
            if not wanted[text]:
                del wanted[text]


def _text_up_to(element: Element, length: int) -> str:
    """The text of an element on one line; ``""`` for a longer one."""
    texts: list[str] = []
    size = 0
    for text in element.itertext():
        texts.append(text)
        size += len(text.strip())
        if size > length:
            return ""
    return " ".join("".join(texts).split())


def _container_of(element: Element, text: str, length: int) -> Element:
    """The largest element around one that has the same text and no image, below the root."""
    container = element
    parent = element.getparent()
    while text and parent is not None and parent.getparent() is not None:
        if _text_up_to(parent, length) != text or next(parent.iter("img"), None) is not None:
            break
        container = parent
        parent = parent.getparent()
    return container


def _remove_image(image: Element) -> None:
    """Remove an image, with the figure that has nothing else but its caption."""
    figure = next(image.iterancestors("figure"), None)
    is_only = figure is not None and len(list(figure.iter("img"))) == 1
    (figure if is_only and figure is not None else image).drop_tree()
