"""Commands read the pages that were kept, also when their site is gone."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from crawls.helpers import Project, environment

from benchmarks.support import starter
from demo import DemoServer
from forest_scrapy.archive.page_archive import KeptResponse, PageArchive
from forest_scrapy.commands.kept_pages import find_kept_pages
from forest_scrapy.settings import read_settings


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, str]:
    """A project that has kept the pages of the demo site, which is gone; one of its URLs."""
    project = Project(tmp_path_factory.mktemp("kept") / "project", FOREST_WARC="pages")
    with DemoServer() as demo:
        project.crawl("feeds", f"feeds={demo.feed_url}")
        url = demo.url + demo.site.articles[0].path
    return project, url


def run(project: Project, *arguments: str) -> tuple[int, str, str]:
    command = ["-m", "scrapy", "forest", *arguments]
    done = starter.run(command, project.folder, environment())
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_the_report_of_all_hosts(kept: tuple[Project, str], tmp_path: Path) -> None:
    status, out, err = run(kept[0], "report", "-o", str(tmp_path))
    assert (status, err) == (0, "20 pages as kept in pages\n")
    assert ": 20 pages, " in out


def test_a_page_is_explained(kept: tuple[Project, str]) -> None:
    project, url = kept
    status, out, err = run(project, "explain", url, "--stored")
    assert (status, err) == (0, "1 page as kept in pages\n")
    assert url in out


def test_a_correction_is_tried_on_kept_pages(kept: tuple[Project, str], tmp_path: Path) -> None:
    project, url = kept
    status, rules, _ = run(project, "show", url, "--json")
    assert status == 0
    (tmp_path / "rules.json").write_text(first_rules(rules))
    status, out, err = run(project, "import", str(tmp_path / "rules.json"), "--dry-run")
    assert status == 0, err
    assert "20 pages as kept in pages" in err
    assert "nothing was stored" in out


def first_rules(shown: str) -> str:
    """What ``import`` reads, made of the first template that ``show --json`` printed."""
    id, rules = next(iter(json.loads(shown).items()))
    return json.dumps({"host": "127.0.0.1", "template": id, "rules": rules})


@pytest.mark.slow
@pytest.mark.parametrize("is_file", [False, True], ids=["folder", "file"])
def test_a_folder_or_a_file_of_pages_is_named(
    kept: tuple[Project, str], tmp_path: Path, is_file: bool
) -> None:
    folder = kept[0].folder / "pages"
    name = next(folder.glob("*.warc.gz")) if is_file else folder
    other = Project(tmp_path / "other")
    status, out, err = run(other, "report", str(name), "-o", str(tmp_path / "out"))
    assert (status, err) == (0, "")
    assert ": 30 pages, " in out


def test_a_folder_without_pages_is_named(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    (project.folder / "a.html").mkdir()
    (project.folder / "b.html").write_text("<p>The boats come in at nine.</p>")
    status, _, err = run(project, "explain", "a.html", "b.html")
    assert status == 1
    assert "a.html: there are no pages in it" in err


def test_what_was_not_kept_is_fetched(kept: tuple[Project, str]) -> None:
    status, _, err = run(kept[0], "explain", "http://127.0.0.1:9/nothing")
    assert status == 1
    assert "cannot be fetched" in err


def test_a_kept_redirect_to_no_url_counts_as_not_kept(tmp_path: Path) -> None:
    bad_url = "http://a.example/bad"
    good_url = "http://a.example/good"
    with closing(PageArchive(tmp_path)) as archive:
        archive.add(KeptResponse(bad_url, 301, (("Location", "http://[x"),), b""))
        archive.add(KeptResponse(good_url, 200, (("Content-Type", "text/html"),), b"<p>Owl"))
    config = read_settings({"FOREST_WARC": str(tmp_path)})
    responses, _ = find_kept_pages([bad_url, good_url], config)
    assert list(responses) == [good_url]
