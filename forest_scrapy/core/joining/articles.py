"""Joins the pages of an article into one article."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import lxml.html
from lxml import etree

from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.items import Article, count_words
from forest_scrapy.core.joining.page_numbers import read_page_numbers
from forest_scrapy.core.markdown.blocks import to_markdown
from forest_scrapy.core.page.markup import MARK_CLASS, NOTE_ID, clean_markup
from forest_scrapy.core.page.tree import Element, parse_html
from forest_scrapy.core.page.urls import page_key

#: A page that repeats a larger share of the text of an earlier one is that page again.
_MAX_REPEATED_SHARE = 0.5
#: Characters of a page that is not repeated by chance, as a standfirst is.
_MIN_PAGE_LENGTH = 500
#: Titles of pages of one article share so much of the words of the shorter one, unless the URLs say
#: that they are pages of one.
_MIN_SHARED_WORDS = 0.75
#: Lines at both ends of a page that may be the numbers of the pages, and characters of one.
_MAX_PAGER_LINES = 3
_MAX_PAGER_LENGTH = 200
#: Lines at each end of a page that further pages may repeat: standfirst, author, boxes.
_MAX_END_LINES = 10
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
#: Numbers without a word or an arrow.
_NUMBERS = re.compile(r"[\d\s\[\]()]+")
_NUMBER = re.compile(r"\d+")
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


#: Footnotes, and the marks in the text that lead to them.
_NOTES = etree.XPath(f".//*[starts-with(@id, '{NOTE_ID}')]")
#: What a figure says besides its caption, as a table or code does.
_TEXTS_WITHOUT_CAPTION = etree.XPath(".//text()[normalize-space() and not(ancestor::figcaption)]")
_MARKS = etree.XPath(f".//sup[@class = '{MARK_CLASS}']/a[@href]")


@dataclass(frozen=True)
class _Part:
    """The content of one page: its lines that are kept, and those that are left out of its HTML,
    from the start and from the end."""

    article: Article
    lines: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    left_out_at_end: tuple[str, ...] = ()


def join_articles(
    pages: Sequence[Mapping[str, Any]],
    formats: Iterable[str],
) -> tuple[Article, int]:
    """The article with these pages, in their order, and the number of pages that are pages of it:
    those before the first page of another article.

    ``pages``: the fields of the article of each page, with ``html`` in any case; ``formats``: those
    that the article has.  All fields but the content, the media, the links and the comments are
    those of the first page.  What a further page repeats of the pages before it, such as the title
    at its start or the author at its end, is in the article once; a page that repeats an earlier
    one as a whole ends the article, which then has no further page.
    """
    articles = [Article(**page) for page in pages]
    # where pages are missing, how many there are is not known
    next_page = articles[-1].next_page
    # where pages are missing, how many there are is not known
    max_number = _MAX_PAGER_LENGTH if next_page else len(articles)
    parts = [_read_part(articles[0], max_number)]
    page_count = 1
    for article in articles[1:]:
        if not is_part_of(article, articles[0]):
            next_page = ""
            break
        page_count += 1
        is_again = any(is_repeated(article, part.article) for part in parts)
        if is_again:
            next_page = ""
            break

        part = _read_part(article, max_number)
        part = _without_start(part, parts)
        if part.lines:
            parts[-1] = _without_end(parts[-1], part)
            parts.append(part)

    article = _build(parts, next_page, frozenset(formats))
    return article, page_count


def is_part_of(article: Article, first: Article) -> bool:
    """Whether the article of a page that the first one leads to may be the same.

    >>> first = Article("http://a.example/owls/", "Owls in the snow")
    >>> is_part_of(Article("http://a.example/owls/2/", "Owls in the snow - page 2"), first)
    True
    >>> is_part_of(Article("http://a.example/owls/2/", "Mice of the barn"), first)
    False
    """
    canonical = page_key(article.canonical_url) if article.canonical_url else ""
    first_canonical = first.canonical_url or first.url
    if canonical in (page_key(first.url), page_key(first_canonical)):
        return True
    numbers = read_page_numbers(article.url)
    if any(number.is_named for number in numbers):
        return True

    title = _fold_title(article.title)
    first_title = _fold_title(first.title)
    words = set(title.split())
    first_words = set(first_title.split())
    shared_words = words & first_words
    shorter = min(len(words), len(first_words))
    return len(shared_words) >= _MIN_SHARED_WORDS * shorter


def is_repeated(article: Article, earlier: Article) -> bool:
    """Whether the page of an article is that of an earlier one again, as of a server that ignores
    page numbers, or with other comments.

    >>> text = "Owls hear the mouse under the snow."
    >>> is_repeated(Article("", text=f"{text}\\nPage 2"), Article("", text=f"{text}\\nPage 1"))
    True
    """
    earlier_lines = set(_split_lines(earlier.text))
    earlier_size = sum(map(len, earlier_lines))
    size = 0
    repeated_size = 0
    for line in _split_lines(article.text):
        size += len(line)
        if line in earlier_lines:
            repeated_size += len(line)

    if repeated_size <= _MAX_REPEATED_SHARE * earlier_size:
        return False
    is_long = earlier_size >= _MIN_PAGE_LENGTH
    return is_long or repeated_size > _MAX_REPEATED_SHARE * size


def _split_lines(text: str) -> tuple[str, ...]:
    lines = []
    for line in text.split("\n"):
        if line.strip():
            lines.append(line)
    return tuple(lines)


def _fold_title(title: str) -> str:
    """The words of a title without the number of the page."""
    return fold_words(_MARK.sub(" ", title))


def _without_start(part: _Part, earlier: Sequence[_Part]) -> _Part:
    """The part without the lines at its start that are the title, or that earlier pages have at
    their ends.

    The start ends at the first other line: dialogues and songs repeat short lines further on.  What
    an earlier page has itself more than once, as a chorus, is text."""
    earlier_lines: set[str] = set()
    for earlier_part in earlier:
        lines = earlier_part.lines
        counts = Counter(lines)
        for line in lines[:_MAX_END_LINES] + lines[-_MAX_END_LINES:]:
            if counts[line] == 1:
                earlier_lines.add(line)
        earlier_lines.update(earlier_part.left_out + earlier_part.left_out_at_end)
    title = _fold_title(earlier[0].article.title)

    start = 0
    for line in part.lines:
        is_title = bool(title) and _fold_title(line) == title
        if not is_title and line not in earlier_lines:
            break
        start += 1
    left_out = part.left_out + part.lines[:start]
    lines = part.lines[start:]
    return replace(part, lines=lines, left_out=left_out)


def _without_end(part: _Part, following: _Part) -> _Part:
    """The part without the lines at its end that the following page ends with, too; a line that it
    has itself more than once, as a chorus, is text."""
    lines = part.lines
    counts = Counter(lines)
    shared = 0
    for line, following_line in zip(reversed(lines), reversed(following.lines), strict=False):
        if line != following_line or counts[line] > 1:
            break
        shared += 1
    if not shared or shared == len(lines):
        return part

    shared_lines = lines[-shared:]
    return replace(
        part,
        lines=lines[:-shared],
        left_out_at_end=shared_lines + part.left_out_at_end,
    )


def _read_part(article: Article, max_number: int) -> _Part:
    """The content of a page without lines such as "Pages: 1 2 3" at its ends.

    ``max_number``: the number of pages, or more if it is not known.
    """
    lines = _split_lines(article.text)
    start_pager, start = _take_pagers(lines[:_MAX_PAGER_LINES], max_number)
    lines = start + lines[_MAX_PAGER_LINES:]
    last_lines = lines[-_MAX_PAGER_LINES:]
    end_pager, end = _take_pagers(last_lines, max_number)
    lines = lines[:-_MAX_PAGER_LINES] + end
    return _Part(article, lines, start_pager, end_pager)


def _take_pagers(
    lines: Sequence[str],
    max_number: int,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines that are the numbers of pages, and the other lines."""
    pagers = []
    text_lines = []
    for line in lines:
        if _is_pager(line, max_number):
            pagers.append(line)
        else:
            text_lines.append(line)
    return tuple(pagers), tuple(text_lines)


