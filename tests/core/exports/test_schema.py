"""The JSON schema of rules: it allows what is learned, and refuses what cannot be read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from forest_scrapy.core import learn_rules
from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.exports.schema import write_schema
from forest_scrapy.core.options import Options
from forest_scrapy.core.rules import TemplateRules

from ..helpers import demo_pages

SCHEMA = json.loads(write_schema())


def rules() -> dict[str, Any]:
    options = Options(kinds=("article", "thread"))
    learned: dict[str, Any] = json.loads(learn_rules(demo_pages("news"), options).dumps())
    return learned


def test_each_part_is_described() -> None:
    assert set(rules()) <= set(SCHEMA["properties"])
    assert "the wrapper of articles" in SCHEMA["description"]
    assert "XPath 1.0 expressions" in SCHEMA["$defs"]["Wrapper"]["description"]


def test_the_schema_tells_what_can_be_read() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    learned = rules()
    jsonschema.validate(learned, SCHEMA)
    wrong_values = (
        {"format": 1},
        {"article": {**learned["article"], "keep": "//p"}},
        {"article": {**learned["article"], "kept": []}},
        {"other": 1},
    )
    for values in wrong_values:
        changed = {**learned, **values}
        with pytest.raises(BadRules):
            TemplateRules.from_dict(changed)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(changed, SCHEMA)
