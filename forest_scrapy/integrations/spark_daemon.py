"""The process that Spark forks its Python workers from, with what they need imported and loaded.

``spark_job`` names it in ``spark.python.daemon.module``.  Otherwise each worker imports
and loads this itself.
"""

from pyspark.daemon import manager

from forest_scrapy.batch.work import load_models
from forest_scrapy.integrations import spark_tasks  # noqa: F401 - for the workers

if __name__ == "__main__":
    load_models()
    manager()
