"""Learning where the records of a template are, and applying it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from lxml.html import tostring

from forest_scrapy.core import BadRules, NotEnoughPages, Page, TemplateRules
from forest_scrapy.core.records import RecordWrapper, learn_records
from forest_scrapy.core.rules import FORMAT
from tests.core.helpers import html_texts, make_page, read_again
from tests.core.records.threads import THREADS, Post, as_divs, as_rows, make_thread, pages_of


@pytest.mark.parametrize("write", [as_divs, as_rows], ids=["div", "two rows a post"])
def test_posts_of_a_thread(write: object) -> None:
    pages = pages_of(write)
    wrapper = learn_records(pages)
    for page, posts in zip(pages, THREADS, strict=True):
        found = wrapper.apply(page)
        assert [record.text for record in found] == [post.text for post in posts]
        assert [record.get("author") for record in found] == [post.author for post in posts]
        assert [record.position for record in found] == list(range(1, len(posts) + 1))


def test_dates_are_read() -> None:
    pages = pages_of()
    first = learn_records(pages).apply(pages[0])[0]
    assert first.get("date") == "2024-05-03T10:15:00"


def test_a_single_page_is_enough() -> None:
    page = pages_of()[0]
    assert [record.text for record in learn_records([page]).apply(page)] == [
        post.text for post in THREADS[0]
    ]


@pytest.mark.parametrize("role", ["role=search", "class='search box'", "class=opening"])
def test_how_to_search_is_no_first_post(role: str) -> None:
    """Only what stands in another form may be one."""
    help_text = (
        "Use the following words to find a thread by its author, its day or the part of the "
        "harbour that it is about, and put quotation marks around words that belong together."
    )
    html = tostring(pages_of()[0].root, encoding="unicode")
    form = f"<form {role}><input name=q><div class=more><p>{help_text}</p></div></form>"
    posts = '<div id="thread">'
    page = Page.from_html(html.replace(posts, f"{form}{posts}", 1))
    texts = [record.text for record in learn_records([page]).apply(page)]
    assert (help_text in texts) == (role == "class=opening")
    assert texts[-len(THREADS[0]) :] == [post.text for post in THREADS[0]]


def test_a_page_that_was_not_learned_from() -> None:
    wrapper = learn_records(pages_of())
    posts = [Post("new", "1 July 2024, 07:00", "Short."), Post("old", "2 July 2024, 08:00", "Yes.")]
    assert [record.text for record in wrapper.apply(make_thread(posts))] == ["Short.", "Yes."]


def test_the_order_of_the_pages_does_not_matter() -> None:
    pages = pages_of()
    assert learn_records(pages) == learn_records(pages[::-1])


def test_quotes_are_apart() -> None:
    quoted = THREADS[0][0].text
    own = "This happened to mine as well, and then it came back."
    reply = Post("x", "5 May 2024, 10:00", f"<blockquote>{quoted}</blockquote>{own}")
    posts = [*THREADS[0][:2], reply]
    page = make_thread(posts)
    last = learn_records([page]).apply(page)[-1]
    assert last.text == own
    assert last.quote == quoted


def test_replies_inside_the_post_they_reply_to() -> None:
    reply = as_divs(2, THREADS[0][1])
    outer = as_divs(1, THREADS[0][0]).removesuffix("</div>") + reply + "</div>"
    third = as_divs(3, THREADS[0][2])
    page = make_page(f"<h1>A thread</h1><div id=thread>{outer}{third}</div>")
    found = learn_records([page]).apply(page)
    assert [record.text for record in found] == [post.text for post in THREADS[0][:3]]
    assert [record.reply_to for record in found] == [None, 1, None]


def test_the_first_post_is_marked_up_in_another_way() -> None:
    pages = []
    for question, *answers in THREADS:
        written = "".join(as_divs(number, post) for number, post in enumerate(answers))
        pages.append(
            make_page(
                f"<section class=question><time>{question.date}</time><p>{question.text}</p>"
                f"</section><div id=answers>{written}</div>"
            )
        )
    wrapper = learn_records(pages)
    assert len(wrapper.rules) == 2
    for page, posts in zip(pages, THREADS, strict=True):
        assert [record.text for record in wrapper.apply(page)] == [post.text for post in posts]


def test_posts_for_readers_without_scripts() -> None:
    posts = "".join(as_divs(number, post) for number, post in enumerate(THREADS[0]))
    page = make_page(f"<p>Loading</p><noscript><div>{posts}</div></noscript>")
    wrapper = learn_records([page])
    assert wrapper.hidden
    assert [record.text for record in wrapper.apply(page)] == [post.text for post in THREADS[0]]


def test_nothing_is_repeated() -> None:
    text = "The harbour was quiet. Boats came in late, and nobody sold any fish that day. " * 4
    pages = [
        make_page(f"<h1>{n}</h1><div id=main><p>{n} {text}</p></div>", f"http://a.example/{n}")
        for n in ("One", "Two")
    ]
    wrapper = learn_records(pages)
    assert wrapper.rules == ()
    assert [len(wrapper.apply(page)) for page in pages] == [1, 1]


def test_no_page() -> None:
    with pytest.raises(NotEnoughPages):
        learn_records([])


def test_a_page_without_text() -> None:
    page = make_page("")
    assert learn_records([page]).apply(page) == []


def test_html_is_safe() -> None:
    bad = "<script>alert(1)</script><b onclick=x()>Owls</b> are calling in the old orchard tonight."
    page = make_thread([Post("x", "5 May 2024, 10:00", bad), *THREADS[0]])
    html = learn_records([page]).apply(page)[0].html
    assert "Owls" in html
    assert "script" not in html
    assert "onclick" not in html


@given(html_texts(), html_texts())
@settings(max_examples=60, deadline=None)
def test_any_page_can_be_learned_from(first: str, second: str) -> None:
    pages = [Page.from_html(first, "http://a.example/1"), Page.from_html(second)]
    wrapper = learn_records(pages)
    assert read_again(wrapper) == wrapper
    for page in pages:
        wrapper.apply(page)


@pytest.mark.parametrize("wrapper", [learn_records(pages_of()), RecordWrapper()], ids=["4", "0"])
def test_json(wrapper: RecordWrapper) -> None:
    assert read_again(wrapper) == wrapper


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], r"Expected `object \| null`, got `array` - at `\$.records`"),
        ({"rules": [{}]}, "missing required field `record`"),
        ({"rules": [{"record": "//["}]}, r"record: '//\[' is not an XPath"),
        ({"rules": [{"record": "//p", "before": -1}]}, "before -1"),
        ({"rules": [{"record": "//p", "text": "p"}]}, r"at `\$.records.rules\[0\].text`"),
        ({"rules": [{"record": "//p", "attributes": [{"name": 1}]}]}, "got `int`"),
        (
            {
                "rules": [
                    {"record": "//p", "attributes": [{"name": "a", "path": "p", "type": "colour"}]}
                ]
            },
            "type 'colour' is not one of",
        ),
        ({"kind": {"name": "poem"}}, "kind is 'poem', not one of article, thread"),
        ({"kinds": {}}, r"'kinds' is not one of .* at `\$.records`"),
        ({"product": {"price": ["//["]}}, r"product: '//\[' is not an XPath"),
        ({"page": {"method": "x", "keep": ["//["]}}, r"keep: '//\[' is not an XPath"),
    ],
)
def test_bad_json(records: object, message: str) -> None:
    with pytest.raises(BadRules, match=message):
        TemplateRules.from_dict({"format": FORMAT, "records": records})


def make_forum_page(body: str) -> Page:
    """A page that says it is a thread of a forum."""
    declared = (
        '<script type="application/ld+json">{"@context": "https://schema.org",'
        ' "@type": "DiscussionForumPosting", "headline": "Owl boxes"}</script>'
    )
    return Page.from_html(
        f"<html lang=en><head><title>Owl boxes</title>{declared}</head>"
        f"<body class=forum><h1>Owl boxes</h1>{body}</body></html>",
        "http://forum.example/forum/topic/12-owl-boxes",
    )


def test_few_short_posts_are_found_beside_more_prose_of_the_page() -> None:
    posts = (
        '<article id="c1"><h3><a href="/profile/1">owl_42</a></h3><time datetime="2024-05-03">'
        "3 May 2024</time><div class=text><p>Has anyone seen owls in a box that stands on a"
        " balcony of a house in the middle of a town?</p></div></article>"
        '<article id="c2"><h3><a href="/profile/2">hedgerow</a></h3><time datetime="2024-05-04">'
        "4 May 2024</time><div class=text><p>Yes, twice, and both pairs raised their young there"
        " without any trouble from the street.</p></div></article>"
    )
    rules = (
        "<section><p>Please be kind to each other and read what was written before you answer,"
        " because many questions were asked here in earlier years.</p></section>"
        "<div><p>This board is run by volunteers who pay for the machines with what you give.</p>"
        "</div>"
    )
    page = make_forum_page(f"<div class=topic>{posts}</div>{rules}")
    wrapper = learn_records([page])
    assert wrapper.kind.name == "thread"
    assert [post.get("author") for post in wrapper.apply(page)] == ["owl_42", "hedgerow"]
    assert wrapper.evidence.records == 2


def test_boxes_of_the_page_that_are_named_as_those_of_the_posts_are_no_posts() -> None:
    top = (
        "<div class=page><div><table><tr><td>Harbour forum, machines for"
        " boxes</td><td><a href=/faq>FAQ</a></td></tr></table></div></div>"
    )
    posts = "".join(
        f'<div class=page><div><table id="post{number}"><tr><td>'
        f"{post.date}</td></tr><tr><td><a href=/u/{number}>{post.author}</a></td><td><div>"
        f"{post.text} {post.text.upper()} {post.text.title()}</div></td></tr></table></div></div>"
        for number, post in enumerate(THREADS[0][:2])
    )
    end = (
        "<div class=page><div><table><tr><td>You may not post replies here.</td></tr><tr><td><div>"
        "All times are of the harbour. It is 14:01.</div></td></tr></table>"
        "</div></div>"
    )
    page = make_forum_page(f"<div id=posts>{top}{posts}{end}</div>")
    wrapper = learn_records([page])
    assert wrapper.kind.name == "thread"
    dates = [post.get("date") for post in wrapper.apply(page)]
    assert [date[:10] for date in dates] == ["2024-05-03", "2024-05-03"]
