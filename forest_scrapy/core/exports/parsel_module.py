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
    about = in_docstring(describe(wrapper, origin))
    head = f'"""Articles of {about}.'
    source = re.sub(r'\A"""[^\n]*', lambda _: head, source)

    source = fill(source, "KEEP: list[str]", list_of(wrapper.keep))
    source = fill(source, "DROP: list[str]", list_of(wrapper.drop))
    return fill(source, "TAKE", repr(wrapper.take))


def fill(source: str, name: str, value: str) -> str:
    """The source with another value in the line that sets the name."""
    pattern = rf"^{re.escape(name)} = .*$"
    line = f"{name} = {value}"
    filled, times = re.subn(pattern, lambda _: line, source, flags=re.MULTILINE)
    assert times == 1, name
    return filled


def list_of(values: Iterable[str]) -> str:
    """The texts as the source of a list, one a line."""
    lines = "".join(f"    {value!r},\n" for value in values)
    return f"[\n{lines}]" if lines else "[]"


def in_docstring(text: str) -> str:
    """The text without characters that a docstring cannot contain."""
    return re.sub(r'[\\"]|\s', " ", text)
