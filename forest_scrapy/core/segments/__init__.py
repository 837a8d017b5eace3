"""Text segments, and the classifier that separates content from boilerplate (Luo et al. 2009)."""
