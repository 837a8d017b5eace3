"""From bytes to text: encodings, wrongly decoded text, and pages that take long to read."""

import codecs
import re

from w3lib.encoding import html_to_unicode

#: Codecs of Python that are no encodings of web pages; decoding with them is slow or raises.
_NO_ENCODINGS = frozenset("idna punycode undefined unicode_escape raw_unicode_escape utf_7".split())


def decode_html(body: bytes, content_type: str = "") -> str:
    """The text of a page: by its byte order mark, ``content_type`` (the HTTP header), its ``meta``
    elements, or the first of ASCII, UTF-8 and Windows-1252 that can decode it.  Never fails.

    What is valid UTF-8 is read as such, whatever it declares, and what is garbled in the declared
    encoding in one that ``detect_encoding`` finds.

    >>> decode_html("<meta charset=latin-1>é".encode()), decode_html("é".encode("cp1252"))
    ('<meta charset=latin-1>é', 'é')
    """
    if is_utf8(body):
        return body.decode("utf-8-sig")
    wide = detect_utf16(body)
    if wide:
        return body.decode(wide, "replace")
    try:
        encoding, text = html_to_unicode(content_type or None, body, auto_detect_fun=_detect)
    except (LookupError, ValueError, TypeError, AssertionError):  # charset=hex
        encoding = "hex"
        text = ""
    if not is_text_encoding(encoding):  # a byte order mark still counts
        encoding, text = html_to_unicode("text/html; charset=utf-8", body)
    detected = detect_encoding(body, encoding)
    if detected:
        return body.decode(detected, "replace")
    return text


#: Bytes that tell whether a text is in UTF-16, in which each character of markup has a NUL; and the
#: shares of NULs at the places where ASCII characters have them, and at the others.
_WIDE_BYTES = 512
_MIN_NULS = 0.5
_MAX_NULS = 0.05


def detect_utf16(body: bytes) -> str:
    """``utf-16-be`` or ``utf-16-le`` for the bytes of a page in UTF-16 without a byte order mark;
    ``""`` for others.

    Servers declare it as ``utf-16be``, or as ``utf-16``, which leaves the order open.

    >>> detect_utf16("<p>é".encode("utf-16-be")), detect_utf16(b"<p>")
    ('utf-16-be', '')
    """
    start = body[:_WIDE_BYTES]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ""
    pairs = len(start) // 2
    first_nuls = start[0 : 2 * pairs : 2].count(0)
    second_nuls = start[1 : 2 * pairs : 2].count(0)
    if first_nuls > _MIN_NULS * pairs and second_nuls <= _MAX_NULS * pairs:
        return "utf-16-be"
    if second_nuls > _MIN_NULS * pairs and first_nuls <= _MAX_NULS * pairs:
        return "utf-16-le"
    return ""


