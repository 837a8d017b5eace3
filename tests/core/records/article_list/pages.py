"""Made home pages: a list of posts, a paper with several lists, and a plain list of links."""

from __future__ import annotations

from typing import NamedTuple

HOME = "https://paper.example/"


class Story(NamedTuple):
    """An article of a made site."""

    number: int
    title: str

    @property
    def path(self) -> str:
        return f"/2026/11/{self.number:02}/story-number-{self.number}/"

    @property
    def url(self) -> str:
        return f"https://paper.example{self.path}"


STORIES = [
    Story(number, f"{subject} and what comes of it")
    for number, subject in enumerate(
        "Harbours Bridges Markets Schools Ferries Gardens Theatres Orchards Lanterns Quarries "
        "Windmills Libraries Foundries Granaries".split(),
        1,
    )
]
MENU = """<header><nav><ul><li><a href="/">Home</a><li><a href="/about/">About the whole paper</a>
<li><a href="/category/town/">News of the town hall</a></ul></nav></header>"""
ASIDE = """<aside><h3>Archives</h3><ul><li><a href="/2026/10/">October 2026</a>
<li><a href="/2026/09/">September 2026</a><li><a href="/2026/08/">August 2026</a></ul>
<ul class="tags"><li><a href="/tag/boats/">Boats and ships of all kinds</a>
<li><a href="/tag/bread/">Bread and cakes of all kinds</a>
<li><a href="/tag/birds/">Birds of the harbour town</a></ul></aside>"""


def blog(stories: list[Story]) -> str:
    """Posts with a date, an author and a teaser; each links its comments and its author first."""
    posts = "".join(
        f"""<article class="post-{story.number} post"><header>
<a class="who" rel="author" href="/author/ana/">Ana Bo</a>
<h2><a href="{story.path}">{story.title}</a></h2>
<time datetime="2026-11-{story.number:02}T08:00:00Z">day {story.number}</time></header>
<p>The council has looked at it for the {story.number}th time, and this time it has decided.</p>
<a href="{story.path}#comments">{story.number} comments on this article of ours</a></article>"""
        for story in stories
    )
    return f"<title>The paper</title>{MENU}<main>{posts}</main>{ASIDE}"


def paper(stories: list[Story]) -> str:
    """A lead story, a grid of cards, whose whole is a link, and the latest ones at the side."""
    lead, *others = stories
    cards = "".join(
        f"""<div class="card"><a href="{story.path}"><img src="/i/{story.number}.jpg" width=300
height=200><h3>{story.title}</h3><span>{story.number:02}/11/2026</span></a></div>"""
        for story in others[:6]
    )
    latest = "".join(f'<li><a href="{story.path}">{story.title}</a></li>' for story in others[6:])
    return f"""<title>The paper</title><html lang="en-GB">{MENU}<main><section class="lead">
<a href="{lead.path}"><img src="/i/lead.jpg" width=800 height=400></a>
<h2><a href="{lead.path}">{lead.title}</a></h2><p>The first one of all the stories of today, with
a teaser of some words.</p></section><div class="grid">{cards}</div></main>
<div class="side"><h3>Latest</h3><ul>{latest}</ul></div>{ASIDE}"""


def plain(stories: list[Story]) -> str:
    """Links in a list without any class."""
    items = "".join(
        f'<li>{story.number}. 11. 2026: <a href="{story.path}">{story.title}</a></li>'
        for story in stories
    )
    return f"<title>The paper</title>{MENU}<h1>All of it</h1><ul>{items}</ul>{ASIDE}"
