"""Count the blocks that are rare in a template and that its articles still have, on made sites.

    python -m benchmarks.quality.rare_blocks [--layouts NAME,NAME] [--lost] [--json]

Each site has articles of one template.  Two of 24 pages, or one of 8, have between their paragraphs
a block that no other page of the site has: a list, code, a table, a video.  There are two sites for
each kind of block, number of pages and layout; the second has boxes of boilerplate between the
paragraphs of all pages, and pictures on some.  The layouts:

- ``container``: all blocks of the text are in one element;
- ``siblings``: they are siblings of the title, the byline and the buttons for sharing;
- ``wrapped``: each is in elements of its own, as page builders have them;
- ``sections``: the paragraphs are in several sections of one element.

Printed: how many of the rare blocks are in the articles, by layout and kind of block; how many are
if each page is read by itself; how many of the boxes of boilerplate are; and with ``--lost`` each
block that is not.  The pages are extracted as ``extract_pages`` does it, with the classifiers of
the package.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from forest_scrapy import extract_pages
from forest_scrapy.core import Page, extract_item
from forest_scrapy.core.items import Article
from forest_scrapy.settings import ForestSettings

#: The pages of a site, and how many of them have the rare block.
SITE_SIZES = ((24, 2), (8, 1))
#: The sites of each kind of block, size and layout: the second has boxes and pictures.
SITES = 2
#: The paragraphs of an article.
MIN_PARAGRAPHS = 5
MAX_PARAGRAPHS = 8

_WHO = (
    "The cellist", "Her brother", "An archaeologist", "The ferry company", "Our correspondent",
    "The village school", "A team of geologists", "The last bell founder", "The orchard's owner",
    "A translator from Trieste", "The ministry", "Their neighbour", "The ice patrol",
    "A night nurse", "The glass works", "Every apprentice", "The pilot", "One of the divers",
)  # fmt: skip
_DID = (
    "described", "had restored", "refused to sell", "measured again", "lost sight of",
    "wrote three letters about", "drew a plan of", "was the first to notice", "paid for",
    "could never forget", "has carried home", "will exhibit", "explained to the jury",
)  # fmt: skip
_WHAT = (
    "the flooded quarry", "a cupboard full of seeds", "two miles of copper wire",
    "the bridge at the weir", "an organ without pipes", "the minutes of the meeting",
    "nineteen unsigned paintings", "the tide gauge", "a lorry with a broken axle",
    "the recipe for black ink", "the observatory's dome", "a herd of small brown goats",
    "the wreck below the cape", "a staircase made of slate", "the census of that winter",
)  # fmt: skip
_WHEN = (
    "before the harvest was over", "although the money had run out", "on the way to the coast",
    "while the radio was playing", "since nobody else would do it", "long after the strike",
    "in a week without any wind", "as the court had demanded", "and said nothing more about it",
    "because the old road was closed", "at a price that surprised them all",
)  # fmt: skip
_NAMES = ("Ines Varga", "Tom Aldous", "Mirko Lenz", "Sunniva Dahl", "Paul Okoro", "Edda Brunner")


class Writer:
    """Writes sentences that are alike in length and hardly ever the same."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def sentence(self) -> str:
        choose = self.random.choice
        return f"{choose(_WHO)} {choose(_DID)} {choose(_WHAT)} {choose(_WHEN)}."

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(self.random.randint(2, 4)))

    def title(self) -> str:
        choose = self.random.choice
        number = self.random.randint(2, 99)
        return f"{choose(_WHO)} {choose(_DID)} {choose(_WHAT)} in year {number}"


@dataclass(frozen=True)
class Block:
    """A block between paragraphs: its markup; texts that the article's text must have; a URL that
    its images, videos or markup must have, ``""`` if there is none."""

    markup: str
    texts: tuple[str, ...] = ()
    url: str = ""


def _list_block(tag: str, write: Writer) -> Block:
    items = [write.sentence() for _ in range(4)]
    markup = "".join(f"<li>{item}</li>" for item in items)
    return Block(f"<{tag}>{markup}</{tag}>", (items[0], items[-1]))


