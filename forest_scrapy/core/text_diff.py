"""Two texts side by side, as a unified diff, and word by word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff

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
    matcher = SequenceMatcher(None, old_lines[:MAX_LINES], new_lines[:MAX_LINES], autojunk=False)
    pairs: list[LinePair] = []
    for operation, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        old_part = old_lines[old_start:old_end]
        new_part = new_lines[new_start:new_end]
        pairs.extend(_pair_lines(old_part, new_part, is_equal=operation == "equal"))

    old_rest = old_lines[MAX_LINES:]
    new_rest = new_lines[MAX_LINES:]
    pairs.extend(_pair_lines(old_rest, new_rest, is_equal=old_rest == new_rest))
    return tuple(pairs)


def _pair_lines(
    old_lines: Sequence[str],
    new_lines: Sequence[str],
    is_equal: bool,
) -> Iterator[LinePair]:
    """The lines of one part of two texts, the first beside the first, and so on."""
    for number in range(max(len(old_lines), len(new_lines))):
        old_line = old_lines[number] if number < len(old_lines) else ""
        new_line = new_lines[number] if number < len(new_lines) else ""
        if is_equal:
            yield LinePair((Run(old_line),), (Run(new_line),))
        else:
            yield _compare_words(old_line, new_line)


def _compare_words(old_line: str, new_line: str) -> LinePair:
    old_words = old_line.split()
    new_words = new_line.split()
    is_one_sided = not old_words or not new_words
    if is_one_sided or max(len(old_words), len(new_words)) > MAX_WORDS:
        return LinePair(_whole(old_words), _whole(new_words), is_changed=True)

    old_runs: list[Run] = []
    new_runs: list[Run] = []
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    for operation, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        is_changed = operation != "equal"
        if old_end > old_start:
            old_runs.append(Run(" ".join(old_words[old_start:old_end]), is_changed))
        if new_end > new_start:
            new_runs.append(Run(" ".join(new_words[new_start:new_end]), is_changed))
    return LinePair(tuple(old_runs), tuple(new_runs), is_changed=True)


def _whole(words: Sequence[str]) -> tuple[Run, ...]:
    return (Run(" ".join(words), is_changed=True),) if words else ()


def word_diff(old: str, new: str) -> str:
    """All lines, with what was deleted and inserted marked as ``git diff --word-diff`` does.

    >>> word_diff("An owl flew.", "An elk flew.")
    'An [-owl-] {+elk+} flew.'
    """
    return "\n".join(map(_mark_words, compare_lines(old, new)))


def _mark_words(pair: LinePair) -> str:
    if not pair.is_changed:
        return " ".join(run.text for run in pair.new)
    marked = []
    new_runs = list(pair.new)
    for run in pair.old:
        if run.is_changed:
            marked.append(f"[-{run.text}-]")
            continue
        while new_runs and new_runs[0].is_changed:
            marked.append(f"{{+{new_runs.pop(0).text}+}}")
        if new_runs:
            new_runs.pop(0)
        marked.append(run.text)
    marked.extend(f"{{+{run.text}+}}" for run in new_runs)
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
