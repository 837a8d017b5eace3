"""Formulas as sites write them: once, as LaTeX."""

from __future__ import annotations

import pytest

from ...helpers import read_markdown

CASES = [
    pytest.param(
        "<p>Thus <span class='katex-display'><span class='katex'><span class='katex-mathml'><math display='block'><semantics><mrow><mi>a</mi></mrow><annotation encoding='application/x-tex'>a^2 + b</annotation></semantics></math></span><span class='katex-html' aria-hidden='true'>a2</span></span></span> and</p>",
        'Thus\n\n$$\na^2 + b\n$$\n\nand',
        id='KaTeX, display',
    ),
    pytest.param(
        "<p>So <mjx-container class='MathJax' jax='CHTML' tabindex=0><mjx-math class='MJX-TEX' aria-hidden='true'><mjx-mi class='mjx-i'><mjx-c class='mjx-c1D465'></mjx-c></mjx-mi></mjx-math><mjx-assistive-mml unselectable='on' display='inline'><math xmlns='http://www.w3.org/1998/Math/MathML'><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math></mjx-assistive-mml></mjx-container> ok</p>",
        'So $x=\\frac{1}{2}$ ok',
        id='MathJax 3',
    ),
    pytest.param(
        "<mjx-container class='MathJax' jax='SVG' display='true'><svg><g></g></svg><mjx-assistive-mml display='block'><math display='block'><mi>y</mi></math></mjx-assistive-mml></mjx-container>",
        '$$\ny\n$$',
        id='MathJax 3, display',
    ),
    pytest.param(
        "<p>So <mjx-container class='MathJax' jax='CHTML'><mjx-math data-latex='x^2' aria-hidden='true'><mjx-c></mjx-c></mjx-math></mjx-container> ok</p>",
        'So $x^2$ ok',
        id='MathJax 4',
    ),
    pytest.param(
        "<p>A <span class='MathJax_Preview' style='color:inherit'></span><span class='mjx-chtml MathJax_CHTML' data-mathml='<math><mi>x</mi></math>'><span class='mjx-math' aria-hidden='true'>x</span><span class='MJX_Assistive_MathML'><math><mi>x</mi></math></span></span><script type='math/tex' id='M-1'>x_1</script> B</p><span class='MathJax_Preview'></span><div class='MathJax_Display'><span class='MathJax' id='e'>yy</span></div><script type='math/tex; mode=display'>% <![CDATA[\ny = 1 %]]></script>",
        'A $x_1$ B\n\n$$\ny = 1\n$$',
        id='MathJax 2',
    ),
    pytest.param(
        "<p>A <span class='MathJax_SVG' data-mathml='<math><msup><mi>x</mi><mn>2</mn></msup></math>'><svg></svg></span> B</p>",
        'A $x^{2}$ B',
        id='MathJax 2, SVG',
    ),
    pytest.param(
        "<dl><dd><span class='mwe-math-element mwe-math-element-inline'><span class='mwe-math-mathml-inline mwe-math-mathml-a11y' style='display: none;'><math alttext='{\\displaystyle E=mc^{2}}'><semantics><mrow><mi>E</mi></mrow><annotation encoding='application/x-tex'>{\\displaystyle E=mc^{2}}</annotation></semantics></math></span><img src='https://wikimedia.org/api/rest_v1/media/math/render/svg/9f' class='mwe-math-fallback-image-inline mw-invert' aria-hidden='true' style='' alt='{\\displaystyle E=mc^{2}}'></span></dd></dl>",
        '$E=mc^{2}$',
        id='Wikipedia',
    ),
    pytest.param(
        "<div class='mwe-math-element mwe-math-element-block'><span class='mwe-math-mathml-display mwe-math-mathml-a11y' style='display: none;'><math display='block'><semantics><mi>E</mi><annotation encoding='application/x-tex'>{\\displaystyle E}</annotation></semantics></math></span><img class='mwe-math-fallback-image-display' aria-hidden='true' alt='{\\displaystyle E}' src='/x.svg'></div>",
        '$$\nE\n$$',
        id='Wikipedia, display',
    ),
    pytest.param(
        "<p>Since <img src='https://s0.wp.com/latex.php?latex=x%5E2&bg=ffffff' alt='x^2' title='x^2' class='latex' /> ok <img class='latex' alt='\\displaystyle y' src='https://s0.wp.com/latex.php?latex=y'></p>",
        'Since $x^2$ ok $\\displaystyle y$',
        id='WordPress images',
    ),
    pytest.param(
        "<p>Let <img src='https://latex.codecogs.com/gif.latex?%5Cfrac%7B1%7D%7B2%7D' title='x'> be <img src='https://latex.codecogs.com/svg.image?a&plus;b' alt='equation'></p>",
        'Let $\\frac{1}{2}$ be $a+b$',
        id='images of a service',
    ),
    pytest.param(
        "<p>If <span class='math inline'>\\(x^2\\)</span> then <span class='math display'>\\[\\sum_i y_i\\]</span> ok <span class='math inline'><em>x</em><sub>1</sub></span></p>",
        'If $x^2$ then\n\n$$\n\\sum_i y_i\n$$\n\nok *x*<sub>1</sub>',
        id='pandoc',
    ),
    pytest.param(
        "<p>If <span class='math notranslate nohighlight'>\\(x\\)</span>.</p><div class='math notranslate nohighlight' id='eq'><span class='eqno'>(1)<a class='headerlink' href='#eq'>¶</a></span>\\[a + b = c\\]</div>",
        'If $x$.\n\n$$\na + b = c\n$$',
        id='Sphinx',
    ),
    pytest.param(
        "<p>If <span class='arithmatex'>\\(x\\)</span></p><div class='arithmatex'>\\[ y \\]</div>",
        'If $x$\n\n$$\ny\n$$',
        id='MkDocs',
    ),
    pytest.param(
        "<p>If <span class='math-container'>$x_1$</span> and <span class='math-container'>$$y$$</span></p>",
        'If $x_1$ and\n\n$$\ny\n$$',
        id='Stack Exchange',
    ),
    pytest.param(
        "<p>If <math-renderer class='js-inline-math' style='display: inline'>$\\sqrt{3}$</math-renderer> ok</p>",
        'If $\\sqrt{3}$ ok',
        id='GitHub',
    ),
    pytest.param(
        "<p>where <math id='p1' class='ltx_Math' alttext='\\alpha' display='inline'><semantics><mi>α</mi><annotation-xml encoding='MathML-Content'><ci>α</ci></annotation-xml><annotation encoding='application/x-tex'>\\alpha</annotation><annotation encoding='application/x-llamapun'>italic_α</annotation></semantics></math> is</p><table class='ltx_equation ltx_eqn_table' id='E1'><tbody><tr class='ltx_equation ltx_eqn_row'><td class='ltx_eqn_cell ltx_eqn_center_padleft'></td><td class='ltx_eqn_cell ltx_align_center'><math class='ltx_Math' alttext='E=mc^2' display='block'><mi>E</mi></math></td><td class='ltx_eqn_cell'></td><td rowspan=1 class='ltx_eqn_cell ltx_eqn_eqno'><span class='ltx_tag ltx_tag_equation ltx_align_right'>(1)</span></td></tr></tbody></table>",
        'where $\\alpha$ is\n\n$$\nE=mc^2\n$$\n\n(1)',
        id='LaTeXML',
    ),
    pytest.param(
        "<p>So <math><mi>x</mi><mo>&lt;</mo><mn>1</mn></math> and <math display='block'><msup><mi>y</mi><mn>2</mn></msup></math> ok</p>",
        'So $x<1$ and\n\n$$\ny^{2}\n$$\n\nok',
        id='MathML alone',
    ),
    pytest.param(
        "<script src='https://cdn/mathjax/tex.js'></script><p>Let $x_1 * y_1$ be, costs $5 and $6.</p><p>$$a_1 * b$$</p><p>Use <code>$x$</code></p><p>\\begin{align} a &amp;= b \\\\ c &amp;= d \\end{align}</p>",
        'Let $x_1 * y_1$ be, costs $5 and $6.\n\n$$\na_1 * b\n$$\n\nUse `$x$`\n\n$$\n\\begin{align} a &= b \\\\ c &= d \\end{align}\n$$',
        id='LaTeX in the text',
    ),
    pytest.param(
        '<p>It costs $5 and then $6 more.</p>',
        'It costs $5 and then $6 more.',
        id='prices',
    ),
    pytest.param(
        "<p><span class='ql-formula' data-value='e=mc^2'>\ufeff<span contenteditable='false'><span class='katex'><span class='katex-mathml'><math><semantics><mi>e</mi><annotation encoding='application/x-tex'>e=mc^2</annotation></semantics></math></span><span class='katex-html' aria-hidden='true'>e=mc2</span></span></span>\ufeff</span> ok</p>",
        '$e=mc^2$ ok',
        id='Quill',
    ),
    pytest.param(
        "<div class='formula'><math><mi>x</mi></math> and <math><mi>y</mi></math></div>",
        '$x$ and $y$',
        id='two in one element',
    ),
    pytest.param(
        "<table><tr><th>a</th><th>b</th></tr><tr><td>$$x$$</td><td><math display='block'><mo>|</mo><mi>y</mi><mo>|</mo></math></td></tr></table>",
        '| a | b |\n| --- | --- |\n| $x$ | $\\|y\\|$ |',
        id='cells',
    ),
    pytest.param(
        "<p><span class='math'>Mathematics</span> is <a class='tag math' href=/m>math</a></p>",
        'Mathematics is [math](http://a.example/m)',
        id='a word that is a class',
    ),
    pytest.param(
        "<p>So <span class='katex'><span class='katex-html' aria-hidden='true'><span class='mord'>x</span></span></span> ok</p>",
        'So $x$ ok',
        id='KaTeX without MathML',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("html", "markdown"), CASES)
def test_formulas_are_read_once_as_latex(html: str, markdown: str) -> None:
    assert read_markdown(f"<p>before</p>{html}<p>after</p>") == f"before\n\n{markdown}\n\nafter"
