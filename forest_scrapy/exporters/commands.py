"""``scrapy crawl`` and ``scrapy runspider`` with the formats of the add-on."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from scrapy.commands import BaseRunSpiderCommand, crawl, runspider
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from forest_scrapy.exporters import FOLDER, NAMED_FILES

#: The argument of each spider that says what is crawled.
_MAIN_ARGUMENTS = {
    "feeds": "feeds",
    "form": "url",
    "records": "url",
    "refresh": "host",
    "site": "url",
}


class _WithFormats(BaseRunSpiderCommand):
    """Scrapy's command, whose ``-o`` and ``-O`` know the formats of the add-on."""

    def process_options(self, args: list[str], opts: Namespace) -> None:
        assert self.settings is not None
        if _has_addon(self.settings):
            from forest_scrapy.exporters import add_formats

            add_formats(self.settings)  # Scrapy checks the formats before it loads add-ons
            opts.output = with_formats(opts.output)
            opts.overwrite_output = with_formats(opts.overwrite_output)
        super().process_options(args, opts)


class Crawl(_WithFormats, crawl.Command):
    """``scrapy crawl``."""

    def run(self, args: list[str], opts: Namespace) -> None:
        assert self.settings is not None and self.crawler_process is not None
        if len(args) > 1 and _has_addon(self.settings):
            spiders = self.crawler_process.spider_loader.list()
            if args[0] in spiders:
                raise UsageError(describe_argument(args[0], args[1:]))
        super().run(args, opts)


class RunSpider(_WithFormats, runspider.Command):
    """``scrapy runspider``."""


def _has_addon(settings: BaseSettings) -> bool:
    for addon in settings.getdict("ADDONS"):
        module = str(getattr(addon, "__module__", addon))
        if module.partition(".")[0] == "forest_scrapy":
            return True
    return False


def with_formats(outputs: Sequence[str] | None) -> list[str] | None:
    """Outputs with the formats that their names stand for, beside those of endings.

    >>> with_formats(["notes/", "out/llms.txt", "a.jsonl"])
    ['notes/:folder', 'out/llms.txt:llms', 'a.jsonl']
    """
    if outputs is None:
        return None
    named = []
    for output in outputs:
        format_name = NAMED_FILES.get(Path(output).name, "")
        if output.endswith("/"):
            format_name = FOLDER
        named.append(f"{output}:{format_name}" if format_name else output)
    return named


def describe_argument(spider: str, words: Sequence[str]) -> str:
    """What to write instead of words behind the name of a spider.

    >>> describe_argument("feeds", ["https://a.example/feed", "https://b.example/feed"])
    'name what to crawl by an argument: crawl feeds -a feeds=https://a.example/feed,https://b.example/feed'
    >>> describe_argument("site", ["--url=https://a.example/", "--max_pages", "9"])
    'name what to crawl by an argument: crawl site -a url=https://a.example/ -a max_pages=9'
    """
    main_name = _MAIN_ARGUMENTS.get(spider, "NAME")
    values: dict[str, list[str]] = {}
    name = main_name
    for word in words:
        if not word.startswith("--"):
            values.setdefault(name, []).append(word)
            name = main_name
            continue
        name, has_value, value = word.removeprefix("--").partition("=")
        if has_value:
            values.setdefault(name, []).append(value)
            name = main_name
    arguments = [f"-a {name}={','.join(texts)}" for name, texts in values.items()]
    if not arguments:
        arguments = [f"-a {name}=VALUE"]
    return f"name what to crawl by an argument: crawl {spider} {' '.join(arguments)}"
