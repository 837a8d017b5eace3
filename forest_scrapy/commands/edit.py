"""``scrapy forest import`` and ``undo``: wrappers that a person has corrected."""

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from scrapy.exceptions import UsageError

from forest_scrapy.commands.edited_records import compare_items, describe_item_changes
from forest_scrapy.commands.forest_command import Action, AddOption
from forest_scrapy.commands.pages import read_pages
from forest_scrapy.commands.report import history_urls
from forest_scrapy.commands.site_configs import import_site_configs
from forest_scrapy.commands.stored import (
    add_template,
    find_wrappers,
    lines_text,
    match_stored,
    pick_wrapper,
    read_host,
    site_name,
)
from forest_scrapy.core import BadRules, ForestError, Page, Template, TemplateRules, Wrapper
from forest_scrapy.core.page.urls import is_of_host
from forest_scrapy.core.plurals import count
from forest_scrapy.crawl.context import forget_wrapper, open_rules
from forest_scrapy.input_files import read_text
from forest_scrapy.report.preview import (
    PageChange,
    Result,
    compare_results,
    read_result,
    summarize,
)
from forest_scrapy.settings import ForestSettings

#: Changed lines that are printed of each page.
MAX_CHANGED_LINES = 6
#: Characters of a changed line that are printed.
MAX_LINE_LENGTH = 100


class BadEdit(ForestError):
    """The file cannot be imported; the message says why."""


@dataclass(frozen=True)
class Edit:
    """What a person has edited, and the stored template that it is for: the wrapper of articles, or
    all rules.  ``base``: the wrapper as it was before; None if that is not known."""

    host: str
    template_id: str
    edited: Wrapper | TemplateRules
    base: Wrapper | None = None

    def apply(self, rules: TemplateRules) -> TemplateRules:
        """The stored rules with the edit."""
        if isinstance(self.edited, TemplateRules):
            return self.edited
        return rules.with_article(self.edited)


_FILE = (
    "the edited wrapper, as the report has saved it; or an object with host, template and the rules"
    " that show --json prints; or what export --format json writes for products and listings"
)


class Import(Action):
    """Store a wrapper or rules that were edited, and print what they change on pages.

    The pages are URLs or files; by default, articles of the template in the history are fetched.
    With --format ftr, all FILEs are site configs of Full-Text RSS, named after their hosts; they
    are stored for hosts without wrappers.
    """

    name = "import"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("file", metavar="FILE", help=_FILE)
        add("pages", nargs="*", metavar="URL|FILE", help="pages to compare on")
        add("--feed", default="", metavar="URL|FILE", help="use its entries for the pages")
        add("--dry-run", action="store_true", help="only print what would change")
        add(
            "--format",
            choices=("json", "ftr"),
            default="json",
            help="ftr: site configs of Full-Text RSS, such as news.example.txt (default: json)",
        )
        add(
            "--on",
            nargs="+",
            default=[],
            metavar="PAGE",
            help="ftr: pages of the host, besides its kept ones and the config's test_url",
        )
        add(
            "--compare",
            action="store_true",
            help="ftr: store nothing, and tell on which pages a config is worse than what is"
            " learned, or matches nothing",
        )

    def run(self, options: Namespace) -> str:
        """Raises ``BadEdit``, ``BadStore``, ``UnknownHost`` and ``UnknownTemplate``."""
        if options.format == "ftr":
            return import_site_configs(options, self)
        if options.on or options.compare:
            raise UsageError("--on and --compare are for --format ftr")
        try:
            text = read_text(options.file)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", "") or error
            raise BadEdit(f"{options.file}: {reason}") from error
        edit = read_edit(text, options.file)
        # An unknown template is named before anything is fetched.
        stored = pick_wrapper(edit.host, find_wrappers(edit.host, self.config), edit.template_id)
        is_of_records = stored.is_of_records or stored.is_of_threads
        urls = options.pages or history_urls(edit.host, self.config, is_of_records)
        pages = read_pages(urls, options.feed, self) if urls else []
        template_pages = _pages_of(edit, pages, self.config)
        return store_edit(edit, template_pages, self.config, is_dry=options.dry_run)


