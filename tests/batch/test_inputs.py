"""Kinds of input of a batch: archives, JSON lines, folders; damaged and missing ones."""

from __future__ import annotations

import gzip
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZipFile, ZipInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy import RawPage
from forest_scrapy.batch.find_files import BadInput
from forest_scrapy.batch.inputs import Inputs, read_json_line
from tests.batch.helpers import HOST, articles, content, demo_pages, lines, run, write_warc


@pytest.mark.thorough
@pytest.mark.slow
def test_other_kinds_of_input_give_the_same(tmp_path: Path, done: Path) -> None:
    pages = demo_pages()
    kinds = [*write_lines(tmp_path, pages), write_zip(tmp_path, pages), write_folder(tmp_path)]
    kinds.append(write_warc(tmp_path / "plain.warc", pages))
    for path in kinds:
        folder = tmp_path / f"out-{path.name}"
        folder.mkdir()
        run(folder, path)
        assert content(folder) == content(done), path


def write_lines(folder: Path, pages: list[RawPage]) -> Iterator[Path]:
    """JSON lines, plain and compressed."""
    texts = [page.body.decode() for page in pages if isinstance(page.body, bytes)]
    pairs = zip(pages, texts, strict=True)
    text = "".join(json.dumps({"url": p.url, "html": html}) + "\n" for p, html in pairs)
    plain, packed = folder / "pages.jsonl", folder / "pages.jsonl.gz"
    plain.write_text(text, "utf-8")
    packed.write_bytes(gzip.compress(text.encode()))
    yield from (plain, packed)


def write_zip(folder: Path, pages: list[RawPage]) -> Path:
    with ZipFile(folder / "pages.zip", "w") as archive:
        for number, page in enumerate(pages):
            archive.writestr(f"{number:03}.html", with_canonical(page))
    return folder / "pages.zip"


def write_folder(folder: Path) -> Path:
    """HTML files, every second one compressed, and a file of another kind."""
    pages = folder / "pages"
    for number, page in enumerate(demo_pages()):
        place = pages / f"{number // 20:03}"
        place.mkdir(parents=True, exist_ok=True)
        body = with_canonical(page)
        if number % 2:
            (place / f"{number:03}.html.gz").write_bytes(gzip.compress(body))
        else:
            (place / f"{number:03}.html").write_bytes(body)
    (pages / "picture.svg").write_text("<svg/>")
    return pages


def with_canonical(page: RawPage) -> bytes:
    """The page's URL is known from its canonical link only."""
    assert isinstance(page.body, bytes)
    if b'rel="canonical"' in page.body:
        return page.body
    link = f'<link rel="canonical" href="{page.url}">'.encode()
    return page.body.replace(b"</head>", link + b"</head>", 1)


@pytest.mark.slow
def test_listed_urls(tmp_path: Path, warc: Path, done: Path) -> None:
    wanted = articles(done)[3]["url"]
    run(tmp_path, warc, urls=(wanted, f"{HOST}/nowhere"))
    assert [one["url"] for one in articles(tmp_path)] == [wanted]
    assert content(tmp_path)[0]["xpath"] == articles(done)[3]["xpath"]
    assert lines(tmp_path / "errors.jsonl") == [
        {"url": f"{HOST}/nowhere", "source": "", "reason": "not_found"}
    ]


@pytest.mark.parametrize("address", ["https://www.a.example/1/?utm_source=rss#top", "{url}"])
def test_listed_urls_are_those_that_saved_files_declare(tmp_path: Path, address: str) -> None:
    """However they are written."""
    url = "http://a.example/1"
    for number in (1, 2):
        link = f'<link rel="canonical" href="http://a.example/{number}">'
        text = f"<h1>Boats {number}</h1><p>" + f"The {number} boats are in the sea. " * 9
        place = tmp_path / "in" / f"{number}.html"
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"<html><head>{link}</head><body>{text}</body></html>")
    run(tmp_path, tmp_path / "in", urls=(address.format(url=url),), are_articles=True)
    assert [article["url"] for article in articles(tmp_path)] == [url]
    assert lines(tmp_path / "errors.jsonl") == []


