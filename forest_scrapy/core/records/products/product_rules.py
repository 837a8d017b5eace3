"""The rules for products: a module by itself, since all rules may have them, and few pages are
about products."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ProductRules:
    """For each field the XPaths of the elements that show it, the best first.

    ``taught``: the fields whose places were found by the values that pages declare.  ``constant``:
    what is the same on all pages and says nothing about a product: attributes, as
    ``label: value``, and URLs of images.
    """

    name: tuple[str, ...] = ()
    price: tuple[str, ...] = ()
    brand: tuple[str, ...] = ()
    taught: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()

    def xpaths(self) -> tuple[str, ...]:
        """All expressions."""
        return (*self.name, *self.price, *self.brand)
