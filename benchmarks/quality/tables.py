"""Print the report of ``benchmarks.quality`` as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.quality.comparison import MAX_LOSS

Row = Mapping[str, Any]
_TITLES = {
    "by_pages": "F1 by pages learned from (figure 5)",
    "by_signifiers": "F1 by signifiers of a page (figure 6)",
}


def print_report(report: Row) -> None:
    """Print all tables of the report."""
    print_methods(report)
    if "sites" in report:
        print_sites(report["sites"])
    for name, title in _TITLES.items():
        if name in report:
            print_curves(title, report[name], best_peer(report) if name == "by_pages" else None)
    if "by_measure" in report:
        print_measures(report["by_measure"])
    if "held_out" in report:
        print_held_out(report["held_out"])


def print_methods(report: Row) -> None:
    """One line for each method and each peer."""
    pages = next(iter(report["methods"].values()))["pages"]
    print(f"{report['set']}: {pages} pages; auto, trained, single: {report['classifier']}")
    print(f"{'':18s} precision  recall      F1  nothing  F1<.5  ms/page  learn 10 pages")
    for name, row in (*report["methods"].items(), *report["peers"].items()):
        learning = row["learning_seconds"]
        print(
            f"{name:18s} {row['precision']:9.4f} {row['recall']:7.4f} {row['f1']:7.4f}"
            f" {row['nothing']:8.1%} {row['below_half']:6.1%} {1000 * row['seconds_per_page']:8.1f}"
            + (f" {learning:12.3f} s" if learning is not None else "")
        )


def print_sites(sites: Row) -> None:
    """The sites whose templates lose most against single pages, one line for each."""
    print(
        f"\nTemplates against single pages: {sites['losing_sites']} of {sites['sites']} sites lose"
        f" more than {MAX_LOSS}, the worst {sites['largest_loss']:.4f};"
        f" {sites['below_half']} pages below 0.5, {sites['below_nine_tenths']} below 0.9"
    )
    if sites["worst_sites"]:
        print(f"{'':40s}   loss    auto  single  pages")
    for row in sites["worst_sites"]:
        print(
            f"{row['site']:40.40s} {row['loss']:6.4f} {row['template']:7.4f} {row['single']:7.4f}"
            f" {row['pages']:6d}"
        )


def print_curves(
    title: str,
    curves: Mapping[str, Mapping[str, Row]],
    flat: tuple[str, float] | None,
) -> None:
    """F1 of each method for each value; that of the peer is the same for all."""
    values = list(dict.fromkeys(value for curve in curves.values() for value in curve))
    print(f"\n{title}")
    print(f"{'':18s}" + "".join(f"{value:>8s}" for value in values))
    for name, curve in curves.items():
        cells = (f"{curve[v]['f1']:8.4f}" if v in curve else f"{'':8s}" for v in values)
        print(f"{name:18s}" + "".join(cells))
    if flat:
        print(f"{flat[0]:18s}" + f"{flat[1]:8.4f}" * len(values))


def print_measures(measures: Mapping[str, Mapping[str, Row]]) -> None:
    """Precision, recall and F1 of each measure."""
    print(f"\nJ, U and both (figure 7)\n{'':18s} measure precision  recall      F1")
    for name, rows in measures.items():
        for measure, row in rows.items():
            print(
                f"{name:18s} {measure:7s} {row['precision']:9.4f} {row['recall']:7.4f}"
                f" {row['f1']:7.4f}"
            )


def print_held_out(rows: Mapping[str, Row]) -> None:
    """F1 on pages that were learned from and on others of the same sites."""
    print(f"\nSites with more than ten articles\n{'':18s} learned from     other pages")
    for name, row in rows.items():
        cells = (
            f"{_f1(row[part]):>8s} ({row[f'{part}_pages']:4d})" for part in ("learned", "other")
        )
        print(f"{name:18s}" + "  ".join(cells))


def best_peer(report: Row) -> tuple[str, float] | None:
    """The peer with the highest F1, the first by name if tied; None without peers."""
    ranked = sorted((-row["f1"], name) for name, row in report["peers"].items())
    return (ranked[0][1], -ranked[0][0]) if ranked else None


def _f1(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
