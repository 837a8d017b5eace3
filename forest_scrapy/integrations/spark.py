"""Apache Spark: wrappers and articles of pages in a DataFrame.

    wrappers = learn_wrappers(pages)
    articles = extract_articles(pages, wrappers)

or, for threads, products and listings, with ``settings`` whose ``kinds`` have these,

    items = extract_items(pages, wrappers, settings)

``pages`` has the columns ``url`` (text) and ``html`` (text or bytes), and may have ``status``,
``fetched_at`` and ``headers`` (a map).  ``pip install 'forest-scrapy[spark]'``; Spark needs Java.

Pages are never all of one host in a task: wrappers are learned from a bounded sample of each host,
the first pages by a digest of their URL, and pages are extracted in groups of bounded size.  The
result does not depend on how the pages are partitioned.
"""

import json
from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, GroupedData, SparkSession, Window
from pyspark.sql import functions as sql

from forest_scrapy.integrations import spark_tasks as tasks
from forest_scrapy.settings import BadSetting, ForestSettings, read_settings

#: Pages of a host that its wrappers are learned from: 25 templates with the 10 pages each that
#: a wrapper is learned from.
SAMPLE = 250
#: Pages that a task extracts at a time, at most: with 50 KB each, some 25 MB.
GROUP = 500


def learn_wrappers(
    pages: DataFrame,
    settings: ForestSettings | None = None,
    *,
    are_articles: bool = False,
    sample: int = SAMPLE,
) -> DataFrame:
    """One row for each host: ``host`` and ``plan``, which has the host's wrappers as JSON.

    ``are_articles``: whether all pages are known to be articles.  ``sample``: pages of a host
    that are looked at.  Two shuffles: of the keys of pages, and of the samples.
    """
    settings = settings or ForestSettings()
    first_keys = _keys_of(pages).mapInPandas(
        lambda frames: tasks.first_keys(frames, sample),
        "host string, key string",
    )
    keys_of_host = Window.partitionBy("host").orderBy("key")
    rank = sql.row_number().over(keys_of_host)
    first_keys = first_keys.distinct()
    first_keys = first_keys.withColumn("rank", rank)
    first_keys = first_keys.filter(sql.col("rank") <= sample)

    last_key = sql.max("key").alias("last")
    last_keys = first_keys.groupBy("host").agg(last_key)
    sampled = _with_keys(pages).join(last_keys, "host")
    is_in_sample = sql.col("key") <= sql.col("last")
    sampled = sampled.filter(is_in_sample).drop("last")
    return sampled.groupBy("host").applyInPandas(
        lambda frame: tasks.learn_host(frame, settings, are_articles),
        tasks.PLAN,
    )


def extract_articles(
    pages: DataFrame,
    wrappers: DataFrame,
    settings: ForestSettings | None = None,
    *,
    are_articles: bool = False,
    with_reasons: bool = False,
) -> DataFrame:
    """One row for each article, with the fields of ``Article`` as columns: texts, numbers and
    lists of texts as such, other values as JSON.  Pages of a URL that occurs twice give one.  An
    article over several pages is not joined here; its ``next_page`` says so.

    ``are_articles``: pages that no wrapper is for are articles, too, and extracted by themselves.
    ``with_reasons``: also a row for each page without an article, with its ``reason``.
    Raises ``BadSetting`` if ``settings.kinds`` has other kinds, or ``settings.item`` names another
    class; ``extract_items`` gives these.
    """
    settings = settings or ForestSettings()
    if settings.item != "article":
        raise BadSetting("item", settings.item, "'article' here; extract_items gives the others")
    if settings.wants_records:
        raise BadSetting("kinds", settings.kinds, "('article',) here; extract_items has the others")
    groups, plans = _grouped(pages, wrappers)
    articles = groups.cogroup(plans).applyInPandas(
        lambda group, plan: tasks.extract_group(group, plan, settings, are_articles),
        tasks.articles_schema(),
    )
    return articles if with_reasons else _without_reasons(articles)


