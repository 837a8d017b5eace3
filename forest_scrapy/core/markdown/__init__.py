"""Markdown in which the text of a page is always text.

CommonMark with GitHub's tables and strikethrough.  Only elements of the HTML become markup; every
character of a text that would be markup is escaped, and no other one.
"""
