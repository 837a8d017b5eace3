"""Blocks of code: their text, line by line, and their language.

Sites show code with line numbers, a bar with the file's name, the language and a button to copy it,
and with an element for each line or word.  What is read is the code alone.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from forest_scrapy.core.page.text import strip_invisible
from forest_scrapy.core.page.tree import HEADINGS, Element, find_by_classes, is_block

#: Elements around a block of code that may belong to it, at most.
MAX_LEVELS = 8
#: Elements beside a block of code that may be its line numbers and labels, at most.
MAX_BESIDE = 400
#: Characters of labels beside a block of code, at most: file, language, buttons.
MAX_LABELS = 100
#: Words of one of them, at most.
MAX_LABEL_WORDS = 6


@dataclass(frozen=True)
class CodeBlock:
    """A block of code.

    ``root``: the element that has the code; ``language``: its name as the page has it, in lower
    case, ``""`` if it is not known; ``is_code``: whether it is known to be code, not another
    preformatted text.
    """

    root: Element
    language: str = ""
    is_code: bool = True


@dataclass
class CodeText:
    """The text of a block of code, and the elements that it is in, with the nearest block."""

    text: str = ""
    owners: list[Element] = field(default_factory=list)


#: Names of languages, for places where other words may stand.
LANGUAGES = frozenset(
    (
        "ada apache apex apl applescript arduino asciidoc asm assembly astro awk bash bat "
        "batch bibtex c c# c++ clojure cmake cobol coffee coffeescript console cpp crystal cs "
        "csharp css csv cuda cython d dart diff docker dockerfile dos dot elixir elm erb "
        "erlang excel f# fish fortran fsharp gdscript gherkin git glsl go golang gradle "
        "graphql groovy haml handlebars haskell hbs hcl heex hlsl html http ini ipython "
        "ipython3 java javascript jinja jinja2 jl js json json5 jsonc jsx julia kotlin kt "
        "kusto latex less liquid lisp llvm lua make makefile markdown mathematica matlab md "
        "mdx mermaid mysql nasm nginx nim nix nushell objc objective-c objectivec ocaml "
        "octave pascal perl pgsql php plsql postgres postgresql powershell processing prolog "
        "properties proto protobuf ps1 pug puppet py pycon python python2 python3 qml r "
        "racket rails raku rb reason regex rego rest restructuredtext rs rst ruby rust sas "
        "sass scala scheme scss sh shell shell-session smalltalk sol solidity sparql sql stan "
        "stata svelte swift systemverilog tcl terraform tex text thrift toml ts tsql tsx "
        "turtle twig typescript v vala vb vb.net vba vbnet verilog vhdl vim vue wasm wolfram "
        "xhtml xml xquery xslt yaml yml zig zsh"
    ).split()
)
#: Names that say that there is no language.
_NO_LANGUAGES = frozenset(
    (
        "none no-highlight nohighlight default auto undefined unknown null plaintext plain "
        "plain-text notranslate false true txt code generic language"
    ).split()
)
_NAME = r"[a-z0-9+#][a-z0-9+#._-]{0,29}"
#: How classes name a language, the surest first.
_NAMED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:^|\s)(?:language|lang|highlight-source|highlight-text|code-language)-({_NAME})",
        rf"(?:^|\s)(?:brush|lang|language)\s*:\s*({_NAME})",
        rf"(?:^|\s)src-({_NAME})",
        rf"(?:^|\s)ltx_lst_language_({_NAME})",
        rf"(?:^|\s)highlight-({_NAME})",
        rf"(?:^|\s)hl-({_NAME})",
        rf"(?:^|\s)type-({_NAME})",
        rf"(?:^|\s)sh_({_NAME})",
    )
)
#: The patterns after these may be the name of something else.
_SURE = 4
_ATTRIBUTES = (
    "data-lang", "data-language", "data-code-language", "data-enlighter-language", "data-syntax",
    "data-highlight-language", "data-code-lang", "syntax",
)  # fmt: skip
_BESIDE_NAME = ("sourcecode", "hljs", "highlight", "src", "prettyprint", "chroma", "codehilite")

_BOX = re.compile(
    r"code|highlight|hljs|syntax|snippet|prism|shiki|rouge|chroma|crayon|listing|literal-block|"
    r"gist|terminal|console|blob|prettyprint|enlighter|language-|(?:^|[\s_-])lang-|"
    r"(?:^|\s)src(?:\s|$)|line-?num|gutter|lnt|sandpack|repl|example-(?:good|bad)|editor",
    re.IGNORECASE,
)
_BOX_TAGS = frozenset(("td", "tr", "tbody", "table", "figure"))
#: Elements with code that need no ``pre``.
_NAMED_ROOTS = {
    "highlight|blob|file-line|hljs-ln": (
        ".//table[contains(@class, 'highlight') or contains(@class, 'blob') or"
        "         contains(@class, 'file-line') or contains(@class, 'hljs-ln')][not(.//pre)]"
    ),
    "syntaxhighlighter": ".//div[contains(@class, 'syntaxhighlighter')][not(.//pre)]",
    "ltx_listing": (
        ".//div[contains(@class, 'ltx_listing ') or @class = 'ltx_listing'][not(.//pre)]"
    ),
    "crayon-pre": ".//div[contains(@class, 'crayon-pre')][not(.//pre)]",
    "CodeMirror-code|view-lines": (
        ".//div[contains(@class, 'CodeMirror-code') or contains(@class, 'view-lines')][not(.//pre)]"
    ),
}
_GUTTER = re.compile(
    r"line-?no(?:s|div)?(?![a-z])|line-?num(?:ber)?s?(?![a-z])|gutter|(?:^|[\s_-])lnt?(?=\s|$)|"
    r"blob-num|ln-n|(?:^|\s)(?:ln|linum|lines?-count|row-num\w*|crayon-nums?\w*)(?=\s|$)|rownum|"
    r"tag_listingline",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"[\s\d.:|]*")
_NOT_SELECTED = re.compile(r"user-select\s*:\s*none", re.IGNORECASE)
#: Elements that are never code.
_BESIDE_CODE = frozenset(
    (
        "button clipboard-copy script style noscript template svg textarea input select iframe "
        "copy-button"
    ).split()
)
_COPY = re.compile(
    r"copy|clipboard|toolbar|tool-bar|(?:^|[\s_-])btn(?=[\s_-]|$)|ltx_listing_data|expand-button",
    re.IGNORECASE,
)
_COPY_TEXT = re.compile(
    r"[\s⧉📋]*+(?:copy|copied!?|copy (?:code|text|snippet|link|command|to clipboard)|kopieren|"
    r"copier|copiar|copia|kopiëren|kopiera|kopiuj|копировать|скопировать|复制|复制代码|複製|コピー|복사|"
    r"copy\s+copied!?|view raw|raw|wrap|expand|run|try it|open in playground)?[\s!]*+",
    re.IGNORECASE,
)
_LINE = re.compile(
    r"(?:^|\s)(?:line|code-?line|token-line|view-line|cl|row|hljs-ln-line|ltx_listingline|"
    r"crayon-line|CodeMirror-line|react-code-line\S*|blob-code\S*|js-file-line)(?=\s|$)"
)
_SHOWN_AS_BLOCK = re.compile(r"display\s*:\s*(?:block|flex|grid|table|table-row|list-item)\b")
#: What preformatted prose has: links and emphasis, but no element for each word or line.
_OF_PROSE = frozenset("a b strong i em u s sup sub br del ins mark small cite q abbr".split())
#: What no code has: such elements are read as usual.
_NOT_IN_CODE = ("img", "video", "audio", "picture", "math", *HEADINGS)
_FILE_NAME = re.compile(r"\S{1,60}\.\w{1,8}")


def find_code_blocks(
    root: Element,
    classes: str | None = None,
    elements: Sequence[tuple[str, Element]] | None = None,
) -> dict[Element, CodeBlock]:
    """The blocks of code in ``root``, by the outermost element that shows nothing but the code, its
    numbers and labels.

    ``classes``: those of the elements, as far as they may be of use; None: not known.
    ``elements``: at least those with ``CODE_TAGS``, each with its tag; None: not known.  Cost: two
    searches by libxml2, and a look around each block.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> page = parse_html("<div class='highlight-c'><pre>x<button>Copy</button></pre></div>")
    >>> [(outer.tag, block.language) for outer, block in find_code_blocks(page).items()]
    [('div', 'c')]
    """
    blocks: dict[Element, CodeBlock] = {}
    if elements is None:
        elements = [(str(element.tag), element) for element in root.iter(*CODE_TAGS)]
    candidates = [element for tag, element in elements if tag == "pre"]
    candidates += [
        element
        for tag, element in elements
        if tag == "code" and element is not root and element.find("br") is not None
    ]
    candidates += find_by_classes(_NAMED_ROOTS, root, classes)
    if next(root.iterancestors("pre"), None) is not None:
        candidates = [root]
    elif root.tag == "pre" or (root.tag == "code" and root.find("br") is not None):
        candidates = [root, *candidates]
    code_elements: set[Element] = set()
    for element in candidates:
        if _is_inside(element, code_elements) or _is_in_gutter(element):
            continue
        if next(element.iter(*_NOT_IN_CODE), None) is not None:
            continue
        is_phrase = element.tag == "code" and not _has_code_lines(element)
        if is_phrase or is_prompt(element):
            continue
        outermost = _outermost(element, root)
        language = find_language(element, outermost, root)
        if element.tag == "pre" and outermost is element and not language and _is_prose(element):
            continue
        is_code = element.tag != "pre" or outermost is not element or bool(language)
        is_code = is_code or next(element.iter("code", "span"), None) is not None
        blocks[outermost] = CodeBlock(element, language, is_code)
        code_elements.add(outermost)
    return blocks


#: The number of a cell of a notebook.
_PROMPT = re.compile(r"\s*+(?:(?:In|Out)\s*+)?\[[\d\s*]{0,6}\]\s*+(?::\s*+)?")
_MAX_PROMPT_LENGTH = 20
_HEADER = re.compile(
    r"(?:^|\s)(?:code-?header|code-?toolbar|code-?lang(?:uage)?|code-?title|language-name|"
    r"code-block-(?:header|title)|codeblock-(?:header|title)|snippet-header|highlight-header)(?=\s|$)",
    re.IGNORECASE,
)


def is_prompt(element: Element) -> bool:
    """Whether an element shows the number of a cell of a notebook, and nothing else."""
    text = ""
    for piece in element.itertext():
        text += piece
        if len(text) > _MAX_PROMPT_LENGTH:
            return False
    return bool(text.strip()) and _PROMPT.fullmatch(text) is not None


def find_code_labels(blocks: Collection[Element]) -> list[Element]:
    """What stands before the blocks of code of a page, and only labels them: bars with the name of
    the language or the file, the numbers of a notebook's cells."""
    labels = []
    for block in blocks:
        before = block.getprevious()
        if before is None or not isinstance(before.tag, str):
            continue
        text_between = before.tail or ""
        if text_between.strip():
            continue
        names = before.get("class") or ""
        is_header = _HEADER.search(names) is not None and _measure_label(before) is not None
        is_cell = "prompt" in names and is_prompt(before)
        if is_header or is_cell:
            labels.append(before)
    return labels


