"""Formulas, code, footnotes and headings as sites write them; quotation marks, powers, emoji.

They are found once for a page, by their elements, and written as the content is read.
"""
