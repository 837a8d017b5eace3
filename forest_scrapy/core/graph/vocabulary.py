"""The IRIs of the vocabularies that graphs are written in."""

from __future__ import annotations

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"
#: schema.org with https, as its own files and rdflib have it.
SCHEMA = "https://schema.org/"
#: Dublin Core: the terms, and the elements, whose values are texts.
TERMS = "http://purl.org/dc/terms/"
ELEMENTS = "http://purl.org/dc/elements/1.1/"
#: Hydra, a vocabulary of a W3C community group for the requests that a web site answers.
HYDRA = "http://www.w3.org/ns/hydra/core#"

#: The prefixes of the namespaces, in the order they are written.
PREFIXES = {
    "dc": ELEMENTS,
    "dcterms": TERMS,
    "hydra": HYDRA,
    "rdf": RDF,
    "rdfs": RDFS,
    "schema": SCHEMA,
    "xsd": XSD,
}

TYPE = f"{RDF}type"
LABEL = f"{RDFS}label"
COMMENT = f"{RDFS}comment"
PROPERTY = f"{RDF}Property"
CLASS = f"{RDFS}Class"


def shorten(iri: str) -> str:
    """The IRI with the prefix of its namespace, for people; others stay as they are.

    >>> shorten("https://schema.org/name"), shorten("https://a.example/")
    ('schema:name', 'https://a.example/')
    """
    for prefix, namespace in PREFIXES.items():
        if iri.startswith(namespace):
            return f"{prefix}:{iri.removeprefix(namespace)}"
    return iri