#: Elements that may be a block of code whatever their classes are.
CODE_TAGS = frozenset(("pre", "code"))


def _is_inside(element: Element, containers: Collection[Element]) -> bool:
    if not containers:
        return False
    ancestor: Element | None = element
    for _ in range(MAX_LEVELS):
        if ancestor is None:
            return False
        if ancestor in containers:
            return True
        ancestor = ancestor.getparent()
    return False


def _has_code_lines(code: Element) -> bool:
    """Whether an inline ``code`` has several lines, so that it is a block."""
    preformatted = next(code.iterancestors("pre"), None)
    if preformatted is not None:
        return False
    return len(code.findall("br")) > 1


def _is_prose(pre: Element) -> bool:
    """Whether a preformatted text may be a poem or a letter: it has no marks of code."""
    names = pre.get("class") or ""
    if "code" in names or _BOX.search(names):
        return False
    return all(
        descendant.tag in _OF_PROSE
        for descendant in pre.iterdescendants()
        if isinstance(descendant.tag, str)
    )


def _outermost(code: Element, root: Element) -> Element:
    """The outermost element with no more than the code, its numbers, labels and buttons."""
    outermost = code
    labels = 0
    for _ in range(MAX_LEVELS):
        if outermost is root:
            break
        parent = outermost.getparent()
        if parent is None or parent.tag in ("body", "html", "li", "article", "main", "blockquote"):
            break
        beside = _measure_beside(parent, outermost)
        if beside is None:
            break
        labels += beside
        if labels > MAX_LABELS:
            break
        is_named = parent.tag in _BOX_TAGS or _BOX.search(_names(parent)) is not None
        if not is_named and (beside or not _BOX.search(_names(parent.getparent()))):
            break
        outermost = parent
    return outermost


