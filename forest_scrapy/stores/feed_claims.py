"""Claims of feeds: of crawls at the same time, one alone reads a feed."""

import errno
import fcntl
import logging
import os

from forest_scrapy.core.digests import digest_number

logger = logging.getLogger(__name__)

#: Errors of a lock that another process has.
_HELD = (errno.EACCES, errno.EAGAIN)


class FeedClaims:
    """The claims of this process in a ``file``; ``""``: all feeds can be claimed.

    Each feed is a byte of the file, which the system unlocks when a process ends.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._descriptor: int | None = None

    def claim(self, url: str) -> bool:
        """Whether no other process has claimed this feed, which is claimed until ``close``.  True
        where files cannot be locked."""
        if not self._file:
            return True
        try:
            descriptor = self._open()
        except OSError as error:
            logger.warning("%s: another crawl at the same time may read the same feeds", error)
            self._file = ""
            return True
        byte = digest_number(url, 7)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError as error:
            return error.errno not in _HELD
        return True

    def close(self) -> None:
        """Give all claims up."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        if self._descriptor is None:
            self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o666)
        return self._descriptor
