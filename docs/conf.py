"""Sphinx configuration: ``sphinx-build -W -n docs docs/_build``."""

from __future__ import annotations

import forest_scrapy

project = "forest-scrapy"
version = release = forest_scrapy.__version__
copyright = "the forest-scrapy authors"

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"forest-scrapy {version}"

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"

# References to the public names must resolve; annotations also name other types.
nitpicky = True
nitpick_ignore_regex = [
    ("py:class", r"(?!forest_scrapy\.).*"),
    ("py:class", r"forest_scrapy\.\w+(\.\w+)*\.\w+\.\w+"),
]
