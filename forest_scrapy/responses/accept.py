"""Which formats requests for feeds and sitemaps ask for.

Scrapy asks for HTML first, by default, and servers that give one address several formats answer so.
"""

from scrapy.settings import BaseSettings, default_settings

#: HTML last but one: the address may be that of a page that links feeds.
FEED_TYPES = (
    "application/rss+xml,application/atom+xml,application/feed+json,application/rdf+xml;q=0.9,"
    "application/xml;q=0.8,text/xml;q=0.8,text/html;q=0.4,*/*;q=0.2"
)
SITEMAP_TYPES = "application/xml,text/xml;q=0.9,text/plain;q=0.8,text/html;q=0.4,*/*;q=0.2"


def accept_headers(settings: BaseSettings, types: str) -> dict[str, str]:
    """The header of a request for one of these types; none if the project's
    ``DEFAULT_REQUEST_HEADERS`` say what to accept.

    >>> accept_headers(BaseSettings({"DEFAULT_REQUEST_HEADERS": {"accept": "*/*"}}), FEED_TYPES)
    {}
    """
    default_types = default_settings.DEFAULT_REQUEST_HEADERS["Accept"]
    for name, value in settings["DEFAULT_REQUEST_HEADERS"].items():
        if name.lower() == "accept" and value != default_types:
            return {}
    return {"Accept": types}