def extract_items(
    pages: DataFrame,
    wrappers: DataFrame,
    settings: ForestSettings,
    *,
    are_articles: bool = False,
    with_reasons: bool = False,
) -> DataFrame:
    """One row for each item of the kinds in ``settings.kinds``, with ``url``, ``kind`` and
    ``item``, which has its fields as JSON.  Options as in ``extract_articles``.

    The pages of a thread, or of an article, become one item.  All pages of such items of a host,
    without those of a single page, are in one task for that: some 10 KB each.
    """
    groups, plans = _grouped(pages, wrappers)
    parts = groups.cogroup(plans).applyInPandas(
        lambda group, plan: tasks.extract_parts(group, plan, settings, are_articles),
        tasks.PARTS,
    )
    items = parts.groupBy("host", "part").applyInPandas(
        lambda part: tasks.join_parts(part, settings),
        tasks.ITEMS,
    )
    return items if with_reasons else _without_reasons(items)


def _without_reasons(items: DataFrame) -> DataFrame:
    """The rows of items, without those of pages that have none."""
    return items.filter("reason = ''").drop("reason")


def _grouped(
    pages: DataFrame,
    wrappers: DataFrame,
) -> tuple[GroupedData, GroupedData]:
    """The pages of each host in groups of bounded size, and the host's plan for each group."""
    count = sql.col("count")
    counts = _keys_of(pages).groupBy("host").count()
    counts = counts.filter(count > GROUP)
    parts = sql.ceil(count / GROUP).cast("bigint").alias("parts")
    large_hosts = sql.broadcast(counts.select("host", parts))
    one_part = sql.lit(1).cast("bigint")
    part_count = sql.coalesce(sql.col("parts"), one_part)

    part = sql.pmod(sql.xxhash64("key"), part_count)
    groups = _with_keys(pages).join(large_hosts, "host", "left")
    groups = groups.withColumn("part", part).drop("parts")

    first_part = sql.lit(0).cast("bigint")
    part_numbers = sql.sequence(first_part, part_count - 1)
    plans = wrappers.join(large_hosts, "host", "left")
    plans = plans.withColumn("part", sql.explode(part_numbers)).drop("parts")
    return groups.groupBy("host", "part"), plans.groupBy("host", "part")


def read_warcs(
    spark: SparkSession,
    files: Sequence[str],
    max_bytes: int = 10_000_000,
) -> DataFrame:
    """The pages of WARC files, a task for each file.  The files have to be at the same path on
    all machines, as on a shared or mounted file system."""
    rows = [(file,) for file in files]
    names = spark.createDataFrame(rows, "file string")
    partition_count = max(len(files), 1)
    partitions = names.repartition(partition_count, "file")

    def read(frames: tasks.Frames) -> tasks.Frames:
        return tasks.read_files(frames, max_bytes)

    return partitions.mapInPandas(read, tasks.PAGES)


def _keys_of(pages: DataFrame) -> DataFrame:
    """Host and key of each page; reads the column ``url`` only."""
    return pages.select("url").mapInPandas(tasks.read_keys, "host string, key string")


def _with_keys(pages: DataFrame) -> DataFrame:
    """The pages with the columns that are missing, their host and their key."""
    defaults: dict[str, Any] = {
        "status": sql.lit(200),
        "fetched_at": sql.lit(""),
        "headers": sql.lit(None).cast("map<string,string>"),
        "error": sql.lit(""),
    }
    html = sql.col("html").cast("binary").alias("html")
    has_texts = dict(pages.dtypes)["html"] == "string"
    is_text = sql.lit(has_texts).alias("is_text")
    columns = [sql.col("url"), html, is_text]
    for name, default in defaults.items():
        is_present = name in pages.columns
        column = sql.col(name) if is_present else default.alias(name)
        columns.append(column)
    complete_pages = pages.select(*columns)
    return complete_pages.mapInPandas(
        tasks.add_keys,
        f"{tasks.PAGES}, is_text boolean, host string, key string",
    )


def settings_of(text: str) -> ForestSettings:
    """Settings from a JSON object, as the command takes them; raises ``BadSetting``."""
    settings = {}
    for name, value in json.loads(text).items():
        settings[f"FOREST_{name.upper()}"] = value
    return read_settings(settings)
