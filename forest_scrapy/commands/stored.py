"""``scrapy forest show``, ``export`` and ``forget``: stored wrappers by host and template."""

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from difflib import get_close_matches

from scrapy.exceptions import UsageError

from forest_scrapy.commands.article_lists import add_list, learn_lists, read_list_pages
from forest_scrapy.commands.forest_command import Action, AddOption, json_text, write_piece
from forest_scrapy.commands.page_objects import write_page_folder
from forest_scrapy.core import ForestError, Page, Template, TemplateRules, Wrapper
from forest_scrapy.core.explain import explain_expressions
from forest_scrapy.core.exports import FORMATS, Origin, export_records, export_wrapper
from forest_scrapy.core.exports.article_lists import LIST_FORMATS
from forest_scrapy.core.exports.schema import write_schema
from forest_scrapy.core.hosts import find_stored
from forest_scrapy.core.options import Options
from forest_scrapy.core.page.urls import host_with_port, split_port
from forest_scrapy.core.plurals import count
from forest_scrapy.core.records import RecordRules, RecordWrapper
from forest_scrapy.core.records.products.product_rules import ProductRules
from forest_scrapy.core.rules import kinds_apart
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.crawl.context import forget_wrapper, open_rules
from forest_scrapy.output_files import write_text_file
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import RulesVersion
from forest_scrapy.stores.database import BadStore

#: Hosts that a message names.
MAX_NAMED_HOSTS = 5


class Show(Action):
    """Print the stored wrappers of a host; without a host, list the hosts."""

    name = "show"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("host", nargs="?", type=site_name, metavar="HOST", help="or a URL of the host")
        add_template(add)
        add("--versions", action="store_true", help="also older versions")
        add("--json", action="store_true", help="print JSON")

    def run(self, options: Namespace) -> str:
        if not options.host:
            hosts = find_hosts(self.config)
            if options.json:
                return json_text(hosts)
            lines = [f"{host}  {count(n, 'template')}" for host, n in hosts.items()]
            return lines_text(lines or ["no wrapper is stored yet"])

        templates = _find_named(options, self.config)
        if options.versions:
            return self._show_versions(options, templates)
        if options.json:
            rules = {
                template.id: template.rules.to_dict() for template in templates if template.rules
            }
            return json_text(rules)
        return _wrappers_text(options.host, templates)

    def _show_versions(
        self,
        options: Namespace,
        templates: Sequence[Template],
    ) -> str:
        with closing(open_rules(self.config, must_exist=True)) as store:
            versions = {
                template.id: store.versions(options.host, template.id) for template in templates
            }
        if not options.json:
            return _versions_text(options.host, versions)

        values = {}
        for template_id, template_versions in versions.items():
            values[template_id] = [
                {**vars(version), "rules": version.rules.to_dict()} for version in template_versions
            ]
        return json_text(values)


