"""HTML to a tree, and the kinds of its elements."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import cast

from lxml import etree, html

from forest_scrapy.core.page.shadow import has_shadow_roots, open_shadow_roots

Element = html.HtmlElement
#: What elements of the same kind have in common, see ``tag_and_class``.
TagAndClass = tuple[str, str]

#: Elements whose text is not part of the page's text: FOREST's pre-processing drops scripts and
#: ``noscript`` (section 3.1); form fields and embedded documents are added.
IGNORED = frozenset(
    (
        "head script style noscript template iframe object embed svg math canvas select textarea "
        "datalist audio video map"
    ).split()
)


#: Elements that may be in a head; libxml2 has others there if no tag ends it.
_HEAD_TAGS = frozenset(
    "base basefont bgsound link meta noscript script style template title".split()
)

#: Elements that do not break a line (HTML's phrasing content); all others do.
PHRASING = frozenset(
    (
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr "
        "picture q rp rt ruby s samp small source span strike strong sub sup time track tt u var "
        "wbr button input output meter progress script style noscript template"
    ).split()
)

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))

#: The classes that lxml has for the elements of HTML, chosen by its compiled code.  Its own way to
#: choose them calls Python for each element that is looked at: 5% of the time to read an article.
_CLASSES = etree.ElementNamespaceClassLookup(
    etree.ElementDefaultClassLookup(
        element=html.HtmlElement,
        comment=html.HtmlComment,
        pi=html.HtmlProcessingInstruction,
        entity=html.HtmlEntity,
    )
)
_CLASSES.get_namespace(None).update(
    {
        "form": html.FormElement,
        "input": html.InputElement,
        "label": html.LabelElement,
        "select": html.SelectElement,
        "textarea": html.TextareaElement,
    }
)


_EMPTY_DOCUMENT = b"<html/>"
#: The end of the document or of its body, and the empty elements at which libxml2 ends them; not of
#: elements such as ``body-text``.
_END = re.compile(r"</(?:html|body)\b(?![-:.])", re.IGNORECASE)
_EMPTY = re.compile(r"<(html|body)\b(?![-:.])([^<>]*)/>", re.IGNORECASE)
_ENDS = re.compile(rf"{_END.pattern}[^<>]*>|(?<=<){_EMPTY.pattern[1:-1]}(?=>)", re.IGNORECASE)
#: An element that may have text.
_SHOWN = re.compile(r"<(?!(?:script|noscript|style|link|img|iframe)\b)[a-z]", re.IGNORECASE)
#: Characters in which the start tags of the document and its body are looked for.
_START = 20_000


def ends_early(html: str) -> bool:
    """Whether libxml2 ends the document or its body before the last of its elements, as in pages
    that are put together from several documents.  Cost: a twentieth of the parse.

    >>> ends_early("<body>a</body><p>b"), ends_early("<body>a</body><script>"), ends_early("a")
    (True, False, False)
    """
    end = _END.search(html)
    if end and _SHOWN.search(html, end.end()):
        return True
    return _EMPTY.search(html, 0, _START) is not None


def encodable(text: str) -> str:
    """The text with question marks for lone surrogates, as JSON may have them: neither parsers nor
    files take these.

    >>> encodable("Owls \\ud83e")
    'Owls ?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def parse_html(html: str) -> Element:
    """The root element of ``html``, as parsel parses it; an empty document gives ``<html/>``.  As
    in browsers, what comes after the end of the document, or of its body, belongs to the body.

    Declarative shadow roots are part of the tree, as if the page had their content itself.

    >>> parse_html("<p>a").tag, parse_html("").tag
    ('html', 'html')
    >>> parse_html("<body>a</body></html><p>b").findtext("body/p")
    'b'
    """
    if ends_early(html):
        html = _ENDS.sub(r"\1\2", html)
    html = encodable(html)
    html = html.replace("\f", " ")  # libxml2 before 2.14 leaves it out, joining words
    root = _parse(html)
    _begin_body(root)
    if has_shadow_roots(html):
        open_shadow_roots(root)
    return root


def _parse(text: str) -> Element:
    """The root element, as parsel parses a text, in a third of the time for a short one."""
    body = text.strip().replace("\x00", "").encode() or _EMPTY_DOCUMENT
    parser = html.HTMLParser(recover=True, encoding="utf-8", huge_tree=True)
    parser.set_element_class_lookup(_CLASSES)
    root: Element | None = etree.fromstring(body, parser)
    if root is None:  # nothing but comments
        root = etree.fromstring(_EMPTY_DOCUMENT, parser)
    return root


def choose_classes_fast(root: Element) -> None:
    """Let the classes of the elements of a tree that are looked at from now on be chosen faster;
    they are the same."""
    parser = root.getroottree().parser
    if parser is not None:
        parser.set_element_class_lookup(_CLASSES)


def _begin_body(root: Element) -> None:
    """Move what does not belong in the head to the start of the body, as browsers do: if a page
    leaves out the tags of head and body, libxml2 does not know that ``nav`` or ``main`` end the
    head.

    >>> [element.tag for element in parse_html("<title>a</title><main>b</main>").iter()]
    ['html', 'head', 'title', 'body', 'main']
    """
    misplaced = _misplaced_in_head(root)
    if not misplaced:
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    body[:0] = misplaced


def _misplaced_in_head(root: Element) -> list[Element]:
    """The elements of the head that belong in the body."""
    head = root.find("head")
    if head is None:
        return []
    misplaced = []
    for child in head.iterchildren("*"):
        if child.tag not in _HEAD_TAGS:
            misplaced.append(child)
    return misplaced


