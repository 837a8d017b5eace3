"""``scrapy forest explain``: the wrapper of some pages, and the evidence for it."""

import os
import re
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace

from scrapy.exceptions import UsageError

from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.commands.pages import read_pages
from forest_scrapy.commands.stored import lines_text, match_stored, wrapper_lines
from forest_scrapy.core import METHODS, ForestError, Page, Wrapper, learn, learn_records
from forest_scrapy.core.explain import (
    RANKING_METHODS,
    Expression,
    PageExplanation,
    PatternRow,
    explain_expressions,
    explain_page,
    explain_ranking,
)
from forest_scrapy.core.learning import choose_affordable
from forest_scrapy.core.plurals import count
from forest_scrapy.core.rules import NO_CUT
from forest_scrapy.core.skeleton import learn_skeleton
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.core.templates.grouping import group_pages
from forest_scrapy.settings import ForestSettings

#: Rows of the ranking, unless ``--top`` says otherwise.
DEFAULT_ROWS = 10


class NothingToExplain(ForestError):
    """No page could be read, or no stored template matches; the message has one reason a line."""


class Explain(Action):
    """Learn a wrapper from pages of one template, and print the evidence for it.

    The pages are URLs, files, or the items of a feed.
    """

    name = "explain"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("pages", nargs="*", metavar="URL|FILE", help="at least two pages of one site")
        add(
            "--feed",
            default="",
            metavar="URL|FILE",
            help="use its entries for the pages; without pages, explain its first items",
        )
        add(
            "--method",
            choices=("auto", *METHODS),
            help="the method to learn with (default: FOREST_METHOD)",
        )
        add(
            "--all-together",
            action="store_true",
            help="learn from all pages, even if they are of different templates",
        )
        add(
            "--stored",
            action="store_true",
            help="do not learn: use the stored templates of the pages' hosts",
        )
        add(
            "--top",
            type=int,
            metavar="N",
            help="rows of FOREST's ranking of patterns"
            f" (default: {DEFAULT_ROWS} for methods that rank patterns, 0 for others)",
        )
        add("--text", action="store_true", help="print all text, kept and dropped")
        add("--json", action="store_true", help="print JSON")

    def run(self, options: Namespace) -> str:
        """Read the pages, then learn a wrapper from them, or find their stored templates.

        Raises ``NothingToExplain``, and the errors of ``learn``.
        """
        if not options.pages and (options.stored or not options.feed):
            raise UsageError("name the pages to explain (URLs or files), or a --feed")
        if options.stored and options.method:
            raise UsageError("--method cannot be used with --stored, which learns nothing")
        pages = read_pages(options.pages, options.feed, self)
        if not pages:
            raise NothingToExplain("no page to explain")
        config = replace(self.config, method=options.method or self.config.method)
        if options.stored:
            templates, notes = _find_templates(pages, config, options)
        else:
            group, notes = _choose_group(pages, options.all_together, config)
            templates = [_learn(group, config, options)]
            notes += _note_kind(group, config)
        explanation = Explanation(tuple(templates), tuple(notes), tuple(self.errors))
        if options.json:
            return explanation_json(explanation)
        return explanation_text(explanation)

    def paint(self, text: str) -> str:
        return colour_lines(text)


@dataclass(frozen=True)
class TemplateExplanation:
    """A wrapper, and what it does on some pages of its template.

    - ``template_id``: of the stored template, ``""`` for a wrapper learned just now; ``cut``: where
      this template was cut from the others.
    - ``pages``: the URLs of the pages it was learned from, or of those that match the stored
      template.
    - ``ranking``: FOREST's ranking of the patterns; empty for a stored template, and if the method
      does not rank patterns and nobody asked for it.
    """

    template_id: str
    pages: tuple[str, ...]
    wrapper: Wrapper
    expressions: tuple[Expression, ...]
    ranking: tuple[PatternRow, ...]
    page_explanations: tuple[PageExplanation, ...]
    cut: Cut = NO_CUT


@dataclass(frozen=True)
class Explanation:
    """The contents of what ``scrapy forest explain`` prints.

    - ``templates``: the one learned, or each stored template that some pages match.
    - ``notes``: how the pages were grouped, and of which kind they are.
    - ``errors``: one message for each input that cannot be used.
    """

    templates: tuple[TemplateExplanation, ...]
    notes: tuple[str, ...]
    errors: tuple[str, ...]