def _code_block(write: Writer) -> Block:
    name = f"gauge_{write.random.randint(100, 999)}"
    first = f"def {name}(levels):"
    last = f"    return {name}(levels[1:])"
    markup = f"<pre><code>{first}\n    print(max(levels))\n{last}\n</code></pre>"
    return Block(markup, (first, last.strip()))


def _table_block(write: Writer) -> Block:
    place = f"Station {write.random.randint(100, 999)}"
    note = write.sentence()
    rows = f"<tr><th>Place</th><th>Remark</th></tr><tr><td>{place}</td><td>{note}</td></tr>"
    return Block(f"<table><tbody>{rows}</tbody></table>", (place, note))


def _quotation(write: Writer) -> Block:
    text = write.paragraph()
    return Block(f"<blockquote><p>{text}</p></blockquote>", (text,))


def _heading(write: Writer) -> Block:
    tag = write.random.choice(("h2", "h3"))
    text = f"{write.random.choice(_WHAT).capitalize()}, once more"
    return Block(f"<{tag}>{text}</{tag}>", (text,))


def _details(write: Writer) -> Block:
    label = f"What became of {write.random.choice(_WHAT)}"
    text = write.paragraph()
    markup = f"<details><summary>{label}</summary><p>{text}</p></details>"
    return Block(markup, (label, text))


def _definitions(write: Writer) -> Block:
    term = write.random.choice(_WHAT).capitalize()
    text = write.sentence()
    markup = f"<dl><dt>{term}</dt><dd>{text}</dd></dl>"
    return Block(markup, (term, text))


def _figure(write: Writer) -> Block:
    url = f"/pictures/{write.random.randint(10_000, 99_999)}.jpg"
    return Block(f'<figure><img src="{url}" alt="a boat"></figure>', url=url)


def _tweet(write: Writer) -> Block:
    text = write.sentence()
    url = f"https://twitter.com/tide/status/{write.random.randint(10_000, 99_999)}"
    markup = (
        f'<blockquote class="twitter-tweet"><p lang="en" dir="ltr">{text}</p>&mdash; Tide (@tide) '
        f'<a href="{url}">May 3, 2024</a></blockquote>'
    )
    return Block(markup, (text,))


def _plain_division(write: Writer) -> Block:
    text = write.paragraph()
    return Block(f"<div>{text}</div>", (text,))


def _video(write: Writer) -> Block:
    url = f"https://www.youtube.com/embed/v{write.random.randint(10_000, 99_999)}"
    return Block(f'<div class="video"><iframe src="{url}"></iframe></div>', url=url)


def _callout(write: Writer) -> Block:
    label = f"Note on {write.random.choice(_WHAT)}"
    text = write.paragraph()
    markup = f'<aside class="callout"><strong>{label}</strong><p>{text}</p></aside>'
    return Block(markup, (label, text))


#: The kinds of rare blocks, and what makes one.
BLOCKS: Mapping[str, Callable[[Writer], Block]] = {
    "ul": lambda write: _list_block("ul", write),
    "ol": lambda write: _list_block("ol", write),
    "pre": _code_block,
    "table": _table_block,
    "blockquote": _quotation,
    "heading": _heading,
    "details": _details,
    "dl": _definitions,
    "figure": _figure,
    "tweet": _tweet,
    "div": _plain_division,
    "video": _video,
    "callout": _callout,
}

#: A box between the paragraphs, the same on all pages.
_NEWSLETTER = "Get the harbour letter every Friday morning, free of charge."


@dataclass(frozen=True)
class MadePage:
    """A page of a made site: its URL, its HTML, and its rare block if it has one."""

    url: str
    html: str
    block: Block | None = None


@dataclass(frozen=True)
class MadeSite:
    """The pages of a template, a part of which have a rare block of the kind."""

    layout: str
    kind: str
    pages: tuple[MadePage, ...]
    has_boxes: bool = False


