"""Which forms are evidently for searching: made forms of many kinds, in ten languages."""

from __future__ import annotations

import pytest

from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.forms.form import Form, choose_form, read_forms
from forest_scrapy.forms.purposes import find_harm, has_search_word, words_of
from forest_scrapy.forms.safety import refuse

URL = "https://town.example/page"


def read(html: str, url: str = URL) -> list[Form]:
    return read_forms(parse_html(f"<html><body>{html}</body></html>"), url)


def probed(html: str, url: str = URL) -> Form | None:
    """The form that would be probed by default."""
    form = choose_form(read(html, url))
    return None if form is None or refuse(form, url, is_named=False) else form


SEARCHES = {
    "role": "<form role=search action=/go><input name=x></form>",
    "element": "<search><form action=/go><input name=x></form></search>",
    "type": "<form action=/go><input type=search name=x></form>",
    "name q": "<form action=/><input name=q></form>",
    "name of a blog": "<form action=/><input name=s></form>",
    "name in CamelCase": "<form action=/go><input name=searchTerm></form>",
    "path": "<form action=/find><label>Title <input name=t></label></form>",
    "results": "<form action=/books/results><input name=t><button>Go</button></form>",
    "placeholder": "<form action=/go><input name=x placeholder='Search the archive'></form>",
    "button": "<form action=/go><input name=x><button>Search</button></form>",
    "image": "<form action=/go><input name=x><input type=image alt=Search></form>",
    "icon": "<form action=/go><input name=x><button aria-label=Search><svg></svg></button></form>",
    "class": "<form class='wp-block-search' action=/go><input name=x></form>",
    "sorting": "<form action=/go><input name=q><select name=order><option>Price</select>"
    "<input type=hidden name=sort_order value=desc><button>Search</button></form>",
    "sorted by label": "<form action=/go><input name=q><label>Order by <select name=o>"
    "<option value=1>Date</select></label></form>",
    "a register": "<form action=/register/search><input name=n><button>Go</button></form>",
    "comments": "<form action=/go><input name=x><button>Search comments</button></form>",
    "orders": "<form action=/orders/search><input name=q></form>",
    "hidden values": "<form action=/search><input type=hidden name=csrf_token value=d41d8cd9>"
    "<input type=hidden name=lang value=en><input name=q></form>",
    "several fields": "<form action=/catalog><input name=title><input name=author>"
    "<input type=number name=year><button>Find books</button></form>",
    "German": "<form action=/x><input name=b><button>Suchen</button></form>",
    "German compound": "<form action=/x><input name=b placeholder='Volltextsuche'></form>",
    "German label": "<form action=/x><label>Suchbegriff <input name=b></label></form>",
    "German path": "<form action=/handelsregister/suche><input name=b></form>",
    "French": "<form action=/x><input name=b><button>Rechercher</button></form>",
    "French legend": "<form action=/x><fieldset><legend>Recherche avancée</legend><input name=b>"
    "</fieldset></form>",
    "Spanish": "<form action=/x><input name=b><button>Buscar</button></form>",
    "Spanish path": "<form action=/busqueda.php><input name=b></form>",
    "Italian": "<form action=/x><input name=b><button>Cerca</button></form>",
    "Italian sorted": "<form action=/ricerca><input name=b><label>Ordina per <select name=o>"
    "<option value=1>Data</select></label></form>",
    "Portuguese": "<form action=/x><input name=b><button>Pesquisar</button></form>",
    "Dutch": "<form action=/x><input name=b><button>Zoeken</button></form>",
    "Polish": "<form action=/x><input name=b><button>Szukaj</button></form>",
    "Swedish": "<form action=/x><input name=b><button>Sök</button></form>",
    "Turkish": "<form action=/x><input name=b><button>Ara</button></form>",
    "Russian": "<form action=/x><input name=b><button>Найти</button></form>",
    "Japanese": "<form action=/x><input name=b><button>検索する</button></form>",
    "formmethod get": "<form method=post action=/x><input name=q>"
    "<button formmethod=get formaction=/search>Search</button></form>",
    "a disabled button first": "<form action=/search><input name=q>"
    "<button disabled formaction=/delete>Delete</button><button>Go</button></form>",
}


@pytest.mark.parametrize("html", SEARCHES.values(), ids=SEARCHES.keys())
def test_a_form_that_is_evidently_for_searching_is_probed(html: str) -> None:
    form = probed(html)
    assert form is not None and form.purpose == "search"


def plain(action: str, button: str, field: str = "<input name=x>") -> str:
    return f"<form action={action}>{field}<button>{button}</button></form>"


