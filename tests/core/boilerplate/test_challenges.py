"""Pages that a server sends instead of the page that was asked for."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Article, Entry, Page, Refusal, Visit, extract_item, learn_rules
from forest_scrapy.core.boilerplate.challenges import is_blocked, is_challenge, is_notice
from forest_scrapy.core.rules import TemplateRules
from tests.crawls.helpers import story

URL = "http://a.example/2024/story"
CHALLENGES = {
    "Cloudflare": """<title>Just a moment...</title><script>window._cf_chl_opt={a:1}</script>
        <h1>a.example</h1><p>Verify you are human by completing the action below.</p>
        <p>a.example needs to review the security of your connection before proceeding.</p>
        <p>Ray ID: 8f00aa</p>""",
    "Cloudflare without scripts": """<title>Just a moment...</title>
        <noscript>Enable JavaScript and cookies to continue</noscript>""",
    "DataDome": """<title>a.example</title><p>Please enable JS and disable any ad blocker</p>
        <script src="https://ct.captcha-delivery.com/c.js"></script>""",
    "PerimeterX": """<title>Access to this page has been denied</title><div id=px-captcha></div>
        <p>Press &amp; Hold to confirm you are a human (and not a bot).</p>""",
    "Akamai": """<title>Access Denied</title><h1>Access Denied</h1>
        You don't have permission to access "http://a.example/" on this server.
        <p>Reference #18.aa https://errors.edgesuite.net/18.aa""",
    "Imperva": """<title>Pardon Our Interruption</title><h1>Pardon Our Interruption</h1>
        <p>As you were browsing something about your browser made us think you were a bot.""",
    "Incapsula": """<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>
        <p>Request unsuccessful. Incapsula incident ID: 5-6""",
    "Anubis": """<title>Making sure you're not a bot!</title><script id=anubis_challenge>{}</script>
        <h1>Making sure you&rsquo;re not a bot!</h1><p>Loading... Protected by Anubis""",
    "German": """<title>Einen Moment bitte</title><p>Bestätigen Sie, dass Sie ein Mensch sind.""",
    "consent wall": """<title>Boats</title><h1>Before you continue to Boats</h1>
        <p>We use cookies and data to deliver our services and to show advertising.</p>
        <p>If you agree, we and our partners will store personal data on your device.</p>
        <form><button>Reject all</button><button>Accept all</button></form>""",
    "French wall": """<title>Votre vie privée est importante</title>
        <p>Avec votre accord, nos 900 partenaires et nous utilisons des cookies pour stocker des
        données personnelles et afficher de la publicité.</p><a href=#>Tout accepter</a>""",
}
PROSE = "<p>" + "The harbour has a new crane, which lifts boats of forty tons in an hour. " * 6
ARTICLES = {
    "about Cloudflare": f"""<title>Cloudflare is down again - Gazette</title>
        <h1>Cloudflare is down again</h1><p>Visitors saw "Just a moment..." and a Ray ID, since the
        site needs to review the security of your connection before proceeding.</p>{PROSE}""",
    "of a glossary": """<title>Captcha</title><h1>Captcha</h1><p>A captcha is a small riddle
        which people solve and programs do not. The name is of the year 2003.</p>
        <form action=/contact><textarea></textarea><div class=g-recaptcha></div></form>
        <script src="https://www.google.com/recaptcha/api.js"></script>""",
    "of a novel": """<title>Forbidden</title><h1>Forbidden</h1><p>The novel of the keeper and the
        crane is long, and its second half is the better one, because the storm comes.</p>
        <form action=/comment><textarea></textarea><div class=cf-turnstile></div></form>
        <script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>""",
    "about captchas": f"""<title>How to solve a captcha</title><h1>How to solve a captcha</h1>
        <p>Click on all traffic lights, as the text says. Press and hold is another kind.</p>{PROSE}
        <form><div class=g-recaptcha></div></form>""",
    "a short story with that title": "<title>Just a moment</title><h1>Just a moment</h1>" + PROSE,
    "a declared article": """<title>Access denied</title><meta property=og:type content=article>
        <h1>Access denied</h1><p>You have been blocked, said the guard of the tower.""",
    "about privacy, with a banner": f"""<title>Privacy settings</title><h1>Privacy settings</h1>
        {PROSE}<div><p>We use cookies.</p><button>Accept all</button></div>""",
    "about cookies, without buttons": """<title>Cookies</title><h1>Cookies</h1>
        <p>A cookie is a small file. Cookies tell advertisers what you read.""",
}