class Export(Action):
    """Write a stored wrapper for use without forest-scrapy.

    If the host has several templates and none is named, the one learned from most pages is
    exported. With --list, the rules for the articles that a page lists are learned and written:
    a feed for a site without one.
    """

    name = "export"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("host", nargs="?", type=site_name, metavar="HOST", help="or a URL of the host")
        add_template(add)
        add(
            "--format",
            choices=tuple(dict.fromkeys((*FORMATS, *LIST_FORMATS, _SCHEMA))),
            default="",
            help="parsel: a Python module (default); ftr: a site config of Full-Text RSS; "
            "freshrss: CSS selectors for FreshRSS; opml: the same as a subscription; "
            "json: the wrapper itself; web-poet: a module with a page object, or with -o FOLDER/"
            " a folder with the module and a test for each of --pages; json-schema: the format of"
            " stored rules, without a HOST; with --list: freshrss (default), an OPML document for"
            " FreshRSS; rss-bridge: the query for its XPathBridge; changedetection: JSON for the"
            " API of changedetection.io; json: the rules themselves",
        )
        add_list(add)
        add(
            "--pages",
            nargs="+",
            default=[],
            metavar="PAGE",
            help="web-poet: the pages of the tests: URLs, taken from FOREST_WARC if they were kept;"
            " files, folders or WARC files",
        )
        add(
            "--url",
            action="append",
            default=[],
            metavar="URL",
            help="ftr: add this article as a test_url; opml: the URL of the feed; with --list FILE:"
            " the address of the page",
        )
        add(
            "-o",
            "--output",
            metavar="FILE",
            help="write to this file (default: standard output)",
        )

    def run(self, options: Namespace) -> str:
        if options.list:
            return self._export_lists(options)
        name_of_format = options.format or next(iter(FORMATS))
        if name_of_format == _SCHEMA:
            return _write_or_return(write_schema(), options.output)
        if name_of_format not in FORMATS:
            raise UsageError(f"--format {name_of_format} is for --list PAGE")
        if not options.host:
            raise UsageError("the following arguments are required: HOST")
        templates = find_wrappers(options.host, self.config)
        template = pick_wrapper(options.host, templates, options.template)
        if len(templates) > 1 and not options.template:
            ids = ", ".join(other_template.id for other_template in templates[1:])
            note = f"exported template {template.id} of {options.host}"
            write_piece(f"{note}; others, for --template: {ids}\n", sys.stderr)
        name, port = split_port(template.host)
        origin = Origin(name, template.id, tuple(options.url), port)
        if options.pages and name_of_format != "web-poet":
            raise UsageError("--pages is for --format web-poet")
        is_folder = bool(options.output) and options.output.endswith("/")
        if options.pages and not is_folder:
            raise UsageError("--pages needs a folder for the tests: -o FOLDER/")
        required_field = "articleBody"
        if template.is_of_records and template.rules:
            text = export_records(template.rules, origin, template.host, name_of_format)
            required_field = "price"
        else:
            text = export_wrapper(template.wrapper, origin, name_of_format)
        if is_folder and name_of_format == "web-poet":
            return write_page_folder(text, origin.host, options, self, required_field)
        return _write_or_return(text, options.output)

    def _export_lists(self, options: Namespace) -> str:
        """The rules for the lists of pages, see ``core.exports.article_lists``."""
        if options.host or options.pages or options.template:
            raise UsageError("--list is of pages: HOST, --pages and --template are of wrappers")
        name = options.format or next(iter(LIST_FORMATS))
        if name not in LIST_FORMATS:
            raise UsageError(f"--format with --list is one of {', '.join(LIST_FORMATS)}")
        if len(options.url) > 1:
            raise UsageError("--url is the address of one page")
        url = "".join(options.url)
        pages = read_list_pages(options.list, self, url=url)
        lists = [rules for _, rules in learn_lists(pages, self)]
        return _write_or_return(LIST_FORMATS[name](lists), options.output) if lists else ""


#: The format that is of no host.
_SCHEMA = "json-schema"


def _write_or_return(text: str, output: str) -> str:
    """Write to the output; without one, the text is what is printed."""
    if not output:
        return text
    write_text_file(output, text)
    return ""


class Forget(Action):
    """Delete the stored wrappers of a host, so that they are learned again.

    Their versions are kept.
    """

    name = "forget"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("host", type=site_name, metavar="HOST", help="or a URL of the host")
        add_template(add)
        add("--force", action="store_true", help="also wrappers that were edited by hand")

    def run(self, options: Namespace) -> str:
        templates = _find_named(options, self.config)
        for template in templates:
            if template.is_edited and not options.force:
                raise EditedWrapper(options.host, template.id)
        with closing(open_rules(self.config, must_exist=True)) as store:
            for template in templates:
                store.delete(options.host, template.id)
        for template in templates:
            forget_wrapper(self.config, options.host, template.id)
        return f"deleted {count(len(templates), 'wrapper')} of {options.host}\n"


def add_template(add: AddOption) -> None:
    """Add ``--template``."""
    add("--template", default="", metavar="ID", help="only this template")


def _find_named(options: Namespace, config: ForestSettings) -> list[Template]:
    """The stored wrappers of the host, or the one of the template, that the options name."""
    templates = find_wrappers(options.host, config)
    if options.template:
        return [pick_wrapper(options.host, templates, options.template)]
    return templates


def host_name(text: str) -> str:
    """The host of an argument, without a port; raises ``ArgumentTypeError``."""
    name, _ = split_port(site_name(text))
    return name


def site_name(text: str) -> str:
    """The host of an argument, with the port if it names another one than the default; raises
    ``ArgumentTypeError``."""
    host = read_host(text)
    if not host:
        raise ArgumentTypeError(f"{text!r} is not a host")
    return host


class UnknownHost(ForestError):
    """No wrapper is stored for a host; the message names similar hosts, or the first ones."""

    def __init__(self, host: str, stored_hosts: list[str]) -> None:
        super().__init__(f"no wrapper is stored for {host}; {_suggest_hosts(host, stored_hosts)}")
        self.host = host
        self.stored_hosts = tuple(stored_hosts)


class UnknownTemplate(ForestError):
    """A host has no template with this id; the message lists the ids of the host."""

    def __init__(
        self,
        host: str,
        template_id: str,
        stored_ids: list[str],
    ) -> None:
        super().__init__(f"{host} has no template {template_id!r}; it has {', '.join(stored_ids)}")
        self.host = host
        self.template_id = template_id
        self.stored_ids = tuple(stored_ids)


