"""Articles as text files, one for each article."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.url import strip_url

#: Characters of the readable part of a file's name.
MAX_NAME_LENGTH = 100


class TextFiles:
    """Writes title, URL and text of each article to ``ARTICLES_FOLDER``; disabled if that is not
    set."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        folder = crawler.settings.get("ARTICLES_FOLDER")
        if not folder:
            raise NotConfigured
        return cls(Path(folder))

    def process_item(self, item: Any) -> Any:
        article = ItemAdapter(item)
        if article.get("text"):
            text = f"{article['title']}\n{article['url']}\n\n{article['text']}\n"
            path = self._folder / file_name(article["url"])
            path.write_text(text, encoding="utf-8")
        return item


def file_name(url: str) -> str:
    """A readable file name that is unique to the URL.

    >>> file_name("http://a.example/news/owls.html")
    'a.example-news-owls.html-6e438c82.txt'
    """
    letters = []
    for letter in strip_url(url):
        is_readable = letter.isalnum() or letter == "."
        letters.append(letter if is_readable else "-")
    without_scheme = "".join(letters).split("--")[-1]
    readable = without_scheme.strip("-")[:MAX_NAME_LENGTH]
    digest = blake2b(url.encode(), digest_size=4).hexdigest()
    return f"{readable}-{digest}.txt"