def _is_pager(line: str, max_number: int) -> bool:
    """Whether a line has the numbers of pages: with a word or an arrow, or 1, 2, 3 and so on, up to
    ``max_number`` at most.  Other numbers may be text, as years are."""
    if len(line) > _MAX_PAGER_LENGTH or not _PAGER.fullmatch(line.strip()):
        return False
    if not _NUMBERS.fullmatch(line):
        return True
    numbers = [int(number) for number in _NUMBER.findall(line)]
    first_numbers = list(range(1, len(numbers) + 1))
    is_run = numbers == first_numbers
    return is_run and 2 <= len(numbers) <= max_number


def _build(
    parts: Sequence[_Part],
    next_page: str,
    formats: frozenset[str],
) -> Article:
    """The article of these parts, with its content in the ``formats``."""
    first = parts[0].article
    urls = [part.article.url for part in parts]
    html = first.html
    article = replace(first, pages=urls, next_page=next_page)
    if len(parts) > 1:
        html = _join_html(parts)
        lines: list[str] = []
        for part in parts:
            lines += part.lines
        article.text = "\n".join(lines)
        article.word_count = count_words(article.text)

        article.images = _join_objects(parts, "images")
        article.videos = _join_objects(parts, "videos")
        article.audios = _join_objects(parts, "audios")
        links = _join_objects(parts, "links")
        related = _join_objects(parts, "related")
        page_keys = {page_key(url) for url in urls}
        article.links = _without_pages(links, page_keys)
        article.related = _without_pages(related, page_keys)
        comments = [part.article.comments for part in parts]
        article.comments = max(comments, key=len)
        article.confidence = min(part.article.confidence for part in parts)

    article.html = html if "html" in formats else ""
    article.markdown = to_markdown(html) if "markdown" in formats else ""
    return article