class EditedWrapper(ForestError):
    """A wrapper is not deleted, because a person has edited it."""

    def __init__(self, host: str, template_id: str) -> None:
        super().__init__(f"template {template_id} of {host} was edited by hand; use --force")
        self.host = host
        self.template_id = template_id


def read_host(text: str) -> str:
    """The host of a URL or of a bare name, see ``host_with_port``; ``""`` if there is none.

    >>> read_host("https://A.example/1"), read_host("a.example:80"), read_host("::")
    ('a.example', 'a.example', '')
    >>> read_host("http://127.0.0.1:8000/")
    '127.0.0.1:8000'
    """
    return host_with_port(text if "//" in text else f"//{text}")


def find_hosts(config: ForestSettings) -> dict[str, int]:
    """The hosts in the store with their number of templates.  Raises ``BadStore``."""
    with closing(open_rules(config, must_exist=True)) as store:
        return store.hosts()


def find_wrappers(host: str, config: ForestSettings) -> list[Template]:
    """The stored wrappers of a host, of all its ports if it names none: those learned from most
    pages first, then by id.

    Raises ``BadStore`` and ``UnknownHost``.
    """
    with closing(open_rules(config, must_exist=True)) as store:
        templates = store.load_named(host)
        hosts = store.hosts()
    if not templates and host in hosts:
        raise BadStore(f"the wrappers stored for {host} cannot be read; a crawl learns them again")
    if not templates:
        raise UnknownHost(host, list(hosts))
    return sorted(
        templates,
        key=lambda template: (-_count_pages(template), template.id),
    )


def _count_pages(template: Template) -> int:
    """The number of pages that the rules of a template were learned from."""
    return template.rules.pages if template.rules else 0


def pick_wrapper(
    host: str,
    templates: list[Template],
    template_id: str,
) -> Template:
    """The wrapper of a template, the first one for ``""``.

    Raises ``UnknownTemplate``.
    """
    if not template_id:
        return templates[0]
    for template in templates:
        if template.id == template_id:
            return template
    raise UnknownTemplate(host, template_id, [template.id for template in templates])


def _suggest_hosts(host: str, stored_hosts: list[str]) -> str:
    if not stored_hosts:
        return "the store is empty; a crawl fills it"
    similar = []
    for name in stored_hosts:
        if host in name or name in host:
            similar.append(name)
    similar += get_close_matches(host, stored_hosts, MAX_NAMED_HOSTS, 0.5)
    if similar:
        names = list(dict.fromkeys(similar))[:MAX_NAMED_HOSTS]
        return f"similar hosts: {', '.join(names)}"

    text = f"stored hosts: {', '.join(stored_hosts[:MAX_NAMED_HOSTS])}"
    unnamed = len(stored_hosts) - MAX_NAMED_HOSTS
    return f"{text} and {unnamed} more" if unnamed > 0 else text


def match_stored(
    pages: Sequence[Page],
    config: ForestSettings,
) -> tuple[list[tuple[Template, list[Page]]], list[str]]:
    """The stored templates that some of the pages match, with these pages, and a note for each
    other page.  Raises ``BadStore``."""
    groups: dict[tuple[str, str], tuple[Template, list[Page]]] = {}
    notes = []
    with closing(open_rules(config, must_exist=True)) as store:
        for host, host_pages in by_host(pages):
            matches = _match_of_any_kinds(host_pages, store.load(host), config.options)
            for page, template in zip(host_pages, matches, strict=True):
                if template is None:
                    notes.append(f"{page.url}: matches no stored template of {host or 'its host'}")
                    continue
                _, template_pages = groups.setdefault((host, template.id), (template, []))
                template_pages.append(page)
    return list(groups.values()), notes


def _match_of_any_kinds(
    pages: Sequence[Page],
    stored: Sequence[Template],
    options: Options,
) -> list[Template | None]:
    """As ``find_stored``; pages without a template for the kinds of the options have that of
    crawls for other kinds."""
    matches = find_stored(pages, stored, options)
    kinds_of_rules = {template.rules.kinds for template in stored if template.rules}
    for kinds in sorted(kinds_of_rules):
        is_other = kinds_apart(kinds) and kinds_apart(kinds) != kinds_apart(options.kinds)
        if is_other and None in matches:
            of_kinds = find_stored(pages, stored, replace(options, kinds=kinds))
            matches = [match or other for match, other in zip(matches, of_kinds, strict=True)]
    return matches


def by_host(pages: Sequence[Page]) -> list[tuple[str, list[Page]]]:
    """The pages of each host and port, sorted by host."""
    pages_by_host: dict[str, list[Page]] = {}
    for page in pages:
        pages_by_host.setdefault(host_with_port(page.url), []).append(page)
    return sorted(pages_by_host.items())


