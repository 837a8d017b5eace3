"""Remarks between the paragraphs of an article that are not part of it: links to other pages
("Read more: ..."), advertisements, prompts to listen, to share or to subscribe.

A short block that is nothing but a label and links to other pages of the site is recognized by its
label: one that several pages of the template have, each with another link (``learn_labels``), or,
on a single page, one of a table.  Blocks without links are recognized by whole fixed wordings.
Lists of links without such labels, and sections such as "See also", are content.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from forest_scrapy.core.boilerplate.documents import is_document
from forest_scrapy.core.boilerplate.wordings import Starts, Wordings, plain
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import line_text
from forest_scrapy.core.page.tree import HEADINGS, Element, is_ignored
from forest_scrapy.core.page.urls import absolute_url, bare_host

# These constants are not tuned.
#: Characters of the longest remark, of the longest label and of the start that is looked at first.
_MAX_REMARK = 300
#: Characters of the longest line that a blog program writes around an entry.
_MAX_ENTRY_LINE = 600
_MAX_LABEL = 40
_MAX_START = 400
#: Words of the longest label that is learned.
_MAX_LABEL_WORDS = 4
#: The share of the text after a label that is in links.
_MIN_LINKED_SHARE = 0.85
#: Links of a remark that are looked at, and linked blocks after a label.
_MAX_LINKS = 12
_MAX_LINKED_BLOCKS = 6
#: Pages, and the share of the pages, that have a label which is learned.
_MIN_PAGES = 3
#: Pages that have a label which names tags.
_MIN_TAG_PAGES = 2
_MIN_PAGES_SHARE = 0.3
#: The same for links without a label, the words of their title, and the characters of the
#: paragraphs before and after them.
_MIN_LONE_PAGES = 3
_MIN_LONE_SHARE = 0.5
_MIN_TITLE_WORDS = 4
_MIN_PARAGRAPH = 60
#: Remarks with one label on a page, in the mean: more are a list, which is content.
_MAX_ON_PAGE = 3
#: The share of the text that remarks have at most.
_MAX_SHARE = 0.5
#: Elements inside of a block in which its first text is looked for.
_MAX_INSIDE = 8
#: Elements above a block in which a link around it is looked for.
_MAX_ABOVE = 3

#: Labels of links to other articles, in short blocks that have nothing but these.
_LABELS = Wordings(r"""
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
#: Labels of lists of tags, which need fewer pages than others.
_TAG_LABELS = Wordings(r"""
    (tags?|tagged|filed|posted)( (as|under|in|with))?
    categor(y|ies)
    schlagw(ort|orte|örter)
    mots-clés
    etiquetas|etiquetado( como)?
""")
#: Words of labels of what an article refers to, which is part of it.
_REFERENCES = frozenset(
    """
    source sources via transcript transcripts transcription solution solutions answer answers recipe
    recipes download downloads data dataset text judgment judgement decision ruling document
    documents paper appendix reference references
    quelle quellen lösung lösungen rezept rezepte herunterladen daten volltext urteil beschluss
    abschrift dokument anhang
    recette recettes télécharger téléchargement données texte jugement arrêt décision
    fuente fuentes solución receta recetas descargar descarga datos texto sentencia transcripción
    fonte fonti soluzione ricetta ricette scarica dati testo sentenza trascrizione
    fontes solução receita receitas baixar dados sentença transcrição
    bron bronnen oplossing recept recepten downloaden gegevens tekst vonnis uitspraak
    källa källor lösning ladda dom kilde kilder løsning oppskrift opskrift lähde
    źródło źródła rozwiązanie przepis pobierz dane tekst wyrok zdroj řešení kaynak
    источник источники решение рецепт скачать данные текст
    来源 來源 出处 出典 출처
    """.split()
)
#: Whole blocks without links to other articles: advertisements, and prompts to go on, to listen or
#: to share.
_REMARKS = Wordings(r"""
    advertisements?
    advertisement \W? ?(scroll|continue|story)( (below|to|for|continues?|reading|down|with|this|the|content|article|story|after|more|ad|advertisement)\b){0,8}
    ((the )?rest of )?((this|the) )?(story|article|post|video) continues? (below|after)( (the|this|these|our))?( (ads?|adverts?|advertisements?|break|jump|photos?|pictures?|images?|video|gallery|slideshow|map|graphic|chart|tweet|newsletter( sign-?up)?|promotion))?
    continue reading (below|after)( (the|this|our) (ad|advert|advertisement|break|jump|newsletter( sign-?up)?|promotion))?
    (scroll|keep scrolling) (down )?(to|for) (continue|more|read)( (reading|with|content|the|this|article|story|news|below|on|more|updates?|photos|details|information)\b){0,5}
    scroll past( (the|this))?( (ad|advertisement|newsletter))?
    skip (past( (the|this))? )?(to content|ad|advertisement|newsletter)
    listen to (this|the) (article|story|post|episode)( here| now)?(\W{0,4}\d{1,3}.{0,10})?
    listen( \W)? ?\(?\d{1,3}( ?[:.] ?\d\d)?( ?min(ute)?s?)?\)?
    \d{1,3} ?-?min(ute)?s? listen
    audio (version|narration) .{0,20}\d{1,3} ?min.{0,10}
    (share|tweet|e-?mail|print) this( (article|story|post|page|entry))?( (on|with|via)( (your|social media|friends|family|facebook|twitter|x|linkedin|whatsapp|reddit|telegram|pinterest|bluesky|mastodon|threads|e-?mail|and|or)\b,?){1,8})?
    (leave|write|post) a (comment|reply)( below)?
    (click to )?share (on|via) (facebook|twitter|x|linkedin|whatsapp|reddit|telegram|e-?mail)( \(?opens in (a )?new (window|tab)\)?)?
    share this:?
    anzeige
    werbung
    artikel (wird )?(nach|unter) der anzeige (fortgesetzt|weiter)
    (der )?artikel wird (unten|unterhalb)( der (anzeige|werbung))?( fortgesetzt| weitergeführt)?
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
""")  # noqa: E501
#: Whole blocks with a link, a button or a field that ask for an address or for money, which are
#: short and begin so.
_PROMPTS_WITH_CONTROL = Wordings(r"""
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
#: What such prompts say to the end, in blocks without a link: sentences may begin like these.
_PROMPTS = Wordings(r"""
    (please )?(sign up|subscribe|register)( now| here| today)? (to|for) (our|the|my|a) ([^\s,;:.]{1,20} ){0,5}newsletters?( here| now| today| below| for free)?(( and (get|have|receive|never miss|stay|be|join)\b|[.!] )[^,;]{1,100})?
    (sign up|subscribe) (to|for) (our|the|my) ([^\s,;:.]{1,20} ){0,5}(mailing list|e-?mails?|inbox)( here| now| today| below)?(( and (get|have|receive|never miss|stay|be|join)\b|[.!] )[^,;]{1,80})?
    (get|have|receive) [^,;:]{1,80} (in|to|into|straight to|direct to) your inbox( (daily|weekly|monthly|for free|(every|each|once a|twice a) \w{1,12}( (morning|afternoon|evening))?))?([.!] (sign up|subscribe|no spam|unsubscribe)\b.{0,60})?
    (jetzt )?(zum |den |unseren |für (den|unseren) )?([^\s,;:.]{1,20} ){0,3}[^\s,;:.]{0,20}newsletter (abonnieren|anmelden|bestellen)( und [^,;]{1,60})?
    (abonnez|inscrivez)-vous à (la|notre|nos) ([^\s,;:.]{1,20} ){0,3}newsletters?( (pour|et) [^,;]{1,60})?
    (suscríbete|suscríbase|apúntate) a (la|el|nuestr[oa]) ([^\s,;:.]{1,20} ){0,3}(newsletter|boletín)( (para|y) [^,;]{1,60})?
    iscriviti alla ([^\s,;:.]{1,20} ){0,3}newsletter( (per|e) [^,;]{1,60})?
    (assine|inscreva-se|cadastre-se) ([^\s,;:.]{1,20} ){0,4}newsletter( (para|e) [^,;]{1,60})?
    (meld je aan|schrijf je in|abonneer je) (voor|op) ([^\s,;:.]{1,20} ){0,3}nieuwsbrief( (en|om) [^,;]{1,60})?
    (subscribe|sign up|log in|register|join)( now| today)? to (continue|keep) reading( (this|the) (article|story|post))?
    (subscribe|sign up|log in|register|join)( now| today)? to read (the |this )?(full|more|rest of (the|this))( (article|story|post|stories|articles))?
    (this|the) (article|story|content) is .{0,12}(for|to) (our )?(subscribers|members)( only)?
    already (a|have an?) (subscri|member|account|regist)\w*\b\W{0,3}(please )?(log|sign) in( here| now)?
    subscribe now( (to|for) (read|unlimited|full|digital)\b[^,;]{0,40})?
    (dieser|der) (artikel|inhalt) ist nur (für|mit) .{0,30}(abonnenten|abo|plus)( (verfügbar|lesbar|zugänglich))?
    (jetzt )?weiterlesen mit .{0,30}(abo|plus|premium)
    (cet|l')article (est )?réservé aux abonnés
    il vous reste .{0,30} de cet article à lire
    (este )?(contenido|artículo) (es )?(exclusivo )?para (suscriptores|abonados)
""")  # noqa: E501
#: Whole blocks that a script or a server was to replace: placeholders, tags of templates, addresses
#: of scripts.
_PLACEHOLDERS = Wordings(r"""
    (\{\{[^{}]{0,150}\}\}\W*)+
    (\{%[^{}]{0,150}%\}\W*)+
    (<%.{0,150}?%>\W*)+
    (\$\{[^{}]{0,150}\}\W*)+
    (\$\$|%%|@@)[a-z_]{2,40}(\$\$|%%|@@)
    (https?:)?//\S{1,250}\.(js|css|woff2?)(\?\S{0,200})?
""")
#: How whole blocks begin that blog programs write around each entry.
_ENTRY_STARTS = Wordings(r"""
    (this|the) (entry|post|article) was
    you can (follow|leave|skip)
    (responses|comments) are (currently )?closed
    both comments and pings
    dieser (eintrag|beitrag|artikel) wurde
    (cette entrée|ce contenu|cet article|ce billet) a été
    (esta entrada|este artículo) fue
    (esta entrada|este artigo|este post) foi
    (questa voce|questo articolo) è
    dit (bericht|artikel) (werd|is)
    (det här|detta) inlägget? (postades|publicerades|har)
    ten wpis został
    (эта )?запись (была )?опубликована
    (podcast|audio)( \([^()]{0,60}\))?:
    «
    (main|home)
""")
#: These blocks: where an entry was posted, how it can be commented on, how it is listened to, and
#: its neighbours.  They link to that; a sentence that only begins so is content.
_ENTRY_LINES = Wordings(r"""
    this entry was (posted|published|filed) (in|on|by|under|at)\b.{0,100}
    (this|the) (entry|post|article) was (posted|written|published|filed) (in|on|by|under|at)\b(?=.{0,300}(filed under|permalink|rss 2\.0)).{0,560}
    you can (follow (any|all|the) (responses|comments|replies) to this (entry|post|article|page)|leave a (response|comment|reply),? or (trackback|pingback)|skip to the end and leave a).{0,200}
    (responses|comments) are (currently )?closed, but you can.{0,100}
    dieser (eintrag|beitrag|artikel) wurde (?=.{0,300}(abgelegt|permalink|lesezeichen|rss 2\.0)).{0,560}
    (cette entrée|ce contenu|cet article|ce billet) a été (publiée?|postée?|classée?)\b(?=.{0,300}(class[eé]|permalien|marqué|rss 2\.0)).{0,560}
    (esta entrada|este artículo) fue (publicad|escrit|archivad)[oa]\b(?=.{0,300}(archivad|etiquetad|enlace permanente|rss 2\.0)).{0,560}
    (esta entrada|este artigo|este post) foi (publicad|postad|escrit|arquivad)[oa]\b(?=.{0,300}(arquivad|marcad|link permanente|rss 2\.0)).{0,560}
    (questa voce|questo articolo) è stat[oa] (pubblicat|inserit|scritt)[oa]\b(?=.{0,300}(contrassegn|classificat|permalink|rss 2\.0)).{0,560}
    dit (bericht|artikel) (werd|is) geplaatst\b(?=.{0,300}(getagd|getagged|permalink|rss 2\.0)).{0,560}
    (det här|detta) inlägget? (postades|publicerades|har)\b(?=.{0,300}(märk|permalänk|rss 2\.0)).{0,560}
    ten wpis został opublikowany\b(?=.{0,300}(kategori|oznaczon|odnośnik|rss 2\.0)).{0,560}
    (эта )?запись (была )?опубликована\b(?=.{0,300}(рубрик|метк|постоянн|rss 2\.0)).{0,560}
    (podcast|audio)( \([^()]{0,60}\))?: (play in new window|download|embed)( ?\([^()]{0,60}\))?( ?\| ?(play in new window|download|embed)( ?\([^()]{0,60}\))?){0,3}
    « [^«»|]{1,150} \| (main|home)( page)?( \| [^«»|]{1,150} »)?
    (main|home)( page)? \| [^«»|]{1,150} »
""")  # noqa: E501
#: One that has no link.
_CLOSED_COMMENTS = Wordings("both comments and pings are currently closed")
#: All of these together.
_ANY_START = Starts(
    (
        _LABELS,
        _REMARKS,
        _PROMPTS_WITH_CONTROL,
        _PROMPTS,
        _PLACEHOLDERS,
        _ENTRY_STARTS,
    )
)
#: What stands between a label and the title of the linked page.
_SEPARATOR = Wordings(r"\s*[:|>»›→⇒\-]+\s*")
LABEL_ENDS = " \t:|>»›→⇒-–—.【】[]()▶►•*"
#: Stands among the labels for remarks that are nothing but a link.
NO_LABEL = ""
#: What a prompt or a label is not in.
NOT_IN = frozenset(("pre", "code", "table", "td", "th", "dt", "dd", "blockquote", "q"))
#: Elements that mark code, and those with which a reader answers a prompt.
_CODE_TAGS = ("code", "kbd", "samp", "tt", "var")
_CONTROLS = ("button", "form", "input")
#: What a link without a label is not in: items of lists and headings have links.
_NOT_LONE = NOT_IN | HEADINGS | {"li", "figcaption", "caption"}


class LinkedRemark(NamedTuple):
    """A block that is nothing but a ``label`` and links to the ``urls`` of other pages."""

    label: str
    urls: tuple[str, ...]


def find_asides(
    page: Page,
    content: Content,
    labels: Collection[str] = (),
) -> frozenset[Element]:
    """The blocks of an article's content that are remarks; empty if these are most of the text.

    ``labels``: those that were learned of the template, as ``learn_labels`` gives them.
    Cost: a look at the start of each block.
    """
    blocks = content.text_blocks
    named_labels = tuple(label for label in labels if label != NO_LABEL)
    asides: set[Element] = set()
    for number, block in enumerate(blocks):
        if block.tag not in NOT_IN and _may_be_aside(_start_of(block), named_labels):
            asides.update(_find_asides_at(page, blocks[number:], named_labels))
    if NO_LABEL in labels:
        asides.update(_find_lone_links(page, blocks))

    size = sum(len(line_text(block)) for block in asides)
    if size > _MAX_SHARE * len(content.text):
        return frozenset()
    return frozenset(asides)


def _may_be_aside(start: str, labels: tuple[str, ...]) -> bool:
    """Whether a block that begins so may be a remark: most are not."""
    if not start:
        return False
    return _ANY_START.match(start) or _begins_with(start, labels)


def _find_asides_at(
    page: Page,
    blocks: Sequence[Element],
    labels: tuple[str, ...],
) -> Sequence[Element]:
    """The remark that the first of the blocks is or begins."""
    block = blocks[0]
    text = line_text(block)
    if block.tag in NOT_IN:
        return ()
    if _is_entry_line(block, text):
        return (block,)
    if not _has_length_of_remark(text):
        return ()
    if _is_remark(page, blocks, text) or is_linked_remark(page, block, text, labels):
        return (block,)

    if not _is_label(text, labels):
        return ()
    linked_blocks = list(_find_linked_after(page, blocks[1:]))
    if not 0 < len(linked_blocks) <= _MAX_LINKED_BLOCKS:
        return ()
    return (block, *linked_blocks)


def _is_entry_line(block: Element, text: str) -> bool:
    """Whether a block with this text is one that a blog program writes around an entry."""
    if len(text) > _MAX_ENTRY_LINE:
        return False
    line = plain(text).rstrip(" .")
    if _CLOSED_COMMENTS.fullmatch(line):
        return True
    if not _ENTRY_LINES.fullmatch(line):
        return False
    return next(block.iter("a"), None) is not None


def _has_length_of_remark(text: str) -> bool:
    return 0 < len(text) <= _MAX_REMARK


def learn_labels(
    pages: Sequence[Page],
    contents: Sequence[Content],
) -> tuple[str, ...]:
    """The labels of remarks with links that several pages of a template have, each with other
    links, folded and sorted; ``contents[k]``: the article of page k.

    ``NO_LABEL`` among them: most pages have a single link between two paragraphs.  A label that
    one page has often is that of a list.  Depends on the set of pages only.
    """
    places: dict[str, _Places] = defaultdict(_Places)
    for number, (page, content) in enumerate(zip(pages, contents, strict=True)):
        for remark, is_between in _find_linked_remarks(page, content):
            places[remark.label].add(number, remark.urls, is_between)
        for block in _find_lone_links(page, content.text_blocks):
            link = _read_linked(page, block, line_text(block))
            places[NO_LABEL].add(number, link.urls if link else (), is_between=True)

    min_pages = max(_MIN_PAGES, _MIN_PAGES_SHARE * len(pages))
    min_tag_pages = max(_MIN_TAG_PAGES, _MIN_PAGES_SHARE * len(pages))
    min_lone_pages = max(_MIN_LONE_PAGES, _MIN_LONE_SHARE * len(pages))
    labels = []
    for label, label_places in places.items():
        is_lone = label == NO_LABEL
        is_learned = label_places.are_on_several(min_lone_pages if is_lone else min_pages)
        if not is_learned and _TAG_LABELS.fullmatch(label):
            is_learned = len(label_places.pages) >= min_tag_pages
        if is_learned:
            labels.append(label)
    return tuple(sorted(labels))


@dataclass
class _Places:
    """The remarks with one label: their number, the numbers of their pages, of those that have one
    between paragraphs, and for where their links lead those of the pages with such a link."""

    remarks: int = 0
    pages: set[int] = field(default_factory=set)
    pages_between: set[int] = field(default_factory=set)
    pages_by_url: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def add(self, page: int, urls: Iterable[str], is_between: bool) -> None:
        self.remarks += 1
        self.pages.add(page)
        if is_between:
            self.pages_between.add(page)
        for url in urls:
            self.pages_by_url[url].add(page)

    def are_on_several(self, min_pages: float) -> bool:
        """Whether they are on so many pages, with few on each, and other links on each.

        Only those count that stand between paragraphs, or have a link that another page has, too,
        as lists of tags: at the end of an article are its sources.
        """
        pages = set(self.pages_between)
        for pages_of_url in self.pages_by_url.values():
            if len(pages_of_url) > 1:
                pages |= pages_of_url
        page_count = len(self.pages)
        if len(pages) < min_pages or len(self.pages_by_url) < page_count:
            return False
        return self.remarks <= _MAX_ON_PAGE * page_count


def _find_lone_links(
    page: Page,
    blocks: Sequence[Element],
) -> Iterator[Element]:
    """The blocks between two paragraphs that are nothing but a link to another page of the site,
    with a title of some words."""
    neighbours = zip(blocks, blocks[1:], blocks[2:], strict=False)
    for previous, block, following in neighbours:
        if block.tag in _NOT_LONE or not _has_link(block):
            continue
        text = line_text(block)
        if not _has_length_of_remark(text):
            continue
        words = split_words(text)
        if len(words) < _MIN_TITLE_WORDS:
            continue
        remark = _read_linked(page, block, text)
        if remark is None or remark.label != NO_LABEL:
            continue
        has_one_link = len(remark.urls) == 1
        if has_one_link and _is_paragraph(previous) and _is_paragraph(following):
            yield block


def _has_link(block: Element) -> bool:
    """Whether a link is in a block or around it."""
    if any(element.tag == "a" for element in _elements_above(block)):
        return True
    return _contains(block, "a")


def _contains(block: Element, tag: str) -> bool:
    return next(block.iter(tag), None) is not None


def _is_paragraph(block: Element) -> bool:
    if len(line_text(block)) < _MIN_PARAGRAPH or block.tag in _NOT_LONE:
        return False
    return not _contains(block, "img")


def is_linked_remark(
    page: Page,
    block: Element,
    text: str,
    labels: Collection[str] = (),
) -> bool:
    """Whether a block with this text is a label, of the table or one of these, and links to other
    pages of the site."""
    remark = _read_linked(page, block, text)
    if remark is None:
        return False
    if remark.label:
        return _is_label(remark.label, labels)
    return _has_label_inside(text, labels)


def _find_linked_remarks(
    page: Page,
    content: Content,
) -> Iterator[tuple[LinkedRemark, bool]]:
    """What may be a label and links, and whether it stands between two paragraphs."""
    remarks: list[LinkedRemark] = []
    block_before: Element | None = None
    for block in content.text_blocks:
        remark = _read_labelled(page, block)
        if remark is not None:
            remarks.append(remark)
            continue
        if remarks:  # few blocks are next to one
            is_after_paragraph = block_before is not None and _is_paragraph(block_before)
            is_between = is_after_paragraph and _is_paragraph(block)
            for remark_before in remarks:
                yield remark_before, is_between
            remarks = []
        block_before = block
    for remark_before in remarks:
        yield remark_before, False


def _read_labelled(page: Page, block: Element) -> LinkedRemark | None:
    """The label that may be learned and the links of a block that has nothing else."""
    if block.tag in NOT_IN or not _contains(block, "a"):
        return None
    text = line_text(block)
    if not _has_length_of_remark(text):
        return None
    remark = _read_linked(page, block, text)
    if remark and _may_be_label(remark.label):
        return remark
    return None


def _may_be_label(label: str) -> bool:
    if any(map(str.isdigit, label)):
        return False
    words = split_words(label)
    if any(word.casefold() in _REFERENCES for word in words):
        return False
    return 0 < len(words) <= _MAX_LABEL_WORDS


def _read_linked(page: Page, block: Element, text: str) -> LinkedRemark | None:
    """The label and the links of a block that has nothing else; None for another block.  The label
    is ``""`` if all of the text is in links."""
    links: list[Element] = []
    link_texts: list[str] = []
    for link in islice(block.iter("a"), _MAX_LINKS + 1):
        link_text = line_text(link)
        if link_text:
            links.append(link)
            link_texts.append(link_text)
    if not links:
        links = [element for element in _elements_above(block) if element.tag == "a"]
        link_texts = [line_text(link) for link in links]
    if not 0 < len(links) <= _MAX_LINKS:
        return None

    linked_length = sum(map(len, link_texts))
    start = max(0, text.find(link_texts[0]))
    length = max(1, len(text) - start)
    if linked_length < _MIN_LINKED_SHARE * length - 2 * len(links):
        return None
    label = plain(text[:start]).strip(LABEL_ENDS).casefold()
    if len(label) > _MAX_LABEL:
        return None

    urls = tuple(_page_of_site(page, link) for link in links)
    if all(urls):
        return LinkedRemark(label, urls)
    return None


def _page_of_site(page: Page, link: Element) -> str:
    """The URL of a link to another page of the same site; ``""`` for other links."""
    href = link.get("href") or ""
    url = absolute_url(href, page.base_url).partition("#")[0]
    if not url.startswith("http") or bare_host(url) != bare_host(page.url):
        return ""
    is_same_page = url == page.url.partition("#")[0]
    if is_same_page or is_document(url):
        return ""
    return url


def _elements_above(block: Element) -> Iterator[Element]:
    return islice(block.iterancestors(), _MAX_ABOVE)


def _is_label(text: str, labels: Collection[str]) -> bool:
    label = plain(text).strip(LABEL_ENDS)
    if label.casefold() in labels:
        return True
    return _LABELS.fullmatch(label) is not None


def _has_label_inside(text: str, labels: Collection[str]) -> bool:
    """Whether a text begins with a label and a separator."""
    start = plain(text[:_MAX_START]).lstrip(LABEL_ENDS)
    match = _LABELS.match(start)
    if match is not None and _SEPARATOR.match(start, match.end()):
        return True
    for label in labels:
        if _begins_with(start, (label,)) and _SEPARATOR.match(start, len(label)):
            return True
    return False


def _begins_with(start: str, labels: Collection[str]) -> bool:
    return bool(labels) and start.casefold().startswith(tuple(labels))


def _is_remark(page: Page, blocks: Sequence[Element], text: str) -> bool:
    """Whether the first of the blocks, with this text, is a fixed wording or a placeholder."""
    block = blocks[0]
    if _PLACEHOLDERS.fullmatch(text):
        return not _may_be_code(page, block)
    remark = plain(text).strip(LABEL_ENDS + "!")
    if _REMARKS.fullmatch(remark):
        is_word = " " not in remark
        return not (is_word and _names_content(blocks))
    if _PROMPTS.fullmatch(remark):
        return True
    return _has_control(block) and _PROMPTS_WITH_CONTROL.fullmatch(remark) is not None


def _may_be_code(page: Page, block: Element) -> bool:
    """Whether a placeholder may be what an article is about: it is marked as code, an item or a
    heading, or the page has code."""
    if block.tag in HEADINGS:
        return True
    if any(_contains(block, tag) for tag in _CODE_TAGS):
        return True
    if _item_of(block) is not None:
        return True
    return next(page.root.iter("pre", "code"), None) is not None


def _names_content(blocks: Sequence[Element]) -> bool:
    """Whether a block that is one word is an item of a list, or a heading with text after it."""
    block = blocks[0]
    item = _item_of(block)
    if item is not None:
        siblings = chain(item.itersiblings("li"), item.itersiblings("li", preceding=True))
        return next(siblings, None) is not None
    if block.tag not in HEADINGS or len(blocks) < 2:
        return False
    following = blocks[1].tag
    return following not in HEADINGS or following > block.tag


def _item_of(block: Element) -> Element | None:
    """The item of a list that a block is or is in."""
    for element in chain((block,), _elements_above(block)):
        if element.tag == "li":
            return element
    return None


def _has_control(block: Element) -> bool:
    """Whether a block has a link, a button or a field."""
    return _has_link(block) or any(_contains(block, tag) for tag in _CONTROLS)


def _find_linked_after(
    page: Page,
    blocks: Sequence[Element],
) -> Iterator[Element]:
    """The blocks from the first on that are nothing but links to other pages of the site."""
    for block in blocks[: _MAX_LINKED_BLOCKS + 1]:
        text = line_text(block)
        if not _has_length_of_remark(text):
            return
        remark = _read_linked(page, block, text)
        if remark is None or remark.label:
            return
        yield block


def _start_of(block: Element) -> str:
    """The first text in a block, without marks before it."""
    start = block.text or ""
    if not start or start.isspace() or is_ignored(block):
        start = _find_first_text(block)
    if len(start) > _MAX_START:  # a paragraph
        return ""
    return plain(start).lstrip(LABEL_ENDS)


def _find_first_text(block: Element) -> str:
    """The first text before which there are few elements; ``""`` if there is none."""
    inside = islice(block.iterdescendants("*"), _MAX_INSIDE)
    for element in chain((block,), inside):
        if is_ignored(element):
            continue
        text = element.text
        if text and not text.isspace():
            return text
    return ""