def _names(element: Element | None) -> str:
    if element is None or not isinstance(element.tag, str):
        return ""
    if any(element.get(name) is not None for name in _ATTRIBUTES):
        return "code"
    tag = str(element.tag) if "-" in str(element.tag) else ""
    return f"{tag} {element.get('class') or ''}"


def _measure_beside(parent: Element, code: Element) -> int | None:
    """The characters of the labels beside the code; None if anything else is there."""
    characters = len((parent.text or "").strip())
    for child in parent:
        characters += len((child.tail or "").strip())
        is_skipped = child is code or not isinstance(child.tag, str)
        if is_skipped or child.tag in _BESIDE_CODE or _is_gutter(child):
            continue
        length = _measure_label(child)
        if length is None:
            return None
        characters += length
    return characters


def _measure_label(element: Element) -> int | None:
    """The characters of a label; None if the element is none: it has other content, a sentence, or
    a caption that is no name of a file."""
    text = ""
    for i, descendant in enumerate(element.iter()):
        is_other = descendant.tag in _OTHER_CONTENT or (
            descendant.tag == "p" and not descendant.get("class")
        )
        if is_other or i > MAX_BESIDE:
            return None
        if isinstance(descendant.tag, str) and descendant.tag not in _BESIDE_CODE:
            text += descendant.text or ""
        text += (descendant.tail or "") if descendant is not element else ""
    text = text.strip()
    names = element.get("class") or ""
    is_caption = element.tag in ("figcaption", "caption") or "caption" in names
    if is_caption:
        if not text or _FILE_NAME.fullmatch(text):
            return 0
        return None
    if len(text) > MAX_LABELS or len(text.split()) > MAX_LABEL_WORDS:
        return None
    if _COPY.search(names):
        return 0
    return len(text)


