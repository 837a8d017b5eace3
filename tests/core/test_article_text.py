"""The text of an article, from the best of the places that have it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from forest_scrapy.core import Article, Entry, Page, Refusal, TemplateRules, Visit, Wrapper
from forest_scrapy.core.article_text import read_instead
from forest_scrapy.core.extraction import extract_page
from forest_scrapy.core.page.content import text_content
from forest_scrapy.core.page.page import Extract
from forest_scrapy.core.wrapper import Evidence

URL = "http://a.example/2024/owls-of-the-harbour"
SENTENCE = "The owls of this harbour town hunt by night, and they sleep when the boats leave. "
STORY = f"<p>{SENTENCE * 3}</p>" * 3
MENU = "<nav><a href=/>Home</a> <a href=/b>Contact us and more</a></nav>"
TITLE = "Owls of the harbour"
HEAD = f"<title>{TITLE}</title><meta property=og:title content='{TITLE}'>"
NOT_NAMED, NAMED = Visit(is_article=False), Visit()


def page(body: str, head: str = "", url: str = URL, entry: Entry | None = None) -> Page:
    return Page.from_html(f"<head>{HEAD}{head}</head><body>{body}", url, entry)


def json_ld(**values: str) -> str:
    text = json.dumps({"@context": "https://schema.org", "@type": "NewsArticle", **values})
    return f"<script type=application/ld+json>{text}</script>"


def text_of(page: Page, visit: Visit = NAMED, rules: TemplateRules | None = None) -> str:
    item = extract_page(page, rules, None, visit).item
    return item.text if isinstance(item, Article) else ""


def test_half_of_a_character_in_declared_text_is_replaced() -> None:
    text = f"Owls \ud83e {SENTENCE * 3}"
    assert text_of(page("", json_ld(articleBody=text))).startswith("Owls ? The")


@pytest.mark.parametrize("visit", [NAMED, NOT_NAMED])
def test_text_that_is_shown_without_scripts_only(visit: Visit) -> None:
    shell = page(f"<section><noscript>{MENU}<div>{STORY}</div></noscript></section>")
    assert text_of(shell, visit).count(SENTENCE.strip()) == 9


def test_text_without_scripts_comes_before_the_words_of_the_feed_entry() -> None:
    entry = Entry(title=TITLE, description="Owls hunt.")
    shell = page(f"<noscript><div>{STORY}</div></noscript>", entry=entry)
    assert SENTENCE.strip() in text_of(shell)
    notice = page("<noscript>Switch on scripts</noscript>", entry=entry)
    assert text_of(notice) == "Owls of the harbour\nOwls hunt."


def test_the_text_of_a_feed_entry_is_no_notice_however_long() -> None:
    entry = Entry(title=TITLE, description="Owls hunt all night. " * 12)
    assert SENTENCE.strip() in text_of(
        page(f"<noscript><div>{STORY}</div></noscript>", entry=entry)
    )


def test_a_text_of_thirty_words_is_no_notice() -> None:
    own = f"<main><h1>{TITLE}</h1><p>{'Owls hunt all night. ' * 8}</p></main>"
    assert "Owls hunt" in text_of(page(own, json_ld(articleBody=SENTENCE * 9)), NAMED, RULES)


def test_what_is_declared_instead_of_a_notice_is_longer() -> None:
    notice = Extract(text_content("Please wait"))
    for count, is_read in ((1, False), (2, True)):
        declared = page("", json_ld(articleBody=SENTENCE * count))
        assert (read_instead(declared, notice) is not notice) == is_read


def test_a_short_declared_text_of_a_named_page() -> None:
    shell = page("<div id=app></div>", json_ld(articleBody=SENTENCE))
    assert text_of(shell) == SENTENCE.strip()
    assert extract_page(shell, None, None, NOT_NAMED).outcome == Refusal("no_content")


def test_a_long_description_of_a_named_page() -> None:
    shell, meta = "<div id=app></div>", "<meta name=description content='{}'>"
    done = extract_page(page(shell, meta.format(SENTENCE * 2)))
    assert (done.method, text_of(page(shell, meta.format(SENTENCE * 2)))) == (
        "description",
        (SENTENCE * 2).strip(),
    )
    assert text_of(page(shell, meta.format("Owls, and more"))) == ""


def test_a_named_page_without_any_text_has_a_reason() -> None:
    shell = page("<div id=app></div><img src=a.png>")
    assert extract_page(shell).outcome == Refusal("no_content")


def test_a_notice_is_no_article_if_there_is_one() -> None:
    notice, hidden = "<div id=app>Please wait</div>", f"<noscript><div>{STORY}</div></noscript>"
    assert SENTENCE.strip() in text_of(page(f"{notice}{hidden}"))
    assert SENTENCE.strip() in text_of(page(notice, json_ld(articleBody=SENTENCE * 9)))
    assert text_of(page(f"{notice}<noscript>Switch on scripts</noscript>")) == "Please wait"


def sections(count: int, tag: str = "h1", host: str = "") -> Iterator[str]:
    for i in range(count):
        yield f"<{tag}><a href={host}/2024/other-{i}>Foxes in the hills {i}</a></{tag}>"
        yield f"<p>Foxes {i} are in no harbour. {'They walk in the hills at noon. ' * 4}</p>"


def endless(count: int = 8, tag: str = "h1", host: str = "") -> str:
    """An article with others below it, in no elements of their own."""
    return f"<main><{tag}>{TITLE}</{tag}>{STORY}{''.join(sections(count, tag, host))}</main>"


RULES = TemplateRules(Wrapper("trained", ("//main",), Evidence(pages=5), take="all"))


@pytest.mark.parametrize("tag", ["h1", "h2"])
@pytest.mark.parametrize(
    ("visit", "head"),
    [
        (NAMED, ""),
        (NOT_NAMED, "<meta property=og:type content=article>"),
        (NOT_NAMED, json_ld(url=URL, headline=TITLE)),
    ],
)
def test_the_first_of_several_articles(visit: Visit, head: str, tag: str) -> None:
    text = text_of(page(endless(tag=tag), head), visit, RULES)
    assert text.count(SENTENCE.strip()) == 9
    assert "Foxes" not in text


@pytest.mark.parametrize(
    ("url", "head"),
    [
        (URL, ""),
        (URL, json_ld(url="http://a.example/2024/other-1")),
        ("http://a.example/", "<meta property=og:type content=article>"),
    ],
)
def test_several_articles_of_a_page_that_is_not_one(url: str, head: str) -> None:
    done = extract_page(page(endless(), head, url), RULES, None, NOT_NAMED)
    assert done.outcome == Refusal("several_articles")


@pytest.mark.parametrize(
    ("start", "sections_of", "is_article"),
    [
        (STORY * 9, {"tag": "h3"}, True),
        ("", {"tag": "h3"}, False),
        ("", {"tag": "h3", "host": "http://b.example"}, True),
    ],
    ids=["teasers after the article", "a list", "a list of other sites"],
)
def test_a_page_that_was_not_named(
    start: str, sections_of: dict[str, str], is_article: bool
) -> None:
    body = f"<main><h1>{TITLE}</h1><p>Owls.</p>{start}{''.join(sections(8, **sections_of))}</main>"
    done = extract_page(page(body), RULES, None, NOT_NAMED)
    assert done.reason == ("" if is_article else "several_articles")


def test_a_list_of_links_is_part_of_a_named_article() -> None:
    """Headings below the level of the title, and links to other sites, begin no other article."""
    smaller = f"<main><h1>{TITLE}</h1>{STORY}{''.join(sections(8, 'h2'))}</main>"
    assert text_of(page(smaller), NAMED, RULES).count("are in no harbour") == 8
    others = page(endless(host="http://b.example"))
    assert text_of(others, NAMED, RULES).count("are in no harbour") == 8


def test_what_is_before_the_title_is_no_next_article() -> None:
    before = "<main><p>Sea.</p><h1><a href=/2024/whales>Whales before it</a></h1>"
    text = text_of(page(endless().replace("<main>", before)), NAMED, RULES)
    assert SENTENCE.strip() in text
    assert "are in no harbour" not in text


def test_an_introduction_is_no_article_of_its_own() -> None:
    digest = page(f"<main><h2>{TITLE}</h2><p>Owls.</p>{''.join(sections(8, 'h2'))}</main>")
    assert text_of(digest, NAMED, RULES).count("are in no harbour") == 8


def test_a_notice_that_the_wrapper_has_found_is_not_missed() -> None:
    rules = TemplateRules(Wrapper("trained", ("//div[@id='app']",), Evidence(pages=5)))
    notice = page(f"<div id=app>Please wait</div><noscript><div>{STORY}</div></noscript>")
    done = extract_page(notice, rules)
    assert (done.missed, done.by_template, done.method) == (False, False, "single")
    assert extract_page(page(f"<div>{STORY}</div>"), rules).missed


def test_without_a_heading_with_the_title_all_articles_are_taken() -> None:
    many = page(f"<main>{STORY}{''.join(sections(8))}</main>", url="http://a.example/1")
    assert text_of(many, NAMED, RULES).count("are in no harbour") == 8


def appended(
    heading: str, others: str = "copy", foxes: str = "Foxes walk in the hills. " * 30
) -> str:
    """An article, and a longer one after it in an element of a class."""
    own = f"<h1>{TITLE}</h1><div class=copy>{STORY}</div>"
    return f"<main>{own}{heading}<div class={others}><p>{foxes}</p></div></main>"


LINKED = "<h2><a href=/2024/foxes>Foxes in the hills</a></h2>"


@pytest.mark.parametrize(
    ("heading", "others", "is_left_out"),
    [
        (LINKED, "copy", True),
        ("<h1>Foxes in the hills</h1>", "copy", True),
        (LINKED, "more", False),  # not as the own article
        ("<h2>Foxes in the hills</h2>", "copy", False),  # no other page
        ("<h2><a href=http://b.example/foxes>Foxes</a></h2>", "copy", False),
        ("<h3><a href=/2024/foxes>Foxes in the hills</a></h3>", "copy", False),
        (f"<div class=copy><p>Parts</p></div>{LINKED}", "copy", False),  # sections
        (f"<h2>Parts</h2><div class=copy>{STORY}</div>{LINKED}", "copy", False),  # sections
    ],
)
def test_an_article_with_the_markup_of_the_own_one(
    heading: str, others: str, is_left_out: bool
) -> None:
    text = text_of(page(appended(heading, others)), NAMED, RULES)
    assert text.count(SENTENCE.strip()) >= 9
    assert ("Foxes walk" not in text) == is_left_out


@pytest.mark.parametrize(
    "body",
    [
        appended(LINKED, foxes="Foxes walk in the hills."),
        appended(LINKED, "").replace(" class=copy", ""),
        appended(f"<div class=copy>{LINKED}", "'' id=a"),
    ],
    ids=["few words", "no class", "around its heading"],
)
def test_an_article_with_other_markup_is_a_part(body: str) -> None:
    assert "Foxes walk" in text_of(page(body), NAMED, RULES)


def test_an_appended_article_that_is_shown_without_scripts_only() -> None:
    text = text_of(page(f"<p>Wait</p><noscript>{appended(LINKED)}</noscript>"))
    assert SENTENCE.strip() in text
    assert "Foxes walk" not in text


def test_appended_articles_of_a_long_page_take_no_time() -> None:
    many = "".join(f"{LINKED}<div class=copy><p>{SENTENCE * 2}</p></div>" for _ in range(3000))
    nested = page(f"{'<div class=x>' * 200}{appended(many)}")
    assert SENTENCE.strip() in text_of(nested, NAMED, RULES)
