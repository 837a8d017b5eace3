"""The recipe for Common Crawl of docs/scale.md, as it stands there, with a small crawl."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.batch.helpers import HOST, HTML, demo_pages, warc_record

from .helpers import ROOT, environment

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

PAGE = (ROOT / "docs/scale.md").read_text("utf-8")
RECIPE = PAGE.partition("## Common Crawl")[2].partition("\n## ")[0]
HOST_NAME = urlsplit(HOST).hostname or ""
WARC_NAME = "crawl-data/CC-MAIN-2026-43/segments/1/warc/{}.warc.gz"


class SmallCrawl:
    """Two WARC files, the list of their paths, and the index; another host is in the files, too."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.index: dict[str, list[str]] = {}
        self.ranges: list[str] = []
        names = [WARC_NAME.format(number) for number in range(2)]
        bodies = [b"", b""]
        other = "<h1>Elsewhere</h1>" + "<p>Nothing about boats is told here.</p>" * 9
        pages = [(page.url, page.body) for page in demo_pages()]
        pages.append(("https://other.example/story", other.encode()))
        for number, (url, body) in enumerate(pages):
            assert isinstance(body, bytes)
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {HTML}"
            member = gzip.compress(warc_record(url, head, body))
            file = number % 2
            line = {
                "url": url,
                "status": "200",
                "filename": names[file],
                "offset": str(len(bodies[file])),
                "length": str(len(member)),
            }
            bodies[file] += member
            host = urlsplit(url).hostname or ""
            self.index.setdefault(host, []).append(json.dumps(line))
        for name, content in zip(names, bodies, strict=True):
            self.files[f"/{name}"] = content
        paths = "".join(f"{name}\n" for name in names)
        self.files["/crawl-data/CC-MAIN-2026-43/warc.paths.gz"] = gzip.compress(paths.encode())

    def answer(self, target: str, span: str | None) -> tuple[int, bytes]:
        parts = urlsplit(target)
        if parts.path == "/CC-MAIN-2026-43-index":
            query = parse_qs(parts.query)
            assert (query["output"], query["filter"]) == (["json"], ["status:200"])
            lines = self.index.get(query["url"][0].removesuffix("/*"), [])
            return (200, "".join(f"{line}\n" for line in lines).encode()) if lines else (404, b"")
        content = self.files.get(parts.path)
        if content is None:
            return 404, b""
        if span is None:
            return 200, content
        self.ranges.append(span)
        first, last = map(int, span.removeprefix("bytes=").split("-"))
        return 206, content[first : last + 1]


@pytest.fixture
def served() -> Iterator[tuple[SmallCrawl, str]]:
    crawl = SmallCrawl()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, content = crawl.answer(self.path, self.headers["Range"])
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield crawl, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_recipe(served: tuple[SmallCrawl, str], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    crawl, url = served
    recipe = re.sub(r"https://(?:index|data)\.commoncrawl\.org", url, RECIPE)
    (ranges,) = re.findall(r"```python\n(.*?)```", recipe, re.DOTALL)
    of_hosts, of_files = re.findall(r"```sh\n(.*?)```", recipe, re.DOTALL)
    (tmp_path / "ranges.py").write_text(ranges)
    (tmp_path / "hosts.txt").write_text(f"{HOST_NAME}\nunknown.example\n")
    programs = str(Path(sys.executable).parent)
    variables = environment()
    variables["PATH"] = f"{programs}:{variables['PATH']}"
    for script in (of_hosts, of_files):
        done = subprocess.run(
            ["/bin/sh", "-c", script],
            cwd=tmp_path,
            env=variables,
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert done.returncode == 0, done.stderr
    articles = parquet.read_table(tmp_path / "articles.parquet").to_pylist()
    assert len(articles) == 30
    assert len(crawl.ranges) == len(demo_pages())
    more = parquet.read_table(tmp_path / "more.parquet").to_pylist()
    assert {urlsplit(article["url"]).hostname for article in more} == {HOST_NAME}
    texts = {article["url"]: article["text"] for article in more}
    assert all(texts[article["url"]] == article["text"] for article in articles)
