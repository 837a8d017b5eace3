"""Search forms and what is behind them: forms and their controls, probes, answers, and what the
controls mean (Oita, Amarilli, Senellart 2012: "Cross-fertilizing deep Web analysis and ontology
enrichment", chapter 3 of the thesis of Oita)."""

from typing import TYPE_CHECKING

from forest_scrapy.core.lazy import load_on_use

if TYPE_CHECKING:
    from forest_scrapy.forms.answers import METHODS, count_shapes
    from forest_scrapy.forms.data import read_data_page
    from forest_scrapy.forms.form import Control, Form, choose_form, read_forms
    from forest_scrapy.forms.given_values import assign_values, read_named_values
    from forest_scrapy.forms.items import FormRecord, identity
    from forest_scrapy.forms.probe_file import forget_probes
    from forest_scrapy.forms.probing import FormProbe
    from forest_scrapy.forms.requests import FormNotSent, FormRequests
    from forest_scrapy.forms.safety import naming_arguments, refuse
    from forest_scrapy.forms.search import FormSearch, ProbeOutcome, file_name

__all__ = [
    "METHODS",
    "Control",
    "Form",
    "FormNotSent",
    "FormProbe",
    "FormRecord",
    "FormRequests",
    "FormSearch",
    "ProbeOutcome",
    "assign_values",
    "choose_form",
    "count_shapes",
    "file_name",
    "forget_probes",
    "identity",
    "naming_arguments",
    "read_data_page",
    "read_forms",
    "read_named_values",
    "refuse",
]

__getattr__ = load_on_use(
    __name__,
    {
        "answers": "METHODS count_shapes",
        "data": "read_data_page",
        "form": "Control Form choose_form read_forms",
        "given_values": "assign_values read_named_values",
        "items": "FormRecord identity",
        "probe_file": "forget_probes",
        "probing": "FormProbe",
        "requests": "FormNotSent FormRequests",
        "safety": "naming_arguments refuse",
        "search": "FormSearch ProbeOutcome file_name",
    },
)
