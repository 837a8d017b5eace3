"""Export as a Python module that needs parsel only."""

import re
from collections.abc import Iterable
from importlib.resources import files

from forest_scrapy.core.exports.origin import Origin, describe
from forest_scrapy.core.wrapper import Wrapper


def write_module(wrapper: Wrapper, origin: Origin) -> str:
    """The source of ``standalone``, with the wrapper's expressions filled in.

    Its ``extract`` applies the same expressions as ``Wrapper.apply``; the docstring of the module
    tells how its text differs from that of an article.
    """
    template = files("forest_scrapy.core.exports").joinpath("standalone.py")
    source = template.read_text("utf-8")
    about = _in_docstring(describe(wrapper, origin))
    head = f'"""Articles of {about}.'
    source = re.sub(r'\A"""[^\n]*', lambda _: head, source)

    source = _fill(source, "KEEP: list[str]", _list(wrapper.keep))
    source = _fill(source, "DROP: list[str]", _list(wrapper.drop))
    return _fill(source, "TAKE", repr(wrapper.take))


def _fill(source: str, name: str, value: str) -> str:
    pattern = rf"^{re.escape(name)} = .*$"
    line = f"{name} = {value}"
    filled, times = re.subn(pattern, lambda _: line, source, flags=re.MULTILINE)
    assert times == 1, name
    return filled


def _list(values: Iterable[str]) -> str:
    lines = "".join(f"    {value!r},\n" for value in values)
    return f"[\n{lines}]" if lines else "[]"


def _in_docstring(text: str) -> str:
    """The text without characters that a docstring cannot contain."""
    return re.sub(r'[\\"]|\s', " ", text)
