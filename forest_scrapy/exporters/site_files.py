"""Files of which any number can be written, though the system lets a process have some 1,000 open.

A file that was not written for long is closed, and opened again when more is written to it.
"""

import os
from collections import OrderedDict
from io import BufferedWriter, RawIOBase
from pathlib import Path
from typing import IO, Any

#: Files that are open at a time.  A process may have 256 on macOS and 1,024 on most Linux systems,
#: and a crawl needs some 100 others.
MAX_OPEN = 100
#: Bytes of a name of a file; systems allow 255, with what is before and after the site's.
MAX_NAME = 120


class OpenFiles:
    """The files that are open, at most ``limit``."""

    def __init__(self, limit: int = MAX_OPEN) -> None:
        self._limit = limit
        #: The open files, those written last at the end.
        self._files: OrderedDict[int, SiteFile] = OrderedDict()

    def open(self, path: Path, is_new: bool) -> IO[bytes]:
        """A file to write, as ``Path.open`` with ``wb`` if it ``is_new``, else with ``ab``.  Raises
        ``OSError``."""
        return BufferedWriter(SiteFile(path, is_new, self))

    def use(self, file: "SiteFile") -> None:
        """Have a file open; the one that was not used for longest is closed if there are too
        many."""
        key = id(file)
        if key in self._files:
            self._files.move_to_end(key)
            return
        while len(self._files) >= self._limit:
            _, oldest = self._files.popitem(last=False)
            oldest.release()
        file.reopen()
        self._files[key] = file

    def forget(self, file: "SiteFile") -> None:
        """Note that a file is closed for good."""
        self._files.pop(id(file), None)


class SiteFile(RawIOBase):
    """A file that is written at its end.  Its descriptor is another one after it was reopened.

    A file that another program has removed or replaced meanwhile raises ``OSError``.
    """

    def __init__(
        self,
        path: Path,
        is_new: bool,
        files: OpenFiles,
    ) -> None:
        self.name = str(path)
        self._path = path
        self._files = files
        self._number = -1
        #: What is opened: the file, or the null device if writing it was given up.
        self._target: str | Path = path
        self._identity: tuple[int, int] | None = None
        self._flags = os.O_CREAT | (os.O_TRUNC if is_new else 0)
        files.use(self)

    def reopen(self) -> None:
        """Open the file again; the position is its end.  For ``OpenFiles``."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | self._flags
        self._number = os.open(self._target, flags, 0o666)
        self._flags = 0
        identity = _identity(self._number)
        is_other_file = self._identity not in (None, identity)
        if is_other_file and self._target == self._path:
            os.close(self._number)
            self._number = -1
            self._files.forget(self)
            raise OSError(f"{self._path} was replaced by another program")
        self._identity = identity
        if self._target == self._path:
            self._seek_end()

    def release(self) -> None:
        """Close the descriptor until more is written.  For ``OpenFiles``."""
        if _identity(self._number) != self._identity:  # it was pointed at the null device
            self._target = os.devnull
        os.close(self._number)
        self._number = -1

    @property
    def is_in_place(self) -> bool:
        """Whether the path still names this file."""
        try:
            place = self._path.stat()
        except OSError:
            return False
        return (place.st_dev, place.st_ino) == self._identity

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        self._files.use(self)
        return self._number

    def tell(self) -> int:
        return os.lseek(self.fileno(), 0, os.SEEK_CUR)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return os.lseek(self.fileno(), offset, whence)

    def write(self, content: Any) -> int:
        return os.write(self.fileno(), content)

    def close(self) -> None:
        if not self.closed:
            self._files.forget(self)
            if self._number >= 0:
                os.close(self._number)
                self._number = -1
        super().close()

    def _seek_end(self) -> None:
        try:
            os.lseek(self._number, 0, os.SEEK_END)
        except OSError:  # a pipe
            return


def _identity(number: int) -> tuple[int, int]:
    status = os.fstat(number)
    return status.st_dev, status.st_ino


def site_file(file: Any) -> SiteFile | None:
    """The file of a site that a stream writes; None for other streams."""
    raw = getattr(file, "raw", None)
    if isinstance(raw, SiteFile):
        return raw
    return None
