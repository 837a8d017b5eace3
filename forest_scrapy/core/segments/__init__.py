"""Text segments and their classifier (Luo et al. 2009, sections 3 and 4.1)."""
