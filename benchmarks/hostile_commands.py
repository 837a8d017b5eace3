"""``python -m benchmarks.hostile_commands WAY URL NAME FOLDER``: a command that fetches a hostile
answer; prints what it took as JSON.

- ``why``: ``scrapy forest why`` of the answer.
- ``edit``: ``scrapy forest report`` of it and the stories; ``scrapy forest edit`` fetches pages in
  the same way, and then waits for a person.
- ``refresh``: ``forest-scrapy refresh`` of the stories of an archive that has
  it as the last response of one of them.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from contextlib import closing, redirect_stdout
from pathlib import Path
from http.client import HTTPException
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from benchmarks.hostile_crawl import usage
from benchmarks.hostile_server import STORIES
from forest_scrapy.archive.page_archive import KeptResponse, PageArchive
from forest_scrapy.commands.main import main as run

#: What a command says of an answer that it does not use.
_REASON = re.compile(r"too much time or memory|larger than|is not HTML|is empty|cannot be fetched")


def main(way: str, url: str, name: str, folder: str) -> None:
    """Run the command, and print what it took."""
    stories = [f"{url}/story/{number}" for number in range(STORIES)]
    options = ["-s", 'ADDONS={"forest_scrapy.Addon": 500}', "-s", "DOWNLOAD_TIMEOUT=20"]
    options += ["-s", f"FOREST_STORE={folder}/wrappers.db", "-s", f"FOREST_HISTORY={folder}/h.db"]
    if way == "refresh":
        options += ["-s", f"FOREST_WARC={folder}/kept"]
        crawl = ["crawl", "feeds", "-a", f"feeds={url}/feed/", "-a", "only_new=yes", *options]
        program = "from forest_scrapy.commands.main import main; main()"
        subprocess.run(
            [sys.executable, "-c", program, *crawl], cwd=folder, check=True, capture_output=True
        )
        _keep(stories[0], f"{url}/{name}", Path(folder, "kept"))
        arguments = ["refresh", urlsplit(url).netloc, "-O", f"{folder}/o.jsonl"]
    before = usage()["seconds"]
    elif way == "edit":
        arguments = ["report", *stories, f"{url}/{name}", "-o", f"{folder}/report"]
    else:
        arguments = ["why", f"{url}/{name}"]
    os.chdir(folder)  # outside of a project
    errors = io.StringIO()
    stream, sys.stderr = sys.stderr, errors
    try:
        with redirect_stdout(io.StringIO()):
            sys.argv = ["forest-scrapy", *arguments, *options, "-L", "CRITICAL"]
            run()
    except SystemExit:
        pass
    finally:
        sys.stderr = stream
    said = errors.getvalue()
    if "Traceback" in said:
        raise SystemExit(said)
    reason = _REASON.search(said)
    stats = {f"refused/{reason[0].replace(' ', '_')}": 1} if reason else {}
    took = usage()
    took["seconds"] -= before
    result = {**took, "gap": 0.0, "stories": STORIES, "leaked": False, "stats": stats}
    print(json.dumps(result))


def _keep(url: str, place: str, folder: Path) -> None:
    """Keep what is answered at a place as the last response of a URL."""
    try:
        with urlopen(place, timeout=20) as response:
            body = response.read()
            headers = tuple(response.headers.items())
    except (URLError, HTTPException, ValueError, OSError):
        return  # a crawl would not keep it either
    with closing(PageArchive(folder)) as archive:
        archive.add(KeptResponse(url, 200, headers, body), "2100-01-01T00:00:00Z")


if __name__ == "__main__":
    main(*sys.argv[1:])
