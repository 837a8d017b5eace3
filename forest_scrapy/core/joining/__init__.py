"""Items that are spread over several pages: an article's neighbouring pages, and one item of the
parts that several pages have.

Threads are joined post by post, articles block by block.
"""