@pytest.mark.parametrize("name", CHALLENGES)
def test_a_challenge_is_no_article_but_its_feed_entry_is(name: str) -> None:
    html = f"<html><body>{CHALLENGES[name]}</body></html>"
    assert is_challenge(Page.from_html(html, URL))
    assert extract_item(Page.from_html(html, URL)) == Refusal("blocked")
    entry = Entry(title="Owls at night", description="Owls hunt in the old town.")
    item = extract_item(Page.from_html(html, URL, entry))
    assert isinstance(item, Article)
    assert (item.title, item.text) == ("Owls at night", "Owls hunt in the old town.")
    assert item.method == "entry"


@pytest.mark.parametrize("name", ARTICLES)
def test_an_article_about_challenges_is_one(name: str) -> None:
    page = Page.from_html(f"<html><body>{ARTICLES[name]}</body></html>", URL)
    assert not is_challenge(page)
    assert isinstance(extract_item(page), Article)


@pytest.mark.parametrize(
    "text",
    [
        "You need to enable JavaScript to run this app.",
        "JavaScript is disabled. Please enable JavaScript in your browser.",
        "Bitte aktivieren Sie JavaScript, um die Seite zu lesen.",
        "Your browser is no longer supported.",
    ],
)
def test_a_page_that_has_nothing_but_a_notice(text: str) -> None:
    assert is_notice(text)
    page = Page.from_html(f"<title>Boats</title><h1>Boats</h1><main><p>{text}</p></main>", URL)
    assert extract_item(page) == Refusal("blocked")


def test_a_text_that_begins_with_a_notice_is_none() -> None:
    assert not is_notice("Enable JavaScript. Then the map shows all boats that are in the harbour.")
    assert not is_notice(40 * "Enable JavaScript first. ")


def test_a_page_that_was_not_fetched_is_no_challenge() -> None:
    page = Page.from_html(CHALLENGES["Cloudflare"], URL, Entry(description="Owls hunt."))
    item = extract_item(page, visit=Visit(was_fetched=False))
    assert isinstance(item, Article) and item.text == "Owls hunt."


def test_challenges_among_the_pages_teach_nothing() -> None:
    pages = [Page.from_html(story(i), f"http://a.example/{i}") for i in range(4)]
    blocked = [
        Page.from_html(CHALLENGES["Cloudflare"], f"http://a.example/{i}") for i in range(4, 12)
    ]
    assert learn_rules([*blocked, *pages]) == learn_rules(pages)


def test_rules_learned_from_challenges_alone_are_empty() -> None:
    rules = learn_rules([Page.from_html(CHALLENGES["Akamai"], URL)] * 3)
    assert rules == TemplateRules(text_at=rules.text_at)


APP = "<title>Boats</title><div id=app></div><script src=/a.js></script><noscript>{}</noscript>"


@pytest.mark.parametrize(
    "body",
    [
        *CHALLENGES.values(),
        APP.format("You need to enable JavaScript to run this app."),
        "<title>Boats</title><h1>Boats</h1><main>Please enable JavaScript to read on.</main>",
        "<nav><a href=/>Home</a> <a href=/news>News</a></nav><p>JavaScript is disabled.</p>",
    ],
)
def test_a_blocked_page_is_known_by_itself(body: str) -> None:
    assert is_blocked(Page.from_html(f"<html><body>{body}</body></html>", URL))


@pytest.mark.parametrize(
    "body",
    [
        *ARTICLES.values(),
        APP.format("A gallery of boats"),
        APP.format("Enable JavaScript to see the comments.") + "<img src=/boat.jpg>",
        "<p>Please enable JavaScript.</p>" + "<p><a href=/a>A story of the harbour</a></p>" * 40,
        f"<p>Please enable JavaScript.</p>{PROSE}",
    ],
)
def test_a_page_with_anything_else_is_not_blocked(body: str) -> None:
    assert not is_blocked(Page.from_html(f"<html><body>{body}</body></html>", URL))


def test_a_page_of_scripts_that_declares_its_article_is_not_blocked() -> None:
    data = '{"@type": "NewsArticle", "articleBody": "Owls hunt in the old town at night."}'
    html = APP.format("Please enable JavaScript") + (
        f"<script type='application/ld+json'>{data}</script>"
    )
    assert not is_blocked(Page.from_html(html, URL))
