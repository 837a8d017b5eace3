"""What labels of links say of the next and the previous page."""

from __future__ import annotations

import pytest

from forest_scrapy.core.records.page_labels import NEXT, PREVIOUS, Claim, has_name, read_label

LABELS = {
    "Next": Claim.STEP,
    "Next »": Claim.STEP,
    "»": Claim.STEP,
    "Next 25": Claim.PAGE,
    "Next 25 of 240 results": Claim.PAGE,
    "Go to the next page": Claim.PAGE,
    "← Older posts": Claim.PAGE,
    "Résultats suivants": Claim.PAGE,
    "Nächste 20": Claim.PAGE,
    "Ir a la página siguiente": Claim.PAGE,
    "次のページ": Claim.STEP,
    "次の20件": Claim.STEP,
    "下一页": Claim.STEP,
    "More results": Claim.MORE,
    "Weitere": Claim.MORE,
    "Mehr laden": Claim.MORE,
    "Page 2 »": Claim.STEP,
    "Next article": Claim.NONE,
    "Nächster Artikel": Claim.NONE,
    "Next steps": Claim.NONE,
    "Next newest": Claim.NONE,
    "Read more": Claim.NONE,
    "More news": Claim.NONE,
    "« Previous": Claim.NONE,
    "Zurück": Claim.NONE,
    "« 3 »": Claim.NONE,
    "3 »": Claim.NONE,
    "": Claim.NONE,
    "Next page " * 10: Claim.NONE,
}


@pytest.mark.parametrize(("text", "claim"), LABELS.items())
def test_next(text: str, claim: Claim) -> None:
    assert read_label(text, NEXT) is claim


@pytest.mark.parametrize("text", ["Previous", "« Zurück", "Page précédente", "前へ", "\u2039"])
def test_previous(text: str) -> None:
    assert read_label(text, PREVIOUS) >= Claim.STEP
    assert read_label(text, NEXT) is Claim.NONE


def test_names() -> None:
    assert has_name("pager-next", NEXT)
    assert has_name("fa fa-chevron-left", PREVIOUS)
    assert not has_name("nextgen", NEXT)
    assert not has_name("prev next", NEXT)
