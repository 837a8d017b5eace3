"""Embeds of other sites: links in the HTML, never frames; what plays is among the media."""

# ruff: noqa: E501 (tables of markup)

from __future__ import annotations

import pytest
from effort import limited_effort
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.markdown.blocks import to_markdown
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.embeds import find_embed, read_address
from forest_scrapy.core.page.markup import clean_markup
from forest_scrapy.core.page.tree import parse_html

BASE = "http://a.example/x/"
ID = "dQw4w9WgXcQ"
WATCH = f"https://www.youtube.com/watch?v={ID}"


def content_of(html: str) -> Content:
    content = read_content(
        parse_html(f"<div><p>Before</p>{html}<p>After</p></div>")[0][0], (), BASE
    )
    assert content.text.startswith("Before") and content.text.endswith("After")
    html = clean_markup(content.markup)
    assert "<iframe" not in html and "<script" not in html
    return content


def hrefs(content: Content) -> list[str]:
    root = parse_html(clean_markup(content.markup))
    links = [link.get("href") or "" for link in root.iter("a")]
    assert all("".join(link.itertext()).strip() for link in root.iter("a"))
    return links


@pytest.mark.parametrize(
    "html",
    [
        f"<iframe src=https://www.youtube.com/embed/{ID}?rel=0></iframe>",
        f"<iframe class=lazy data-src=//www.youtube-nocookie.com/embed/{ID}></iframe>",
        f"<iframe data-cookieblock-src=https://www.youtube.com/embed/{ID}></iframe>",
        f"<iframe src=about:blank srcdoc='<a href=https://www.youtube.com/embed/{ID}>x</a>'></iframe>",
        f"<iframe src='https://cdn.embedly.com/widgets/media.html?src=x&url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3D{ID}'></iframe>",
        f"<object data=https://www.youtube.com/v/{ID}></object>",
        f"<lite-youtube videoid={ID} playlabel='Play: Owls'></lite-youtube>",
        f"<lite-youtube video-id={ID}><a href=/b><span>Play</span></a></lite-youtube>",
        f"<youtube-video src={WATCH}></youtube-video>",
        f"<amp-youtube data-videoid={ID} width=480></amp-youtube>",
        f"<div class=rll-youtube-player data-id={ID} data-query></div>",
        f"<div class=embed data-youtube-id={ID}><img src=/thumb.jpg><button>Play</button></div>",
        f"<div class='youtube-player' data-video-id={ID}></div>",
        f'<div class=youtube-wrap data-attrs=\'{{"videoId":"{ID}"}}\'></div>',
        f"<figure class=media><oembed url=https://youtu.be/{ID}></oembed></figure>",
        f"<noscript><iframe src=https://www.youtube.com/embed/{ID}></iframe></noscript>",
        f"<figure><div><iframe src=https://www.youtube.com/embed/{ID}></iframe></div></figure>",
        f"<p>Owls <iframe src=https://www.youtube.com/embed/{ID}></iframe> fly</p>",
    ],
)
def test_videos_of_youtube_are_links_to_them(html: str) -> None:
    content = content_of(html)
    assert hrefs(content) == [WATCH]
    assert [media.is_audio for media in content.media] == [False]
    assert ID in content.media[0].url
    assert WATCH in to_markdown(clean_markup(content.markup))