class Undo(Action):
    """Undo the last correction of a stored wrapper.

    The template is named by --template, unless only one of the host was corrected. Corrections are
    undone one by one, the last of them first.
    """

    name = "undo"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("host", type=site_name, metavar="HOST", help="or a URL of the host")
        add_template(add)

    def run(self, options: Namespace) -> str:
        """Raises ``BadEdit``, ``BadStore``, ``UnknownHost`` and ``UnknownTemplate``."""
        templates = find_wrappers(options.host, self.config)
        template_id = options.template
        if not template_id:
            edited = [template.id for template in templates if template.is_edited]
            if not edited:
                raise BadEdit(f"no wrapper of {options.host} was edited by hand")
            if len(edited) > 1:
                raise BadEdit(f"several templates were edited; use --template: {', '.join(edited)}")
            template_id = edited[0]
        template = pick_wrapper(options.host, templates, template_id)
        return lines_text([undo_edit(options.host, template.id, self.config)])


def store_edit(
    edit: Edit,
    pages: Sequence[Page],
    config: ForestSettings,
    is_dry: bool = False,
) -> str:
    """Store an edit, unless ``is_dry``; returns what it changes on these pages of its template.

    Raises as ``find_edited``, and ``BadEdit`` for rules that cannot be evaluated on one of them.
    """
    stored, rules = find_edited(edit, config)
    if stored.is_of_records and stored.rules is not None:
        item_changes = compare_items(pages, stored.rules, rules, config.options)
        lines = list(describe_item_changes(item_changes))
    else:
        results = read_results(pages, stored.wrapper, config)
        changes = compare_all(pages, results, rules.text_wrapper, config)
        lines = list(_describe(changes))
    if is_dry:
        return lines_text([*lines, "nothing was stored (--dry-run)"])
    with closing(open_rules(config, must_exist=True)) as store:
        store.save_correction(edit.host, stored.id, rules)
    forget_wrapper(config, edit.host, stored.id)
    noun = "rules" if rules.are_of_records else "wrapper"
    lines.append(f"stored as the {noun} of template {stored.id} of {edit.host}, edited by hand")
    return lines_text(lines)


def undo_edit(
    host: str,
    template_id: str,
    config: ForestSettings,
    base: Wrapper | None = None,
) -> str:
    """Undo the last correction of a template; returns what the rules are now.  ``base``: the
    wrapper that is corrected, None if that is not known.

    Raises ``BadEdit`` if there is no correction, or the stored wrapper is not ``base``;
    ``BadStore``, ``UnknownHost`` and ``UnknownTemplate``.
    """
    corrected = pick_wrapper(host, find_wrappers(host, config), template_id)
    _check_base(corrected, base)
    with closing(open_rules(config, must_exist=True)) as store:
        if store.undo_correction(host, template_id) is None:
            raise BadEdit(f"template {template_id} of {host} has no correction to undo")
    forget_wrapper(config, host, template_id)
    stored = pick_wrapper(host, find_wrappers(host, config), template_id)
    origin = "an earlier correction" if stored.is_edited else "what a crawl has learned"
    return f"undone: the wrapper of template {template_id} of {host} is {origin}"


def _check_base(stored: Template, base: Wrapper | None) -> None:
    """Raise ``BadEdit`` if a page shows another wrapper than the one that is stored now."""
    if base is not None and base != stored.wrapper:
        raise BadEdit(
            f"the wrapper of template {stored.id} of {stored.host} was stored again since this page"
            " was opened: reload the page, and correct that one"
        )


def find_edited(
    edit: Edit,
    config: ForestSettings,
) -> tuple[Template, TemplateRules]:
    """The stored template of an edit, and its rules with the edit.

    Raises ``BadEdit`` for the wrapper of a template of threads, and if the stored wrapper is not
    the one that was edited; ``BadStore``, ``UnknownHost`` and ``UnknownTemplate``.
    """
    stored = pick_wrapper(edit.host, find_wrappers(edit.host, config), edit.template_id)
    is_wrapper = isinstance(edit.edited, Wrapper)
    if stored.rules is None or (stored.is_of_threads and is_wrapper):
        raise BadEdit(
            f"template {stored.id} of {edit.host} is one of threads: its posts are found by rules"
            f" that a report cannot edit; scrapy forest forget {edit.host} --template {stored.id}"
            " has them learned again"
        )
    if stored.is_of_records and is_wrapper:
        raise BadEdit(
            f"template {stored.id} of {edit.host} is one of {stored.rules.kind}s, and what was"
            f" edited is a wrapper of articles: edit what scrapy forest export {edit.host}"
            f" --template {stored.id} --format json writes"
        )
    _check_base(stored, edit.base)
    return stored, edit.apply(stored.rules)