def _choose_group(
    pages: Sequence[Page],
    all_together: bool,
    config: ForestSettings,
) -> tuple[list[Page], list[str]]:
    """The pages to learn from, and notes on the other groups."""
    groups, cut = group_pages(pages, config.fingerprint_kind, config.threshold)
    if len(groups) == 1:
        return groups[0], []

    sizes = ", ".join(str(len(group)) for group in groups)
    summary = f"the pages fall into {count(len(groups), 'template')} ({sizes} pages)"
    notes = [f"{summary}, cut at distance {cut.distance:.2f}: {cut.reason}"]
    if all_together:
        notes.append("learned from all of them, because of --all-together")
        return list(pages), notes
    unused = ", ".join(page.url for group in groups[1:] for page in group)
    notes.append(f"learned from the largest only (use --all-together for all); not from {unused}")
    return groups[0], notes


def _note_kind(
    pages: Sequence[Page],
    config: ForestSettings,
) -> list[str]:
    """A note on threads, products and listings."""
    records = learn_records(choose_affordable(pages), config.params, prefer_articles=True)
    kind = records.kind.name
    if kind in ("article", "other"):
        return []
    return [f"these pages are of kind {kind}; what follows is the wrapper for articles"]


def _learn(
    pages: Sequence[Page],
    config: ForestSettings,
    options: Namespace,
) -> TemplateExplanation:
    wrapper = learn(pages, config.params)
    row_count = options.top
    if row_count is None:
        has_ranking = options.json or wrapper.method in RANKING_METHODS
        row_count = DEFAULT_ROWS if has_ranking else 0
    ranking: tuple[PatternRow, ...] = ()
    if row_count:
        ranking = explain_ranking(pages, config.params, wrapper, row_count)
    explanation = _explain_template(wrapper, pages, config, options.text)
    return replace(explanation, ranking=ranking)


def _find_templates(
    pages: Sequence[Page],
    config: ForestSettings,
    options: Namespace,
) -> tuple[list[TemplateExplanation], list[str]]:
    """The stored templates that some of the pages match, and a note for each other page."""
    groups, notes = match_stored(pages, config)
    for template, _ in groups:
        if template.is_of_threads:
            notes.append(
                f"template {template.id} is one of threads; the expressions find its posts"
            )
        elif template.is_of_records and template.rules:
            notes.append(
                f"template {template.id} is one of {template.rules.kind}s: scrapy forest show"
                f" {template.host} prints its rules; what follows is the text of an article"
            )
    if not groups:
        raise NothingToExplain("\n".join((*notes, "scrapy forest show lists the stored wrappers")))

    explanations = []
    for template, template_pages in groups:
        explanation = _explain_template(template.wrapper, template_pages, config, options.text)
        cut = template.rules.cut if template.rules else NO_CUT
        explanations.append(replace(explanation, template_id=template.id, cut=cut))
    return explanations, notes


def _explain_template(
    wrapper: Wrapper,
    pages: Sequence[Page],
    config: ForestSettings,
    whole: bool,
) -> TemplateExplanation:
    skeleton = learn_skeleton(pages) if len(pages) > 1 else None
    page_explanations = []
    for page in pages:
        explanation = explain_page(page, wrapper, config.params, whole=whole, skeleton=skeleton)
        page_explanations.append(explanation)
    return TemplateExplanation(
        template_id="",
        pages=tuple(page.url for page in pages),
        wrapper=wrapper,
        expressions=explain_expressions(wrapper, pages),
        ranking=(),
        page_explanations=tuple(page_explanations),
    )


def explanation_text(explanation: Explanation) -> str:
    """The notes, then for each template its pages, ranking, expressions and extracts."""
    lines = [f"note: {note}" for note in explanation.notes]
    for template in explanation.templates:
        if lines:
            lines.append("")
        lines += _template_lines(template)
    return lines_text(lines)


def explanation_json(explanation: Explanation) -> str:
    """The same as one JSON object."""
    templates = []
    for template in explanation.templates:
        templates.append({**asdict(template), "wrapper": template.wrapper.to_dict()})
    return json_text({**asdict(explanation), "templates": templates})


def _template_lines(template: TemplateExplanation) -> Iterator[str]:
    wrapper = template.wrapper
    stored = f" of template {template.template_id}" if template.template_id else ""
    yield f"{count(len(template.pages), 'page')}{stored}"
    for page in template.pages:
        yield f"  {page}"
    is_by_rank = wrapper.method in RANKING_METHODS
    if is_by_rank:
        yield from _ranking_lines(template.ranking)

    yield ""
    yield "wrapper"
    yield from wrapper_lines(wrapper, template.cut)
    names = _name_expressions(template.expressions)
    for expression in template.expressions:
        yield from _expression_lines(names[expression.xpath], expression, len(template.pages))

    yield ""
    yield "page by page"
    for explanation in template.page_explanations:
        is_by_wrapper = explanation.method == wrapper.method
        yield from _page_lines(explanation, names if is_by_wrapper else {})
    if not is_by_rank:
        yield from _ranking_lines(template.ranking)


