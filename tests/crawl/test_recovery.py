"""Recovery after a killed run."""

from __future__ import annotations

import csv
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.core.changes import summarize_text
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.crawl.feed_history import HistoryOptions
from forest_scrapy.crawl.history import CrawlHistory, is_same_text
from forest_scrapy.crawl.recovery import (
    DamagedExport,
    configured_exports,
    read_exported,
    read_tail,
    recover_job,
)
from forest_scrapy.items import Article, ArticlePage, Item, Listing, Product, Thread, WebPage
from forest_scrapy.responses.conversion import spool_page
from forest_scrapy.stores import Export, HistoryStore, PageRecord, Spool

from .test_history import make_item

URLS = ("http://a.example/1", "http://a.example/2")


def add_pages(spool: Spool) -> None:
    for url in URLS:
        response = HtmlResponse(url, body=b"<p>a", encoding="utf-8")
        spool.add(spool_page(ArticlePage.from_response(response)))


def recover(folder: Path, *exports: Export, **settings: Any) -> list[bool]:
    """Whether each page is pending after the recovery of a killed run that had these exports."""
    history = HistoryStore(str(folder / "history.db"))
    with closing(Spool(str(folder / "spool.db"))) as spool, closing(history):
        add_pages(spool)
        spool.run.write_exports(exports)
        recover_job(folder, Settings(settings), spool, history)
        assert spool.run.was_recovered
        return [spool.is_pending(page_key(url)) for url in URLS]


def test_an_exported_article_is_done_and_an_incomplete_line_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    complete = json.dumps({"url": URLS[0]}) + "\n"
    path.write_text(complete + json.dumps({"url": URLS[1]})[:-4], encoding="utf-8")
    assert recover(tmp_path, Export(str(path), "jsonlines", 0)) == [False, True]
    assert path.read_text(encoding="utf-8") == complete


def test_an_incomplete_line_is_removed_however_long_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    complete = json.dumps({"url": URLS[0]}) + "\n"
    path.write_text(complete + '{"url": "' + URLS[1] + "x" * 5_000_000, encoding="utf-8")
    assert recover(tmp_path, Export(str(path), "jsonlines", 0)) == [False, True]
    assert path.read_text(encoding="utf-8") == complete


def test_lines_before_the_recorded_size_are_not_read(tmp_path: Path) -> None:
    """They may be of another crawl that has exported the same pages."""
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"url": url}) + "\n" for url in URLS]
    path.write_text("".join(lines), encoding="utf-8")
    assert recover(tmp_path, Export(str(path), "jsonlines", len(lines[0]))) == [True, False]


@pytest.mark.parametrize(
    ("end", "pending"),
    [
        (f'{URLS[1]},"two\nlines, ""quoted"""\r\n', [False, False]),
        (f'{URLS[1]},"two\nlines', [False, True]),
        (f'{URLS[1]},"two"', [False, True]),
        ("", [False, True]),
    ],
)
def test_csv(tmp_path: Path, end: str, pending: list[bool]) -> None:
    path = tmp_path / "a.csv"
    complete = f'url,text\r\n{URLS[0]},"a\nb"\r\n'
    path.write_bytes((complete + end).encode())
    assert recover(tmp_path, Export(str(path), "csv", 0)) == pending
    kept = complete if pending[1] else complete + end
    assert path.read_bytes() == kept.encode()


def test_exported_pages_that_the_spool_does_not_know_are_done(tmp_path: Path) -> None:
    """Their transaction was not committed."""
    path, url = tmp_path / "a.jsonl", "http://a.example/3"
    path.write_text(json.dumps({"url": url}) + "\n", encoding="utf-8")
    recover(tmp_path, Export(str(path), "jsonlines", 0))
    with closing(Spool(str(tmp_path / "spool.db"))) as spool:
        assert spool.knows(page_key(url))
        assert not spool.is_pending(page_key(url))


def test_an_export_that_is_gone(tmp_path: Path) -> None:
    export = Export(str(tmp_path / "a.jsonl"), "jsonlines", 9)
    assert recover(tmp_path, export) == [True, True]