@pytest.mark.slow
def test_damaged_inputs(tmp_path: Path, warc: Path, done: Path) -> None:
    """The pages before the damage are extracted, and all other files."""
    (tmp_path / "in").mkdir()
    cut = tmp_path / "in" / "b.warc.gz"
    cut.write_bytes(warc.read_bytes()[:-3000])
    (tmp_path / "in" / "a.jsonl").write_text('{"url": 3}\nnot JSON\n{"url": "http://a.example/"}\n')
    (tmp_path / "in" / "c.zip").write_bytes(b"PK no zip")
    (tmp_path / "in" / "d.html.gz").write_bytes(gzip.compress(b"<p>a" * 9000)[:-20])
    batch = run(tmp_path, tmp_path / "in")
    assert batch.counts["articles"] >= 25
    sources = [one["source"].rpartition("/")[2] for one in lines(tmp_path / "errors.jsonl")]
    for name in ("a.jsonl:1", "a.jsonl:2", "c.zip", "d.html.gz"):
        assert name in sources


def test_a_missing_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file or folder"):
        run(tmp_path, tmp_path / "nowhere")


MOST = 10_000
GOOD = b'{"url": "http://a.example/", "html": "<p>Boats"}'
#: Lines that are no page, and why; each costs only itself.
BAD_LINES = {
    "depth": (b"[" * 2000, "RecursionError"),
    "depth_of_objects": (b'{"a":' * 10_000, "RecursionError"),
    "infinite_status": (b'{"url": "http://a.example/", "html": "a", "status": 1e999}', "status"),
    "no_number": (b'{"url": "http://a.example/", "html": "a", "status": NaN}', "status"),
    "huge_number": (b'{"url": "http://a.example/", "status": ' + b"9" * 5000 + b"}", "4300"),
    "large_number": (b'{"url": "a:b", "html": "a", "status": ' + b"9" * 4000 + b"}", "status"),
    "negative_status": (b'{"url": "a:b", "html": "a", "status": -1}', "status"),
    "list_of_status": (b'{"url": "a:b", "html": "a", "status": [1]}', "status"),
    "body_is_a_list": (b'{"url": "http://a.example/", "body": ["<p>"]}', "both text"),
    "url_is_a_number": (b'{"url": 5, "body": "<p>"}', "both text"),
    "no_object": (b'"http://a.example/"', "not an object"),
    "not_utf_8": (b'{"url": "http://a.example/", "html": "\xe9"}', "UnicodeDecodeError"),
    "nul": (b'{"url": "http://a.example/", "html": "\x00"}', "control character"),
    "cut": (GOOD[:-1], "JSONDecodeError"),
    "two": (GOOD + GOOD, "Extra data"),
    "too_long": (b'{"url": "' + b"a" * 9 * MOST + b'"}', "more than 80,000 bytes"),
}


def read_bytes(folder: Path, name: str, data: bytes) -> list[RawPage]:
    (folder / name).write_bytes(data)
    inputs = Inputs([str(folder / name)], MOST)
    pages = list(inputs)
    assert list(inputs) == pages
    return pages


@pytest.mark.parametrize("name", BAD_LINES)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_bad_lines(tmp_path: Path, name: str, line_end: bytes) -> None:
    line, reason = BAD_LINES[name]
    data = b"\xef\xbb\xbf" + line_end.join((GOOD, line, b"", GOOD))
    for ending, packed in (("", data), (".gz", gzip.compress(data))):
        first, bad, last = read_bytes(tmp_path, f"a.jsonl{ending}", packed)
        assert (first.url, last.url) == ("http://a.example/", "http://a.example/")
        assert not first.error and not last.error
        assert reason in bad.error and bad.source == f"{tmp_path}/a.jsonl:2"


@pytest.mark.slow
def test_long_lines_and_bombs_of_lines_cost_only_themselves(tmp_path: Path) -> None:
    """A line of 200 MB that takes no place on the disk; 280 MB of lines in a small gzip file."""
    with (tmp_path / "a.jsonl").open("wb") as file:
        file.write(GOOD + b"\n{")
        file.seek(2 * 10**8, 1)
        file.write(b"\n" + GOOD)
    pages = list(Inputs([str(tmp_path)], MOST))
    assert [page.error for page in pages] == ["", "the line has more than 80,000 bytes", ""]
    (tmp_path / "a.jsonl").unlink()
    packed = gzip.compress(GOOD + b"\n" + (b" " * 9999 + b"\n") * 28_000, 6)
    with ZipFile(tmp_path / "a.zip", "w", ZIP_DEFLATED) as archive:
        archive.writestr("1.jsonl.gz", packed)
        archive.writestr("2.html", PAGE)
    good, bomb, last = Inputs([str(tmp_path)], MOST)
    assert not good.error and "expand" in bomb.error and last.body == PAGE.encode()


