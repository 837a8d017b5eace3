from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import (
    BadRules,
    Evidence,
    Fingerprint,
    RecordWrapper,
    Template,
    TemplateRules,
    Wrapper,
    learn_records,
)
from forest_scrapy.core.records import Attribute, ProductRules, RecordEvidence, RecordRules
from forest_scrapy.core.rules import FORMAT, NO_WRAPPER, number_id
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.core.templates.kinds import KINDS, Kind
from forest_scrapy.core.wrapper import Rule

from .records.threads import pages_of

texts = st.text(alphabet="ab '\"é漢-", max_size=6)
counts = st.integers(0, 99)
numbers = st.floats(0, 1e6)
xpaths = st.sampled_from(["//p", "(//*)[3]", '//div[@class="it\'s"]', "//記事", "//a | //b"])


def tuples(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(of, max_size=2).map(tuple)


articles = st.builds(
    Wrapper,
    texts,
    tuples(xpaths),
    st.builds(Evidence, counts, texts, numbers, rules=tuples(st.builds(Rule, xpaths, counts))),
    drop=tuples(xpaths),
    take=st.sampled_from(["largest", "all"]),
)
record_rules = st.builds(
    RecordRules,
    *(xpaths, counts, counts, tuples(texts), tuples(texts)),
    tuples(st.builds(Attribute, texts, st.sampled_from(["text", "date"]), texts, numbers)),
)
records = st.builds(
    RecordWrapper,
    tuples(record_rules),
    st.none() | articles,
    st.booleans(),
    st.builds(Kind, st.sampled_from(KINDS), tuples(texts)),
    st.none() | st.builds(ProductRules, price=tuples(xpaths)),
    st.builds(RecordEvidence, counts, counts, numbers),
)
rules = st.builds(
    TemplateRules,
    st.none() | articles,
    st.none() | records,
    st.none() | record_rules,
    texts,
    st.builds(Cut, numbers, texts),
    st.booleans(),
    tuples(texts),
)

THREAD = TemplateRules(records=learn_records(pages_of()))


@given(rules)
def test_round_trip_through_json(rules: TemplateRules) -> None:
    text = rules.dumps()
    again = TemplateRules.loads(text)
    assert again == rules
    assert again.dumps() == text
    assert TemplateRules.loads(json.dumps(json.loads(text), sort_keys=True)).dumps() == text


def test_what_is_empty_is_not_written() -> None:
    assert TemplateRules().to_dict() == {"format": FORMAT}
    rules = TemplateRules(Wrapper("forest", ("//p",)), text_at="p")
    article = {"method": "forest", "keep": ["//p"]}
    assert rules.to_dict() == {"format": FORMAT, "article": article, "text_at": "p"}


@pytest.mark.parametrize("data", [{"format": 2}, {"format": "3"}, {"format": FORMAT + 1}])
def test_another_format_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(BadRules, match=rf"format {data.get('format')!r} is not {FORMAT}; learn"):
        TemplateRules.from_dict(data)


def test_rules_without_a_format_are_none_that_were_written() -> None:
    with pytest.raises(BadRules, match=f'no "format": {FORMAT}'):
        TemplateRules.from_dict({})


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"artikel": {}}, r"'artikel' is not one of article, records, .* - at `\$`"),
        ({"article": []}, r"Expected `object \| null`, got `array` - at `\$.article`"),
        ({"article": {}}, r"missing required field `method` - at `\$.article`"),
        ({"article": {"method": "x", "keeps": []}}, r"'keeps' is not one of .* at `\$.article`"),
        ({"article": {"method": "x", "keep": "//p"}}, r"got `str` - at `\$.article.keep`"),
        ({"article": {"method": "x", "keep": ["//p["]}}, r"keep: '//p\[' is not an XPath"),
        ({"article": {"method": "x", "drop": ["//$p"]}}, r"drop: '//\$p' needs a variable"),
        ({"article": {"method": "x", "take": "first"}}, "take 'first'"),
        ({"records": {"kind": {"name": "poem"}}}, "kind is 'poem', not one of"),
        ({"records": {"rules": [{"record": "//p", "x": 1}]}}, r"at `\$.records.rules\[0\]`"),
        ({"comments": {}}, r"missing required field `record` - at `\$.comments`"),
        ({"comments": {"record": "//["}}, r"record: '//\[' is not an XPath"),
        ({"cut": 0.4}, r"got `float` - at `\$.cut`"),
        ({"text_at": 4}, r"Expected `str`, got `int` - at `\$.text_at`"),
        ({"failed": "article"}, r"Expected `array`, got `str` - at `\$.failed`"),
    ],
)
def test_bad_rules_are_refused(part: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRules, match=message):
        TemplateRules.loads(json.dumps({"format": FORMAT, **part}))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "[" * 100_000, "9" * 5_000])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(BadRules):
        TemplateRules.loads(text)


