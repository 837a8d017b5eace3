"""Modules that need a package which is not installed are left out when doctests are collected.

Each process that runs tests compiles another part of them first.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

_NEEDED = {
    "forest_scrapy/integrations/datatrove.py": "datatrove",
    "forest_scrapy/integrations/spark.py": "pyspark",
    "forest_scrapy/integrations/spark_daemon.py": "pyspark",
    "forest_scrapy/integrations/spark_tasks.py": "pandas",
}
collect_ignore = [path for path, package in _NEEDED.items() if find_spec(package) is None]


def pytest_collection(session: pytest.Session) -> None:
    """Import every third test module first in one of three processes, the next ones in the next.

    They collect at the same time, and in the same order: each would compile all tests otherwise,
    which takes half of the time of the first collection in a checkout.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    folder = Path(__file__).parent / "tests"
    packages = (path.parent for path in folder.rglob("__init__.py"))
    modules = sorted(module for package in packages for module in package.glob("test_*.py"))
    number = int(worker["workerid"].removeprefix("gw"))
    for module in modules[number :: worker["workercount"]]:
        name = ".".join(module.relative_to(folder).with_suffix("").parts)
        # What cannot be imported is reported when it is collected.
        with suppress(Exception, pytest.skip.Exception):
            import_module(name)
