"""The main text of pages that are neither articles nor threads: products, lists and others.

    read_main_text(page) -> Extract

It is often in many places on a page, between what is not, so there is no block to choose as for
articles.  A classifier scores each segment, a second one corrects it by what surrounds the segment
(``context``), and as many of the likeliest are kept as give the highest expected F1.  Each page is
read by itself: what the other pages of its template have adds nothing (0.001 of F1).  ``python -m
benchmarks.train_main_text`` makes the model file.
"""

from forest_scrapy.core.records.main_text.classifier import (
    MainTextClassifier,
    default_main_text_classifier,
)
from forest_scrapy.core.records.main_text.reading import read_main_text

__all__ = ["MainTextClassifier", "default_main_text_classifier", "read_main_text"]
