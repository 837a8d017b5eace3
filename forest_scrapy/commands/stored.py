"""``scrapy forest show``, ``export`` and ``forget``: stored wrappers by host and template."""

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from difflib import get_close_matches

from forest_scrapy.commands.forest_command import Action, AddOption, json_text, write_piece
from forest_scrapy.core import ForestError, Page, Template, TemplateRules, Wrapper
from forest_scrapy.core.explain import explain_expressions
from forest_scrapy.core.exports import FORMATS, Origin, export_wrapper
from forest_scrapy.core.hosts import find_stored
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.core.records import RecordRules
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.crawl.context import forget_wrapper, open_rules
from forest_scrapy.output_files import write_text
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import RulesVersion
from forest_scrapy.stores.database import BadStore

#: A message names at most this many hosts.
_MOST_NAMED = 5


class Show(Action):
    """Print the stored wrappers of a host; without a host, list the hosts."""

    name = "show"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("host", nargs="?", type=host_name, metavar="HOST", help="or a URL of the host")
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
        found = _find_named(options, self.config)
        if options.versions:
            return self._show_versions(options, found)
        if options.json:
            return json_text({one.id: one.rules.to_dict() for one in found if one.rules})
        return _wrappers_text(options.host, found)

    def _show_versions(self, options: Namespace, found: Sequence[Template]) -> str:
        with closing(open_rules(self.config, must_exist=True)) as store:
            versions = {one.id: store.versions(options.host, one.id) for one in found}
        if not options.json:
            return _versions_text(options.host, versions)
        return json_text(
            {
                id: [{**vars(one), "rules": one.rules.to_dict()} for one in ones]
                for id, ones in versions.items()
            }
        )


class Export(Action):
    """Write a stored wrapper for use without forest-scrapy.

    If the host has several templates and none is named, the one learned from most pages is
    exported.
    """

    name = "export"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("host", type=host_name, metavar="HOST", help="or a URL of the host")
        add_template(add)
        add(
            "--format",
            choices=tuple(FORMATS),
            default=next(iter(FORMATS)),
            help="parsel: a Python module (default); ftr: a site config of Full-Text RSS; "
            "freshrss: CSS selectors for FreshRSS; opml: the same as a subscription; "
            "json: the wrapper itself",
        )
        text = "ftr: add this article as a test_url; opml: the URL of the feed"
        add("--url", action="append", default=[], metavar="URL", help=text)
        text = "write to this file (default: standard output)"
        add("-o", "--output", metavar="FILE", help=text)

    def run(self, options: Namespace) -> str:
        found = find_wrappers(options.host, self.config)
        one = pick_wrapper(options.host, found, options.template)
        if len(found) > 1 and not options.template:
            others = ", ".join(other.id for other in found[1:])
            note = f"exported template {one.id} of {options.host}"
            write_piece(f"{note}; others, for --template: {others}\n", sys.stderr)
        origin = Origin(options.host, one.id, tuple(options.url))
        text = export_wrapper(one.wrapper, origin, options.format)
        if not options.output:
            return text
        write_text(options.output, text)
        return ""


class Forget(Action):
    """Delete the stored wrappers of a host, so that they are learned again.

    Their versions are kept.
    """

    name = "forget"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("host", type=host_name, metavar="HOST", help="or a URL of the host")
        add_template(add)
        add("--force", action="store_true", help="also wrappers that were edited by hand")

    def run(self, options: Namespace) -> str:
        found = _find_named(options, self.config)
        for one in found:
            if one.is_edited and not options.force:
                raise EditedWrapper(options.host, one.id)
        with closing(open_rules(self.config, must_exist=True)) as store:
            for one in found:
                store.delete(options.host, one.id)
        for one in found:
            forget_wrapper(self.config, options.host, one.id)
        return f"deleted {count(len(found), 'wrapper')} of {options.host}\n"


def add_template(add: AddOption) -> None:
    """Add ``--template``."""
    add("--template", default="", metavar="ID", help="only this template")


def _find_named(options: Namespace, config: ForestSettings) -> list[Template]:
    """The stored wrappers of the host, or the one of the template, that the options name."""
    found = find_wrappers(options.host, config)
    if options.template:
        return [pick_wrapper(options.host, found, options.template)]
    return found


def host_name(text: str) -> str:
    """The host of an argument; raises ``ArgumentTypeError``."""
    host = read_host(text)
    if not host:
        raise ArgumentTypeError(f"{text!r} is not a host")
    return host


class UnknownHost(ForestError):
    """No wrapper is stored for a host; the message names similar hosts, or the first ones."""

    def __init__(self, host: str, known: list[str]) -> None:
        super().__init__(f"no wrapper is stored for {host}; {_suggest_hosts(host, known)}")
        self.host, self.known = host, tuple(known)


class UnknownTemplate(ForestError):
    """A host has no template with this id; the message lists the ids of the host."""

    def __init__(self, host: str, template_id: str, known: list[str]) -> None:
        super().__init__(f"{host} has no template {template_id!r}; it has {', '.join(known)}")
        self.host, self.template_id, self.known = host, template_id, tuple(known)


class EditedWrapper(ForestError):
    """A wrapper is not deleted, because a person has edited it."""

    def __init__(self, host: str, template_id: str) -> None:
        super().__init__(f"template {template_id} of {host} was edited by hand; use --force")
        self.host, self.template_id = host, template_id


def read_host(text: str) -> str:
    """Return the host of a URL or of a bare name, ``""`` if there is none.

    >>> read_host("https://A.example/1"), read_host("a.example:80"), read_host("::")
    ('a.example', 'a.example', '')
    """
    return host_of(text if "//" in text else f"//{text}")


