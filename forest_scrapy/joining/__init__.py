"""One item for each article and each thread, in crawls and in files: the pages of an item are
joined, and an article that was found under another URL is a duplicate.

What is known of the pages so far is in tables of ``stores``; how items are joined is in
``core/joining``.
"""
