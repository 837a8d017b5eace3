"""Which actions ``scrapy forest`` has, and whether it was called with the right arguments."""

from __future__ import annotations

from argparse import Namespace

from scrapy.exceptions import UsageError

from forest_scrapy.commands.options import EXTRACT_OPTIONS

__all__ = ["check_usage"]

#: The options of each action.
_OPTIONS = {
    "explain": ("method", "feed", "stored", "all_together", "top", "text", "json"),
    "report": ("method", "also", "feed", "stored", "output"),
    "import": ("feed",),
    "edit": ("feed",),
    "show": ("template", "versions", "json"),
    "export": ("format", "template", "url", "output"),
    "forget": ("template", "force"),
    "history": ("prune", "json"),
    "due": ("all", "json"),
    "extract": EXTRACT_OPTIONS,
}


def check_usage(args: list[str], opts: Namespace) -> None:
    """Raise ``UsageError``, for which Scrapy prints the message and exits with status 2."""
    action, *names = args or [""]
    if action not in _OPTIONS:
        raise UsageError(f"name an action ({', '.join(_OPTIONS)}), not {action!r}")
    _check_options(action, names, opts)
    if action == "explain":
        if not names and (opts.stored or not opts.feed):
            raise UsageError("name the pages to explain (URLs or files), or a --feed")
        if opts.stored and opts.method:
            raise UsageError("--method cannot be used with --stored, which learns nothing")
    elif action == "import":
        if not names:
            raise UsageError("name the file with the edited wrapper")
    elif action == "edit":
        if not names:
            raise UsageError("name the hosts whose wrappers you want to edit")
    elif action == "extract":
        if not names:
            raise UsageError("name the files or folders with the pages")
    elif action != "report":
        _check_host(action, names, opts)


def _check_options(action: str, names: list[str], opts: Namespace) -> None:
    unknown = next((name for name in names if name.startswith("-")), "")
    if unknown:
        raise UsageError(f"there is no option {unknown}")
    for option in sorted({option for options in _OPTIONS.values() for option in options}):
        if getattr(opts, option) is not None and option not in _OPTIONS[action]:
            raise UsageError(f"--{option.replace('_', '-')} is not an option of {action}")


def _check_host(action: str, names: list[str], opts: Namespace) -> None:
    from forest_scrapy.commands.lookup import read_host

    if action == "due" and names:
        raise UsageError("due takes no host")
    if len(names) > 1 or (action in ("export", "forget") and not names):
        raise UsageError(f"{action} takes one host")
    if opts.prune and names:
        raise UsageError("--prune deletes from the whole history; name no host")
    if names and not read_host(names[0]):
        raise UsageError(f"{names[0]!r} is not a host")