def test_the_requests_of_the_killed_run_are_forgotten(tmp_path: Path) -> None:
    """The queue cannot be read, and what was in it must not count as seen."""
    queue, seen = tmp_path / "requests.queue", tmp_path / "requests.seen"
    queue.mkdir()
    (queue / "active.json").write_text("[]", encoding="utf-8")
    seen.write_bytes(b"seen")
    recover(tmp_path)
    assert not queue.exists()
    assert not seen.exists()


def test_a_lost_spool_is_replaced_by_the_exports(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"url": URLS[0]}) + "\n", encoding="utf-8")
    settings = Settings({"FEEDS": {str(path): {"format": "jsonlines"}}})
    (tmp_path / "spool.db").write_text("no database " * 100)
    history = HistoryStore(str(tmp_path / "history.db"))
    with closing(Spool(str(tmp_path / "spool.db"))) as spool, closing(history):
        recover_job(tmp_path, settings, spool, history)
        assert [spool.knows(page_key(url)) for url in URLS] == [True, False]


def test_a_lost_spool_and_an_export_that_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"url": URLS[0]}) + "\n", encoding="utf-8")
    settings = Settings({"FEEDS": {str(path): {"format": "jsonlines", "overwrite": True}}})
    assert configured_exports(settings) == []


def test_an_exported_article_is_known_to_the_history(tmp_path: Path) -> None:
    """Also one that the spool does not know; what was recorded stays as it is."""
    path, other = tmp_path / "a.jsonl", "http://b.example/3"
    path.write_text("".join(f'{{"url": "{url}"}}\n' for url in (URLS[0], other)), encoding="utf-8")
    recover(tmp_path, Export(str(path), "jsonlines", 0))
    with closing(HistoryStore(str(tmp_path / "history.db"))) as history:
        first, second, last = (history.find(page_key(url)) for url in (URLS[0], URLS[1], other))
        assert first and last
        assert (first.outcome, first.method, first.status) == ("article", "recovered", 200)
        assert (last.outcome, last.method, last.host) == ("article", "recovered", "b.example")
        assert second is None
        assert is_same_text(first, "w", summarize_text("An owl."))
        history.save(replace(last, method="trained"))
    recover(tmp_path, Export(str(path), "jsonlines", 0))
    with closing(HistoryStore(str(tmp_path / "history.db"))) as history:
        assert history.find(page_key(other)) == replace(last, method="trained")


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("jsonlines", '{"a": 1, "b": "x\\ny", "c": 2}\n[3]\n{"a": 2}\n{"a": 3, "b": '),
        ("csv", 'c,a,b\n2,1,"x\ny"\n0,2\n4,3,"z'),
    ],
)
def test_fields_of_all_items_of_an_export(tmp_path: Path, format: str, text: str) -> None:
    path = tmp_path / "items"
    path.write_text(text, encoding="utf-8")
    found = list(read_exported(Export(str(path), format, 0), ("a", "b")))
    assert [(str(item["a"]), item.get("b")) for item in found] == [("1", "x\ny"), ("2", None)]
    assert path.read_text(encoding="utf-8").endswith("\n")
    assert list(read_exported(Export(str(tmp_path / "none"), format, 0), ("a",))) == []


def write_lines(path: Path, *urls: str) -> Export:
    """An export of JSON lines that has these URLs."""
    lines = "".join(json.dumps({"url": url}) + "\n" for url in urls)
    path.write_text(lines, encoding="utf-8")
    return Export(str(path), "jsonlines", 0)


def write_rows(path: Path, *urls: str) -> Export:
    path.write_text("".join(f"{url}\r\n" for url in ("url", *urls)), encoding="utf-8")
    return Export(str(path), "csv", 0)


