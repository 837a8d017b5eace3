"""Alignment of RDF graphs by PARIS: which entities, relations and classes are the same.

Papers: Suchanek, Abiteboul, Senellart, *PARIS: Probabilistic Alignment of Relations, Instances,
and Schema*, PVLDB 5(3), 2011; Oita's thesis, chapter 3, sections 3.6 and 3.7.

Equal literals give evidence for equal entities, the more the more functional their relations are;
equal entities tell which relations hold the same facts, and these weigh the evidence of the next
round.  As in the paper: functionalities (equation 2), sub-relations (12), equal entities (13, with
negative evidence 14 by choice), classes (17), θ = 0.1, the maximal assignment of the last round,
rounds until less than 1% changes.

Departures: the maximal assignment is taken in both directions, so that both sides are treated
alike; an entity whose best ones tie keeps them all until the end.  A value that more than 10,000
pairs of entities share is no evidence.  Negative evidence needs a fact on the other side, and is
off: with it entities with a misspelt value are lost, as in the paper's experiments.  Instead,
equal entities agree in three tenths of what both have, and are of the class that most of their
siblings are aligned with.  From the thesis: texts that share most of their 2-grams are equal with
the probability of their similarity, and a relation may be aligned with two steps.
"""

from forest_scrapy.alignment.ontology import Ontology, build_ontology
from forest_scrapy.alignment.paris import (
    Alignment,
    AlignmentOptions,
    EntityLink,
    SubLink,
    align,
)

__all__ = [
    "Alignment",
    "AlignmentOptions",
    "EntityLink",
    "Ontology",
    "SubLink",
    "align",
    "build_ontology",
]
