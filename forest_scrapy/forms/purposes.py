"""The purpose of a form, by what its request would say: the types and names of its controls, its
labels, its button, its hidden values, and where it leads.

A form is one for searching only if something says so, and nothing says otherwise: whatever cannot
be told is ``other``, and is sent only if a person names it.  Words count as whole words, so that
"para" has no "ara"; those of languages without spaces anywhere in a text.
"""

# ruff: noqa: RUF001 (words in many alphabets)
from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote, urlsplit

#: Text fields of a form that is evidently for searching, at most: longer forms are filled in to
#: register or to order.
MAX_TEXTS = 8
#: Characters of a text that are read for words.
MAX_TEXT_LENGTH = 500
#: Characters of the longest hidden value that is read as words.
MAX_VALUE_LENGTH = 40

#: Words of searching.  ``*``: any ending.  German, Dutch and the Scandinavian languages join words,
#: so the ends of words are named, too (``*`` before them), and the words that only look like these.
_SEARCH = """
    search* searching find finder finden findet lookup look_up query queries browse filter explore
    catalog catalogue suche suchen suchbegriff* suchwort* suchwörter sucht_nach suchmaske
    suchformular suchfeld durchsuche* durchsuchen volltext* stichwort* schlagwort* nachschlagen
    *suche *suchen katalog rechercher recherche* cherche chercher cherchez trouver trouvez trouve
    mot_clé mots_clés motcle* buscar busca buscas buscador búsqueda* busqueda* encontrar encuentra
    palabra_clave palabras_clave catálogo consulta consultar cerca cercare ricerca* trova trovare
    parola_chiave parole_chiave catalogo pesquisa* pesquisar procurar procura localizar
    palavra_chave palavras_chave zoek zoeken zoekterm* zoekwoord* zoekopdracht vind vinden
    trefwoord* opzoeken doorzoek* *zoeken szukaj szukać wyszuk* znajdź znajdz szukana szukane sök
    söka sökord sökning søg søge søgning søk søke søkeord hitta finn hledat hledej hledání vyhled*
    najít nájsť ara arama aranan bul haku hae etsi keres keresés căutare caută cauta поиск искать
    найти поиска пошук знайти търсене претрага αναζήτηση بحث ابحث البحث جستجو חיפוש חפש
"""
#: Words that end as those of searching do, and are none.
_NOT_SEARCH = frozenset(
    "besuche besuchen versuche versuchen ersuche ersuchen untersuche untersuchen heimsuche"
    " aussuchen verzoeken bezoeken onderzoeken".split()
)
#: Words of searching in scripts without spaces between words.
_SEARCH_PARTS = ("検索", "探す", "搜索", "搜尋", "查询", "查詢", "查找", "검색", "ค้นหา", "खोज")
#: Names of controls that take what is searched for, without what is between their words.
_SEARCH_NAMES = frozenset(
    "q qs query querystring s search searchfor searchtext searchquery searchstring searchword"
    " searchwords searchterm searchterms searchbox searchkey keys keyword keywords kw kwd keyw term"
    " terms lookfor wd words fulltext freetext fieldkeywords find filter suche suchwort suchbegriff"
    " suchtext stichwort swords recherche motcle motscles mots busca buscar busqueda palabra"
    " palabraclave palavrachave pesquisa ricerca cerca parola zoek zoekterm zoekwoord trefwoord"
    " szukaj fraza sok sokord søk søg hledat hledej aranan ara sorgu поиск текст".split()
)
#: What a path has that shows what was searched for, besides the words of searching.
_RESULTS = """
    result results ergebnis ergebnisse résultat résultats resultado resultados risultato risultati
    resultaat resultaten wyniki treffer listing listings s opac serp
"""

