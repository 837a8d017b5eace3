"""Remarks between the paragraphs of an article."""

from __future__ import annotations

import pytest
from effort import limited_effort

from forest_scrapy.core import Article, Options, Page, extract_item, learn_rules
from forest_scrapy.core.boilerplate.asides import find_asides, learn_labels
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.wrapper import Wrapper

URL = "http://a.example/news/1"
PROSE = "<p>Forty boats came in at noon, with herring in their holds, and all had a crane.</p>"
LINK = "<a href=/news/2>Owls hunt in the old town</a>"


def page_of(body: str, url: str = URL) -> Page:
    return Page.from_html(f"<title>Boats</title><main>{PROSE}{body}{PROSE}</main>", url)


def asides(body: str, labels: tuple[str, ...] = ()) -> str:
    page = page_of(body)
    content = read_content(page.root, base=page.base_url)
    left_out = find_asides(page, content, labels)
    return "\n".join(block.text_content() for block in content.text_blocks if block in left_out)


@pytest.mark.parametrize(
    "body",
    [
        f"<p>Read more: {LINK}</p>",
        f"<p><strong>READ MORE</strong> – {LINK}</p>",
        f"<p><em>Related: {LINK}</em></p>",
        "<p><a href=/news/2>Also read: Owls hunt in the old town</a></p>",
        f"<p>Lesen Sie auch: {LINK}</p>",
        f"<p>À lire aussi : {LINK}</p>",
        f"<p>Lea también: {LINK}</p>",
        f"<p>Leggi anche: {LINK}</p>",
        f"<p>Leia também: {LINK}</p>",
        f"<p>Lees ook: {LINK}</p>",
        f"<p>Läs också: {LINK}</p>",
        f"<p>Czytaj też: {LINK}</p>",
        f"<p>Читайте также: {LINK}</p>",
        f"<p>相关阅读：{LINK}</p>",
        f"<div class=box><b>Related</b> {LINK}</div>",
        f"<h4>Related stories</h4><ul><li>{LINK}</li><li><a href=/news/3>Rain all week</a></li></ul>",
        "<p>Advertisement</p>",
        "<p>Story continues below advertisement</p>",
        "<div>Article continues after this ad</div>",
        "<p>Listen to this article · 3:20 min</p>",
        "<p>Share this article on Facebook</p>",
        "<p>Sign up for our free weekly newsletter and never miss a boat.</p>",
        "<p>Get the best of the harbour straight to your inbox.</p>",
        "<p>Already a subscriber? Log in</p>",
        "<p>{{ article.title | upper }}</p>",
        "<p>$$ARTICLEAD$$</p>",
        "<div>https://cdn.b.example/player/v3.js?x=1</div>",
        "<p>This entry was posted in <a href=/news>News</a> by <a href=/ana>Ana Bo</a>. "
        "Bookmark the <a href=/news/1>permalink</a>.</p>",
        "<p>Dieser Eintrag wurde am 3. Mai 2012 veröffentlicht und unter <a href=/a>Boote</a> "
        "abgelegt.</p>",
        "<p>You can leave a <a href=#reply>response</a>, or <a href=/tb>trackback</a> from your own "
        "site.</p>",
        "<p>Both comments and pings are currently closed.</p>",
        "<p>Podcast: <a href=/1.mp3>Play in new window</a> | <a href=/1.mp3>Download</a></p>",
        "<p>Podcast (harbour): <a href=/1.mp3>Play in new window</a> | <a href=/1.mp3>Download</a> "
        "(Duration: 52:13 — 48.0MB)</p>",
        "<p>« <a href=/1>Boats of May</a> | <a href=/>Main</a> | <a href=/3>Owls at night</a> »</p>",
        "<p><a href=/>Main</a> | <a href=/3>Owls at night</a> »</p>",
    ],
)
def test_a_remark_is_left_out(body: str) -> None:
    assert asides(body) != ""
    page = page_of(body)
    text = Wrapper("single", ("//main",)).apply(page).text
    assert text.count("\n") == 1 and text.count("Forty boats") == 2


