"""Blocks of code as sites write them: the code alone, line by line, and its language."""

from __future__ import annotations

import pytest

from ...helpers import read_markdown

CASES = [
    pytest.param(
        "<figure class='highlight python'><figcaption><span>app.py</span></figcaption><table><tr><td class='gutter'><pre><span class='line'>1</span><br><span class='line'>2</span><br></pre></td><td class='code'><pre><span class='line'><span class='keyword'>def</span> f():</span><br><span class='line'>    <span>return</span> 1</span><br></pre></td></tr></table></figure>",
        '```python\ndef f():\n    return 1\n```',
        id='Hexo, table with a gutter',
    ),
    pytest.param(
        "<div class='highlight'><div class='chroma'><table class='lntable'><tr><td class='lntd'><pre tabindex=0 class='chroma'><code><span class='lnt'>1\n</span><span class='lnt'>2\n</span></code></pre></td><td class='lntd'><pre tabindex=0 class='chroma'><code class='language-go' data-lang='go'><span class='line'><span class='cl'>a := 1\n</span></span><span class='line'><span class='cl'>\tb\n</span></span></code></pre></td></tr></table></div></div>",
        '```go\na := 1\n\tb\n```',
        id='Hugo, table of two columns',
    ),
    pytest.param(
        "<div class=highlight><pre tabindex=0 class=chroma><code class=language-go data-lang=go><span style='display:flex;'><span style='white-space:pre;-webkit-user-select:none;user-select:none;margin-right:.4em'>1</span><span>x := 1\n</span></span><span style='display:flex;'><span style='user-select:none'>2</span><span>y\n</span></span></code></pre></div>",
        '```go\nx := 1\ny\n```',
        id='Hugo, numbers that cannot be selected',
    ),
    pytest.param(
        "<div class='language-ruby highlighter-rouge'><div class='highlight'><pre class='highlight'><code><table class='rouge-table'><tbody><tr><td class='rouge-gutter gl'><pre class='lineno'>1\n2\n</pre></td><td class='rouge-code'><pre><span class='k'>puts</span> 1\n  x\n</pre></td></tr></tbody></table></code></pre></div></div>",
        '```ruby\nputs 1\n  x\n```',
        id='Rouge, table',
    ),
    pytest.param(
        "<div class='highlight-python notranslate'><div class='highlight'><table class='highlighttable'><tr><td class='linenos'><div class='linenodiv'><pre><span class='normal'>1</span>\n<span class='normal'>2</span></pre></div></td><td class='code'><div><pre><span></span>a = 1\n  b\n</pre></div></td></tr></table></div></div>",
        '```python\na = 1\n  b\n```',
        id='Sphinx, table',
    ),
    pytest.param(
        "<div class='language-js codeBlockContainer_x theme-code-block'><div class='codeBlockTitle_y'>src/app.js</div><div class='codeBlockContent_z'><pre tabindex=0 class='prism-code language-js codeBlock_a thin-scrollbar'><code class='codeBlockLines_b'><span class='token-line' style='color:#000'><span class='token'>const</span> a<br></span><span class='token-line'><span style='display:inline-block'></span><br></span><span class='token-line'>  b<br></span></code></pre><div class='buttonGroup__q'><button type=button aria-label='Copy code'><span aria-hidden=true><svg></svg></span></button></div></div></div>",
        '```js\nconst a\n\n  b\n```',
        id='Docusaurus, title and button',
    ),
    pytest.param(
        "<div class='language-yaml highlight'><span class='filename'>mkdocs.yml</span><pre id='__code_0'><span></span><button class='md-clipboard md-icon' title='Copy'></button><code><span id='__span-0-1'><a id='__codelineno-0-1' href='#__codelineno-0-1'></a><span class='nt'>theme</span>:\n</span><span id='__span-0-2'><a href='#x'></a>  name: x\n</span></code></pre></div>",
        '```yaml\ntheme:\n  name: x\n```',
        id='MkDocs, name of the file',
    ),
    pytest.param(
        "<div class='language-ts line-numbers-mode'><button title='Copy Code' class='copy'></button><span class='lang'>ts</span><pre class='shiki' v-pre=''><code><span class='line'><span>const a</span></span>\n<span class='line'></span>\n<span class='line'>  b</span></code></pre><div class='line-numbers-wrapper' aria-hidden='true'><span class='line-number'>1</span><br><span class='line-number'>2</span><br></div></div>",
        '```ts\nconst a\n\n  b\n```',
        id='VitePress, numbers after the code',
    ),
    pytest.param(
        "<div class='highlight highlight-source-shell notranslate position-relative overflow-auto' dir='auto' data-snippet-clipboard-copy-content='x'><pre>npm i <span class='pl-s'>x</span></pre><div class='zeroclipboard-container'><clipboard-copy aria-label='Copy'><svg></svg></clipboard-copy></div></div>",
        '```shell\nnpm i x\n```',
        id='GitHub',
    ),
    pytest.param(
        "<div class='blob-wrapper data type-python js-blob-wrapper'><table class='highlight tab-size js-file-line-container' data-tab-size='8'><tbody><tr><td id='L1' class='blob-num js-line-number' data-line-number='1'></td><td id='LC1' class='blob-code blob-code-inner js-file-line'>def f():</td></tr><tr><td class='blob-num' data-line-number='2'></td><td class='blob-code'>    return</td></tr></tbody></table></div>",
        '```python\ndef f():\n    return\n```',
        id='gist, table of lines',
    ),
    pytest.param(
        "<div><div id='highlighter_1' class='syntaxhighlighter java'><table border=0><tbody><tr><td class='gutter'><div class='line number1 index0 alt2'>1</div><div class='line number2'>2</div></td><td class='code'><div class='container'><div class='line number1 index0'><code class='java keyword'>int</code> <code class='java plain'>a;</code></div><div class='line number2'><code class='java spaces'>&nbsp;&nbsp;</code><code>b;</code></div></div></td></tr></tbody></table></div></div>",
        '```java\nint a;\n  b;\n```',
        id='SyntaxHighlighter',
    ),
    pytest.param(
        "<div class='code-example'><div class='example-header'><span class='language-name'>js</span><button type='button' class='icon copy-icon'><span class='visually-hidden'>Copy to Clipboard</span></button></div><pre class='brush: js notranslate'><code>const a = <span class='token'>1</span>;\n</code></pre></div>",
        '```js\nconst a = 1;\n```',
        id='MDN',
    ),
    pytest.param(
        "<div class='codeHeader'><span class='language'>Azure CLI</span><button class='action'>Copy</button></div><pre tabindex=0 class='has-inner-focus'><code class='lang-azurecli'>az login\n</code></pre>",
        '```azurecli\naz login\n```',
        id='bar before the code',
    ),
    pytest.param(
        "<pre class='lang-py s-code-block'><code class='hljs language-python'>x = 1\n</code></pre>",
        '```python\nx = 1\n```',
        id='Stack Overflow',
    ),
    pytest.param(
        "<pre class='nw nx'><span id='a' class='pd lw'>line one<br>  line two<br><br>line four</span></pre>",
        '```\nline one\n  line two\n\nline four\n```',
        id='Medium',
    ),
    pytest.param(
        "<div class='crayon-syntax'><div class='crayon-toolbar'><span class='crayon-title'></span><span class='crayon-language'>Python</span></div><div class='crayon-plain-wrap'><textarea>x = 1\ny</textarea></div><div class='crayon-main'><table class='crayon-table'><tr class='crayon-row'><td class='crayon-nums '><div class='crayon-nums-content'><div class='crayon-num'>1</div><div class='crayon-num'>2</div></div></td><td class='crayon-code'><div class='crayon-pre'><div class='crayon-line'>x = 1</div><div class='crayon-line'>  y</div></div></td></tr></table></div></div>",
        '```python\nx = 1\n  y\n```',
        id='Crayon',
    ),
    pytest.param(
        "<div class='sourceCode' id='cb1'><pre class='sourceCode haskell numberSource'><code class='sourceCode haskell'><span id='cb1-1'><a href='#cb1-1' aria-hidden='true' tabindex='-1'></a>main <span class='ot'>=</span> 1</span>\n<span id='cb1-2'><a href='#cb1-2'></a>  x</span></code></pre></div>",
        '```haskell\nmain = 1\n  x\n```',
        id='pandoc',
    ),
    pytest.param(
        "<div class='org-src-container'><pre class='src src-emacs-lisp'>(a)\n  (b)</pre></div>",
        '```emacs-lisp\n(a)\n  (b)\n```',
        id='Org mode',
    ),
    pytest.param(
        "<div class='ltx_listing ltx_lst_language_Python ltx_lstlisting ltx_listing'><div class='ltx_listing_data'><a href='data:text/plain;base64,xx' download=''>⬇</a></div><div id='a' class='ltx_listingline'><span class='ltx_tag ltx_tag_listingline'>1</span><span class='ltx_text'>def</span> f</div><div class='ltx_listingline'><span class='ltx_text'>    x</span></div></div>",
        '```python\ndef f\n    x\n```',
        id='LaTeXML',
    ),
    pytest.param(
        "<div class='language-plaintext highlighter-rouge'><div class='highlight'><pre class='highlight'><code>plain\n</code></pre></div></div>",
        '```\nplain\n```',
        id='Jekyll, no language',
    ),
    pytest.param(
        "<pre class='language-css line-numbers'><code class='language-css'>a {\n  b: c\n}<span aria-hidden='true' class='line-numbers-rows'><span></span><span></span></span></code></pre>",
        '```css\na {\n  b: c\n}\n```',
        id='Prism, rows of numbers',
    ),
    pytest.param(
        "<pre class='wp-block-code'><code lang='php' class='language-php'>echo 1;</code></pre>",
        '```php\necho 1;\n```',
        id='WordPress',
    ),
    pytest.param(
        '<pre><code>a</code><code>  b</code></pre>',
        '```\na\n  b\n```',
        id='an element for each line',
    ),
    pytest.param(
        "<div class='expressive-code'><figure class='frame has-title'><figcaption class='header'><span class='title'>src/x.ts</span></figcaption><pre data-language='ts'><code><div class='ec-line'><div class='gutter'><div class='ln'>1</div></div><div class='code'><span>a</span></div></div><div class='ec-line'><div class='code'>\n</div></div><div class='ec-line'><div class='code'><span class='indent'>  </span>b</div></div></code></pre><div class='copy'><button title='Copy'><div></div></button></div></figure></div>",
        '```ts\na\n\n  b\n```',
        id='Expressive Code',
    ),
    pytest.param(
        "<figure data-rehype-pretty-code-figure=''><figcaption data-rehype-pretty-code-title='' data-language='js'>a.js</figcaption><pre data-language='js' data-theme='x'><code data-language='js'><span data-line=''>a</span>\n<span data-line=''> </span>\n<span data-line=''>  b</span></code></pre></figure>",
        '```js\na\n\n  b\n```',
        id='rehype',
    ),
    pytest.param(
        "<figure class='code'><figcaption>Listing 3: how the owls are counted at night</figcaption><pre><code class='language-r'>owls()</code></pre></figure>",
        'Listing 3: how the owls are counted at night\n\n```r\nowls()\n```',
        id='figure with a caption',
    ),
    pytest.param(
        '<pre>Roses are <em>red</em>\n\n  <a href=/x>violets</a></pre>',
        '```\nRoses are red\n\n  violets\n```',
        id='poem',
    ),
    pytest.param(
        "<div class='highlight'><p>Run this first, then wait for it:</p><pre>make</pre></div>",
        'Run this first, then wait for it:\n\n```\nmake\n```',
        id='sentence before the code',
    ),
    pytest.param(
        "<div class='nbinput docutils container'><div class='prompt highlight-none'><div class='highlight'><pre><span></span>[1]:\n</pre></div></div><div class='input_area highlight-ipython3'><div class='highlight'><pre>x = 1\n</pre></div></div></div>",
        '```ipython3\nx = 1\n```',
        id='notebook',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("html", "markdown"), CASES)
def test_code_is_read_without_numbers_and_labels(html: str, markdown: str) -> None:
    assert read_markdown(f"<p>before</p>{html}<p>after</p>") == f"before\n\n{markdown}\n\nafter"
