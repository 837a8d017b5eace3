"""Two texts side by side, as a unified diff, and word by word."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from itertools import zip_longest

#: Lines that are compared with each other; the comparison takes time quadratic in them.
MAX_LINES = 2000
#: Windows of so many lines that are compared of a text.
_MAX_WINDOWS = 20
#: Pairs of equal elements of two sequences up to which each of them may start a match.
_MAX_PAIRS = 10_000
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
    pairs: list[LinePair] = []
    for part in compare_sequences(old.splitlines(), new.splitlines(), MAX_LINES):
        pairs.extend(_pair_lines(part))
    return tuple(pairs)


@dataclass(frozen=True)
class Part:
    """Lines or words that two sequences have in the same place."""

    old: Sequence[str]
    new: Sequence[str]
    is_changed: bool


def compare_sequences(
    old: Sequence[str],
    new: Sequence[str],
    window: int,
) -> Iterator[Part]:
    """The parts of two sequences in their order: those that both have, and those that differ.

    What they have in common at the start and the end is left out of the comparison.  The rest is
    compared in windows of so many elements; what follows the ``_MAX_WINDOWS``-th is changed as a
    whole.

    >>> [part.new for part in compare_sequences("abcd", "abxd", 9) if part.is_changed]
    ['x']
    """
    start = _common_length(old, new)
    end = _common_length(old[start:][::-1], new[start:][::-1])
    old_end = len(old) - end
    new_end = len(new) - end
    if start:
        yield Part(old[:start], new[:start], is_changed=False)
    yield from _compare_windows(old[start:old_end], new[start:new_end], window)
    if end:
        yield Part(old[old_end:], new[new_end:], is_changed=False)


def _common_length(old: Sequence[str], new: Sequence[str]) -> int:
    """How many elements two sequences have in common at the start."""
    for position, (old_element, new_element) in enumerate(zip(old, new, strict=False)):
        if old_element != new_element:
            return position
    return min(len(old), len(new))


def _compare_windows(
    old: Sequence[str],
    new: Sequence[str],
    window: int,
) -> Iterator[Part]:
    for _ in range(_MAX_WINDOWS):
        if len(old) <= window and len(new) <= window:
            yield from _match(old, new)
            return
        parts = _match(old[:window], new[:window])
        # What a window ends in may be equal to what the next one has; but each window has to
        # bring the comparison forward.
        old_size, new_size = _sizes(parts[:-1])
        if parts[-1].is_changed and max(old_size, new_size) > window // 2:
            parts.pop()
        old_size, new_size = _sizes(parts)
        yield from parts
        old = old[old_size:]
        new = new[new_size:]
    if old or new:
        yield Part(old, new, is_changed=True)


def _sizes(parts: Sequence[Part]) -> tuple[int, int]:
    old_size = sum(len(part.old) for part in parts)
    new_size = sum(len(part.new) for part in parts)
    return old_size, new_size


def _match(old: Sequence[str], new: Sequence[str]) -> list[Part]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    _leave_out_frequent(matcher, old)
    parts = []
    for operation, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        part = Part(
            old=old[old_start:old_end],
            new=new[new_start:new_end],
            is_changed=operation != "equal",
        )
        parts.append(part)
    return parts


def _leave_out_frequent(matcher: SequenceMatcher[str], old: Sequence[str]) -> None:
    """Have the elements with the most pairs start no match if there are more than ``_MAX_PAIRS``:
    each pair costs time for each match.  They still belong to a match beside another one."""
    positions_in_new: dict[str, list[int]] = matcher.b2j  # type: ignore[attr-defined]
    old_counts = Counter(old)
    pairs = {}
    for element, positions in positions_in_new.items():
        pairs[element] = old_counts[element] * len(positions)
    total = sum(pairs.values())
    for element in sorted(pairs, key=pairs.__getitem__, reverse=True):
        if total <= _MAX_PAIRS:
            return
        total -= pairs[element]
        del positions_in_new[element]


def _pair_lines(part: Part) -> Iterator[LinePair]:
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
        parts = [Part(old_words, new_words, is_changed=True)]
    else:
        parts = list(compare_sequences(old_words, new_words, MAX_WORDS))

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
