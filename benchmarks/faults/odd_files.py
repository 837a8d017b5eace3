"""Commands that find something odd in the place of a file that they read or write: a folder, a
named pipe, a device, a loop of links, a link that leads nowhere, a file that may not be read.

A command must end in time, without a traceback, and with an exit status other than 0 and a message
that names the file, or else go on without it: with a warning that names it, or unaffected.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from benchmarks.faults.extracts import Result, demo_pages, write_file
from benchmarks.faults.inputs import write_lines
from benchmarks.faults.jobs import ROOT
from benchmarks.forms.sites import TableSite, layouts, make_rows, serve_table
from demo import DemoServer

Fault = Callable[[Path], list[Result]]
#: Seconds that a command may take, and bytes of memory that it may use.
LIMIT = 60.0
MEMORY = 4 << 30
#: Capabilities by which root may read and write all files.
_CAPABILITIES = (1, 2)
_DROP = 24
#: The name of a device that gives NULs for ever.
_DEVICE = "zero"
_VICTIM = b"a file of somebody else\n"


def _make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def _make_unreadable(path: Path) -> None:
    path.write_bytes(b"secret")
    path.chmod(0)


def _make_folder(path: Path) -> None:
    path.mkdir()
    (path / "file").touch()


def _make_device(path: Path) -> None:
    """A link to a device; for root to one of its own, since what root replaces is gone."""
    device = path.parent / _DEVICE
    if os.getuid() == 0:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    else:
        device.symlink_to("/dev/zero")
    path.symlink_to(device.absolute())


def _is_device(path: Path) -> bool:
    return stat.S_ISCHR(path.stat().st_mode)


#: What stands in the place of a file.
KINDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "folder": _make_folder,
    "loop of links": _make_loop,
    "link to nowhere": lambda path: path.symlink_to("nowhere/at/all"),
    "device": _make_device,
    "unreadable": _make_unreadable,
}


@dataclass(frozen=True)
class Command:
    """A command, what must be run before it, and the files that are replaced, as patterns of paths
    in its folder; those that end in ``!`` are made if they are not there, and begin with what they
    belong to.

    ``writes``: files that are temporary, for which a link to a file of somebody else must not be
    followed.
    """

    name: str
    arguments: tuple[str, ...]
    files: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()
    writes: tuple[str, ...] = field(default=())


_FOREST = ("scrapy", "forest")
_CRAWL = ("scrapy", "crawl", "feeds", "-a", "feeds={feed}", "-a", "only_new=yes")
_EXPORTS = ("-o", "out.jsonl", "-o", "out.rss", "-o", "out.nt", "-o", "out.sqlite")
_FORM = ("scrapy", "crawl", "form", "-a", "url={form}", "-a", "probes=9", "-o", "out.jsonl")
_EXTRACT = ("scrapy", "forest", "extract", "pages.jsonl", "-o", "out.jsonl")
#: Outputs that may be pipes: the command waits for the reader, as any program does.
_STREAMS = ("w.py", "links.json", "out.jsonl")
_DATA = ".scrapy/forest"
_JOB = ("-s", "JOBDIR=job")

COMMANDS = (
    Command(
        "crawl feeds",
        (*_CRAWL, *_EXPORTS, *_JOB),
        (
            f"{_DATA}/wrappers.db",
            f"{_DATA}/history.db",
            f"{_DATA}/health.json",
            f"{_DATA}/health.html",
            f"{_DATA}/health.json.lock",
            "kept/index.db",
            "kept/*.warc.gz",
            "report/index.html",
            "report/.lock",
            "job/forest/spool.db",
            "job/requests.seen",
            "job/spider.state",
            "out.nt",
            "out.sqlite",
            "out.rss",
            "out.rss.lock",
        ),
        before=((*_CRAWL, *_EXPORTS, *_JOB, "-s", "CLOSESPIDER_ITEMCOUNT=9"),),
        writes=(
            f"{_DATA}/.health.json.forest-part",
            f"{_DATA}/.health.html.forest-part",
            "report/.index.html.forest-part",
            ".out.rss.forest-part",
        ),
    ),
    Command(
        "crawl feeds, arguments",
        (
            "scrapy",
            "crawl",
            "feeds",
            "-a",
            "feeds=@feeds.txt",
            "-o",
            "out.jsonl",
        ),
        ("feeds.txt",),
    ),
    Command(
        "crawl form",
        (*_FORM, "-a", "values=values.json"),
        (f"{_DATA}/forms/*.jsonl", f"{_DATA}/forms/*.lock", "values.json"),
        before=(_FORM,),
    ),
    Command(
        "extract",
        (*_EXTRACT, "--wrappers", "given.db", "--urls=urls.txt"),
        (
            "pages.jsonl",
            "given.db",
            "urls.txt",
            "out.jsonl",
            "out.errors.jsonl",
            "out.jsonl.lock",
            "out.jsonl.job",
        ),
        before=((*_EXTRACT, "--save-wrappers", "given.db"),),
        writes=(".out.errors.jsonl.forest-part",),
    ),
    Command(
        "extract, wrappers are saved", (*_EXTRACT, "--save-wrappers", "saved.db"), ("saved.db",)
    ),
    *(
        Command(
            " ".join(("forest", *arguments)),
            (*_FOREST, *arguments),
            files,
            before=before,
            writes=writes,
        )
        for arguments, files, before, writes in (
            (("health",), (f"{_DATA}/health.json",), (_CRAWL,), ()),
            (("kept",), ("kept/index.db", "kept/*.warc.gz"), (_CRAWL,), ()),
            (("history",), (f"{_DATA}/history.db",), (_CRAWL,), ()),
            (("show",), (f"{_DATA}/wrappers.db",), (_CRAWL,), ()),
            (
                ("why", "{article}"),
                (f"{_DATA}/history.db", f"{_DATA}/wrappers.db", "kept/index.db", "kept/*.warc.gz"),
                (_CRAWL,),
                (),
            ),
            (
                ("explain", "a.html", "b.html", "--feed", "feed.xml"),
                ("a.html", "feed.xml"),
                (),
                (),
            ),
            (("form", "form.html"), ("form.html",), (), ()),
            (("form", "{form}"), (f"{_DATA}/forms/*.jsonl",), (_FORM,), ()),
            (
                ("report", "a.html", "b.html", "-o", "report"),
                ("a.html", "report/index.html", "report/.lock"),
                (),
                ("report/.index.html.forest-part",),
            ),
            (
                ("feed", "-o", "feed.xml"),
                (f"{_DATA}/history.db", "feed.xml", "feed.xml.lock", ".feed.xml.forest-ping"),
                (_CRAWL,),
                (".feed.xml.forest-part",),
            ),
            (
                ("export", "{host}", "-o", "w.py"),
                (f"{_DATA}/wrappers.db", "w.py", "w.py.lock"),
                (_CRAWL,),
                (".w.py.forest-part",),
            ),
            (("import", "rules.json", "a.html"), ("rules.json",), (_CRAWL,), ()),
            (
                ("align", "a.nt", "b.nt", "-o", "links.json"),
                ("a.nt", "links.json"),
                (),
                (".links.json.forest-part",),
            ),
        )
    ),
    Command(
        "refresh",
        ("scrapy", "crawl", "refresh", "-a", "host={host}", "-o", "again.jsonl"),
        ("kept/index.db", "kept/*.warc.gz", f"{_DATA}/history.db"),
        before=(_CRAWL,),
    ),
)


def odd_file_faults(quick: bool) -> Iterator[tuple[str, Fault]]:
    """A cell for each file of each command and each kind of odd file."""
    for command in COMMANDS:
        for pattern in command.files:
            for kind in KINDS:
                if kind == "pipe" and pattern in _STREAMS:
                    continue
                name = f"{command.name} | {pattern} | {kind}"
                if quick and (kind != "pipe" or pattern != f"{_DATA}/health.json"):
                    continue
                yield (
                    name,
                    lambda folder, name=name, command=command, pattern=pattern, kind=kind: [  # type: ignore[misc]
                        _run_odd(name, command, pattern, kind, folder)
                    ],
                )
        if quick:
            continue
        for pattern in command.writes:
            name = f"{command.name} | {pattern} | link to a file of somebody else"
            yield (
                name,
                lambda folder, name=name, command=command, pattern=pattern: [  # type: ignore[misc]
                    _run_linked(name, command, pattern, folder)
                ],
            )


def _run_odd(name: str, command: Command, pattern: str, kind: str, folder: Path) -> Result:
    """The result of a command that finds an odd file."""
    place = _prepare(command, folder)
    paths = sorted(place.glob(pattern)) or [place / pattern]
    for path in paths:
        _remove(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        KINDS[kind](path)
        if kind == "device":  # one is enough
            break
    run = _servers().run(command.arguments, place)
    problems = list(run.problems)
    if kind == "device" and not _is_device(paths[0].parent / _DEVICE):
        problems.append("the device was replaced")
    names = {name for path in paths for name in (path.name, os.path.realpath(path))}
    is_named = any(name in run.said for name in names)
    if not run.problems and run.status and not is_named:
        problems.append(f"no message that names it: {run.said[-200:]}")
    return Result(name, exits=[run.status], problems=problems)


def _run_linked(name: str, command: Command, pattern: str, folder: Path) -> Result:
    """The result of a command whose temporary file is a link to a file of somebody else."""
    place = _prepare(command, folder)
    victim = folder / "victim"
    victim.write_bytes(_VICTIM)
    path = place / pattern
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(victim)
    run = _servers().run(command.arguments, place)
    problems = list(run.problems)
    if victim.read_bytes() != _VICTIM:
        problems.append("the file of somebody else was overwritten")
    return Result(name, exits=[run.status], problems=problems)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


@dataclass(frozen=True)
class _Run:
    status: int
    said: str
    problems: tuple[str, ...]


class _Servers:
    """The demo and a form, and the commands that request them; they end with the process."""

    def __init__(self) -> None:
        rows = make_rows(60)
        self._opened = ExitStack()
        demo = self._opened.enter_context(DemoServer())
        form = self._opened.enter_context(serve_table(TableSite(rows, layouts(rows)["table"])))
        article = min(demo_article.path for demo_article in demo.site.articles)
        self._names = {
            "feed": demo.feed_url,
            "form": form,
            "host": demo.url.partition("//")[2],
            "article": demo.url + article,
        }
        #: Folders of commands after what must be run before these.
        self.folders: dict[str, Path] = {}
        self.scratch = Path(self._opened.enter_context(TemporaryDirectory()))
        atexit.register(self._opened.close)

    def run(self, arguments: Sequence[str], folder: Path) -> _Run:
        """What became of a command."""
        filled = [argument.format(**self._names) for argument in arguments]
        log = folder / "said.log"
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", *filled],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
                preexec_fn=_limit,
            )
            problems: list[str] = []
            try:
                process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                problems.append("hung")
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output = log.read_text("utf-8", errors="replace")
        if "Traceback" in output:
            last = output[output.rindex("Traceback") :].splitlines()
            problems.append(f"traceback: {last[-1][:80]}")
        return _Run(process.returncode, output, tuple(problems))


def _limit() -> None:
    """Rights and memory of the commands."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    libc = ctypes.CDLL(None)
    for capability in _CAPABILITIES:
        libc.prctl(_DROP, capability, 0, 0, 0)


