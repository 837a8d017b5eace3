"""Modules that need a package which is not installed are left out when doctests are collected."""

from __future__ import annotations

from importlib.util import find_spec

_NEEDED = {
    "forest_scrapy/integrations/datatrove.py": "datatrove",
    "forest_scrapy/integrations/spark.py": "pyspark",
    "forest_scrapy/integrations/spark_daemon.py": "pyspark",
    "forest_scrapy/integrations/spark_tasks.py": "pandas",
}
collect_ignore = [path for path, package in _NEEDED.items() if find_spec(package) is None]