def _ranking_lines(ranking: Sequence[PatternRow]) -> Iterator[str]:
    if not ranking:
        return
    yield ""
    yield "ranking of patterns, R = I * p * level (x, y, J, U: means over the pages)"
    yield from _table(ranking)


def _name_expressions(expressions: Sequence[Expression]) -> dict[str, str]:
    """A short name for each expression: ``keep 1``, ``drop 2``."""
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for expression in expressions:
        counts[expression.role] += 1
        names[expression.xpath] = f"{expression.role} {counts[expression.role]}"
    return names


def _table(rows: Sequence[PatternRow]) -> Iterator[str]:
    """The ranking: numbers aligned to the right, then the expression."""
    names = []
    for field in fields(PatternRow):
        if field.name != "xpath":
            names.append(field.name)
    table = [names]
    xpaths = ["XPath"]
    for row in rows:
        table.append([f"{getattr(row, name):g}" for name in names])
        xpaths.append(row.xpath)

    columns = zip(*table, strict=True)
    widths = [max(map(len, column)) for column in columns]
    for cells, xpath in zip(table, xpaths, strict=True):
        aligned = map(str.rjust, cells, widths)
        numbers = "  ".join(aligned)
        yield f"  {numbers}  {xpath}"


def _expression_lines(
    name: str,
    expression: Expression,
    pages: int,
) -> Iterator[str]:
    yield f"  {name}  {expression.xpath}"
    yield f"          found on {expression.found_on} of {count(pages, 'page')}"
    for rule in expression.rules:
        xpath = f" {rule.xpath}" if len(expression.rules) > 1 else ""
        rule_pages = count(rule.pages, "page")
        yield f"          learned on {rule_pages}, confidence {rule.confidence:.2f}{xpath}"


def _page_lines(
    page: PageExplanation,
    names: Mapping[str, str],
) -> Iterator[str]:
    yield f"  {page.url}"
    if not page.characters:
        yield "    no method found any text"
        return
    found_by = names.get(page.xpath, page.xpath) or "the feed entry"
    yield f"    {count(page.characters, 'character')} by {page.method}, {found_by}"
    if page.text:
        for line in page.text.splitlines():
            yield f"    kept: {line}"
    else:
        yield f"    first: {page.first}"
        yield f"    last:  {page.last}"
    if page.rebuilt:
        yield (
            f"    rebuilt: {page.rebuilt.text:.0%} of the page's text (template"
            f" {page.rebuilt.template:.0%}, article {page.rebuilt.object:.0%}); paths of the"
            f" template: {page.rebuilt.paths:.0%}"
        )
    if page.unseen:
        yield f"    unseen: {count(page.unseen, 'segment')} scored by the classifier"
    for dropped in page.dropped:
        more = f" and {dropped.times - 1} more" if dropped.times > 1 else ""
        dropped_by = names.get(dropped.xpath, dropped.xpath) or "the classifier"
        yield f"    dropped by {dropped_by}: {dropped.text!r}{more}"


_BOLD = "\x1b[1m"
_GREEN = "\x1b[32m"
_YELLOW = "\x1b[33m"
_END = "\x1b[0m"
#: The starts of lines, and the colour of the line.
_STARTS = (
    (re.compile(r"^(wrapper|page by page|ranking of patterns.*)$"), _BOLD),
    (re.compile(r"^ *(keep \d+ |kept: |first: |last: )"), _GREEN),
    (re.compile(r"^ *(drop \d+ |dropped by )"), _YELLOW),
)


def colour_lines(text: str, force: bool = False) -> str:
    """The output of ``explain`` with headings in bold, what is kept in green and what is dropped in
    yellow, if standard output is a terminal and ``NO_COLOR`` is not set, or if ``force`` is given.

    >>> colour_lines("page by page\\n    dropped by drop 1: 'x'\\n", force=True)
    "\\x1b[1mpage by page\\x1b[0m\\n\\x1b[33m    dropped by drop 1: 'x'\\x1b[0m\\n"
    """
    is_terminal = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    if not is_terminal and not force:
        return text
    return "".join(map(_colour, text.splitlines(keepends=True)))


def _colour(line: str) -> str:
    for start, colour in _STARTS:
        if start.match(line):
            return f"{colour}{line.rstrip()}{_END}\n"
    return line