def is_as_in_browsers(root: Element, html: str) -> bool:
    """Whether the tree that libxml2 made of ``html`` is the one that ``parse_html`` gives: the head
    has nothing of the body, nothing comes after the body's end, and there are no shadow roots.

    >>> from parsel import Selector
    >>> html = "<title>a</title><main>b</main>"
    >>> is_as_in_browsers(Selector(text=html).root, html)
    False
    """
    if ends_early(html) or has_shadow_roots(html):
        return False
    return not _misplaced_in_head(root)


def is_ignored(element: Element) -> bool:
    """Whether the text below the element is not part of the page's text; true for comments.

    >>> is_ignored(parse_html("<script>a</script>")[0][0])
    True
    """
    return not isinstance(element.tag, str) or element.tag in IGNORED


def is_block(element: Element) -> bool:
    """Whether the element starts a new line."""
    return isinstance(element.tag, str) and element.tag not in PHRASING


def has_one_child(element: Element) -> bool:
    """Whether there is one element or comment directly in an element.  ``len`` counts them all,
    which takes too long if it is asked for each of thousands of children.

    >>> [has_one_child(parse_html(f"<p>{part}</p>")[0][0]) for part in ("a", "<b></b>", "<b><i>")]
    [False, True, True]
    >>> has_one_child(parse_html("<p><b>a</b><!-- b --></p>")[0][0])
    False
    """
    first = next(element.iterchildren(), None)
    return first is not None and first.getnext() is None


def class_and_id(element: Element, max_length: int | None = None) -> str:
    """The class and the id of the element, by which sites name it, cut off after ``max_length``
    characters.

    >>> class_and_id(parse_html("<p class='lead big' id=p7>").find(".//p"))
    'lead big p7'
    """
    css_class = element.get("class") or ""
    element_id = element.get("id") or ""
    return f"{css_class} {element_id}"[:max_length]


def tag_and_class(element: Element) -> TagAndClass:
    """The tag and the class, which elements of the same kind have in common.

    >>> tag_and_class(parse_html("<p class='lead big' id=p7>").find(".//p"))
    ('p', 'lead big')
    """
    return str(element.tag), element.get("class") or ""


def body_of(root: Element) -> Element:
    """The ``body`` of a page; the root itself if there is none."""
    if root.tag == "body":
        return root
    return next(root.iterchildren("body"), root)


def outermost_elements(elements: Sequence[Element]) -> list[Element]:
    """The elements that are not inside another one of them, in the given order.  Looks at each
    ancestor once.

    >>> elements = list(parse_html("<div><p>a</div>").iter("div", "p"))
    >>> [element.tag for element in outermost_elements(elements)]
    ['div']
    """
    is_inside = dict.fromkeys(elements, True)  # in or below one of them, as far as is known
    outermost = []
    for element in elements:
        is_below = False
        path = []
        for ancestor in element.iterancestors():
            if ancestor in is_inside:
                is_below = is_inside[ancestor]
                break
            path.append(ancestor)
        is_inside.update(dict.fromkeys(path, is_below))
        if not is_below:
            outermost.append(element)
    return outermost


def in_document_order(
    root: Element,
    elements: Collection[Element],
) -> list[Element]:
    """The elements below the root, in the order of the document.  Cost: a walk.

    >>> root = parse_html("<p>a<i>b")
    >>> [element.tag for element in in_document_order(root, {root.find(".//i"), root})]
    ['html', 'i']
    """
    return [element for element in root.iter() if element in elements]


@lru_cache(maxsize=4096)
def compile_xpath(xpath: str) -> etree.XPath:
    """The compiled expression; raises ``etree.XPathError`` or ``ValueError`` if it is not a valid
    XPath."""
    return etree.XPath(xpath)


def find_by_classes(
    searches: Mapping[str, str],
    root: Element,
    classes: str | None,
) -> list[Element]:
    """The elements that any of some expressions selects, in document order.

    ``searches``: each expression by words of classes, with a bar between them, one of which all of
    its elements have.  Those without a word in ``classes`` are not searched for; None: not known.

    >>> root = etree.HTML("<p class='a1'>x<b class=b2>y")
    >>> searches = {"a": "//*[contains(@class, 'a')]", "b|c": "//*[contains(@class, 'b')]"}
    >>> [[e.tag for e in find_by_classes(searches, root, classes)] for classes in (None, "b2")]
    [['p', 'b'], ['b']]
    """
    xpaths = []
    for words, xpath in searches.items():
        if classes is None or any(word in classes for word in words.split("|")):
            xpaths.append(xpath)
    return find_elements(" | ".join(xpaths), root) if xpaths else []


def find_elements(xpath: str, root: Element) -> list[Element]:
    """The elements that the expression selects, in document order; text, attributes, and values
    that are not node sets are left out.  Raises like ``compile_xpath``.

    >>> [e.tag for e in find_elements("//p | //p/@id", etree.HTML("<p id=a>"))]
    ['p']
    """
    results = _find(xpath, root)
    elements = []
    for result in results:
        if isinstance(result, etree._Element):
            elements.append(cast(Element, result))
    return elements


def find_texts(xpath: str, root: Element) -> list[str]:
    """The text nodes and attribute values that the expression selects, in document order; other
    results are left out.  Raises like ``compile_xpath``.

    >>> find_texts("//p/@id | //p/text() | //p", etree.HTML("<p id=a>b"))
    ['a', 'b']
    """
    texts = []
    for result in _find(xpath, root):
        if isinstance(result, str):
            texts.append(str(result))
    return texts


def _find(xpath: str, root: Element) -> Sequence[object]:
    find = compile_xpath(xpath)
    results = find(root)
    if isinstance(results, list):
        return results
    return ()
