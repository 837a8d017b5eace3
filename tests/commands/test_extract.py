"""``forest-scrapy extract``: formats, and what is said of wrong usage."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.support import starter
from forest_scrapy.commands.extract import convert
from forest_scrapy.output_files import locked
from forest_scrapy.settings import ForestSettings
from tests.batch.helpers import demo_pages, write_warc
from tests.batch.test_library_kinds import commented, threads
from tests.commands.conftest import Done
from tests.commands.test_main import PROGRAM
from tests.core.test_extraction_pages import PRICING
from tests.crawls.helpers import environment, wait_until
from tests.crawls.test_unusable_wrappers import BAD, spoil

pytestmark = pytest.mark.crawl


@pytest.fixture(scope="module")
def warc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_warc(tmp_path_factory.mktemp("warc") / "pages.warc.gz", demo_pages())


def extract(folder: Path, *arguments: str, program: tuple[str, ...] = PROGRAM) -> Done:
    """In one process, which takes a third of the time of a command that starts others."""
    if "extract" in arguments and "--processes" not in arguments:
        arguments = (*arguments, "--processes", "1")
    done = starter.run([*program, *arguments], folder, environment())
    assert "Traceback" not in done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def test_formats(tmp_path: Path, warc: Path) -> None:
    """JSON lines are what is written first; the other formats are made of them."""
    pyarrow = pytest.importorskip("pyarrow.parquet")
    done = extract(tmp_path, "extract", str(warc), "-o", "a.jsonl", "--save-wrappers", "w.db")
    assert done.status == 0
    assert done.err.startswith("30 articles (30 by trained); 10 pages without one (10 not_article)")
    for kind in ("csv", "parquet", "md", "txt"):
        convert(tmp_path / "a.jsonl", tmp_path / f"a.{kind}", kind, ForestSettings())
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        assert [row["text"] for row in csv.DictReader(file)] == [one["text"] for one in lines]
    table = pyarrow.read_table(tmp_path / "a.parquet").to_pylist()
    assert [row["text"] for row in table] == [one["text"] for one in lines]
    for name, mark in (("a.txt", ""), ("a.md", "# ")):
        text = (tmp_path / name).read_text("utf-8")
        assert all(f"{mark}{one['title']}\n" in text for one in lines)
    assert not list(tmp_path.glob("*.job")) + list(tmp_path.glob("*.part"))


@pytest.mark.slow
def test_as_an_action_of_scrapy_forest(tmp_path: Path, warc: Path) -> None:
    program = ("-m", "scrapy", "forest")
    done = extract(tmp_path, "extract", str(warc), "-o", "out.jsonl", program=program)
    assert (done.status, done.out) == (0, "")
    assert len((tmp_path / "out.jsonl").read_text("utf-8").splitlines()) == 30


@pytest.mark.slow
def test_what_to_do_if_most_pages_are_no_articles(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    for number in range(3):
        (tmp_path / "pages" / f"{number}.html").write_text(f"<p>Page {number}.", "utf-8")
    done = extract(tmp_path, "extract", "pages", "-o", "out.jsonl")
    assert done.status == 1
    assert "3 not_article" in done.err and done.err.rstrip().endswith("use --articles")


@pytest.mark.parametrize(
    ("name", "text", "options", "remedy"),
    [
        ("1.html", "", (), "no page could be used (empty): each page's reason is in out.err"),
        ("1.html", "<p>A", ("--urls", "urls"), "are not those of the pages; leave out --urls"),
        ("1.jsonl", "\n", (), "no page in what was named: name HTML files"),
    ],
    ids=["empty", "other URLs", "no pages"],
)
def test_what_to_do_if_no_item_comes_out(
    tmp_path: Path, name: str, text: str, options: tuple[str, ...], remedy: str
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "urls").write_text("https://a.example/1\n", "utf-8")
    done = extract(tmp_path, "extract", name, "-o", "out.jsonl", *options, "--processes", "1")
    *_, line = done.err.splitlines()
    assert done.status == 1
    assert line.startswith("forest-scrapy extract: no item came out") and remedy in line


def test_what_to_do_if_pages_tell_no_url(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    text = (
        "<h1>Boats</h1>" + "<p>The boats are in the <a href=/sea>sea</a>, and the owls are not." * 9
    )
    (tmp_path / "pages" / "1.html").write_text(text, "utf-8")
    done = extract(tmp_path, "extract", "pages", "--articles", "-o", "out.jsonl")
    *_, summary = done.err.splitlines()
    assert summary.endswith(
        "; 1 without their relative links and images, since their pages tell no URL: put"
        ' <base href="URL"> into these'
    )


@pytest.mark.slow
def test_standard_output(tmp_path: Path, warc: Path) -> None:
    """Without an output no file is written; the pages without an article are on standard error."""
    done = extract(tmp_path, "extract", str(warc), "--processes", "1")
    assert len([json.loads(line) for line in done.out.splitlines()]) == 30
    *reasons, summary = done.err.splitlines()
    assert {json.loads(line)["reason"] for line in reasons} == {"not_article"}
    assert (len(reasons), summary.endswith("10 pages without one (10 not_article)")) == (10, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_streams(tmp_path: Path) -> None:
    """Streams are written to; a reader that ends, and a full one, give no traceback."""
    page = "<h1>Boats</h1><p>" + "The boats are in the sea. " * 9
    (tmp_path / "1.html").write_text(page)
    command = (*PROGRAM, "extract", "1.html", "1.html", "--articles", "--processes", "1")
    shell = [sys.executable, *command, "--errors", "/dev/null"]
    reading, writing = os.pipe()
    os.close(reading)
    ends = []
    for stream in (writing, os.open("/dev/full", os.O_WRONLY)):
        done = subprocess.run(
            shell, cwd=tmp_path, env=environment(), stdout=stream, stderr=subprocess.PIPE,
            text=True, timeout=120, check=False,
        )  # fmt: skip
        os.close(stream)
        ends.append((done.returncode, done.stderr.splitlines()[-1]))
    assert ends == [
        (0, "1 article (1 by single); 1 page without one (1 duplicate), see /dev/null"),
        (1, "forest-scrapy extract: [Errno 28] <stdout>: No space left on device"),
    ]
    os.mkfifo(tmp_path / "pipe.txt")
    fifo = os.open(tmp_path / "pipe.txt", os.O_RDONLY | os.O_NONBLOCK)
    done = extract(tmp_path, *command[2:], "-o", "pipe.txt", "--errors", "/dev/stderr")
    assert (done.status, json.loads(done.err.splitlines()[0])["reason"]) == (0, "duplicate")
    assert b"The boats are in the sea." in os.read(fifo, 1 << 16)
    os.close(fifo)


@pytest.mark.slow
def test_each_output_of_a_folder_has_its_own_errors(tmp_path: Path, warc: Path) -> None:
    (tmp_path / "empty.html").touch()
    assert extract(tmp_path, "extract", "empty.html", "-o", "a.jsonl").status == 1
    before = (tmp_path / "a.errors.jsonl").read_text()
    assert json.loads(before)["reason"] == "empty"
    assert extract(tmp_path, "extract", str(warc), "-o", "b.jsonl").status == 0
    assert (tmp_path / "a.errors.jsonl").read_text() == before
    assert (tmp_path / "b.errors.jsonl").exists()


def test_two_runs_with_one_output(tmp_path: Path, warc: Path) -> None:
    """The second one changes nothing."""
    for name in ("a.jsonl", "a.errors.jsonl"):
        with locked(tmp_path / name):
            done = extract(tmp_path, "extract", str(warc), "-o", "a.jsonl")
            (line,) = done.err.splitlines()
            assert done.status == 1 and f"{name} is being written by another process" in line
        assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_threads_and_comments(tmp_path: Path) -> None:
    rows = [{"url": page.url, "html": page.body} for page in [*threads(), *commented(range(4), 3)]]
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    options = ("--articles", "-s", "FOREST_KINDS=article,thread", "-s", "FOREST_COMMENTS=True")
    done = extract(tmp_path, "extract", "in.jsonl", "-o", "out.jsonl", *options)
    assert done.status == 0 and done.err == "4 articles (4 by trained), 6 threads\n"
    items = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert sum(len(item.get("posts", [])) for item in items) == 30
    assert sum(len(item.get("comments", [])) for item in items) == 12


@pytest.mark.parametrize("suffix", ["jsonl", "txt", "csv"])
def test_pages_of_any_kind(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "1.html").write_text(PRICING)
    output = tmp_path / f"out.{suffix}"
    done = extract(tmp_path, "extract", "1.html", "-o", output.name, "--kinds", "page")
    assert done.status == 0 and done.err == "0 articles, 1 page\n"
    assert "Every plan has all features" in output.read_text("utf-8")


def test_the_text_of_any_kind(tmp_path: Path) -> None:
    """All items have a title and a text."""
    (tmp_path / "1.html").write_text(PRICING)
    rows = [{"url": page.url, "html": page.body} for page in threads()]
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    command = ("extract", "1.html", "in.jsonl", "-o", "out.md", "--kinds", "thread,page")
    done = extract(tmp_path, *command)
    assert done.status == 0 and done.err == "0 articles, 6 threads, 1 page\n"
    text = (tmp_path / "out.md").read_text("utf-8")
    assert text.count("\n---\n") == 6 and "Every plan has all features" in text


@pytest.mark.slow
def test_items_of_several_kinds_say_which_they_are(tmp_path: Path) -> None:
    (tmp_path / "1.html").write_text(PRICING)
    rows = [{"url": page.url, "html": page.body} for page in threads()]
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    command = ("extract", "1.html", "in.jsonl", "-o", "out.jsonl", "--kinds", "thread,page")
    assert extract(tmp_path, *command).status == 0
    lines = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert sorted(json.loads(line)["type"] for line in lines) == ["page", *["thread"] * 6]


def test_ways_in_of_a_setting(tmp_path: Path) -> None:
    """The command line and a project give settings; of those in the environment the line says what
    to do."""
    (tmp_path / "1.html").write_text("<h1>Boats</h1><p>" + "The boats are in the sea. " * 9)
    command = ["extract", "1.html", "--articles", "--processes", "1"]
    project = tmp_path / "project"
    project.mkdir()
    (project / "scrapy.cfg").write_text("[settings]\ndefault = own_settings\n")
    (project / "own_settings.py").write_text('FOREST_FORMATS = ["text", "markdown"]\n')
    (project / "1.html").write_text((tmp_path / "1.html").read_text())
    of_project = extract(project, *command)
    of_option = extract(tmp_path, *command, "-s", "FOREST_FORMATS=text,markdown")
    for done in (of_project, of_option):
        assert json.loads(done.out)["markdown"]
    variables = {**environment(), "FOREST_METHOD": "forest"}
    done = starter.run([*PROGRAM, *command], tmp_path, variables)
    line, *_ = done.stderr.splitlines()
    assert line.endswith(
        "FOREST_METHOD in the environment is not read: use -s FOREST_METHOD=forest, or settings.py"
    )


def test_markdown(tmp_path: Path) -> None:
    """A format that is converted, on the command line."""
    (tmp_path / "1.html").write_text("<h1>Boats</h1><p>" + "The boats are in the sea. " * 9)
    done = extract(tmp_path, "extract", "1.html", "--articles", "-o", "a.md", "--processes", "1")
    assert done.status == 0
    assert "The boats are in the sea." in (tmp_path / "a.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("extract", "nowhere.warc", "-o", "a.jsonl"), "no such file or folder"),
        (("extract", ".", "-o", "a.pickle"), "must be a file that ends in"),
        (("extract", "1.html", "-o", "a.jsonl", "--urls", "none"), "No such file"),
        (("extract", ".", "-o", "a.jsonl", "--errors", "a.jsonl.lock"), "--errors cannot be"),
        (("extract", ".", "-o", "a.jsonl", "--wrappers", "w.db"), "no wrappers are stored here"),
        (("extract", "1.html", "-o", "a.jsonl", "--errors", "1.html/e"), "cannot be written"),
        (("extract", "1.html", "-o", "a.jsonl", "--errors", "a.jsonl"), "--errors cannot be"),
        (("extract", "1.html", "-o", "a.jsonl", "--errors", "."), "is a folder"),
        (("extract", "1.html", "-o", "1.html/a.jsonl"), "cannot be written"),
        (("extract", "1.html", "-o", "/dev/fd/77"), "cannot be written"),
        (("extract", "1.html", "--wrappers", "w.db"), "no wrappers are stored here"),
        (("extract", ".", "-o", "a.jsonl", "--kinds", "papers"), "FOREST_KINDS"),
        (("extract", ".", "-o", "a.jsonl", "--urls", "u.txt"), "--urls u.txt: No such file"),
        (("extract", ".", "-o", "a.rss", "-s", "FOREST_KINDS=thread"), "because of FOREST_KINDS"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "1.html").write_text("<p>A page.")
    done = extract(tmp_path, *arguments)
    assert done.status == 1
    assert message in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["1.html"]


def is_running(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def processes_of_session(session: int) -> list[int]:
    """The running processes of a session, from /proc."""
    processes = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, values = path.read_text().rpartition(") ")
        except OSError:  # it has ended
            continue
        state, _, _, its_session, *_ = values.split()
        if int(its_session) == session and state != "Z":
            processes.append(int(path.parent.name))
    return processes


def test_an_option_that_is_misspelled_is_no_path(tmp_path: Path) -> None:
    (tmp_path / "1.html").write_text("<p>A page.")
    done = extract(tmp_path, "extract", "--artciles", "1.html")
    assert (done.status, done.out) == (2, "")
    assert "unrecognized arguments: --artciles" in done.err


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    "processes",
    [
        pytest.param(3, marks=pytest.mark.slow),  # the fork server starts
        5,  # with a fork server, a resource tracker and both workers
    ],
)
def test_ctrl_c_ends_all_processes_without_a_traceback(tmp_path: Path, processes: int) -> None:
    pages = [
        (f"http://a.example/{n}/{i}", page.body.decode())
        for i, page in enumerate(demo_pages())
        for n in range(50)
    ]
    lines = (json.dumps({"url": url, "html": html}) + "\n" for url, html in pages)
    (tmp_path / "pages.jsonl").write_text("".join(lines), "utf-8")
    # A shell that runs the tests in the background has them ignore SIGINT.
    heed_sigint = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = "from forest_scrapy.commands.main import main; main()"
    arguments = ["extract", "pages.jsonl", "-o", "out.jsonl", "--processes", "2"]
    with subprocess.Popen(
        [sys.executable, "-c", f"{heed_sigint}; {program}", *arguments],
        cwd=tmp_path,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        wait_until(lambda: len(processes_of_session(process.pid)) >= processes)
        time.sleep(0.05)  # the last of them imports modules
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.splitlines()[-1].startswith("stopped; the same command goes on")
    assert "Traceback" not in errors
    wait_until(lambda: not is_running(process.pid))


@pytest.mark.slow
def test_files_that_are_not_its_own_are_kept(tmp_path: Path) -> None:
    """Those that have the name of a lock, of the folder of the job, or of the list of URLs."""
    (tmp_path / "1.html").write_text("<h1>Boats</h1><p>" + "The boats are in the sea. " * 9)
    (tmp_path / "a.jsonl.job").mkdir()
    kept = {name: tmp_path / name for name in ("b.jsonl.lock", "a.jsonl.job/b", "c.jsonl")}
    for path in kept.values():
        path.write_text("http://a.example/")
    for output, options, message in (
        ("a.jsonl", (), "a.jsonl.job has other files, such as b; name another output"),
        ("b.jsonl", (), "1 article"),
        ("c.jsonl", ("--urls", "c.jsonl"), "c.jsonl is not only an output"),
    ):
        done = extract(tmp_path, "extract", "1.html", "--articles", "-o", output, *options)
        assert message in done.err
    assert {path.read_text() for path in kept.values()} == {"http://a.example/"}


@pytest.mark.slow
def test_lists_of_urls(tmp_path: Path) -> None:
    """As Windows writes them; one without a URL, or in another encoding, is refused."""
    page = "<h1>Boats</h1><p>" + "The boats are in the sea. " * 9
    line = json.dumps({"url": "http://a.example/1", "html": page})
    (tmp_path / "1.jsonl").write_text(line)
    for text, message in (
        ("\ufeffhttp://a.example/1\r\n".encode(), "1 article (1 by single)\n"),
        (b"\n", "u.txt: there are no URLs in it; leave out --urls for all pages"),
        ("http://a.example/1".encode("utf-16"), "u.txt: not a text in UTF-8; convert it"),
    ):
        (tmp_path / "u.txt").write_bytes(text)
        done = extract(tmp_path, "extract", "1.jsonl", "-o", "a.jsonl", "--urls", "u.txt")
        assert message in done.err


@pytest.mark.slow
def test_lists_of_hosts(tmp_path: Path) -> None:
    """Pages of other hosts are not read: they are no errors."""
    page = "<h1>Boats</h1><p>" + "The boats are in the sea. " * 9
    urls = ("http://www.a.example/1", "http://b.example/2", "http://b.a.example/3")
    lines = [json.dumps({"url": url, "html": page}) for url in urls]
    (tmp_path / "1.jsonl").write_text("\n".join(lines))
    for text, status, message in (
        ("a.example\n", 0, "1 article (1 by single)\n"),
        ("https://b.a.example/\n\nwww.B.example\n", 0, "2 articles (2 by single)\n"),
        ("c.example\n", 1, "because no page is of the hosts of h.txt; leave out --hosts"),
        ("\n", 1, "h.txt: there are no hosts in it; leave out --hosts for all pages"),
    ):
        (tmp_path / "h.txt").write_text(text)
        output = ("-o", "a.jsonl", "--hosts", "h.txt")
        done = extract(tmp_path, "extract", "1.jsonl", "--articles", *output)
        assert (done.status, message in done.err) == (status, True), done.err
    (tmp_path / "u.txt").write_text("http://b.example/2\n")
    done = extract(tmp_path, "extract", "1.jsonl", *output, "--urls", "u.txt")
    assert (done.status, "leave out --hosts" in done.err) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("closed", "arguments", "status", "message"),
    [
        (1, (), 1, "<stdout>: Bad file descriptor"),
        (2, ("-o", "a.jsonl"), 0, ""),
    ],
)
def test_standard_streams_that_are_closed(
    tmp_path: Path, closed: int, arguments: tuple[str, ...], status: int, message: str
) -> None:
    """No file that is opened gets their number, and is written to in their place: the output was
    copied to itself for ever."""
    (tmp_path / "1.html").write_text("<h1>Boats</h1><p>" + "The boats are in the sea. " * 9)
    command = [sys.executable, *PROGRAM, "extract", "1.html", "--articles", *arguments]
    done = subprocess.run(
        ["/bin/sh", "-c", f'ulimit -f 600000; exec "$@" {closed}>&-', "sh", *command],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, message in done.stderr) == (status, True)
    assert (tmp_path / "a.jsonl").exists() == bool(arguments)


@pytest.mark.slow
def test_stored_wrappers_that_cannot_be_evaluated_lose_no_page(tmp_path: Path, warc: Path) -> None:
    pages = ("extract", str(warc), "-o")
    assert extract(tmp_path, *pages, "a.jsonl", "--save-wrappers", "w.db").status == 0
    ids = spoil(tmp_path / "w.db")
    done = extract(tmp_path, *pages, "b.jsonl", "--wrappers", "w.db")
    assert done.status == 0 and ids
    for id in ids:
        assert f'Stored wrapper {id} of news.example: keep: "{BAD}" is not an XPath' in done.err
    urls = [
        {json.loads(line)["url"] for line in (tmp_path / name).read_text("utf-8").splitlines()}
        for name in ("a.jsonl", "b.jsonl")
    ]
    assert urls[0] <= urls[1]
