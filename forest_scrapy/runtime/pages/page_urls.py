"""URLs that differ, but lead to the same page."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from hashlib import blake2b
from urllib.parse import urlsplit

from tldextract import TLDExtract
from w3lib.url import canonicalize_url

__all__ = ["fold_url", "page_key", "site_of"]

#: Names of query parameters that only tell where a reader comes from.
_TRACKERS = re.compile(
    r"(?:utm|itm|mtm|piwik|matomo|hsa)_.+|pk_(?:campaign|kwd|keyword|source|medium|content)"
    r"|at_(?:medium|campaign|custom\d|format|link\w+|bbc_team|ptr_name)"
    r"|ns_(?:mchannel|source|campaign|linkname|fee)|_ga|_gl|_hsenc|_hsmi|_openstat"
    r"|fbclid|gclid|gclsrc|gbraid|wbraid|dclid|msclkid|yclid|ysclid|twclid|ttclid|li_fat_id"
    r"|igshid|igsh|mc_[ce]id|mkt_tok|vero_id|oly_(?:anon|enc)_id|wickedid|s_cid|ref_src|xtor"
    r"|wt_z?mc|cmpid|ncid|spm|smid|sr_share|amp_js_v|usqp",
    re.IGNORECASE,
)
_DEFAULT_PORT = re.compile(r":(?:80|443)$")


@lru_cache(maxsize=256)  # a page's URL is asked for at every stage
def page_key(url: str) -> str:
    """The key of a page in a crawl: a digest of its URL, the same for URLs that lead to the same
    page (see ``fold_url``)."""
    return blake2b(fold_url(url).encode(), digest_size=12).hexdigest()


def fold_url(url: str) -> str:
    """The URL without what does not change the page: scheme, ``www.``, default port, final
    slashes, fragment, order of the query, and parameters that track where a reader comes from.

    >>> fold_url("https://www.example.org/a/?utm_source=rss&b=1#c")
    'example.org/a?b=1'
    >>> fold_url("http://example.org:80") == fold_url("https://www.example.org/")
    True
    """
    try:
        parts = urlsplit(canonicalize_url(url))
    except ValueError:
        return url
    host = _DEFAULT_PORT.sub("", parts.netloc.rpartition("@")[2]).removeprefix("www.")
    kept = [part for part in parts.query.split("&") if not _is_tracker(part)]
    query = "&".join(part for part in kept if part)
    return f"{host}{parts.path.rstrip('/')}{'?' if query else ''}{query}"


def site_of(url: str) -> str:
    """The registered domain of a URL; host and port if there is none, as for an IP address.

    >>> site_of("https://www.example.co.uk/a"), site_of("http://127.0.0.1:8000/")
    ('example.co.uk', '127.0.0.1:8000')
    """
    return _site_of_netloc(urlsplit(url).netloc.lower())


@lru_cache(maxsize=4096)
def _site_of_netloc(netloc: str) -> str:
    return _suffixes()(netloc).top_domain_under_public_suffix or netloc


@cache
def _suffixes() -> TLDExtract:
    # The list in the package: nothing is fetched.
    return TLDExtract(suffix_list_urls=(), include_psl_private_domains=True, cache_dir=None)


def _is_tracker(parameter: str) -> bool:
    return bool(_TRACKERS.fullmatch(parameter.partition("=")[0]))
