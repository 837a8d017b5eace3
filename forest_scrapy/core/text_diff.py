"""Two texts side by side, as a unified diff, and word by word."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from itertools import zip_longest

#: Lines of a text that are compared with each other; the comparison takes time quadratic in them.
MAX_LINES = 2000
#: Words of changed lines that are compared word by word; longer ones are changed as a whole.
MAX_WORDS = 2000
#: Unchanged lines around a change in a unified diff.
_CONTEXT = 3


@dataclass(frozen=True)
class Run:
    """A part of a line that only one of two texts has, or both."""

    text: str
    is_changed: bool = False


@dataclass(frozen=True)
class LinePair:
    """Lines of two texts that stand side by side; a line that only one of them has stands beside an
    empty one.  ``is_changed``: they differ."""

    old: tuple[Run, ...] = ()
    new: tuple[Run, ...] = ()
    is_changed: bool = False


def compare_lines(old: str, new: str) -> tuple[LinePair, ...]:
    """Two texts line by line, and changed lines word by word.

    >>> compare_lines("An owl.", "An elk.")[0].new
    (Run(text='An', is_changed=False), Run(text='elk.', is_changed=True))
    """
    old_lines = old.splitlines()
    new_lines = new.splitlines()
    pairs: list[LinePair] = []
    for part in _compare_sequences(old_lines[:MAX_LINES], new_lines[:MAX_LINES]):
        pairs.extend(_pair_lines(part))

    last_part = _Part(
        old=old_lines[MAX_LINES:],
        new=new_lines[MAX_LINES:],
        is_changed=old_lines[MAX_LINES:] != new_lines[MAX_LINES:],
    )
    pairs.extend(_pair_lines(last_part))
    return tuple(pairs)


@dataclass(frozen=True)
class _Part:
    """Lines or words that two sequences have in the same place."""

    old: Sequence[str]
    new: Sequence[str]
    is_changed: bool


def _compare_sequences(
    old: Sequence[str],
    new: Sequence[str],
) -> Iterator[_Part]:
    """The parts of two sequences in their order: those that both have, and those that differ."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for operation, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        yield _Part(
            old=old[old_start:old_end],
            new=new[new_start:new_end],
            is_changed=operation != "equal",
        )


def _pair_lines(part: _Part) -> Iterator[LinePair]:
    """The lines of a part of two texts, the first beside the first, and so on."""
    for old_line, new_line in zip_longest(part.old, part.new, fillvalue=""):
        if part.is_changed:
            yield _compare_words(old_line, new_line)
        else:
            run = Run(old_line)
            yield LinePair((run,), (run,))


def _compare_words(old_line: str, new_line: str) -> LinePair:
    old_words = old_line.split()
    new_words = new_line.split()
    is_one_sided = not old_words or not new_words
    is_long = max(len(old_words), len(new_words)) > MAX_WORDS
    if is_one_sided or is_long:
        parts = [_Part(old_words, new_words, is_changed=True)]
    else:
        parts = list(_compare_sequences(old_words, new_words))

    old_runs = []
    new_runs = []
    for part in parts:
        if part.old:
            old_runs.append(Run(" ".join(part.old), part.is_changed))
        if part.new:
            new_runs.append(Run(" ".join(part.new), part.is_changed))
    return LinePair(tuple(old_runs), tuple(new_runs), is_changed=True)


def word_diff(old: str, new: str) -> str:
    """All lines, with what was deleted and inserted marked as ``git diff --word-diff`` does.

    >>> word_diff("An owl flew.", "An elk flew.")
    'An [-owl-] {+elk+} flew.'
    """
    return "\n".join(map(_mark_words, compare_lines(old, new)))


def _mark_words(pair: LinePair) -> str:
    marked = []
    new_runs = deque(pair.new)
    for run in pair.old:
        if run.is_changed:
            marked.append(f"[-{run.text}-]")
            continue
        while new_runs[0].is_changed:
            inserted = new_runs.popleft()
            marked.append(f"{{+{inserted.text}+}}")
        new_runs.popleft()  # the same as in the old line
        marked.append(run.text)
    for inserted in new_runs:
        marked.append(f"{{+{inserted.text}+}}")
    return " ".join(marked)


def line_diff(old: str, new: str, old_name: str, new_name: str) -> str:
    """A unified diff; ``""`` if the texts are equal."""
    lines = unified_diff(
        old.splitlines(),
        new.splitlines(),
        old_name,
        new_name,
        n=_CONTEXT,
        lineterm="",
    )
    return "\n".join(lines)
