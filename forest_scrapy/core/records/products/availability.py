"""Whether the product of a page can be bought: by the button of the cart, and by words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from forest_scrapy.core.lazy import LazyPattern
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.tree import Element, class_and_id

#: Characters of the longest text that says so, and of that of a button.
MAX_STATE_LENGTH = 60
MAX_BUTTON_LENGTH = 60
#: Leaves before the name and after name, price and button in which it is looked for.
LEAVES_BEFORE = 15
BUTTON_LEAVES_BEFORE = 80
LEAVES_AFTER = 60
#: Leaves after the name in which the button of the cart is looked for: pages with many pictures
#: and choices have it far below.
MAX_BUTTON_DISTANCE = 250
#: Leaves of the longest line that is read as one text.
MAX_LEAVES_OF_LINE = 6

_CART = LazyPattern(
    r"\badd (?:all |it |this )?to (?:my |your |the )?(?:cart|bag|basket|trolley|order)"
    r"|\b(?:put|place|pop) (?:it )?in(?:to)? (?:my |your |the )?(?:cart|bag|basket|trolley)\b"
    r"|\b(?:buy|order|shop) (?:it )?now\b|^(?:buy|purchase|add to (?:cart|bag))$|\bbuy for\b"
    r"|(?:in|zum?) (?:den |die |dem )?(?:warenkorb|einkaufswagen|einkaufstasche)|^warenkorb$"
    r"|jetzt (?:kaufen|bestellen)|ajouter (?:au|à mon) panier|^acheter|añadir (?:al?|a la|a mi)\b"
    r"|agregar (?:al?|a la|a mi)\b|^comprar(?: ahora| agora| ya)?$|aggiungi al|^acquista"
    r"|adicionar (?:ao|à)|do koszyka|kup teraz|(?:in|aan) (?:de |mijn )?winkel(?:wagen|mand)"
    r"|in mandje|lägg i (?:varu|kund)|^köp\b|legg i (?:handle|kurv)|^kjøp\b|læg i (?:kurv|indkøb)"
    r"|^køb\b|lisää (?:ostos)?kori|do koš[íi]k|kosárba|adaugă în coș|sepete ekle|satın al"
    r"|(?:добавить )?в корзину|^купить|до кошика|^купити|カートに|今すぐ(?:購入|買う)"
    r"|加入购物车|加入購物車|立即(?:购买|購買)"
    r"|장바구니|구매하기|바로구매|προσθήκη στο|στο καλάθι|أضف (?:إلى|الى)"
    r"|اشتر|thêm vào giỏ|mua ngay|keranjang|beli sekarang|ใส่(?:ตะกร้า|รถเข็น)|הוסף לסל|הוספה לסל",
    re.IGNORECASE,
)
_PREORDER = re.compile(
    r"\bpre-?\s?order|vorbestell|précommand|pre-?commande|reservar ahora|preventa|pre-?venda"
    r"|preordina|prenota|voorbestel|förbeställ|förhandsboka|forudbestil|forhåndsbestill"
    r"|przedsprzeda|předobjedn|предзаказ|予約|预售|預購|ön sipariş",
    re.IGNORECASE,
)
_BACK = re.compile(r"\bback-?\s?order|\bon order\b", re.IGNORECASE)
#: A number of weeks or months, and what can be had then: together they say that it is not in stock.
_WAIT = LazyPattern(
    r"\d{1,2}\s?(?:[-\u2013\u2014/]\s?\d{1,2}\s?)?"
    r"(?:(?:weeks?|months?|wochen?|monate?n?|semaines?|mois|semanas?|mes(?:es)?|settiman[ae]|mes[ei]"
    r"|mês|we(?:ek|ken)|maand(?:en)?|veck(?:a|or)|månad(?:er)?|uker?|uger?|måneder?|viik\w+"
    r"|kuukau\w+|tygod\w+|miesi[ąę]c\w*|týd\w+|týžd\w+|měs[íi]c\w*|mesiac\w*|hét\w*|hónap\w*"
    r"|săptămân\w+|lun[iă]|hafta\w*|недел\w*|месяц\w*|тиж\w+|місяц\w*|εβδομάδ\w+|μήν\w+"
    r"|tuần|tháng|minggu|bulan)\b|週|周|か月|ヶ月|个月|個月|주|개월|أسابيع|أسبوع)",
    re.IGNORECASE,
)
_ORDERABLE = LazyPattern(
    r"\b(?:available|orderable|deliverable|back in stock|restock\w*|verfügbar|lieferbar|bestellbar"
    r"|erhältlich|vorrätig|disponib\w+|commandable|livrable|dispon[íi]ve[li]s?|ordinabile"
    r"|(?:be)?stelbaar|leverbaar|beschikbaar|tillgänglig\w*|beställningsbar\w*|tilgjengelig\w*"
    r"|tilgængelig\w*|leveres|saatavilla|tilattavissa|dostępn\w+|dostupn\w+|k dispozici|elérhető"
    r"|rendelhető|kapható|temin|stokta|доступ\w+|в наличии|в продаже|в наявності|διαθέσιμ\w+"
    r"|có hàng|tersedia)\b|入荷|再入荷|到货|到貨|发货|出货|입고|متوفر|متاح",
    re.IGNORECASE,
)
#: What else lasts some weeks or months: warranties, payments, times to return, sizes of babies.
_OTHER_TIME = LazyPattern(
    r"\b(?:for|since|with|every|f(?:ü|ue)r|seit|mit|pour|pendant|depuis|avec|durante|desde|con|por|com"
    r"|da|sinds|voor|met)\s+\d|guarant|warrant|garant|gwaranc|z[áa]ruk|takuu|jótáll|гарант|εγγύησ"
    r"|financ|finanz|cr[eé]dit|kredit|leasing|instal|\brat(?:en|es?|a|y|ami)\b|ratenzahl|cuotas"
    r"|parcel|mensualit|\bpay|zahlung|paiement|\bpago|pagament|betal|рассроч|кредит|return|rückgabe"
    r"|retour|devol|\breso\b|zwrot|возврат|\bsizes?\b|größe|\btaill|\btalla|\btagli|tamanho|\bmaten?\b"
    r"|storlek|størrelse|rozmiar|velikost|размер|\bages?\b|subscri|\babo(?:s|n\w*)?\b|\brent|\bmiet"
    r"|保証|保修|分期|分割払|返品|退货|보증|할부|ضمان",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[,;.!()|]")
_OUT = LazyPattern(
    r"out[\s-]of[\s-]stock|sold[\s-]?out|(?:currently|temporarily) (?:unavailable|not available)"
    r"|^unavailable\W*$|\bno longer available|\bnot available$|not in stock|(?<![\d.,])0 in stock"
    r"|\b(?:notify me|email me|alert me|join (?:the )?wait)\b.{0,30}|back in stock|\bdiscontinued$"
    r"|ausverkauft|vergriffen|(?:nicht|nicht mehr) (?:verfügbar|lieferbar|auf lager|vorrätig)"
    r"|derzeit nicht|benachrichtig|en rupture|rupture de stock|épuisé|indisponible|hors stock"
    r"|(?:pas|plus) (?:en stock|disponible)|agotado|sin (?:stock|existencias)|no disponible"
    r"|fuera de stock|esaurit[oa]|non disponibil[ei]|terminato$|esgotad[oa]|indispon[íi]vel"
    r"|sem estoque|fora de estoque|avise-?me|uitverkocht|niet (?:op voorraad|leverbaar|beschikbaar)"
    r"|slut(?:såld)?(?: i lager)?$|ej i lager|(?:ikke|inte|ikkje) (?:på|i) lager|utsolgt|udsolgt"
    r"|loppu(?:nut)?$|ei (?:varastossa|saatavilla)|niedostępn|brak (?:towaru|w magazynie)"
    r"|wyprzedan|vyprodáno|vypredané|nedostupn|není skladem|nie je skladom|nem (?:elérhető|kapható)"
    r"|elfogyott|stoc epuizat|indisponibil|tükendi|stokta yok|нет в наличии|распродан"
    r"|немає в наявності|売り切れ|在庫切れ|在庫なし"
    r"|品切れ|缺货|缺貨"
    r"|售罄|售完|품절|εξαντλ|μη διαθέσιμ|غير متوفر|نفد|hết hàng|(?:stok )?habis|สินค้าหมด|אזל",
    re.IGNORECASE,
)
_IN = LazyPattern(
    r"\bin[\s-]stock\b|\bavailable (?:now|for (?:delivery|shipping|pickup)|to (?:order|ship))"
    r"|^availability:? (?:available|yes)|\bonly \d+ (?:left|remaining|in stock)|\bfew left\b"
    r"|\bships (?:in|within|today|tomorrow|from)\b|usually (?:ships|dispatched)|ready to ship"
    r"|\bauf lager\b|sofort (?:lieferbar|verfügbar|versandfertig)|\bvorrätig\b|^lieferbar"
    r"|^verfügbar"
    r"|nur noch \d+|lieferzeit:? (?:ca\.? )?\d|\ben stock\b|disponible\b|plus que \d+"
    r"|expédié sous|en existencia|quedan? \d+|\bdisponibile\b|disponibilità immediata"
    r"|dispon[íi]vel\b|(?:em|in) (?:estoque|stock)\b|op voorraad|\bleverbaar\b|(?:finns )?i lager"
    r"|på lager|varastossa|\bdostępny|na stanie|w magazynie|\bskladem\b|\bskladom\b|na sklade"
    r"|raktáron|készleten|\bîn stoc\b|\bin stoc\b|stokta\b|в наличии|есть на складе|в наявності"
    r"|在庫あり|有货|有貨|现货|現貨|재고 있음|διαθέσιμο|άμεσα διαθέσιμ|متوفر|متاح|còn hàng|tersedia"
    r"|พร้อมส่ง|במלאי",
    re.IGNORECASE,
)
#: Names of elements of states that a script shows or hides, and of choices with states of theirs.
_BADGE = re.compile(r"badge|(?<!stock-)label|swatch|variant|option|tooltip|hidden", re.IGNORECASE)
_CHOICES = frozenset(("label", "option", "select"))
_BUTTON_NAMES = re.compile(r"(?:^|[\s_-])(?:btn|button|cart|atc|buy)", re.IGNORECASE)
_BUTTON_TYPES = frozenset(("submit", "button", "image"))
_MAX_NAMES = 200
#: Elements around a text whose names are read, itself among them.
_MAX_NAMED_AROUND = 2
_DISABLED_CLASSES = frozenset(("disabled", "is-disabled", "btn-disabled", "button-disabled"))
#: What controls for a choice are called that are written in other elements, and what stands beside.
_CHOICE_ROLES = frozenset(("radio", "radiogroup", "listbox", "option", "combobox"))
_CHOOSE = re.compile(
    r"\s*+(?:please |bitte )?(?:choose|select|pick|wähle|auswählen|choisi|sélectionn|elige|elegir"
    r"|seleccion|scegli|selezion|escolh|selecion|kies|välj|velg|vælg|valitse|wybierz|vyber|zvol"
    r"|válass|alege|selecta|выберите|оберіть|виберіть|επιλέξτε|seçin|选择|選択|選んで|请选|옵션|선택|اختر)",
    re.IGNORECASE,
)
#: Elements around a button in which a choice of a size or a colour is looked for.
_MAX_AROUND_BUTTON = 5


@dataclass(frozen=True)
class Button:
    """A button: its leaf, its text, its element, and whether it is enabled."""

    leaf: int
    text: str
    element: Element
    is_enabled: bool


@dataclass(frozen=True)
class Availability:
    """``state``: the name that schema.org has for the availability that a page shows; ``""`` if it
    shows none.  ``has_closed_cart``: whether the page has buttons that put the product into the
    cart, and all are disabled."""

    state: str
    has_closed_cart: bool = False


def find_availability(
    outline: Outline,
    name_at: int,
    price_at: int,
    is_aside: Sequence[bool],
) -> Availability:
    """The availability that a page shows.

    ``name_at`` and ``price_at``: the leaves of the product's name and price, -1 without.
    ``is_aside``: which nodes are about other products.

    An enabled button that puts the product into the cart counts more than words, since many pages
    have the badge "Sold out" and hide it; else words near name, price and button count: that it is
    not available more than that it is.  Cost: linear in the size of the page.
    """
    start = max(name_at, 0)
    buttons = _find_buttons(outline, is_aside)
    near_buttons = [
        button
        for button in buttons
        if -BUTTON_LEAVES_BEFORE <= button.leaf - start <= MAX_BUTTON_DISTANCE
    ]
    has_cart = False
    has_sold_out = False
    closed_carts = []
    for button in near_buttons:
        if _PREORDER.search(button.text) and button.is_enabled:
            return Availability("PreOrder")
        if _OUT.compiled.search(button.text):
            has_sold_out = True
        elif _CART.compiled.search(button.text):
            has_cart |= button.is_enabled
            if not button.is_enabled:
                closed_carts.append(button)

    state = _find_words(outline, _places(near_buttons, name_at, price_at), is_aside)
    if has_cart:
        return Availability(state if state in ("PreOrder", "BackOrder") else "InStock")
    if has_sold_out:
        return Availability("OutOfStock", bool(closed_carts))
    if closed_carts and not state and not _wait_for_choice(closed_carts):
        state = "OutOfStock"
    return Availability(state, bool(closed_carts))


def _wait_for_choice(buttons: Sequence[Button]) -> bool:
    """Whether something must be chosen before one of the buttons can be used: its form, or an
    element close around it, has a control or a text that asks for that."""
    # Many buttons are in one element, which is looked at once.
    surroundings = dict.fromkeys(_form_around(button.element) for button in buttons)
    return any(map(_asks_to_choose, surroundings))


def _form_around(element: Element) -> Element:
    around = element
    for ancestor in islice(element.iterancestors(), _MAX_AROUND_BUTTON):
        if ancestor.tag == "body":
            break
        around = ancestor
        if ancestor.tag == "form":
            break
    return around


def _asks_to_choose(around: Element) -> bool:
    for element in around.iter("*"):
        if element.tag == "select" or element.get("type") == "radio":
            return True
        if element.get("role") in _CHOICE_ROLES or element.get("aria-pressed") is not None:
            return True
        texts = (element.text, element.tail if element is not around else None)
        for text in filter(None, texts):
            if _CHOOSE.match(text[:MAX_STATE_LENGTH]):
                return True
    return False


def count_carts(outline: Outline, is_aside: Sequence[bool]) -> int:
    """The number of buttons that put a product of the page into the cart."""
    return sum(
        bool(_CART.compiled.search(button.text)) for button in _find_buttons(outline, is_aside)
    )


def _places(
    buttons: Sequence[Button],
    name_at: int,
    price_at: int,
) -> list[tuple[int, int]]:
    """The ranges of leaves in which words about the availability are looked for."""
    cart_places = [button.leaf for button in buttons if _CART.compiled.search(button.text)]
    places = []
    for place in (name_at, price_at, *cart_places[:1]):
        if place >= 0:
            places.append((place - LEAVES_BEFORE, place + LEAVES_AFTER))
    return places


def _find_buttons(
    outline: Outline,
    is_aside: Sequence[bool],
) -> list[Button]:
    """The buttons of the page."""
    buttons = []
    for index, node in enumerate(outline.nodes):
        if is_aside[index] or not _is_button(node.tag, node.element):
            continue
        if node.last - node.first > 6:
            continue
        text = outline.line(index)
        if not text:
            values = [node.element.get(name) or "" for name in ("value", "aria-label", "title")]
            text = next(filter(None, values), "")
        if 0 < len(text) <= MAX_BUTTON_LENGTH:
            is_enabled = _is_enabled(node.element)
            buttons.append(Button(node.first, text.strip(), node.element, is_enabled))
    return buttons


def _is_button(tag: str, element: Element) -> bool:
    if tag == "button":
        return True
    if tag == "input":
        return (element.get("type") or "").lower() in _BUTTON_TYPES
    if tag not in ("a", "div", "span"):
        return False
    if element.get("role") == "button":
        return True
    return _BUTTON_NAMES.search(class_and_id(element, _MAX_NAMES)) is not None


def _is_enabled(element: Element) -> bool:
    if element.get("disabled") is not None or element.get("aria-disabled") == "true":
        return False
    classes = (element.get("class") or "")[:_MAX_NAMES].lower()
    return _DISABLED_CLASSES.isdisjoint(classes.split())


def _find_words(
    outline: Outline,
    places: Sequence[tuple[int, int]],
    is_aside: Sequence[bool],
) -> str:
    states = set()
    for number in _leaves_in(places, len(outline.leaves)):
        leaf = outline.leaves[number]
        if is_aside[leaf.node] or len(leaf.text) > MAX_STATE_LENGTH:
            continue
        if _is_of_choice(outline, leaf.node):
            continue
        text = outline.lines[number]
        if _WAIT.compiled.search(text) and _tells_wait(_line_around(outline, number)):
            states.add("BackOrder")
        elif _OUT.compiled.search(text):
            states.add("OutOfStock")
        elif _PREORDER.search(text):
            states.add("PreOrder")
        elif _BACK.search(text):
            states.add("BackOrder")
        elif _IN.compiled.search(text):
            states.add("InStock")
    for state in ("OutOfStock", "PreOrder", "BackOrder", "InStock"):
        if state in states:
            return state
    return ""


def _line_around(outline: Outline, number: int) -> str:
    """The text of the block with a leaf, if that is short; else that of the leaf."""
    block = outline.nodes[outline.blocks[outline.leaves[number].node]]
    if block.last - block.first > MAX_LEAVES_OF_LINE:
        return outline.lines[number]
    line = " ".join(outline.lines[block.first : block.last])
    return line if len(line) <= MAX_STATE_LENGTH else outline.lines[number]


def _tells_wait(text: str) -> bool:
    """Whether a text says that the product can be had in some weeks.

    >>> _tells_wait("Not in stock, available in 3 weeks"), _tells_wait("Sold out for 3 weeks")
    (True, False)
    >>> _tells_wait("Extended warranty available: 24 months")
    False
    """
    for clause in _CLAUSE_ENDS.split(text):
        if not _WAIT.compiled.search(clause) or not _ORDERABLE.compiled.search(clause):
            continue
        if not _OUT.compiled.search(clause) and not _OTHER_TIME.compiled.search(clause):
            return True
    return False


def _leaves_in(places: Sequence[tuple[int, int]], count: int) -> list[int]:
    numbers: set[int] = set()
    for first, last in places:
        numbers.update(range(max(first, 0), min(last, count)))
    return sorted(numbers)


def _is_of_choice(outline: Outline, index: int) -> bool:
    """Whether a text is a badge, or the label of one of several choices."""
    for number, ancestor in enumerate(outline.path(index)):
        node = outline.nodes[ancestor]
        if node.tag in _CHOICES:
            return True
        if number >= _MAX_NAMED_AROUND:
            return False
        if _BADGE.search(class_and_id(node.element, _MAX_NAMES)):
            return True
    return False