def _wrappers_text(host: str, templates: Sequence[Template]) -> str:
    lines = [f"{host}: {count(len(templates), 'template')}"]
    for template in templates:
        rules = template.rules or TemplateRules()
        edited = ", edited by hand" if template.is_edited else ""
        of_port = f" of {template.host}" if template.host != host else ""
        lines.append("")
        lines.append(f"template {template.id}{of_port}{edited}")
        if kinds_apart(rules.kinds):
            lines.append(f"  for crawls with FOREST_KINDS={','.join(rules.kinds)}")
        if template.is_of_records and rules.records:
            lines += _record_evidence_lines(rules, rules.records)
        else:
            lines += wrapper_lines(rules.text_wrapper, rules.cut)
        lines.append(f"  recognized by {count(len(template.fingerprints), 'fingerprint')}")
        if template.is_of_threads and rules.records:
            lines += _record_lines(rules.kind, rules.records.rules)
        elif template.is_of_records and rules.records:
            lines += _record_lines("item", rules.records.rules)
            lines += _product_lines(rules.records.product)
        else:
            lines += _rule_lines(template.wrapper)
        if rules.comments:
            lines += _record_lines("comments", [rules.comments])
    return lines_text(lines)


def _versions_text(
    host: str,
    versions: Mapping[str, Sequence[RulesVersion]],
) -> str:
    lines = [f"{host}: {count(len(versions), 'template')}"]
    for template_id, template_versions in versions.items():
        lines.append("")
        lines.append(f"template {template_id}")
        for version in template_versions:
            lines.append(f"  version {version.version}, {version.saved_at}: {version.reason}")
            for line in wrapper_lines(version.wrapper, version.rules.cut):
                lines.append(f"  {line}")
            for xpath in version.wrapper.keep:
                lines.append(f"    keep  {xpath}")
    return lines_text(lines)


def wrapper_lines(wrapper: Wrapper, cut: Cut) -> Iterator[str]:
    """Lines that tell what a wrapper was learned from, how it was chosen, and where its template
    was cut."""
    evidence = wrapper.evidence
    yield (
        f"  {wrapper.method}, learned from {count(evidence.pages, 'page')},"
        f" with content on {evidence.match:.0%} of them; takes {_taken(wrapper)}"
    )
    if evidence.score:
        yield f"  score {evidence.score:g}, signifiers from {evidence.signifiers}"
    if evidence.runner_up:
        yield f"  runner-up {evidence.runner_up}, score {evidence.runner_up_score:g}"
    yield from _cut_lines(cut)


def _cut_lines(cut: Cut) -> Iterator[str]:
    """A line that tells where a template was cut from the others, and why there."""
    if cut.reason:
        yield f"  templates cut at distance {cut.distance:.2f}: {cut.reason}"


def _taken(wrapper: Wrapper) -> str:
    if wrapper.source == "entry":
        return "the text of the feed entry"
    return {
        "largest": "the largest element found",
        "all": "all elements found",
        "span": "all elements found, and what stands between them",
    }[wrapper.take]


def _record_lines(
    name: str,
    rules: Sequence[RecordRules],
) -> Iterator[str]:
    """Rules for records: their elements, and the internal paths of their values."""
    for record_rules in rules:
        yield f"  {name}: {record_rules.record}"
        for path in record_rules.text:
            yield f"    text  {path or '.'}"
        for attribute in record_rules.attributes:
            yield f"    {attribute.type}  {attribute.path}"


def _record_evidence_lines(rules: TemplateRules, records: RecordWrapper) -> Iterator[str]:
    """Lines that tell what the rules of products or lists were learned from."""
    yield f"  {rules.kind}, learned from {count(rules.pages, 'page')}"
    if records.kind.evidence:
        yield f"  told by {'; '.join(records.kind.evidence)}"
    yield from _cut_lines(rules.cut)


def _product_lines(rules: ProductRules | None) -> Iterator[str]:
    """Where pages show the values of products; what they declare needs no rules."""
    if rules is None:
        return
    for name in ("name", "price", "brand"):
        for xpath in getattr(rules, name):
            yield f"  {name}  {xpath}"


def _rule_lines(wrapper: Wrapper) -> Iterator[str]:
    """The expressions with their evidence."""
    for expression in explain_expressions(wrapper, ()):
        yield f"  {expression.role}  {expression.xpath}"
        for rule in expression.rules:
            xpath = f" {rule.xpath}" if len(expression.rules) > 1 else ""
            pages = count(rule.pages, "page")
            yield f"        on {pages}, confidence {rule.confidence:.2f}{xpath}"


def lines_text(lines: Iterable[str]) -> str:
    """The lines as a text."""
    return "\n".join(lines) + "\n"
