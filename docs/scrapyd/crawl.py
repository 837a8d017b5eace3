"""Crawl a list of feeds in parts on machines that run scrapyd, and wait for the end.

    python crawl.py FEEDS_FILE PARTS DAEMON... [-a NAME=VALUE]...

FEEDS_FILE: a path that all machines have; DAEMON: such as http://machine-1:6800; ``-a``: further
arguments of the spider, such as ``-a only_new=yes``.
"""

import argparse
import json
import time
from urllib.parse import urlencode
from urllib.request import urlopen

PROJECT, SPIDER = "news", "feeds"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("feeds_file")
    parser.add_argument("parts", type=int)
    parser.add_argument("daemons", nargs="+", metavar="daemon")
    parser.add_argument("-a", dest="arguments", action="append", default=[])
    options = parser.parse_args()
    given = dict(one.split("=", 1) for one in options.arguments)
    given["feeds_file"] = options.feeds_file
    jobs = []
    for part in range(1, options.parts + 1):
        daemon = options.daemons[part % len(options.daemons)]
        job = schedule(daemon, **given, shard=f"{part}/{options.parts}")
        print(f"part {part}/{options.parts}: job {job} on {daemon}", flush=True)
        jobs.append((daemon, job))
    while not all(has_ended(*job) for job in jobs):
        time.sleep(1)


def schedule(daemon: str, **arguments: str) -> str:
    """The id of a new job."""
    values = {"project": PROJECT, "spider": SPIDER, **arguments}
    return str(request(f"{daemon}/schedule.json", urlencode(values).encode())["jobid"])


def has_ended(daemon: str, job: str) -> bool:
    query = urlencode({"project": PROJECT, "job": job})
    return request(f"{daemon}/status.json?{query}")["currstate"] == "finished"


def request(url: str, body: bytes | None = None) -> dict[str, str]:
    """The answer of a daemon, of which POST requests have a body."""
    with urlopen(url, body, timeout=60) as response:
        answer: dict[str, str] = json.load(response)
    if answer["status"] != "ok":
        raise SystemExit(f"{url}: {answer.get('message')}")
    return answer


if __name__ == "__main__":
    main()
