"""Opening a store of any kind by its location."""

from forest_scrapy.stores.database import (
    BadStore,
    Database,
    SqliteDatabase,
    StoreKind,
    open_database,
    store_exists,
)


def open_store(location: str, schema: str, missing: str = "") -> Database:
    """Open or create a store: ``postgresql+psycopg://USER@HOST/NAME``, or a file as for
    ``open_database``.

    ``missing``: the message if the store is not there but must be.  Raises ``BadStore``.
    """
    if location.startswith("postgresql"):
        try:
            from forest_scrapy.stores.postgresql import SharedDatabase

            return SharedDatabase(location, schema, missing)
        except ImportError:
            raise BadStore(
                "a store in PostgreSQL needs pip install 'forest-scrapy[postgresql]'"
            ) from None
    if missing and not store_exists(location):
        raise BadStore(f"{location}: {missing}")
    return SqliteDatabase(open_database(location, StoreKind(schema), may_rename=not missing))
