"""Presentation MathML as LaTeX, for formulas whose page has no LaTeX of them."""

import re
import unicodedata
from collections.abc import Callable, Sequence

from forest_scrapy.core.page.tree import IGNORED, Element

#: Elements inside each other; what is deeper is read as plain text.
MAX_DEPTH = 60
#: Elements of the largest formula that is read; a larger one gives its characters only.
MAX_ELEMENTS = 3000

_OPERATORS = {
    "×": r"\times", "÷": r"\div", "±": r"\pm", "∓": r"\mp", "⋅": r"\cdot", "·": r"\cdot",
    "∗": "*", "−": "-", "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≈": r"\approx",
    "≡": r"\equiv", "∼": r"\sim", "≃": r"\simeq", "≅": r"\cong", "∝": r"\propto", "≪": r"\ll",
    "≫": r"\gg", "∞": r"\infty", "∂": r"\partial", "∇": r"\nabla", "∑": r"\sum", "∏": r"\prod",
    "∫": r"\int", "∮": r"\oint", "∬": r"\iint", "√": r"\surd", "∈": r"\in", "∉": r"\notin",
    "∋": r"\ni", "⊂": r"\subset", "⊆": r"\subseteq", "⊃": r"\supset", "⊇": r"\supseteq",
    "∪": r"\cup", "∩": r"\cap", "∅": r"\emptyset", "∖": r"\setminus", "∀": r"\forall",
    "∃": r"\exists", "¬": r"\neg", "∧": r"\wedge", "∨": r"\vee", "→": r"\to",
    "←": r"\leftarrow", "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "⇐": r"\Leftarrow",
    "⇔": r"\Leftrightarrow", "↦": r"\mapsto", "⟶": r"\longrightarrow", "↑": r"\uparrow",
    "↓": r"\downarrow", "⊕": r"\oplus", "⊗": r"\otimes", "∘": r"\circ", "†": r"\dagger",
    "…": r"\ldots", "⋯": r"\cdots", "⋮": r"\vdots", "⋱": r"\ddots", "′": "'", "″": "''",
    "⟨": r"\langle", "⟩": r"\rangle", "‖": r"\|", "∥": r"\parallel", "⊥": r"\perp",
    "∠": r"\angle", "ℏ": r"\hbar", "ℓ": r"\ell", "ℜ": r"\Re", "ℑ": r"\Im", "ℵ": r"\aleph",
    "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil", "∣": r"\mid",
    "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "_": r"\_",
    "\\": r"\backslash",
}  # fmt: skip
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
    "final sigma tau upsilon phi chi psi omega"
).split()
_LETTERS = {
    **{chr(0x3B1 + i): f"\\{name}" for i, name in enumerate(_GREEK)},
    **{chr(0x391 + i): f"\\{name.capitalize()}" for i, name in enumerate(_GREEK)},
    "ς": r"\varsigma",
    "ο": "o",
    "ϵ": r"\epsilon",
    "ε": r"\varepsilon",
    "ϕ": r"\phi",
    "φ": r"\varphi",
    "ϑ": r"\vartheta",
    "ϱ": r"\varrho",
    "ϖ": r"\varpi",
}
#: Greek capitals that LaTeX has no command for, since they look like Latin ones.
_LETTERS |= dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX", strict=True))
_SYMBOLS = {**_OPERATORS, **_LETTERS}
_ACCENTS = {
    "^": r"\hat", "ˆ": r"\hat", "~": r"\tilde", "˜": r"\tilde", "¯": r"\bar", "‾": r"\overline",
    "―": r"\overline", "→": r"\vec", "⃗": r"\vec", "˙": r"\dot", ".": r"\dot", "¨": r"\ddot",
    "ˇ": r"\check", "´": r"\acute", "`": r"\grave", "⏞": r"\overbrace", "_": r"\underline",
    "⏟": r"\underbrace", "̲": r"\underline", "̂": r"\hat", "̃": r"\tilde", "̄": r"\bar",
}  # fmt: skip
_FUNCTIONS = frozenset(
    (
        "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim "
        "liminf limsup ln log max min Pr sec sin sinh sup tan tanh"
    ).split()
)
_FONTS = {
    "double-struck": r"\mathbb", "script": r"\mathcal", "fraktur": r"\mathfrak",
    "bold": r"\mathbf", "bold-italic": r"\boldsymbol", "sans-serif": r"\mathsf",
    "monospace": r"\mathtt",
}  # fmt: skip
#: Characters that are only there for what reads formulas aloud: applied functions, products.
_UNSEEN = dict.fromkeys((0x2061, 0x2062, 0x2063, 0x2064, 0x200B, 0xAD, 0xFEFF))
#: Elements that are not shown: the formula in other notations.
_NOT_SHOWN = ("annotation", "annotation-xml", "mphantom", "maligngroup", "malignmark", "none")
_SPACES = re.compile(r"\s+")


