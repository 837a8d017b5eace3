"""Where an exported wrapper comes from, for the lines that say so."""

from __future__ import annotations

from dataclasses import dataclass

from forest_scrapy.core.wrapper import Wrapper

__all__ = ["Origin", "describe", "on_one_line"]


@dataclass(frozen=True)
class Origin:
    """The host and the template that a wrapper was learned for, and addresses of its pages."""

    host: str
    template: str = ""
    urls: tuple[str, ...] = ()


def describe(wrapper: Wrapper, origin: Origin) -> str:
    """One line on what the wrapper rests on.

    >>> describe(Wrapper("trained", ("//main",)), Origin("a.example", "0123456789"))
    'a.example, template 0123456789: learned by forest-scrapy (trained) from 0 pages'
    """
    template = f", template {origin.template}" if origin.template else ""
    pages = wrapper.evidence.pages
    return (
        f"{origin.host}{template}: learned by forest-scrapy ({wrapper.method}) "
        f"from {pages} page{'s' * (pages != 1)}"
    )


def on_one_line(text: str) -> bool:
    """Whether a format of lines can hold the text.

    >>> on_one_line("//p[@class='a b']"), on_one_line("//p[@class='a\\nb']")
    (True, False)
    """
    return text.splitlines() == [text]
