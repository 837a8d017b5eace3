"""How long a browser takes to open a report."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from time import perf_counter

from playwright.sync_api import sync_playwright

__all__ = ["measure_opening"]


def measure_opening(folder: Path) -> dict[str, float]:
    """Seconds until Chromium has opened the overview, the largest template and the largest page."""
    program = shutil.which("chromium")
    if program is None:
        sys.exit("benchmarks.report: --open needs Chromium: apt-get install chromium")
    names = ["index.html"]
    for pattern in ("template-*.html", "page-*.html"):
        names += [p.name for p in sorted(folder.glob(pattern), key=lambda p: -p.stat().st_size)[:1]]
    seconds = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto("about:blank")
        for name in names:
            start = perf_counter()
            page.goto((folder.absolute() / name).as_uri())
            if name.startswith("page-"):
                page.wait_for_selector("html[data-ready]", state="attached")
            seconds[f"open_{name.partition('-')[0].partition('.')[0]}"] = perf_counter() - start
        browser.close()
    return {name: round(value, 2) for name, value in seconds.items()}