def mathml_to_latex(math: Element) -> str:
    """The LaTeX of a ``math`` element, or of any element with presentation MathML in it.

    What has no counterpart is written as its characters.  Cost: linear, bounded in depth.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> half = parse_html("<math><mfrac><mn>1</mn><msqrt><mi>x</mi></msqrt></mfrac></math>")
    >>> mathml_to_latex(half.find(".//math"))
    '\\\\frac{1}{\\\\sqrt{x}}'
    """
    elements = sum(1 for _ in math.iter("*"))
    latex = _plain(math) if elements > MAX_ELEMENTS else _row(math, 0)
    return _SPACES.sub(" ", latex).strip()


def _plain(element: Element) -> str:
    """The characters of an element, without those of scripts and styles."""
    pieces = [element.text or ""]
    for descendant in element.iterdescendants():
        if isinstance(descendant.tag, str) and descendant.tag not in IGNORED:
            pieces.append(descendant.text or "")
        pieces.append(descendant.tail or "")
    return "".join(pieces).translate(_UNSEEN)


def _children(element: Element) -> list[Element]:
    children = []
    for child in element:
        if isinstance(child.tag, str) and _name(child) not in _NOT_SHOWN:
            children.append(child)
    return children


def _name(element: Element) -> str:
    """The element's name without a prefix: ``m:mi`` is ``mi``, ``mjx-mi`` too."""
    _, _, name = str(element.tag).rpartition(":")
    return name.removeprefix("mjx-")


def _write(element: Element, depth: int) -> str:
    if depth > MAX_DEPTH:
        return _plain(element)
    name = _name(element)
    if name in _TOKENS:
        return _TOKENS[name](element)
    if name in _LAYOUTS:
        return _LAYOUTS[name](element, depth + 1)
    return _row(element, depth + 1)