@pytest.mark.parametrize(
    "line",
    [
        "<p>This entry was posted on Tuesday, March 6th, 2012 at 3:10 pm and is filed under "
        "<a href=/news>News</a>. You can follow any responses to this entry through the "
        "<a href=/rss>RSS 2.0</a> feed. Both comments and pings are currently closed.</p>",
        "<p>Esta entrada fue publicada el domingo, 29 de agosto de 2010 a las 8:32 pm y está "
        "archivada en <a href=/general>General</a>. Puedes seguir las respuestas a esta entrada a "
        "través del RSS 2.0 feed.</p>",
    ],
)
def test_a_long_line_of_a_blog_program_is_left_out(line: str) -> None:
    text = Wrapper("single", ("//main",)).apply(page_of(PROSE * 3 + line)).text
    assert "RSS" not in text and text.count("Forty boats") == 5


@pytest.mark.parametrize(
    "body",
    [
        f"<p>{LINK}</p>",  # a list of documents has one link in each paragraph
        "<p><a href=/docs/handbook-3.pdf>Handbook of the crane, part 3</a></p>",
        "<p>Read more: <a href=/docs/handbook-3.pdf>Handbook of the crane</a></p>",
        "<p>Read more: <a href=https://b.example/paper>The paper that was cited</a></p>",
        f"<p>Read more about it in {LINK}, which was written in the year of the storm.</p>",
        f"<h2>See also</h2><ul><li>{LINK}</li></ul>",
        f"<p>See also {LINK} for what the owls do.</p>",
        "<h2>Related work</h2><p>Others have counted boats with the same method.</p>",
        "<h2>Read more</h2><p>Whoever reads more knows more, said the harbour master.</p>",
        "<p>Advertisement was what the paper lived from.</p>",
        "<p>Listen to this: the crane is new.</p>",
        "<pre>Advertisement</pre>",
        "<pre>{{ boat }}</pre>",
        "<p>Write {{ boat }} where the name of the boat is to be.</p>",
        "<p>https://b.example/paper.html</p>",
        "<table><tr><td>Advertisement</td><td>12</td></tr></table>",
        "<blockquote>Read more: <a href=/news/2>he said</a></blockquote>",
        "<p>This entry was the last of the log, and the boat was never found.</p>",
        "<p>This post was written by Ana Bo, who has sailed for thirty years.</p>",
        "<p>Posted by the quay since 1990, the guards know each boat.</p>",
        "<p>« The boats are late », said the master | Main street is closed.</p>",
        "<p>Podcast: Ana Bo talks of boats</p>",
        "<p>You can follow the boats from the quay.</p>",
        "<p>This entry was written by the master three days before the storm, and is his last.</p>",
        "<p>This entry was written by <a href=/bo>Ana Bo</a> three days before the storm.</p>",
        "<p>This entry was filed under protest, as the crew had not been told of the storm.</p>",
        "<p>Dieser Artikel wurde im Archiv abgelegt und erst nach dem Sturm gefunden.</p>",
        "<p>Det här inlägget har fått kritik för sitt märkliga språk.</p>",
        "<p>You can leave a comment, or write to the harbour before the first of May.</p>",
    ],
)
def test_content_stays(body: str) -> None:
    assert asides(body) == ""


def test_published_methods_have_no_such_step() -> None:
    page = page_of("<p>Advertisement</p>")
    assert "Advertisement" in Wrapper("coverage", ("//main",)).apply(page).text
    assert "Advertisement" not in Wrapper("trained", ("//main",)).apply(page).text


def test_an_article_that_is_nothing_but_remarks_is_kept() -> None:
    page = Page.from_html(f"<main><p>Read more: {LINK}</p><p>Boats.</p></main>", URL)
    assert find_asides(page, read_content(page.root, base=URL)) == frozenset()


def labelled(number: int, body: str) -> Page:
    return page_of(body, f"http://a.example/news/{number}")


