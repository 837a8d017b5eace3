"""What an earlier release has written is continued and read: jobs, kept pages, and the history.

``releases`` has, of each release, what ``release_project`` writes.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from forest_scrapy.archive.page_archive import PageArchive
from forest_scrapy.stores import HistoryStore, RulesStore

from .helpers import RSS, Project, Server, rss, story
from .release_project import (
    ITEMS,
    JOURNAL,
    MAGAZINE,
    PAPER,
    PAPER_ITEMS,
    changed_items,
    pending_urls,
    restore_project,
    serve,
)

RELEASES = Path(__file__).with_name("releases")


@pytest.fixture(params=sorted(path.name for path in RELEASES.iterdir()))
def release(
    request: pytest.FixtureRequest,
    project: Project,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> Project:
    """The project that a release has left; its hosts are reached through a proxy."""
    restore_project(RELEASES / request.param, project)
    serve(server)
    monkeypatch.setenv("http_proxy", server.url)
    return project


def asked_paths(server: Server) -> list[str]:
    """The paths of the pages that were requested."""
    paths = [urlsplit(url).path for url in server.requests]
    return [path for path in paths if path.startswith(("/plain/", "/fancy/"))]


def test_a_stopped_job_is_continued(release: Project, server: Server) -> None:
    feed = f"feeds={MAGAZINE}/magazine.xml"
    run = release.crawl("feeds", feed, out="magazine.jsonl", JOBDIR="magazine")
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == sorted(f"/fancy/{number}" for number in range(ITEMS))
    assert len(asked_paths(server)) == ITEMS - 6
    assert len(set(asked_paths(server))) == ITEMS - 6
    assert len({item["template_id"] for item in run.items}) == 1


def test_a_killed_job_is_recovered(release: Project, server: Server) -> None:
    pending = list(pending_urls(release, "journal"))
    assert len(pending) >= 2
    feed = f"feeds={JOURNAL}/journal.xml"
    run = release.crawl("feeds", feed, out="journal.jsonl", JOBDIR="journal")
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == sorted(f"/plain/{100 + number}" for number in range(ITEMS))
    assert run.stat("pages/recalled") == len(pending)
    asked_again = set(asked_paths(server)) & {urlsplit(url).path for url in pending}
    assert asked_again == set()


@pytest.mark.slow
def test_kept_pages_are_read(release: Project, server: Server) -> None:
    """Also with an index that is made again of the files."""
    kept_files = release.forest("kept", "-s", "FOREST_WARC=pages").splitlines()
    assert len(kept_files) == len(list((release.folder / "pages").glob("*.warc.gz")))
    correct_wrapper(release, "paper.example", "//p[contains(., 'Paragraph 3 of')]")
    first = release.crawl("refresh", "host=paper.example", FOREST_WARC="pages")
    assert (first.status, first.complaints, len(first.items)) == (0, [], PAPER_ITEMS)
    assert all(item["entry"]["title"].startswith("Entry") for item in first.items)
    assert not any("Paragraph 3 of" in item["text"] for item in first.items)
    assert asked_paths(server) == []

    for path in (release.folder / "pages").glob("index.db*"):
        path.unlink()
    with closing(PageArchive(str(release.folder / "pages"), must_exist=True)) as archive:
        urls = [f"{PAPER}/plain/{number}" for number in range(PAPER_ITEMS)]
        assert all(archive.describe(url) is not None for url in urls)


def correct_wrapper(project: Project, host: str, drop: str) -> None:
    """As the editor does."""
    folder = project.folder / ".scrapy/forest"
    with closing(RulesStore(str(folder / "wrappers.db"), "typed")) as rules:
        (template,) = rules.load(host)
        assert template.rules is not None
        wrapper = template.rules.wrapper
        edited = replace(wrapper, drop=(*wrapper.drop, drop))
        rules.save_correction(host, template.id, template.rules.with_article(edited))
    with closing(HistoryStore(str(folder / "history.db"))) as history:
        history.forget_wrapper(host, template.id)


@pytest.mark.slow
def test_the_history_is_continued(release: Project, server: Server) -> None:
    feed = f"feeds={PAPER}/paper.xml"
    same = release.crawl("feeds", feed, "only_new=yes")
    assert (same.status, same.complaints, same.items) == (0, [], [])
    page = story(7).replace("Paragraph 2 of 7.", "Paragraph two of seven was corrected.")
    server.add("/plain/7", page)
    server.add("/paper.xml", rss(changed_items(7)), RSS)
    changed = release.crawl("feeds", feed, "only_new=yes")
    assert changed.paths == ["/plain/7"]
    change = changed.items[0]["change"]
    assert change["inserted"] == ["two of seven was corrected."]
    listed = release.forest("versions", f"{PAPER}/plain/7")
    assert "2 versions" in listed
