"""Numbers of things in messages."""


def count(number: float, noun: str, plural: str = "", spec: str = "") -> str:
    """A number with its noun, and a verb if that follows; ``plural``: if it takes more than an s;
    ``spec``: the format of the number.

    >>> count(1, "page"), count(2, "page"), count(0, "entry", "entries")
    ('1 page', '2 pages', '0 entries')
    >>> count(1, "write is kept", "writes are kept"), count(12_345, "byte", spec=",")
    ('1 write is kept', '12,345 bytes')
    """
    name = noun if number == 1 else plural or f"{noun}s"
    return f"{number:{spec}} {name}"
