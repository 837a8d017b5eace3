"""The errors of the core.  Bad HTML is not one of them: every page gives a tree."""

from forest_scrapy.core.plurals import count


class ForestError(Exception):
    """Base of all errors that forest-scrapy raises."""


class NotEnoughPages(ForestError):
    """A method was given fewer pages than it needs."""

    def __init__(self, method: str, needed: int, given: int) -> None:
        super().__init__(f"{method} needs {count(needed, 'page')} or more, {given} given")
        self.method = method
        self.needed = needed
        self.given = given


class UnknownMethod(ForestError):
    """There is no method with this name."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        methods = ", ".join(known)
        super().__init__(f"unknown method {name!r}; the methods are {methods}")
        self.name = name
        self.known = known


class UnknownMeasure(ForestError):
    """FOREST has no measure with this name."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        measures = ", ".join(known)
        super().__init__(f"unknown measure {name!r}; the measures are {measures}")
        self.name = name
        self.known = known


class UnknownChoice(ForestError):
    """A parameter of a method has no value with this name."""

    def __init__(self, parameter: str, name: str, known: tuple[str, ...]) -> None:
        choices = ", ".join(known)
        super().__init__(f"unknown {parameter} {name!r}; the choices are {choices}")
        self.parameter = parameter
        self.name = name
        self.known = known


class BadCharacteristic(ForestError):
    """A text is no characteristic of records."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} is no characteristic: write words, marks, or a tag such as <dt>; at most"
            " 100 characters"
        )
        self.text = text


class BadRules(ForestError):
    """A stored wrapper cannot be read; the message names the key."""
