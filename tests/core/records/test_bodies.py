"""What is a post of a thread and what is not, and what belongs to its text."""

from __future__ import annotations

from itertools import cycle

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.records import learn_records
from tests.core.helpers import make_page
from tests.core.records.threads import THREADS, Post, as_divs, make_thread

_TEXTS = [post.text for post in THREADS[0]]


def _read(page: Page) -> list[str]:
    return [record.text for record in learn_records([page]).apply(page)]


def test_remarks_on_posts_are_no_part_of_them() -> None:
    remark = (
        "<li class=remark><span>I had the same with mine, number {} in this street.</span>"
        " <time>1{} May 2024, 10:00</time></li>"
    )
    written = []
    for number, (post, count) in enumerate(zip(THREADS[0], cycle((0, 3, 2)), strict=False)):
        remarks = "".join(remark.format(10 * number + i, i) for i in range(count))
        written.append(as_divs(number, post).removesuffix("</div>") + f"<ul>{remarks}</ul></div>")
    assert _read(make_page(f"<h1>A thread</h1>{''.join(written)}")) == _TEXTS


def test_signatures_are_no_part_of_the_posts() -> None:
    posts = [
        post._replace(text=f"{post.text}<div class=post-signature>{words}</div>")
        for post, words in zip(THREADS[0], ("Owls do", "We see", "A B", "Owls do"), strict=True)
    ]
    assert _read(make_thread(posts)) == _TEXTS


def test_lists_in_a_post_belong_to_its_text() -> None:
    posts = list(THREADS[0])
    posts[1] = posts[1]._replace(text=f"{posts[1].text}</p><ul><li>One</li><li>Two</li></ul><p>")
    assert _read(make_thread(posts))[1].split("\n") == [_TEXTS[1], "One", "Two"]


def test_posts_whose_dates_are_written_by_a_script() -> None:
    posts = [post._replace(date="") for post in THREADS[0]]
    page = make_thread(posts, lambda number, post: as_divs(number, post).replace(
        "<time>", f'<time datetime="2024-05-0{number}T10:00:00Z">'
    ))  # fmt: skip
    wrapper = learn_records([page])
    assert wrapper.evidence.dated == 1.0
    assert wrapper.apply(page)[1].get("date") == "2024-05-02T10:00:00+00:00"


def _reply_page(before: str, description: str = "") -> Page:
    replies = "".join(as_divs(i, post) for i, post in enumerate(THREADS[0]))
    return Page.from_html(
        f"<html><head><title>Empty box</title><meta name=description content='{description}'>"
        f"</head><body>{before}<div id=thread>{replies}</div></body></html>"
    )


def test_a_notice_above_the_title_is_no_post() -> None:
    notice = "<div class=notice><p>Members are reminded to read the rules of this place.</p></div>"
    assert _read(_reply_page(f"{notice}<h1>Empty box</h1>")) == _TEXTS


def test_the_described_question_is_a_post() -> None:
    question = "Why is my owl box still empty?"
    notice = "<div class=notice><p>Be kind.</p></div>"
    body = f"<h1>Empty box</h1>{notice}<div id=q><p>{question}</p></div>"
    assert _read(_reply_page(body, question))[0] == question


def test_nothing_before_the_described_post_is_one() -> None:
    summary = "<div class=summary><p>People talk about boxes, branches and long patience.</p></div>"
    page = _reply_page(f"<h1>Empty box</h1>{summary}", THREADS[0][0].text)
    assert _read(page) == _TEXTS


def test_pages_with_and_without_noscript() -> None:
    full = make_page(
        "<div>Loading</div><noscript>"
        + "".join(as_divs(i, post) for i, post in enumerate(THREADS[0]))
        + "</noscript>"
    )
    shell = make_page("<div>Loading</div><script>start()</script>")
    wrapper = learn_records([full, shell])
    assert [record.text for record in wrapper.apply(full)] == _TEXTS
    assert wrapper.apply(shell) == []


@pytest.mark.slow
def test_hostile_descriptions_are_fast_to_compare() -> None:
    posts = [Post("a", "3 May 2024, 10:15", f"This is post number {i} here.") for i in range(3000)]
    replies = "".join(as_divs(i, post) for i, post in enumerate(posts))
    page = Page.from_html(f"<meta name=description content='{'x' * 10**6}'><body>{replies}</body>")
    assert len(_read(page)) == 3000


