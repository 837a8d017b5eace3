# cython: language_level=3, boundscheck=False, wraparound=False
"""The functions of ``forest_scrapy.core.page.columns`` on libxml2's tree itself.

Each gives what the function of the same name there gives; see its docstring.  Nothing here is
called but through that module, which falls back to Python where this one could not be compiled, or
was compiled for another version of lxml.
"""

cimport lxml.includes.etreepublic as cetree
from cpython.unicode cimport PyUnicode_DecodeUTF8, PyUnicode_InternFromString
from libc.string cimport strcmp, strlen, strstr
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE,
    XML_COMMENT_NODE,
    XML_DOCUMENT_NODE,
    XML_ELEMENT_NODE,
    XML_ENTITY_REF_NODE,
    XML_HTML_DOCUMENT_NODE,
    XML_PI_NODE,
    XML_TEXT_NODE,
    xmlAttr,
    xmlNode,
)

cdef object etree
from lxml import etree

cetree.import_lxml__etree()

#: The version of lxml that this was compiled for.
COMPILED_FOR = (<bytes> cetree.LXML_VERSION_STRING).decode()
cdef object NO_NAMES = (None, None, None, None)


cdef object _decode(const char* text):
    return PyUnicode_DecodeUTF8(text, strlen(text), NULL)


cdef object _tag(xmlNode* node):
    if node.ns is NULL:
        return PyUnicode_InternFromString(<const char*> node.name)
    return cetree.namespacedName(node)


cdef object _value(xmlNode* node, xmlAttr* attribute):
    """The value of an attribute."""
    if attribute.children is NULL:
        return ""
    if attribute.children.next is NULL and attribute.children.type == XML_TEXT_NODE:
        return _decode(<const char*> attribute.children.content)
    return cetree.attributeValue(node, attribute)


cdef object _names(xmlNode* node):
    """The values of class, id, itemprop and role of an element."""
    cdef xmlAttr* attribute = node.properties
    cdef const char* name
    cdef object classes = None, id = None, itemprop = None, role = None
    cdef bint found = False
    while attribute is not NULL:
        name = <const char*> attribute.name
        if attribute.ns is NULL:
            if strcmp(name, "class") == 0:
                classes, found = _value(node, attribute), True
            elif strcmp(name, "id") == 0:
                id, found = _value(node, attribute), True
            elif strcmp(name, "itemprop") == 0:
                itemprop, found = _value(node, attribute), True
            elif strcmp(name, "role") == 0:
                role, found = _value(node, attribute), True
        attribute = attribute.next
    return (classes, id, itemprop, role) if found else NO_NAMES


cdef inline bint _is_text(xmlNode* node):
    return node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE


cdef inline bint _is_child(xmlNode* node):
    """Whether lxml has an object for the node: an element, a comment, or the like."""
    return (
        node.type == XML_ELEMENT_NODE
        or node.type == XML_COMMENT_NODE
        or node.type == XML_PI_NODE
        or node.type == XML_ENTITY_REF_NODE
    )


cdef xmlNode* _after(xmlNode* node, xmlNode* top):
    """The node after a node and all below it, within ``top``; NULL at the end."""
    while node is not top:
        if node.next is not NULL:
            return node.next
        node = node.parent
    return NULL


cdef xmlNode* _next(xmlNode* node, xmlNode* top):
    """The node after a node in document order, within ``top``; NULL at the end."""
    if node.type == XML_ELEMENT_NODE and node.children is not NULL:
        return node.children
    return _after(node, top)


cdef int _count(xmlNode* top):
    """The number of elements in a subtree."""
    cdef int found = 0
    cdef xmlNode* node = top if top.type == XML_ELEMENT_NODE else NULL
    while node is not NULL:
        found += node.type == XML_ELEMENT_NODE
        node = _next(node, top)
    return found


