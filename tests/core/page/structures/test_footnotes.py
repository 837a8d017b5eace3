"""Footnotes as sites write them: marks, notes, no labels and links back."""

from __future__ import annotations

import re

import pytest

from forest_scrapy.core import Wrapper

from ...helpers import make_page, read_markdown

CASES = [
    pytest.param(
        "<p>Owls<sup id='fnref:1' role='doc-noteref'><a href='#fn:1' class='footnote' rel='footnote'>1</a></sup> fly.<sup id='fnref:1:1'><a href='#fn:1' class='footnote'>1</a></sup></p><div class='footnotes' role='doc-endnotes'><ol><li id='fn:1' role='doc-endnote'><p>At night. <a href='#fnref:1' class='reversefootnote' role='doc-backlink'>&#8617;</a> <a href='#fnref:1:1' class='reversefootnote'>&#8617;<sup>2</sup></a></p></li></ol></div>",
        'Owls[^1] fly.[^1]\n\n[^1]: At night.',
        id='kramdown',
    ),
    pytest.param(
        "<p>Owls<a href='#fn1' class='footnote-ref' id='fnref1' role='doc-noteref'><sup>1</sup></a> fly.</p><section id='footnotes' class='footnotes footnotes-end-of-document' role='doc-endnotes'><hr><ol><li id='fn1'><p>At night.<a href='#fnref1' class='footnote-back' role='doc-backlink'>↩︎</a></p></li></ol></section>",
        'Owls[^1] fly.\n\n[^1]: At night.',
        id='pandoc',
    ),
    pytest.param(
        "<p>Owls<sup class='footnote-ref'><a href='#fn1' id='fnref1'>[1]</a></sup> fly.</p><hr class='footnotes-sep'><section class='footnotes'><ol class='footnotes-list'><li id='fn1' class='footnote-item'><p>At night. <a href='#fnref1' class='footnote-backref'>↩︎</a></p></li></ol></section>",
        'Owls[^1] fly.\n\n[^1]: At night.',
        id='markdownit',
    ),
    pytest.param(
        "<p>Owls<sup id='cite_ref-1' class='reference'><a href='#cite_note-1'><span class='cite-bracket'>&#91;</span>1<span class='cite-bracket'>&#93;</span></a></sup> fly<sup id='cite_ref-foo_2-0' class='reference'><a href='#cite_note-foo-2'>[a]</a></sup>.</p><ol class='references'><li id='cite_note-1'><span class='mw-cite-backlink'><b><a href='#cite_ref-1'>^</a></b></span> <span class='reference-text'>At night, <i>Owl Review</i>.</span></li><li id='cite_note-foo-2'><span class='mw-cite-backlink'>^ <a href='#cite_ref-foo_2-0'><sup><i><b>a</b></i></sup></a> <a href='#cite_ref-foo_2-1'><sup><i><b>b</b></i></sup></a></span> <span class='reference-text'>Foo.</span></li></ol>",
        'Owls[^1] fly[^a].\n\n[^1]: At night, *Owl Review*.\n\n[^a]: Foo.',
        id='wiki',
    ),
    pytest.param(
        "<p>Owls<a class='footnote-anchor' data-component-name='FootnoteAnchorToDOM' id='footnote-anchor-1-99' href='#footnote-1-99' target='_self'>1</a> fly.</p><div class='footnote' data-component-name='FootnoteToDOM'><a id='footnote-1-99' href='#footnote-anchor-1-99' class='footnote-number' contenteditable='false' target='_self'>1</a><div class='footnote-content'><p>At night.</p></div></div>",
        'Owls[^1] fly.\n\n[^1]: At night.',
        id='substack',
    ),
    pytest.param(
        "<p>Owls<sup id='fnref:1'><a href='#fn:1' class='footnote-ref' role='doc-noteref'>1</a></sup></p><div class='footnotes' role='doc-endnotes'><hr><ol><li id='fn:1'><p>At night.&#160;<a href='#fnref:1' class='footnote-backref' role='doc-backlink'>&#x21a9;&#xfe0e;</a></p></li></ol></div>",
        'Owls[^1]\n\n[^1]: At night.',
        id='hugo',
    ),
    pytest.param(
        "<p>Owls<sup data-fn='ab-12' class='fn'><a href='#ab-12' id='ab-12-link'>1</a></sup></p><ol class='wp-block-footnotes'><li id='ab-12'>At night. <a href='#ab-12-link' aria-label='Jump to footnote reference 1'>↩︎</a></li></ol>",
        'Owls[^1]\n\n[^1]: At night.',
        id='wp',
    ),
    pytest.param(
        "<p>Owls <a class='footnote-reference brackets' href='#id2' id='id1' role='doc-noteref'><span class='fn-bracket'>[</span>1<span class='fn-bracket'>]</span></a></p><aside class='footnote-list brackets'><aside class='footnote brackets' id='id2' role='doc-footnote'><span class='label'><span class='fn-bracket'>[</span><a role='doc-backlink' href='#id1'>1</a><span class='fn-bracket'>]</span></span><p>At night.</p></aside></aside>",
        'Owls [^1]\n\n[^1]: At night.',
        id='docutils',
    ),
    pytest.param(
        "<p>Owls <a class='footnote-reference brackets' href='#id2' id='id1'>1</a></p><dl class='footnote brackets'><dt class='label' id='id2'><span class='brackets'><a class='fn-backref' href='#id1'>1</a></span></dt><dd><p>At night.</p></dd></dl>",
        'Owls [^1]\n\n[^1]: At night.',
        id='docutils, definition list',
    ),
    pytest.param(
        "<p>Owls<sup><a href='#user-content-fn-1-abc' id='user-content-fnref-1-abc' data-footnote-ref='' aria-describedby='footnote-label'>1</a></sup></p><section data-footnotes='' class='footnotes'><h2 id='footnote-label' class='sr-only'>Footnotes</h2><ol><li id='user-content-fn-1-abc'><p>At night. <a href='#user-content-fnref-1-abc' data-footnote-backref='' class='data-footnote-backref' aria-label='Back to reference 1'><g-emoji class='g-emoji' alias='leftwards_arrow_with_hook'>↩</g-emoji></a></p></li></ol></section>",
        'Owls[^1]\n\n## Footnotes\n\n[^1]: At night.',
        id='github',
    ),
    pytest.param(
        "<p>Owls<a href='#_ftn1' name='_ftnref1' title=''>[1]</a> fly.</p><hr><p><a href='#_ftnref1' name='_ftn1' title=''>[1]</a> At night.</p>",
        'Owls[^1] fly.\n\n[^1]: At night.',
        id='word processor',
    ),
    pytest.param(
        "<p>Owls<sup><a href='#note1' id='ref1'>1</a></sup> fly.</p><p id='note1'><sup>1</sup> At night. <a href='#ref1'>Return to text</a></p>",
        'Owls[^1] fly.\n\n[^1]: At night.',
        id='paragraphs',
    ),
    pytest.param(
        "<p>Owls<a epub:type='noteref' href='#n1'>*</a></p><aside epub:type='footnote' id='n1'><p>At night.</p></aside>",
        'Owls[^1]\n\n[^1]: At night.',
        id='EPUB',
    ),
    pytest.param(
        "<p>Owls<sup><a href='#n1'>*</a></sup> and<sup><a href='#n2'>†</a></sup></p><p id='n1'>* At night.</p><p id='n2'>† By day.</p>",
        'Owls[^1] and[^2]\n\n[^1]: At night.\n\n[^2]: By day.',
        id='symbols',
    ),
    pytest.param(
        "<p>Owls<label for='sn-1' class='margin-toggle sidenote-number'></label><input type='checkbox' id='sn-1' class='margin-toggle'><span class='sidenote'>At night.</span> fly.</p>",
        'Owls[^1] fly.\n\n[^1]: At night.',
        id='side notes',
    ),
    pytest.param(
        "<p>Owls<a href='#fn1' class='footnote-ref' id='fnref1' role='doc-noteref'><sup>1</sup></a></p><section class='footnotes'><ol><li id='fn1' class='footnote'><p>At night. See also the <a href='#owls'>owls</a> section.</p><p>Second paragraph.</p><a href='#fnref1' class='footnote-back'>↩</a></li></ol></section><h2 id='owls'>Owls</h2>",
        'Owls[^1]\n\n[^1]: At night. See also the [owls](http://a.example/p#owls) section.\n\n    Second paragraph.\n\n## Owls',
        id='gwern',
    ),
    pytest.param(
        "<p><a href='#a'>1</a> <a href='#b'>[2]</a></p><h2 id='a'>A</h2><p id='b'>B</p>",
        '[1](http://a.example/p#a) [\\[2\\]](http://a.example/p#b)\n\n## A\n\nB',
        id='links that are no marks',
    ),
    pytest.param(
        '<p>Owls [1] fly.</p><p>[1] At night.</p>',
        'Owls [1] fly.\n\n[1] At night.',
        id='brackets without links',
    ),
    pytest.param(
        "<p>Owls<sup class='modern-footnotes-footnote' data-mfn='1'><a href='javascript:void(0)' role='button' aria-pressed='false'>1</a></sup><span id='mfn-content-1' role='tooltip' class='modern-footnotes-footnote__note' tabindex='0' data-mfn='1'>At night.</span> fly.</p>",
        'Owls[^1] fly.\n\n[^1]: At night.',
        id='plugin, note beside the mark',
    ),
    pytest.param(
        "<p>Owls<span id='easy-footnote-1-9' class='easy-footnote-margin-adjust'></span><span class='easy-footnote'><a href='#easy-footnote-bottom-1-9' title='At night'><sup>1</sup></a></span></p><ol class='easy-footnotes-wrapper'><li class='easy-footnote-single'><span id='easy-footnote-bottom-1-9' class='easy-footnote-margin-adjust'></span>At night.<a class='easy-footnote-to-top' href='#easy-footnote-1-9'></a></li></ol>",
        'Owls[^1]\n\n[^1]: At night.',
        id='plugin, empty targets',
    ),
    pytest.param(
        "<p>Owls<sup><a href='#fn-1'>[1]</a></sup></p><ol><li id='fn-1'>At night.</li><li id='fn-2'>Never cited.</li></ol>",
        'Owls[^1]\n\n[^1]: At night.\n\n1. Never cited.',
        id='note without a mark',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("html", "markdown"), CASES)
def test_footnotes_are_marks_and_notes(html: str, markdown: str) -> None:
    assert read_markdown(f"<p>before</p>{html}") == f"before\n\n{markdown}"


LIST = (
    "<article><p>Owls<sup><a href='#n1' id='r1'>1</a></sup> hunt<sup><a href='#n2'>2</a></sup>.</p>"
    "<ol><li id='n1'>At night. <a href='#r1'>↩</a></li>"
    "<li id='n2'><p><a href='/mice'>Mice</a>, too.</p><p>And voles.</p></li></ol></article>"
)
PARAGRAPHS = (
    "<article><p>Owls<sup><a href='#n1'>*</a></sup> hunt<sup><a href='#n2'>b</a></sup>.</p>"
    "<p id='n1'>* At night.</p><p id='n2'>b. Mice, too.</p></article>"
)
SIDENOTE = "<article><p>Owls<span class='sidenote'>At night.</span> hunt.</p></article>"


def read(body: str, keep: str = "//article") -> tuple[str, str]:
    """The text and the HTML that a wrapper takes."""
    extract = Wrapper("forest", (keep,)).apply(make_page(body))
    return extract.text, extract.html


def mark(label: str) -> str:
    return f'<sup class="footnote-ref"><a href="#fn-{label}">[{label}]</a></sup>'


@pytest.mark.parametrize("body", [LIST, PARAGRAPHS])
def test_marks_lead_to_the_notes_of_the_same_html(body: str) -> None:
    _, html = read(body)
    targets = re.findall('href="#([^"]+)"', html)
    assert len(targets) == 2
    assert all(f'id="{target}"' in html for target in targets)
    assert "#n1" not in html


def test_the_text_has_the_number_of_a_note_at_its_mark_and_before_the_note() -> None:
    assert read(LIST)[0] == "Owls[1] hunt[2].\n[1] At night.\n[2] Mice, too.\nAnd voles."
    assert read(PARAGRAPHS)[0] == "Owls[1] hunt[b].\n[1] At night.\n[b] Mice, too."
    assert read(SIDENOTE)[0] == "Owls[1] hunt.\n[1] At night."


def test_a_sign_before_the_text_of_a_note_is_no_part_of_it() -> None:
    for sign in ("* ", "<span>*</span> "):
        note = f"<div id='n1'><p>{sign}At night.</p></div>"
        text, html = read(PARAGRAPHS.replace("<p id='n1'>* At night.</p>", note))
        assert "\n[1] At night.\n" in text
        assert "*" not in html


def test_items_of_lists_have_their_numbers_and_other_notes_show_them() -> None:
    _, html = read(LIST)
    assert re.search('<li (?=[^>]*value="1")[^>]*>At night.', html)
    assert "[2] " not in html
    _, html = read(PARAGRAPHS)
    assert html.endswith('<p id="fn-1">[1] At night.</p><p id="fn-b">[b] Mice, too.</p></article>')


def test_a_note_beside_its_mark_is_linked() -> None:
    assert mark("1") in read(SIDENOTE)[1]


def test_notes_outside_of_the_kept_elements_are_linked() -> None:
    text, html = read(LIST, "//p[1]")
    assert text.startswith("Owls[1] hunt[2].\n[1] At night.")
    assert mark("1") in html
    assert mark("2") in html


def test_the_mark_of_a_note_that_is_not_on_the_page_leads_to_the_page() -> None:
    _, html = read("<article><p>Owls<sup><a href='/notes#n1'>1</a></sup> hunt.</p></article>")
    assert 'href="http://a.example/notes#n1"' in html


def test_a_note_without_text_does_not_number_what_follows() -> None:
    body = LIST.replace("At night. ", "<img src='/owl.jpg' alt='An owl that is large'>")
    assert "[1] Mice" not in read(body)[0]
