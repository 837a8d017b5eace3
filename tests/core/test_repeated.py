"""Text that articles of several templates of a host have."""

from __future__ import annotations

from random import Random

import pytest

from forest_scrapy.core import Options, Page, Params, Wrapper, extract_item, learn_rules
from forest_scrapy.core.digests import digest_of
from forest_scrapy.core.items import Article
from forest_scrapy.core.repeated import learn_repeated, may_repeat, read_lines

ASK = "Our newsroom is paid for by its readers: please give what you can today."
WORDS = "harbour boat town fish night owl hill fox noon river stone bridge market street".split()


def prose(seed: int, sentences: int = 12) -> str:
    random = Random(seed)
    lines = (" ".join(random.choices(WORDS, k=14)).capitalize() for _ in range(sentences))
    return "".join(f"<p>{line}.</p>" for line in lines)


def page(number: int, body: str, section: str = "news", title: str = "") -> Page:
    head = f"<title>{title or f'The story {number} of the {section}'}</title>"
    html = f"<head>{head}</head><body><nav><a href=/>Home</a></nav><article class={section}>{body}"
    return Page.from_html(html, f"http://a.example/{section}/{number}")


def story(number: int, extra: str = f"<p>{ASK}</p>", section: str = "news") -> Page:
    half = prose(2 * number + 1)
    return page(number, f"<h1>Story {number}</h1>{prose(2 * number)}{extra}{half}", section)


NEWS = [story(i) for i in range(3)]
SPORT = [story(i, section="sport") for i in range(10, 13)]


def text_of(page: Page, *others: Page) -> str:
    rules = learn_rules([page], others=[read_lines(other) for other in others])
    item = extract_item(page, rules)
    assert isinstance(item, Article)
    return item.text


def test_text_of_another_template_is_left_out() -> None:
    rules = learn_rules(NEWS, others=[read_lines(SPORT[0])])
    assert rules.wrapper.repeated == (ASK,)
    for page in NEWS:
        item = extract_item(page, rules)
        assert isinstance(item, Article)
        assert ASK not in item.text
        assert ASK not in item.html
        assert item.text.count(".") == 24
    assert ASK in learn_rules(NEWS).wrapper.apply(NEWS[0]).text
    assert type(rules).loads(rules.dumps()) == rules
    assert rules.wrapper.id != learn_rules(NEWS).wrapper.id


def test_the_last_line_may_stand_further_up_too() -> None:
    body = f"<h1>Story 1</h1>{prose(1)}<p>{ASK}</p>{prose(2)}<p>{ASK}</p>"
    lines = read_lines(page(1, body))
    assert lines is not None
    assert lines.last == digest_of(ASK)


def test_two_articles_may_quote_the_same_words() -> None:
    """As two pages of one layout do that are two templates for what else they have."""
    text = text_of(story(1), story(10, section="sport"))
    assert ASK in text
    assert text.count(".") == 25


def test_three_articles_with_the_same_text_are_enough() -> None:
    assert ASK not in text_of(story(1), story(10, section="sport"), story(11, section="arts"))


def test_two_articles_that_end_with_the_same_text_are_enough() -> None:
    pages = [
        page(number, f"<h1>Story {number}</h1>{prose(number, 24)}<p>{ASK}</p>", section)
        for number, section in ((1, "news"), (10, "sport"))
    ]
    assert ASK not in text_of(*pages)


def test_what_a_stored_wrapper_of_another_template_leaves_out_is_left_out() -> None:
    rules = learn_rules([story(1)], stored_texts={ASK})
    item = extract_item(story(1), rules)
    assert isinstance(item, Article)
    assert ASK not in item.text
    assert item.text.count(".") == 24


def test_the_order_of_pages_and_templates_does_not_matter() -> None:
    others = [read_lines(page) for page in SPORT]
    first = learn_rules(NEWS, others=others)
    assert first == learn_rules(NEWS[::-1], others=others[::-1])


@pytest.mark.parametrize(
    "extra",
    [
        "<h2>What else was said</h2>",
        f"<pre>{ASK}</pre>",
        f"<table><tr><td>{ASK}<td>1<tr><td>a<td>2</table>",
    ],
    ids=["few words", "code", "table"],
)
def test_what_articles_may_share(extra: str) -> None:
    text = text_of(story(1, extra), story(10, extra, "sport"), story(11, extra, "arts"))
    assert text == text_of(story(1, extra))


def test_the_same_article_is_compared_with_nothing() -> None:
    body = f"<h1>Story</h1>{prose(1)}<p>{ASK}</p>"
    copies = [page(number, f"{body}{prose(number, 3)}", "print") for number in (2, 3)]
    assert ASK in text_of(page(1, body), *copies)
    again = page(2, f"<h1>Story</h1>{prose(5)}<p>{ASK}</p>", "more", "The story 1 of the news")
    assert ASK in text_of(page(1, body), again)


def test_a_shorter_version_is_compared_with_nothing() -> None:
    own = f"<h1>Story</h1>{prose(1)}<p>{ASK}</p>"
    short = f"<h1>A short story</h1>{prose(1)[:300]}<p>{ASK}</p>"
    assert ASK in text_of(page(1, own), page(2, short, "print"))


def test_lists_are_compared_with_nothing() -> None:
    teasers = "".join(
        f"<h2><a href=/news/{i}>Story {i}</a></h2>{prose(100 + i, 3)}" for i in range(6)
    )
    assert read_lines(page(1, f"{teasers}<p>{ASK}</p>", "list")) is None
    home = Page.from_html(f"<main>{prose(1)}<p>{ASK}</p>", "http://a.example/")
    assert read_lines(home) is None


def test_nothing_is_left_out_of_a_page_that_has_little_else() -> None:
    rules = learn_rules(NEWS, others=[read_lines(SPORT[0])])
    short = page(7, f"<h1>Story 7</h1><p>Owls.</p><p>{ASK}</p>")
    assert ASK in rules.wrapper.apply(short).text


def test_methods_of_the_papers_are_as_published() -> None:
    options = Options(Params("forest"))
    assert not may_repeat(options)
    rules = learn_rules(NEWS, options, others=[read_lines(SPORT[0])])
    assert rules.wrapper.repeated == ()
    assert learn_repeated(Wrapper("trained"), NEWS, []) == Wrapper("trained")
