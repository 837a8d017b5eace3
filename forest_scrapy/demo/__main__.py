"""``python -m forest_scrapy.demo``: serve the demo site until Ctrl-C."""

from __future__ import annotations

import argparse
import contextlib
import threading
from collections.abc import Sequence

from forest_scrapy.demo.server import DemoServer

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the site's URL and serve it; return 0 after Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m forest_scrapy.demo", description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="0 picks a free one (default 8000)")
    options = parser.parse_args(arguments)
    with contextlib.suppress(KeyboardInterrupt), DemoServer(port=options.port) as server:
        print(f"{server.url}/  (feed: {server.feed_url}, Ctrl-C stops)", flush=True)
        threading.Event().wait()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