#: What forms do that are no searches: words that say so wherever they are, and words that say so
#: unless the same text has one of searching, as in "Search the comments".
_HARM: dict[str, tuple[str, str]] = {
    "deletion": (
        """
        delete deletes deleting deletion remove removes removal erase purge wipe destroy discard
        truncate revoke cancel deactivate unpublish clear_all
        löschen lösche loeschen gelöscht löschung entfernen vernichten stornieren kündigen kündigung
        supprimer supprime supprimez suppression effacer annuler retirer détruire résilier
        eliminar elimina eliminación borrar borra suprimir anular cancelar
        eliminare elimina cancella cancellare cancellazione rimuovere rimuovi
        apagar excluir exclui exclusão remover remove anular
        verwijder verwijderen wissen annuleren opzeggen
        usuń usun usunąć skasuj kasuj anuluj
        radera ta_bort slet slett fjern smazat smaž odstranit sil silmek kaldır iptal
        удалить удаление стереть отменить видалити
        """,
        "",
    ),
    "logout": (
        """
        logout log_out logoff log_off signout sign_out end_session
        abmelden abmeldung ausloggen déconnexion déconnecter se_déconnecter
        cerrar_sesión salir desconectar esci disconnetti uscire sair terminar_sessão
        uitloggen afmelden wyloguj wyloguj_się logga_ut log_ud logg_ut odhlásit çıkış oturumu_kapat
        выйти выход
        """,
        "",
    ),
    "payment": (
        """
        pay pay_now checkout check_out donate transfer_money send_money withdraw withdrawal
        deposit refund credit_card creditcard debit_card cvv cvc iban bic swift topup
        bezahlen zahlen jetzt_zahlen überweisen ueberweisen spenden kreditkarte kontonummer abheben
        einzahlen auszahlen zahlungspflichtig
        payer payez virer effectuer_un_virement faire_un_don carte_bancaire carte_de_crédit
        pagar transferir donar tarjeta_de_crédito ingresar_dinero
        paga pagare bonifico trasferisci trasferire donare carta_di_credito versa versare
        doar cartão_de_crédito depositar
        betaal betalen overmaken overschrijven doneren doneer creditcard
        zapłać zapłacić przelej wpłać przelew karta_kredytowa
        betala överför betal overfør zaplatit převést ödeme_yap gönder para_gönder havale
        оплатить перевести заплатить сплатити
        """,
        """
        payment payments donation donations transfer transfers cart basket wallet billing
        zahlung überweisung spende warenkorb paiement virement panier pago pagos transferencia
        donación cesta carrito pagamento pagamenti trasferimento donazione carrello pagamentos
        transferência doação carrinho betaling overschrijving donatie winkelwagen płatność koszyk
        оплата перевод корзина sepet
        """,
    ),
    "order": (
        """
        order_now place_order buy buy_now purchase book_now reserve add_to_cart addtocart
        add_to_basket preorder subscribe_now bestellen bestelle jetzt_bestellen kaufen kaufe
        jetzt_kaufen buchen reservieren in_den_warenkorb zahlungspflichtig_bestellen commander
        commandez acheter achetez réserver réservez ajouter_au_panier comprar compra pedir encargar
        realizar_pedido hacer_pedido reservar añadir_al_carrito acquista acquistare ordina ordinare
        prenota prenotare compra comprare aggiungi_al_carrello encomendar adicionar_ao_carrinho
        bestel bestellen koop kopen nu_kopen reserveren kup kup_teraz zamów zamówić zarezerwuj
        dodaj_do_koszyka köp köpa beställ køb kjøp bestil koupit objednat satın_al sipariş_ver
        купить заказать забронировать замовити
        """,
        """
        order orders booking bookings reservation reservations bestellung bestellungen kauf buchung
        commande commandes achat réservation pedido pedidos reserva ordine ordini acquisto
        prenotazione encomenda encomendas bestelling bestellingen zamówienie заказ sipariş
        """,
    ),
    "vote": (
        """
        vote upvote downvote cast_vote rate_this abstimmen stimme_abgeben wählen
        voter votez votar vota votare stemmen głosuj zagłosuj zagłosować rösta hlasovat
        oy_ver голосовать проголосовать
        """,
        """
        votes voting poll polls ballot survey abstimmung umfrage sondage scrutin votación encuesta
        votazione sondaggio votação enquete stemming peiling głosowanie ankieta голосование anket
        """,
    ),
    "control": (
        """
        shutdown shut_down reboot restart poweroff power_off reset_to_factory factory_reset
        stop_server kill halt execute exec run_command format_disk install uninstall upgrade deploy
        flush herunterfahren neustarten neu_starten ausschalten abschalten zurücksetzen éteindre
        arrêter redémarrer réinitialiser apagar reiniciar restablecer spegni spegnere arresta
        riavvia riavviare ripristina desligar encerrar afsluiten uitschakelen herstarten opnieuw
        opstarten wyłącz uruchom_ponownie zrestartuj stäng_av starta_om vypnout restartovat kapat
        yeniden_başlat выключить перезагрузить отключить
        """,
        "",
    ),
    "login": (
        """
        login log_in signin sign_in logon log_on single_sign_on
        anmelden einloggen anmeldung connexion se_connecter connectez_vous identifiez_vous
        iniciar_sesión inicia_sesión inicio_de_sesión identificarse entrar acceder
        accedi accedere iniciar_sessão fazer_login
        inloggen aanmelden zaloguj zaloguj_się logowanie logga_in log_ind logg_inn přihlásit
        giriş_yap oturum_aç войти вход увійти
        """,
        "",
    ),
    "registration": (
        """
        signup sign_up create_account create_an_account join_now enrol enroll register_now
        registrieren registriere konto_erstellen konto_anlegen
        inscrire s_inscrire inscrivez inscription créer_un_compte
        registrarse regístrate registrar crear_cuenta crear_una_cuenta inscribirse
        registrati registrarsi iscriviti iscriversi crea_account
        registe_se cadastrar cadastre_se cadastro criar_conta inscrever_se
        registreren registreer account_aanmaken inschrijven
        zarejestruj zarejestruj_się załóż_konto rejestracja
        registrera skapa_konto opret_konto opprett_konto registrovat kayıt_ol üye_ol
        зарегистрироваться регистрация
        """,
        "register registration registrierung registro registrazione registratie",
    ),
    "newsletter": (
        """
        subscribe unsubscribe mailing_list abonnieren abbestellen newsletter_bestellen
        abonner s_abonner abonnez désabonner suscribirse suscríbete suscribir abonarse
        abbonati abbonarsi iscriviti_alla_newsletter
        subscrever assinar assine inscrever
        abonneren abonneer nieuwsbrief_ontvangen
        subskrybuj zapisz_się prenumerera abonner abonnér odebírat abone_ol подписаться
        """,
        "newsletter newsletters subscription subscriptions nieuwsbrief rundbrief boletín подписка",
    ),
    "comment": (
        """
        leave_a_comment post_comment add_comment reply replies kommentieren antworten commenter
        répondre comentar responder commentare commenta rispondi reageer reageren skomentuj
        odpowiedz kommentera svara kommenter komentovat yorum_yap прокомментировать ответить
        leave_a_review write_a_review
        """,
        """
        comment comments kommentar kommentare commentaire commentaires comentario comentarios
        commento commenti comentário comentários reactie reacties komentarz комментарий yorum
        """,
    ),
    "contact": (
        """
        contact_us contact_form your_message message_us send_message write_to_us get_in_touch
        kontaktformular nachricht_senden contactez_nous envoyer_un_message contáctenos
        enviar_mensaje contattaci invia_messaggio contate_nos enviar_mensagem neem_contact_op
        bericht_versturen napisz_do_nas wyślij_wiadomość skicka_meddelande отправить_сообщение
        report_abuse
        """,
        """
        contact feedback kontakt contacto contatti contatto contato kontaktformular complaint
        beschwerde nachricht mensaje messaggio mensagem bericht wiadomość
        """,
    ),
    "upload": (
        """
        upload uploads hochladen téléverser télécharger_un_fichier subir_archivo cargar_archivo
        carica caricare enviar_arquivo carregar uploaden prześlij_plik wgraj ladda_upp
        загрузить_файл yükle import
        """,
        "",
    ),
    "change": (
        """
        save update edit modify confirm approve reject publish assign grant invite unfollow block
        ban mute enable disable activate accept agree apply_now submit_application send invitation
        change_password reset_password claim redeem speichern ändern aendern bestätigen freigeben
        veröffentlichen aktualisieren bewerben einladen sperren enregistrer modifier confirmer
        valider_la_commande approuver publier postuler bloquer guardar modificar actualizar
        confirmar aprobar publicar bloquear salva salvare modifica modificare aggiorna conferma
        confermare approva pubblica blocca salvar atualizar alterar aprovar opslaan wijzigen
        bijwerken bevestigen goedkeuren publiceren blokkeren zapisz zmień edytuj potwierdź zatwierdź
        opublikuj zablokuj spara ändra bekräfta gem rediger lagre uložit upravit potvrdit kaydet
        güncelle onayla сохранить изменить подтвердить опубликовать
        """,
        "",
    ),
}
#: Harm in languages without spaces between words.
_HARM_PARTS = {
    "deletion": ("削除", "删除", "刪除", "取消", "삭제"),
    "logout": ("ログアウト", "退出", "登出", "로그아웃"),
    "payment": ("支払", "振込", "送金", "支付", "付款", "转账", "結帳", "결제", "송금"),
    "order": ("注文", "購入", "予約", "购买", "下单", "購買", "주문", "구매"),
    "vote": ("投票", "투표"),
    "control": ("再起動", "シャットダウン", "重启", "关机", "종료"),
    "login": ("ログイン", "登录", "登入", "로그인"),
    "registration": ("新規登録", "会員登録", "注册", "註冊", "회원가입"),
    "newsletter": ("購読", "订阅", "訂閱", "구독"),
    "comment": ("コメント", "评论", "留言", "댓글"),
    "contact": ("問い合わせ", "联系", "문의"),
    "upload": ("アップロード", "上传", "上傳", "업로드"),
    "change": ("保存", "変更", "更新する", "修改", "저장"),
}
#: Words in the names of controls and hidden values, and in labels, with which a form is none that
#: is evidently for searching: what belongs to a person, an account or a sum.
_ASIDE = """
    amount betrag montant importe importo bedrag kwota valor_a_pagar quantity qty menge quantité
    cantidad cantidad quantità quantidade aantal ilość сумма tutar miktar iban account konto
    accountid account_number compte cuenta cuentas conto conta rekening счет hesap recipient
    beneficiary empfänger destinataire beneficiario destinatario begunstigde odbiorca получатель
    alıcı payee email e_mail mail phone telephone telefon téléphone teléfono telefono telefone
    telefoon password passwort mot_de_passe contraseña parola_d_ordine senha wachtwoord hasło пароль
    şifre username user_name benutzername nom_d_utilisateur nombre_de_usuario nome_utente
    gebruikersnaam message nachricht mensaje messaggio comment kommentar otp captcha passcode admin
    administrator settings einstellungen paramètres
"""
#: Words of a path that lead to what belongs to an account or runs the site.
_ASIDE_PATH = """
    account accounts konto compte cuenta conto conta rekening admin administration settings
    preferences profile profil password
"""
#: Values of a hidden ``_method`` with which frameworks replace the method of a form.
_SAFE_METHODS = frozenset(("", "get", "head"))
#: The names of hidden values that replace the method of a request.
_METHOD_NAMES = frozenset(("_method", "http_method", "x-http-method", "x-http-method-override"))
#: Words that say how results are sorted: an "order" beside them is none of goods.
_SORTING = frozenset("by per sort sorting dir direction asc desc ascending descending".split())
_ORDERS = frozenset(("order", "ordina", "ordine"))
#: The names of controls and hidden values that sort results.
_SORTING_NAMES = frozenset(("order", "ordering", "orderby"))
#: What a label, or the name of a control or of a class, does not say: these are words of much else.
_OF_BUTTONS = frozenset(("change", "control"))