def learn(bodies: list[str]) -> tuple[str, ...]:
    pages = [labelled(100 + i, body) for i, body in enumerate(bodies)]
    contents = [read_content(page.root, base=page.base_url) for page in pages]
    assert learn_labels(pages[::-1], contents[::-1]) == learn_labels(pages, contents)
    return learn_labels(pages, contents)


def test_a_label_of_several_pages_is_learned_each_with_another_link() -> None:
    bodies = [f"<p>Onze gids: <a href=/news/{i}>Gids {i}</a></p>" for i in range(4)]
    assert learn([*bodies, "", ""]) == ("onze gids",)
    assert asides("<p>Onze gids: <a href=/news/9>Een andere gids</a></p>", ("onze gids",)) != ""
    assert asides("<p>Onze gids is een boek.</p>", ("onze gids",)) == ""


PROMPT = "Subscribe now and read all stories of the harbour for a year"


@pytest.mark.parametrize(
    "body",
    [
        "<ul><li><code>{{ page.title }}</code></li><li><code>{{ page.url }}</code></li></ul>",
        "<p><code>${HOME}</code></p>",
        "<p><kbd>%%BOAT%%</kbd></p>",
        "<h3>${name}</h3><p>The name of the boat.</p>",
        "<ul><li>https://cdn.a.example/a.js</li><li>https://cdn.a.example/b.js</li></ul>",
        "<pre>echo $HOME</pre><p>${HOME}</p>",
    ],
)
def test_tags_and_files_in_technical_texts_stay(body: str) -> None:
    assert asides(body) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Subscribe now, the sign said, and nobody in town ever did so.",
        "Get ready: the boats will put fresh fish straight to your inbox tray.",
        "Continue reading after the break, my teacher told me",
        "Share this on Monday",
        "The story continues after his death in the year of the storm",
        "Subscribe to the newsletter, he told us, and the town will know you.",
        "Scroll to read what the keeper wrote",
        "Skip past the gate and the crane",
        "Share on X what you think of the crane",
        "Wer den Newsletter bestellen will, zahlt dem Hafen nichts",
    ],
)
def test_sentences_that_begin_like_prompts_stay(text: str) -> None:
    assert asides(f"<p>{text}</p>") == ""


def test_a_prompt_of_any_words_has_a_link_or_a_button() -> None:
    assert asides(f"<p>{PROMPT}</p>") == ""
    assert asides(f"<p><a href=https://b.example/pay>{PROMPT}</a></p>") == PROMPT
    assert asides(f"<div>{PROMPT} <button>Yes</button></div>") != ""


@pytest.mark.parametrize(
    "body",
    [
        "<ul><li>Salaries</li><li>Werbung</li><li>Advertisements</li></ul>",
        "<ul><li><p>Salaries</p></li><li><p>Werbung</p></li></ul>",
        "<h2>Werbung</h2><p>Was die Werbung den Hafen kostet.</p>",
    ],
)
def test_a_word_that_names_content_is_no_advertisement(body: str) -> None:
    assert asides(body) == ""


def test_a_link_without_a_label_between_the_paragraphs_of_most_pages() -> None:
    def lone(i: int) -> str:
        return f"<p><a href=/news/{i}>The story of the boat number {i}</a></p>"

    assert learn([lone(i) for i in range(3)] + [""]) == ("",)
    assert asides(lone(9), ("",)) == "The story of the boat number 9"
    assert learn([lone(i) for i in range(2)]) == ()
    assert learn([lone(i) for i in range(3)] + 4 * [""]) == ()
    assert learn([lone(1)] * 6) == ()
    assert learn([2 * lone(i) for i in range(6)]) == ()  # a list
    assert learn([lone(i).replace("/news", "https://b.example") for i in range(6)]) == ()
    assert asides(2 * lone(9), ("",)) == ""