_lock = Lock()


@cache
def _servers() -> _Servers:
    return _Servers()


def _prepare(command: Command, folder: Path) -> Path:
    """The folder of a command, after what must be run before it."""
    with _lock:
        servers = _servers()
        if command.name not in servers.folders:
            prepared = servers.scratch / str(len(servers.folders))
            _make_project(prepared)
            for arguments in command.before:
                servers.run(arguments, prepared)
            servers.folders[command.name] = prepared
    place = folder / "project"
    shutil.copytree(servers.folders[command.name], place, symlinks=True)
    return place


def _make_project(place: Path) -> None:
    place.mkdir(parents=True)
    settings = {
        "ADDONS": {"forest_scrapy.Addon": 500},
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "INFO",
        "FOREST_WARC": "kept",
        "FOREST_REPORT": "report",
    }
    text = "".join(f"{name} = {value!r}\n" for name, value in settings.items())
    (place / "settings.py").write_text(text)
    (place / "scrapy.cfg").write_text("[settings]\ndefault = settings\n")
    pages = demo_pages()
    for name, (_, body) in zip(("a.html", "b.html"), pages, strict=False):
        write_file(place / name, body)
    write_file(place / "form.html", b"<form action=/search><input name=q></form>")
    write_file(place / "feed.xml", b"<rss version='2.0'><channel><title>a</title></channel></rss>")
    write_file(place / "feeds.txt", b"http://127.0.0.1:1/feed\n")
    write_file(place / "urls.txt", "".join(f"{url}\n" for url, _ in pages).encode())
    write_file(place / "values.json", b'{"q": ["a"]}')
    write_file(place / "rules.json", b"{}")
    for name in ("a.nt", "b.nt"):
        write_file(place / name, b'<http://a.example/1> <http://a.example/p> "x" .\n')
    write_lines(place)


if __name__ == "__main__":
    start = time.monotonic()
    bad = 0
    for number, (name, fault) in enumerate(odd_file_faults(False)):
        if len(sys.argv) > 1 and not any(filter_text in name for filter_text in sys.argv[1:]):
            continue
        with TemporaryDirectory() as scratch:
            for row in fault(Path(scratch, str(number))):
                bad += not row.is_good
                print(row, flush=True)
    print(bad, "bad", time.monotonic() - start)
