"""Figures 4 to 7 of the FOREST paper, from a report of ``benchmarks.quality``, by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.quality.tables import best_peer
from benchmarks.support.plots import save_plot

Row = Mapping[str, Any]


def draw_figures(report: Row, folder: str) -> None:
    """Write ``figure4.png`` to ``figure7.png`` into the folder, which is created."""
    plots = Path(folder)
    rows = {**report["methods"], **report["peers"]}
    save_plot(plots / "figure4.png", draw_boxes, rows)

    by_pages = report["by_pages"]
    save_plot(plots / "figure5.png", draw_curves, by_pages, "pages", best_peer(report))

    by_signifiers = report["by_signifiers"]
    save_plot(plots / "figure6.png", draw_curves, by_signifiers, "signifiers", None)

    save_plot(plots / "figure7.png", draw_measures, report["by_measure"])


def draw_boxes(axes: Any, rows: Mapping[str, Row]) -> None:
    """F1 of each method: the 9th and 91st percentiles, the quartiles and the median."""
    matplotlib_names = {
        "p9": "whislo",
        "q1": "q1",
        "median": "med",
        "q3": "q3",
        "p91": "whishi",
    }
    boxes = []
    for label, row in rows.items():
        box = {"label": label}
        for name, value in row["f1_at"].items():
            box[matplotlib_names[name]] = value
        boxes.append(box)
    axes.bxp(boxes, showfliers=False)
    for label in axes.get_xticklabels():
        label.set(rotation=45, horizontalalignment="right")
    axes.set_ylabel("F1 of a page")


def draw_curves(
    axes: Any,
    curves: Mapping[str, Mapping[str, Row]],
    label: str,
    flat: tuple[str, float] | None,
) -> None:
    """F1 against the varied parameter; a peer, which does not learn, is a flat line."""
    for name, curve in curves.items():
        values = [int(value) for value in curve]
        scores = [row["f1"] for row in curve.values()]
        axes.plot(values, scores, "o-", label=name)
    if flat:
        peer, f1 = flat
        axes.axhline(f1, linestyle="--", color="grey", label=peer)
    axes.set_xlabel(label)
    axes.set_ylabel("F1")
    axes.legend()


def draw_measures(axes: Any, measures: Mapping[str, Mapping[str, Row]]) -> None:
    """Precision, recall and F1 as bars, for each method and measure."""
    labels = []
    rows = []
    for name, row_of in measures.items():
        for measure, row in row_of.items():
            labels.append(f"{name}\n{measure}")
            rows.append(row)

    for shift, score in enumerate(("precision", "recall", "f1")):
        positions = [i + 0.25 * shift for i in range(len(rows))]
        heights = [row[score] for row in rows]
        axes.bar(positions, heights, width=0.25, label=score)

    middles = [i + 0.25 for i in range(len(rows))]
    axes.set_xticks(middles, labels)
    axes.set_ylim(0, 1.15)  # room for the legend above the bars
    axes.legend(loc="upper center", ncol=3)