def _join_objects(parts: Sequence[_Part], name: str) -> list[dict[str, Any]]:
    """The media or links of all pages; those that an earlier page has are there once."""
    joined: list[dict[str, Any]] = []
    earlier_urls: set[str] = set()
    for part in parts:
        part_urls = set()
        for item in getattr(part.article, name):
            url = item["url"]
            part_urls.add(url)
            if url not in earlier_urls:
                joined.append(item)
        earlier_urls |= part_urls
    return joined


def _without_pages(
    links: Iterable[dict[str, Any]],
    keys: set[str],
) -> list[dict[str, Any]]:
    other_links = []
    for link in links:
        if page_key(link["url"]) not in keys:
            other_links.append(link)
    return other_links


def _join_html(parts: Sequence[_Part]) -> str:
    """The HTML of all pages.  An image that an earlier page has is there once; footnotes whose ids
    an earlier page has get others."""
    sources: set[str] = set()
    note_ids: set[str] = set()
    next_numbers: dict[str, int] = {}
    part_texts = []
    for part in parts:
        body = parse_html(part.article.html).find("body")
        if body is None:
            continue
        _remove_left_out(body, part)
        for image in list(body.iter("img")):
            if image.get("src") in sources:
                _remove_image(image)
        for image in body.iter("img"):
            source = image.get("src")
            if source:
                sources.add(source)
        _rename_notes(body, note_ids, next_numbers)
        part_texts.append(_write_children(body))
    return clean_markup("".join(part_texts))


def _remove_left_out(body: Element, part: _Part) -> None:
    """Remove the lines from the HTML that are left out of the part."""
    elements = []
    for element in body.iterdescendants():
        if element.tag in _ELEMENTS_OF_LINES:
            elements.append(element)
    first_elements = elements[:_MAX_ELEMENTS]
    last_elements = elements[-_MAX_ELEMENTS:]
    _remove_lines(first_elements, part.left_out)
    _remove_lines(last_elements[::-1], part.left_out_at_end[::-1])


def _rename_notes(
    body: Element,
    earlier_ids: set[str],
    next_numbers: dict[str, int],
) -> None:
    """Give the notes whose ids earlier pages have other ids, to which their marks lead; the ids of
    the page are added to ``earlier_ids``.

    ``next_numbers``: by the id of a note, the number that its next other id gets; is updated.
    """
    new_urls: dict[str, str] = {}
    for note in _NOTES(body):
        note_id = note.get("id")
        new_id = note_id
        number = next_numbers.get(note_id, 2)
        while new_id in earlier_ids:
            new_id = f"{note_id}p{number}"
            number += 1
        next_numbers[note_id] = number
        earlier_ids.add(new_id)
        new_urls[f"#{note_id}"] = f"#{new_id}"
        note.set("id", new_id)
    for link in _MARKS(body):
        url = link.get("href")
        link.set("href", new_urls.get(url, url))


def _write_children(body: Element) -> str:
    written = [escape(body.text or "", quote=False)]
    for child in body:
        markup = lxml.html.tostring(child, encoding="unicode")
        written.append(markup)
    return "".join(written)


def _remove_lines(elements: Sequence[Element], lines: Sequence[str]) -> None:
    """Remove the first element of each line; the largest that has no other text."""
    squeezed = [" ".join(line.split()) for line in lines]
    missing = Counter(squeezed)
    max_length = max(map(len, missing), default=0)
    removed: set[Element] = set()
    for element in elements:
        if not missing:
            return
        if not removed.isdisjoint(element.iterancestors()):
            continue

        text = _text_up_to(element, max_length)
        if not text or text not in missing:
            continue
        container = _container_of(element, text, max_length)
        if container.getparent() is None:
            continue
        removed.add(container)
        container.drop_tree()
        missing[text] -= 1
        if not missing[text]:
            del missing[text]


def _text_up_to(element: Element, max_length: int) -> str:
    """The text of an element on one line; ``""`` for a longer one."""
    texts: list[str] = []
    length = 0
    for text in element.itertext():
        texts.append(text)
        length += len(text.strip())
        if length > max_length:
            return ""
    return " ".join("".join(texts).split())


def _container_of(element: Element, text: str, max_length: int) -> Element:
    """The largest element around one that has the same text and no image, below the root."""
    container = element
    parent = element.getparent()
    while parent is not None and parent.getparent() is not None:
        has_image = next(parent.iter("img"), None) is not None
        if has_image or _text_up_to(parent, max_length) != text:
            break
        container = parent
        parent = parent.getparent()
    return container


def _remove_image(image: Element) -> None:
    """Remove an image, with the figure that has no other image or text but its caption."""
    figure = next(image.iterancestors("figure"), None)
    if figure is not None:
        images = list(figure.iter("img"))
        if len(images) == 1 and not _TEXTS_WITHOUT_CAPTION(figure):
            figure.drop_tree()
            return
    image.drop_tree()
