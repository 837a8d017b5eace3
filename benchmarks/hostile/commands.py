"""``python -m benchmarks.hostile.commands WAY URL NAME FOLDER``: a command that fetches a hostile
answer; prints what it took as JSON.

- ``why``: ``scrapy forest why`` of the answer.
- ``edit``: ``scrapy forest report`` of it and the stories; ``scrapy forest edit`` fetches pages in
  the same way, and then waits for a person.
- ``refresh``: ``forest-scrapy refresh`` after a crawl that has kept the stories and the answer; it
  reads those again that became articles.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from urllib.parse import urlsplit

from benchmarks.hostile.command_run import run_command_line
from benchmarks.hostile.server import STORIES

#: What a command says of an answer that it does not use.
_REASON = re.compile(r"too much time or memory|larger than|is not HTML|is empty|cannot be fetched")


def main(way: str, url: str, name: str, folder: str) -> None:
    """Run the command, and print what it took."""
    options = [
        *("-s", 'ADDONS={"forest_scrapy.Addon": 500}'),
        *("-s", "DOWNLOAD_TIMEOUT=20"),
        *("-s", f"FOREST_STORE={folder}/wrappers.db"),
        *("-s", f"FOREST_HISTORY={folder}/h.db"),
    ]
    level = "CRITICAL"
    if way == "refresh":
        options += ["-s", f"FOREST_WARC={folder}/kept"]
        crawl = ["crawl", "feeds", "-a", f"feeds={url}/feed/{name}", "-a", "only_new=yes"]
        program = "from forest_scrapy.commands.main import main; main()"
        subprocess.run(
            [sys.executable, "-c", program, *crawl, *options],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        arguments = ["refresh", urlsplit(url).netloc, "-O", f"{folder}/o.jsonl"]
        level = "WARNING"
    elif way == "edit":
        stories = [f"{url}/story/{number}" for number in range(STORIES)]
        arguments = ["forest", "report", *stories, f"{url}/{name}", "-o", f"{folder}/report"]
    else:
        arguments = ["forest", "why", f"{url}/{name}"]

    run = run_command_line([*arguments, *options, "-L", level], folder)
    stats = {}
    reason = _REASON.search(run.messages)
    if reason:
        words = reason[0].replace(" ", "_")
        stats[f"refused/{words}"] = 1
    result = {
        **run.usage,
        "gap": 0.0,
        "stories": STORIES,
        "leaked": False,
        "stats": stats,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
