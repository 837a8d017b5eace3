"""Search forms and what is behind them: forms and their controls, probes, answers, and what the
controls mean (Oita, Amarilli, Senellart 2012: "Cross-fertilizing deep Web analysis and ontology
enrichment", chapter 3 of the thesis of Oita)."""

from forest_scrapy.forms.form import Control, Form, choose_form, read_forms

__all__ = ["Control", "Form", "choose_form", "read_forms"]
