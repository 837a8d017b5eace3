"""RDF: files, and the index of an ontology on disk."""