def _authors(page: Page) -> list[str]:
    return [record.get("author") for record in learn_records([page]).apply(page)]


_NAMES = [post.author for post in THREADS[0]]


def test_ranks_are_no_authors() -> None:
    ranks = ("Senior Member", "Member", "Senior Member", "Moderator")
    page = make_thread(
        THREADS[0],
        lambda number, post: as_divs(number, post).replace(
            '<a class="user"', f'<b class="userTitle">{ranks[number - 1]}</b> <a'
        ),
    )
    assert _authors(page) == _NAMES


def test_authors_whose_names_are_marked_up_in_another_way() -> None:
    page = make_thread(
        THREADS[0],
        lambda number, post: (
            as_divs(number, post).replace('class="user"', 'class="user staff"')
            if number != 2
            else as_divs(number, post).replace('<a class="user"', '<span class="username"')
        ),
    )
    assert _authors(page) == _NAMES


def test_names_without_links_or_classes() -> None:
    written = "".join(
        f"<tr class=post><td><dl><dt><b>{post.author}</b></dt><dd>Member</dd>"
        f"<dd>Posts: {number}</dd></dl><i>{post.date}</i></td><td class=text>{post.text}</td></tr>"
        for number, post in enumerate(THREADS[0])
    )
    assert _authors(make_page(f"<h1>A thread</h1><table>{written}</table>")) == _NAMES


def test_names_and_dates_inside_the_text() -> None:
    """Nothing is named, so that all of a post is its text."""
    written = "".join(
        f"<div class=post><strong>{post.author}</strong> says:<br><time>{post.date}</time>"
        f"<br>{post.text}<br></div>"
        for post in THREADS[0]
    )
    page = make_page(f"<h1>A thread</h1>{written}")
    found = learn_records([page]).apply(page)
    assert [record.get("author") for record in found] == _NAMES
    assert found[0].get("date") == "2024-05-03T10:15:00"


def test_a_post_that_is_a_picture_is_a_post() -> None:
    posts = list(THREADS[0])
    posts[1] = posts[1]._replace(text="<img src=/box.jpg>")
    found = _read(make_thread(posts))
    assert found == [_TEXTS[0], "", *_TEXTS[2:]]


def test_names_and_dates_in_posts_without_an_element_for_their_text() -> None:
    def write(number: int, post: Post) -> str:
        return (
            f"<div class=post id=p{number}><h4>Re: Empty owl boxes in our street, {number} weeks"
            f" ago</h4><div class=head><span class=author>{post.author}</span> {post.date}</div>"
            f"{post.text}<br>{post.text[::-1]}</div>"
        )

    page = make_thread(THREADS[0], write)
    records = learn_records([page]).apply(page)
    assert [record.get("author") for record in records] == [post.author for post in THREADS[0]]
    for record, post in zip(records, THREADS[0], strict=True):
        assert record.text.split("\n") == [post.text, post.text[::-1]]


def test_since_when_somebody_is_a_member_is_no_date_of_a_post() -> None:
    def write(number: int, post: Post) -> str:
        member = f"<small>Joined {number + 2} May 201{number}</small>"
        return as_divs(number, post._replace(date="")).replace("<time>", f"{member}<time>")

    page = make_thread(THREADS[0], write)
    assert not any(record.get("date") for record in learn_records([page]).apply(page))


def test_the_date_of_a_change_is_not_that_of_the_post() -> None:
    def write(number: int, post: Post) -> str:
        changed = f'<meta itemprop=dateModified content="2024-06-0{number}T08:00:00Z">'
        return as_divs(number, post).replace("<time>", f"{changed}<time>")

    page = make_thread(THREADS[0], write)
    dates = [record.get("date")[:10] for record in learn_records([page]).apply(page)]
    assert dates == ["2024-05-03", "2024-05-03", "2024-05-04", "2024-05-04"]


def test_digests_do_not_set_posts_apart() -> None:
    digests = ("3F2A91C07BE4D5A86021", "QZX7SPGYCTLC2WGOEBQ5", "A0B1C2D3E4F5A6B7C8D9", "ZZ92KQ")
    page = make_thread(THREADS[0], lambda number, post: as_divs(number, post).replace(
        '"head"',
        f'"head" id="{digests[number - 1]}"',
    ))  # fmt: skip
    authors = [record.get("author") for record in learn_records([page]).apply(page)]
    assert authors == [post.author for post in THREADS[0]]
