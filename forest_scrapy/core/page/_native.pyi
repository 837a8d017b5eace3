from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.page.columns import Columns, Step
from forest_scrapy.core.page.tree import Element

COMPILED_FOR: str

def read_columns(
    body: Element,
    number: int,
    level: int,
    without: Collection[Element],
    ignored: Collection[str],
    characters: float,
    most: float,
) -> tuple[Any, ...]: ...
def read_steps(body: Element, ignored: Collection[str]) -> list[Step]: ...
def find_marked(root: Element, most: int) -> list[Element] | None: ...
def find_features(
    root: Element, wanted: Collection[str]
) -> tuple[list[Element], list[tuple[str, Element]], set[str]]: ...
def find_markup_names(
    element: Element, valued: Collection[str]
) -> tuple[set[str], dict[str, set[str]]]: ...
def find_with_attributes(element: Element, is_wanted: Callable[[str], bool]) -> list[Element]: ...
def read_long_texts(
    root: Element, ignored: Collection[str], least: int
) -> list[tuple[Element, str]]: ...
def read_line_pieces(
    root: Element, phrasing: Collection[str], ignored: Collection[str]
) -> list[str]: ...
def number_nodes(
    columns: Columns,
    bit_of_tag: dict[str, int],
    numbers: NDArray[np.intp],
    bits: NDArray[np.int64],
) -> None: ...
def cut_lines(
    lines: tuple[str, ...],
    texts: Sequence[str],
    blocks: NDArray[np.intp],
    starts: NDArray[np.uint8],
    in_link: NDArray[np.uint8],
) -> list[tuple[str, int, int, int, int]]: ...
def count_characters(
    texts: Sequence[str],
    counts: NDArray[np.float64],
    punctuation: str,
    commas: str,
) -> None: ...
def find_runs(text: str, max_length: int) -> list[str]: ...
def inherit_nearest(
    parents: NDArray[np.intp],
    values: NDArray[np.intp],
    inherited: NDArray[np.intp],
) -> None: ...
def inherit_outermost(
    parents: NDArray[np.intp],
    values: NDArray[np.intp],
    inherited: NDArray[np.intp],
) -> None: ...
def count_alike(element: Element) -> int: ...
def find_at_paths(element: Element, paths: tuple[Any, ...]) -> list[Element] | None: ...
