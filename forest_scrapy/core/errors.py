"""Errors of the core.  Bad HTML is none: every page gives a tree, if an empty one."""

from __future__ import annotations

__all__ = ["BadWrapper", "ForestError", "NotEnoughPages", "UnknownMeasure", "UnknownMethod"]


class ForestError(Exception):
    """Base of all errors raised here."""


class NotEnoughPages(ForestError):
    """A method was asked to learn from fewer pages than it needs."""

    def __init__(self, method: str, needed: int, given: int) -> None:
        super().__init__(f"{method} learns from {needed} pages or more, {given} given")
        self.method, self.needed, self.given = method, needed, given


class UnknownMethod(ForestError):
    """There is no method of this name."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"no method {name!r}; there are {', '.join(known)}")
        self.name, self.known = name, known


class UnknownMeasure(ForestError):
    """FOREST has no measure of this name."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"no measure {name!r}; there are {', '.join(known)}")
        self.name, self.known = name, known


class BadWrapper(ForestError):
    """A stored wrapper cannot be read; the message says where."""
