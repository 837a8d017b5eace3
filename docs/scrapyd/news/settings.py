"""The settings of the crawls.  FOREST_DATABASE is the URI of the database that all share."""

import os

ADDONS = {"forest_scrapy.Addon": 500}
FOREST_STORE = FOREST_HISTORY = os.environ["FOREST_DATABASE"]
