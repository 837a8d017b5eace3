"""Tests of the joining of a thread's pages."""

from typing import Any

from forest_scrapy.core.items import Thread
from forest_scrapy.core.joining.threads import identify_post, join_threads, new_posts


def post(position: int, text: str, reply_to: int | None = None, author: str = "Ana") -> Any:
    return {
        "position": position,
        "author": author,
        "date": f"2024-05-0{position}",
        "text": text,
        "reply_to": reply_to,
    }


def thread(number: int, *posts: Any, **fields: Any) -> Thread:
    url = f"http://a.example/owls/{number}"
    return Thread(url=url, title="Owls", posts=list(posts), pages=[url], **fields)


def test_posts_are_numbered_on_and_replies_lead_to_the_new_numbers() -> None:
    first = thread(1, post(1, "Who hears owls?"), post(2, "I do."))
    second = thread(2, post(1, "Me too."), post(2, "Where?", reply_to=1))
    joined = join_threads([first, second])
    assert [post["position"] for post in joined.posts] == [1, 2, 3, 4]
    assert joined.posts[3]["reply_to"] == 3
    assert joined.pages == ["http://a.example/owls/1", "http://a.example/owls/2"]


def test_a_first_post_that_a_further_page_repeats_is_there_once() -> None:
    first = thread(1, post(1, "Who hears owls?"), post(2, "I do."))
    repeated = {**post(1, "Who hears owls?"), "date": "2024-06-01"}
    second = thread(2, repeated, post(2, "Me too.", reply_to=1))
    joined = join_threads([first, second])
    assert [post["text"] for post in joined.posts] == ["Who hears owls?", "I do.", "Me too."]
    assert joined.posts[2]["reply_to"] == 1


def test_a_page_without_new_posts_is_left_out() -> None:
    first = thread(1, post(1, "Who hears owls?"), post(2, "I do."), confidence=0.9)
    again = thread(2, post(1, "Who hears owls?"), post(2, "I do."), confidence=0.1)
    joined = join_threads([first, again])
    assert joined.pages == ["http://a.example/owls/1"]
    assert joined.confidence == 0.9


def test_the_last_page_tells_the_next_one_and_any_page_that_the_thread_is_cut() -> None:
    first = thread(1, post(1, "Who hears owls?"), is_cut=True, next_page="http://a.example/owls/2")
    second = thread(2, post(2, "I do."))
    joined = join_threads([first, second])
    assert (joined.next_page, joined.is_cut) == ("", True)


def test_posts_are_new_unless_author_date_and_text_are_those_of_earlier_ones() -> None:
    earlier = {identify_post(post(1, "I do."))}
    other_author = post(1, "I do.", author="Bo")
    assert new_posts([post(1, "I do."), other_author], earlier) == [other_author]


def test_a_quote_leads_to_a_post_of_an_earlier_page() -> None:
    text = "The roof of the workshop has been leaking since the storm."
    first = thread(1, post(1, text), post(2, "Copper nails hold better than iron ones."))
    answer = {**post(1, "That is bad.", author="Bo"), "quote": f"Ana wrote: {text}"}
    other = {**post(2, "Whose?", author="Bo"), "quote": "Cy wrote: My boat needs some paint."}
    joined = join_threads([first, thread(2, answer, other)])
    assert [post["reply_to"] for post in joined.posts] == [None, None, 1, None]


def test_an_indent_leads_to_a_post_of_an_earlier_page() -> None:
    def indented(position: int, text: str, indent: int) -> Any:
        attribute = {"name": "indent", "value": str(indent), "type": "number", "unit": ""}
        return {**post(position, text), "attributes": [attribute]}

    first = thread(1, indented(1, "Who hears owls?", 0), indented(2, "I do.", 40))
    second = thread(2, indented(1, "Me too.", 80), indented(2, "Where?", 40), indented(3, "No.", 0))
    joined = join_threads([first, second])
    assert [post["reply_to"] for post in joined.posts] == [None, 1, 2, 1, None]


def test_the_first_post_is_left_out_of_further_pages_that_do_not_name_its_author() -> None:
    first = thread(1, post(1, "Who hears owls?"), post(2, "I do."))
    second = thread(2, post(1, "Who hears owls?", author=""), post(3, "Where?"))
    assert [post["text"] for post in join_threads([first, second]).posts] == [
        "Who hears owls?",
        "I do.",
        "Where?",
    ]


def test_a_post_of_an_earlier_page_that_is_named_by_its_number() -> None:
    def named(position: int, number: str, parent: str = "") -> Any:
        names = [("post_id", number), ("parent_id", parent)]
        attributes = [{"name": name, "value": value} for name, value in names if value]
        return {**post(position, f"Post {number}."), "attributes": attributes}

    first = thread(1, named(1, "71"), named(2, "75"))
    second = thread(2, named(1, "78", "75"), named(2, "79", "99"))
    assert [post["reply_to"] for post in join_threads([first, second]).posts] == [
        None,
        None,
        2,
        None,
    ]