@pytest.mark.parametrize(
    ("value", "when"),
    [
        ('"2030-01-01T00:00:00+00:00"', "2030-01-01T00:00:00+00:00"),
        ('"soon"', ""),
        ("null", ""),
        ("1e999", ""),
        ("[1]", ""),
    ],
)
def test_times_of_lines(tmp_path: Path, value: str, when: str) -> None:
    line = GOOD.decode().replace("}", f', "fetched_at": {value}}}')
    (page,) = read_bytes(tmp_path, "a.jsonl", line.encode())
    assert (page.fetched_at, page.error) == (when, "")


def test_lines_in_utf_16(tmp_path: Path) -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        (page,) = read_bytes(tmp_path, "a.jsonl", f"{GOOD.decode()}\n".encode(encoding) * 99)
        assert "not in UTF-8" in page.error


@pytest.mark.parametrize("line", [bytes(300), GOOD.decode().encode("utf-16")], ids=["NULs", "wide"])
def test_a_first_line_that_is_not_in_utf_8(tmp_path: Path, line: bytes) -> None:
    bad, good = read_bytes(tmp_path, "a.jsonl", line.replace(b"\n", b"") + b"\n" + GOOD)
    assert bad.error and bad.source == f"{tmp_path}/a.jsonl:1"
    assert good.url == "http://a.example/" and not good.error


@pytest.mark.parametrize(
    ("start", "ending"),
    [(b"WARC/1.0\r\nWARC-Type: response\r\n", ".warc"), (gzip.compress(GOOD), ".gz")],
    ids=["warc", "gzip"],
)
def test_files_with_a_wrong_ending_are_named_once(
    tmp_path: Path, start: bytes, ending: str
) -> None:
    (bad,) = read_bytes(tmp_path, "a.jsonl", start + b"\nno JSON" * 20)
    assert f"needs the ending {ending}" in bad.error


@given(st.lists(st.binary(max_size=50), max_size=5))
def test_any_lines(tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("lines")
    kept = [part.replace(b"\n", b"") for part in parts]
    pages = read_bytes(folder, "a.jsonl", b"\n".join([GOOD, *kept, GOOD]))
    assert not pages[0].error and not pages[-1].error


PAGE = "<p>Boats are in the sea."
#: Entries that are no page, and why.
BAD_ENTRIES = {
    "encrypted": "encrypted",
    "method": "compression",
    "checksum": "CRC",
    "link": "a link",
    "nested": "an archive in an archive",
    "lzma": "",
}


def write_odd_zip(name: str) -> bytes:
    """Three entries, of which the one in the middle is odd."""
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("1.html", PAGE)
        odd = ZipInfo("2.zip" if name == "nested" else "2.html", (2030, 1, 1, 0, 0, 0))
        if name == "link":
            odd.external_attr = 0o120777 << 16
        archive.writestr(odd, PAGE, ZIP_LZMA if name == "lzma" else None)
        archive.writestr("3.html", PAGE)
    data = bytearray(file.getvalue())
    entry = data.index(b"PK\1\2", data.index(b"PK\1\2") + 1)  # in the central directory
    local = data.index(b"PK\3\4", 9)
    if name == "encrypted":
        data[entry + 8] |= 1
        data[local + 6] |= 1
    elif name == "method":
        data[entry + 10] = data[local + 8] = 99
    elif name == "checksum":
        data[entry + 16] ^= 1
        data[local + 14] ^= 1
    elif name == "lzma":
        start = local + 30 + len("2.html") + 9
        data[start : start + 4] = b"\xff" * 4
    elif name == "date":
        data[entry + 12 : entry + 16] = bytes(4)
    return bytes(data)


@pytest.mark.parametrize("name", BAD_ENTRIES)
def test_odd_entries_of_a_zip_file(tmp_path: Path, name: str) -> None:
    first, odd, last = read_bytes(tmp_path, "a.zip", write_odd_zip(name))
    assert first.body == last.body == PAGE.encode()
    assert BAD_ENTRIES[name] in odd.error and odd.error
    assert odd.source.startswith(f"{tmp_path}/a.zip/2.")


def test_an_entry_without_a_date_is_read(tmp_path: Path) -> None:
    pages = read_bytes(tmp_path, "a.zip", write_odd_zip("date"))
    assert [page.body for page in pages] == [PAGE.encode()] * 3
    assert [bool(page.fetched_at) for page in pages] == [True, False, True]


def test_odd_names_in_a_zip_file(tmp_path: Path) -> None:
    """Names are only read: nothing is written."""
    names = ["../../up.html", "/absolute.html", "same.html", "same.html", "é\u202e.html"]
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_BZIP2) as archive, pytest.warns(UserWarning, match="Duplicate"):
        for name in names:
            archive.writestr(name, PAGE)
        archive.writestr("long.html", "<p>" * MOST)
        archive.writestr("text.css", "p {}")
    pages = read_bytes(tmp_path, "a.zip", file.getvalue())
    assert [page.body for page in pages if page.body == PAGE.encode()] == [PAGE.encode()] * 5
    assert sorted(len(page.body) for page in pages)[-1] == MOST + 1
    assert [*tmp_path.iterdir()] == [tmp_path / "a.zip"]