def test_an_item_that_one_of_the_exports_lacks_is_removed_and_comes_again(tmp_path: Path) -> None:
    exports = (
        write_rows(tmp_path / "a.csv", *URLS),
        write_lines(tmp_path / "b.jsonl", *URLS),
        write_lines(tmp_path / "c.jsonl", URLS[0]),
    )
    assert recover(tmp_path, *exports) == [False, True]
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").split() == ["url", URLS[0]]
    for name in ("b.jsonl", "c.jsonl"):
        assert (tmp_path / name).read_text(encoding="utf-8") == f'{{"url": "{URLS[0]}"}}\n'


def test_the_first_item_of_all_may_be_in_one_export_only(tmp_path: Path) -> None:
    exports = (write_lines(tmp_path / "a.jsonl", URLS[0]), write_lines(tmp_path / "b.jsonl"))
    assert recover(tmp_path, *exports) == [True, True]
    assert (tmp_path / "a.jsonl").read_text(encoding="utf-8") == ""


def test_items_that_a_filter_keeps_out_of_an_export_are_not_lost(tmp_path: Path) -> None:
    """Only the last one may have been interrupted; it comes again, and no other."""
    exports = (write_lines(tmp_path / "a.jsonl", *URLS), write_lines(tmp_path / "b.jsonl"))
    assert recover(tmp_path, *exports) == [False, True]
    assert (tmp_path / "a.jsonl").read_text(encoding="utf-8") == f'{{"url": "{URLS[0]}"}}\n'


def test_a_recorded_item_that_a_filter_keeps_out_of_an_export_stays(tmp_path: Path) -> None:
    exports = (write_lines(tmp_path / "a.jsonl", *URLS), write_lines(tmp_path / "b.jsonl"))
    history = HistoryStore(str(tmp_path / "history.db"))
    with closing(Spool(str(tmp_path / "spool.db"))) as spool, closing(history):
        add_pages(spool)
        spool.finish(page_key(URLS[1]), "article", "trained")
        spool.run.write_exports(exports)
        recover_job(tmp_path, Settings(), spool, history)
    assert len((tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_the_last_item_comes_again_where_graphs_are_written(tmp_path: Path) -> None:
    """It is not known whether the graph has it; statements that occur twice are one."""
    history = HistoryStore(str(tmp_path / "history.db"))
    settings = Settings({"FEEDS": {"a.nt": {"format": "nt"}}})
    export = write_lines(tmp_path / "a.jsonl", *URLS)
    with closing(Spool(str(tmp_path / "spool.db"))) as spool, closing(history):
        add_pages(spool)
        spool.run.write_exports([export])
        recover_job(tmp_path, settings, spool, history)
        assert [spool.is_pending(page_key(url)) for url in URLS] == [False, True]


ARTICLE = {
    "url": URLS[0],
    "title": "Owls",
    "text": "Owls hunt at night.\nThey hear well.",
    "tags": ["owl", "night"],
    "links": [{"url": "http://a.example/l", "text": "More"}],
    "published": "2024-05-01T10:00:00+00:00",
    "fetched_at": "2024-05-01T12:00:00+00:00",
    "type": "article",
}


@pytest.mark.parametrize("format", ["jsonlines", "csv"])
@pytest.mark.parametrize("url", [URLS[0], "http://a.example/unknown"])
def test_the_history_has_the_text_of_an_exported_article(
    tmp_path: Path, format: str, url: str
) -> None:
    """So the rolling feed has it, and a change of it is noticed."""
    path = tmp_path / "a"
    values = {**ARTICLE, "url": url}
    if format == "csv":
        row = {**values, "tags": "owl,night", "links": json.dumps(ARTICLE["links"])}
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            writer.writeheader()
            writer.writerow(row)
    else:
        path.write_text(json.dumps(values) + "\n", encoding="utf-8")
    recover(tmp_path, Export(str(path), format, 0))
    with closing(HistoryStore(str(tmp_path / "history.db"))) as history:
        known = history.find(page_key(url))
        assert known
        assert history.text(known.key) == ARTICLE["text"]
        assert [one.values["tags"] for one in history.latest.read(9)] == [["owl", "night"]]
        assert is_same_text(known, "w", summarize_text(str(ARTICLE["text"])))
        assert not is_same_text(known, "w", summarize_text("Elks are large, and swim far."))


def test_an_exported_thread_is_known_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"type": "thread", "url": URLS[0]}) + "\n", encoding="utf-8")
    recover(tmp_path, Export(str(path), "jsonlines", 0))
    with closing(HistoryStore(str(tmp_path / "history.db"))) as history:
        record = history.find(page_key(URLS[0]))
    assert record is not None
    assert (record.outcome, record.method) == ("article", "thread")


