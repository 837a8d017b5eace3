"""The settings of the crawls.  FOREST_DATABASE is the URI of the database that all share."""

import os

_DATABASE = os.environ.get("FOREST_DATABASE")
if not _DATABASE:
    raise SystemExit(
        "set the environment variable FOREST_DATABASE to the URI of the database that all crawls"
        " share, such as postgresql+psycopg://forest@db.example/news"
    )

ADDONS = {"forest_scrapy.Addon": 500}
FOREST_STORE = FOREST_HISTORY = _DATABASE