def test_a_name_in_a_zip_file_that_is_not_utf_8(tmp_path: Path) -> None:
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        for name in ("1.html", "2é.html", "3.html"):
            archive.writestr(name, PAGE)
    data = file.getvalue().replace("2é".encode(), b"2\xff\xff")
    pages = read_bytes(tmp_path, "a.zip", data)
    assert [page.body for page in pages] == [PAGE.encode(), b"", PAGE.encode()]
    assert "UnicodeDecodeError" in pages[1].error


@pytest.mark.parametrize("missing", [1, 30, 150])
def test_a_cut_zip_file(tmp_path: Path, missing: int) -> None:
    (page,) = read_bytes(tmp_path, "a.zip", write_odd_zip("")[:-missing])
    assert page.error and page.source == f"{tmp_path}/a.zip"


def test_empty_files_are_named(tmp_path: Path) -> None:
    for name in ("a.html", "a.jsonl.gz", "a.warc.gz", "a.zip", "a.gz"):
        (page,) = read_bytes(tmp_path, name, b"")
        assert (page.error, page.source) == ("empty", f"{tmp_path}/{name}")


def test_files_that_change_while_they_are_read(tmp_path: Path) -> None:
    """The number of pages of each file stays the same."""
    for name in ("a.jsonl", "b.jsonl", "c.jsonl"):
        (tmp_path / name).write_bytes(GOOD + b"\n" + GOOD)
    inputs = Inputs([str(tmp_path)], MOST)
    assert [page.error for page in inputs] == [""] * 6
    (tmp_path / "a.jsonl").unlink()
    (tmp_path / "b.jsonl").write_bytes(GOOD)
    (tmp_path / "c.jsonl").write_bytes(GOOD * 3 + b"\n" + GOOD + b"\n" + GOOD)
    (tmp_path / "d.jsonl").write_bytes(GOOD)
    pages = list(inputs)
    assert len(pages) == 6
    assert "FileNotFoundError" in pages[0].error and "removed" in pages[1].error
    assert not pages[2].error and "changed" in pages[3].error
    assert len(inputs.describe()) == 3


def test_bad_inputs_are_lines_of_the_errors_file(tmp_path: Path, done: Path, warc: Path) -> None:
    """They are counted too, also if only some URLs are wanted; the output in the folder is not
    read."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.warc.gz").write_bytes(warc.read_bytes()[:-9])
    (folder / "b.jsonl").write_bytes(
        b"".join(
            b'{"url": "%b", "html": "<p>a"}\n' % one
            for one in (b"http://[x/", b"http://\\ud800.example/", b"http://a.example/" * 5000)
        )
    )
    (folder / "c.html").symlink_to(folder / "nowhere")
    (folder / os.fsdecode(b"\xff.html")).write_bytes(b"")
    for urls in ((), (articles(done)[3]["url"],)):
        batch = run(folder, folder, urls=urls)
        found = {one["source"].rpartition("/")[2]: one for one in lines(folder / "errors.jsonl")}
        expected = {"c.html": "the link leads nowhere", "\\xff.html": "empty"}
        assert {name: found[name]["reason"] for name in expected} == expected
        assert sum("@" in name and "cut" in one["reason"] for name, one in found.items()) == 1
        assert batch.counts["unreadable"] == 2 and batch.counts["empty"] == 1
        if not urls:
            assert batch.counts["bad_url"] == 3


def test_outputs_of_earlier_runs_are_no_pages(tmp_path: Path, done: Path) -> None:
    """They come before the folders beside them, and have the same URLs."""
    (tmp_path / "a.jsonl").write_bytes((done / "articles.jsonl").read_bytes())
    pages = list(Inputs([str(tmp_path)], 1000))
    assert {page.error for page in pages} == {
        "ValueError: the line is an article of an output, not a page"
    }


def lines_of(*numbers: int) -> bytes:
    rows = ({"url": f"http://a.example/{n}", "html": f"<p>{n}</p>"} for n in numbers)
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_lines_in_another_order_are_named(tmp_path: Path) -> None:
    """Those that are at their place are read."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines_of(1, 2, 3, 4))
    inputs = Inputs([str(path)], MOST)
    assert len(list(inputs)) == 4
    assert inputs.changed == []
    path.write_bytes(lines_of(1, 3, 2, 4))
    pages = list(inputs)
    assert [page.url[-1] for page in pages if not page.error] == ["1", "4"]
    assert all("changed or removed" in page.error for page in pages[1:3])
    assert inputs.changed == [str(path)]