def _arrange_in_container(title: str, byline: str, blocks: Sequence[str]) -> str:
    text = "\n".join(blocks)
    return f'<article><h1>{title}</h1>{byline}<div class="entry-content">{text}</div></article>'


def _arrange_as_siblings(title: str, byline: str, blocks: Sequence[str]) -> str:
    share = (
        '<ul class="share"><li><a href="https://facebook.com/sharer">Share</a></li>'
        '<li><a href="mailto:">Send</a></li></ul>'
    )
    text = "\n".join(blocks)
    return f"<article><h1>{title}</h1>{byline}{share}\n{text}\n{share}</article>"


def _arrange_wrapped(title: str, byline: str, blocks: Sequence[str]) -> str:
    wrapped = (
        f'<div class="block block-{block[1:4].strip("> ")}"><div class="block-content">{block}'
        "</div></div>"
        for block in blocks
    )
    text = "\n".join(wrapped)
    column = f'<div class="layout"><div class="row"><div class="column">{text}</div></div></div>'
    return f"<article><h1>{title}</h1>{byline}{column}</article>"


def _arrange_in_sections(title: str, byline: str, blocks: Sequence[str]) -> str:
    parts = [blocks[start : start + 3] for start in range(0, len(blocks), 3)]
    sections = "\n".join(f"<section>{''.join(part)}</section>" for part in parts)
    return f'<article><h1>{title}</h1>{byline}<div class="body">{sections}</div></article>'


LAYOUTS: Mapping[str, Callable[[str, str, Sequence[str]], str]] = {
    "container": _arrange_in_container,
    "siblings": _arrange_as_siblings,
    "wrapped": _arrange_wrapped,
    "sections": _arrange_in_sections,
}


def make_sites(layout: str) -> Iterator[MadeSite]:
    """The sites of a layout; always the same."""
    for kind in BLOCKS:
        for pages, rare_pages in SITE_SIZES:
            for number in range(SITES):
                yield make_site(layout, kind, pages, rare_pages, has_boxes=number > 0)


def make_site(layout: str, kind: str, pages: int, rare_pages: int, has_boxes: bool) -> MadeSite:
    """A site whose last pages have a rare block; ``has_boxes``: whether all pages have a box of
    boilerplate between their paragraphs, and some a picture."""
    name = f"{kind}-{layout}-{pages}-{'boxes' if has_boxes else 'plain'}"
    write = Writer(name)
    titles = [f"{write.title()}, part {number}" for number in range(pages)]
    addresses = [f"https://{name}.example/stories/{_as_path(title)}" for title in titles]
    site_pages = []
    for number, title in enumerate(titles):
        block = BLOCKS[kind](write) if number >= pages - rare_pages else None
        paragraphs = write.random.randint(MIN_PARAGRAPHS, MAX_PARAGRAPHS)
        blocks = [f"<p>{write.paragraph()}</p>" for _ in range(paragraphs)]
        middle = write.random.randint(2, paragraphs - 2)
        if has_boxes:
            box = f'<div class="letter"><h4>Newsletter</h4><p>{_NEWSLETTER}</p></div>'
            blocks.insert(middle - 1, box)
            if number % 3 == 0:
                blocks.insert(1, f'<figure><img src="/pictures/{number}.jpg" alt=""></figure>')
        if block:
            blocks.insert(middle + 1, block.markup)
        linked = write.random.sample(range(pages), 5)
        links = [(addresses[target], titles[target]) for target in linked]
        html = _write_page(layout, name, title, blocks, links, write)
        site_pages.append(MadePage(addresses[number], html, block))
    return MadeSite(layout, kind, tuple(site_pages), has_boxes)


def _as_path(title: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in title.lower()).split())


