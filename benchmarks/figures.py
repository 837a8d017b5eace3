"""Figures 4 to 7 of the FOREST paper, from a report of ``benchmarks.quality``, by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.plots import save_plot
from benchmarks.reports import best_peer

Row = Mapping[str, Any]


def draw_figures(report: Row, folder: str) -> None:
    """Write ``figure4.png`` to ``figure7.png`` into the folder, which is created."""
    place = Path(folder)
    rows = {**report["methods"], **report["peers"]}
    save_plot(place / "figure4.png", draw_boxes, rows)
    save_plot(place / "figure5.png", draw_curves, report["by_pages"], "pages", best_peer(report))
    save_plot(place / "figure6.png", draw_curves, report["by_signifiers"], "signifiers", None)
    save_plot(place / "figure7.png", draw_measures, report["by_measure"])


def draw_boxes(axes: Any, rows: Mapping[str, Row]) -> None:
    """F1 of each method: the 9th and 91st percentiles, the quartiles and the median."""
    names = {"p9": "whislo", "q1": "q1", "median": "med", "q3": "q3", "p91": "whishi"}
    boxes = [
        {"label": label, **{names[name]: value for name, value in row["f1_at"].items()}}
        for label, row in rows.items()
    ]
    axes.bxp(boxes, showfliers=False)
    for label in axes.get_xticklabels():
        label.set(rotation=45, horizontalalignment="right")
    axes.set_ylabel("F1 of a page")


def draw_curves(
    axes: Any, curves: Mapping[str, Mapping[str, Row]], label: str, flat: tuple[str, float] | None
) -> None:
    """F1 against the varied parameter; a peer, which does not learn, is a flat line."""
    for name, curve in curves.items():
        axes.plot([int(v) for v in curve], [row["f1"] for row in curve.values()], "o-", label=name)
    if flat:
        axes.axhline(flat[1], linestyle="--", color="grey", label=flat[0])
    axes.set_xlabel(label)
    axes.set_ylabel("F1")
    axes.legend()


def draw_measures(axes: Any, measures: Mapping[str, Mapping[str, Row]]) -> None:
    """Precision, recall and F1 as bars, for each method and measure."""
    labels = [f"{name}\n{measure}" for name, rows in measures.items() for measure in rows]
    found = [row for rows in measures.values() for row in rows.values()]
    for shift, name in enumerate(("precision", "recall", "f1")):
        places = [i + 0.25 * shift for i in range(len(found))]
        axes.bar(places, [row[name] for row in found], width=0.25, label=name)
    axes.set_xticks([i + 0.25 for i in range(len(found))], labels)
    axes.set_ylim(0, 1.15)  # room for the legend above the bars
    axes.legend(loc="upper center", ncol=3)