def read_columns(
    cetree._Element body,
    int number,
    int level,
    object without,
    object ignored,
    double characters,
    double most,
):
    cdef list elements = [], tags = [], numbers = [], levels = [], parents = [], firsts = []
    cdef list lasts = [], names = [], ends = [], texts = [], owners = []
    cdef set left_out = {<size_t> (<cetree._Element> one)._c_node for one in without}
    cdef bint has_left_out = bool(left_out), is_cut = False
    cdef xmlNode* node = body._c_node
    cdef int current = -1, index
    cdef double weight = 0
    cdef object tag, text
    while True:
        if node is NULL:  # all children of the current element are read
            lasts[current] = len(texts)
            ends[current] = len(elements)
            node = (<cetree._Element> elements[current])._c_node.next
            current = parents[current]
            if current < 0:
                break
        elif _is_text(node):
            text = _decode(<const char*> node.content) if node.content is not NULL else ""
            while node.next is not NULL and _is_text(node.next):
                node = node.next
                text += _decode(<const char*> node.content) if node.content is not NULL else ""
            if text and not text.isspace():
                weight += len(text) / characters
                texts.append(text)
                owners.append(current)
            node = node.next
        elif not _is_child(node):
            node = node.next
        elif current >= 0 and weight >= most:
            is_cut = True
            while current >= 0:
                lasts[current] = len(texts)
                ends[current] = len(elements)
                current = parents[current]
            break
        else:
            tag = _tag(node) if node.type == XML_ELEMENT_NODE else None
            if current >= 0 and (
                tag is None or tag in ignored or (has_left_out and <size_t> node in left_out)
            ):
                number += _count(node)
                node = node.next
                continue
            index = len(elements)
            weight += 1
            elements.append(cetree.elementFactory(body._doc, node))
            tags.append(tag)
            numbers.append(number)
            levels.append(level if current < 0 else levels[current] + 1)
            parents.append(current)
            firsts.append(len(texts))
            lasts.append(len(texts))
            ends.append(index + 1)
            names.append(_names(node))
            number += 1
            current = index
            node = node.children
    return (
        elements,
        tags,
        numbers,
        levels,
        parents,
        firsts,
        lasts,
        names,
        ends,
        texts,
        owners,
        weight,
        is_cut,
    )


def read_steps(cetree._Element body, object ignored):
    cdef list steps = [], open_steps = []
    cdef xmlNode* top = body._c_node
    cdef xmlNode* node = top
    cdef xmlNode* child
    cdef int current = -1
    cdef object tag, names
    cdef list parents = []
    while True:
        if node.type == XML_ELEMENT_NODE:
            tag = _tag(node)
            if current < 0 or tag not in ignored:
                names = _names(node)
                steps.append((current, tag, names[0], names[1]))
                if node.children is not NULL:
                    parents.append(current)
                    current = len(steps) - 1
                    node = node.children
                    continue
        while node is not top and node.next is NULL:
            node = node.parent
            current = parents.pop()
        if node is top:
            break
        node = node.next
    return steps


cdef bint _contains(xmlNode* node, xmlAttr* attribute, const char* part):
    if attribute.children is NULL:
        return False
    if attribute.children.next is NULL and attribute.children.type == XML_TEXT_NODE:
        return strstr(<const char*> attribute.children.content, part) is not NULL
    return _decode(part) in cetree.attributeValue(node, attribute)


