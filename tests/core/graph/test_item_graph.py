"""What is stated about each kind of item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.item_graph import item_triples
from forest_scrapy.core.graph.vocabulary import XSD, shorten
from forest_scrapy.core.items import ITEM_KINDS, Article, Listing, Product, Thread, WebPage

HOME = "https://a.example/"
URL = "https://a.example/1"
PLACE = {"name": "From", "value": "Oslo", "type": "text", "unit": ""}


def facts(item: Any) -> dict[str, dict[str, list[Any]]]:
    """The statements: short objects by short predicate and subject, which is without the URL."""
    found: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    values: Mapping[str, Any] = item if isinstance(item, dict) else asdict(item)
    for one in item_triples(values):
        is_home = one.subject == "https://a.example/"
        subject = "home" if is_home else one.subject.removeprefix(URL)
        subject = subject.removeprefix("https://a.example/")
        own = one.object if isinstance(one.object, Literal) else shorten(one.object)
        found[subject][shorten(one.predicate).removeprefix("https://a.example/")].append(own)
    return found


def typed(text: str, kind: str) -> Literal:
    return Literal(text, f"{XSD}{kind}")


def test_an_article() -> None:
    item = Article(
        URL,
        title="Owls",
        text="All about owls.",
        html="<p>All about owls.</p>",
        language="en",
        published="2025-02-11",
        authors=["Ana", "Ben", "Ana"],
        tags=["birds"],
        site_name="The Owl",
        canonical_url=URL,
        other_urls=["https://a.example/2"],
        images=[{"url": "https://a.example/o.png", "alt": "", "caption": "An owl"}],
        links=[{"url": "https://b.example/", "text": "b"}, {"url": "mailto:x@b.example"}],
        comments=[
            {"position": 1, "author": "Cleo", "date": "2025", "text": "Nice.", "reply_to": None},
            {"position": 2, "author": "", "date": "", "text": "Yes.", "reply_to": 1},
        ],
        comments_count=2,
        fetched_at="2025-03-01T00:00:00+00:00",
        extra={"section": "birds", "rank": 2, "nested": {"a": 1}, "all": ["x", "y"]},
    )
    found = facts(item)
    assert found[""] == {
        "rdf:type": ["schema:Article"],
        "schema:url": [URL],
        "#section": [Literal("birds")],
        "#rank": [typed("2", "integer")],
        "#all": [Literal("x"), Literal("y")],
        "schema:headline": [Literal("Owls", language="en")],
        "schema:articleBody": [Literal("All about owls.", language="en")],
        "schema:inLanguage": [Literal("en")],
        "schema:sdDatePublished": [typed("2025-03-01T00:00:00+00:00", "dateTime")],
        "schema:datePublished": [typed("2025-02-11", "date")],
        "schema:author": [f"{HOME}#author-Ana", f"{HOME}#author-Ben"],
        "schema:keywords": [Literal("birds")],
        "schema:sameAs": ["https://a.example/2"],
        "schema:isPartOf": ["https://a.example/"],
        "schema:image": ["https://a.example/o.png"],
        "schema:commentCount": [typed("2", "integer")],
        "schema:comment": [f"{URL}#comment-1", f"{URL}#comment-2"],
        "dcterms:references": ["https://b.example/"],
    }
    assert found["#author-Ben"] == {
        "rdf:type": ["schema:Person"],
        "schema:name": [Literal("Ben")],
    }
    assert found["home"]["schema:name"] == [Literal("The Owl")]
    assert found["o.png"]["schema:caption"] == [Literal("An owl")]
    assert found["#section"] == {
        "rdf:type": ["rdf:Property"],
        "rdfs:label": [Literal("section")],
    }
    assert found["#comment-1"]["schema:parentItem"] == [URL]
    assert found["#comment-1"]["schema:author"] == [f"{HOME}#author-Cleo"]
    assert found["#comment-2"]["schema:parentItem"] == [f"{URL}#comment-1"]


def test_the_site_is_an_author_that_is_no_person() -> None:
    found = facts(Article(URL, title="Owls", authors=["the owl"], site_name="The Owl"))
    assert found["#author-the_owl"]["rdf:type"] == ["schema:Organization"]


def test_the_address_of_a_comment_is_not_that_of_its_author() -> None:
    def commented(address: str) -> dict[str, dict[str, list[Any]]]:
        row = {"name": "url", "value": address, "type": "url", "unit": ""}
        comment = {"position": 1, "author": "Cleo", "text": "Nice.", "attributes": [row]}
        return facts(Article(URL, title="Owls", comments=[comment]))

    assert commented(f"{URL}#c-1")["#comment-1"]["schema:url"] == [f"{URL}#c-1"]
    assert "schema:url" not in commented("https://a.example/users/cleo")["#comment-1"]


def test_an_article_that_is_gone_says_nothing() -> None:
    assert item_triples(asdict(Article(URL, change={"kind": "gone"}))) == []


def test_a_thread_is_its_first_post_with_comments() -> None:
    post = {"author": "Ana", "date": "2025-02-11", "text": "Hi", "attributes": [PLACE]}
    posts = [
        {**post, "position": 1, "reply_to": None},
        {**post, "position": 2, "reply_to": 1},
        {**post, "position": 3, "reply_to": 2},
    ]
    found = facts(Thread(URL, title="Owls", posts=posts, language="en"))
    assert found[""]["rdf:type"] == ["schema:DiscussionForumPosting"]
    assert found[""]["schema:text"] == [Literal("Hi", language="en")]
    assert found[""]["schema:commentCount"] == [typed("2", "integer")]
    assert found[""]["#From"] == [Literal("Oslo")]
    assert found["#comment-2"]["schema:parentItem"] == [URL]
    assert found["#comment-3"]["schema:parentItem"] == [f"{URL}#comment-2"]
    assert found["#comment-3"]["schema:datePublished"] == [typed("2025-02-11", "date")]


def test_a_product_has_an_offer_and_properties() -> None:
    height = {"name": "Height", "value": "30", "type": "number", "unit": "cm"}
    item = Product(
        URL, "Owl lamp", "1299.00", "EUR", "InStock", "007", "Strix", ["https://a.example/1.jpg"],
        attributes=[height], text="A lamp.", language="en",
    )  # fmt: skip
    found = facts(item)
    assert found[""] == {
        "rdf:type": ["schema:Product"],
        "schema:url": [URL],
        "schema:name": [Literal("Owl lamp", language="en")],
        "schema:description": [Literal("A lamp.", language="en")],
        "schema:sku": [Literal("007")],
        "schema:image": ["https://a.example/1.jpg"],
        "schema:brand": [f"{URL}#brand"],
        "schema:offers": [f"{URL}#offer"],
        "schema:additionalProperty": [f"{URL}#property-1"],
    }
    assert found["#offer"] == {
        "rdf:type": ["schema:Offer"],
        "schema:price": [typed("1299.00", "decimal")],
        "schema:priceCurrency": [Literal("EUR")],
        "schema:availability": ["schema:InStock"],
    }
    assert found["#property-1"] == {
        "rdf:type": ["schema:PropertyValue"],
        "schema:name": [Literal("Height")],
        "schema:value": [typed("30", "integer")],
        "schema:unitText": [Literal("cm")],
    }


def test_items_of_a_list_are_the_pages_they_lead_to() -> None:
    rows = [
        {"position": 1, "title": "Owl", "url": "https://a.example/owl", "price": "5", "date": ""},
        {"position": 2, "title": "Elk", "url": "", "attributes": [PLACE]},
    ]
    found = facts(Listing(URL, title="Animals", items=rows))
    assert found[""]["schema:numberOfItems"] == [typed("2", "integer")]
    assert found["#item-1"]["schema:item"] == ["https://a.example/owl"]
    assert found["owl"]["schema:name"] == [Literal("Owl")]
    assert found["owl#offer"]["schema:price"] == [typed("5", "integer")]
    assert found["#item-2"]["schema:item"] == [f"{URL}#thing-2"]
    assert found["#thing-2"]["#From"] == [Literal("Oslo")]


def test_a_page() -> None:
    found = facts(WebPage(URL, title="About", text="We.", language="de"))
    assert found[""]["rdf:type"] == ["schema:WebPage"]
    assert found[""]["schema:text"] == [Literal("We.", language="de")]


def test_a_page_of_a_file() -> None:
    found = facts(WebPage("file:///a/b.html", title="B"))
    (subject,) = found
    assert subject.startswith("urn:uuid:")
    assert found[subject]["schema:url"] == [Literal("file:///a/b.html")]


def record(**values: Any) -> dict[str, Any]:
    return {"type": "record", "url": f"{URL}?q=the", "found_on": f"{URL}?q=the", **values}


def test_a_record_is_the_same_in_all_answers() -> None:
    values = [
        {"name": "title", "value": "Hamlet", "type": "title", "unit": ""},
        {"name": "Year", "value": "1603", "type": "number", "unit": ""},
        {"name": "Price", "value": "5.00", "type": "price", "unit": "EUR"},
        {"name": "no.", "value": "7", "type": "position", "unit": ""},
    ]
    found = facts(record(values=values))
    (subject,) = (one for one in found if one.startswith("#record-"))
    other = facts(record(values=values[2::-1], url=f"{URL}?q=ham", found_on=f"{URL}?q=ham"))
    assert (
        other[subject]
        == found[subject]
        == {
            "rdf:type": [f"{URL}#Record"],
            "schema:name": [Literal("Hamlet")],
            "1#Year": [typed("1603", "integer")],
            "1#Price": [typed("5.00", "decimal")],
            "1#Price_unit_7bf18a": [Literal("EUR")],
        }
    )
    assert found["#Record"]["rdf:type"] == ["rdfs:Class"]


def test_a_record_with_a_page_of_its_own() -> None:
    found = facts(record(url="https://a.example/hamlet", text="Hamlet"))
    (subject,) = (one for one in found if one.startswith("#record-"))
    assert found[subject]["schema:url"] == ["https://a.example/hamlet"]
    assert found[subject]["schema:text"] == [Literal("Hamlet")]


def test_other_items() -> None:
    found = facts({"url": URL, "price": 5, "tags": ["a", "b"], "seller": {"name": "x"}})
    assert found[""] == {
        "schema:url": [URL],
        "#price": [typed("5", "integer")],
        "#tags": [Literal("a"), Literal("b")],
    }
    assert item_triples({"price": 5}) == []


#: Values that a pipeline of a project may put in any field.
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("name", "url", "position", "reply_to")), inner, max_size=3
        )
    ),
    max_leaves=5,
)
FIELDS = sorted({name for kind in ITEM_KINDS.values() for name in kind.__dataclass_fields__})


@given(
    st.dictionaries(st.sampled_from((*FIELDS, "values", "found_on")), JSON, max_size=8),
    st.sampled_from((*ITEM_KINDS, "record", "own")),
)
def test_any_values(values: dict[str, Any], kind: str) -> None:
    triples = item_triples({**values, "type": kind})
    assert len(set(triples)) == len(triples)
    assert all(isinstance(one, Triple) and one.object for one in triples)
    assert triples == item_triples({**values, "type": kind})
