"""How much a node says about its page: FOREST's measures (section 3.3).

x counts the signifiers of a node, y its other terms.
"""

from __future__ import annotations

from math import log, sqrt

__all__ = ["density", "informativeness", "unexpectedness"]


def density(x: int, y: int) -> float:
    """J, Jeffrey's statistical density (equation 2): the lower bound, at 70% confidence, of the
    share of signifiers among the terms; 0 if there are no terms.

    >>> round(density(1, 0), 3), round(density(8, 20), 3), round(density(3, 5), 3), density(0, 0)
    (0.317, 0.207, 0.217, 0.0)
    """
    n = x + y
    if not n:
        return 0.0
    return max(0.0, (x + 0.5 - sqrt((x + 0.5) * (y + 0.5) / n)) / (n + 1))


def unexpectedness(x: int, y: int, page_x: int, page_y: int) -> float:
    """U (equation 3), in nats: the generation complexity of a node less its description complexity,
    for x of the page's signifiers and y of its other terms.

    The "23 bits" and "6 bits" in the paper are natural logarithms:

    >>> round(unexpectedness(10, 26, 20, 100), 2), round(unexpectedness(3, 1, 20, 100), 2)
    (22.66, 5.56)
    """
    generation = (x + y) * log(page_x + page_y) if x + y else 0.0
    return generation - _x_log_y(x, page_x) - _x_log_y(y, page_y)


def informativeness(x: int, y: int, page_x: int, page_y: int) -> float:
    """I = J * U (equation 4)."""
    return density(x, y) * unexpectedness(x, y, page_x, page_y)


def _x_log_y(x: int, y: int) -> float:
    return x * log(y) if x else 0.0
