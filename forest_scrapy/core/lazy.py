"""What is loaded or compiled on first use: parts of packages, and large regular expressions."""

import re
import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any


def load_on_use(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package: it loads the module of a name when that is first asked for.

    ``names``: by module, the names that it has, with spaces between them; none is the name of a
    module of the package.
    """
    module_of = {}
    for module, words in names.items():
        for name in words.split():
            module_of[name] = module

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load


class LazyPattern:
    """A regular expression that few pages need: it is compiled when it is first used, which takes
    2 to 4 ms for one with tables of words or the letters of many scripts.

    >>> LazyPattern("OWLS?", re.IGNORECASE).compiled.findall("Owl and owls")
    ['Owl', 'owls']
    """

    def __init__(self, expression: str, flags: int = 0) -> None:
        self._expression = expression
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self._expression, self._flags)