def find_hosts(config: ForestSettings) -> dict[str, int]:
    """Return the hosts in the store with their number of templates.  Raises ``BadStore``."""
    with closing(open_rules(config, must_exist=True)) as store:
        return store.hosts()


def find_wrappers(host: str, config: ForestSettings) -> list[Template]:
    """Return the stored wrappers of a host: those learned from most pages first, then by id.

    Raises ``BadStore`` and ``UnknownHost``.
    """
    with closing(open_rules(config, must_exist=True)) as store:
        found, hosts = store.load(host), store.hosts()
    if not found and host in hosts:
        raise BadStore(f"the wrappers stored for {host} cannot be read; a crawl learns them again")
    if not found:
        raise UnknownHost(host, list(hosts))
    return sorted(found, key=lambda one: (-one.wrapper.evidence.pages, one.id))


def pick_wrapper(host: str, found: list[Template], template_id: str) -> Template:
    """Return the wrapper of one template, the first one for ``""``.

    Raises ``UnknownTemplate``.
    """
    if not template_id:
        return found[0]
    for one in found:
        if one.id == template_id:
            return one
    raise UnknownTemplate(host, template_id, [one.id for one in found])


def _suggest_hosts(host: str, known: list[str]) -> str:
    if not known:
        return "the store is empty; a crawl fills it"
    alike = [name for name in known if host in name or name in host]
    near = list(dict.fromkeys((*alike, *get_close_matches(host, known, _MOST_NAMED, 0.5))))
    if near:
        return f"similar hosts: {', '.join(near[:_MOST_NAMED])}"
    rest = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return f"stored hosts: {', '.join(known[:_MOST_NAMED])}{rest}"


def match_stored(
    pages: Sequence[Page], config: ForestSettings
) -> tuple[list[tuple[Template, list[Page]]], list[str]]:
    """The stored templates that some of the pages match, with these pages, and a note for each
    other page.  Raises ``BadStore``."""
    found: dict[tuple[str, str], tuple[Template, list[Page]]] = {}
    notes = []
    with closing(open_rules(config, must_exist=True)) as store:
        for host, own in by_host(pages):
            stored = find_stored(own, store.load(host), config.options)
            for page, template in zip(own, stored, strict=True):
                if template:
                    found.setdefault((host, template.id), (template, []))[1].append(page)
                else:
                    notes.append(f"{page.url}: matches no stored template of {host or 'its host'}")
    return list(found.values()), notes


def by_host(pages: Sequence[Page]) -> list[tuple[str, list[Page]]]:
    """The pages of each host, sorted by host."""
    hosts = sorted({host_of(page.url) for page in pages})
    return [(host, [page for page in pages if host_of(page.url) == host]) for host in hosts]


def _wrappers_text(host: str, stored: Sequence[Template]) -> str:
    lines = [f"{host}: {count(len(stored), 'template')}"]
    for one in stored:
        rules = one.rules or TemplateRules()
        edited = ", edited by hand" if one.is_edited else ""
        lines += ["", f"template {one.id}{edited}"]
        lines += wrapper_lines(rules.text_wrapper, rules.cut)
        lines.append(f"  recognized by {count(len(one.fingerprints), 'fingerprint')}")
        if one.is_of_threads and rules.records:
            lines += _record_lines(rules.kind, rules.records.rules)
        else:
            lines += _rule_lines(one.wrapper)
        lines += _record_lines("comments", [rules.comments] if rules.comments else [])
    return lines_text(lines)


def _versions_text(host: str, versions: Mapping[str, Sequence[RulesVersion]]) -> str:
    lines = [f"{host}: {count(len(versions), 'template')}"]
    for id, found in versions.items():
        lines += ["", f"template {id}"]
        for one in found:
            lines.append(f"  version {one.version}, {one.saved_at}: {one.reason}")
            lines += (f"  {line}" for line in wrapper_lines(one.wrapper, one.rules.cut))
            lines += (f"    keep  {xpath}" for xpath in one.wrapper.keep)
    return lines_text(lines)


def wrapper_lines(wrapper: Wrapper, cut: Cut) -> Iterator[str]:
    """What a wrapper was learned from, how it was chosen, and where its template was cut."""
    evidence = wrapper.evidence
    yield (
        f"  {wrapper.method}, learned from {count(evidence.pages, 'page')},"
        f" with content on {evidence.match:.0%} of them; takes {_taken(wrapper)}"
    )
    if evidence.score:
        yield f"  score {evidence.score:g}, signifiers from {evidence.signifiers}"
    if evidence.runner_up:
        yield f"  runner-up {evidence.runner_up}, score {evidence.runner_up_score:g}"
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


def _record_lines(name: str, rules: Sequence[RecordRules]) -> Iterator[str]:
    """Rules for records: their elements, and the internal paths of their values."""
    for one in rules:
        yield f"  {name}: {one.record}"
        yield from (f"    text  {path or '.'}" for path in one.text)
        yield from (f"    {found.type}  {found.path}" for found in one.attributes)


def _rule_lines(wrapper: Wrapper) -> Iterator[str]:
    """The expressions with their evidence."""
    for expression in explain_expressions(wrapper, ()):
        yield f"  {expression.role}  {expression.xpath}"
        for rule in expression.rules:
            part = f" {rule.xpath}" if len(expression.rules) > 1 else ""
            pages = count(rule.pages, "page")
            yield f"        on {pages}, confidence {rule.confidence:.2f}{part}"


def count(n: int, noun: str) -> str:
    """
    >>> count(1, "page"), count(2, "page")
    ('1 page', '2 pages')
    """
    return f"{n} {noun}{'s' * (n != 1)}"


def lines_text(lines: Iterable[str]) -> str:
    """The lines as a text."""
    return "\n".join(lines) + "\n"