UNKNOWN_URL = "http://a.example/unknown"
LAMP = Product(
    UNKNOWN_URL,
    name="Owl lamp",
    price="89.90",
    currency="EUR",
    availability="in_stock",
    images=["https://res.example/upload/w_200,h_300/owl.jpg", "https://res.example/w_9,h_9/b.jpg"],
    description="A lamp that looks like an owl.",
    attributes=[{"name": "Height", "value": "31"}],
)
LINES = "\n".join(f"Line {n} says that owls number {n * 7} hunt at night." for n in range(9))


def write_export(folder: Path, format: str, values: dict[str, Any]) -> Export:
    path = folder / "all"
    if format == "jsonlines":
        path.write_text(json.dumps(values) + "\n", encoding="utf-8")
        return Export(str(path), format, 0)
    row = {}
    for name, value in values.items():
        is_of_texts = isinstance(value, list) and all(isinstance(part, str) for part in value)
        is_list = isinstance(value, list | dict) and not is_of_texts
        row[name] = ",".join(value) if is_of_texts else json.dumps(value) if is_list else value
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)
    return Export(str(path), format, 0)


def change_since(folder: Path, content: Item, visit: int = 1) -> dict[str, Any]:
    """The change of an item when its page is fetched, with another body at each visit."""
    store = HistoryStore(str(folder / "history.db"))
    stats = MemoryStatsCollector(Crawler(Spider))
    with closing(CrawlHistory(store, stats, HistoryOptions(True))) as history:
        item = make_item(None, content.url, b"<p>%d" % visit)
        content.change = history.compare(item, content)
        history.done(item)
    change = dict(content.change)
    change.pop("since", None)
    return change


@pytest.mark.parametrize("format", ["jsonlines", "csv"])
@pytest.mark.parametrize("names", [("name", "price"), tuple(vars(LAMP))])
def test_fields_that_an_export_does_not_have_are_unknown(
    tmp_path: Path, format: str, names: tuple[str, ...]
) -> None:
    values = {name: getattr(LAMP, name) for name in ("url", "type", *names)}
    recover(tmp_path, write_export(tmp_path, format, values))
    assert change_since(tmp_path, replace(LAMP)) == {"kind": "unchanged"}
    gone = replace(LAMP, availability="out_of_stock", price="79.90")
    price = {"from": "89.90", "to": "79.90"}
    availability = {"from": "in_stock", "to": "out_of_stock"}
    fields = {"price": price, "availability": availability}
    assert change_since(tmp_path, gone, visit=2) == {"kind": "changed", "fields": fields}


def test_texts_that_were_made_safe_for_spreadsheets(tmp_path: Path) -> None:
    lamp = replace(LAMP, name="-5% owl lamp", description="=1+1")
    row = {**vars(lamp), "name": "'-5% owl lamp", "description": "'=1+1"}
    export = write_export(tmp_path, "csv", row)
    assert list(read_exported(export, ["name"], is_csv_safe=True)) == [{"name": lamp.name}]
    assert list(read_exported(export, ["name"])) == [{"name": row["name"]}]
    recover(tmp_path, export, FOREST_CSV_SAFE=True)
    assert change_since(tmp_path, lamp) == {"kind": "unchanged"}


