from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import pytest

import forest_scrapy.core
from forest_scrapy.core.lazy import load_on_use

PACKAGES = ("forest_scrapy", "forest_scrapy.core", "forest_scrapy.core.records",
            "forest_scrapy.core.fields", "forest_scrapy.forms", "forest_scrapy.stores")  # fmt: skip


@pytest.mark.parametrize("name", PACKAGES)
def test_all_names_of_a_package_can_be_loaded(name: str) -> None:
    package = import_module(name)
    assert [name for name in package.__all__ if getattr(package, name) is None] == []


@pytest.mark.parametrize("name", PACKAGES)
def test_no_name_is_that_of_a_module(name: str) -> None:
    """Once that is imported, the name is the module's."""
    package = import_module(name)
    names_of_modules = {module.name for module in iter_modules(package.__path__)}
    assert names_of_modules.isdisjoint(package.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'forest_scrapy\.core' has no attribute 'owl'"):
        forest_scrapy.core.owl  # type: ignore[attr-defined]  # noqa: B018


def test_a_name_is_loaded_once() -> None:
    load = load_on_use("forest_scrapy.core", {"errors": "BadRules ForestError"})
    assert load("ForestError") is forest_scrapy.core.ForestError
    assert "ForestError" in vars(forest_scrapy.core)


def test_a_package_loads_nothing_before_a_name_is_used() -> None:
    code = "import sys, forest_scrapy.core.records; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [name for name in done.stdout.split() if name.startswith("forest_scrapy.core.records")]
    assert loaded == ["forest_scrapy.core.records"]