_OTHER_CONTENT = frozenset(
    (*HEADINGS, "pre", "img", "video", "table", "ol", "dl", "blockquote", "math", "hr")
)


def _is_gutter(element: Element) -> bool:
    """Whether an element beside code has nothing but the numbers of its lines."""
    if is_line_number(element):
        return True
    return element.tag == "td" and _has_numbers_only(element)


def _has_numbers_only(element: Element) -> bool:
    return all(_NUMBERS.fullmatch(str(text)) for text in element.itertext())


def _is_in_gutter(element: Element) -> bool:
    """Whether a ``pre`` has the numbers of the lines of another one."""
    if not _has_numbers_only(element):
        return False
    ancestor: Element | None = element
    for _ in range(MAX_LEVELS):
        if ancestor is None or ancestor.tag in ("tr", "table", "body"):
            return False
        row = ancestor.getparent()
        is_cell_of_several = ancestor.tag == "td" and row is not None and len(row) > 1
        if is_cell_of_several or is_line_number(ancestor):
            return True
        ancestor = ancestor.getparent()
    return False


def is_line_number(element: Element) -> bool:
    """Whether an element has the numbers of lines, and nothing else.

    >>> from lxml.html import fromstring
    >>> is_line_number(fromstring("<td class=gutter>12</td>"))
    True
    """
    names = element.get("class")
    style = element.get("style")
    is_marked = (
        (names is not None and _is_number_class(names))
        or element.get("data-line-number") is not None
        or (style is not None and _NOT_SELECTED.search(style) is not None)
    )
    if not is_marked:
        return False
    return _has_numbers_only(element)


# An element for each word of the code has one of a few classes.


@lru_cache(maxsize=4096)
def _is_number_class(names: str) -> bool:
    """Whether classes may be those of the numbers of lines."""
    return "select-none" in names or _GUTTER.search(names) is not None


