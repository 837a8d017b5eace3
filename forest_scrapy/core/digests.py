"""Digests: the same on every machine and in every process, unlike ``hash``."""

from hashlib import blake2b


def digest_of(content: str | bytes, size: int = 8) -> bytes:
    """The BLAKE2b digest of a text or of bytes; ``size``: its number of bytes.

    Every text has one.  A lone surrogate, as JSON may have it, counts as a character: texts that
    differ have different digests.

    >>> digest_of("An owl", 4).hex(), digest_of(b"An owl", 4).hex()
    ('642557c0', '642557c0')
    >>> digest_of("\\ud800") == digest_of("?")
    False
    """
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    return blake2b(content, digest_size=size).digest()


def hex_digest(content: str | bytes, size: int = 8) -> str:
    """``digest_of`` as text: two hexadecimal digits a byte.

    >>> hex_digest("An owl", 4)
    '642557c0'
    """
    digest = digest_of(content, size)
    return digest.hex()


def digest_number(content: str | bytes, size: int = 8) -> int:
    """``digest_of`` as a number, its first byte the most significant.

    >>> digest_number("An owl", 1)
    144
    """
    digest = digest_of(content, size)
    return int.from_bytes(digest, "big")
