"""The pipeline of this checkout that writes text files."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from forest_scrapy.items import Article
from pipelines.text_files import TextFiles


def test_writes_an_article_to_a_file(tmp_path: Path) -> None:
    crawler = Crawler(Spider, {"ARTICLES_FOLDER": str(tmp_path / "new")})
    article = Article("http://a.example/b", "Title", "First.\nSecond.")
    assert TextFiles.from_crawler(crawler).process_item(article) is article
    (file,) = (tmp_path / "new").iterdir()
    assert file.read_text(encoding="utf-8") == "Title\nhttp://a.example/b\n\nFirst.\nSecond.\n"


def test_is_off_without_a_folder() -> None:
    with pytest.raises(NotConfigured):
        TextFiles.from_crawler(Crawler(Spider, {}))
