"""The images that a page shows of its product."""

from __future__ import annotations

import re

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.urls import image_url
from forest_scrapy.core.records.products.names import similarity

__all__ = ["find_images", "is_logo"]

#: The largest number of images, and of elements above one whose names are read.
_MOST, _NAMED_ABOVE = 20, 6
_GALLERY = re.compile(
    r"gallery|zoom|carousel|slider|thumb|swatch|product[\w-]*(?:image|media|photo|img)|(?:main|hero)"
    r"[\w-]*(?:image|img)|viewer|picture",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"logo|icon|sprite|payment|badge|avatar|flag|banner|related|recommend|similar|also|review|nav"
    r"|footer|header|menu|rating|star|upsell|sponsor|social",
    re.IGNORECASE,
)
_FILES = re.compile(r"\.svg(?:$|\?)|/(?:icons?|logos?)/|placeholder|spacer", re.IGNORECASE)
#: Names of video players, and of links that open them.
_VIDEO = re.compile(
    r"(?:^|[\s_-])(?:videos?|player|play-?(?:btn|button|icon))(?:$|[\s_-])", re.IGNORECASE
)
_VIDEO_LINK = re.compile(r"/(?:watch|embed|videos?)[/?]|\.(?:mp4|webm|m3u8)(?:$|\?)", re.IGNORECASE)
#: The least score of an image of the product.
_LEAST = 1.0


def find_images(page: Page, name: str) -> list[str]:
    """The URLs of the images, the likeliest first, and the previews of videos last; the weights
    are chosen by hand."""
    outline, scored = page.outline, dict[str, tuple[bool, float, int]]()
    for i, node in enumerate(outline.nodes):
        if node.tag != "img" or len(scored) >= 500:
            continue
        url = image_url(node.element, page.base_url)
        if not url or _FILES.search(url):
            continue
        above = list(outline.path(i))[:_NAMED_ABOVE]
        elements = [outline.nodes[j].element for j in above]
        names = " ".join(f"{e.get('class') or ''} {e.get('id') or ''}"[:200] for e in elements)
        links = [
            outline.nodes[j].element.get("href") or "" for j in above if outline.nodes[j].tag == "a"
        ]
        leads_away = any(one and not one.startswith("#") and not _is_image(one) for one in links)
        score = 2.0 * similarity(node.element.get("alt") or "", name)
        score += 1.0 * bool(_GALLERY.search(names)) - 1.5 * bool(_OTHER.search(names))
        score -= 1.5 * leads_away
        is_video = bool(_VIDEO.search(names)) or any(map(_VIDEO_LINK.search, links))
        if url not in scored:
            scored[url] = (is_video, -round(score, 4), i)
    kept = sorted((key, url) for url, key in scored.items() if -key[1] >= _LEAST)
    return [url for _, url in kept[:_MOST]]


def is_logo(url: str) -> bool:
    """Whether the file name of an image is that of a logo.

    >>> is_logo("http://a.example/i/Owl_logo.png"), is_logo("http://logo.example/owl.png")
    (True, False)
    """
    return "logo" in url.partition("?")[0].rpartition("/")[2].lower()


def _is_image(url: str) -> bool:
    return re.search(r"\.(?:jpe?g|png|webp|gif|avif)(?:$|\?)", url, re.IGNORECASE) is not None