def _row(element: Element, depth: int) -> str:
    """All children in a row; a text outside of tokens, which is invalid, is kept."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and _name(child) not in _NOT_SHOWN:
            parts.append(_write(child, depth))
        parts.append(child.tail or "")
    return _join(parts)


def _join(parts: Sequence[str]) -> str:
    """The parts one after the other; a command and a letter after it stay apart."""
    written: list[str] = []
    for part in parts:
        text = part.strip()
        if not text:
            continue
        is_command = False
        if written:
            is_command = _ENDS_IN_COMMAND.search(written[-1]) is not None
        if is_command and (text[0].isalnum() or text[0] == "*"):
            written.append(" ")
        written.append(text)
    return "".join(written)


_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")


def _escape(text: str) -> str:
    """Characters as LaTeX, styled letters as plain ones."""
    parts = []
    for char in text:
        folded = char
        if char not in _SYMBOLS and unicodedata.category(char) in ("Lu", "Ll", "Nd"):
            folded = unicodedata.normalize("NFKC", char)
        parts.append(_SYMBOLS.get(folded, folded))
    return _join(parts)


def _token_text(element: Element) -> str:
    text = _SPACES.sub(" ", _plain(element))
    return text.strip()


def _identifier(element: Element) -> str:
    text = _token_text(element)
    if text in _FUNCTIONS:
        return f"\\{text}"
    font = _FONTS.get(element.get("mathvariant") or "", "")
    letters = _escape(text)
    if font:
        return f"{font}{{{letters}}}"
    is_word = len(text) > 1 and text.isascii() and text.isalpha()
    return f"\\mathrm{{{letters}}}" if is_word else letters


def _number(element: Element) -> str:
    return _escape(_token_text(element))


def _operator(element: Element) -> str:
    text = _token_text(element)
    if text in _FUNCTIONS:
        return f"\\{text}"
    if len(text) > 1 and text.isascii() and text.isalpha():
        return f"\\operatorname{{{text}}}"
    return _escape(text)


def _text(element: Element) -> str:
    text = _plain(element).replace("\xa0", " ")
    text = _SPACES.sub(" ", text)
    if not text.strip():
        return r"\ " if text else ""
    return f"\\text{{{text}}}"


def _space(element: Element) -> str:
    return r"\\" if element.get("linebreak") == "newline" else r"\,"


_TOKENS: dict[str, Callable[[Element], str]] = {
    "mi": _identifier,
    "mn": _number,
    "mo": _operator,
    "mtext": _text,
    "ms": _text,
    "mspace": _space,
}


def _parts(
    element: Element,
    depth: int,
    count: int,
) -> list[str]:
    """The first children, each as LaTeX; ``""`` for those that are missing."""
    children = _children(element)[:count]
    written = [_write(child, depth) for child in children]
    return written + [""] * (count - len(written))


def _base(latex: str) -> str:
    """What a script may follow: one character, one command, or a group."""
    is_single = len(latex) <= 1 or _SINGLE.fullmatch(latex) is not None
    return latex if is_single else f"{{{latex}}}"


_SINGLE = re.compile(r"\\[A-Za-z]+(?:\{[^{}]*\})?|\\.|[0-9]+")


def _fraction(element: Element, depth: int) -> str:
    above, below = _parts(element, depth, 2)
    if element.get("linethickness") in ("0", "0pt", "0px", "0em"):
        return f"\\binom{{{above}}}{{{below}}}"
    return f"\\frac{{{above}}}{{{below}}}"


def _square_root(element: Element, depth: int) -> str:
    return f"\\sqrt{{{_row(element, depth)}}}"


def _root(element: Element, depth: int) -> str:
    radicand, index = _parts(element, depth, 2)
    return f"\\sqrt[{index}]{{{radicand}}}"


def _superscript(element: Element, depth: int) -> str:
    base, above = _parts(element, depth, 2)
    return f"{_base(base)}{_power(above)}"


def _power(above: str) -> str:
    if above and not above.strip("'"):
        return above
    return f"^{{{above}}}"


def _subscript(element: Element, depth: int) -> str:
    base, below = _parts(element, depth, 2)
    return f"{_base(base)}_{{{below}}}"


def _both_scripts(element: Element, depth: int) -> str:
    base, below, above = _parts(element, depth, 3)
    return f"{_base(base)}_{{{below}}}{_power(above)}"


def _over(element: Element, depth: int) -> str:
    base, above = _parts(element, depth, 2)
    mark = _accent(element)
    if mark:
        return f"{mark}{{{base}}}"
    if _takes_limits(base):
        return f"{base}^{{{above}}}"
    return f"\\overset{{{above}}}{{{base}}}"


def _under(element: Element, depth: int) -> str:
    base, below = _parts(element, depth, 2)
    mark = _accent(element)
    if mark:
        return f"{mark}{{{base}}}"
    if _takes_limits(base):
        return f"{base}_{{{below}}}"
    return f"\\underset{{{below}}}{{{base}}}"


def _accent(element: Element) -> str:
    """The command of the accent above or below a base; ``""`` if it is no accent."""
    children = _children(element)
    if len(children) < 2 or _name(children[1]) != "mo":
        return ""
    mark = _token_text(children[1])
    if mark in ("_", "¯", "‾", "―") and _name(element) == "munder":
        return r"\underline"
    return _ACCENTS.get(mark, "")


def _takes_limits(base: str) -> bool:
    name = base[1:]
    return base.startswith("\\") and name.isalpha()


def _under_and_over(element: Element, depth: int) -> str:
    base, below, above = _parts(element, depth, 3)
    if _takes_limits(base):
        return f"{base}_{{{below}}}^{{{above}}}"
    return f"\\overset{{{above}}}{{\\underset{{{below}}}{{{base}}}}}"


def _fenced(element: Element, depth: int) -> str:
    opening = _escape(element.get("open", "("))
    closing = _escape(element.get("close", ")"))
    separators = []
    for char in element.get("separators", ","):
        if not char.isspace():
            separators.append(char)
    parts = [_write(child, depth) for child in _children(element)]
    written = [opening]
    for i, part in enumerate(parts):
        if i and separators:
            last = min(i, len(separators)) - 1
            written.append(separators[last])
        written.append(part)
    return _join([*written, closing])


def _table(element: Element, depth: int) -> str:
    rows = []
    for row in _children(element):
        cells = [_row(cell, depth + 1) for cell in _children(row)]
        if _name(row) == "mlabeledtr":
            cells = cells[1:]
        rows.append(" & ".join(cells))
    body = r" \\ ".join(rows)
    return f"\\begin{{matrix}}{body}\\end{{matrix}}"


def _multiscripts(element: Element, depth: int) -> str:
    children = [child for child in element if isinstance(child.tag, str)]
    if not children:
        return ""
    after: list[str] = []
    before: list[str] = []
    scripts = after
    for child in children[1:]:
        if _name(child) == "mprescripts":
            scripts = before
        else:
            is_missing = _name(child) == "none"
            scripts.append("" if is_missing else _write(child, depth))
    start = f"{{}}{_script_pairs(before)}" if before else ""
    return f"{start}{_base(_write(children[0], depth))}{_script_pairs(after)}"


def _script_pairs(scripts: Sequence[str]) -> str:
    written = ""
    for i, script in enumerate(scripts):
        if script:
            written += f"{'^' if i % 2 else '_'}{{{script}}}"
    return written


def _enclosed(element: Element, depth: int) -> str:
    notation = element.get("notation", "")
    content = _row(element, depth)
    if "box" in notation:
        return f"\\boxed{{{content}}}"
    return f"\\sqrt{{{content}}}" if "radical" in notation else content


def _semantics(element: Element, depth: int) -> str:
    """The first child: the others are the formula in other notations."""
    children = _children(element)
    if children:
        return _write(children[0], depth)
    return ""


_LAYOUTS: dict[str, Callable[[Element, int], str]] = {
    "mfrac": _fraction,
    "msqrt": _square_root,
    "mroot": _root,
    "msup": _superscript,
    "msub": _subscript,
    "msubsup": _both_scripts,
    "mover": _over,
    "munder": _under,
    "munderover": _under_and_over,
    "mfenced": _fenced,
    "mtable": _table,
    "mmultiscripts": _multiscripts,
    "menclose": _enclosed,
    "semantics": _semantics,
}
