"""Changes over time: of an article's text, and of a site's layout.

The texts that are compared are those of extracted articles, so that advertisements, comments and
related items around an article do not count as a change (Oita's thesis, chapter 1, section 4).
"""
