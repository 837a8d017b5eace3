"""Pages are kept in WARC files, and articles are taken from them again."""

from __future__ import annotations

import gzip
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from benchmarks.support.starter import run
from forest_scrapy.stores import HistoryStore, PageRecord, RulesStore

from .helpers import RSS, Item, Project, Server, environment, read_items, rss, story
from .test_records_spider import make_forum

HOST = "127.0.0.1"


@pytest.fixture
def kept(project: Project, server: Server) -> Project:
    """A project whose crawl has kept its pages, two of them behind a redirect."""
    items = [Item(f"{server.url}/{i}", title=f"Entry {i}") for i in range(6)]
    for i in range(6):
        server.add(f"/{i}", story(i), headers={"ETag": f'"{i}"'})
    server.add("/to/6", "", status=302, headers={"Location": "/6"})
    server.add("/6", story(6))
    items.append(Item(f"{server.url}/to/6", title="Entry 6"))
    server.add("/feed", rss(items), RSS)
    first = project.crawl("feeds", f"feeds={server.url}/feed", FOREST_WARC="pages")
    assert (first.complaints, len(first.items)) == ([], 7)
    return project


def correct_wrapper(project: Project, drop: str) -> None:
    """As the editor does."""
    folder = project.folder / ".scrapy/forest"
    with closing(RulesStore(str(folder / "wrappers.db"), "typed")) as rules:
        (template,) = rules.load_named(HOST)
        assert template.rules is not None
        wrapper = template.rules.wrapper
        edited = template.rules.with_article(replace(wrapper, drop=(*wrapper.drop, drop)))
        rules.save_correction(HOST, template.id, edited)
    with closing(HistoryStore(str(folder / "history.db"))) as history:
        history.forget_wrapper(HOST, template.id)


