"""The origin of an exported wrapper, for a comment in the export."""

from dataclasses import dataclass

from forest_scrapy.core.wrapper import Wrapper


@dataclass(frozen=True)
class Origin:
    """The host and the id of the template of a wrapper, and URLs of some of its pages."""

    host: str
    template: str = ""
    urls: tuple[str, ...] = ()


def describe(wrapper: Wrapper, origin: Origin) -> str:
    """One line about how the wrapper was learned.

    >>> describe(Wrapper("trained", ("//main",)), Origin("a.example", "0123456789"))
    'a.example, template 0123456789: learned by forest-scrapy (trained) from 0 pages'
    """
    template = f", template {origin.template}" if origin.template else ""
    pages = wrapper.evidence.pages
    return (
        f"{origin.host}{template}: learned by forest-scrapy ({wrapper.method}) "
        f"from {pages} page{'s' * (pages != 1)}"
    )


def is_on_one_line(text: str) -> bool:
    """Whether the text has no line breaks, so that a line-based format can contain it.

    >>> is_on_one_line("//p[@class='a b']"), is_on_one_line("//p[@class='a\\nb']")
    (True, False)
    """
    return text.splitlines() == [text]
