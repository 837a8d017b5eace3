"""The HTML pages of the demo site, in three templates: news, journal and listing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import escape
from importlib.resources import files
from itertools import groupby
from string import Template

from demo import fragments
from demo.stories import Story

#: Stories on one page of the news listing.
_PER_PAGE = 8

#: A section of a listing page: heading, anchor and stories.
_Group = tuple[str, str, Sequence[Story]]


@lru_cache
def read_layout(name: str) -> str:
    """Return the content of a file in ``layouts/``."""
    return files("demo").joinpath("layouts", name).read_text(encoding="utf-8")


def _fill(name: str, **values: str) -> str:
    return Template(read_layout(name)).substitute(values)


@dataclass(frozen=True)
class Edition:
    """All stories, newest first, published under a base URL without a trailing slash."""

    base_url: str
    site_name: str
    stories: tuple[Story, ...]

    @cached_property
    def news(self) -> tuple[Story, ...]:
        return tuple(story for story in self.stories if story.section == "news")

    @cached_property
    def journal(self) -> tuple[Story, ...]:
        return tuple(story for story in self.stories if story.section == "journal")

    @cached_property
    def topics(self) -> tuple[str, ...]:
        return tuple(sorted({story.topic for story in self.stories}))

    def pages(self) -> Iterator[tuple[str, str]]:
        """Yield the path and the HTML of every page."""
        for story in self.news:
            yield story.path, self._news_page(story)
        for story in self.journal:
            yield story.path, self._journal_page(story)
        yield from self._listings()
        about = read_layout("about.html")
        yield "/about.html", self._listing_page("/about.html", "About us", about)

    def _listings(self) -> Iterator[tuple[str, str]]:
        first, second = self.news[:_PER_PAGE], self.news[_PER_PAGE:]
        older = '<p class="pager"><a rel="next" href="/news/page/2/">Older stories</a></p>'
        newer = '<p class="pager"><a rel="prev" href="/news/">Newer stories</a></p>'
        by_year = groupby(self.journal, key=lambda story: story.when.year)
        years = [(str(year), f"archive-{year}", tuple(posts)) for year, posts in by_year]
        front = [("Latest news", "latest", first), ("From the journal", "posts", self.journal[:5])]
        yield "/", self._listing("/", "Front page", front)
        yield "/news/", self._listing("/news/", "News", [("", "page-1", first)], older)
        path = "/news/page/2/"
        yield path, self._listing(path, "News, page 2", [("", "page-2", second)], newer)
        yield "/journal/", self._listing("/journal/", "Journal", years)
        for topic in self.topics:
            path = f"/topics/{topic}/"
            stories = [story for story in self.stories if story.topic == topic]
            yield path, self._listing(path, topic.capitalize(), [("", topic, stories)])

    def _news_page(self, story: Story) -> str:
        others = [other for other in self.news if other is not story]
        others.sort(key=lambda other: other.topic != story.topic)
        return _fill(
            "news.html",
            **self._article_values(story),
            byline=" and ".join(fragments.author(name) for name in story.authors),
            figure=fragments.figure(story.photo),
            tags="".join(f"<li>{escape(tag)}</li>" for tag in story.tags),
            share=fragments.share(self.base_url + story.path),
            related="\n".join(map(fragments.related, others[:3])),
            comments=fragments.news_comments(story),
            most_read="\n".join(map(fragments.list_link, self.news[2::3])),
        )

    def _journal_page(self, story: Story) -> str:
        index = self.journal.index(story)
        older, newer = self.journal[index + 1 : index + 2], self.journal[:index][-1:]
        years = sorted({post.when.year for post in self.journal}, reverse=True)
        return _fill(
            "journal.html",
            **self._article_values(story),
            post=str(5 + 7 * (len(self.journal) - index)),
            byline=escape(story.byline),
            tags=", ".join(f'<span class="tag">{escape(tag)}</span>' for tag in story.tags),
            author_box=fragments.author_boxes(story),
            older="".join(f"&laquo; {fragments.link(post)}" for post in older),
            newer="".join(f"{fragments.link(post)} &raquo;" for post in newer),
            comments=fragments.journal_comments(story),
            archives="\n".join(map(fragments.archive_link, years)),
            recent="\n".join(map(fragments.list_link, self.journal[:5])),
        )

    def _article_values(self, story: Story) -> dict[str, str]:
        """The values that both article layouts need."""
        meta = fragments.article_meta(story)
        if story.section == "news":
            meta += fragments.json_ld(story, self.base_url, self.site_name)
        return {
            "language": story.language,
            "head": self._head(story.path, story.title, "article", story.summary, meta),
            "site_name": self.site_name,
            "menu": fragments.menu(self.topics),
            "topic": story.topic,
            "topic_name": story.topic.capitalize(),
            "title": escape(story.title, quote=False),
            "published": story.published,
            "day": story.day,
            "body": story.body.html,
        }

    def _listing(self, path: str, title: str, groups: Sequence[_Group], pager: str = "") -> str:
        content = "\n".join(fragments.teasers(*group) for group in groups)
        return self._listing_page(path, title, content + pager)

    def _listing_page(self, path: str, title: str, content: str) -> str:
        return _fill(
            "listing.html",
            head=self._head(path, title, "website", f"{title} of {self.site_name}", ""),
            site_name=self.site_name,
            menu=fragments.menu(self.topics),
            title=escape(title),
            content=content,
            most_read="\n".join(map(fragments.list_link, self.news[2::3])),
        )

    def _head(self, path: str, title: str, kind: str, description: str, extra: str) -> str:
        return _fill(
            "head.html",
            title=escape(title),
            site_name=self.site_name,
            description=escape(description),
            url=self.base_url + path,
            base_url=self.base_url,
            kind=kind,
            extra=extra,
        )
