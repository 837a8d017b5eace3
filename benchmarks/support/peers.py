"""Other extractors, each as a function from the bytes of a page to its text."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

Peer = Callable[[bytes], str | None]


class FoundFields(NamedTuple):
    """Title, authors and date of publication (ISO 8601) of a page; empty if not found."""

    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""


FieldPeer = Callable[[bytes], FoundFields]


def run_trafilatura(html: bytes) -> str | None:
    import trafilatura

    text: str | None = trafilatura.extract(html, include_comments=False)
    return text


def run_readability(html: bytes) -> str | None:
    from lxml import html as lxml_html
    from readability import Document

    summary: Any = lxml_html.fromstring(Document(html.decode("utf-8", "replace")).summary())
    return str(summary.text_content())


def run_resiliparse(html: bytes) -> str | None:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import detect_encoding

    text = html.decode(detect_encoding(html) or "utf-8", "replace")
    return str(extract_plain_text(text, main_content=True))


def run_justext(html: bytes) -> str | None:
    """Uses the English stop words: justext needs a language and fails on pages in others."""
    import justext

    paragraphs = justext.justext(html, justext.get_stoplist("English"))
    return "\n".join(p.text for p in paragraphs if not p.is_boilerplate)


def run_boilerpy3(html: bytes) -> str | None:
    from boilerpy3 import extractors

    extractor = extractors.ArticleExtractor(raise_on_failure=False)
    return str(extractor.get_content(html.decode("utf-8", "replace")))


def run_newspaper4k(html: bytes) -> str | None:
    import newspaper

    article = newspaper.Article("http://localhost/", fetch_images=False)
    article.download(input_html=html.decode("utf-8", "replace"))
    article.parse()
    return str(article.text)


def run_goose3(html: bytes) -> str | None:
    from goose3 import Goose

    return str(Goose().extract(raw_html=html.decode("utf-8", "replace")).cleaned_text)


#: By the name of the package.
PEERS: dict[str, Peer] = {
    "trafilatura": run_trafilatura,
    "readability-lxml": run_readability,
    "resiliparse": run_resiliparse,
    "justext": run_justext,
    "boilerpy3": run_boilerpy3,
    "newspaper4k": run_newspaper4k,
    "goose3": run_goose3,
}


def read_trafilatura(html: bytes) -> FoundFields:
    import trafilatura

    document: Any = trafilatura.bare_extraction(html, with_metadata=True)
    authors = (document.author or "").split("; ")
    return FoundFields(document.title or "", tuple(filter(None, authors)), document.date or "")


def read_newspaper4k(html: bytes) -> FoundFields:
    import newspaper

    article = newspaper.Article("http://localhost/", fetch_images=False)
    article.download(input_html=html.decode("utf-8", "replace"))
    article.parse()
    date = article.publish_date.isoformat() if article.publish_date else ""
    return FoundFields(article.title or "", tuple(article.authors), date)


#: The peers that find title, authors and date.
FIELD_PEERS: dict[str, FieldPeer] = {
    "trafilatura": read_trafilatura,
    "newspaper4k": read_newspaper4k,
}


def read_htmldate(html: bytes) -> FoundFields:
    from htmldate import find_date

    date = find_date(html, extensive_search=True, original_date=True)
    return FoundFields(published=date or "")


#: The peers that find dates of publication only.
DATE_PEERS: dict[str, FieldPeer] = {"htmldate": read_htmldate}


def installed_peers() -> dict[str, Peer]:
    """The peers that can be imported."""
    return {name: peer for name, peer in PEERS.items() if _is_installed(peer)}


def installed_field_peers() -> dict[str, FieldPeer]:
    """The same for those that find fields."""
    return {name: peer for name, peer in FIELD_PEERS.items() if _is_installed(PEERS[name])}


def installed_date_peers() -> dict[str, FieldPeer]:
    """The same for those that find dates only."""
    return {name: peer for name, peer in DATE_PEERS.items() if _is_installed(peer)}


def run_field_peer(peer: FieldPeer, html: bytes) -> FoundFields:
    """The fields that a peer finds; empty if it fails."""
    fields = _quietly(peer, html)
    return fields if isinstance(fields, FoundFields) else FoundFields()


def run_peer(peer: Peer, html: bytes) -> tuple[str, float]:
    """The text that a peer finds, ``""`` if it fails, and the seconds it took."""
    start = perf_counter()
    text = _quietly(peer, html)
    return text if isinstance(text, str) else "", perf_counter() - start


def _is_installed(peer: Callable[[bytes], object]) -> bool:
    error = _quietly(peer, b"<html><body><p>Warming up, that takes a while.</p></body></html>")
    return not isinstance(error, ImportError)


def _quietly(peer: Callable[[bytes], object], html: bytes) -> Any:
    """The result of the peer, or the error that it raised; pages that a peer cannot read count
    as empty.  Its warnings and log lines are not printed."""
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return peer(html)
    except Exception as error:
        return error
    finally:
        logging.disable(disabled)
