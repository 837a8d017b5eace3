"""What Spark's tasks know of the templates of a host, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forest_scrapy.core import Fingerprint, RecordWrapper, Wrapper
from forest_scrapy.runtime.templates.recognition import HostTemplates
from forest_scrapy.runtime.templates.template import Template
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import NotedTemplate, StoredWrapper

__all__ = ["NO_PLAN", "HostPlan", "write_plan"]

#: The plan of a host without one.
NO_PLAN = '{"templates": [], "assigned": {}}'


@dataclass(frozen=True)
class HostPlan:
    """The templates of a host by id; ``assigned``: the ids of the pages of the sample by key,
    ``""`` for pages that are not articles."""

    by_id: dict[str, Template]
    assigned: dict[str, str]
    templates: HostTemplates

    @classmethod
    def from_json(cls, host: str, plan: str, settings: ForestSettings) -> HostPlan:
        """From the column ``plan`` of ``learn_wrappers``."""
        value = json.loads(plan)
        templates = HostTemplates(host, settings, map(_stored, value["templates"]))
        templates.measure()
        by_id = {one.id: one for one in templates.templates.values()}
        for one in value["templates"]:
            if template := by_id.get(one["id"]):
                _add_records(template, one)
        return cls(by_id, value["assigned"], templates)


def write_plan(
    learned: Mapping[str, NotedTemplate],
    features: Mapping[str, Fingerprint],
    assigned: Mapping[str, str],
) -> str:
    """The plan of a host as JSON.  ``learned``: its templates by key; ``features``: fingerprints by
    their digest; ``assigned``: the keys of templates by those of pages."""
    templates = [
        {**_describe(one), "fingerprints": [features[d].to_bytes().hex() for d in one.digests]}
        for one in learned.values()
    ]
    ids = {page: learned[key].id if key in learned else "" for page, key in assigned.items()}
    return json.dumps({"templates": templates, "assigned": ids})


def _describe(learned: NotedTemplate) -> dict[str, Any]:
    """What was learned of a template; without what is the same for all if only articles are."""
    comments = RecordWrapper((learned.comments,)) if learned.comments else None
    given = {"records": learned.records, "comments": comments}
    others = {} if learned.is_of_articles else {"is_of_articles": False}
    return {
        "id": learned.id,
        "wrapper": learned.wrapper.to_dict() if learned.wrapper else None,
        **others,
        **{name: one.to_dict() for name, one in given.items() if one},
    }


def _stored(value: Mapping[str, Any]) -> StoredWrapper:
    features = (Fingerprint.from_bytes(bytes.fromhex(one)) for one in value["fingerprints"])
    return StoredWrapper(value["id"], Wrapper.from_dict(value["wrapper"]), tuple(features))


def _add_records(template: Template, value: Mapping[str, Any]) -> None:
    template.sample = ()  # it was learned from these pages
    template.is_of_articles = value.get("is_of_articles", True)
    if records := value.get("records"):
        template.records = RecordWrapper.from_dict(records)
    if comments := value.get("comments"):
        template.comments = RecordWrapper.from_dict(comments).rules[0]