def find_marked(cetree._Element root, int most):
    cdef xmlNode* top = root._c_node
    cdef xmlNode* node = top
    cdef xmlAttr* attribute
    cdef const char* name
    cdef int counts[6]
    cdef int kind
    cdef bint is_marked
    cdef list found = []
    counts[:] = [0, 0, 0, 0, 0, 0]
    while node is not NULL:
        is_marked = False
        attribute = node.properties if node.type == XML_ELEMENT_NODE else NULL
        while attribute is not NULL:
            name = <const char*> attribute.name
            kind = -1
            if attribute.ns is NULL:
                if strcmp(name, "hidden") == 0:
                    kind = 0
                elif strcmp(name, "aria-hidden") == 0:
                    kind = 1 if _value(node, attribute) == "true" else -1
                elif strcmp(name, "role") == 0:
                    kind = 2 if _contains(node, attribute, "dialog") else -1
                elif strcmp(name, "style") == 0:
                    if _contains(node, attribute, "none") or _contains(node, attribute, "hidden"):
                        kind = 3
                elif strcmp(name, "class") == 0 or strcmp(name, "id") == 0:
                    if _contains(node, attribute, "ookie") or _contains(node, attribute, "onsent"):
                        kind = 4 if name[0] == b"c" else 5
                elif strcmp(name, "type") == 0 and node is not top:
                    is_input = node.ns is NULL and strcmp(<const char*> node.name, "input") == 0
                    if is_input and _value(node, attribute) == "password":
                        return None
            if kind >= 0:
                counts[kind] += 1
                is_marked = is_marked or counts[kind] <= most
            attribute = attribute.next
        if is_marked:
            found.append(cetree.elementFactory(root._doc, node))
        node = _next(node, top)
    return found


def find_features(cetree._Element root, object wanted):
    cdef xmlNode* top = root._c_node
    cdef xmlNode* node = top
    cdef xmlAttr* attribute
    cdef const char* name
    cdef list links = [], elements = []
    cdef set classes = set()
    cdef bint is_link
    cdef int slot
    # A name is kept once for a document: its address tells whether it was seen before.
    cdef size_t addresses[64]
    cdef bint are_wanted[64]
    for slot in range(64):
        addresses[slot] = 0
    while node is not NULL:
        if node.type == XML_ELEMENT_NODE:
            if node.ns is NULL:
                slot = ((<size_t> node.name) >> 3) & 63
                if addresses[slot] != <size_t> node.name:
                    addresses[slot] = <size_t> node.name
                    are_wanted[slot] = _tag(node) in wanted
                if are_wanted[slot]:
                    elements.append((_tag(node), cetree.elementFactory(root._doc, node)))
            attribute = node.properties
            is_link = attribute is not NULL and node is not top and node.ns is NULL
            is_link = is_link and strcmp(<const char*> node.name, "a") == 0
            while attribute is not NULL:
                name = <const char*> attribute.name
                if attribute.ns is NULL:
                    if strcmp(name, "class") == 0:
                        classes.add(_value(node, attribute))
                    elif is_link and strcmp(name, "href") == 0:
                        if _contains(node, attribute, "#"):
                            links.append(cetree.elementFactory(root._doc, node))
                attribute = attribute.next
        node = _next(node, top)
    return links, elements, classes


def find_markup_names(cetree._Element element, object valued):
    cdef xmlNode* top = element._c_node
    cdef xmlNode* node
    cdef xmlAttr* attribute
    cdef set tags = set()
    cdef dict attributes = {}
    cdef list values_of = [None] * 64
    cdef object name, values
    cdef int slot
    # As in ``find_features``: the address of a name tells whether it was seen before.
    cdef size_t tag_addresses[64]
    cdef size_t addresses[64]
    for slot in range(64):
        tag_addresses[slot] = 0
        addresses[slot] = 0
    while top.parent is not NULL and top.parent.type == XML_ELEMENT_NODE:
        top = top.parent
    node = top
    while node is not NULL:
        if node.type == XML_ELEMENT_NODE:
            if node.ns is NULL:
                slot = ((<size_t> node.name) >> 3) & 63
                if tag_addresses[slot] != <size_t> node.name:
                    tag_addresses[slot] = <size_t> node.name
                    tags.add(_tag(node))
            attribute = node.properties
            while attribute is not NULL:
                if attribute.ns is NULL:
                    slot = ((<size_t> attribute.name) >> 3) & 63
                    if addresses[slot] != <size_t> attribute.name:
                        addresses[slot] = <size_t> attribute.name
                        name = _decode(<const char*> attribute.name)
                        values = attributes.setdefault(name, set())
                        values_of[slot] = values if name in valued else None
                    if values_of[slot] is not None:
                        (<set> values_of[slot]).add(_value(node, attribute))
                attribute = attribute.next
        node = _next(node, top)
    return tags, attributes


