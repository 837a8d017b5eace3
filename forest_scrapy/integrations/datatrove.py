"""datatrove: an extractor in place of its ``Trafilatura``, with stored wrappers.

    ForestExtractor("wrappers.db")

``forest-scrapy extract ... --save-wrappers wrappers.db`` fills the store.
``pip install datatrove[io,processing]``.
"""

from collections.abc import Iterator
from typing import Any

from datatrove.data import Document, DocumentsPipeline
from datatrove.pipeline.extractors.base import BaseExtractor

from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.batch.work import Task, TaskContext, extract_all, try_rules
from forest_scrapy.settings import ForestSettings


class ForestExtractor(BaseExtractor):  # type: ignore[misc]
    """Replaces the HTML of each document by the text of its item, which is an article unless
    ``kinds`` names others; documents without one are left out.

    ``store``: the file of the wrappers.  The URL of a document, ``metadata["url"]``, tells its
    host; a page without a stored template is extracted by itself, if it looks like an article.
    ``timeout``: seconds for a document, by the clock: more than a page needs on a machine with much
    else to do.  ``settings``: values of ``ForestSettings``; raises ``BadSetting``.
    """

    name = "🌲 Forest"
    _requires_dependencies = ["lxml", "scrapy"]  # noqa: RUF012 - as datatrove declares it

    def __init__(
        self,
        store: str,
        timeout: float = 20,
        **settings: Any,
    ) -> None:
        super().__init__(timeout)
        self._store = store
        self._settings = ForestSettings(**settings)

    def run(
        self,
        data: DocumentsPipeline,
        rank: int = 0,
        world_size: int = 1,
    ) -> Any:
        """As ``BaseExtractor.run``, which hands a tuple's members to ``extract``.  Raises
        ``BadStore`` if there are no wrappers."""
        try_rules(self._store, self._settings)

        def with_urls() -> Iterator[Document]:
            for document in data or ():
                document.text = (document.text, str(document.metadata.get("url") or ""))
                yield document

        yield from super().run(with_urls(), rank, world_size)

    def extract(self, text: str, url: str = "") -> str:
        """The text of the item; ``text``: the HTML of its page."""
        # datatrove's first call, without a text, is to load what takes time.
        raw = RawPage(
            url=url,
            body=text or "<p>Boats are in the harbour.",
            source="",
            headers={"Content-Type": "text/html"},
        )
        context = TaskContext("", self._settings, wrappers=self._store, judges_pages=True)
        (page,) = extract_all(context, [Task(raw)])
        if not text or not page.item:
            return ""
        return page.item.text