def _write_page(
    layout: str,
    site: str,
    title: str,
    blocks: Sequence[str],
    links: Sequence[tuple[str, str]],
    write: Writer,
) -> str:
    name = write.random.choice(_NAMES)
    byline = f'<p class="by">By <a rel="author" href="/people">{name}</a></p>'
    article = LAYOUTS[layout](escape(title), byline, blocks)
    menu = "".join(f'<li><a href="/{part}">{part}</a></li>' for part in ("News", "Sea", "Arts"))
    teasers = "".join(f'<li><a href="{url}">{escape(text)}</a></li>' for url, text in links)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} | '
        f"{site}</title></head><body><header><nav><ul>{menu}</ul></nav></header><main>{article}"
        f'</main><aside class="side"><h3>Most read</h3><ul>{teasers}</ul></aside>'
        '<footer><p>All rights reserved by the harbour press. <a href="/privacy">Privacy</a></p>'
        "</footer></body></html>"
    )


@dataclass
class Counts:
    """Rare blocks by kind, and those kept; the number kept of pages that are read by themselves;
    the URLs of pages that lost theirs; boxes of boilerplate, and those kept."""

    blocks: Counter[str]
    kept: Counter[str]
    lost: list[str]
    kept_by_single: int = 0
    boxes: int = 0
    kept_boxes: int = 0


def count_kept(sites: Iterator[MadeSite]) -> Counts:
    """What the articles of the sites have of their rare blocks; a page without an article has
    lost its block."""
    counts = Counts(Counter(), Counter(), [])
    settings = ForestSettings(formats=("text", "html"))
    for site in sites:
        pages = [(page.url, page.html) for page in site.pages]
        items = {item.url: item for item in extract_pages(pages, settings, are_articles=True)}
        for page in site.pages:
            article = items.get(page.url)
            if site.has_boxes:
                counts.boxes += 1
                counts.kept_boxes += article is not None and _NEWSLETTER in article.text
            if page.block is None:
                continue
            counts.blocks[site.kind] += 1
            single = extract_item(Page.from_html(page.html, page.url))
            counts.kept_by_single += isinstance(single, Article) and has_block(single, page.block)
            if article is not None and has_block(article, page.block):
                counts.kept[site.kind] += 1
            else:
                counts.lost.append(page.url)
    return counts


def has_block(article: Article, block: Block) -> bool:
    """Whether the article has all of a block.

    >>> article = Article("https://a.example/", text="An  owl.", images=[{"url": "/owl.png"}])
    >>> has_block(article, Block("", ("An owl.",))), has_block(article, Block("", url="/elk.png"))
    (True, False)
    """
    text = " ".join(article.text.split())
    if not all(part in text for part in block.texts):
        return False
    media = [file["url"] for file in (*article.images, *article.videos)]
    return block.url in article.html or any(url.endswith(block.url) for url in media)


def report_counts(counts: Counts) -> dict[str, Any]:
    """The figures of a layout as JSON values."""
    return {
        "kept": counts.kept.total(),
        "blocks": counts.blocks.total(),
        "kept_by_single": counts.kept_by_single,
        "by_kind": {kind: [counts.kept[kind], total] for kind, total in counts.blocks.items()},
        "kept_boxes": counts.kept_boxes,
        "boxes": counts.boxes,
        "lost": counts.lost,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--layouts", default=",".join(LAYOUTS), metavar="NAME,NAME")
    parser.add_argument("--lost", action="store_true", help="print the pages that lost a block")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    layouts = options.layouts.split(",")
    if unknown := set(layouts) - LAYOUTS.keys():
        parser.error(f"no layout {', '.join(sorted(unknown))}; there are {', '.join(LAYOUTS)}")
    report = {layout: report_counts(count_kept(make_sites(layout))) for layout in layouts}
    if options.json:
        print(json.dumps(report))
        return
    for layout, row in report.items():
        print(
            f"{layout:10s} {row['kept']:3d} of {row['blocks']:3d} rare blocks kept"
            f" (by single pages {row['kept_by_single']}), and"
            f" {row['kept_boxes']} of {row['boxes']} boxes of boilerplate"
        )
        short = [
            f"{kind} {kept_count}/{total}"
            for kind, (kept_count, total) in row["by_kind"].items()
            if kept_count < total
        ]
        if short:
            print(f"           {', '.join(short)}")
        if options.lost:
            print("\n".join(f"           {url}" for url in row["lost"]))


if __name__ == "__main__":
    main()
