"""Pages that a server sends instead of the page that was asked for: challenges of bot protection,
consent walls, and notices that scripts have to be switched on.

They come with status 200, and all pages of a site can be answered with the same one.  A page is
taken for one only by two kinds of evidence, and only if it has little text and declares no article:
an article about these services has another title, and more text.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from forest_scrapy.core.boilerplate.wordings import (
    Wordings,
    plain,
    sentences_of,
    share_of_wording,
)
from forest_scrapy.core.page.columns import read_long_texts
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text, line_text
from forest_scrapy.core.page.tree import IGNORED, Element, find_texts

# These constants are not tuned.
#: Words of the longest challenge and of the longest consent wall.
_MAX_CHALLENGE_WORDS = 160
_MAX_WALL_WORDS = 600
#: Characters of the long texts of the longest wall.
_MAX_CHARACTERS = 4_000
#: The texts of a page that are sentences, as far as that can be told cheaply.
_LONG_TEXTS = (
    "//text()[string-length(.) > 40][not(parent::script or parent::style or parent::noscript)]"
)
#: The share of the words that are in sentences which tell what the page is: of a challenge whose
#: title does not, of a consent wall, and of a notice.
_MIN_CHALLENGE_SHARE = 0.3
_MIN_WALL_SHARE = 0.6
_MIN_NOTICE_SHARE = 0.5
#: Words of the longest notice, and less than the characters of the shortest.
_MAX_NOTICE_WORDS = 60
_MIN_NOTICE_LENGTH = 4
#: Characters in the links of a page that has nothing but a notice.
_MAX_MENU = 500
#: Characters of the start of a text whose words are counted first.
_NOTICE_START = 1_000
#: Characters of a script or attribute that are read, and of a title.
_SCRIPT_START = 2_000
_MAX_TITLE = 120
#: Scripts, forms and buttons that are looked at.
_MAX_ELEMENTS = 200

#: Whole titles and headings of challenges.
_CHALLENGE_TITLES = Wordings(r"""
    just a moment
    please wait
    one moment,? please
    one more step
    attention required.{0,20}
    access (to this page has been )?denied.{0,30}
    pardon our interruption
    ddos[- ]guard
    ddos protection.{0,30}
    security (check|checkpoint|verification)
    vercel security checkpoint
    (checking|verifying) your browser.{0,40}
    verify(ing)? (that )?you are human.{0,30}
    human verification
    (are|confirm) you( are)? (a )?(human|robot|not a robot)\??
    robot or human\??
    bot (verification|check)
    captcha
    making sure you're not a bot
    (sorry, )?you have been blocked
    request (blocked|unsuccessful)
    client challenge
    challenge validation
    (403 )?forbidden
    error( \d+)?
    blocked
    un momento.{0,20}
    un instant.{0,20}
    (nur )?einen moment.{0,20}
    um momento.{0,20}
    een moment.{0,20}
    один момент.{0,20}
    请稍候
    请稍等
    安全验证
    しばらくお待ちください
    zugriff verweigert
    accès refusé
    acceso denegado
    sicherheitsüberprüfung
    vérification de sécurité
