"""Adds scrapy-playwright and the middleware to the settings of a project."""

from __future__ import annotations

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from forest_scrapy.runtime.rendering.middleware import RenderMiddleware
from forest_scrapy.settings import BadSetting

__all__ = ["add_browser"]

#: The last to see a response: it has been decompressed, and redirects have been followed.
_ORDER = 60


def add_browser(settings: BaseSettings) -> None:
    """Let scrapy-playwright's handler download; without ``meta["playwright"]`` it does what
    Scrapy's own does.  Raises ``BadSetting`` if the project has another handler."""
    handlers = settings["DOWNLOAD_HANDLERS"]
    for scheme in ("http", "https"):
        own = handlers.get(scheme)
        if own is None:
            handlers.set(scheme, ScrapyPlaywrightDownloadHandler, priority="addon")
        elif not issubclass(load_object(own), ScrapyPlaywrightDownloadHandler):
            raise BadSetting(
                f"DOWNLOAD_HANDLERS[{scheme!r}]", own, "scrapy-playwright's, for FOREST_RENDER"
            )
    settings.setdefault_in_component_priority_dict(
        "DOWNLOADER_MIDDLEWARES", RenderMiddleware, _ORDER
    )
