"""``FOREST_RENDER`` with a real Chromium and a local server."""

from __future__ import annotations

import json
import os
import shutil
import signal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from .helpers import Project, Run, Server, rss, story, story_title, thorough, wait_until

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")

pytestmark = [
    pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: apt-get install chromium"),
    pytest.mark.skipif(not find_spec("scrapy_playwright"), reason="needs scrapy-playwright"),
]

LAUNCH = {"executable_path": CHROMIUM, "args": ["--no-sandbox"]}
SHELL = (
    "<html lang=en><head><title>App</title></head><body><nav><a href=/>Home</a></nav>"
    "<div id=app></div><noscript>Please turn on scripts.</noscript>{script}</body></html>"
)
#: Loads the story of the page after a moment, as an application does.
LOADER = """<script>
fetch("/data" + location.pathname).then(answer => answer.json()).then(story => {
  document.title = story.title;
  setTimeout(() => { document.getElementById("app").innerHTML = story.html; }, 200);
});
</script>"""


@pytest.fixture
def rendering(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", FOREST_RENDER="auto", PLAYWRIGHT_LAUNCH_OPTIONS=LAUNCH)


def body_of(number: int) -> str:
    return story(number).partition("<body>")[2].partition("</body>")[0]


def serve_app(server: Server, numbers: range, script: str = LOADER) -> None:
    """An application whose pages have their text from a script, and its feed."""
    for number in numbers:
        server.add(f"/{number}", SHELL.format(script=script))
        data = {"title": story_title(number), "html": body_of(number)}
        server.add(f"/data/{number}", json.dumps(data), kind="application/json")
    server.add("/feed", rss([f"{server.url}/{number}" for number in numbers]), kind="text/xml")


def crawl(project: Project, server: Server, **settings: Any) -> Run:
    return project.crawl("feeds", f"feeds={server.url}/feed", **settings)


@pytest.mark.slow
def test_text_that_a_script_loads(rendering: Project, server: Server) -> None:
    serve_app(server, range(1, 6))
    run = crawl(rendering, server)
    assert (run.status, run.complaints) == (0, [])
    assert run.paths == [f"/{number}" for number in range(1, 6)]
    for number in range(1, 6):
        article = run.by_path[f"/{number}"]
        assert f"Paragraph 5 of {number}." in article["text"]
        assert "data-forest" not in article["html"]
    assert run.stat("render/gained") == 5
    assert "a template has no text in the HTML; its pages are rendered" in run.log


def posts_of(number: int) -> list[str]:
    return [f"Post {i} of {number} tells how the day in the harbour was." for i in range(6)]


@pytest.mark.slow
def test_posts_that_a_script_loads(rendering: Project, server: Server) -> None:
    """Those that the style sheet makes so small that nothing is seen are none."""
    serve_app(server, range(1, 5))
    for number in range(1, 5):
        html = "<style>.muted { transform: scale(0) }</style><h1>Harbour</h1>" + "".join(
            f"<div class='post {'muted' if i == 3 else 'plain'}'><a href=/u/{i}>user{i}</a>"
            f"<time datetime=2024-05-0{i + 1}>May</time><p>{text}</p></div>"
            for i, text in enumerate(posts_of(number))
        )
        data = json.dumps({"title": f"Harbour {number}", "html": html})
        server.add(f"/data/{number}", data, kind="application/json")
    run = crawl(rendering, server, FOREST_KINDS="thread")
    assert (run.status, run.complaints) == (0, [])
    for number in range(1, 5):
        texts = [post["text"] for post in run.by_path[f"/{number}"]["posts"]]
        assert texts == [text for i, text in enumerate(posts_of(number)) if i != 3]


@pytest.mark.slow
def test_pages_with_text_are_not_rendered(rendering: Project, server: Server) -> None:
    for number in range(1, 4):
        server.add(f"/{number}", story(number) + "<script src=/app.js></script>")
    server.add("/feed", rss([f"{server.url}/{number}" for number in range(1, 4)]), kind="text/xml")
    run = crawl(rendering, server)
    assert (run.complaints, len(run.items), run.counted("render")) == ([], 3, {})
    assert "/app.js" not in server.requests


@pytest.mark.slow
def test_two_pages_show_that_rendering_brings_nothing(rendering: Project, server: Server) -> None:
    serve_app(server, range(1, 9), script="<script src=/missing.js></script>")
    run = crawl(rendering, server, CONCURRENT_REQUESTS=1)
    assert run.complaints == []
    assert run.counted("render") == {"no_gain": 2, "skipped": 6}
    assert "its other pages are not rendered" in run.log
    assert server.requests.count("/3") == 1


@pytest.mark.slow
def test_a_page_that_never_ends_is_left(rendering: Project, server: Server) -> None:
    """Its script holds the browser; the crawl goes on, and ends."""
    serve_app(server, range(1, 4))
    busy = "<script>setTimeout(() => { for (;;) {} }, 50);</script>"
    server.add("/2", SHELL.format(script=busy))
    run = crawl(rendering, server, PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT=6000)
    assert run.status == 0
    (line,) = [line for line in run.complaints if "cannot be rendered" in line]
    assert "/2 cannot be rendered: it was not ready within 6 s" in line
    assert run.counted("render") == {"gained": 2, "failed": 1}
    assert "Traceback" not in run.log
    assert {"/1", "/3"} <= set(run.paths)


#: Scripts made to harm the browser or the crawl, before the text of the page is loaded.
HOSTILE = (
    "for (let i = 0; i < 50; i++) window.open('/popup' + i);",
    "for (let i = 0; i < 50; i++) alert(i); confirm(1); onbeforeunload = () => 'stay';",
    "getComputedStyle = null; Element.prototype.setAttribute = () => { throw 1; };",
    "setInterval(() => location.reload(), 20);",
    "setTimeout(() => document.documentElement.remove(), 100);",
    "setInterval(() => document.body.append('x'.repeat(3e6)), 20);",
    "let e = document.body; for (let i = 0; i < 2e4; i++) "
    "e = e.appendChild(document.createElement('div'));",
    "location = 'data:application/zip;base64,AAAA';",
    "location = 'file:///etc/passwd';",
)


@pytest.mark.slow
def test_hostile_scripts_harm_no_other_page(rendering: Project, server: Server) -> None:
    serve_app(server, range(1, 4))
    bad = {f"/bad-{i}": script for i, script in enumerate(HOSTILE)}
    for i, (path, script) in enumerate(bad.items()):
        shell = SHELL.replace("<nav>", "<nav>" + "<i></i>" * i)  # a template of its own
        server.add(path, shell.format(script=f"<script>{script}</script>{LOADER}"))
    server.add("/feed", rss(["/1", *bad, "/2", "/3"]), kind="text/xml")
    run = crawl(
        rendering, server, PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT=12_000, CONCURRENT_REQUESTS=3
    )
    assert run.status == 0
    assert "Traceback" not in run.log
    for path in ("/1", "/2", "/3"):
        assert f"Paragraph 1 of {path[1:]}." in run.by_path[path]["text"]
    assert set(run.paths) == {"/1", "/2", "/3", *bad}  # the others have the text of the feed
    assert "root:" not in str(run.items)


@pytest.mark.slow
def test_a_script_that_leads_to_another_site(rendering: Project, server: Server) -> None:
    with Server("127.0.0.2") as other:
        other.add("/9", story(9))
        serve_app(server, range(1, 3), script=f"<script>location = '{other.url}/9'</script>")
        run = crawl(rendering, server)
    assert "cannot be rendered: its script leads to" in run.log
    assert "Paragraph 1 of 9." not in str(run.items)


@pytest.mark.slow
@pytest.mark.parametrize("is_allowed", [False, thorough(True)])
def test_scripts_cannot_reach_private_addresses(
    rendering: Project, server: Server, monkeypatch: pytest.MonkeyPatch, is_allowed: bool
) -> None:
    """The public site is behind a proxy, which is the test's server."""
    monkeypatch.setenv("http_proxy", server.url)
    url = "http://10.0.0.7/secret"
    secret = json.dumps({"title": "Secret", "html": body_of(7)})
    headers = {"Access-Control-Allow-Origin": "*"}
    server.add("/secret", secret, kind="application/json", headers=headers)
    serve_app(server, range(1, 3), script=LOADER.replace('"/data" + location.pathname', f'"{url}"'))
    links = [f"http://news.example/{number}" for number in range(1, 3)]
    server.add("/feed", rss(links), kind="text/xml")
    start = "feeds=http://news.example/feed"
    run = rendering.crawl("feeds", start, FOREST_ALLOW_PRIVATE=is_allowed)
    assert (run.status, run.complaints) == (0, [])
    assert (url in server.requests) is is_allowed
    assert ("Paragraph 1 of 7." in str(run.items)) is is_allowed


STYLED = """<html lang=en><head><title>{title}</title><style>
body {{ font: 16px/1.5 serif; color: #222 }}
main {{ width: 600px; margin: 0 auto }}
h1 {{ font-size: 28px }}
h2 {{ width: max-content; margin: 0 auto; font-size: 16px }}
.line {{ display: block }}
.picture {{ float: left; width: 180px }}
.stories {{ float: right; width: 150px }}
.off {{ display: none }}
</style></head><body><main><h1>{title}</h1>
<span class=line>{first}</span>
<div class=picture>The lighthouse keeper, photographed from the harbour in the morning</div>
<h2>What the keeper saw</h2>
<span class=line>{second}</span>
<div class=stories>More stories about lighthouses and about their keepers here</div>
<p class=off>Text that the style sheet hides from all readers of this page.</p>
<h2>What the town said</h2>
<span class=line>{third}</span>
</main></body></html>"""


@pytest.mark.slow
def test_mss_with_what_only_the_browser_knows(rendering: Project, server: Server) -> None:
    """Line breaks, fonts, and the alignment with the body (Luo et al. 2009, figure 1)."""
    first, second, third = (f"The {word} keeper wrote it down. " * 9 for word in "abc")
    page = STYLED.format(title="The lighthouse", first=first, second=second, third=third)
    server.add("/1", page)
    server.add("/feed", rss([f"{server.url}/1"]), kind="text/xml")
    run = crawl(rendering, server, FOREST_RENDER="always", FOREST_METHOD="mss")
    assert run.complaints == []
    assert run.items[0]["text"].splitlines() == [
        first.strip(),
        "What the keeper saw",
        second.strip(),
        "What the town said",
        third.strip(),
    ]


@pytest.mark.slow
@pytest.mark.thorough
def test_a_killed_crawl_renders_the_rest(rendering: Project, server: Server) -> None:
    serve_app(server, range(1, 13))
    settings = {"JOBDIR": "job", "CONCURRENT_REQUESTS": 2}
    feeds = f"feeds={server.url}/feed"
    crawling = rendering.start("feeds", feeds, out="all.jsonl", **settings)
    wait_until(lambda: server.requests.count("/data/4") > 0 or crawling.is_over())
    crawling.send(signal.SIGKILL)
    crawling.finish()
    run = rendering.crawl("feeds", feeds, out="all.jsonl", **settings)
    assert run.status == 0
    assert run.paths == sorted(f"/{number}" for number in range(1, 13))
    assert all(f"of {item['url'].rpartition('/')[2]}." in item["text"] for item in run.items)


@pytest.mark.slow
def test_a_download_handler_of_the_project(rendering: Project, server: Server) -> None:
    own = {"https": "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"}
    run = crawl(rendering, server, DOWNLOAD_HANDLERS=json.dumps(own))
    assert "must be scrapy-playwright's, for FOREST_RENDER" in run.log
    assert "Traceback" not in run.log


@pytest.mark.slow
def test_without_a_browser(rendering: Project, server: Server) -> None:
    serve_app(server, range(1, 4))
    launch = json.dumps({"executable_path": "/nowhere/chromium"})
    run = crawl(rendering, server, PLAYWRIGHT_LAUNCH_OPTIONS=launch)
    assert run.status == 0
    (line,) = [line for line in run.complaints if "browser" in line]
    assert "playwright install chromium" in line
    assert "Traceback" not in run.log
