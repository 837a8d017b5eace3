"""Write plots with matplotlib, which is needed by no other part and so imported here only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def save_plot(
    place: Path,
    draw: Callable[..., None],
    *arguments: Any,
    rows: int = 1,
    size: tuple[float, float] = (8, 5),
) -> None:
    """Draw a figure and write it as PNG.

    ``draw(axes, *arguments)``: ``axes`` is one object, or for several rows an array of them
    with a common x axis.  ``size``: width and height in inches.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    place.parent.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(rows, figsize=size, sharex=True)
    draw(axes, *arguments)
    figure.tight_layout()
    figure.savefig(place, dpi=100)
    pyplot.close(figure)
