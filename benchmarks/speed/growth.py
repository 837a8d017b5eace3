"""How the time of ``extract`` grows with one page: twenty shapes of pages at n, 2n and 4n.

    python -m benchmarks.speed.growth [SHAPE ...] [--ways alone,template] [--size N] [--check]

Each page has a story, and n times something beside it: nested elements, attributes, words, rows ...
It is extracted with all kinds of items, ``alone``, or in a ``template`` of pages of that shape; the
time for such pages without what repeats is subtracted.  Printed are the seconds of processor time
for 4n and the exponent of the growth from n to 4n: 1 if the time grows as the page does, 2 if with
its square.

With ``--check`` the exit status is 1 if an exponent is above 1.3.  What looks so is measured again.
Takes some five minutes of processor time.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from forest_scrapy import ForestSettings, extract_pages

MAX_EXPONENT = 1.3
#: Of one shape, that it repeats: four times as many tags are a page that is not unusual.
SIZE = 1_500
#: The growth is that from n, or from the next of these, if the items of n are of other kinds than
#: those of 4n: other kinds are read in other ways.
FACTORS = (1.0, 2.0, 2.6, 3.2)
#: Times below this many seconds are noise.
MIN_SECONDS = 0.02
#: A growth that looks too large is measured so many times; the least is taken.
MAX_ATTEMPTS = 3
#: Pages of a template; all have the shape, with other words.
TEMPLATE_PAGES = 4
KINDS = ("article", "thread", "product", "listing", "page")
_WORDS = "harbour lantern quarry meadow copper violin glacier orchard beacon ferry".split()

#: What is repeated so many times, in the page of a number.
Shape = Callable[[int, int], str]


@dataclass(frozen=True)
class Growth:
    """``seconds``: of processor time for 4n, without those of the page without what repeats."""

    shape: str
    way: str
    seconds: float
    exponent: float

    def __str__(self) -> str:
        return f"| {self.shape} | {self.way} | {self.seconds:.2f} | {self.exponent:.2f} |"


def _word(number: int) -> str:
    """A word of its own for each number."""
    return f"{_WORDS[number % len(_WORDS)]}{number}"


def _sentence(number: int) -> str:
    return " ".join(_word(number + i) for i in range(8)).capitalize() + "."


def _repeat(count: int, row: Callable[[int], str]) -> str:
    return "".join(row(number) for number in range(count))


def _nested(count: int, page: int) -> str:
    depth = min(count, 200)
    column = f"{'<div>' * depth}{_sentence(page)}{'</div>' * depth}"
    return column * (count // depth)


def _forms(count: int, page: int) -> str:
    controls = _repeat(
        count // 2,
        lambda i: f"<label>{_word(i)}<input name=a{i} value={_word(i + page)}></label>",
    )
    return f"<form action=/find>{controls}</form>"


def _srcset(number: int, page: int) -> str:
    urls = ", ".join(f"/{page}/{number}-{width}.jpg {width}w" for width in (320, 640, 1280))
    return f"<img src=/{page}/{number}.jpg srcset='{urls}' alt='{_word(number)}'>"


def _json_ld(count: int, page: int) -> str:
    nodes = ",".join(
        f'{{"@type":"Article","@id":"/{page}/{i}","headline":"{_sentence(i)}"}}'
        for i in range(count)
    )
    return f'<script type="application/ld+json">{{"@graph":[{nodes}]}}</script>'


def _microdata(number: int, page: int) -> str:
    return (
        "<div itemscope itemtype='https://schema.org/Product'>"
        f"<b itemprop=name>{_word(number + page)}</b><i itemprop=price>{number}.50 EUR</i></div>"
    )


def _post(number: int, page: int) -> str:
    text = _repeat(4, lambda i: f"{_sentence(number * 17 + i + page)} ")
    return (
        f"<div class=post id=p{number}><a class=author href=/u/{number}>{_word(number)}</a>"
        f"<time>3 May 2024 10:{number % 60:02}</time><p>{text}</p></div>"
    )


def _card(number: int, page: int) -> str:
    return (
        f"<li class=card><a href=/{page}/{number}><img src=/{number}.jpg>{_sentence(number)}</a>"
        f"<span class=price>{number}.99 €</span></li>"
    )


def _parts_of(row: Callable[[int, int], str], tags: int = 1, around: str = "{}") -> Shape:
    """A shape of rows of so many tags each."""

    def shape(count: int, page: int) -> str:
        return around.format(_repeat(count // tags, lambda number: row(number, page)))

    return shape


SHAPES: Mapping[str, Shape] = {
    "nested": _nested,
    "siblings": _parts_of(lambda i, page: f"<div>{_word(i + page)}</div>"),
    "attributes": lambda count, page: _repeat(
        count // 100, lambda i: f"<p {_repeat(100, lambda j: f'data-a{i}-{j}={page} ')}>a</p>"
    ),
    "classes": _parts_of(lambda i, page: f"<div class='c{i} d{i + page}'>{_word(i)}</div>"),
    "long class": lambda count, page: (
        f"<div class='{_repeat(40 * count, lambda i: f'c{i} ')}'>{_sentence(page)}</div>"
    ),
    "paragraphs": _parts_of(lambda i, page: f"<p>{_sentence(i)} {_sentence(i * 7 + page)}</p>"),
    "long text": lambda count, page: f"<p>{_repeat(3 * count, lambda i: _sentence(i + page))}</p>",
    "long word": lambda count, page: f"<p>{'a' * 100 * count}{page}</p>",
    "spaces": lambda count, page: f"<p>a{' ' * 100 * count}{page}</p>",
    "punctuation": lambda count, page: f"<p>{', . - | (' * 12 * count}{page}</p>",
    "entities": lambda count, page: f"<p>{'&amp;&eacute;&#8211; a ' * 4 * count}{page}</p>",
    "table": _parts_of(
        lambda i, page: f"<tr><td>{_word(i)}<td>{i + page}<td>{_word(i * 7)}</tr>",
        4,
        "<table>{}</table>",
    ),
    "lists": _parts_of(lambda i, page: f"<ul><li>{_word(i)}<li>{_sentence(i + page)}</ul>", 3),
    "long list": _parts_of(lambda i, page: f"<li>{_sentence(i + page)}", 1, "<ul>{}</ul>"),
    "links": _parts_of(lambda i, page: f"<p><a href=/{page}/{i}?p={i}>{_word(i)}</a></p>", 2),
    "cards": _parts_of(_card, 4, "<ul>{}</ul>"),
    "posts": _parts_of(_post, 4),
    "scripts": _parts_of(lambda i, page: f"<script>var a{i} = {{b: '{page}'}};</script>"),
    "JSON-LD": _json_ld,
    "microdata": _parts_of(_microdata, 3),
    "metas": _parts_of(lambda i, page: f"<meta name=author content='Ana {_word(i + page)}'>"),
    "form": _forms,
    "select": _parts_of(
        lambda i, page: f"<option value={i}>{_word(i + page)}",
        1,
        "<form><select>{}</select></form>",
    ),
    "comments": _parts_of(lambda i, page: f"<!-- {_sentence(i + page)} --><i>a</i>"),
    "images": _parts_of(_srcset),
    "figures": _parts_of(
        lambda i, page: (
            f"<figure>{_srcset(i, page)}<figcaption>{_sentence(i)}</figcaption></figure>"
        ),
        3,
    ),
    "headings": _parts_of(
        lambda i, page: f"<h{i % 5 + 2}>{_word(i + page)}</h{i % 5 + 2}><p>{_sentence(i)}</p>", 2
    ),
    "definitions": _parts_of(
        lambda i, page: f"<dt>{_word(i)}:<dd>{_sentence(i + page)}", 2, "<dl>{}</dl>"
    ),
    "inline": lambda count, page: _repeat(
        count // 100, lambda i: f"<p>{'<b><i>a ' * 50}{_word(i + page)}</p>"
    ),
    "unclosed": _parts_of(lambda i, page: f"<p><b>{_word(i + page)}<i>", 3),
    "breaks": _parts_of(lambda i, page: f"{_word(i + page)}<br>"),
    "notes": _parts_of(
        lambda i, page: (
            f"<p>{_word(i)}<sup><a href=#n{i} id=r{i}>{i}</a></sup></p>"
            f"<li id=n{i}>{_sentence(i + page)} <a href=#r{i}>↩</a></li>"
        ),
        5,
    ),
    "code": _parts_of(lambda i, page: f"<pre><code>{_word(i)} = {i + page}\n</code></pre>", 2),
    "dates": _parts_of(lambda i, page: f"<p class=date>By A B, {i % 28 + 1} May 2024 10:00</p>"),
}


def make_page(shape: Shape, count: int, number: int) -> str:
    """A page with a story and with what a shape repeats."""
    story = _repeat(8, lambda i: f"<p>{_sentence(1_000 * number + 10 * i)}</p>")
    title = f"Story {_word(number)}"
    repeated = shape(count, number) if count else ""
    return (
        f"<html lang=en><head><title>{title}</title></head><body><ul><li>Home</ul>"
        f"<div class=story><h1>{title}</h1><div class=text>{story}</div>"
        f"<div class=more>{repeated}</div></div></body></html>"
    )


def growth_of(name: str, way: str, size: int = SIZE) -> Growth:
    """The growth for a shape; of several measurements the least, if it looks too large."""
    shape = SHAPES[name]
    pages = 1 if way == "alone" else TEMPLATE_PAGES
    result: Growth | None = None
    for _ in range(MAX_ATTEMPTS):
        empty, _ = _seconds(shape, 0, pages)
        last, last_kinds = _seconds(shape, 4 * size, pages)
        last = max(MIN_SECONDS, last - empty)
        exponent = -math.inf
        for factor in FACTORS:
            first, kinds = _seconds(shape, int(factor * size), pages)
            if kinds == last_kinds:
                first = max(MIN_SECONDS, first - empty)
                exponent = math.log(last / first) / math.log(4 / factor)
                break
        if result is None or exponent < result.exponent:
            result = Growth(name, way, last, exponent)
        if exponent <= MAX_EXPONENT:
            break
    assert result is not None
    return result


def _seconds(shape: Shape, count: int, pages: int) -> tuple[float, tuple[str, ...]]:
    """The processor time for the extraction of some pages, and the kinds of their items."""
    settings = ForestSettings(kinds=KINDS)
    sources = [
        (f"https://a.example/stories/{number}", make_page(shape, count, number))
        for number in range(pages)
    ]
    gc.collect()
    start = time.process_time()
    kinds = [type(item).__name__ for item in extract_pages(sources, settings)]
    return time.process_time() - start, tuple(sorted(kinds))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.growth", description=__doc__)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help="default: all")
    parser.add_argument("--ways", default="alone,template")
    parser.add_argument("--size", type=int, default=SIZE, metavar="N", help=f"n ({SIZE})")
    parser.add_argument("--check", action="store_true", help="exit status 1 above 1.3")
    options = parser.parse_args(arguments)
    if unknown := set(options.shapes).difference(SHAPES):
        parser.error(f"no such shape: {', '.join(sorted(unknown))}")

    _seconds(SHAPES["paragraphs"], options.size, 1)  # models are read once
    print("| shape | way | s for 4n | exponent |\n|---|---|---|---|", flush=True)
    failed = 0
    for name in options.shapes or SHAPES:
        for way in options.ways.split(","):
            result = growth_of(name, way, options.size)
            is_bad = result.exponent > MAX_EXPONENT
            failed += is_bad
            print(f"{result}{' above 1.3' * is_bad}", flush=True)
    print(f"\n{failed} above {MAX_EXPONENT}")
    return int(options.check and failed > 0)


if __name__ == "__main__":
    sys.exit(main())