""")
#: Sentences of challenges, which tell the visitor what the server does or wants.
_CHALLENGE_WORDING = Wordings(r"""
    checking (if the site connection is secure|your browser)
    (needs to|must) review the security of your connection
    verif(y|ying|ies) (that )?you are (a |not a )?(human|bot|robot)
    (confirm|prove) (that )?you(r'|'| a)re (a )?human
    press (&|and) hold
    enable javascript and cookies to continue
    please enable (js|javascript) and disable any ad ?blocker
    complete the (security check|captcha)
    you don't have permission to access
    access to this page has been denied
    you have been blocked
    your request has been blocked
    incapsula incident
    unusual (traffic|activity) from your
    something about your browser made us think
    (think|believe|suspect) (that )?you('re| are| may be| might be) an? (ro)?bot
    \bray id\b
    (performance|security) by cloudflare
    using a security service
    security verification (is )?(in progress|required)
    protected by anubis
    ddos protection by
    browser (wird )?(überprüft|geprüft)
    bestätigen sie,? dass sie (ein mensch|kein roboter)
    vérifi\w{1,9} que vous êtes (un )?(humain|pas un robot)
    verifi\w{1,9} que (usted )?(es|eres) (un )?humano
    проверяем (ваш )?браузер
    подтвердите,? что вы (не робот|человек)
    正在(检查|验证)
    请完成(安全)?验证
    確認您是真人
    ロボットではない
""")
#: What the scripts, attributes and addresses of challenges have.
_CHALLENGE_MARKS = Wordings(r"""
    _cf_chl_
    cf_chl_
    challenge-platform/\S{0,40}/orchestrate
    challenges\.cloudflare\.com(?!/turnstile)
    cf-browser-verification
    challenge-form
    cf-error-details
    captcha-delivery\.com
    _incapsula_resource
    px-captcha
    _pxappid
    awswafintegration
    awswafcookie
    gokuprops
    kpsdk
    sgcaptcha
    errors\.edgesuite\.net
    ddos-guard
    sucuri_cloudproxy
    anubis_challenge
    _sec/cp_challenge
    sec-if-cpt
    distil_r_captcha
    x-vercel-challenge
    geetest
""")
#: The same of widgets that sites also have in forms for comments or messages.
_WIDGET_MARKS = Wordings(r"""
    challenges\.cloudflare\.com/turnstile
    cf-turnstile
    hcaptcha\.com
    recaptcha/(api|enterprise)
    g-recaptcha
    h-captcha
""")
#: What each of these marks has, in lower case.
_PARTS_OF_MARKS = (
    "challenge", "captcha", "turnstile", "cf_chl_", "cf-", "incapsula", "_pxappid", "awswaf",
    "gokuprops", "kpsdk", "edgesuite", "ddos-guard", "sucuri", "sec-if-cpt", "geetest",
)  # fmt: skip

#: Whole titles and headings of consent walls.
_WALL_TITLES = Wordings(r"""
    before you continue( to .{1,40})?
    .{1,30} (values?|respects?|cares? about) your privacy
    your privacy( choices| matters| is important to us)?
    privacy (settings|preferences|notice)
    cookies?( consent| settings| preferences)?
    (manage )?(cookies|consent)
    wir (respektieren|schätzen) ihre privatsphäre
    ihre (privatsphäre|datenschutz).{0,40}
    (datenschutz|cookie)-?einstellungen
    (weiter|lesen) mit (werbung|cookies).{0,40}
    bevor sie (zu .{1,40} )?(weiter|fortfahren).{0,20}
    (nous respectons )?votre (vie privée|confidentialité).{0,60}
    avant d'accéder à .{1,40}
    valoramos (tu|su) privacidad
    antes de (continuar|ir).{0,40}
    (su|tu|sua) (privacidad|privacidade).{0,40}
    (rispettiamo )?la (tua|vostra) privacy.{0,40}
    prima di continuare.{0,40}
    valorizamos (a )?sua privacidade
    (wij|we) (waarderen|respecteren) (je|uw) privacy
    voordat (je|u) verdergaat.{0,40}
    cenimy (twoją )?prywatność.{0,40}
    vi (värnar om|respekterar|værdsætter|verdsetter) (din|ditt) .{1,30}
""")
#: What sentences of consent walls speak of.
_WALL_WORDING = Wordings(r"""
    cookie
    consent
    privacy
    personal data
    partners?\b
    advertis
    geolocation
    identifiers?\b
    store and/or access
    einwillig
    zustimm
    personenbezogen
    datenschutz
    werbung
    données personnelles
    publicité
    confidentialité
    datos personales
    publicidad
    privacidad
    dati personali
    pubblicità
    dados pessoais
    publicidade
    privacidade
    persoonsgegevens
    toestemming
    personuppgift
    samtyck
    personoplysning
    personopplysning
    samtykke
    dan(e|ych) osobow
    zgod[aęy]
    同意
    隐私
""")
#: What the buttons of consent walls say.
_WALL_BUTTONS = Wordings(r"""
    (i )?(accept|agree|allow|consent)( (all|and|to|cookies|&).{0,40})?
    reject( all.{0,20})?
    (alles? )?(akzeptieren|zustimmen|annehmen|ablehnen).{0,40}
    (alle )?cookies (akzeptieren|zulassen)
    (tout )?(accepter|refuser).{0,30}
    j'accepte
    aceptar.{0,30}
    rechazar.{0,30}
    accett[ao].{0,30}
    rifiuta.{0,30}
    aceitar.{0,30}
    (alles )?accepteren.{0,30}
    akkoord.{0,30}
    godkänn.{0,30}
    acceptera.{0,30}
    godta.{0,30}
    zgadzam się.{0,30}
    akceptuj.{0,30}
    принять.{0,20}
    同意.{0,10}
""")

#: Sentences that a page shows without scripts, or to a browser that it does not know.
_NOTICE_WORDING = Wordings(r"""
    (enable|activate|turn on|switch on|allow|without) (your )?(java ?script|js|cookies)\b
    (requires?|needs?|supports?) (java ?script|cookies)\b
    java ?script (is|seems to be|must be|has been|needs to be) (disabled|enabled|required)
    java ?script (is|seems to be|has been|must be) (turned|switched|not) \w+
    ^java ?script (required|disabled)$
    (java ?script|cookies) aktivieren
    aktivieren sie (bitte )?(java ?script|cookies)
    java ?script (ist )?deaktiviert
    activ(er|ez) (le )?java ?script
    (habilit|activ)(ar|e|a) (el )?java ?script
    abilit(are|a) java ?script
    ativ(ar|e) o java ?script
    schakel java ?script in
    aktiver(a)? java ?script
    włącz(yć)? (obsługę )?java ?script
    включите java ?script
    启用 ?java ?script
    java ?scriptを有効
    browser (version )?is (no longer supported|out of date|outdated|not supported|unsupported)
""")
#: What every one of these sentences has.
_NOTICE_WORDS = ("java", "js", "cookies", "browser")
_ENDS = " \t\n\u2026\u3002.!-|:"


#: The names of the notes on a page.
_NOTE = "is_challenge"
_BLOCKED_NOTE = "is_blocked"


def is_blocked(page: Page) -> bool:
    """Whether a page is a challenge or a consent wall, see ``is_challenge``, or has nothing but a
    notice that scripts, cookies or another browser are needed: beside it only the links of a menu.
    No other page is needed to tell.  The answer is kept with the page.

    >>> is_blocked(Page.from_html("<h1>Boats</h1><p>You need to enable JavaScript to run this."))
    True
    >>> html = "<div id=app></div><script src=/a.js></script><noscript>Please enable JavaScript"
    >>> is_blocked(Page.from_html(html))
    True
    """
    if _BLOCKED_NOTE not in page.notes:
        is_clearly_article = page.declared.is_shared_as_article or _has_long_paragraphs(page)
        page.notes[_BLOCKED_NOTE] = not is_clearly_article and (
            is_challenge(page) or _has_only_notice(page)
        )
    return bool(page.notes[_BLOCKED_NOTE])


def note_unblocked(page: Page) -> None:
    """Keep with a page that it is not blocked, which is known from when it was placed.

    >>> page = Page.from_html("<title>Just a moment...</title><p>Checking your browser")
    >>> note_unblocked(page)
    >>> is_blocked(page)
    False
    """
    page.notes[_BLOCKED_NOTE] = False


def _has_only_notice(page: Page) -> bool:
    if not _may_have_notice(page) or page.declared.is_article or page.declared.body:
        return False
    texts, links = _texts_beside_links(page)
    if links > _MAX_MENU or len(texts) > _MAX_NOTICE_WORDS:
        return False
    if is_notice("\n".join(texts)):
        return True
    # A picture may be what the page is about, and the notice that of its comments.
    notices = _notices_of(page)
    if _has_picture(page) or not notices:
        return False
    from forest_scrapy.core.page.rendered import is_shell  # few pages have such notices

    if not is_shell(page):
        return False
    return is_notice("\n".join((*texts, *notices)))


def _may_have_notice(page: Page) -> bool:
    """Whether a text of the page has the wording of a notice, or the page has texts for browsers
    without scripts and no picture.  Most pages have neither, and need no outline to tell."""
    texts = [text for _, text in read_long_texts(page.root, IGNORED, _MIN_NOTICE_LENGTH)]
    for line in _find_lines_with_words("\n".join(texts)):
        if any(map(_NOTICE_WORDING.search, sentences_of(line))):
            return True
    has_texts_without_scripts = next(page.root.iter("noscript"), None) is not None
    return has_texts_without_scripts and not _has_picture(page)


def _find_lines_with_words(text: str) -> Iterator[str]:
    """The lines with a word of notices, in lower case.  Cost: a search for each of the words."""
    lower_text = text.lower()
    for word in _NOTICE_WORDS:
        place = lower_text.find(word)
        while place >= 0:
            start = lower_text.rfind("\n", 0, place) + 1
            end = lower_text.find("\n", place)
            if end < 0:
                end = len(lower_text)
            yield lower_text[start:end]
            place = lower_text.find(word, end)


def _has_notice_words(text: str) -> bool:
    lower_text = text.lower()
    return any(word in lower_text for word in _NOTICE_WORDS)


def _has_picture(page: Page) -> bool:
    return next(page.root.iter("img"), None) is not None


def _texts_beside_links(page: Page) -> tuple[list[str], int]:
    """The texts outside of links, up to more than a notice has, and the characters in links."""
    in_link = page.outline.inside(("a",))
    texts = []
    links = 0
    for leaf in page.outline.leaves:
        text = leaf.text.strip()
        if in_link[leaf.node]:
            links += len(text)
        elif text:
            texts.append(text)
        if links > _MAX_MENU or len(texts) > _MAX_NOTICE_WORDS:
            break
    return texts, links


def is_challenge(page: Page) -> bool:
    """Whether a page is a challenge of bot protection or a consent wall, not what its address
    stands for.

    A challenge has two of three signs: its title or a heading; a sentence of it; and the marks of
    its scripts.  A wall has a title, mostly sentences on consent, and a button to accept.
    Cost: one search for long texts; for pages with few of them, the outline and a search in their
    scripts.  The answer is kept with the page.

    >>> is_challenge(Page.from_html("<title>Just a moment...</title><p>Checking your browser"))
    True
    >>> is_challenge(Page.from_html("<title>Just a moment</title><p>A story of a short pause"))
    False
    """
    if _NOTE not in page.notes:
        page.notes[_NOTE] = not _has_long_paragraphs(page) and _looks_like_challenge(page)
    return bool(page.notes[_NOTE])


def _looks_like_challenge(page: Page) -> bool:
    """Whether a page has the signs of a challenge or of a consent wall."""
    titles = _titles_of(page)
    has_title = any(map(_CHALLENGE_TITLES.fullmatch, titles))
    has_wall_title = any(map(_WALL_TITLES.fullmatch, titles))
    has_title_or_marks = has_title or has_wall_title or _has_marks(page)
    if not has_title_or_marks:  # most pages; what follows takes longer
        return False
    if page.declared.is_article or _has_much_text(page):
        return False

    texts = _texts_of(page)
    words = sum(len(split_words(text)) for text in texts)
    if words <= _MAX_CHALLENGE_WORDS and _has_challenge(page, has_title, texts):
        return True
    if not has_wall_title or words > _MAX_WALL_WORDS:
        return False
    return _has_consent(page, texts)


def is_notice(text: str) -> bool:
    """Whether a text is nothing but a notice that scripts, cookies or another browser are needed.

    >>> is_notice("You need to enable JavaScript to run this app.")
    True
    >>> is_notice("Nine of ten job offers ask for JavaScript. Other languages follow far behind.")
    False
    """
    if not _has_notice_words(text):  # most texts
        return False
    start = text[:_NOTICE_START]
    if len(split_words(start)) > _MAX_NOTICE_WORDS:  # long texts
        return False
    if len(split_words(text)) > _MAX_NOTICE_WORDS:
        return False
    return share_of_wording(_NOTICE_WORDING, text) > _MIN_NOTICE_SHARE


def _has_long_paragraphs(page: Page) -> bool:
    """Whether the paragraphs of a page have more text than a wall, as those of most articles."""
    characters = 0
    for paragraph in page.root.iter("p"):
        characters += len(paragraph.text or "")
        if characters > _MAX_CHARACTERS:
            return True
    return False


def _has_much_text(page: Page) -> bool:
    """Whether a page has more text than a wall, as far as that can be told without its outline."""
    long_texts = find_texts(_LONG_TEXTS, page.root)
    return sum(map(len, long_texts)) > _MAX_CHARACTERS


def _texts_of(page: Page) -> list[str]:
    """The texts of a page, up to one more than a wall may have words."""
    texts: list[str] = []
    words = 0
    for leaf in page.outline.leaves:
        texts.append(leaf.text)
        words += len(split_words(leaf.text))
        if words > _MAX_WALL_WORDS:
            break
    return texts


def _titles_of(page: Page) -> list[str]:
    headings = islice(page.root.iter("h1", "h2"), _MAX_ELEMENTS)
    titles = []
    for title in (*page.declared.titles, *map(line_text, headings)):
        if len(title) <= _MAX_TITLE:
            titles.append(plain(title).strip(_ENDS))
    return titles


def _has_challenge(page: Page, has_title: bool, texts: list[str]) -> bool:
    """Whether a page has two of the three signs of a challenge.  A widget, which forms have, too,
    is one only beside a sentence."""
    whole_text = "\n".join((*texts, *_notices_of(page)))
    share = share_of_wording(_CHALLENGE_WORDING, whole_text)
    if has_title:
        return share > 0 or _has_marks(page, (_CHALLENGE_MARKS,))
    return share >= _MIN_CHALLENGE_SHARE and _has_marks(page)


def _notices_of(page: Page) -> list[str]:
    """The texts that a page shows without scripts."""
    notices = islice(page.root.iter("noscript"), _MAX_ELEMENTS)
    return ["".join(notice.itertext())[:_SCRIPT_START] for notice in notices]


def _has_marks(
    page: Page,
    tables: Sequence[Wordings] = (_CHALLENGE_MARKS, _WIDGET_MARKS),
) -> bool:
    """Whether scripts, forms or attributes of a page have a mark of one of the tables."""
    elements = islice(page.root.iter("script", "form", "iframe", "div", "input"), _MAX_ELEMENTS)
    values: list[str] = []
    for element in elements:
        values += [value[:_SCRIPT_START] for value in element.attrib.values()]
        if element.tag == "script":
            script = element.text or ""
            values.append(script[:_SCRIPT_START])

    if not _has_part_of_mark("\n".join(values)):
        return False
    suspicious_values = list(filter(_has_part_of_mark, values))
    return any(table.search(value) for table in tables for value in suspicious_values)


def _has_part_of_mark(value: str) -> bool:
    """Whether a value may have a mark, which is faster to tell than by the expressions."""
    lower_value = value.lower()
    return any(part in lower_value for part in _PARTS_OF_MARKS)


def _has_consent(page: Page, texts: list[str]) -> bool:
    """Whether a page has a button to accept, and mostly sentences on consent."""
    buttons = islice(page.root.iter("button", "a", "input"), _MAX_ELEMENTS)
    labels = map(_label_of, buttons)
    if not any(map(_WALL_BUTTONS.fullmatch, labels)):
        return False
    return share_of_wording(_WALL_WORDING, "\n".join(texts)) >= _MIN_WALL_SHARE


def _label_of(button: Element) -> str:
    """What a button says."""
    text = block_text(button) or button.get("value") or ""
    return plain(text)[:_MAX_TITLE]