@pytest.mark.parametrize("format", ["jsonlines", "csv"])
@pytest.mark.parametrize(
    "content",
    [
        Article(UNKNOWN_URL, "Owls", LINES, authors=["Bo, Ana", "Cy Dee"], tags=["owl", "a, b"]),
        replace(LAMP, images=["//res.example/w_200,h_300/owl.jpg", "//res.example/b.jpg"]),
    ],
)
def test_texts_with_commas_are_not_told_as_changed(
    tmp_path: Path, format: str, content: Item
) -> None:
    """CSV joins the texts of a list by commas."""
    recover(tmp_path, write_export(tmp_path, format, dict(vars(content))))
    assert change_since(tmp_path, replace(content)) == {"kind": "unchanged"}
    assert change_since(tmp_path, replace(content), visit=2) == {"kind": "unchanged"}
    other = replace(content)
    name = "tags" if isinstance(other, Article) else "images"
    setattr(other, name, ["an elk"])
    assert list(change_since(tmp_path, other, visit=3)["fields"]) == [name]


def test_a_field_that_an_export_has_empty_is_known_to_be_empty(tmp_path: Path) -> None:
    values = {"url": UNKNOWN_URL, "type": "product", "name": "Owl lamp", "price": ""}
    recover(tmp_path, write_export(tmp_path, "jsonlines", values))
    fields = {"price": {"from": "", "to": "89.90"}}
    assert change_since(tmp_path, replace(LAMP)) == {"kind": "changed", "fields": fields}


def test_fields_of_articles_that_an_export_does_not_have_are_unknown(tmp_path: Path) -> None:
    names = ("url", "title", "text", "links", "wrapper_id")
    article = Article(UNKNOWN_URL, "Owls", LINES, wrapper_id="w", tags=["owl"], authors=["Ana Bo"])
    values = {name: getattr(article, name) for name in names}
    recover(tmp_path, write_export(tmp_path, "jsonlines", values))
    assert change_since(tmp_path, article) == {"kind": "unchanged"}


@pytest.mark.parametrize(
    "content",
    [
        LAMP,
        Thread(UNKNOWN_URL, "Owls", LINES),
        Listing(UNKNOWN_URL, "Owls", items=[{"title": "An owl"}]),
        WebPage(UNKNOWN_URL, "Owls", text=LINES),
        Article(UNKNOWN_URL, "Owls", LINES, wrapper_id="w"),
    ],
)
@pytest.mark.parametrize("was_known", [True, False])
def test_an_export_without_what_an_item_is_compared_by(
    tmp_path: Path, content: Item, was_known: bool
) -> None:
    """The item is as it was exported: that is not known, and so no change."""
    if was_known:
        assert change_since(tmp_path, replace(content))["kind"] == "new"
    exported = "2199-01-01T00:00:00+00:00"
    values = {"url": content.url, "type": content.type, "fetched_at": exported}
    recover(tmp_path, write_export(tmp_path, "jsonlines", values))
    assert change_since(tmp_path, replace(content), visit=2) == {"kind": "unchanged"}
    assert change_since(tmp_path, replace(content), visit=3) == {"kind": "unchanged"}


@pytest.mark.parametrize("format", ["jsonlines", "csv"])
@pytest.mark.parametrize(
    "content",
    [
        Thread(UNKNOWN_URL, text=LINES),
        Listing(UNKNOWN_URL, items=[{"title": "An owl, white", "price": "9.00"}, {"url": "/b"}]),
        WebPage(UNKNOWN_URL, text=LINES),
    ],
)
def test_exported_items_of_other_kinds_are_compared(
    tmp_path: Path, format: str, content: Item
) -> None:
    recover(tmp_path, write_export(tmp_path, format, dict(vars(content))))
    assert change_since(tmp_path, replace(content)) == {"kind": "unchanged"}
    other = replace(content, text="Elks are large.")
    if isinstance(other, Listing):
        other.items = [{"title": "A large elk"}]
    assert change_since(tmp_path, other, visit=2)["kind"] == "changed"


def test_values_of_an_export_that_cannot_be_read_count_as_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    values = {**ARTICLE, "tags": 3, "links": [1, {"text": None}], "published": {}, "score": "x"}
    path.write_text(json.dumps(values) + "\n", encoding="utf-8")
    recover(tmp_path, Export(str(path), "jsonlines", 0))
    with closing(HistoryStore(str(tmp_path / "history.db"))) as history:
        assert [one.values["tags"] for one in history.latest.read(9)] == [[]]


