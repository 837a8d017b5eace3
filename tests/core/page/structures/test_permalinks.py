"""Permalinks of headings are neither text nor links; other links of headings stay."""

from __future__ import annotations

import pytest

from ...helpers import read_markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2 id=o>Owls<a class=headerlink href=#o title='Link to this heading'>¶</a></h2>",
         "## Owls"),
        ("<h2>Owls<a class=headerlink href=#o>\uf0c1</a></h2>", "## Owls"),
        ("<h2><a class=anchor aria-hidden=true href=#o><svg></svg></a>Owls</h2>", "## Owls"),
        ("<h2>Owls<a href=#o class=hash-link aria-label='Direct link to Owls'>\u200b</a></h2>",
         "## Owls"),
        ("<h3><a href=#o>Owls at night</a></h3>", "### Owls at night"),
        ("<h3>Owls <a href=#o>#</a></h3>", "### Owls"),
        ("<h3>Owls <a href='http://a.example/p#o'>Link to this section</a></h3>", "### Owls"),
        ("<h3>Owls<span class=mw-editsection>[<a href=/edit>edit</a>]</span></h3>", "### Owls"),
        ("<h3><a href=/owls>Owls</a></h3>", "### [Owls](http://a.example/owls)"),
        ("<h3>C<a href=/sharp>#</a></h3>", "### C[#](http://a.example/sharp)"),
        ("<p>See <a href=#o>the owls</a></p>", "See [the owls](http://a.example/p#o)"),
        ("<dl><dt>owl()<a class=headerlink href=#o>¶</a></dt><dd>Flies.</dd></dl>",
         "owl()\n\nFlies."),
        ("<h4>Owls</h4><h5>Eggs</h5><h6>Nests</h6>", "#### Owls\n\n##### Eggs\n\n###### Nests"),
    ],
)  # fmt: skip
def test_headings(html: str, markdown: str) -> None:
    assert read_markdown(html) == markdown