@pytest.mark.parametrize(
    ("address", "page", "kind"),
    [
        ("//player.vimeo.com/video/76979871?h=1", "https://vimeo.com/76979871", "video"),
        ("//www.dailymotion.com/embed/video/x7", "https://www.dailymotion.com/video/x7", "video"),
        ("//www.youtube.com/embed/videoseries?si=a&list=PLx", "https://www.youtube.com/playlist?list=PLx", "video"),
        ("//open.spotify.com/embed/episode/4rO?utm=1", "https://open.spotify.com/episode/4rO", "audio"),
        ("//w.soundcloud.com/player/?url=https%3A//soundcloud.com/a/b&color=1", "https://soundcloud.com/a/b", "audio"),
        ("//embed.podcasts.apple.com/us/podcast/a/id1", "https://podcasts.apple.com/us/podcast/a/id1", "audio"),
        ("//platform.twitter.com/embed/Tweet.html?dnt=1&id=20", "https://twitter.com/i/status/20", "page"),
        ("//www.instagram.com/p/B1_x/embed/captioned/", "https://www.instagram.com/p/B1_x/", "page"),
        ("//www.facebook.com/plugins/post.php?href=https%3A%2F%2Fwww.facebook.com%2Fa%2Fposts%2F1&width=500", "https://www.facebook.com/a/posts/1", "page"),
        ("//www.facebook.com/plugins/video.php?href=https%3A%2F%2Fwww.facebook.com%2Fa%2Fvideos%2F1", "https://www.facebook.com/a/videos/1", "video"),
        ("//mastodon.example/@owl/7/embed", "https://mastodon.example/@owl/7", "page"),
        ("//embed.bsky.app/embed/did:plc:a/app.bsky.feed.post/3k", "https://bsky.app/profile/did:plc:a/post/3k", "page"),
        ("//codepen.io/owl/embed/abc?default-tab=css", "https://codepen.io/owl/pen/abc", "page"),
        ("//www.google.com/maps/embed?pb=!1m1", "https://www.google.com/maps/embed?pb=!1m1", "page"),
        ("//v.example/embed/7", "https://v.example/embed/7", "video"),
        ("//p.example/podcast/7", "https://p.example/podcast/7", "audio"),
    ],
)  # fmt: skip
def test_frames_are_links_to_pages_for_readers(address: str, page: str, kind: str) -> None:
    content = content_of(f"<iframe src='https:{address}' title='Owls & more'></iframe>")
    assert hrefs(content) == [page]
    assert "Owls &amp; more" in content.markup and "Owls" not in content.text
    assert [media.is_audio for media in content.media] == (
        [] if kind == "page" else [kind == "audio"]
    )
    assert [link.url for link in content.links] == ([page] if kind == "page" else [])


@pytest.mark.parametrize(
    "html",
    [
        "<iframe src=https://ads.example/1></iframe>",
        "<iframe></iframe>",
        "<iframe src='http://['></iframe>",
        "<iframe src=javascript:alert(1)></iframe>",
        "<iframe data-src='{{url}}'></iframe>",
        "<iframe srcdoc='<p>Sign up</p>'></iframe>",
        "<div data-id=dQw4w9WgXcQ class=card></div>",
        "<div class=player data-url=/a></div>",
        "<div class=youtube-wrap data-attrs='[' data-video-id=no></div>",
        "<lite-youtube></lite-youtube>",
        "<script src=https://platform.twitter.com/widgets.js></script>",
    ],
)
def test_other_frames_and_elements_are_no_embeds(html: str) -> None:
    content = content_of(html)
    assert hrefs(content) == [] and content.media == ()


def test_an_element_with_a_text_is_no_placeholder() -> None:
    text = "The owls of the valley fly at night. " * 9
    content = content_of(f"<div class=youtube-page data-id={ID}><p>{text}</p></div>")
    assert text.strip() in content.text and hrefs(content) == []


TWEET = (
    "<blockquote class=twitter-tweet><p lang=en>Owls <a href=https://t.co/x>pic</a></p>&mdash; Owl "
    "(@owl) <a href='https://twitter.com/owl/status/20?ref_src=twsrc'>May 1</a></blockquote>"
    "<script async src=https://platform.twitter.com/widgets.js></script>"
)


def test_the_text_of_a_tweet_is_kept_with_its_link() -> None:
    content = content_of(TWEET)
    assert content.text == "Before\nOwls pic\n\u2014 Owl (@owl) May 1\nAfter"
    assert hrefs(content) == ["https://t.co/x", "https://twitter.com/owl/status/20?ref_src=twsrc"]
    assert "<blockquote>" in content.markup