def test_the_text_of_articles_and_of_threads() -> None:
    article = Wrapper("forest", ("//p",))
    assert TemplateRules().text_wrapper is TemplateRules().wrapper is NO_WRAPPER
    assert TemplateRules(article).text_wrapper is article
    (page, *_) = pages_of()
    taken = THREAD.text_wrapper
    assert (THREAD.kind, THREAD.are_of_threads, THREAD.wrapper) == ("thread", True, NO_WRAPPER)
    assert taken.keep == tuple(one.record for one in THREAD.records.rules)  # type: ignore[union-attr]
    assert (taken.take, taken.evidence.text_at) == ("all", taken.keep[-1])
    assert "patient" in taken.apply(page).text
    both = replace(THREAD, article=article)  # threads that are wanted as articles
    assert (both.are_of_threads, both.text_wrapper) == (False, article)
    empty = TemplateRules(records=RecordWrapper(kind=Kind("thread")))
    assert (empty.are_of_threads, empty.text_wrapper) == (True, NO_WRAPPER)


def test_the_cut_is_rounded() -> None:
    rules = TemplateRules(Wrapper("forest", ("//p",)))
    cut = rules.with_cut(Cut(0.123456, "why"))
    assert cut.cut == Cut(0.1235, "why")
    assert (cut.with_cut(Cut(0.123456, "why")), cut.text_wrapper.id) == (cut, rules.wrapper.id)


def test_ids_are_numbered() -> None:
    rules, taken = TemplateRules(text_at="//p"), list[str]()
    for _ in range(4):
        taken.append(number_id("a.example", rules, taken))
    assert taken == [taken[0], *(f"{taken[0]}-{n}" for n in (2, 3, 4))]
    assert number_id("a.example", rules, taken[1:]) == taken[0]
    others = {number_id("b.example", rules, ()), number_id("a.example", TemplateRules(), ())}
    assert len({taken[0], *others}) == 3


@pytest.mark.parametrize("with_rules", [True, False])
def test_a_template_as_json(with_rules: bool) -> None:
    template = Template(
        *("a.example 12", "a.example", "x", THREAD if with_rules else None),
        (Fingerprint(frozenset((1, 2**64 - 1))),),
        ("key 1", "key 2"),
        may_be_articles=False,
    )
    written = json.loads(json.dumps(template.to_dict()))
    assert Template.from_dict(written) == template
    without = Template.from_dict(template.to_dict(with_fingerprints=False))
    assert without == replace(template, fingerprints=())


def test_a_template_is_learned_from_two_pages() -> None:
    rules = TemplateRules(Wrapper("forest", ("//p",)))
    template = Template("k", "a.example", "x", rules, sample=("1", "2"))
    assert template.is_learned
    for other in (
        replace(template, sample=("1",)),
        replace(template, is_stored=True),
        replace(template, rules=None),
        replace(template, rules=TemplateRules()),
    ):
        assert not other.is_learned
    assert replace(template, rules=THREAD).is_learned
    assert Template("k", "h").wrapper is NO_WRAPPER
    assert (Template("k", "h").records, Template("k", "h").is_of_threads) == (None, False)