@dataclass(frozen=True)
class FormTexts:
    """The texts and types of a form that tell its purpose.

    ``types``: of its controls, ``cc`` for those of a bank card.  ``url``: where it is sent to.
    ``button``: the texts, the name and the value of the button that is pressed.  ``names`` and
    ``labels``: of the controls that can be filled in.  ``hidden``: names and values.  ``marks``:
    id, class, name and label of the form.  ``text_count``: text fields.
    """

    is_search_role: bool
    types: frozenset[str]
    url: str
    method: str
    button: str
    names: tuple[str, ...]
    labels: tuple[str, ...]
    hidden: tuple[tuple[str, str], ...]
    title: str
    marks: str
    text_count: int
    has_fields: bool

    def actions(self) -> Iterator[str]:
        """The texts that say what the request does, each of which is judged by itself."""
        yield self.button
        yield self.title
        yield from segments_of(self.url)
        for name, value in self.hidden:
            text = value if name.lower() in _SORTING_NAMES else f"{name} {value}"
            # A token or an address is no text; an action is a word.
            yield text if len(value) <= MAX_VALUE_LENGTH else name

    def descriptions(self) -> Iterator[str]:
        """The other texts."""
        yield self.marks
        yield from self.labels
        for name in self.names:
            if name.lower() not in _SORTING_NAMES:
                yield name