@pytest.mark.parametrize(
    ("html", "page"),
    [
        ("<blockquote class=twitter-tweet><a href=https://twitter.com/a/status/2></a></blockquote>", "https://twitter.com/a/status/2"),
        ("<amp-twitter data-tweetid=20></amp-twitter>", "https://twitter.com/i/status/20"),
        ("<twitter-embed tweetid=20></twitter-embed>", "https://twitter.com/i/status/20"),
        ("<div data-tweet-id=20></div>", "https://twitter.com/i/status/20"),
        ("<iframe src='https://x.com/a/status/2'></iframe>", "https://twitter.com/a/status/2"),
        ("<div class=fb-post data-href=https://www.facebook.com/a/posts/1></div>", "https://www.facebook.com/a/posts/1"),
        ("<script src=https://gist.github.com/owl/0a1b2c3d.js></script>", "https://gist.github.com/owl/0a1b2c3d"),
        (
            "<blockquote class=instagram-media data-instgrm-permalink='https://www.instagram.com/p/B1/?utm=1'>"
            "<div><a href=https://www.instagram.com/p/B1/><div>View this post on Instagram</div></a>"
            "<p><a href=https://www.instagram.com/p/B1/>A post shared by Owl (@owl)</a></p></div></blockquote>",
            "https://www.instagram.com/p/B1/",
        ),
    ],
)  # fmt: skip
def test_posts_that_a_script_shows_are_links(html: str, page: str) -> None:
    content = content_of(html)
    assert hrefs(content) == [page]
    assert "View this post" not in content.text + content.markup


def test_a_post_of_tiktok_is_text_and_video() -> None:
    content = content_of(
        "<blockquote class=tiktok-embed cite=https://www.tiktok.com/@owl/video/7 data-video-id=7>"
        "<section><p>Owls at night</p></section></blockquote>"
    )
    assert "Owls at night" in content.text
    assert hrefs(content) == ["https://www.tiktok.com/@owl/video/7"]
    assert [media.url for media in content.media] == ["https://www.tiktok.com/@owl/video/7"]


@pytest.mark.parametrize(
    ("html", "urls"),
    [
        (
            "<video controls><source src=/a.mp4 type=video/mp4><source src=/a.webm></video>",
            ["a.mp4"],
        ),
        ("<video data-src=/a.mp4 poster=/p.jpg></video>", ["a.mp4"]),
        ("<video><source data-src=/a.mp4></video>", ["a.mp4"]),
        ("<amp-video><source src=/a.mp4></amp-video>", ["a.mp4"]),
        ("<audio src=/a.mp3>Download it</audio>", ["a.mp3"]),
    ],
)
def test_files_that_play(html: str, urls: list[str]) -> None:
    content = content_of(html)
    assert [media.url.rpartition("/")[2] for media in content.media] == urls
    assert urls[0] in clean_markup(content.markup) and "Download" not in content.text
    assert clean_markup(content.markup).count("<source") == html.count("<source")


@given(st.text())
def test_any_address_is_read(address: str) -> None:
    read_address(address)
    frame = parse_html("<iframe>")[0][0]
    frame.set("src", "x")
    assert find_embed(frame, BASE) is None


@pytest.mark.parametrize(
    "html",
    [
        f"<iframe src='https://www.youtube.com/watch?{'v&' * 200_000}'></iframe>",
        f"<iframe srcdoc='{'//' * 200_000}'></iframe>",
        f"<iframe title='{'embed' * 100_000}' src=https://v.example/embed/1></iframe>",
        f"<div class=youtube data-attrs='{'[' * 19_000}'></div>",
        "<blockquote class=twitter-tweet>" * 2000,
        "<div data-x=1>" * 3000,
        "<object data=/embed/>" * 3000,
        f"<div data-x=1>{'<b>a</b>' * 20_000}</div>",
    ],
)
def test_hostile_embeds_take_no_time(html: str) -> None:
    root = parse_html(f"<div>{html}</div>")[0][0]
    with limited_effort(3):
        read_content(root, (), BASE)