def find_with_attributes(cetree._Element element, object is_wanted):
    cdef xmlNode* top = element._c_node
    cdef xmlNode* node
    cdef xmlAttr* attribute
    cdef list found = []
    cdef int slot
    # As in ``find_features``: the address of a name tells whether it was seen before.
    cdef size_t addresses[64]
    cdef bint are_wanted[64]
    for slot in range(64):
        addresses[slot] = 0
    while top.parent is not NULL and top.parent.type == XML_ELEMENT_NODE:
        top = top.parent
    node = top
    while node is not NULL:
        attribute = node.properties if node.type == XML_ELEMENT_NODE else NULL
        while attribute is not NULL:
            if attribute.ns is NULL:
                slot = ((<size_t> attribute.name) >> 3) & 63
                if addresses[slot] != <size_t> attribute.name:
                    are_wanted[slot] = is_wanted(_decode(<const char*> attribute.name))
                    addresses[slot] = <size_t> attribute.name
                if are_wanted[slot]:
                    found.append(cetree.elementFactory(element._doc, node))
                    break
            attribute = attribute.next
        node = _next(node, top)
    return found


def read_long_texts(cetree._Element root, object ignored, int least):
    cdef xmlNode* top = root._c_node
    cdef xmlNode* node = top
    cdef list found = []
    cdef object text
    while node is not NULL:
        if node.type == XML_ELEMENT_NODE:
            if _tag(node) in ignored:
                node = _after(node, top)
                continue
        elif _is_text(node) and node.content is not NULL:
            if strlen(<const char*> node.content) > <size_t> least:
                text = _decode(<const char*> node.content)
                if len(text) > least:
                    found.append((cetree.elementFactory(root._doc, node.parent), text))
        node = _next(node, top)
    return found


def read_line_pieces(cetree._Element root, object phrasing, object ignored):
    cdef xmlNode* top = root._c_node
    cdef xmlNode* node = top
    cdef list pieces = []
    cdef object tag
    cdef bint is_block
    while True:
        if node.type == XML_ELEMENT_NODE:
            tag = _tag(node)
            is_block = tag not in phrasing
            if is_block:
                pieces.append(" ")
            if node.children is not NULL and tag not in ignored:
                node = node.children
                continue
            if is_block:
                pieces.append(" ")
        elif _is_text(node):
            if node.content is not NULL:
                pieces.append(_decode(<const char*> node.content))
        elif node.type == XML_ENTITY_REF_NODE:  # what follows is the tail of nothing
            while node.next is not NULL and _is_text(node.next):
                node = node.next
        while node is not top and node.next is NULL:
            node = node.parent
            if _tag(node) not in phrasing:
                pieces.append(" ")
        if node is top:
            return pieces
        node = node.next


def number_nodes(
    object columns, dict bit_of_tag, Py_ssize_t[:, ::1] numbers, long long[:, ::1] bits
):
    cdef list parents = columns.parents
    cdef list levels = columns.levels
    cdef list firsts = columns.firsts
    cdef list lasts = columns.lasts
    cdef list ends = columns.ends
    cdef list tags = columns.tags
    cdef Py_ssize_t row, parent
    cdef object bit
    for row in range(numbers.shape[1]):
        parent = parents[row]
        bit = bit_of_tag.get(tags[row])
        numbers[0, row] = parent
        numbers[1, row] = levels[row]
        numbers[2, row] = firsts[row]
        numbers[3, row] = lasts[row]
        numbers[4, row] = ends[row]
        bits[0, row] = 0 if bit is None else <long long> bit
        bits[1, row] = bits[0, row]
        if parent >= 0:
            bits[1, row] |= bits[1, parent]


