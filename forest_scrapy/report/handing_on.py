"""Telling a person what needs one: ``FOREST_ON_TROUBLE`` gets digests until it has taken them.

A digest that the command or the URL has not taken is kept in a folder beside the digest's file, and
handed on at the end of the next crawl, whatever that finds.
"""

import json
import logging
import os
import re
import shlex
import subprocess
from http.client import HTTPException
from pathlib import Path
from urllib.request import Request, urlopen

from forest_scrapy.core.codec import to_json
from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.health.digest import Digest
from forest_scrapy.input_files import read_bytes
from forest_scrapy.output_files import locked, replacing

logger = logging.getLogger(__name__)

#: Seconds that the command may take, or the answer to a request.
HAND_ON_TIMEOUT = 60
#: Digests that are kept, the latest; those before them are lost if nothing takes them.
MAX_WAITING = 20
#: Seconds to wait for another crawl that hands its digest on at the same moment.
_LOCK_TIMEOUT = 5.0
#: Names of files of digests: numbers in the order in which they were kept, and of processes.
_NAME = re.compile(r"\d{9,18}-\d+\.json")


def hand_on(
    digest: Digest | None,
    target: str,
    folder: Path,
) -> None:
    """Hand on the digests that wait in a folder, the oldest first, and then this one.

    A failure is logged and ends it: what was not taken waits in the folder for the next call.
    """
    may_go_on = True
    if waiting_digests(folder):
        may_go_on = _hand_on_waiting(target, folder)
    if digest is None:
        return
    body = _pack(digest)
    if may_go_on and _is_taken(body, target):
        return
    try:
        _keep(body, folder)
    except OSError as error:
        logger.error("The digest cannot be kept for the next crawl: %s", error)


def waiting_digests(folder: Path) -> list[Path]:
    """The files of the digests that wait to be handed on, the oldest first."""
    try:
        names = []
        for path in folder.iterdir():
            if _NAME.fullmatch(path.name):
                names.append(path)
    except OSError:  # there is no such folder
        return []
    return sorted(names)


def _hand_on_waiting(target: str, folder: Path) -> bool:
    """Whether all digests that wait were taken.  Not if another crawl hands them on just now."""
    try:
        with locked(folder, _LOCK_TIMEOUT):
            for path in waiting_digests(folder):
                if not _is_taken(read_bytes(path), target):
                    return False
                path.unlink()
    except (OSError, ForestError) as error:
        logger.error("Digests that wait in %s cannot be handed on: %s", folder, error)
        return False
    return True


def _pack(digest: Digest) -> bytes:
    text = json.dumps(to_json(digest, whole=True))
    return text.encode("utf-8", "replace")


def _keep(body: bytes, folder: Path) -> None:
    """Keep a digest for the next crawl; beyond ``MAX_WAITING`` the oldest ones are removed.  Raises
    ``OSError``."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = [int(path.stem.partition("-")[0]) for path in waiting_digests(folder)]
    number = max(numbers, default=0) + 1
    # With the number of the process: another crawl may keep its digest at the same moment.
    with replacing(folder / f"{number:09}-{os.getpid()}.json") as file:
        file.write(body)

    for path in waiting_digests(folder)[:-MAX_WAITING]:
        path.unlink(missing_ok=True)
        logger.error("More than %d digests wait: the oldest one is given up", MAX_WAITING)


def _is_taken(body: bytes, target: str) -> bool:
    """Post a digest to a URL, or run a command with it as standard input; whether that was done.
    A failure is logged."""
    try:
        if target.startswith(("http://", "https://")):
            headers = {"Content-Type": "application/json"}
            request = Request(target, body, headers)
            urlopen(request, timeout=HAND_ON_TIMEOUT).close()
        else:
            subprocess.run(
                shlex.split(target),
                input=body,
                timeout=HAND_ON_TIMEOUT,
                check=True,
            )
    except (OSError, HTTPException, ValueError, subprocess.SubprocessError) as error:
        logger.error(
            "FOREST_ON_TROUBLE = %r has failed: %s; the next crawl calls it again", target, error
        )
        return False
    return True