#: Encodings that pages of the web are in, besides UTF-8, and those that are meant where the text
#: does not tell them apart, by the language that the page declares.
_LEGACY = (
    "cp1252 cp1251 koi8_r koi8_u cp1250 iso8859_2 cp1253 iso8859_7 cp1254 cp1255 cp1256 cp1257 "
    "cp1258 cp874 gb18030 big5 cp932 euc_jp euc_kr"
).split()
_LATIN = ["cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257", "cp1258"]
_OF_LANGUAGE = {
    "tr": ("cp1254",),
    "vi": ("cp1258",),
    **dict.fromkeys(("pl", "cs", "sk", "hu", "hr", "sl", "ro"), ("cp1250", "iso8859_2")),
    **dict.fromkeys(("lt", "lv", "et"), ("cp1257",)),
    **dict.fromkeys(
        ("de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "en"), ("cp1252",)
    ),
    **dict.fromkeys(("ru", "bg", "sr", "mk"), ("cp1251", "koi8_r")),
    "uk": ("cp1251", "koi8_u"),
    "el": ("cp1253", "iso8859_7"),
    "ja": ("cp932", "euc_jp"),
    "ko": ("euc_kr",),
    "zh": ("gb18030", "big5"),
}
_LANGUAGE = re.compile(rb"<html[^>]{0,500}?\slang=[\"']?([a-zA-Z]{2})", re.IGNORECASE)
#: A byte beyond ASCII, bytes before and after it that are read if no tag is between, and all that
#: are read.
_OTHER_BYTE = re.compile(rb"[\x80-\xff]")
_BYTES_BEFORE = 200
_BYTES_AFTER = 400
#: The share of bytes beyond ASCII from which a text may be in other than Latin letters: Russian has
#: 0.8, Polish 0.1; and the number of them from which they tell the encoding.
_MIN_DENSITY = 0.3
_MIN_BYTES = 10
_READ_BYTES = 4000
#: A sign that is no punctuation, after a letter.
_SIGN = re.compile(r"(?<=[^\W\d_])[^\w\s\x00-\x7f\u2010-\u203a\u3000-\u303f\uff00-\uff65»«·،؛؟]")
#: The share of the characters beyond ASCII that may be replaced ones.  Not tuned; a page of many
#: authors has a line in another encoding.
_MAX_REPLACED = 0.1
#: The same in UTF-8, of which hardly any character of another encoding is one by chance.
_MAX_BROKEN = 0.5


def detect_encoding(body: bytes, declared: str) -> str:
    """The encoding of a page's bytes that are not valid UTF-8, if their text is garbled in the
    declared one; ``""`` if it is not, or no other one is likely.

    Cost: some 0.1 ms if the text is not garbled, else some 10 ms.

    >>> detect_encoding("Старый мост через реку".encode("cp1251"), "utf-8")
    'cp1251'
    >>> detect_encoding("Größe".encode("cp1252"), "cp1252")
    ''
    """
    has_mark = body.startswith((b"\xff\xfe", b"\xfe\xff"))
    if has_mark or body.isascii() or is_utf8(body):
        return ""
    sample = _excerpt(body)
    if not _is_garbled(sample, declared):
        return ""
    if not _is_garbled(sample, "utf-8"):  # with a few broken characters
        return "utf-8"
    import charset_normalizer  # few pages need it

    count = len(_OTHER_BYTE.findall(sample))
    may_be_latin = count < _MIN_DENSITY * len(sample)
    possible = _LATIN if may_be_latin else _LEGACY
    matches = charset_normalizer.from_bytes(sample, cp_isolation=possible)
    language = _LANGUAGE.search(body[:2000])
    expected: tuple[str, ...] = ()
    if language:
        code = language[1].decode().lower()
        expected = _OF_LANGUAGE.get(code, ())
    likely = [match.encoding for match in matches]
    if count < _MIN_BYTES:  # too few to tell
        likely.insert(0, "cp1252")
    both = [encoding for encoding in likely if encoding in expected]
    candidates = [*both, *expected, *likely]
    without_loss = []
    for encoding in candidates:
        if not _has_replaced(sample, encoding):
            without_loss.append(encoding)
    # The first of those that give the fewest signs in words: "nocą" is "noc±" in another one.
    return min(without_loss, key=lambda encoding: _count_signs(sample, encoding), default="")


def _excerpt(body: bytes) -> bytes:
    """The first pieces of text with bytes beyond ASCII, without tags."""
    pieces = bytearray()
    end = 0
    while len(pieces) < _READ_BYTES:
        byte = _OTHER_BYTE.search(body, end)
        if byte is None:
            break
        position = byte.start()
        start = max(end, position - _BYTES_BEFORE)
        tag_end = body.rfind(b">", start, position)
        start = max(start, tag_end + 1)
        end = position + _BYTES_AFTER
        tag = body.find(b"<", position, end)
        end = tag if tag >= 0 else end
        pieces += body[start:end] + b"\n"
    return bytes(pieces)


def _is_garbled(sample: bytes, encoding: str) -> bool:
    """Whether a text is not in this encoding: many of its characters cannot be decoded, or seldom
    stand together."""
    if not is_text_encoding(encoding):
        return True
    if codecs.lookup(encoding).name == "utf-8":
        return _has_replaced(sample, encoding, _MAX_BROKEN)
    if _has_replaced(sample, encoding):
        return True
    text = sample.decode(encoding, "replace")
    return is_mojibake(text)


def _count_signs(sample: bytes, encoding: str) -> int:
    text = sample.decode(encoding, "replace")
    return len(_SIGN.findall(text))


def _has_replaced(
    sample: bytes,
    encoding: str,
    share: float = _MAX_REPLACED,
) -> bool:
    text = sample.decode(encoding, "replace")
    ascii_text = text.encode("ascii", "ignore")
    beyond_ascii = len(text) - len(ascii_text)
    return text.count("\ufffd") > share * beyond_ascii


def is_utf8(body: bytes) -> bool:
    """Whether the bytes are valid UTF-8, and not only ASCII: text in another encoding is hardly
    ever valid UTF-8 by chance.

    >>> is_utf8("é".encode()), is_utf8("é".encode("latin-1")), is_utf8(b"e")
    (True, False, False)
    """
    try:
        return len(body.decode("utf-8")) < len(body)
    except UnicodeDecodeError:
        return False


def is_text_encoding(name: str) -> bool:
    """Whether this is an encoding of text that web pages can have, and not one such as hex."""
    try:
        b"a".decode(name)  # refuses the codecs that are not for text, such as hex and zip
        codec_name = codecs.lookup(name).name
        return codec_name.replace("-", "_") not in _NO_ENCODINGS
    except (LookupError, ValueError):
        return False


def _detect(body: bytes) -> str | None:
    for name in ("ascii", "utf-8", "cp1252"):
        try:
            body.decode(name)
        except UnicodeDecodeError:
            continue
        return name
    return None


#: Characters that are looked at.
_SAMPLE_LENGTH = 1500
#: Text with fewer characters than this per sign of a wrong encoding is garbled.  Not tuned; a
#: quotation may have a few signs.
_SPARSE = 200


def is_mojibake(text: str) -> bool:
    """Whether the text has many characters that come from decoding with the wrong encoding
    (ftfy's "badness", and U+FFFD).

    >>> is_mojibake("Die Möwen fliegen über den Hafen"), is_mojibake("Die MÃ¶wen fliegen Ã¼ber")
    (False, True)
    """
    sample = text[:_SAMPLE_LENGTH]
    max_signs = len(sample) / _SPARSE
    # Each sign has a character beyond ASCII; most texts have too few of these.
    ascii_text = sample.encode("ascii", "ignore")
    if len(sample) - len(ascii_text) <= max_signs:
        return False
    from ftfy.badness import badness  # imports tables of terminals

    signs = badness(sample) + sample.count("\ufffd")
    return signs > max_signs


#: A page above one of these may take long: bytes, tags, and attributes of one tag.  Of 2,842 pages
#: of the development set, 0.2% have more tags or bytes, and none has such a tag.
LARGE = 1_000_000
MANY_TAGS = 8_000
MANY_ATTRIBUTES = 200
#: A page of fewer bytes is within all bounds: its tags, were they all like ``<p>``, cost little,
#: and 10,000 attributes take 0.2 s.
_SMALL = 32_000

#: Bytes, and tags, of pages that are read in a thread; a page of few bytes has few tags.
_BULKY = 500_000
_COMPACT = 30_000
_MANY_ELEMENTS = 2_000

#: A tag with too many attributes, as HTML's tokenizer reads it.  Possessive quantifiers, and names
#: that end at a "<" (what follows counts as another one), keep the search linear.
_LONG_TAG = re.compile(
    rb"""<[a-zA-Z][^\s/><]*+
    (?: [\s/]*+ [^\s/>][^\s/><=]*+
        (?: \s*+ = \s*+ (?: "[^"]*+" | '[^']*+' | [^\s><]*+ ) )?+
    ){%d}+"""
    % MANY_ATTRIBUTES,
    re.VERBOSE,
)


def has_many_elements(body: bytes) -> bool:
    """Whether walks over the elements of the page take so long that an event loop should not wait
    for them (some 50 ms).

    >>> has_many_elements(b"<p>a" * 20_000), has_many_elements(b"<p>" + b"a" * 100_000)
    (True, False)
    """
    if len(body) > _BULKY:
        return True
    return len(body) > _COMPACT and body.count(b"<") > _MANY_ELEMENTS


def may_be_slow(body: bytes) -> bool:
    """Whether parsing the page, or extracting from it, may take long.

    ``body``: in an encoding that has ASCII characters as ASCII does.  Cost: about 1 us for a
    kilobyte of a page above 32 KB, nothing below.

    >>> may_be_slow(b"<p>" + b"a" * 50_000), may_be_slow(b"<p " + b"a " * 50_000 + b">")
    (False, True)
    """
    if len(body) < _SMALL:
        return False
    if len(body) > LARGE or body.count(b"<") > MANY_TAGS:
        return True
    return _LONG_TAG.search(body) is not None
