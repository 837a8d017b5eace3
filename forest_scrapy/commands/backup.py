"""``scrapy forest backup`` and ``restore``: the stores in one file."""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from forest_scrapy.commands.forest_command import Action, AddOption
from forest_scrapy.crawl.context import has_store, open_history, open_rules, store_file
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores.backup import Store, open_backup, write_backup
from forest_scrapy.stores.database import BadStore, rename_database, set_newer_aside
from forest_scrapy.stores.history import HISTORY_SCHEMA
from forest_scrapy.stores.rules import RULES_SCHEMA

SCHEMAS = (RULES_SCHEMA, HISTORY_SCHEMA)
#: What is said of the rows of tables; the others follow from these.
_NAMES = {
    "template_rules": "wrappers",
    "corrected_rules": "corrections",
    "named_pages": "named pages",
    "pages": "pages in the history",
    "versions": "versions of articles",
    "feeds": "feeds",
    "decisions": "decisions",
}


class Backup(Action):
    """Write the stored wrappers, corrections, what was said of pages, and the history to one file.

    Crawls may be running; a file with this name is replaced when the new one is complete.
    """

    name = "backup"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("file", metavar="FILE", help="the file, such as forest-backup.db")

    def run(self, options: Namespace) -> str:
        locations = (self.config.store, self.config.history)
        folder = Path(options.file).parent
        is_new = not folder.exists()
        if not any(map(has_store, locations)) and not Path(options.file).is_dir():
            raise BadStore(
                f"there is nothing to back up: {' and '.join(locations)} are not there; a crawl"
                " writes them, in the folder where it runs"
            )
        with TemporaryDirectory() as empty_folder:
            places = _with_empty_stores(self.config, Path(options.file), Path(empty_folder))
            with _open_stores(places) as stores:
                counts = write_backup(options.file, stores)
        folder_note = f"the folder {folder} was made\n" if is_new else ""
        return f"{folder_note}{options.file}: {_describe(counts)}\n"


class Restore(Action):
    """Write what was backed up into the stores, also into those of another machine or of another
    kind, such as PostgreSQL.

    End crawls first.  A backup of an earlier version of forest-scrapy can be restored.  A file that
    is no backup, or is damaged, changes nothing.  With --replace, the file of a store that a newer
    version has written, or its schema on a server, is renamed, and a new one is made.
    """

    name = "restore"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("file", metavar="FILE", help="a file that the action backup has written")
        add("--replace", action="store_true", help="in place of all that the stores have")

    def run(self, options: Namespace) -> str:
        with (
            open_backup(options.file, SCHEMAS) as backup,
            _newer_stores_aside(self.config, options.replace) as renamed,
            _removing_new_stores(self.config),
            _open_stores(self.config) as stores,
        ):
            counts = backup.restore(stores, options.replace)
        lines = [f"restored from {options.file}: {_describe(counts)}\n"]
        for file, name in renamed.items():
            lines.append(f"{file} was written by a newer version; it is now named {name}\n")
        return "".join(lines)


@contextmanager
def _newer_stores_aside(settings: ForestSettings, is_wanted: bool) -> Iterator[dict[str, str]]:
    """Rename the files of stores that a newer version has written, or their schemas on a server, so
    that new ones can be made; the new names.  If there is an error, they get their names again."""
    renamed: dict[str, str] = {}
    with ExitStack() as undoing:
        for schema, location in zip(SCHEMAS, (settings.store, settings.history), strict=True):
            file = store_file(location)
            if not is_wanted:
                continue
            if file is None:
                # Imported here, since it needs packages that a store in a file does not.
                from forest_scrapy.stores import postgresql

                name = postgresql.set_newer_schema_aside(location, schema)
                if name:
                    undoing.callback(postgresql.take_back_schema, location, name)
                    renamed["the schema forest"] = name
            else:
                file_name = str(file)
                name = set_newer_aside(file_name, schema)
                if name:
                    undoing.callback(rename_database, name, file_name)
                    renamed[file_name] = name
        yield renamed
        undoing.pop_all()


def _with_empty_stores(settings: ForestSettings, backup: Path, folder: Path) -> ForestSettings:
    """The settings with stores in another folder in place of those that are not there: a crawl may
    make these meanwhile.  Raises ``BadStore`` if the backup would have the name of one."""
    places = {"store": settings.store, "history": settings.history}
    for name, location in places.items():
        file = store_file(location)
        if file is None or has_store(location):
            continue
        if file.resolve() == backup.resolve():
            raise BadStore(f"{backup} is where crawls write a store; name another file")
        places[name] = str(folder / f"{name}.db")
    return replace(settings, store=places["store"], history=places["history"])


@contextmanager
def _removing_new_stores(settings: ForestSettings) -> Iterator[None]:
    """Remove the files of stores that were made meanwhile, which are empty, if there is an
    error."""
    new_files = []
    for location in (settings.store, settings.history):
        file = store_file(location)
        if file is not None and not has_store(location):
            new_files.append(file)
    try:
        yield
    except BaseException:
        for file in new_files:
            for ending in ("", "-wal", "-shm"):
                Path(f"{file}{ending}").unlink(missing_ok=True)
        raise


@contextmanager
def _open_stores(settings: ForestSettings) -> Iterator[list[Store]]:
    with ExitStack() as opened:
        rules = opened.enter_context(closing(open_rules(settings)))
        history = opened.enter_context(closing(open_history(settings)))
        yield [(RULES_SCHEMA, rules.database), (HISTORY_SCHEMA, history.database)]


def _describe(counts: Mapping[str, int]) -> str:
    """What there is of each kind of row, such as ``wrappers: 2, corrections: 1``."""
    return ", ".join(f"{name}: {counts.get(table, 0)}" for table, name in _NAMES.items())