def test_an_exported_item_that_says_that_an_article_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    line = {"url": "http://b.example/3", "change": {"kind": "gone"}}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    key = page_key(line["url"])  # type: ignore[arg-type]
    with closing(HistoryStore(str(tmp_path / "history.db"))) as history:
        history.save(PageRecord(key, "b.example", "http://b.example/3", 1, 1, outcome="article"))
    recover(tmp_path, Export(str(path), "jsonlines", 0))
    with closing(HistoryStore(str(tmp_path / "history.db"))) as history:
        known = history.find(key)
        assert known
        assert known.outcome == "gone"


def test_files_of_sites_are_found_when_the_spool_is_lost(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.example.jsonl", URLS[0])
    uri = str(tmp_path / "%(site)s.jsonl")
    settings = Settings({"FEEDS": {uri: {"format": "jsonlines"}}})
    exports = configured_exports(settings)
    assert exports == [Export(str(tmp_path / "a.example.jsonl"), "jsonlines", 0)]


OPEN_ROW = b'url,text\r\nhttp://a.example/0,"half a te\r\n'
ROWS = b"".join(b"http://a.example/%d,Owls\r\n" % number for number in range(1, 11))


@pytest.mark.parametrize("end", [b"", b'http://a.example/11,"two\nlin', b"http://a.exa"])
def test_an_open_quotation_mark_costs_no_rows_of_a_csv_file(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(OPEN_ROW + ROWS + end)
    for size in (len(OPEN_ROW), len(OPEN_ROW + ROWS)):
        items = list(read_tail(Export(str(path), "csv", size)))
        assert len(items) == (10 if size == len(OPEN_ROW) else 0)
        assert path.read_bytes() == OPEN_ROW + ROWS


@pytest.mark.parametrize("size", [0, 10_000])
def test_what_looks_like_rows_after_an_open_quotation_mark_is_not_removed(
    tmp_path: Path, size: int
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(OPEN_ROW + ROWS)
    with pytest.raises(DamagedExport, match="half a te"):
        list(read_tail(Export(str(path), "csv", size)))
    assert path.read_bytes() == OPEN_ROW + ROWS


def test_a_quotation_mark_within_a_value_is_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    content = 'url,text\r\nhttp://a.example/1,27" screen\r\nhttp://a.example/2,b\r\n'
    path.write_bytes(content.encode())
    export = Export(str(path), "csv", 0)
    assert [item["text"] for item in read_exported(export, ("text",))] == ['27" screen', "b"]
    assert [item.values["text"] for item in read_tail(export)] == ['27" screen', "b"]
    assert path.read_bytes() == content.encode()


def test_of_the_file_of_a_person_no_more_than_the_last_line_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    content = b'name,size\r\nscreen,"27\r\nkeyboard\r\nmouse\r\n'
    path.write_bytes(content)
    with pytest.raises(DamagedExport, match="screen"):
        list(read_exported(Export(str(path), "csv", 0), ("name",)))
    assert path.read_bytes() == content


def test_a_complete_last_line_without_its_end_gets_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    content = '{"url": "http://a.example/1"}\n{"url": "http://a.example/2"}'
    first_size = content.index("\n") + 1
    for size in (0, first_size):
        path.write_text(content, encoding="utf-8")
        items = list(read_tail(Export(str(path), "jsonlines", size)))
        assert items[-1].url == "http://a.example/2"
        assert path.read_text(encoding="utf-8") == content + "\n"
    path.write_text(content, encoding="utf-8")
    assert len(list(read_exported(Export(str(path), "jsonlines", 0), ("url",)))) == 2
    assert path.read_text(encoding="utf-8") == content + "\n"


def test_a_line_that_was_complete_is_not_removed(tmp_path: Path) -> None:
    """What is before the recorded size is of an earlier crawl, or of a person."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"url": "http://a.example/1"}\n{"url": ', encoding="utf-8")
    size = path.stat().st_size
    assert list(read_tail(Export(str(path), "jsonlines", size))) == []
    assert path.stat().st_size == size