@pytest.mark.parametrize(
    "bodies",
    [
        ["<p>Onze gids: <a href=/news/1>Gids</a></p>", "", "", ""],  # one page
        [f"<p>Onze gids: <a href=/news/{i}>Gids</a></p>" for i in range(2)],  # two pages
        [f"<p>Source: <a href=/old/{i}>The papers of boat {i}</a></p>" for i in range(6)],
        [f"<p>Full judgment: <a href=/old/{i}>Boat {i} v. Quay</a></p>" for i in range(6)],
        [f"<p>Bron: <a href=/old/{i}>De papieren van boot {i}</a></p>" for i in range(6)],
        ["<p>Onze gids: <a href=/news/1>Gids</a></p>"] * 4,  # the same link
        [4 * f"<p>Gids: <a href=/news/{i}>Gids {i}</a></p>" for i in range(4)],  # a list
        [f"<p>Deel {i}: <a href=/news/{i}>Gids {i}</a></p>" for i in range(4)],  # numbered parts
        [f"<p>Bron: <a href=https://b.example/{i}>Bron {i}</a></p>" for i in range(4)],  # sources
        [f"<p>De gids is <a href=/news/{i}>hier</a> en is lang.</p>" for i in range(4)],  # prose
    ],
)
def test_other_labels_are_not_learned(bodies: list[str]) -> None:
    assert learn(bodies) == ()


def test_a_label_at_the_end_is_not_learned() -> None:
    pages = []
    for i in range(6):
        line = f"<p>In the archive: <a href=/old/{i}>The papers of boat {i}</a></p>"
        html = f"<title>Boats</title><main>{PROSE}{PROSE}{line}</main>"
        pages.append(Page.from_html(html, f"http://a.example/news/{i}"))
    contents = [read_content(page.root, base=page.base_url) for page in pages]
    assert learn_labels(pages, contents) == ()


def test_a_label_of_tags_is_learned_at_the_end_too() -> None:
    pages = []
    for i in range(6):
        tags = f"<a href=/tag/{i}>boat {i}</a>, <a href=/tag/quay>quay</a>"
        html = f"<title>Boats</title><main>{PROSE}{PROSE}<p>Filed as: {tags}</p></main>"
        pages.append(Page.from_html(html, f"http://a.example/news/{i}"))
    contents = [read_content(page.root, base=page.base_url) for page in pages]
    assert learn_labels(pages, contents) == ("filed as",)


def test_a_label_that_names_tags_needs_two_pages_only() -> None:
    tags = [f"<p>Tags: <a href=/tag/{i}>boat {i}</a>, <a href=/tag/a{i}>a</a></p>" for i in (1, 2)]
    assert learn(tags) == ("tags",)
    assert learn(tags[:1]) == ()


def test_what_is_learned_stands_in_the_rules_and_holds_for_unseen_pages() -> None:
    def news(i: int) -> Page:
        paragraphs = "".join(
            f"<p>Boat {i}.{j} came in at noon, with herring in its hold, said the office.</p>"
            for j in range(6)
        )
        box = f"<p><b>Onze gids:</b> <a href=/news/{i + 50}>Gids over boot {i}</a></p>"
        html = (
            f"<title>Boat {i} is back</title><article class=a><h1>Boat {i} is back</h1>"
            f"<div class=body>{paragraphs}{box}{paragraphs.replace('noon', 'night')}</div></article>"
        )
        return Page.from_html(html, f"http://a.example/news/{i}")

    rules = learn_rules([news(i) for i in range(5)], Options())
    assert rules.wrapper.labels == ("onze gids",)
    assert type(rules).loads(rules.dumps()) == rules
    item = extract_item(news(7), rules)
    assert isinstance(item, Article)
    assert "Boat 7.3" in item.text and "Gids over" not in item.text and "Gids" not in item.html


def test_blocks_in_each_other_take_no_time() -> None:
    nest = "<div>Read more: <a href=/2>b</a>" * 3000
    page = Page.from_html(f"<main>{nest}</main>", URL)
    content = read_content(page.root, base=URL)
    with limited_effort(8):
        find_asides(page, content, ("gids",))
        learn_labels([page], [content])