@lru_cache(maxsize=4096)
def _is_copy_class(names: str) -> bool:
    """Whether classes are those of buttons beside code."""
    return _COPY.search(names) is not None


@lru_cache(maxsize=4096)
def _is_line_class(names: str) -> bool:
    """Whether classes are those of a line of code."""
    return _LINE.search(names) is not None


def is_copy_button(element: Element) -> bool:
    """Whether an element is a button to copy a block of code, by its names and its text."""
    is_button = element.tag in ("button", "clipboard-copy", "copy-button")
    names = element.get("class") or ""
    is_button = is_button or (
        ("copy" in names or "clipboard" in names) and element.tag in ("a", "span", "div")
    )
    if not is_button:
        return False
    text = "".join(map(str, element.itertext()))
    return len(text) <= MAX_LABELS and _COPY_TEXT.fullmatch(text) is not None


def find_language(
    code: Element,
    outermost: Element,
    root: Element,
) -> str:
    """The language of a block of code by its classes and attributes, those of the elements in it
    and around it, or its label; ``""`` if it is not known."""
    for element in _around(code, outermost, root):
        if language := _language_of(element):
            return language
    return _label_of(outermost, code)


#: Elements around a block and its labels that may name its language.
_BEYOND = 3


def _around(
    code: Element,
    outermost: Element,
    root: Element,
) -> Iterator[Element]:
    """The elements that may name the language, from the innermost: the ``code`` inside, the block,
    and those around it that have no other block."""
    if (code_inside := next(code.iter("code"), None)) is not None:
        yield code_inside
    element: Element | None = code
    beyond = 0
    while element is not None and element.tag not in ("body", "html"):
        yield element
        is_beyond = beyond > 0 or element is outermost
        if is_beyond:
            beyond += 1
        element = None if element is root or beyond > _BEYOND else element.getparent()
        if is_beyond and element is not None and _has_several_blocks(element):
            return


def _has_several_blocks(element: Element) -> bool:
    return next(islice(element.iter("pre"), 1, None), None) is not None


def _language_of(element: Element) -> str:
    for name in _ATTRIBUTES:
        if language := _clean_language(element.get(name) or ""):
            return language
    names = element.get("class") or ""
    if names:
        for i, pattern in enumerate(_NAMED):
            match = pattern.search(names)
            language = _clean_language(match[1]) if match else ""
            if language and (i < _SURE or language in LANGUAGES):
                return language
        words = names.lower().split()
        has_mark = any(word in _BESIDE_NAME for word in words)
        if has_mark or element.tag in ("code", "pre"):
            for word in words:
                if word in LANGUAGES and word not in ("text", "code", "d", "v", "less", "console"):
                    return word
    if element.tag in ("code", "pre"):
        lang = element.get("lang") or ""
        lang = lang.lower()
        if lang in LANGUAGES and len(lang) > 2:
            return lang
    return ""


def _clean_language(name: str) -> str:
    language = name.strip().lower().rstrip(";,.")
    if language in _NO_LANGUAGES or not re.fullmatch(_NAME, language):
        return ""
    return language.removeprefix("language-").removeprefix("lang-")


def _label_of(outermost: Element, code: Element) -> str:
    """The language that a label beside the code names."""
    element_with_code = code
    while (
        element_with_code is not outermost and (parent := element_with_code.getparent()) is not None
    ):
        for beside in parent:
            if beside is element_with_code or not isinstance(beside.tag, str):
                continue
            for element in islice(beside.iter("*"), MAX_BESIDE):
                text = element.text or ""
                label = text.strip().lower()
                if label in LANGUAGES and len(label) > 1:
                    return label
        element_with_code = parent
    return ""


def read_code(block: CodeBlock, without: Collection[Element]) -> CodeText:
    """The code without its line numbers and buttons, and without the elements in ``without``: lines
    as they are shown, with their indentation, and none that is empty at the start or end.

    Cost: one walk over the code.
    """
    writer = _CodeWriter(without)
    writer.read(block.root)
    text = strip_invisible(writer.text()).replace("\xa0", " ")
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    owners = dict.fromkeys(writer.owners)
    return CodeText("\n".join(lines), list(owners))


