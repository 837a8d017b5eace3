"""Templates, and the rules of each: all that is learned of it, as one JSON document.

All values are frozen; what changes a template gives another one.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from forest_scrapy.core.codec import from_json, read_object, to_json
from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.core.templates.fingerprints import Fingerprint
from forest_scrapy.core.templates.redesigns import TemplateFit
from forest_scrapy.core.wrapper import NO_WRAPPER, Evidence, Wrapper

if TYPE_CHECKING:
    from forest_scrapy.core.records import RecordRules, RecordWrapper

#: The version of the JSON.
FORMAT = 3
#: The kinds that crawls have rules in common for, whichever of them they ask for.
_SHARED_KINDS = frozenset(("article", "thread"))
#: The kinds whose pages have rules only for crawls that ask for the same kinds.
_RECORD_KINDS = ("product", "listing")
NO_CUT = Cut(0.0, "")


@dataclass(frozen=True)
class TemplateRules:
    """What was learned from the pages of one template.

    - ``article``: the wrapper of articles, with where their fields are, and its evidence.
    - ``records``: the rules for threads, products and lists, with the kind of the pages; None if
      only articles were wanted.
    - ``comments``: the rules for the comments on articles; None if there are none.
    - ``text_at``: the path of what holds most of the pages' text; the template is named after it.
    - ``cut``: the distance at which the template was cut from the other pages of its host, and why
      there.
    - ``only_named``: whether nothing but a spider's word says that the pages are articles: no feed
      lists one, and none was told by its content.  Other spiders do not rely on that.
    - ``failed``: the parts that could not be learned because of an error, and the errors.
    - ``kinds``: the kinds of pages that were asked for, sorted; empty if only articles were.
    - ``are_of_others``: whether the pages were told to be no articles before their kind was known.
    """

    article: Wrapper | None = None
    records: "RecordWrapper | None" = None
    comments: "RecordRules | None" = None
    text_at: str = ""
    cut: Cut = NO_CUT
    only_named: bool = False
    failed: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    are_of_others: bool = False

    @property
    def wrapper(self) -> Wrapper:
        """The wrapper of articles; ``NO_WRAPPER`` if there is none."""
        return self.article or NO_WRAPPER

    @property
    def kind(self) -> str:
        """The kind of the pages; ``""`` if it was not looked at."""
        if self.records:
            return self.records.kind.name
        return ""

    @property
    def are_of_threads(self) -> bool:
        """Whether the pages are known to be threads, and not wanted as articles."""
        return self.kind == "thread" and not self.wrapper.keep

    @property
    def are_of_records(self) -> bool:
        """Whether the pages become products or listings for crawls that ask for ``kinds``."""
        if self.kind not in _RECORD_KINDS:
            return False
        if not self.kinds:  # written by a person
            return not self.wrapper.keep
        return self.kind in self.kinds

    @property
    def pages(self) -> int:
        """The number of pages that the rules were learned from."""
        if self.are_of_records and self.records:
            return self.records.evidence.pages
        return self.text_wrapper.evidence.pages

    @cached_property
    def text_wrapper(self) -> Wrapper:
        """The wrapper that takes the text of the pages, to show and to compare: that of articles,
        or one that takes the text of the records of threads."""
        records = self.records
        if records is None or not (self.are_of_threads and records.rules):
            return self.wrapper
        xpaths = tuple(rules.record for rules in records.rules)
        evidence = Evidence(
            pages=records.evidence.pages,
            signifiers="segments",
            score=records.evidence.score,
            match=1.0,
            text_at=xpaths[-1],
        )
        return Wrapper("records", xpaths, evidence, take="all")

    def with_cut(self, cut: Cut) -> "TemplateRules":
        """The rules, with where their template was cut."""
        return replace(self, cut=Cut(round(cut.distance, 4), cut.reason))

    def with_only_named(self, only_named: bool) -> "TemplateRules":
        """The rules, with whether their pages are articles only by a spider's word."""
        return replace(self, only_named=only_named)

    def with_article(self, article: Wrapper) -> "TemplateRules":
        """The rules with another wrapper of articles."""
        return replace(self, article=article)

    def to_dict(self) -> dict[str, Any]:
        """The rules as a JSON object, without what is empty."""
        return {"format": FORMAT, **to_json(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "TemplateRules":
        """The rules of ``to_dict``.  They may be edited by hand: ``BadRules`` is raised for another
        format, an unknown key, a value of another type, or what is not an XPath for elements."""
        if "format" not in data:
            raise BadRules(f'no "format": {FORMAT}, which rules have that were written out')
        if data.get("format") != FORMAT:
            raise BadRules(f"format {data.get('format')!r} is not {FORMAT}; learn them again")
        parts = {}
        for name, value in data.items():
            if name != "format":
                parts[name] = from_json(type_of_part(name), value, path=f"$.{name}")
        rules = cls(**parts)
        rules.check()
        return rules

    def check(self) -> None:
        """Raise ``BadRules`` for a value that the rules cannot have, see ``check_xpaths``."""
        for part in (self.article, self.records, self.comments):
            if part:
                part.check()

    def dumps(self) -> str:
        """``to_dict`` as indented JSON; equal rules give the same text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def loads(cls, text: str) -> "TemplateRules":
        """The rules of ``dumps``; raises ``BadRules``, also for a text that is not JSON."""
        return cls.from_dict(read_object(text))


_TYPES: Mapping[str, Any] = {
    "article": Wrapper | None,
    "text_at": str,
    "cut": Cut,
    "only_named": bool,
    "failed": tuple[str, ...],
    "kinds": tuple[str, ...],
    "are_of_others": bool,
}


def type_of_part(part: str) -> Any:
    """The type of a part of ``TemplateRules``; those for records are loaded when there are some:
    most templates have articles only.  Raises ``BadRules`` for an unknown part."""
    if part == "records":
        from forest_scrapy.core.records import RecordWrapper

        return RecordWrapper | None
    if part == "comments":
        from forest_scrapy.core.records import RecordRules

        return RecordRules | None
    if part not in _TYPES:
        names = ", ".join(field.name for field in fields(TemplateRules))
        raise BadRules(f"{part!r} is not one of {names} - at `$`")
    return _TYPES[part]


@dataclass(frozen=True)
class Template:
    """A template: a set of pages of one host that share a layout.

    - ``key`` identifies it among the templates that a crawl or a batch has met; ``id`` in items and
      in stores (``""`` until it has rules).
    - ``rules``: what was learned; None until then.
    - ``fingerprints``: those by which its pages are recognised.
    - ``sample``: the keys of the pages that the rules were learned from.
    - ``is_stored``: whether the rules were loaded from a store; ``is_edited``: whether a person has
      changed them since.
    - ``may_be_articles``: False for pages that are not articles, but may be of another kind.
    - ``has_articles``: whether the rules have given an item in this crawl; ``placed``: the number
      of pages placed in it; ``fit``: how the rules have fitted in all crawls.
    """

    key: str
    host: str
    id: str = ""
    rules: TemplateRules | None = None
    fingerprints: tuple[Fingerprint, ...] = ()
    sample: tuple[str, ...] = ()
    is_stored: bool = False
    is_edited: bool = False
    may_be_articles: bool = True
    has_articles: bool = False
    placed: int = 0
    fit: TemplateFit = field(default_factory=TemplateFit)

    @property
    def wrapper(self) -> Wrapper:
        """The wrapper that takes the text of the pages, see ``TemplateRules.text_wrapper``."""
        if self.rules:
            return self.rules.text_wrapper
        return NO_WRAPPER

    @property
    def records(self) -> "RecordWrapper | None":
        """The rules for threads, products and lists."""
        if self.rules:
            return self.rules.records
        return None

    @property
    def is_of_threads(self) -> bool:
        """Whether the pages are known to be threads."""
        return self.rules is not None and self.rules.are_of_threads

    @property
    def is_of_records(self) -> bool:
        """See ``TemplateRules.are_of_records``."""
        return self.rules is not None and self.rules.are_of_records

    @property
    def are_articles(self) -> bool:
        """Whether an earlier crawl has learned, from a feed or from their content, that the pages
        are articles."""
        if not self.is_stored or self.rules is None:
            return False
        return not self.is_of_threads and not self.is_of_records and not self.is_only_named

    @property
    def is_only_named(self) -> bool:
        """See ``TemplateRules``."""
        return self.rules is not None and self.rules.only_named

    @property
    def is_learned(self) -> bool:
        """Whether the rules were learned here, from enough pages to be stored: from two, since one
        says too little about the others."""
        has_rules = bool(self.wrapper.keep) or self.is_of_records
        return has_rules and not self.is_stored and len(self.sample) > 1

    def to_dict(self, with_fingerprints: bool = True) -> dict[str, Any]:
        """What was learned, as JSON values; without how it has fitted."""
        fingerprints: list[str] = []
        if with_fingerprints:
            fingerprints = [fingerprint.to_bytes().hex() for fingerprint in self.fingerprints]
        return {
            "key": self.key,
            "host": self.host,
            "id": self.id,
            "rules": self.rules.to_dict() if self.rules else None,
            "fingerprints": fingerprints,
            "sample": list(self.sample),
            "may_be_articles": self.may_be_articles,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Template":
        """The template of ``to_dict``.  Raises ``BadRules``."""
        fingerprints = [
            Fingerprint.from_bytes(bytes.fromhex(digits)) for digits in data["fingerprints"]
        ]
        return cls(
            key=data["key"],
            host=data["host"],
            id=data["id"],
            rules=TemplateRules.from_dict(data["rules"]) if data["rules"] else None,
            fingerprints=tuple(fingerprints),
            sample=tuple(data["sample"]),
            may_be_articles=data["may_be_articles"],
        )

    @property
    def misfits_key(self) -> str:
        """The key of the pages that stored rules do not fit."""
        return f"{self.key} redesigned"


def kinds_apart(kinds: Collection[str]) -> tuple[str, ...]:
    """The kinds that a crawl asks for if it has rules of its own, sorted; empty if it has those of
    all crawls for articles and threads.

    The kinds that are asked for change which rules are learned from the same pages: what one crawl
    has stored must not change the items of another.

    >>> kinds_apart(["thread", "article"]), kinds_apart(["product", "article"])
    ((), ('article', 'product'))
    """
    if _SHARED_KINDS.issuperset(kinds):
        return ()
    return tuple(sorted(set(kinds)))


def number_id(host: str, rules: TemplateRules, taken: Collection[str]) -> str:
    """The id of a template: 10 hex digits of its host and of the element with most text, so that a
    site has the same ids in every crawl, whatever pages come first; a second template with that
    element gets a number.  Templates of crawls with rules of their own have other ids, see
    ``kinds_apart``.

    >>> rules = TemplateRules(text_at="//p")
    >>> number_id("a.example", rules, ()), number_id("a.example", rules, {"a4d224c39f"})
    ('a4d224c39f', 'a4d224c39f-2')
    """
    name = f"{host} {rules.text_at}"
    kinds = kinds_apart(rules.kinds)
    if kinds:
        name = f"{name} {' '.join(kinds)}"
        if rules.are_of_others:
            name = f"{name} others"
    id = hex_digest(name, 5)
    if id not in taken:
        return id
    number = 2
    while f"{id}-{number}" in taken:
        number += 1
    return f"{id}-{number}"