HARMFUL = {
    "delete path": plain("/account/delete", "OK"),
    "delete with a search field": plain("/users/delete", "Go", "<input name=q>"),
    "delete all found": plain("/go", "Search and delete", "<input name=q>"),
    "delete hidden": "<form action=/go><input type=hidden name=action value=delete>"
    "<input name=q><button>Go</button></form>",
    "delete by _method": "<form action=/go><input type=hidden name=_method value=DELETE>"
    "<input name=q><button>Search</button></form>",
    "delete by the value of a button": "<form action=/search><input name=q>"
    "<button name=do value=delete>Go</button></form>",
    "delete by formaction": "<form role=search action=/search><input name=q>"
    "<button formaction=/account/delete>Search</button></form>",
    "formaction on another host": "<form role=search action=/search><input name=q>"
    "<input type=submit formaction=https://evil.example/search></form>",
    "formmethod post": "<form role=search action=/search><input name=q>"
    "<button formmethod=post>Search</button></form>",
    "formaction of a script": "<form role=search><input name=q>"
    "<button formaction='javascript:go()'>Search</button></form>",
    "dialog": "<form role=search method=dialog><input name=q><button>Search</button></form>",
    "multipart": "<form role=search method=post enctype=multipart/form-data><input name=q></form>",
    "user in the address": "<form action='https://a:b@town.example/search'><input name=q></form>",
    "bad address": "<form action='http://[::1/search'><input name=q></form>",
    "log out": plain("/session", "Log out"),
    "log out path": plain("/logout", "Go", "<select name=x><option value=1>All</select>"),
    "transfer": plain("/transfer", "Send", "<input name=to><input name=amount>"),
    "amount": plain("/search", "Search", "<input name=amount>"),
    "account": plain("/search", "Search", "<input name=account>"),
    "order": plain("/order", "Order now", "<input name=item>"),
    "order with a search field": plain("/shop", "Buy now", "<input name=q type=search>"),
    "cart": plain("/cart/add", "Add", "<input name=id><input name=qty type=number>"),
    "vote": plain("/poll/vote", "Vote", "<select name=v><option value=1>A</select>"),
    "shut down": plain("/system", "Shut down", "<input name=delay>"),
    "restart": plain("/system/reboot", "OK", "<input name=s>"),
    "pay": plain("/pay", "Pay now"),
    "donate": plain("/give", "Donate"),
    "subscribe": plain("/list", "Subscribe"),
    "unsubscribe": plain("/unsubscribe", "OK", "<input name=q>"),
    "register": plain("/new", "Create account"),
    "login": plain("/in", "Log in", "<input name=u><input type=password name=p>"),
    "login without a password": plain("/in", "Sign in", "<input name=username>"),
    "login named as a search": plain("/search", "Search", "<input name=q><input type=password>"),
    "contact": plain("/go", "Send message", "<input name=n><textarea name=t></textarea>"),
    "comment": plain("/go", "Leave a comment", "<input name=n>"),
    "upload": plain("/search", "Search", "<input name=q><input type=file name=f>"),
    "upload button": plain("/go", "Upload", "<input name=f>"),
    "profile": plain("/profile/save", "Save", "<input name=q>"),
    "unknown": plain("/go", "OK"),
    "para": plain("/enviar", "Para", "<input name=para>"),
    "Sahara": plain("/sahara", "Sahara"),
    "visit": plain("/x", "Besuche uns"),
    "many fields": plain("/search", "Search", "".join(f"<input name=f{i}>" for i in range(20))),
    "German delete": plain("/x", "Konto löschen"),
    "German log out": plain("/x", "Abmelden"),
    "German transfer": plain("/x", "Überweisen", "<input name=suche>"),
    "German order": plain("/x", "Zahlungspflichtig bestellen"),
    "German pay": plain("/x", "Jetzt bezahlen", "<input name=q>"),
    "German vote": plain("/x", "Abstimmen"),
    "German shut down": plain("/x", "Herunterfahren", "<input name=q>"),
    "German register": plain("/x", "Registrieren"),
    "German upload": plain("/x", "Hochladen"),
    "German comment": plain("/x", "Kommentieren"),
    "French delete": plain("/x", "Supprimer", "<input name=recherche>"),
    "French log out": plain("/x", "Se déconnecter"),
    "French transfer": plain("/x", "Effectuer un virement", "<input name=montant>"),
    "French order": plain("/x", "Commander", "<input name=q>"),
    "French pay": plain("/x", "Payer", "<input name=q>"),
    "French vote": plain("/x", "Voter"),
    "French register": plain("/x", "S'inscrire"),
    "French subscribe": plain("/x", "S'abonner", "<input name=q>"),
    "French contact": plain("/x", "Contactez-nous"),
    "Spanish delete": plain("/x", "Eliminar", "<input name=q>"),
    "Spanish log out": plain("/x", "Cerrar sesión"),
    "Spanish pay": plain("/x", "Pagar", "<input name=para>"),
    "Spanish order": plain("/x", "Realizar pedido"),
    "Spanish vote": plain("/x", "Votar"),
    "Spanish subscribe": plain("/x", "Suscríbete", "<input name=q>"),
    "Spanish login": plain("/x", "Iniciar sesión", "<input name=para>"),
    "Italian delete": plain("/x", "Elimina", "<input name=q>"),
    "Italian pay": plain("/x", "Paga ora", "<input name=cerca>"),
    "Italian order": plain("/x", "Acquista"),
    "Italian vote": plain("/x", "Vota"),
    "Italian log out": plain("/x", "Esci"),
    "Italian register": plain("/x", "Registrati"),
    "Portuguese delete": plain("/x", "Excluir", "<input name=q>"),
    "Portuguese pay": plain("/x", "Pagar"),
    "Portuguese order": plain("/x", "Comprar", "<input name=busca>"),
    "Portuguese subscribe": plain("/x", "Subscrever"),
    "Portuguese log out": plain("/x", "Terminar sessão"),
    "Dutch delete": plain("/x", "Verwijderen", "<input name=q>"),
    "Dutch pay": plain("/x", "Betalen"),
    "Dutch order": plain("/x", "Bestellen", "<input name=zoek>"),
    "Dutch log out": plain("/x", "Uitloggen"),
    "Dutch vote": plain("/x", "Stemmen"),
    "Polish delete": plain("/x", "Usuń", "<input name=q>"),
    "Polish pay": plain("/x", "Zapłać"),
    "Polish order": plain("/x", "Zamów", "<input name=szukaj>"),
    "Polish log out": plain("/x", "Wyloguj się"),
    "Polish vote": plain("/x", "Głosuj"),
    "Russian delete": plain("/x", "Удалить", "<input name=q>"),
    "Turkish delete": plain("/x", "Hesap sil", "<input name=q>"),
    "Turkish money": plain("/x", "Para gönder", "<input name=para>"),
    "Japanese delete": plain("/x", "アカウントを削除", "<input name=q>"),
    "Chinese pay": plain("/x", "立即支付", "<input name=q>"),
}


