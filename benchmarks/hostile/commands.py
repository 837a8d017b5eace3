"""``python -m benchmarks.hostile.commands WAY URL NAME FOLDER``: a command that fetches a hostile
answer; prints what it took as JSON.

- ``why``: ``scrapy forest why`` of the answer.
- ``edit``: ``scrapy forest report`` of it and the stories; ``scrapy forest edit`` fetches pages in
  the same way, and then waits for a person.
- ``refresh``: ``forest-scrapy refresh`` after a crawl that has kept the stories and the answer; it
  reads those again that became articles.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from urllib.parse import urlsplit

from benchmarks.hostile.crawl import usage
from benchmarks.hostile.server import STORIES
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
        crawl = ["crawl", "feeds", "-a", f"feeds={url}/feed/{name}", "-a", "only_new=yes", *options]
        program = "from forest_scrapy.commands.main import main; main()"
        subprocess.run(
            [sys.executable, "-c", program, *crawl],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        arguments = ["refresh", urlsplit(url).netloc, "-O", f"{folder}/o.jsonl"]
    elif way == "edit":
        arguments = ["forest", "report", *stories, f"{url}/{name}", "-o", f"{folder}/report"]
    else:
        arguments = ["forest", "why", f"{url}/{name}"]
    level = "WARNING" if way == "refresh" else "CRITICAL"
    before = usage()["seconds"]
    os.chdir(folder)  # outside of a project
    errors = io.StringIO()
    status: object = 0
    stream, sys.stderr = sys.stderr, errors
    try:
        with redirect_stdout(io.StringIO()):
            sys.argv = ["forest-scrapy", *arguments, *options, "-L", level]
            run()
    except SystemExit as end:
        status = end.code
    finally:
        sys.stderr = stream
    output = errors.getvalue()
    if status not in (0, 1, None) or "Traceback" in output:
        raise SystemExit(output)
    reason = _REASON.search(output)
    stats = {f"refused/{reason[0].replace(' ', '_')}": 1} if reason else {}
    took = usage()
    took["seconds"] -= before
    result = {**took, "gap": 0.0, "stories": STORIES, "leaked": False, "stats": stats}
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
