"""``scrapy forest import --format ftr``: site configs of Full-Text RSS, stored or compared."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from forest_scrapy.commands.forest_command import Action
from forest_scrapy.commands.pages import read_kept, read_pages
from forest_scrapy.commands.report import history_urls
from forest_scrapy.commands.stored import lines_text, match_stored, read_host
from forest_scrapy.core import ForestError, Page, Template, TemplateRules, Wrapper, learn_rules
from forest_scrapy.core.changes import text_f1
from forest_scrapy.core.imports.ftr import BadSiteConfig, SiteConfig, read_site_config
from forest_scrapy.core.page.urls import host_with_port, is_of_host
from forest_scrapy.core.plurals import count
from forest_scrapy.core.rules import number_id
from forest_scrapy.core.templates.grouping import group_pages, read_fingerprint
from forest_scrapy.crawl.context import open_rules
from forest_scrapy.input_files import read_text

#: F1 against the learned text below which a config is called worse on a page.
MIN_F1 = 0.9
#: Pages that a message names.
MAX_NAMED_PAGES = 5


class NoPages(ForestError):
    """There is no page by which the layout that a config is for is recognised."""


@dataclass(frozen=True)
class _NamedConfig:
    name: str
    host: str
    config: SiteConfig


def import_site_configs(options: Namespace, action: Action) -> str:
    """Store the site configs of files for hosts without wrappers, or compare them; a line for each.
    Files that cannot be used are errors of the action."""
    lines = []
    for name in (options.file, *options.pages):
        named = _read_file(name, action)
        if named is None:
            continue
        lines += [f"{name}: {note}" for note in named.config.notes]
        pages = _read_pages(named, options, action)
        for host, host_pages in _pages_of_ports(named.host, pages).items():
            named_host = replace(named, host=host)
            if options.compare:
                lines += _compare(named_host, host_pages, action)
                continue
            try:
                lines += _store(named_host, host_pages, options.dry_run, action)
            except NoPages as error:
                action.errors.append(f"{name}: {error}")
    return lines_text(lines) if lines else ""


def host_of_file(name: str) -> str:
    """The host that the file of a site config is for.

    >>> host_of_file("configs/news.example.txt"), host_of_file(".news.example.txt")
    ('news.example', 'news.example')
    """
    stem = Path(name).name.removesuffix(".txt").strip(".")
    return read_host(stem) if "." in stem else ""


def _read_file(name: str, action: Action) -> _NamedConfig | None:
    host = host_of_file(name)
    if not host:
        action.errors.append(f"{name}: is not named after a host, such as news.example.txt")
        return None
    try:
        return _NamedConfig(name, host, read_site_config(read_text(name)))
    except BadSiteConfig as error:
        action.errors += [f"{name}: {problem}" for problem in error.problems]
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        action.errors.append(f"{name}: line {line} is not in UTF-8: save the file as UTF-8")
    except OSError as error:
        action.errors.append(f"{name}: {error.strerror or error}")
    return None


def _read_pages(named: _NamedConfig, options: Namespace, action: Action) -> list[Page]:
    """The pages of the host that are named, or that the config tests, and those that were kept."""
    names = list(options.on)
    if not options.compare:
        # A config of others names no files of this machine, and no pages of other hosts.
        for url in named.config.test_urls:
            is_web_page = url.startswith(("http://", "https://"))
            if is_web_page and is_of_host(url, named.host):
                names.append(url)
    pages = read_pages(names, "", action) if names else []
    known = {page.url for page in pages}
    kept_urls = [url for url in history_urls(named.host, action.config) if url not in known]
    pages += read_kept(kept_urls, action)
    return [page for page in pages if is_of_host(page.url, named.host)]


def _pages_of_ports(host: str, pages: Sequence[Page]) -> dict[str, list[Page]]:
    """The pages by their host with its port: sites on two ports share no templates.  Without pages
    the host has none."""
    pages_of_ports: dict[str, list[Page]] = {}
    for page in pages:
        pages_of_ports.setdefault(host_with_port(page.url), []).append(page)
    return pages_of_ports or {host: []}


def _store(
    named: _NamedConfig,
    pages: Sequence[Page],
    is_dry: bool,
    action: Action,
) -> Iterator[str]:
    config = action.config
    with closing(open_rules(config)) as store:
        stored = store.load(named.host)
    if stored:
        yield (
            f"{named.name}: not stored: {count(len(stored), 'template')} of {named.host} is learned"
            " already; --compare tells how they compare"
        )
        return
    if not pages:
        raise NoPages(
            f"no page of {named.host} can be read, by which its layout is recognised: name some,"
            " --on URL, or add a test_url"
        )
    taken: set[str] = set()
    groups, _ = group_pages(pages, config.options.fingerprint_kind)
    for group in groups:
        matches = [page for page in group if named.config.wrapper.apply(page).text]
        if not matches:
            yield f"{named.name}: matches nothing on {_name_pages(group)}"
            continue
        learned = learn_rules(group, config.options)
        rules = _with_config(learned, named.config.wrapper)
        template_id = number_id(named.host, learned, taken)
        taken.add(template_id)
        yield (
            f"{named.name}: template {template_id} of {named.host}: it finds the text of"
            f" {len(matches)} of {count(len(group), 'page')}"
        )
        if not is_dry:
            fingerprints = [
                read_fingerprint(page, config.options.fingerprint_kind) for page in group
            ]
            with closing(open_rules(config)) as store:
                store.save_imported(named.host, template_id, learned, rules, fingerprints)
    if is_dry:
        yield "nothing was stored (--dry-run)"


def _with_config(learned: TemplateRules, wrapper: Wrapper) -> TemplateRules:
    """The rules with the expressions of a config; fields are looked for where it says, and then
    where they were learned."""
    told = wrapper.fields
    fields = learned.wrapper.fields
    fields = replace(
        fields,
        title=_first_of_all(told.title, fields.title),
        authors=_first_of_all(told.authors, fields.authors),
        published=_first_of_all(told.published, fields.published),
    )
    evidence = learned.wrapper.evidence
    return learned.with_article(replace(wrapper, fields=fields, evidence=evidence))


def _first_of_all(told: Sequence[str], learned: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*told, *learned)))


def _compare(
    named: _NamedConfig,
    pages: Sequence[Page],
    action: Action,
) -> Iterator[str]:
    """What the config finds beside what is learned: stored wrappers, or those of these pages."""
    if not pages:
        yield f"{named.name}: no page of {named.host} was kept: name some, --on URL"
        return
    scores: dict[str, float] = {}
    without: list[Page] = []
    for wrapper, template_pages in _learned_wrappers(named, pages, action):
        for page in template_pages:
            text = named.config.wrapper.apply(page).text
            if text:
                scores[page.url] = text_f1(wrapper.apply(page).text, text)
            else:
                without.append(page)
    worse = sorted((f1, url) for url, f1 in scores.items() if f1 < MIN_F1)
    if not scores:
        yield f"{named.name}: matches nothing on {_name_pages(without)}"
        return
    line = f"{named.name}: {count(len(pages), 'page')}: mean F1 {fmean(scores.values()):.3f}"
    line += " against what is learned"
    if worse:
        line += f"; worse on {len(worse)}"
    if without:
        line += f"; matches nothing on {_name_pages(without)}"
    yield line
    for f1, url in worse[:MAX_NAMED_PAGES]:
        yield f"  {url}: F1 {f1:.3f}"


def _learned_wrappers(
    named: _NamedConfig,
    pages: Sequence[Page],
    action: Action,
) -> Iterator[tuple[Wrapper, Sequence[Page]]]:
    """The stored wrappers with the pages of their templates; those of other pages are learned."""
    config = action.config
    with closing(open_rules(config)) as store:
        has_stored = bool(store.load(named.host))
    groups: list[tuple[Template, list[Page]]] = []
    if has_stored:
        groups, _ = match_stored(pages, config)
    matched: set[str] = set()
    for template, template_pages in groups:
        matched.update(page.url for page in template_pages)
        yield template.wrapper, template_pages
    others = [page for page in pages if page.url not in matched]
    if others:
        for group in group_pages(others, config.options.fingerprint_kind)[0]:
            yield learn_rules(group, config.options).text_wrapper, group


def _name_pages(pages: Sequence[Page]) -> str:
    names = ", ".join(page.url for page in pages[:MAX_NAMED_PAGES])
    more = f" and {len(pages) - MAX_NAMED_PAGES} more" if len(pages) > MAX_NAMED_PAGES else ""
    return f"{count(len(pages), 'page')}: {names}{more}"