def tell_purpose(form: FormTexts) -> str:
    """The purpose of a form: ``search``, ``other``, or what it does that must not happen."""
    for kind, purpose in (("password", "login"), ("cc", "payment"), ("file", "upload")):
        if kind in form.types:
            return purpose
    harm = _harm_of(form)
    is_search = is_search_evident(form)
    if harm:
        # A form that says both is for a person to decide on.
        has_message = bool(form.types & {"email", "textarea"})
        return "other" if is_search and not has_message else harm
    if "textarea" in form.types:
        return "contact"
    if "email" in form.types:
        return "newsletter"
    if not form.has_fields or form.text_count > MAX_TEXTS or _is_aside(form):
        return "other"
    return "search" if is_search else "other"


def is_search_evident(form: FormTexts) -> bool:
    """Whether something of the form says that it is for searching."""
    if form.is_search_role or "search" in form.types:
        return True
    if any("".join(words_of(name)) in _SEARCH_NAMES for name in form.names):
        return True
    texts = (form.button, form.title, form.marks, *form.labels, *form.names)
    if any(has_search_word(text) for text in texts):
        return True
    return _leads_to_results(form.url)


def has_search_word(text: str) -> bool:
    """Whether a text has a word of searching, in any of the languages.

    >>> has_search_word("Volltextsuche"), has_search_word("Besuche uns"), has_search_word("para")
    (True, False, False)
    """
    plain = _plain(text)
    if any(part in plain for part in _search_parts()):
        return True
    words = []
    for word in words_of(text):
        if word not in _NOT_SEARCH:
            words.append(word)
    return _search_pattern().search(" ".join(words)) is not None


