"""Texts in CSV that programs for spreadsheets take for formulas."""

import re

#: What programs for spreadsheets take for the start of a formula, also in full width, and what they
#: leave out before it.
_FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
#: What is no formula.
_NUMBER = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)*")


def without_formula(text: str) -> str:
    """The text, with an apostrophe before if it may be taken for a formula.

    >>> without_formula("=HYPERLINK(A1)"), without_formula("-5.20"), without_formula("a=b")
    ("'=HYPERLINK(A1)", '-5.20', 'a=b')
    """
    return f"'{text}" if _is_formula(text) else text


def with_formula(text: str) -> str:
    """The text that ``without_formula`` has made safe.  One that had the apostrophe itself loses
    it.

    >>> with_formula("'=HYPERLINK(A1)"), with_formula("-5.20"), with_formula("'t Zand")
    ('=HYPERLINK(A1)', '-5.20', "'t Zand")
    """
    unquoted = text.removeprefix("'")
    return unquoted if _is_formula(unquoted) else text


def _is_formula(text: str) -> bool:
    return _FORMULA.match(text) is not None and not _NUMBER.fullmatch(text)
