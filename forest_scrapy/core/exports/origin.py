"""The origin of an exported wrapper, for a comment in the export."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from forest_scrapy.core.wrapper import Wrapper


@dataclass(frozen=True)
class Origin:
    """The host and the id of the template of a wrapper, URLs of some of its pages, and the port of
    the host if it is not the default one."""

    host: str
    template: str = ""
    urls: tuple[str, ...] = ()
    port: int | None = None

    @property
    def home(self) -> str:
        """The URL of the home page: with the scheme of the URLs if one is of the host, else
        ``http`` if there is a port.

        >>> Origin("a.example").home, Origin("a.example", port=8000).home
        ('https://a.example/', 'http://a.example:8000/')
        >>> Origin("a.example", urls=("http://a.example/feed",)).home
        'http://a.example/'
        """
        for url in self.urls:
            parts = urlsplit(url)
            if parts.hostname == self.host:
                return f"{parts.scheme}://{parts.netloc}/"
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/" if self.port else f"https://{name}/"


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
