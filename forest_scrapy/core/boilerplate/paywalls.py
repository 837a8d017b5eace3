"""Whether an article may be read without paying: what the page declares, or a box after a short
text that asks to subscribe for the rest."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from forest_scrapy.core.boilerplate.wordings import Wordings, plain
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.declared import Declared, as_list
from forest_scrapy.core.page.language import START_LENGTH, split_words, words_at_start
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element, is_ignored

# These constants are not tuned.
#: Words of the longest text that may be a stub.
_MAX_STUB_WORDS = 250
#: Texts after the article, or within it, in which a box is looked for, and the characters of each.
_MAX_TEXTS = 12
_MAX_BOX = 300
#: Parts of an article that are looked at.
_MAX_PARTS = 20

_FREE = "isAccessibleForFree"
_YES = frozenset(("true", "yes", "1", "https://schema.org/true", "http://schema.org/true"))
_NO = frozenset(("false", "no", "0", "https://schema.org/false", "http://schema.org/false"))
#: What ``article:content_tier`` may be, besides ``metered``, which is free for some readers.
_FREE_TIERS = frozenset(("free",))
_PAID_TIERS = frozenset(("locked", "premium", "paid", "subscription", "subscriber", "paywall"))

#: How a box begins, or what it says, that stands in place of the rest of an article.
_BOX = Wordings(r"""
    ^(subscribe|sign up|register|log in|join|become a \w+)\b.{0,40} to (continue|keep) reading
    ^(subscribe|register|log in|join)\b.{0,30} to (read|unlock|view|see) (the|this|full|more|all)
    ^(to (continue|keep) reading|to read the (full|rest)).{0,60}(subscri|sign|log|regist|member)
    ^(continue|keep) reading.{0,40} (subscri|membership|trial)
    ^(this|the) (article|story|content|post|page) is .{0,20}(for|to) .{0,20}(subscribers|members)
    ^(this|the) (article|story|content|post) is (locked|behind a paywall)
    ^subscribe now\b
    already (a|have an?) (\w+ )?(subscri|member)\w*\W{1,3}(please )?(log|sign) in
    you have (reached|read) .{0,30}(limit|free articles)
    (dieser|der) (artikel|inhalt|beitrag|text) .{0,30}(abonnent|mit abo|exklusiv|kostenpflichtig)
    ^(jetzt )?(weiterlesen|diesen artikel lesen) mit
    ^(jetzt|um) .{0,40}(abonnieren|abo abschließen|weiterzulesen)
    (cet|l')\s?article (est |vous est )?réservé (aux|à nos) abonnés
    il vous reste .{0,40} (de cet article|à lire|à découvrir)
    ^(abonnez-vous|connectez-vous)\b.{0,60}(lire|article|suite|continuer)
    (contenido|artículo|noticia) .{0,30}(para|solo|exclusiv\w) .{0,20}(suscriptor|abonad)
    ^(suscríbe(te|ase)|regístrate|inicia sesión)\b.{0,40}(seguir|continuar|leer)
    (contenuto|articolo) .{0,30}(riservat|abbonat)
    ^(abbonati|accedi|registrati)\b.{0,40}(leggere|continuare|articolo)
    (conteúdo|matéria|reportagem) .{0,30}(exclusiv\w|assinantes)
    ^(assine|faça login)\b.{0,40}(continuar|ler|lendo)
    (dit )?artikel .{0,30}(alleen|exclusief|voorbehouden) .{0,20}(abonnees|leden)
    ^(word abonnee|neem een abonnement|log in)\b.{0,40}(lezen|verder)
    (artikeln|innehållet) .{0,30}(för|endast) .{0,20}prenumerant
    ^(logga in|bli prenumerant)\b.{0,40}läsa
    (artiklen|indholdet) .{0,30}(for|kun) .{0,20}abonnent
    (artikkelen|saken|innholdet) .{0,30}(for|kun) .{0,20}abonnent
    (artykuł|treść) .{0,30}(dla|tylko) .{0,20}(prenumerator|subskrybent)
    (материал|статья) .{0,40}(подписчик|по подписке)
    この記事は(有料)?会員(限定|記事)
    (付费|订阅|會員|会员)(阅读|后|後|專屬|专享).{0,20}
""")

#: What each of these has, in lower case.
_BOX_WORDS = (
    "continue reading", "keep reading", "to read ", "to unlock ", "to view ", "to see ",
    "article is ", "story is ", "content is ", "post is ", "page is ", "subscribe now",
    "already a", "already have a", "you have reached", "you have read", "abon", "mit abo",
    "abo abschließen", "exklusiv", "kostenpflichtig", "lesen mit", "weiterzulesen",
    "il vous reste", "connectez", "suscri", "suscrí", "regístrate", "inicia sesión", "riservat",
    "abbona", "accedi", "registrati", "exclusiv", "assin", "faça login", "lezen", "verder",
    "leden", "prenumer", "logga in", "subskrybent", "подпис", "会員", "付费", "订阅", "會員",
    "会员",
)  # fmt: skip


def read_is_free(page: Page, content: Content) -> bool | None:
    """Whether the article of a page can be read without paying; None if nothing tells.

    Declared by JSON-LD, of the article or of a part of it, by microdata or ``meta``; else False if
    the ``content`` is short and a box in it, or after it, asks to subscribe or to log in.
    """
    declared = read_declared(page.declared)
    if declared is not None:
        return declared
    if _has_box(page, content):
        return False
    return None


def read_declared(declared: Declared) -> bool | None:
    """What a page declares; None if it declares nothing.

    >>> page = Page.from_html("<meta property=article:content_tier content=locked>")
    >>> read_declared(page.declared)
    False
    """
    for node in (declared.article, declared.item, declared.page):
        is_free = _read_node(node)
        if is_free is not None:
            return is_free

    tier = declared.first_meta("article:content_tier", "content_tier").lower()
    if tier in _FREE_TIERS:
        return True
    if tier in _PAID_TIERS:
        return False
    return None


def is_paywall(text: str) -> bool:
    """Whether a text asks to subscribe or to log in for the rest of an article.

    >>> is_paywall("Subscribe to continue reading."), is_paywall("They subscribe to a theory.")
    (True, False)
    """
    start = plain(text[:_MAX_BOX])
    return _BOX.search(start) is not None


def _read_node(node: Mapping[str, Any]) -> bool | None:
    """What a node declares of itself, and False if a part of it is not free."""
    parts = as_list(node.get("hasPart"))
    for part in parts[:_MAX_PARTS]:
        if not isinstance(part, Mapping):
            continue
        is_free = _as_bool(part.get(_FREE))
        if is_free is False:
            return False
    return _as_bool(node.get(_FREE))


def _as_bool(value: Any) -> bool | None:
    """The first of the values that says yes or no; None if none does."""
    for item in as_list(value):
        text = str(item)
        answer = text.strip().lower()
        if answer in _YES:
            return True
        if answer in _NO:
            return False
    return None


def _has_box(page: Page, content: Content) -> bool:
    if not content.text_blocks or _is_long(content.body):
        return False
    last = content.text_blocks[-1]
    if not _may_ask_after(last):
        return False
    texts_after = _read_texts_after(page, last)
    return any(map(is_paywall, texts_after))


def _is_long(text: str) -> bool:
    """Whether a text has more words than a stub; the start of most texts shows it."""
    word_count = len(words_at_start(text))
    has_more_text = len(text) > START_LENGTH
    if word_count <= _MAX_STUB_WORDS and has_more_text:
        word_count = len(split_words(text))
    return word_count > _MAX_STUB_WORDS


def _may_ask_after(last: Element) -> bool:
    """Whether any text in an element, or after it, has a word that all boxes have: most pages have
    none, and it is faster than the outline."""
    pieces = ["".join(last.itertext())]
    for element in (last, *last.iterancestors()):
        pieces.append(element.tail or "")
        for following in element.itersiblings():
            if not is_ignored(following):
                pieces += following.itertext()
            pieces.append(following.tail or "")
    lower = "".join(pieces).lower()
    text = " ".join(lower.split())
    return any(part in text for part in _BOX_WORDS)


def _read_texts_after(page: Page, last: Element) -> list[str]:
    """The texts of the last block of an article, and the first ones after it, those of each element
    together."""
    outline = page.outline
    start = next((node.first for node in outline.nodes if node.element is last), None)
    if start is None:
        return []

    texts: dict[int, str] = {}
    leaves = islice(outline.leaves, start, start + _MAX_TEXTS)
    for leaf in leaves:
        earlier_text = texts.get(leaf.node, "")
        text = f"{earlier_text} {leaf.text}"
        texts[leaf.node] = text.strip()
    return list(texts.values())
