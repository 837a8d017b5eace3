"""The encoding of bytes is that with which a crawl reads them."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

from forest_scrapy.core import Page
from forest_scrapy.core.encoding import decode_html, detect_encoding, detect_utf16
from forest_scrapy.responses.conversion import repair_encoding

_TEXT = "<html><head>{}<title>Größe</title></head><body><p>Straße"
_META = '<meta charset="{}">'
CASES = {
    "utf-8": _TEXT.format(_META.format("utf-8")).encode(),
    "no declaration": _TEXT.format("").encode(),
    "windows-1252": _TEXT.format(_META.format("windows-1252")).encode("cp1252"),
    "detected windows-1252": _TEXT.format("").encode("cp1252"),
    "utf-8 declared as latin-1": _TEXT.format(_META.format("iso-8859-1")).encode(),
    "shift_jis": f"<head>{_META.format('shift_jis')}</head><p>港の船".encode("shift_jis"),
    "gb2312": f"<head>{_META.format('gb2312')}</head><p>港口的船".encode("gb18030"),
    "koi8-r": f"<head>{_META.format('koi8-r')}</head><p>лодки".encode("koi8-r"),
    "utf-16": b"\xff\xfe" + _TEXT.format("").encode("utf-16-le"),
    "byte order mark": _TEXT.format("").encode("utf-8-sig"),
    "hex is no encoding": _TEXT.format(_META.format("hex")).encode("cp1252"),
    "ascii": b"<p>Boats",
    "empty": b"",
    "zeros": bytes(200),
}


@pytest.mark.parametrize("name", CASES)
def test_as_a_crawl_reads_it(name: str) -> None:
    response = repair_encoding(HtmlResponse("http://a.example/", body=CASES[name]))
    assert isinstance(response, HtmlResponse)
    assert decode_html(CASES[name]).lstrip("\ufeff") == response.text.lstrip("\ufeff")


@pytest.mark.parametrize("name", ["utf-8", "windows-1252", "utf-8 declared as latin-1", "utf-16"])
def test_bytes_as_a_page(name: str) -> None:
    page = Page.from_html(CASES[name], "http://a.example/")
    assert page.root.findtext(".//title") == "Größe"


RUSSIAN = "Старый мост через реку закрыли, потому что смотритель маяка ждёт лодки с севера. " * 3
OTHERS = {
    ("ru", "cp1251"): RUSSIAN,
    ("ru", "koi8_r"): RUSSIAN,
    ("el", "cp1253"): "Οι βάρκες φτάνουν στο λιμάνι πριν από την αυγή. " * 3,
    ("pl", "cp1250"): "Łodzie wracają do portu, zanim wzejdzie słońce, późną nocą. " * 3,
    ("pl", "iso8859_2"): "Łodzie wracają do portu, zanim wzejdzie słońce, późną nocą. " * 3,
    ("tr", "cp1254"): "Tekneler güneş doğmadan önce limana döner, ışıklar yanar. " * 3,
    ("ja", "cp932"): "船は日の出前に港に戻ります。灯台の守り人が待っています。",
    ("ja", "euc_jp"): "船は日の出前に港に戻ります。灯台の守り人が待っています。",
    ("zh", "gb18030"): "日出之前船只回到港口,灯塔的看守人在等待。",
    ("zh", "big5"): "日出之前船隻回到港口,燈塔的看守人在等待。",
    ("ko", "euc_kr"): "배들은 해가 뜨기 전에 항구로 돌아온다. 등대지기가 기다린다.",
    ("ar", "cp1256"): "تعود القوارب إلى الميناء قبل شروق الشمس وينتظرها حارس المنارة",
    ("fr", "cp1252"): "Les bateaux rentrent au port à l’aube, là où le gardien est resté. " * 3,
}


@pytest.mark.parametrize(("language", "encoding"), OTHERS)
def test_a_page_whose_bytes_are_not_in_the_declared_encoding_is_read(
    language: str, encoding: str
) -> None:
    text = OTHERS[language, encoding]
    body = f'<html lang={language}><meta charset="utf-8"><p>{text}</p>'.encode(encoding)
    assert text in decode_html(body)
    assert text in decode_html(body, "text/html; charset=utf-8")
    response = repair_encoding(HtmlResponse("http://a.example/", body=body))
    assert isinstance(response, HtmlResponse)
    assert text in response.text


def test_russian_declared_as_latin_is_read() -> None:
    body = f"<p>{RUSSIAN}".encode("cp1251")
    assert RUSSIAN in decode_html(body, "text/html; charset=iso-8859-1")


def test_a_single_letter_beyond_ascii_is_western() -> None:
    body = b'<html><meta charset="utf-8"><p>' + "The boat of Luleå is late. ".encode("cp1252")
    assert "Luleå" in decode_html(body)


def test_a_broken_character_does_not_change_the_encoding() -> None:
    line = "<p>Größe und Möwen, über den Hafen." * 20
    body = line.encode() + b"\xff" + line.encode()
    assert detect_encoding(body, "utf-8") == ""
    assert detect_encoding(body, "cp1252") == "utf-8"


@pytest.mark.parametrize("body", [b"", b"Boats", b"\xff", bytes(range(256)), b"\x80" * 10_000])
def test_any_bytes_are_read(body: bytes) -> None:
    assert isinstance(decode_html(body), str)


_WIDE = "<!DOCTYPE html><html lang=de><title>Über uns</title><p>Die Häuser am Hafen: 港"


@pytest.mark.parametrize("name", ["utf-16-be", "utf-16-le"])
@pytest.mark.parametrize("declared", ["utf-16", "utf-16be", ""])
def test_utf_16_without_a_byte_order_mark(name: str, declared: str) -> None:
    """In the order that its bytes have, whatever is declared."""
    content_type = f"text/html; charset={declared}" if declared else ""
    assert decode_html(_WIDE.encode(name), content_type) == _WIDE
    assert detect_utf16(_WIDE.encode(name)) == name


@pytest.mark.parametrize("body", [b"", b"a", bytes(600), b"<p>a\0b" * 90, _WIDE.encode("utf-16")])
def test_what_is_not_utf_16_without_a_mark(body: bytes) -> None:
    assert detect_utf16(body) == ""
