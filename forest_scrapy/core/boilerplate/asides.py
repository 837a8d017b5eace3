"""Remarks between the paragraphs of an article that are not part of it: links to other pages
("Read more: ..."), advertisements, prompts to listen, to share or to subscribe; and the box on the
author at its end.

A short block that is nothing but a label and links to other pages of the site is told by its label:
by one that several pages of the template have, each with another link (``learn_labels``), or, on a
single page, by one of a table.  Blocks without links are told by whole fixed wordings.  Lists of
links without such labels, and sections such as "See also", are content.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from forest_scrapy.core.boilerplate.documents import is_document
from forest_scrapy.core.boilerplate.wordings import compile_wordings, plain
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import line_text
from forest_scrapy.core.page.tree import Element, is_ignored
from forest_scrapy.core.page.urls import absolute_url, host_of

# These constants are not tuned.
#: Characters of the longest remark, of the longest label and of the start that is looked at first.
_MAX_REMARK = 300
_MAX_LABEL = 40
_MAX_START = 400
#: Words of the longest label that is learned.
_MAX_LABEL_WORDS = 4
#: The share of the text after a label that is in links.
_MIN_LINKED = 0.85
#: Links of a remark that are looked at, and linked blocks after a label.
_MAX_LINKS = 12
_MAX_LINKED_BLOCKS = 6
#: Blocks and characters of a box on the author.
_MAX_AUTHOR_BLOCKS = 4
_MAX_AUTHOR_TEXT = 800
#: Pages, and the share of the pages, that have a label which is learned.
_MIN_PAGES = 2
_MIN_PAGES_SHARE = 0.3
#: Remarks with one label on a page, in the mean: more are a list, which is content.
_MAX_ON_PAGE = 3
#: The share of the text that remarks have at most.
_MAX_SHARE = 0.5
#: Elements inside of a block in which its first text is looked for.
_MAX_INSIDE = 8
#: Elements above a block in which a link around it is looked for.
_MAX_ABOVE = 3

#: Labels of links to other articles, in short blocks that have nothing but these.
_LABELS = compile_wordings(r"""
    (read|see|watch|learn|discover) more
    (also|must)[ -]read
    read (also|next|too|on)
    (more|also) (on|from|in) (this|the) (story|topic|site|series|section)
    (more )?related( (article|story|post|news|content|coverage|reading|video|link|topic)s?)?
    (related|recommended|suggested|further) (reading|stories|articles|posts|coverage)
    you (may|might) also (like|enjoy|be interested in)( (these|this))?
    (don't|do not) miss
    recommended( for you)?
    (trending|most read)
    keep reading
    more(?=:)
    (lesen|lies|lesen sie|mehr) (auch|dazu|mehr|weiter|zum thema)( dazu| zum thema)?
    (auch|das könnte sie) (interessant|auch interessieren)
    mehr zum thema
    weiterlesen
    (passend|weitere (artikel|themen|informationen)) (dazu|zum thema)
    (à|a) lire (aussi|également)
    lire (aussi|la suite|également|plus)
    voir aussi
    sur le même (sujet|thème)
    (lea|lee|leer|ver|vea|mira|te puede interesar|le puede interesar) (también|además|más)
    (te|le) (puede|podría) interesar
    (noticias?|artículos?|contenidos?) relacionad[oa]s?
    leggi anche
    (ti )?potrebbe interessarti( anche)?
    (leia|veja|confira|saiba) (também|mais)
    (leia|veja) (a seguir|ainda)
    lees (ook|meer|verder)
    lees ook
    läs (också|även|mer)
    les (også|mer)
    læs (også|mere)
    (czytaj|przeczytaj|zobacz) (też|także|również|więcej)
    читайте (также|также на|ещё|еще)
    (см\. также|по теме|читать далее)
    相关(阅读|文章|新闻|推荐)
    (延伸|推荐)阅读
    延伸閱讀
    相關(閱讀|新聞|文章)
    (関連|あわせて読みたい)(記事|ニュース)?
    【(関連|関連記事)】
    관련 ?기사
    (baca|lihat) juga
    (ilgili|ayrıca) (haberler?|okuyun|bakınız)
    xem thêm
    (διαβάστε|δείτε) (επίσης|ακόμη|ακόμα)
    (citește|vezi) și
    (přečtěte|čtěte) (si )?(také|taky|více)
    (olvasd|olvassa) (el )?(ezt )?(is|tovább)
    lue (myös|lisää)
""")
#: Whole blocks without links to other articles: advertisements, and prompts to go on, to listen or
#: to share.
_REMARKS = compile_wordings(r"""
    advertisements?
    advertisement \W? ?(scroll|continue|story).{0,40}
    ((the )?rest of )?((this|the) )?(story|article|post|video) continues? (below|after).{0,30}
    continue reading (below|after).{0,40}
    (scroll|keep scrolling) (down )?(to|for) (continue|more|read).{0,30}
    (scroll|skip) (past|to content|advertisement).{0,20}
    listen to (this|the) (article|story|post|episode)( here| now)?(\W{0,4}\d{1,3}.{0,10})?
    listen( \W)? ?\(?\d{1,3}( ?[:.] ?\d\d)?( ?min(ute)?s?)?\)?
    \d{1,3} ?-?min(ute)?s? listen
    audio (version|narration) .{0,20}\d{1,3} ?min.{0,10}
    (share|tweet|e-?mail|print) this( (article|story|post|page|entry))?( (on|with|via) .{1,40})?
    (leave|write|post) a (comment|reply)( below)?
    (click to )?share (on|via) (facebook|twitter|x|linkedin|whatsapp|reddit|telegram|e-?mail).{0,40}
    share this:?
    anzeige
    werbung
    artikel (wird )?(nach|unter) der anzeige (fortgesetzt|weiter).{0,20}
    (der )?artikel wird (unten|unterhalb).{0,30}
    (diesen )?(artikel|beitrag) (anhören|vorlesen|teilen)(\W{0,4}\d{1,3}.{0,10})?
    publicité
    la suite après (la|cette) publicité
    (écouter|partager) (cet|l') ?article(\W{0,4}\d{1,3}.{0,10})?
    publicidad
    publicidade
    continua (depois|após) (d?a )?publicidade
    continúa (después|tras) (de )?la publicidad
    (escuchar|escucha|compartir) (este |el )?artículo(\W{0,4}\d{1,3}.{0,10})?
    pubblicità
    (l'articolo )?continua (dopo|sotto) la pubblicità
    advertentie
    (het )?artikel gaat (verder|door) (na|onder) (de|deze) advertentie
    (artikkelen|saken) fortsetter (under|etter) annonsen
    annonse
    annons
    annonce
    artikeln fortsätter (under|efter) annonsen
    artiklen fortsætter (efter|under) annoncen
    reklama
    (dalsza|ciąg dalszy) .{0,20}pod reklamą
    реклама
    広告
    廣告
    广告
""")
#: Whole blocks that ask for an address or for money, which are short and begin so.
_PROMPTS = compile_wordings(r"""
    (please )?(sign up|subscribe|register)( now| here| today)? (to|for) .{0,40}newsletters?.{0,120}
    (sign up|subscribe) (to|for) (our|the|my) .{0,60}(mailing list|e-?mails?|inbox)\b.{0,80}
    (get|have|receive) .{0,80} (in|to|into|straight to|direct to) your inbox.{0,80}
    (jetzt )?(zum )?.{0,40}newsletter (abonnieren|anmelden|bestellen).{0,60}
    (abonnez|inscrivez)-vous à .{0,40}newsletter.{0,60}
    (suscríbete|suscríbase|apúntate) a .{0,40}(newsletter|boletín).{0,60}
    iscriviti alla .{0,40}newsletter.{0,60}
    (assine|inscreva-se|cadastre-se) .{0,40}newsletter.{0,60}
    (meld je aan|schrijf je in|abonneer je) .{0,40}nieuwsbrief.{0,60}
    (subscribe|sign up|log in|register|join)( now| today)? to (continue|keep) reading.{0,120}
    (subscribe|sign up|log in|register|join)( now| today)? to read .{0,20}(full|more|rest).{0,120}
    (this|the) (article|story|content) is .{0,12}(for|to) (our )?(subscribers|members).{0,80}
    already (a|have an?) (subscri|member|account|regist)\w*\b.{0,40}(log|sign) in.{0,20}
    subscribe now.{0,120}
    (dieser|der) (artikel|inhalt) ist (nur )?(für|mit) .{0,30}(abonnenten|abo|plus).{0,80}
    (jetzt )?weiterlesen mit .{0,30}(abo|plus|premium).{0,60}
    (cet|l')article (est )?réservé aux abonnés.{0,80}
    il vous reste .{0,30} de cet article à lire.{0,80}
    (este )?(contenido|artículo) .{0,20}(exclusivo )?para (suscriptores|abonados).{0,60}
""")
#: Labels of the box on the author with which a page may end.
_AUTHOR_LABELS = compile_wordings(r"""
    (about|meet) (the|our) (authors?|writers?|contributors?)
    (author|writer)('s)? (bio|biography|profile)
    (über|zu) (den|die|der) autor(in|en)?
    zu[mr] autor(in)?
    (à propos de l'|l')auteure?
    (sobre|acerca de) (el|la|los|o|a) autore?[as]?
    (informazioni sull'|l')autore
    over de auteurs?
    om (författaren|forfatteren)
    o autor(ze|ce|ovi)
    об авторе
    (关于)?作者简介
""")
#: Whole blocks that a script or a server was to replace: placeholders, tags of templates, addresses
#: of scripts.
_PLACEHOLDERS = compile_wordings(r"""
    (\{\{[^{}]{0,150}\}\}\W*)+
    (\{%[^{}]{0,150}%\}\W*)+
    (<%.{0,150}?%>\W*)+
    (\$\{[^{}]{0,150}\}\W*)+
    (\$\$|%%|@@)[a-z_]{2,40}(\$\$|%%|@@)
    (https?:)?//\S{1,250}\.(js|css|woff2?)(\?\S{0,200})?
""")
#: What stands between a label and the title of the linked page.
_SEPARATOR = compile_wordings(r"\s*[:|>»›→⇒\-]+\s*")
_LABEL_ENDS = " \t:|>»›→⇒-–—.【】[]()▶►•*"
#: What a prompt or a label is not in.
_NOT_IN = frozenset(("pre", "code", "table", "td", "th", "dt", "dd", "blockquote", "q"))


class LinkedRemark(NamedTuple):
    """A block that is nothing but a ``label`` and links to the ``urls`` of other pages."""

    label: str
    urls: tuple[str, ...]


def find_asides(page: Page, content: Content, labels: Collection[str] = ()) -> frozenset[Element]:
    """The blocks of an article's content that are remarks; empty if these are most of the text.

    ``labels``: those that were learned of the template, as ``learn_labels`` gives them.
    Cost: a look at the start of each block.
    """
    blocks = content.text_blocks
    asides: dict[Element, int] = {}
    for number, block in enumerate(blocks):
        start = _start_of(block)
        if not start:
            continue
        label = _LABELS.match(start)
        is_learned = bool(labels) and _begins_with(start, labels)
        if label is None and not is_learned and not _may_be_remark(start):
            continue
        if block.tag in _NOT_IN or len(text := line_text(block)) > _MAX_REMARK or not text:
            continue
        if _is_remark(text) or _PLACEHOLDERS.fullmatch(text):
            asides[block] = len(text)
        elif _AUTHOR_LABELS.fullmatch(plain(text).strip(_LABEL_ENDS)):
            asides.update(_author_box(blocks[number:]))
        elif label is None and not is_learned:
            continue
        elif is_linked_remark(page, block, text, labels):
            asides[block] = len(text)
        elif _is_label(text, labels):
            linked = list(_linked_after(page, blocks[number + 1 :]))
            if 0 < len(linked) <= _MAX_LINKED_BLOCKS:
                asides[block] = len(text)
                asides.update((other, len(line_text(other))) for other in linked)
    is_most = sum(asides.values()) > _MAX_SHARE * len(content.text)
    return frozenset() if is_most else frozenset(asides)


def learn_labels(pages: Sequence[Page], contents: Sequence[Content]) -> tuple[str, ...]:
    """The labels of remarks with links that several pages of a template have, each with other
    links, folded, in their order; ``contents[k]``: the article of page k.

    A label that one page has often is that of a list.  Depends on the set of pages only.
    """
    found_on: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    urls: dict[str, set[str]] = {}
    for page, content in zip(pages, contents, strict=True):
        remarks = list(_linked_remarks(page, content))
        found_on.update({remark.label for remark in remarks})
        for remark in remarks:
            counts[remark.label] += 1
            urls.setdefault(remark.label, set()).update(remark.urls)
    least = max(_MIN_PAGES, _MIN_PAGES_SHARE * len(pages))
    return tuple(
        sorted(
            label
            for label, number in found_on.items()
            if number >= least
            and counts[label] <= _MAX_ON_PAGE * number
            and len(urls[label]) >= number
        )
    )


def is_linked_remark(page: Page, block: Element, text: str, labels: Collection[str] = ()) -> bool:
    """Whether a block with this text is a label, of the table or one of these, and links to other
    pages of the site."""
    remark = _read_linked(page, block, text)
    if remark is not None and remark.label:
        return _is_label(remark.label, labels)
    return remark is not None and _has_label_inside(text, labels)


def _linked_remarks(page: Page, content: Content) -> Iterator[LinkedRemark]:
    for block in content.text_blocks:
        if block.tag in _NOT_IN or next(block.iter("a"), None) is None:
            continue
        text = line_text(block)
        remark = _read_linked(page, block, text) if 0 < len(text) <= _MAX_REMARK else None
        if remark and _may_be_label(remark.label):
            yield remark


def _may_be_label(label: str) -> bool:
    has_digit = any(character.isdigit() for character in label)
    return 0 < len(split_words(label)) <= _MAX_LABEL_WORDS and not has_digit


def _read_linked(page: Page, block: Element, text: str) -> LinkedRemark | None:
    """The label and the links of a block that has nothing else; None for another block.  The label
    is ``""`` if all of the text is in links."""
    links = [link for link in islice(block.iter("a"), _MAX_LINKS + 1) if line_text(link)]
    if not links:
        links = [link for link in _above(block) if link.tag == "a"]
    if not 0 < len(links) <= _MAX_LINKS:
        return None
    urls = tuple(_page_of_site(page, link) for link in links)
    if not all(urls):
        return None
    link_texts = [line_text(link) for link in links]
    start = max(0, text.find(link_texts[0]))
    label = plain(text[:start]).strip(_LABEL_ENDS).casefold()
    rest = max(1, len(text) - start)
    is_linked = sum(map(len, link_texts)) >= _MIN_LINKED * rest - 2 * len(links)
    return LinkedRemark(label, urls) if is_linked and len(label) <= _MAX_LABEL else None


def _page_of_site(page: Page, link: Element) -> str:
    """The URL of a link to another page of the same site; ``""`` for other links."""
    url = absolute_url(link.get("href") or "", page.base_url).partition("#")[0]
    is_inside = url.startswith("http") and _bare_host(url) == _bare_host(page.url)
    is_page = not is_document(url)
    is_other = url != page.url.partition("#")[0]
    return url if is_inside and is_page and is_other else ""


def _bare_host(url: str) -> str:
    return host_of(url).removeprefix("www.")


def _above(block: Element) -> Iterator[Element]:
    return islice(block.iterancestors(), _MAX_ABOVE)


def _is_label(text: str, labels: Collection[str]) -> bool:
    label = plain(text).strip(_LABEL_ENDS)
    return label.casefold() in labels or _LABELS.fullmatch(label) is not None


def _has_label_inside(text: str, labels: Collection[str]) -> bool:
    """Whether a text begins with a label and a separator."""
    start = plain(text[:_MAX_START]).lstrip(_LABEL_ENDS)
    label = _LABELS.match(start)
    if label is not None and _SEPARATOR.match(start, label.end()):
        return True
    return _begins_with(start, labels) and any(
        _SEPARATOR.match(start, len(label)) for label in labels if _begins_with(start, (label,))
    )


def _begins_with(start: str, labels: Collection[str]) -> bool:
    return start.casefold().startswith(tuple(labels))


def _may_be_remark(start: str) -> bool:
    tables = (_REMARKS, _PROMPTS, _PLACEHOLDERS, _AUTHOR_LABELS)
    return any(table.match(start) for table in tables)


def _is_remark(text: str) -> bool:
    remark = plain(text).strip(_LABEL_ENDS + "!")
    return _REMARKS.fullmatch(remark) is not None or _PROMPTS.fullmatch(remark) is not None


def _author_box(blocks: Sequence[Element]) -> dict[Element, int]:
    """The blocks from the label of a box on the author to the end of the content, with their
    lengths; none if these are too many or too long for a box."""
    if len(blocks) > _MAX_AUTHOR_BLOCKS:
        return {}
    lengths = {block: len(line_text(block)) for block in blocks}
    return lengths if sum(lengths.values()) <= _MAX_AUTHOR_TEXT and all(lengths.values()) else {}


def _linked_after(page: Page, blocks: Sequence[Element]) -> Iterator[Element]:
    """The blocks from the first on that are nothing but links to other pages of the site."""
    for block in blocks[: _MAX_LINKED_BLOCKS + 1]:
        text = line_text(block)
        remark = _read_linked(page, block, text) if 0 < len(text) <= _MAX_REMARK else None
        if remark is None or remark.label:
            return
        yield block


def _start_of(block: Element) -> str:
    """The first text in a block, without marks before it."""
    inside = chain((block,), islice(block.iterdescendants("*"), _MAX_INSIDE))
    texts = (element.text for element in inside if not is_ignored(element))
    first = next((text for text in texts if text and not text.isspace()), "")
    if len(first) > _MAX_START:  # a paragraph
        return ""
    return plain(first).lstrip(_LABEL_ENDS)
