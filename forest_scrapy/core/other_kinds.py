"""Pages that are threads, products or lists while only articles are wanted.

A forum gives articles of a sort, or none at all; that its pages are threads, and how to get these,
is said once, of all pages.  Only a page of each of the largest templates is looked at: finding out
its kind takes 50 ms, as long as all else that a page needs.
"""

from collections.abc import Mapping, Sequence

from forest_scrapy.core.items import OTHER_ITEMS
from forest_scrapy.core.learning import learn_kind
from forest_scrapy.core.options import Options
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.plurals import count
from forest_scrapy.core.records.kind_hints import hints_at_records

#: Templates of which a page is looked at, at most.
MAX_TEMPLATES_LOOKED_AT = 24
#: The kinds that are told.
TOLD_KINDS = tuple(kind for kind in OTHER_ITEMS if kind != "page")


def find_other_kind(
    page: Page,
    options: Options,
    may_be_article: bool,
    needs_hint: bool,
) -> str:
    """Which of ``TOLD_KINDS`` a page would be of if all kinds were wanted; ``article`` if of none.

    ``may_be_article``: whether its template is one of articles; ``needs_hint``: whether only pages
    whose URL, software, declared types or classes name threads or products are looked at any
    closer.  Cost: some 50 ms, 2 ms for pages without such a hint.
    """
    head = page.head
    if needs_hint and not hints_at_records(head):
        return "article"
    kind = learn_kind([head], options, prefer_articles=may_be_article).kind.name
    return kind if kind in TOLD_KINDS else "article"


def describe_other_kinds(
    pages: Mapping[str, int],
    kinds: Sequence[str],
    option: str = "--kinds ",
) -> str:
    """How many of the pages that were looked at are of other kinds than is wanted, and how to get
    these; ``""`` if there are none.  Most sites have lists: these are told of only if most pages
    are some.

    ``pages``: their numbers by ``find_other_kind``.

    >>> describe_other_kinds({"thread": 40, "listing": 1, "article": 9}, ("article",))
    '40 of 50 pages look like threads: --kinds article,thread gives these'
    >>> describe_other_kinds({"product": 1, "listing": 3}, ("article",), "kinds=")
    '1 of 4 pages looks like a product, 3 like listings: kinds=article,product,listing gives these'
    >>> describe_other_kinds({"thread": 1}, ("article",))
    '1 page looks like a thread: --kinds article,thread gives this'
    """
    total = sum(pages.values())
    texts: list[str] = []
    told_kinds: list[str] = []
    told = 0
    for kind in TOLD_KINDS:
        number = pages.get(kind, 0)
        is_usual = kind == "listing" and 2 * number <= total
        if not number or is_usual or kind in kinds:
            continue
        noun = f"a {kind}" if number == 1 else f"{kind}s"
        if texts:
            texts.append(f"{number} like {noun}")
        else:
            verb = "looks" if number == 1 else "look"
            share = "" if total == 1 else f"{number} of "
            texts.append(f"{share}{count(total, 'page')} {verb} like {noun}")
        told_kinds.append(kind)
        told += number
    if not texts:
        return ""
    wanted_kinds = ",".join((*kinds, *told_kinds))
    pronoun = "this" if told == 1 else "these"
    return f"{', '.join(texts)}: {option}{wanted_kinds} gives {pronoun}"
