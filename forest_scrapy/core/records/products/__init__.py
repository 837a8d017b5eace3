"""Products: the values of pages about one, declared or shown.

    learn_product(pages)      -> ProductRules   where a template shows name, price and brand
    read_product(page, rules) -> Product

What JSON-LD, microdata and ``meta`` elements declare comes first; the rest is what the page shows.
Pages that declare a value teach where it is shown on the others.
"""