@pytest.mark.parametrize("html", HARMFUL.values(), ids=HARMFUL.keys())
def test_other_forms_are_not_sent_unless_they_are_named(html: str) -> None:
    assert probed(html) is None


NEVER = ["login", "login named as a search", "upload", "delete path", "German order", "French vote"]


@pytest.mark.parametrize("name", NEVER)
def test_what_is_evidently_harmful_is_not_sent_even_if_it_is_named(name: str) -> None:
    (form,) = read(HARMFUL[name])
    assert refuse(form, URL, allows_post=True, is_named=True).startswith("it is for ")


@pytest.mark.parametrize("name", ["unknown", "many fields", "amount"])
def test_what_cannot_be_told_is_sent_if_it_is_named(name: str) -> None:
    (form,) = read(HARMFUL[name])
    assert "to send it: -a form=1" in refuse(form, URL, is_named=False)
    assert refuse(form, URL, is_named=True) == ""


def test_the_smallest_search_is_the_first() -> None:
    large = "<form action=/search><input name=q><input name=author><input name=year></form>"
    small = "<form action=/search><input name=q></form>"
    post = "<form action=/search method=post><input name=q></form>"
    other = "<form action=/go><input name=x></form>"
    chosen = probed(other + post + large + small)
    assert chosen is not None and chosen.number == 4


def test_the_page_of_a_form_without_an_action_is_where_it_is_sent() -> None:
    html = "<form><input name=q></form>"
    assert probed(html, "https://town.example/books") is not None
    assert probed(html, "https://town.example/logout") is None


@pytest.mark.parametrize(
    "text",
    ["para", "Sahara", "Tamara", "versuchen", "besuchen", "researcher", "refinder", "abuscado"],
)
def test_a_word_of_searching_inside_another_is_none(text: str) -> None:
    assert not has_search_word(text)


@pytest.mark.parametrize("text", ["", "\ud800", "a" * 10**6, "\u0300" * 10**5, "ÄÖÜ ß ﬁ"])
def test_any_text_is_read(text: str) -> None:
    assert find_harm(text) == "" and not has_search_word(text) and len(words_of(text)) < 500


@pytest.mark.slow
def test_a_long_form_is_read_in_a_bounded_time() -> None:
    """Labels that are as long as the page, around one another, and far before the control."""
    label = "<label for=q>" * 100 + "word " * 20_000
    texts = "<i></i>" * 20_000
    forms = f"<form>{label}{texts}<input name=q></form>" * 3
    assert len(read(forms)) >= 1