def test_a_file_that_was_only_touched_is_named_and_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines_of(1, 2))
    inputs = Inputs([str(path)], MOST)
    list(inputs)
    os.utime(path, (1, 1))
    assert [page.error for page in inputs] == ["", ""]
    assert inputs.changed == [str(path)]


def test_an_iteration_that_was_not_ended_changes_nothing(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(lines_of(1, 2, 3))
    inputs = Inputs([str(tmp_path)], MOST)
    next(iter(inputs))
    assert len(list(inputs)) == 6
    (tmp_path / "b.jsonl").write_bytes(lines_of(1, 3, 2))
    assert [bool(page.error) for page in inputs] == [False] * 4 + [True] * 2


def test_a_line_of_many_values_is_damaged() -> None:
    """Each value takes fifty times the memory of its text."""
    many = b'{"url": "http://a.example/", "x": [' + b"[]," * 200_000 + b"[]]}"
    page = read_json_line(many, "a.jsonl:1")
    assert "more than 100,000 values" in page.error


def test_commas_and_brackets_of_a_text_are_no_values() -> None:
    text = ",[{ " * 200_000
    line = json.dumps({"url": "http://a.example/", "html": text}).encode()
    assert read_json_line(line, "a.jsonl:1").body == text


@pytest.mark.parametrize(
    ("start", "ending"),
    [
        (b"WARC/1.0\r\nWARC-Type: response\r\n", ".warc"),
        (b"From: <Saved by Blink>\r\nDate: a\r\n b\r\nMIME-Version: 1.0\r\n\r\n", ".mhtml"),
        (b'\xef\xbb\xbf{\n  "log": {"version": "1.2", "entries": []}}', ".har"),
    ],
    ids=["warc", "mhtml", "har"],
)
def test_an_archive_that_is_named_as_a_page_is_no_page(
    tmp_path: Path, start: bytes, ending: str
) -> None:
    (bad,) = read_bytes(tmp_path, "a.html", start + b"<html><p>Boats</html>")
    assert f"needs the ending {ending}" in bad.error


def test_pages_that_browsers_saved_are_read(tmp_path: Path) -> None:
    """Also compressed, and in zip files; the time is that of the file if it tells none."""
    saved = (
        b"MIME-Version: 1.0\nContent-Type: text/html\nContent-Location: http://a.example/1\n\n<p>A"
    )
    content = {"mimeType": "text/html", "text": "<p>B"}
    recorded = {
        "request": {"url": "http://a.example/2"},
        "response": {"status": 200, "content": content},
    }
    har = json.dumps({"log": {"entries": [recorded]}}).encode()
    with ZipFile(tmp_path / "pages.zip", "w") as archive:
        archive.writestr("a.mht", saved)
        archive.writestr("b.har", har)
    for name, data in (("a.mhtml.gz", gzip.compress(saved)), ("b.har", har)):
        (tmp_path / name).write_bytes(data)
    pages = list(Inputs([str(tmp_path)], 1000))
    assert [page.error for page in pages] == [""] * 4
    assert (
        sorted(page.url for page in pages)
        == ["http://a.example/1"] * 2 + ["http://a.example/2"] * 2
    )
    assert all(page.fetched_at for page in pages if page.url.endswith("1"))


def test_an_empty_file_of_json_lines_has_no_page(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is a list without lines; an empty file of HTML is a page that cannot be used."""
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "empty.html").touch()
    inputs = Inputs([str(tmp_path)], 1000)
    for _ in range(2):
        pages = list(inputs)
        assert [page.error for page in pages] == ["empty"]
    assert "empty.jsonl is empty: there are no pages in it" in caplog.text
