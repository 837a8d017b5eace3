"""Whether a text or a name says that a link leads to the next or the previous page of a list.

A text says so if all its words are known: one for "next" or "more", nouns for pages and what lists
have, and words such as "go to the".  "Next 25", "More results" and "Nächste Seite" do; "Next steps"
and "Next article" do not: a page of a list has several articles.
"""

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

#: Characters of the longest label that is read.
MAX_LABEL_LENGTH = 60


class Claim(IntEnum):
    """What a link says of itself, the weakest first.

    ``NAME``: a class or another name says "next", which carousels have, too; ``MORE``: "More",
    which sections of a site are called, too; ``STEP``: "Next", which may be that of stories;
    ``PAGE``: "Next page" or "Older posts", which is one of a list.
    """

    NONE = 0
    NAME = 1
    MORE = 2
    STEP = 3
    PAGE = 4


@dataclass(frozen=True)
class Direction:
    """The words, arrows and names of one direction.

    ``shared``: those of ``words`` that lead the other way in another language, and do so beside a
    word of that one.
    """

    words: frozenset[str]
    more: frozenset[str]
    arrows: re.Pattern[str]
    name: re.Pattern[str]
    phrase: re.Pattern[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words for pages.
_PAGE_NOUNS = _words(
    "page pg seite pagina página sida sidan side sivu strona strony strana stránka stranka oldal"
    " страница страницу страницы стр сторінка sayfa σελίδα halaman trang pagină"
)
#: What lists have, many of it.
_LIST_NOUNS = _words(
    "pages results result hits matches entries items records rows posts topics threads messages"
    " comments replies answers articles stories listings products offers ads jobs events photos"
    " questions discussions documents"
    " seiten treffer ergebnisse resultate einträge beiträge artikel themen nachrichten kommentare"
    " antworten datensätze produkte angebote anzeigen meldungen fragen"
    " résultats réponses articles annonces sujets messages billets commentaires fiches"
    " enregistrements notices produits documents"
    " resultados entradas artículos artigos mensajes temas registros productos postagens anuncios"
    " risultati elementi articoli messaggi discussioni annunci prodotti"
    " resultaten berichten artikelen onderwerpen reacties"
    " resultat träffar inlägg poster resultater treff indlæg"
    " wyniki wyników wpisy posty ogłoszenia výsledky výsledků příspěvky"
    " результаты результатов записи записей сообщения темы товары статьи"
    " sonuç sonuçlar"
)
#: What may stand beside them.
_FILLERS = _words(
    "go to the show view load see display get set of from on a"
    " zur zum zu die der den von anzeigen laden zeigen"
    " à la le les l aller voir afficher charger de des"
    " ir al las los ver cargar mostrar ver a o os as carregar"
    " vai alla carica mostra di"
    " naar het laad toon till visa ladda vis gå til näytä"
    " do na pokaż zobacz к на показать загрузить перейти"
)
_NEXT_ARROWS = re.compile("[\u203a»>\u2192\u25b6\u25ba\u27e9\u276f]+")
_PREVIOUS_ARROWS = re.compile("[\u2039\u00ab<\u2190\u25c0\u25c4\u27e8\u276e]+")

NEXT = Direction(
    words=_words(
        "next older earlier forward weiter vorwärts vor"
        " nächste nächsten nächstes naechste folgende folgenden ältere"
        " suivant suivante suivants suivantes anciens anciennes"
        " siguiente siguientes seguinte seguintes próxima próximo próximas próximos proxima proximo"
        " antiguas antiguos antigas antigos"
        " successiva successivo successivi successive prossima prossimo prossimi avanti"
        " volgende oudere nästa följande äldre neste næste ældre eldre seuraava seuraavat"
        " następna następny następne następnych dalej starsze další následující starší"
        " ďalej ďalšie ďalšia nasledujúca nasledujúce"
        " следующая следующие следующий следующую следующих след далее вперед вперёд"
        " наступна далі sonraki ileri următoarea următoarele înainte következő"
        " επόμενη επόμενο berikutnya selanjutnya التالي הבא ถัดไป"
    ),
    more=_words(
        "more mehr weitere weiterer weiteren plus más mas mais altri altre meer fler flere lisää"
        " więcej více ещё еще больше daha"
    ),
    arrows=_NEXT_ARROWS,
    name=re.compile(
        r"(?:^|[\s_-])(?:next|(?:chevron|angle|arrow|caret)-right)(?:$|[\s_-])",
        re.IGNORECASE,
    ),
    phrase=re.compile(
        r"(?:次|下一?|后一?|後一?|다음)(?:の|个|個|一)?\d*(?:ページ|页|頁|페이지|件|张|張)?(?:へ)?"
        r"|もっと見る|더\s?보기|加载更多|查看更多"
    ),
)
PREVIOUS = Direction(
    words=_words(
        "prev previous back newer zurück vorherige vorheriger vorherigen vorige voriger neuere"
        " précédent précédente précédents précédentes retour récents récentes"
        " anterior anteriores recientes recentes precedente precedenti indietro"
        " vorige nieuwere föregående nyare forrige nyere edellinen edelliset"
        " poprzednia poprzedni poprzednie wstecz nowsze předchozí novější"
        " предыдущая предыдущие предыдущий предыдущую пред назад попередня"
        " önceki geri anterioară înapoi előző προηγούμενη sebelumnya السابق הקודם ก่อนหน้า"
    ),
    more=frozenset(),
    arrows=_PREVIOUS_ARROWS,
    name=re.compile(
        r"(?:^|[\s_-])(?:prev(?:ious)?|(?:chevron|angle|arrow|caret)-left)(?:$|[\s_-])",
        re.IGNORECASE,
    ),
    phrase=re.compile(
        r"(?:前|上一?|이전)(?:の|个|個|一)?\d*(?:ページ|页|頁|페이지|件|张|張)?(?:へ)?"
    ),
)

_WORD = re.compile(r"[^\W\d_]+")
#: Words of labels that are longer than a row of known words: "Ir a la página siguiente".
_PAGE_WORD = re.compile(
    r"\bpages?\b|\bseite|\bp[áa]gina|\bsida|\bside\b|\bsivu|\bstron|\bstrán|\b(?:страниц)|\bsayfa"
    r"|ページ|页|頁|페이지",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)  # the links of all pages of a site have the same texts
def read_label(text: str, direction: Direction) -> Claim:
    """What a text says of a link in this direction.

    >>> read_label("Next 25", NEXT).name, read_label("Next steps", NEXT).name
    ('PAGE', 'NONE')
    >>> read_label("« Zurück", NEXT).name, read_label("« Zurück", PREVIOUS).name
    ('NONE', 'STEP')
    """
    text = text.strip().lower()
    if not text or len(text) > MAX_LABEL_LENGTH:
        return Claim.NONE
    opposite = PREVIOUS if direction is NEXT else NEXT
    bare_text = _strip_marks(text)
    if direction.phrase.fullmatch(bare_text):
        return Claim.STEP

    words = set(_WORD.findall(bare_text))
    if not words:
        return _read_arrows(text, direction, opposite)
    named = words & direction.words
    more = words & direction.more
    if not named and words & opposite.words:
        return Claim.NONE
    nouns = words & (_PAGE_NOUNS | _LIST_NOUNS)
    other_words = words - named - more - nouns - _FILLERS
    is_page = bool(named) and _PAGE_WORD.search(text) is not None
    if other_words and not is_page:
        return Claim.NONE
    if named:
        has_count = any(map(str.isdigit, bare_text))
        return Claim.PAGE if nouns or has_count or is_page else Claim.STEP
    if more:
        return Claim.MORE
    has_arrow = direction.arrows.search(text) is not None
    is_one_way = opposite.arrows.search(text) is None
    return Claim.STEP if nouns and has_arrow and is_one_way else Claim.NONE


def _strip_marks(text: str) -> str:
    """The text without arrows and brackets."""
    text = _NEXT_ARROWS.sub(" ", text)
    text = _PREVIOUS_ARROWS.sub(" ", text)
    return text.strip("[](){}|·•.…:+-\u2013\u2014 ")


def _read_arrows(
    text: str,
    direction: Direction,
    opposite: Direction,
) -> Claim:
    """The claim of a text without words: of arrows alone."""
    if opposite.arrows.search(text) or not direction.arrows.search(text):
        return Claim.NONE
    has_other = any(map(str.isalnum, text))
    return Claim.NONE if has_other else Claim.STEP


def has_name(names: str, direction: Direction) -> bool:
    """Whether one of the names of an element, as of its class, is that of a direction and of one
    only.

    >>> has_name("btn next", NEXT), has_name("prev-next", NEXT)
    (True, False)
    """
    opposite = PREVIOUS if direction is NEXT else NEXT
    if not direction.name.search(names):
        return False
    return opposite.name.search(names) is None
