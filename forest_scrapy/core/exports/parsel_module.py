"""Export as a Python module that needs parsel only."""

import re
from collections.abc import Iterable
from importlib.resources import files

from forest_scrapy.core.exports.origin import Origin, describe
from forest_scrapy.core.wrapper import Wrapper


def write_module(wrapper: Wrapper, origin: Origin) -> str:
    """The source of ``standalone``, with the wrapper's expressions filled in.

    Its ``extract`` gives the text of ``Wrapper.apply``, except for white space and for blocks
    unknown to the template, since there is no classifier.
    """
    source = files("forest_scrapy.core.exports").joinpath("standalone.py").read_text("utf-8")
    head = f'"""Articles of {_in_docstring(describe(wrapper, origin))}.'
    source = re.sub(r'\A"""[^\n]*', lambda _: head, source)
    for name, value in (("KEEP", _list(wrapper.keep)), ("DROP", _list(wrapper.drop))):
        source = _fill(source, f"{name}: list[str]", value)
    return _fill(source, "TAKE", repr(wrapper.take))


def _fill(source: str, name: str, value: str) -> str:
    line = re.compile(rf"^{re.escape(name)} = .*$", re.MULTILINE)
    filled, times = line.subn(lambda _: f"{name} = {value}", source)
    assert times == 1, name
    return filled


def _list(values: Iterable[str]) -> str:
    lines = "".join(f"    {value!r},\n" for value in values)
    return f"[\n{lines}]" if lines else "[]"


def _in_docstring(text: str) -> str:
    """The text without characters that a docstring cannot contain."""
    return re.sub(r'[\\"]|\s', " ", text)
