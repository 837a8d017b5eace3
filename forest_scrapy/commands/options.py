"""The options of ``scrapy forest``."""

from __future__ import annotations

from argparse import ArgumentParser

__all__ = ["EXTRACT_OPTIONS", "ROWS", "add_extract_options", "add_options"]

#: Rows of the ranking, unless ``--top`` says otherwise.
ROWS = 10
#: The options of ``extract``.
EXTRACT_OPTIONS = (
    "output", "errors", "articles", "wrappers", "save_wrappers", "urls", "processes",
)  # fmt: skip


def add_options(parser: ArgumentParser) -> None:
    """Add the options of all actions to a parser."""
    _add_explain_options(parser)
    _add_export_options(parser)
    add_extract_options(parser)
    add = parser.add_argument_group("show, forget, history and due").add_argument
    add("--versions", action="store_true", default=None, help="show: also older versions")
    add("--force", action="store_true", default=None, help="forget: also edited wrappers")
    add("--prune", metavar="AGE", help="history: delete what was last seen so long ago (90d)")
    add("--all", action="store_true", default=None, help="due: all feeds, and when each is due")
    add = parser.add_argument_group("several actions").add_argument
    add("--template", metavar="ID", help="show, export, forget: only this template")
    add("--json", action="store_true", default=None, help="explain, show, history, due: print JSON")


def _add_explain_options(parser: ArgumentParser) -> None:
    from forest_scrapy.core import METHODS

    add = parser.add_argument_group("explain").add_argument
    add(
        "--method",
        choices=("auto", *METHODS),
        help="the method to learn with (default: FOREST_METHOD)",
    )
    add(
        "--also",
        action="append",
        choices=tuple(METHODS),
        metavar="NAME",
        help="report: compare with this method; can be repeated",
    )
    add(
        "--feed",
        metavar="URL|FILE",
        help="use its entries for the pages; without pages, explain its first items",
    )
    add(
        "--stored",
        action="store_true",
        default=None,
        help="do not learn: use the stored templates of the pages' hosts",
    )
    add(
        "--all-together",
        action="store_true",
        default=None,
        help="learn from all pages, even if they are of different templates",
    )
    add(
        "--top",
        type=int,
        metavar="N",
        help="rows of FOREST's ranking of patterns"
        f" (default: {ROWS} for methods that rank patterns, 0 for others)",
    )
    add("--text", action="store_true", default=None, help="print all text, kept and dropped")


def _add_export_options(parser: ArgumentParser) -> None:
    from forest_scrapy.core.exports import FORMATS

    add = parser.add_argument_group("export").add_argument
    add(
        "--format",
        choices=tuple(FORMATS),
        help="parsel: a Python module (default); ftr: a site config of Full-Text RSS; "
        "freshrss: CSS selectors for FreshRSS; opml: the same as a subscription; "
        "json: the wrapper itself",
    )
    add(
        "--url",
        action="append",
        metavar="URL",
        help="ftr: add this article as a test_url; opml: the URL of the feed",
    )
    add(
        "-o",
        "--output",
        metavar="FILE|FOLDER",
        help="export: write to this file (default: standard output); report: to "
        "this folder (default: report)",
    )


def add_extract_options(parser: ArgumentParser) -> None:
    """Add the options of ``extract``, but for ``--output``."""
    add = parser.add_argument_group("extract").add_argument
    add("--errors", metavar="FILE", help="pages without an article (default: errors.jsonl)")
    add(
        "--articles",
        action="store_true",
        default=None,
        help="all pages are articles (default: articles are told from other pages)",
    )
    add("--wrappers", metavar="STORE", help="extract with the wrappers of this store; learn none")
    add("--save-wrappers", metavar="STORE", help="add the wrappers that are learned to this store")
    add("--urls", metavar="FILE", help="extract only the pages of these URLs, one a line")
    add("--processes", type=int, metavar="N", help="default: one for each processor")
