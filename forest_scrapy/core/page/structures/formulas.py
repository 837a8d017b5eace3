"""Formulas of a page as LaTeX: MathML, KaTeX, MathJax, images of formulas, and LaTeX in the text.

A page often has a formula two or three times: as MathML, as drawn characters, as its source.  It is
read once, from the outermost element that has all of them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote, unquote_plus, urlsplit

from lxml import etree

from forest_scrapy.core.page.tree import Element, parse_html

#: Characters of the longest LaTeX that is taken for a formula.
MAX_LENGTH = 10_000
#: Elements from the MathML up to the outermost one of its formula, at most.
MAX_LEVELS = 8
#: Siblings before a script that MathJax has drawn its formula in, at most.
MAX_SIBLINGS = 3
#: Formulas and scripts among which another one is looked for.
MAX_OTHERS = 20


@dataclass(frozen=True)
class Formula:
    """A formula: its LaTeX without delimiters, and whether it is shown on a line of its own."""

    latex: str
    is_display: bool = False


#: By the elements that are a formula that formula; None for those that show it once more.
Formulas = dict[Element, Formula | None]

#: What a class, an id or the tag of an element around one formula is called.
_AROUND = re.compile(
    r"(?:^|\s)(?:katex(?:-mathml|-display|--inline|--display|-block|-fence|-html)?|mwe-math-\S+|"
    r"mathjax(?:_svg|_chtml|_display|_mathml|_svg_display|-inline|-block|_full_width)?|"
    r"mjx-chtml|mjx-full-width|mjx_assistive_mathml\S*|math|math-(?:inline|display|block|tex)|"
    r"tex|tex-math|arithmatex|math-container|ql-formula|inline-formula|disp-formula|"
    r"mathjax-tex|formula)(?=\s|$)",
    re.IGNORECASE,
)
_AROUND_TAGS = frozenset(("mjx-container", "mjx-assistive-mml", "math-renderer", "mjx-math"))
#: What MathJax draws beside the script that has the source.
_DRAWN = re.compile(r"(?:^|\s)(?:MathJax|mjx-chtml|MJX)", re.IGNORECASE)
_DISPLAY = re.compile(r"display|(?:^|\s|math-|katex-|mathjax-|--)block|disp-formula")
_OF_IMAGES = re.compile(
    r"(?:^|\s)(?:latex|tex|math|mathimage|ee_img|wp-latex|equation|mwe-math-fallback-image-\S+|"
    r"ql-img-\S+-(?:formula|equation)|tex-image|latex_img|texrender|mathtex\S*)(?=\s|$)",
    re.IGNORECASE,
)
_IMAGE_URL = re.compile(
    r"latex\.php\?|/math/render/|latex\.codecogs\.com|codecogs\.com/(?:gif|png|svg|eqn)|"
    r"chart\.googleapis\.com/chart\?[^?]*cht=tx|/mathtex\.cgi\?|/mimetex\.cgi\?|zhihu\.com/equation\?",
    re.IGNORECASE,
)
_SOURCE_ATTRIBUTES = ("data-latex", "data-tex", "data-formula", "data-katex", "data-math")
#: Elements that may be, or have, a formula.
_MARKED = etree.XPath(
    ".//*[@class][contains(@class, 'math') or contains(@class, 'Math') or contains(@class, 'atex')"
    " or contains(@class, 'formula') or contains(@class, 'mjx') or @class = 'tex'"
    " or contains(@class, 'tex2jax')]"
)
_OF_FORMULAS = re.compile(r"[mM]ath|ate[xX]|formula|mjx|(?:^|\s)tex(?:\s|$)|tex2jax")
#: Elements that may be, or have, a formula whatever their classes are.
FORMULA_TAGS = frozenset(("math", "script", "mjx-container", "math-renderer", "img"))
_LAYOUT_TABLE = re.compile(r"(?:^|\s)ltx_(?:equation|eqn|align|gather|multline)")


def find_formulas(
    root: Element,
    classes: str | None = None,
    elements: Sequence[tuple[str, Element]] | None = None,
) -> Formulas:
    """The elements below ``root``, or itself, that are a formula; None for those that show once
    more what another one has.

    ``classes``: those of the elements, as far as they may be of use; None: not known.
    ``elements``: at least those with ``FORMULA_TAGS``, each with its tag; None: not known.
    Cost: two searches by libxml2, and what is found.

    >>> page = parse_html("<p><span class=katex><math><mi>x</mi></math><i>x</i></span>")
    >>> [(element.tag, formula.latex) for element, formula in find_formulas(page).items()]
    [('span', 'x')]
    """
    formulas: Formulas = {}
    if elements is None:
        elements = [(str(element.tag), element) for element in root.iter(*FORMULA_TAGS)]
    for tag, element in elements:
        if tag not in FORMULA_TAGS:
            continue
        if tag == "script":
            _add_script(element, formulas)
        elif tag == "img":
            formula = _read_image(element)
            if formula is not None:
                formulas[_outermost(element, root)] = formula
        elif tag == "math-renderer":
            _add_named(element, root, formulas)
        else:
            outermost = _outermost(element, root)
            if outermost not in formulas:
                _add(outermost, element, formulas)
    may_be_marked = classes is None or _OF_FORMULAS.search(classes)
    if may_be_marked:
        _add_marked(root, formulas)
    return formulas


def _add_marked(root: Element, formulas: Formulas) -> None:
    """The elements whose class is one of formulas, outside of those that were found before."""
    for element in _MARKED(root):
        if element.tag in ("img", "math", "script", "html", "body"):
            continue
        names = element.get("class") or ""
        if _AROUND.search(names) and not _is_inside(element, root, formulas):
            _add_named(element, root, formulas)


def is_layout_table(table: Element) -> bool:
    """Whether a table only places a formula and its number, as LaTeXML writes it."""
    return _LAYOUT_TABLE.search(table.get("class") or "") is not None


def _is_inside(
    element: Element,
    root: Element,
    formulas: Formulas,
) -> bool:
    ancestor: Element | None = element
    for _ in range(MAX_LEVELS):
        if ancestor is None:
            return False
        if ancestor in formulas:
            return True
        if ancestor is root:
            return False
        ancestor = ancestor.getparent()
    return False


def _outermost(element: Element, root: Element) -> Element:
    """The outermost element that has nothing but this formula, as far as its names say that."""
    outermost = element
    ancestor = element
    for _ in range(MAX_LEVELS):
        parent = ancestor.getparent()
        if ancestor is root or parent is None or parent.tag in ("html", "body"):
            break
        ancestor = parent
        is_named = ancestor.tag in _AROUND_TAGS or _AROUND.search(ancestor.get("class") or "")
        if not is_named and ancestor.get("data-mathml") is None:
            break
        if _has_another(ancestor, element):
            break
        outermost = ancestor
    return outermost


def _has_another(container: Element, formula: Element) -> bool:
    """Whether the element has a second formula, so that it is no formula itself."""
    candidates = container.iter("math", "mjx-container", "script")
    for candidate in islice(candidates, MAX_OTHERS):
        is_same = candidate is formula
        if is_same or _is_within(candidate, formula) or _is_within(formula, candidate):
            continue
        if candidate.tag != "script" or _is_source(candidate):
            return True
    return False


def _is_within(element: Element, container: Element) -> bool:
    ancestor: Element | None = element
    for _ in range(MAX_LEVELS):
        if ancestor is container:
            return True
        ancestor = ancestor.getparent() if ancestor is not None else None
    return False


def _is_source(script: Element) -> bool:
    kind = script.get("type") or ""
    return kind.lower().startswith(("math/tex", "math/mml", "math/asciimath"))


def _add_script(script: Element, formulas: Formulas) -> None:
    """A script of MathJax, version 2; what it has drawn stands before it."""
    if not _is_source(script):
        return
    kind = (script.get("type") or "").lower()
    source = script.text or ""
    if kind.startswith("math/mml"):
        latex = _read_markup(source)
    else:
        latex = clean_latex(_CDATA.sub("", source))
    if not latex:
        return
    formulas[script] = Formula(latex, "mode=display" in kind.replace(" ", ""))
    before = script.getprevious()
    for _ in range(MAX_SIBLINGS):
        if before is None or not _DRAWN.search(before.get("class") or ""):
            break
        formulas[before] = None
        if (before.tail or "").strip():
            break
        before = before.getprevious()


_CDATA = re.compile(r"%\s*<!\[CDATA\[|%\s*\]\]>|<!\[CDATA\[|\]\]>")


def _add(
    outermost: Element,
    element: Element,
    formulas: Formulas,
) -> None:
    latex = _source_of(outermost) or _source_of(element)
    if not latex:
        math = element if element.tag == "math" else next(element.iter("math"), None)
        latex = _mathml_to_latex(element if math is None else math)
    if latex:
        formulas[outermost] = Formula(latex, _is_display(outermost, element))


def _add_named(
    element: Element,
    root: Element,
    formulas: Formulas,
) -> None:
    """An element that is named as a formula, and has no MathML, or the source in an attribute."""
    drawn = next(element.iter("math", "mjx-container"), None)
    if element in formulas or (drawn is not None and drawn in formulas):
        return
    names = element.get("class") or ""
    latex = _source_of(element)
    markup = element.get("data-mathml")
    if not latex and markup and _DRAWN.search(names):
        latex = _read_markup(markup)
    if not latex and _HTML_OF_KATEX.search(names) and "katex-html" not in names:
        latex = _visible(element)
    is_display = _is_display(element, element)
    if not latex:
        latex, has_display_delimiters = _own_source(element)
        is_display = is_display or has_display_delimiters
    if latex:
        formulas[element] = Formula(latex, is_display)


_HTML_OF_KATEX = re.compile(r"(?:^|\s)(?:katex|MathJax|mjx-chtml)(?=\s|$)")


def _visible(element: Element) -> str:
    """What a formula shows, if nothing else is known of it."""
    text = "".join(str(text) for text in element.itertext())
    return clean_latex(text.replace("\u200b", ""))


def _own_source(element: Element) -> tuple[str, bool]:
    """The LaTeX that is the text of an element without others, which a script draws later, and
    whether its delimiters are those of a formula on its own line."""
    names = element.get("class") or ""
    if element.tag != "math-renderer" and not _HOLDS_SOURCE.search(names):
        return "", False
    for child in element:
        if isinstance(child.tag, str) and not _is_number(child):
            return "", False
    text = element.text or ""
    for child in element:
        text += child.tail or ""
    text = text.strip()
    if len(text) > MAX_LENGTH or not _LATEX.search(text):
        return "", False
    return _strip_delimiters(text), text.startswith(("$$", "\\["))


_HOLDS_SOURCE = re.compile(
    r"(?:^|\s)(?:math|math-(?:inline|display|block|tex|container)|tex|tex-math|arithmatex|"
    r"katex--(?:inline|display)|mathjax-tex)(?=\s|$)",
    re.IGNORECASE,
)


def _is_number(element: Element) -> bool:
    """Whether the element is the number of an equation, or a link to it."""
    names = element.get("class") or ""
    return "eqno" in names or "headerlink" in names


def _source_of(element: Element) -> str:
    """The LaTeX that the page has of a formula: its annotation, or an attribute."""
    for annotation in element.iter("annotation"):
        encoding = annotation.get("encoding") or ""
        if "tex" in encoding.lower():
            source = "".join(map(str, annotation.itertext()))
            return clean_latex(source)
    for holder in (element, *element.iter("math", "mjx-math")):
        names: tuple[str, ...] = _SOURCE_ATTRIBUTES
        if holder.tag == "math":
            names = (*names, "alttext")
        for name in names:
            latex = clean_latex(holder.get(name) or "")
            if latex:
                return latex
    if "ql-formula" in (element.get("class") or ""):
        return clean_latex(element.get("data-value") or "")
    return ""


def _read_markup(markup: str) -> str:
    """The LaTeX of MathML that is written in an attribute or a script."""
    if len(markup) > 10 * MAX_LENGTH:
        return ""
    math = next(parse_html(f"<div>{markup}</div>").iter("math"), None)
    if math is None:
        return ""
    return _source_of(math) or _mathml_to_latex(math)


def _mathml_to_latex(math: Element) -> str:
    from forest_scrapy.core.page.structures.mathml import mathml_to_latex  # few pages have any

    return mathml_to_latex(math)


def _is_display(outermost: Element, innermost: Element) -> bool:
    for element in (outermost, innermost, *outermost.iter("math")):
        if element.get("display") in ("block", "true"):
            return True
        if element.get("mode") == "display":
            return True
        if _DISPLAY.search(element.get("class") or ""):
            return True
        if element.tag == "div":
            return True
    parent = outermost.getparent()
    return parent is not None and "katex-display" in (parent.get("class") or "")


def _read_image(image: Element) -> Formula | None:
    """The formula that an image shows, by its ``alt`` or its URL."""
    names = image.get("class") or ""
    url = image.get("src") or image.get("data-src") or ""
    is_named = bool(names) and _OF_IMAGES.search(names) is not None
    if not is_named and not _IMAGE_URL.search(url[:MAX_LENGTH]):
        return None
    alt = image.get("alt") or ""
    latex = _strip_delimiters(alt.strip())
    if not latex or (not is_named and not _LATEX.search(latex)):
        latex = _latex_of_url(url) or latex
    is_formula = latex and ("\\" in latex or is_named or _LATEX.search(latex))
    if not is_formula:
        return None
    is_display = "display" in names or "displayed" in names
    return Formula(latex, is_display)


_LATEX = re.compile(r"[\\^_={}+$]|^\w$")


def _latex_of_url(url: str) -> str:
    """The LaTeX in the query of an image that a service draws."""
    try:
        query = urlsplit(url).query
    except ValueError:
        return ""
    for part in query.split("&"):
        name, equals, value = part.partition("=")
        if equals and name in ("latex", "chl", "tex"):
            return clean_latex(unquote_plus(value))
    if "codecogs" in url or "tex.cgi" in url:
        return clean_latex(unquote(query))
    return ""


def clean_latex(latex: str) -> str:
    """The LaTeX without white space around it, and without the style that Wikipedia wraps all
    formulas in; ``""`` if it is too long for a formula.

    >>> clean_latex(" x^2 "), clean_latex(r"{\\displaystyle E=mc^{2}}")
    ('x^2', 'E=mc^{2}')
    """
    text = latex.replace("\xa0", " ").replace("\u200b", "").strip()
    if "&" in text:
        text = _ENTITY.sub(lambda entity: _ENTITIES[entity[1]], text)
    if len(text) > MAX_LENGTH:
        return ""
    style = _STYLE.match(text)
    if style is not None and _is_one_group(text):
        return text[style.end() : -1].strip()
    return text


#: Characters that services for images of formulas want written so.
_ENTITIES = {"plus": "+", "space": " ", "lt": "<", "gt": ">", "amp": "&"}
_ENTITY = re.compile("&(plus|space|lt|gt|amp);")
_STYLE = re.compile(r"\{\\(?:displaystyle|textstyle)(?![A-Za-z])")


def _is_one_group(text: str) -> bool:
    """Whether the first brace is closed by the last character."""
    depth = 0
    for brace in _BRACE.finditer(text):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end() == len(text)
    return False


_BRACE = re.compile(r"(?<!\\)[{}]")


def latex_line(latex: str) -> str:
    """The LaTeX on one line, without its comments, which would end it.

    >>> latex_line("a % first" + chr(10) + "+ b")
    'a + b'
    """
    if "%" in latex:
        latex = _COMMENT.sub("", latex)
    return " ".join(latex.split())


_COMMENT = re.compile(r"(?<!\\)%.*")


#: Delimiters of formulas in a text: how one starts and ends, and whether it is on its own line.
_DELIMITERS = (
    ("$$", "$$", True),
    ("\\[", "\\]", True),
    ("\\(", "\\)", False),
    ("$", "$", False),
)
_ENVIRONMENT = re.compile(r"\\begin\{(equation|align|gather|multline|eqnarray|displaymath)(\*?)\}")


def _strip_delimiters(text: str) -> str:
    for start, end, _ in _DELIMITERS:
        is_delimited = text.startswith(start) and text.endswith(end)
        if is_delimited and len(text) >= len(start) + len(end):
            return clean_latex(text[len(start) : len(text) - len(end)])
    if text.startswith("$latex "):
        return clean_latex(text[len("$latex ") :])
    return clean_latex(text)


#: What may be the start of a formula in a text.
_STARTS = re.compile(r"\$\$?|\\[(\[]|\\begin\{")
#: Characters of a formula between single dollars, which texts have for prices, too.
MAX_BETWEEN_DOLLARS = 300


def split_formulas(text: str, has_dollars: bool) -> Iterator[str | Formula]:
    r"""The pieces of a text: formulas in delimiters, and what is between them.

    ``has_dollars``: whether single dollars are delimiters, as on pages that load a script for them.
    Cost: linear, since each end is looked for from its start on once.

    >>> list(split_formulas(r"So \(x^2\) costs $5", has_dollars=False))
    ['So ', Formula(latex='x^2', is_display=False), ' costs $5']
    """
    position = 0
    missing: set[str] = set()
    for start in _STARTS.finditer(text):
        if start.start() < position:
            continue
        span = _find_span(text, start.start(), start[0], has_dollars, missing)
        if span is None:
            continue
        end, formula = span
        if start.start() > position:
            yield text[position : start.start()]
        yield formula
        position = end
    if position < len(text):
        yield text[position:]


def _find_span(
    text: str,
    start: int,
    opening: str,
    has_dollars: bool,
    missing: set[str],
) -> tuple[int, Formula] | None:
    """Where the formula that begins at ``start`` ends, and itself; None if it is none.

    ``missing``: the ends that the rest of the text does not have, which grows.
    """
    is_escaped = start > 0 and text[start - 1] == "\\"
    if is_escaped:
        return None
    if opening == r"\begin{":
        return _find_environment(text, start, missing)
    if opening == "$":
        if has_dollars:
            return _find_dollars(text, start)
        return None
    closing = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}[opening]
    if closing in missing:
        return None
    end = text.find(closing, start + 2)
    if end < 0:
        missing.add(closing)
        return None
    latex = text[start + 2 : end].strip()
    if not latex or len(latex) > MAX_LENGTH or not _LATEX_OR_WORD.search(latex):
        return None
    return end + len(closing), Formula(latex, opening != "\\(")


_LATEX_OR_WORD = re.compile(r"\w")


def _find_environment(
    text: str,
    start: int,
    missing: set[str],
) -> tuple[int, Formula] | None:
    environment = _ENVIRONMENT.match(text, start)
    if environment is None:
        return None
    closing = f"\\end{{{environment[1]}{environment[2]}}}"
    if closing in missing:
        return None
    end = text.find(closing, environment.end())
    if end < 0:
        missing.add(closing)
        return None
    end += len(closing)
    if end - start > MAX_LENGTH:
        return None
    return end, Formula(text[start:end], True)


def _find_dollars(text: str, start: int) -> tuple[int, Formula] | None:
    end = text.find("$", start + 1, start + 1 + MAX_BETWEEN_DOLLARS)
    if end <= start + 1:
        return None
    content = text[start + 1 : end]
    is_spaced = content[0].isspace() or content[-1].isspace()
    is_escaped = content[-1] == "\\"
    is_before_digit = text[end + 1 : end + 2].isdigit()
    if is_spaced or is_escaped or is_before_digit:
        return None
    latex = content.removeprefix("latex ")
    return end + 1, Formula(latex.strip())


_DRAWS_DOLLARS = etree.XPath(
    "boolean(//script[contains(@src, 'athjax') or contains(@src, 'athJax')"
    " or contains(@src, 'katex') or contains(@src, 'KaTeX')"
    " or contains(., 'inlineMath') or contains(., 'renderMathInElement')])"
)


def draws_dollars(root: Element) -> bool:
    """Whether the page loads a script that draws formulas between dollars.  Cost: one search of the
    whole page."""
    return bool(_DRAWS_DOLLARS(root))
