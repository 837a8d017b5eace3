"""``scrapy forest import --format ftr``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from crawls.helpers import environment

from benchmarks.support import starter
from demo import build_site

from .conftest import Run

HOST = "paper.example"
SITE = build_site(f"http://{HOST}/")
NEWS = [article for article in SITE.articles if article.path.startswith("/news")][:4]


@pytest.fixture
def configs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with saved pages of a site, and a config for it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pages").mkdir()
    for number, article in enumerate(NEWS):
        body = SITE.files[article.path][1].decode()
        head = f"<head><link rel=canonical href=http://{HOST}{article.path}>"
        (tmp_path / f"pages/{number}.html").write_text(body.replace("<head>", head, 1), "utf-8")
    (tmp_path / f"{HOST}.txt").write_text("body: //body\nfind_string: a\n", "utf-8")
    return tmp_path


def pages() -> list[str]:
    return [str(path) for path in sorted(Path("pages").iterdir())]


def run_import(run: Run, folder: Path, *arguments: str) -> tuple[int, str, str]:
    done = run(
        "import",
        "--format",
        "ftr",
        *arguments,
        FOREST_STORE=str(folder / "wrappers.db"),
        FOREST_HISTORY=str(folder / "history.db"),
    )
    return done.status, done.out, done.err


def test_a_config_is_used_where_nothing_was_learned(run: Run, configs: Path) -> None:
    name = f"{HOST}.txt"
    status, out, err = run_import(run, configs, name, "--on", *pages(), "--dry-run")
    assert (status, err) == (0, "") and "nothing was stored (--dry-run)" in out
    assert run("show", HOST, FOREST_STORE=str(configs / "wrappers.db")).status == 1
    status, out, err = run_import(run, configs, name, "--on", *pages())
    assert (status, err) == (0, "")
    assert f"{name}: line 2: find_string is not used: nothing is replaced in pages" in out
    assert f" of {HOST}: it finds the text of 4 of 4 pages" in out
    shown = run("show", HOST, FOREST_STORE=str(configs / "wrappers.db")).out
    assert "edited by hand" in shown and "//body" in shown
    extracted = starter.run(
        [
            "-m",
            "scrapy",
            "forest",
            "extract",
            "pages",
            "--wrappers",
            "wrappers.db",
            "--format",
            "jsonl",
            "--processes",
            "1",
        ],
        configs,
        environment(),
        60,
    )
    assert extracted.stderr == "4 articles (4 by ftr)\n"
    items = [json.loads(line) for line in extracted.stdout.splitlines()]
    assert [item["method"] for item in items] == ["ftr"] * 4
    status, out, err = run_import(run, configs, name, "--on", *pages())
    assert (status, err) == (0, "")
    assert f"{name}: not stored: 1 template of {HOST} is learned already; --compare tells" in out


def test_a_config_is_stored_for_the_port_of_its_pages(run: Run, configs: Path) -> None:
    for path in Path("pages").iterdir():
        html = path.read_text("utf-8").replace(f"http://{HOST}/", f"http://{HOST}:8000/")
        path.write_text(html, "utf-8")
    status, out, err = run_import(run, configs, f"{HOST}.txt", "--on", *pages())
    assert (status, err) == (0, "")
    assert f" of {HOST}:8000: it finds the text of 4 of 4 pages" in out
    store = str(configs / "wrappers.db")
    assert run("show", f"{HOST}:8000", FOREST_STORE=store).status == 0


def test_compare(run: Run, configs: Path) -> None:
    """With what these pages teach, as nothing is stored; nothing is stored then either."""
    name = f"{HOST}.txt"
    status, out, err = run_import(run, configs, name, "--compare", "--on", *pages())
    assert (status, err) == (0, "")
    assert f"{name}: 4 pages: mean F1 0." in out and "; worse on 4\n" in out
    assert f"  http://{HOST}{NEWS[0].path}: F1 0." in out
    Path(name).write_text("body: //div[@id='elsewhere']", "utf-8")
    _, out, _ = run_import(run, configs, name, "--compare", "--on", *pages())
    assert f"{name}: matches nothing on 4 pages: http://{HOST}/" in out
    _, out, _ = run_import(run, configs, name, "--compare")
    assert f"{name}: no page of {HOST} was kept: name some, --on URL" in out
    assert run("show", HOST, FOREST_STORE=str(configs / "wrappers.db")).status == 1


def test_files_that_cannot_be_used(run: Run, configs: Path) -> None:
    """Each is named with its line; the others are used."""
    Path("bad.example.txt").write_text("# x\nbody: //div[\nboddy: //p\n", "utf-8")
    Path("notes.txt").write_text("body: //p", "utf-8")
    Path("raw.example.txt").write_bytes(b"body: \xff\xfe")
    Path("other.example.txt").write_text("body: //p", "utf-8")
    files = ["bad.example.txt", "notes", "raw.example.txt", "none.example.txt"]
    status, out, err = run_import(
        run, configs, *files, "other.example.txt", f"{HOST}.txt", "--on", *pages()
    )
    assert status == 1 and f" of {HOST}: it finds the text of 4 of 4 pages" in out
    for message in (
        "bad.example.txt: line 2: body: '//div[' is not an XPath: Invalid expression",
        "bad.example.txt: line 3: boddy is not a directive; did you mean body?",
        "notes: is not named after a host, such as news.example.txt",
        "raw.example.txt: line 1 is not in UTF-8: save the file as UTF-8",
        "none.example.txt: No such file or directory",
        "other.example.txt: no page of other.example can be read",
    ):
        assert message in err


def test_a_config_names_no_files_and_no_other_hosts(run: Run, configs: Path) -> None:
    """What it names to be tested on is only read from its own host."""
    config = Path(f"{HOST}.txt")
    named = ["/dev/stdin", *pages(), "http://127.0.0.1:9/", f"file://{HOST}{configs}/pages/0.html"]
    config.write_text("body: //body\n" + "".join(f"test_url: {name}\n" for name in named), "utf-8")
    status, out, err = run_import(run, configs, f"{HOST}.txt")
    assert (status, out) == (1, "")
    assert err == (
        f"scrapy forest import: {HOST}.txt: no page of {HOST} can be read, by which its layout is"
        " recognised: name some, --on URL, or add a test_url\n"
    )


def test_wrong_usage(run: Run) -> None:
    done = run("import", "a.json", "--compare")
    assert done.status == 2 and "--on and --compare are for --format ftr" in done.err
