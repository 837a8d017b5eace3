"""What pages show that is not their article: challenges of servers, consent walls, remarks between
paragraphs, readers' comments, paywalls, lines of the page's own title and date.

Every module judges by general signs first, such as what several pages of a template have in common
or the shape of a list, and by fixed wordings only where these are unlikely to be prose.
"""
