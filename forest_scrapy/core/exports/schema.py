"""The format of ``TemplateRules`` as a JSON schema, for programs that read stored rules."""

import json
from dataclasses import fields
from typing import Any

import msgspec

from forest_scrapy.core.rules import FORMAT, TemplateRules, type_of_part

#: The version of JSON Schema that the document is in.
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def write_schema() -> str:
    """The schema, made of the types that the rules are read with; keys that it does not name are
    refused, as ``TemplateRules.from_dict`` refuses them."""
    names = [field.name for field in fields(TemplateRules)]
    types = [type_of_part(name) for name in names]
    schemas, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for definition in definitions.values():
        if definition.get("type") == "object":
            definition["additionalProperties"] = False
            definition["description"] = " ".join(str(definition.get("description", "")).split())
    parts = dict(zip(names, schemas, strict=True))
    properties: dict[str, Any] = {"format": {"const": FORMAT}, **parts}
    document = {
        "$schema": _DIALECT,
        "title": "TemplateRules",
        "description": " ".join(str(TemplateRules.__doc__).split()),
        "type": "object",
        "properties": properties,
        "required": ["format"],
        "additionalProperties": False,
        "$defs": dict(sorted(definitions.items())),
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
