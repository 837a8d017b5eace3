"""Formats of Scrapy's feed exports: ``-O articles.parquet``, ``.sqlite``, ``.rss`` and others."""

from importlib.util import find_spec

from scrapy.settings import BaseSettings

from forest_scrapy.settings import BadSetting

__all__ = [
    "FOLDER",
    "NAMED_FILES",
    "NEEDED",
    "NEW_FORMATS",
    "REPLACED_FORMATS",
    "add_formats",
    "check_packages",
    "how_to_get",
    "is_by_site",
]

#: The format of a folder of Markdown.
FOLDER = "folder"
#: Formats of Scrapy: its exporter of each, and the one that replaces it.
REPLACED_FORMATS = {
    **dict.fromkeys(
        ("jsonlines", "jsonl", "jl"),
        (
            "scrapy.exporters.JsonLinesItemExporter",
            "forest_scrapy.exporters.text_formats.FlushedJsonLinesItemExporter",
        ),
    ),
    "csv": (
        "scrapy.exporters.CsvItemExporter",
        "forest_scrapy.exporters.csv_tables.FlushedCsvItemExporter",
    ),
    "xml": (
        "scrapy.exporters.XmlItemExporter",
        "forest_scrapy.exporters.text_formats.PlainXmlItemExporter",
    ),
}
#: Formats that Scrapy does not have, by name, which is also the ending of the file's name.
NEW_FORMATS = {
    "rss": "forest_scrapy.exporters.feeds.RssItemExporter",
    "atom": "forest_scrapy.exporters.feeds.AtomItemExporter",
    "parquet": "forest_scrapy.exporters.tables.ParquetItemExporter",
    "sqlite": "forest_scrapy.exporters.tables.SqliteItemExporter",
    "nt": "forest_scrapy.exporters.graphs.NTriplesItemExporter",
    "ttl": "forest_scrapy.exporters.graphs.TurtleItemExporter",
    "jsonld": "forest_scrapy.exporters.graphs.JsonLdItemExporter",
    "txt": "forest_scrapy.exporters.text_formats.TextItemExporter",
    "md": "forest_scrapy.exporters.text_formats.MarkdownItemExporter",
    "html": "forest_scrapy.exporters.text_formats.HtmlItemExporter",
    "bulk": "forest_scrapy.exporters.text_formats.BulkItemExporter",
    FOLDER: "forest_scrapy.exporters.folders.FolderItemExporter",
    "llms": "forest_scrapy.exporters.llms.LlmsItemExporter",
    "llms-full": "forest_scrapy.exporters.llms.LlmsFullItemExporter",
    "db": "forest_scrapy.exporters.tables.SqliteItemExporter",
}
#: Formats of files with these names.
NAMED_FILES = {"llms.txt": "llms", "llms-full.txt": "llms-full"}
#: The package that a format needs, which is also how it is imported.
NEEDED = {"parquet": "pyarrow", "ttl": "rdflib"}
#: What stands for the site in the name of an export that has a file for each.
SITE = "%(site)s"
#: The extra of a package.
EXTRAS = {"pyarrow": "parquet", "rdflib": "graph"}


def add_formats(settings: BaseSettings) -> None:
    """Add the formats that Scrapy does not have, unless the project has exporters of them."""
    exporters = settings["FEED_EXPORTERS"]
    base = settings.getwithbase("FEED_EXPORTERS")
    for name, exporter in NEW_FORMATS.items():
        if name not in base:
            exporters.set(name, exporter, priority="addon")


def check_packages(settings: BaseSettings) -> None:
    """Raise ``BadSetting`` for an export in a format without the package for it."""
    for uri, options in settings.getdict("FEEDS").items():
        package = NEEDED.get(options.get("format"))
        if package and find_spec(package) is None:
            raise BadSetting("FEEDS", str(uri), f"another format, unless you {how_to_get(package)}")


def is_by_site(settings: BaseSettings) -> bool:
    """Whether an export has a file for each site."""
    return any(SITE in str(uri) for uri in settings.getdict("FEEDS"))


def how_to_get(package: str) -> str:
    """
    >>> how_to_get("rdflib")
    "pip install rdflib (or '.[graph]' in the checkout)"
    """
    return f"pip install {package} (or '.[{EXTRAS[package]}]' in the checkout)"
