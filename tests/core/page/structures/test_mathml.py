"""Presentation MathML as LaTeX, and that any of it is read in bounded time and depth."""

from __future__ import annotations

import pytest

from forest_scrapy.core.page.structures.mathml import MAX_ELEMENTS, mathml_to_latex
from forest_scrapy.core.page.tree import Element, parse_html


def read_math(inner: str) -> Element:
    return next(parse_html(f"<math>{inner}</math>").iter("math"))


@pytest.mark.parametrize(
    ("mathml", "latex"),
    [
        ("<msup><mi>c</mi><mn>2</mn></msup>", "c^{2}"),
        ("<msub><mi>v</mi><mn>0</mn></msub>", "v_{0}"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_{i}^{2}"),
        ("<msup><mrow><mi>a</mi><mi>b</mi></mrow><mo>′</mo></msup>", "{ab}'"),
        ("<mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac>", r"\binom{n}{k}"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", r"\sqrt[3]{x}"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>", r"\sum_{i}^{n}"),
        ("<munder><mi>lim</mi><mi>x</mi></munder>", r"\lim_{x}"),
        ("<mover><mi>x</mi><mo>^</mo></mover>", r"\hat{x}"),
        ("<mover><mi>A</mi><mi>b</mi></mover>", r"\overset{b}{A}"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a,b)"),
        ("<mi>α</mi><mi>x</mi>", r"\alpha x"),
        ("<mi mathvariant=double-struck>R</mi>", r"\mathbb{R}"),
        ("<mi>𝑥</mi><mo>≤</mo><mn>1.5</mn>", r"x\leq 1.5"),
        ("<mi>sin</mi><mo>\u2061</mo><mi>x</mi>", r"\sin x"),
        ("<mtext> if </mtext>", r"\text{ if }"),
        ("<mi>rate</mi>", r"\mathrm{rate}"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr></mtable>",
         r"\begin{matrix}1 & 0\end{matrix}"),
        ("<mmultiscripts><mi>X</mi><mi>a</mi><none></none><mprescripts></mprescripts>"
         "<mn>6</mn><mn>14</mn></mmultiscripts>", "{}_{6}^{14}X_{a}"),
        ("<semantics><mi>x</mi><annotation>y</annotation></semantics>", "x"),
        ("x < 1", "x < 1"),
        ("", ""),
    ],
)  # fmt: skip
def test_mathml(mathml: str, latex: str) -> None:
    assert mathml_to_latex(read_math(mathml)) == latex


def test_deep_and_large_formulas_are_read() -> None:
    nested = read_math("<msqrt>" * 150 + "<mi>x</mi>" + "</msqrt>" * 150)
    assert "x" in mathml_to_latex(nested)
    assert mathml_to_latex(read_math("<mi>x</mi>" * (MAX_ELEMENTS + 1))).startswith("xxx")


def test_scripts_in_a_formula_are_no_text() -> None:
    assert mathml_to_latex(read_math("<mtext>a<style>b</style></mtext>")) == r"\text{a}"