class _CodeWriter:
    """The code that is read so far.

    A line that an element ends has no line end yet: the next text may begin with one.
    """

    def __init__(self, without: Collection[Element]) -> None:
        self.without = without
        self.pieces: list[str] = []
        self.owners: list[Element] = []
        self._is_ended = False
        self._last = ""

    def text(self) -> str:
        return "".join(self.pieces)

    def read(self, root: Element) -> None:
        stack: list[tuple[Element, bool, Element, bool]] = [(root, False, root, False)]
        counts: dict[Element, int] = {}
        while stack:
            element, is_end, block, is_line = stack.pop()
            if is_end:
                if is_line:
                    self._end_line(counts.pop(element))
                if element is not root:
                    self._add(element.tail, block)
                continue
            if element is not root and self._is_token(element):
                self._add(element.text, block)
                self._add(element.tail, block)
                continue
            tag = element.tag
            if not isinstance(tag, str) or self._is_left_out(element, root):
                if element is not root:
                    self._add(element.tail, block)
                continue
            if tag == "br":
                self._break()
                self._add(element.tail, block)
                continue
            is_line = element is not root and _is_line(element)
            if is_line:
                self._start_line()
                counts[element] = len(self.pieces)
            inner_block = element if is_block(element) else block
            stack.append((element, True, block, is_line))
            self._add(element.text, inner_block)
            stack.extend((child, False, inner_block, False) for child in reversed(element))

    def _is_token(self, element: Element) -> bool:
        """Whether an element is a word of highlighted code, as nearly all are: a ``span`` with text
        only and no attribute but a class that says nothing of lines, numbers or buttons."""
        if element.tag != "span" or len(element) or element in self.without:
            return False
        keys = element.keys()
        if not keys:
            return True
        return keys == _CLASS_ONLY and _is_class_of_token(element.get("class", ""))

    def _is_left_out(self, element: Element, root: Element) -> bool:
        if element is root:
            return False
        if element in self.without or element.tag in _BESIDE_CODE or is_line_number(element):
            return True
        names = element.get("class")
        return names is not None and _is_copy_class(names) and _is_label(element)

    def _add(self, text: str | None, block: Element) -> None:
        if not text:
            return
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        if self._is_ended:
            if text.startswith("\n"):
                self._is_ended = False
            elif text.isspace():
                return
            else:
                self._break()
        self._put(text)
        if not text.isspace():
            self.owners.append(block)

    def _put(self, text: str) -> None:
        self.pieces.append(text)
        self._last = text[-1]

    def _break(self) -> None:
        self._is_ended = False
        self._put("\n")

    def _start_line(self) -> None:
        if self._is_ended or self._last not in ("", "\n"):
            self._break()

    def _end_line(self, start: int) -> None:
        """End the line that began after ``start`` pieces, unless its text has ended it."""
        if len(self.pieces) == start or self._last != "\n":
            self._is_ended = True


_CLASS_ONLY = ["class"]


@lru_cache(maxsize=2_000)
def _is_class_of_token(names: str) -> bool:
    if "select-none" in names:
        return False
    patterns = (_GUTTER, _COPY, _LINE)
    return not any(pattern.search(names) for pattern in patterns)


def _is_label(element: Element) -> bool:
    length = 0
    for text in element.itertext():
        length += len(text.strip())
        if length > MAX_LABELS // 4:
            return False
    return True


def _is_line(element: Element) -> bool:
    """Whether an element in code is a line of it."""
    tag = element.tag
    if tag in ("td", "th", "table", "tbody"):
        return False
    if is_block(element):
        return True
    if element.get("data-line") is not None:
        return True
    names = element.get("class")
    if names is not None and _is_line_class(names):
        return True
    style = element.get("style")
    if style is not None and _SHOWN_AS_BLOCK.search(style):
        return True
    return tag == "code" and _is_one_of_several(element)


def _is_one_of_several(code: Element) -> bool:
    """Whether a ``code`` is directly in a ``pre`` with others, and nothing else."""
    parent = code.getparent()
    if parent is None or parent.tag != "pre":
        return False
    beside = code.getnext()
    if beside is None:
        beside = code.getprevious()
    if beside is None or beside.tag != "code":
        return False
    text_after = code.tail or ""
    first_character = text_after.strip(" \t")[:1]
    is_apart = first_character in ("", "\n")
    return is_apart and text_after != " "