def find_harm(text: str) -> str:
    """What a text says that a form does besides searching; ``""`` if nothing.

    >>> find_harm("Konto löschen"), find_harm("Search comments"), find_harm("Add a comment")
    ('deletion', '', 'comment')
    """
    line = " ".join(_without_sorting(words_of(text)))
    plain = _plain(text)
    is_search = has_search_word(text)
    for purpose, (verbs, nouns) in _harm_patterns().items():
        if verbs.search(line) or any(part in plain for part in _harm_parts()[purpose]):
            return purpose
        if nouns is not None and not is_search and nouns.search(line):
            return purpose
    return ""


def segments_of(url: str) -> list[str]:
    """The parts of a URL's path, a search after what is searched with it, and of its query.

    >>> segments_of("https://a.example/orders/search?x=1"), segments_of("https://a.example/order")
    (['orders search', 'x=1'], ['order'])
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return [url]
    segments: list[str] = []
    for segment in unquote(parts.path).split("/"):
        if segments and has_search_word(segment):
            segments[-1] = f"{segments[-1]} {segment}"
        elif segment:
            segments.append(segment)
    if parts.query:
        segments.append(unquote(parts.query))
    return segments


def words_of(text: str) -> list[str]:
    """The words of a text in lower case and without accents; those of CamelCase are divided.

    >>> words_of("searchTerm_2"), words_of("Löschen!")
    (['search', 'term'], ['loschen'])
    """
    divided = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text[:MAX_TEXT_LENGTH])
    return re.findall(r"[^\W\d_]+", _plain(divided))


def _plain(text: str) -> str:
    """A text in lower case and without accents."""
    letters = unicodedata.normalize("NFKD", text[:MAX_TEXT_LENGTH].casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _harm_of(form: FormTexts) -> str:
    for name, value in form.hidden:
        if name.strip().lower() in _METHOD_NAMES and value.strip().lower() not in _SAFE_METHODS:
            if value.strip().lower() == "delete":
                return "deletion"
            return "change"
    for text in form.actions():
        if harm := find_harm(text):
            return harm
    for text in form.descriptions():
        harm = find_harm(text)
        if harm and harm not in _OF_BUTTONS:
            return harm
    return ""


def _is_aside(form: FormTexts) -> bool:
    if form.types & {"tel", "color", "datetime-local"}:
        return True
    texts = [*form.names, *form.labels, *(name for name, _ in form.hidden)]
    if any(_aside_pattern().search(" ".join(words_of(text))) for text in texts):
        return True
    path = " ".join(word for text in segments_of(form.url) for word in words_of(text))
    return _aside_path_pattern().search(path) is not None


def _leads_to_results(url: str) -> bool:
    """Whether the last parts of a path are those of a search."""
    try:
        path = unquote(urlsplit(url).path)
    except ValueError:
        return False
    segments = [segment for segment in path.split("/") if segment]
    for segment in segments[-2:]:
        words = " ".join(words_of(segment))
        if has_search_word(segment) or _results_pattern().search(words):
            return True
    return False


def _without_sorting(words: list[str]) -> list[str]:
    """Words without an "order" of results."""
    if _SORTING.isdisjoint(words):
        return words
    return [word for word in words if word not in _ORDERS]


def _phrases(text: str) -> Iterator[str]:
    """Patterns of the phrases of a text: ``_`` is between the words of one, ``*`` any letters."""
    for phrase in text.split():
        body = " ".join(words_of(phrase.replace("_", " ")))
        if body:
            start = "" if phrase.startswith("*") else r"\b"
            end = "" if phrase.endswith("*") else r"\b"
            yield f"{start}{re.escape(body)}{end}"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile("|".join(_phrases(text)))


@lru_cache(1)
def _search_pattern() -> re.Pattern[str]:
    return _pattern(_SEARCH)


@lru_cache(1)
def _results_pattern() -> re.Pattern[str]:
    return _pattern(_RESULTS)


@lru_cache(1)
def _aside_pattern() -> re.Pattern[str]:
    return _pattern(_ASIDE)


@lru_cache(1)
def _aside_path_pattern() -> re.Pattern[str]:
    return _pattern(_ASIDE_PATH)


@lru_cache(1)
def _harm_patterns() -> dict[str, tuple[re.Pattern[str], re.Pattern[str] | None]]:
    patterns: dict[str, tuple[re.Pattern[str], re.Pattern[str] | None]] = {}
    for purpose, (verbs, nouns) in _HARM.items():
        patterns[purpose] = (_pattern(verbs), _pattern(nouns) if nouns else None)
    return patterns


@lru_cache(1)
def _search_parts() -> tuple[str, ...]:
    return tuple(_plain(part) for part in _SEARCH_PARTS)


@lru_cache(1)
def _harm_parts() -> dict[str, tuple[str, ...]]:
    return {
        purpose: tuple(_plain(part) for part in _HARM_PARTS.get(purpose, ())) for purpose in _HARM
    }
