"""``python -m demo``: serve the demo site until Ctrl-C."""

from __future__ import annotations

import argparse
import contextlib
import sys
import threading
from collections.abc import Sequence

from demo.server import DEFAULT_PORT, DemoServer


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the site and print its URL; return 0 after Ctrl-C, 1 if the port cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    text = f"0 for any free port (default: {DEFAULT_PORT})"
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help=text)
    options = parser.parse_args(arguments)
    server = DemoServer(port=options.port, is_lasting=True)
    try:
        server.start()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        print(f"port {options.port}: {reason}; choose another with --port", file=sys.stderr)
        return 1
    with contextlib.suppress(KeyboardInterrupt), server:
        print(f"{server.url}/  (feed: {server.feed_url}; stop with Ctrl-C)", flush=True)
        threading.Event().wait()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