def cut_lines(
    tuple lines,
    list texts,
    const Py_ssize_t[::1] blocks,
    const unsigned char[::1] starts,
    const unsigned char[::1] in_link,
):
    cdef list segments = []
    cdef Py_ssize_t first = 0
    cdef Py_ssize_t last, leaf, linked
    cdef unicode text
    for last in range(1, starts.shape[0]):
        if not starts[last]:
            continue
        text = lines[first]
        if last - first > 1:
            text = " ".join("".join(texts[first:last]).split())
        if text:
            linked = 0
            for leaf in range(first, last):
                if in_link[leaf]:
                    linked += len(<unicode> lines[leaf])
            segments.append((text, blocks[first], first, last, min(linked, len(text))))
        first = last
    return segments


def count_characters(object texts, double[:, ::1] counts, unicode punctuation, unicode commas):
    cdef unsigned char kinds[128]
    cdef Py_UCS4 character
    cdef unsigned char kind
    cdef Py_ssize_t number
    cdef Py_ssize_t[5] sums
    cdef unicode text
    for character in range(128):
        kinds[character] = _kinds_of(character, punctuation, commas)
    for number in range(counts.shape[1]):
        text = texts[number]
        sums[:] = [0, 0, 0, 0, 0]
        for character in text:
            if character < 128:
                kind = kinds[character]
            else:
                kind = _kinds_of(character, punctuation, commas)
            sums[0] += kind & 1
            sums[1] += (kind >> 1) & 1
            sums[2] += (kind >> 2) & 1
            sums[3] += (kind >> 3) & 1
            sums[4] += (kind >> 4) & 1
        counts[0, number] = sums[0]
        counts[1, number] = sums[1]
        counts[2, number] = sums[2]
        counts[3, number] = sums[3]
        counts[4, number] = sums[4]


cdef unsigned char _kinds_of(Py_UCS4 character, unicode punctuation, unicode commas):
    """A bit for each kind of ``forest_scrapy.core.page.characters`` that a character is of."""
    cdef unsigned char kind = 0
    if character.isdigit():
        kind |= 1
    if character.isalpha():
        kind |= 2
    if character.isupper():
        kind |= 4
    if character in punctuation:
        kind |= 8
    if character in commas:
        kind |= 16
    return kind


#: Whether each of the first characters is a letter or a digit.
cdef bint[128] IS_ALPHANUMERIC
for number in range(128):
    IS_ALPHANUMERIC[number] = chr(number).isalnum()


def find_runs(unicode text, Py_ssize_t max_length):
    cdef list runs = []
    cdef Py_ssize_t length = len(text)
    cdef Py_ssize_t start = 0
    cdef Py_ssize_t index
    cdef Py_UCS4 character
    for index in range(length):
        character = text[index]
        if IS_ALPHANUMERIC[character] if character < 128 else character.isalnum():
            if index - start == max_length:
                runs.append(text[start:index])
                start = index
            continue
        if start < index:
            runs.append(text[start:index])
        start = index + 1
    if start < length:
        runs.append(text[start:length])
    return runs


def inherit_nearest(
    const Py_ssize_t[::1] parents, const Py_ssize_t[::1] values, Py_ssize_t[::1] inherited
):
    cdef Py_ssize_t row
    for row in range(parents.shape[0]):
        if values[row] < 0 and parents[row] >= 0:
            inherited[row] = inherited[parents[row]]
        else:
            inherited[row] = values[row]


def inherit_outermost(
    const Py_ssize_t[::1] parents, const Py_ssize_t[::1] values, Py_ssize_t[::1] inherited
):
    cdef Py_ssize_t row
    for row in range(parents.shape[0]):
        if parents[row] >= 0 and inherited[parents[row]] >= 0:
            inherited[row] = inherited[parents[row]]
        else:
            inherited[row] = values[row]