def read_edit(text: str, name: str) -> Edit:
    """The edit that a report or a person has written; ``name``: of its source, for messages.
    Raises ``BadEdit``."""
    try:
        data = json.loads(text)
        host, template_id = read_host(str(data["host"])), str(data["template"])
        edited: Wrapper | TemplateRules
        if "rules" in data:
            edited = TemplateRules.from_dict(data["rules"])
        else:
            edited = Wrapper.from_dict(data["wrapper"])
        base = Wrapper.from_dict(data["base"]) if data.get("base") else None
    except BadRules as error:
        raise BadEdit(f"{name}: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadEdit(
            f"{name}: not an edited wrapper, a JSON object with host, template and rules"
        ) from error
    if not _has_content(edited):
        raise BadEdit(
            f'{name}: the wrapper keeps nothing: name in "keep" what is the article, as scrapy'
            f" forest show {host} --json prints it"
        )
    if not host or not template_id:
        raise BadEdit(
            f"{name}: the wrapper was not stored; make the report with FOREST_REPORT, or with"
            " report --stored, and edit it there"
        )
    return Edit(host, template_id, edited, base)


def _has_content(edited: Wrapper | TemplateRules) -> bool:
    """Whether what was edited finds something on pages: an article, posts, products or lists."""
    if isinstance(edited, TemplateRules) and edited.are_of_records:
        return True
    wrapper = edited if isinstance(edited, Wrapper) else edited.text_wrapper
    return bool(wrapper.keep) or wrapper.source != "page"


def _pages_of(
    edit: Edit,
    pages: Sequence[Page],
    config: ForestSettings,
) -> list[Page]:
    """The pages of the host that belong to the template of an edit."""
    host_pages = []
    for page in pages:
        if is_of_host(page.url, edit.host):
            host_pages.append(page)
    groups, _ = match_stored(host_pages, config)
    for template, template_pages in groups:
        if template.id == edit.template_id:
            return template_pages
    return []


def read_results(
    pages: Sequence[Page],
    wrapper: Wrapper,
    config: ForestSettings,
) -> list[Result]:
    """What a stored wrapper gives on pages of its template."""
    return [read_result(page, wrapper, config.params) for page in pages]


def compare_all(
    pages: Sequence[Page],
    results: Sequence[Result],
    wrapper: Wrapper,
    config: ForestSettings,
) -> list[PageChange]:
    """The changes of pages, with these results now, by another wrapper.  Raises ``BadEdit`` if it
    cannot be evaluated on one of them."""
    changes = []
    try:
        for page, result in zip(pages, results, strict=True):
            changes.append(compare_results(page, result, wrapper, config.params))
    except BadRules as error:
        raise BadEdit(f"on a page of the template, {error}") from error
    return changes


def _describe(changes: Sequence[PageChange]) -> Iterator[str]:
    """For each page that changes its values, then how much changes in all."""
    for change in changes:
        if not change.is_change:
            continue
        yield f"{change.url}: F1 {change.f1:.3f} against the old text"
        lines = list(change.changed_lines())
        for line in lines[:MAX_CHANGED_LINES]:
            yield f"  {_cut(line)}"
        if len(lines) > MAX_CHANGED_LINES:
            yield f"  ... and {count(len(lines) - MAX_CHANGED_LINES, 'more line')}"
        for name in change.changed_fields:
            yield f"  {name}: {change.old.fields[name]!r} is now {change.new.fields[name]!r}"
    yield summarize(changes)


def _cut(line: str) -> str:
    if len(line) <= MAX_LINE_LENGTH:
        return line
    return f"{line[: MAX_LINE_LENGTH - 3]}..."