def records(project: Project) -> list[tuple[str, str]]:
    """Type and URL of all records, as another tool reads them."""
    found = []
    for path in sorted((project.folder / "pages").glob("*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                record.content_stream().read()
                found.append((record.rec_type, record.rec_headers.get_header("WARC-Target-URI")))
    return found


@pytest.mark.slow
def test_a_correction_reaches_articles_of_the_past(kept: Project, server: Server) -> None:
    asked = len(server.requests)
    unchanged = kept.crawl("refresh", f"host={HOST}", FOREST_WARC="pages")
    assert (unchanged.status, unchanged.items, unchanged.complaints) == (0, [], [])
    assert unchanged.stat("dropped/unchanged") == 7
    correct_wrapper(kept, "//p[contains(., 'Paragraph 3 of')]")
    done = kept.crawl("refresh", f"host={HOST}", FOREST_WARC="pages")
    assert {item["change"]["kind"] for item in done.items} == {"wrapper"}
    assert done.paths == sorted(f"/{i}" for i in range(7))
    assert not any("Paragraph 3 of" in item["text"] for item in done.items)
    assert all("Paragraph 2 of" in item["text"] for item in done.items)
    assert done.by_path["/1"]["entry"]["title"] == "Entry 1"
    assert len(server.requests) == asked
    assert kept.crawl("refresh", f"host={HOST}", FOREST_WARC="pages").items == []
    # The history is in step: a crawl finds nothing that has changed.
    later = kept.crawl("feeds", f"feeds={server.url}/feed", "only_new=yes")
    assert (later.items, later.complaints) == ([], [])


@pytest.mark.slow
def test_other_tools_read_what_was_kept(kept: Project, server: Server) -> None:
    found = records(kept)
    urls = {url for kind, url in found if kind == "response"}
    assert urls >= {f"{server.url}/{i}" for i in range(7)} | {f"{server.url}/feed"}
    crawled = {item["url"]: item["text"] for item in read_items(kept.folder / "1.jsonl")}
    code = "from forest_scrapy.commands.main import main; main()"
    files = [str(path) for path in (kept.folder / "pages").glob("*.warc.gz")]
    run(["-c", code, "extract", "--articles", "-o", "again.jsonl", *files], kept.folder,
        environment())  # fmt: skip
    again = {item["url"]: item["text"] for item in read_items(kept.folder / "again.jsonl")}
    assert again == crawled


@pytest.mark.slow
def test_a_page_that_is_the_same_is_kept_once(kept: Project, server: Server) -> None:
    kept.crawl("feeds", f"feeds={server.url}/feed", FOREST_WARC="pages")
    kinds = [kind for kind, url in records(kept) if url == f"{server.url}/3"]
    assert sorted(kinds) == ["metadata", "metadata", "response", "revisit"]
    correct_wrapper(kept, "//p[contains(., 'Paragraph 3 of')]")
    assert len(kept.crawl("refresh", f"host={HOST}", FOREST_WARC="pages").items) == 7


def test_the_index_is_made_of_the_files(kept: Project) -> None:
    for path in (kept.folder / "pages").glob("index.db*"):
        path.unlink()
    (archive,) = (kept.folder / "pages").glob("*.warc.gz")
    archive.write_bytes(archive.read_bytes()[:-40])  # a kill in the last record
    correct_wrapper(kept, "//p[contains(., 'Paragraph 3 of')]")
    done = kept.crawl("refresh", f"host={HOST}", FOREST_WARC="pages")
    assert len(done.items) >= 6
    # The record that was cut is the page of one article or its notes, with the entry.
    assert sum(1 for item in done.items if item["entry"]) >= 6


@pytest.mark.slow
def test_pages_in_files_that_were_removed_are_kept_again(kept: Project, server: Server) -> None:
    """Also those that the server says have not changed; and it is said which may be removed."""
    pages = kept.folder / "pages"
    listed = kept.forest("kept", "-s", "FOREST_WARC=pages")
    assert listed.count("keep it: it has the latest response of ") == 1
    for path in pages.glob("*.warc.gz"):
        path.unlink()
    # The entries have changed, so that the pages are requested.
    server.add("/feed", server.answers["/feed"].body.replace(b"A desc", b"Another desc"), RSS)
    again = kept.crawl("feeds", f"feeds={server.url}/feed", "only_new=yes", FOREST_WARC="pages")
    assert (again.status, again.items) == (0, [])
    assert again.stat("history/not_modified") == 0
    run = kept.crawl("refresh", f"host={HOST}", FOREST_WARC="pages")
    assert (run.status, run.counted("refresh")) == (0, {})
    assert run.stat("pages/spooled") == 7


@pytest.mark.slow
def test_pages_of_another_layout_are_left(kept: Project, server: Server) -> None:
    correct_wrapper(kept, "//p")
    done = kept.crawl("refresh", f"host={HOST}", FOREST_WARC="pages")
    assert (done.items, done.stat("dropped/other_layout")) == ([], 7)


def test_what_is_missing_is_named(project: Project, server: Server) -> None:
    for arguments, words in (
        ((), "name the host"),
        ((f"host={HOST}",), "FOREST_WARC"),
    ):
        done = project.crawl("refresh", *arguments)
        assert words in done.log
        assert "Traceback" not in done.log
    done = project.crawl("refresh", f"host={HOST}", FOREST_WARC=str(Path("nothing")))
    assert "no pages are kept here yet" in done.log


@pytest.mark.slow
def test_what_a_kept_page_decompresses_to_is_bounded(project: Project, server: Server) -> None:
    """As in the crawl that kept it: there, the article is the entry of the feed."""
    items = [Item(f"{server.url}/{i}", description=" ".join(["Boats."] * 40)) for i in range(4)]
    for i in range(3):
        server.add(f"/{i}", story(i))
    bomb = gzip.compress(story(3).encode() + bytes(40_000_000))
    server.add("/3", bomb, headers={"Content-Encoding": "gzip"})
    server.add("/feed", rss(items), RSS)
    project.crawl("feeds", f"feeds={server.url}/feed", FOREST_WARC="pages")
    run = project.crawl("refresh", f"host={HOST}", FOREST_WARC="pages")
    assert "/3" not in run.paths
    assert run.stat("refresh/not_kept") == 1
    assert f"{server.url}/3 is left as it is: " in run.log


@pytest.mark.slow
def test_threads_stay_threads(project: Project, server: Server) -> None:
    """They get no wrapper of articles, and what is known of them stays as it is."""
    items = [Item(f"{server.url}/{i}", title=f"Entry {i}") for i in range(6)]
    for i in range(6):
        server.add(f"/{i}", story(i))
    server.add("/feed", rss(items), RSS)
    make_forum(server)
    project.crawl("feeds", f"feeds={server.url}/feed", FOREST_WARC="pages")
    forum = project.crawl("records", f"url={server.url}/list", FOREST_WARC="pages")
    assert (forum.stat("articles/thread"), forum.complaints) == (6, [])
    wrappers = project.wrappers()
    threads = pages_by_method(project, "thread")
    assert len(threads) == 6

    done = project.crawl("refresh", f"host={HOST}", FOREST_WARC="pages")
    assert (done.status, done.items, done.complaints) == (0, [], [])
    assert done.stat("refresh/other_kind") == 6
    assert "left as they are: 6 thread" in done.log
    assert done.stat("dropped/unchanged") == 6
    assert done.stat("templates/redesigned") == 0
    assert project.wrappers() == wrappers
    assert pages_by_method(project, "thread") == threads
    assert {page.outcome for page in threads} == {"article"}


def pages_by_method(project: Project, method: str) -> list[PageRecord]:
    """What the history knows of the pages whose items were made in this way."""
    path = project.folder / ".scrapy/forest/history.db"
    with closing(HistoryStore(str(path))) as history:
        return [page for page in history.host_pages(HOST) if page.method == method]