def count_alike(cetree._Element element):
    cdef xmlNode* node = element._c_node
    cdef xmlNode* sibling
    cdef xmlAttr* attribute = _class_of(node)
    cdef xmlAttr* other
    cdef object css_class = None
    cdef int count = 0
    if node.parent is NULL or node.parent.type != XML_ELEMENT_NODE:
        return 1
    if attribute is not NULL:
        css_class = _value(node, attribute)
    sibling = node.parent.children
    while sibling is not NULL:
        if sibling.type == XML_ELEMENT_NODE and _is_same_tag(sibling, node):
            other = _class_of(sibling)
            if other is NULL or attribute is NULL:
                count += other is attribute
            else:
                count += _value(sibling, other) == css_class
        sibling = sibling.next
    return count


cdef bint _is_same_tag(xmlNode* element, xmlNode* other):
    if element.ns is NULL and other.ns is NULL:
        return strcmp(<const char*> element.name, <const char*> other.name) == 0
    return _tag(element) == _tag(other)


cdef xmlAttr* _class_of(xmlNode* node):
    """The class attribute of an element; NULL if it has none."""
    cdef xmlAttr* attribute = node.properties
    while attribute is not NULL:
        if attribute.ns is NULL and strcmp(<const char*> attribute.name, "class") == 0:
            return attribute
        attribute = attribute.next
    return NULL


cdef dict NO_DIGITS = {ord(digit): None for digit in "0123456789"}


def find_at_paths(cetree._Element element, tuple paths):
    cdef xmlNode* document = element._c_node
    cdef xmlNode* node
    cdef list found = []
    cdef const char* tags[64]
    cdef int count = len(paths)
    cdef int number
    if count > 64:  # libxml2 evaluates them
        return None
    while document.parent is not NULL and document.type == XML_ELEMENT_NODE:
        document = document.parent
    if document.type != XML_DOCUMENT_NODE and document.type != XML_HTML_DOCUMENT_NODE:
        return None
    for number in range(count):
        tags[number] = <const char*> <bytes> (<tuple> (<tuple> (<tuple> paths[number])[0])[0])[0]
    node = document.children
    while node is not NULL:
        if node.type == XML_ELEMENT_NODE:
            for number in range(count):
                if strcmp(<const char*> node.name, tags[number]) == 0:
                    if _is_at(node, <tuple> paths[number]):
                        found.append(cetree.elementFactory(element._doc, node))
                        break
        node = _next(node, document)
    return found


cdef bint _is_at(xmlNode* node, tuple path):
    """Whether an element is at a ``ChildPath``."""
    cdef object step, test
    for step in <tuple> path[0]:
        if node is NULL or node.type != XML_ELEMENT_NODE or node.ns is not NULL:
            return False
        if strcmp(<const char*> node.name, <const char*> <bytes> (<tuple> step)[0]) != 0:
            return False
        for test in <tuple> (<tuple> step)[1]:
            if not _passes(node, (<tuple> test)[0], <bytes> (<tuple> test)[1], (<tuple> test)[2]):
                return False
        node = node.parent
    return not path[1] or node is NULL or node.type != XML_ELEMENT_NODE


cdef bint _passes(xmlNode* node, int kind, bytes name, object value):
    """Whether an element passes a ``Condition``; the kinds are those of ``ConditionKind``."""
    cdef xmlAttr* attribute
    cdef int level = 0
    cdef unicode text = ""
    if kind == 3:
        while node.parent is not NULL and node.parent.type == XML_ELEMENT_NODE:
            node = node.parent
            level += 1
        return level == <int> value
    attribute = node.properties
    while attribute is not NULL:
        if attribute.ns is NULL and strcmp(<const char*> attribute.name, <const char*> name) == 0:
            break
        attribute = attribute.next
    if kind == 4:
        return attribute is NULL
    if attribute is not NULL:
        text = _value(node, attribute)
    if kind == 0:
        return attribute is not NULL and text == value
    text = text.replace("\t", " ").replace("\n", " ").replace("\r", " ")
    text = " ".join([word for word in text.split(" ") if word])
    if kind == 5:
        return not text
    if kind == 2:
        text = text.translate(NO_DIGITS)
    return (text + " ").startswith(value)
