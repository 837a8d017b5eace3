"""The list of articles of a page, such as the home page of a site without a feed, as rules.

    learn_article_list(page)  -> ArticleListRules
    rules.apply(page)         -> list[ListedArticle]

It is learned from one page and without labels: an element is an item if it links one article, and
the items of the list are the elements with the same tag and class, or the same place, that have the
most titles, dates, images and URLs of articles; then those of other lists of the page whose URLs
are like theirs (a lead story, the latest ones at the side).  The rules are XPath 1.0 expressions
that any reader of pages can evaluate.
"""

from forest_scrapy.core.records.article_list.learning import NoArticleList, learn_article_list
from forest_scrapy.core.records.article_list.rules import ArticleListRules, ListedArticle

__all__ = ["ArticleListRules", "ListedArticle", "NoArticleList", "learn_article_list"]
