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
#: It has classes whose making looks at all imported modules, three times: a second and a half once
#: those of the project and of its tests are imported.
_IMPORTED_FIRST = "scrapy.core.downloader.handlers.http11"
collect_ignore = [path for path, package in _NEEDED.items() if find_spec(package) is None]


def pytest_collection(session: pytest.Session) -> None:
    """Import every third requested test module first in one of three processes, the next ones in
    the next.

    They collect at the same time, and in the same order: each would compile all tests otherwise,
    which takes half of the time of the first collection in a checkout.
    """
    import_module(_IMPORTED_FIRST)
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    requested = [Path(argument.partition("::")[0]).absolute() for argument in session.config.args]
    folder = Path(__file__).parent / "tests"
    modules = []
    for package in folder.rglob("__init__.py"):
        for module in package.parent.glob("test_*.py"):
            if any(module.is_relative_to(path) for path in requested):
                modules.append(module)
    modules.sort()
    number = int(worker["workerid"].removeprefix("gw"))
    for module in modules[number :: worker["workercount"]]:
        name = ".".join(module.relative_to(folder).with_suffix("").parts)
        # What cannot be imported is reported when it is collected.
        with suppress(Exception, pytest.skip.Exception):
            import_module(name)
