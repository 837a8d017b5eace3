"""Embeds: posts, videos, audio, maps and code of other sites, shown inside of an article.

In the HTML of an article an embed is a link: frames and scripts of other sites are never kept.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from forest_scrapy.core.page.content import Media
from forest_scrapy.core.page.text import line_text, text_of_few
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import absolute_url, strip_www

VIDEO = "video"
AUDIO = "audio"
PAGE = "page"


@dataclass(frozen=True)
class Embed:
    """What is embedded: the ``url`` of a page for readers, the ``text`` of the link to it, and its
    ``kind``: ``video``, ``audio`` or ``page``.  ``player``: the URL that plays it, or ``url``."""

    url: str
    text: str
    kind: str
    player: str


@dataclass(frozen=True)
class _Service:
    """How the addresses of a service's frames become addresses for readers.

    ``address``: a pattern of the address without its scheme.  ``page``: the page for readers, with
    the groups of the pattern; ``""``: the frame's own address.  ``kind``: as in ``Embed``.
    """

    address: re.Pattern[str]
    page: str
    kind: str


def _service(
    address: str,
    page: str = "",
    kind: str = PAGE,
) -> _Service:
    return _Service(re.compile(rf"(?:www\.)?{address}", re.IGNORECASE), page, kind)


_YOUTUBE_PAGE = "https://www.youtube.com/watch?v={0}"
_ID = r"([\w-]{1,64})"
#: The services that sites embed most; others are embeds if their address says so.
_SERVICES = (
    _service(
        r"youtube(?:-nocookie)?\.com/embed/videoseries\?(?:.*&)?list=" + _ID,
        "https://www.youtube.com/playlist?list={0}",
        VIDEO,
    ),
    _service(r"youtube(?:-nocookie)?\.com/(?:embed|v|e|shorts|live)/" + _ID, _YOUTUBE_PAGE, VIDEO),
    _service(r"(?:m\.)?youtube\.com/watch\?(?:.*&)?v=" + _ID, _YOUTUBE_PAGE, VIDEO),
    _service(r"youtu\.be/" + _ID, _YOUTUBE_PAGE, VIDEO),
    _service(r"player\.vimeo\.com/video/([0-9]{1,20})", "https://vimeo.com/{0}", VIDEO),
    _service(r"vimeo\.com/([0-9]{1,20})", "https://vimeo.com/{0}", VIDEO),
    _service(
        r"(?:geo\.)?dailymotion\.com/(?:embed/video/|video/|player[\w/.-]{0,64}\?(?:.*&)?video=)"
        + _ID,
        "https://www.dailymotion.com/video/{0}",
        VIDEO,
    ),
    _service(r"tiktok\.com/(?:embed|player)/", "", VIDEO),
    _service(r"embed\.ted\.com/(talks/[\w./-]+)", "https://www.ted.com/{0}", VIDEO),
    _service(r"loom\.com/embed/" + _ID, "https://www.loom.com/share/{0}", VIDEO),
    _service(r"fast\.wistia\.(?:net|com)/embed/", "", VIDEO),
    _service(r"player\.twitch\.tv/", "", VIDEO),
    _service(r"streamable\.com/(?:[eos]/)?" + _ID, "https://streamable.com/{0}", VIDEO),
    _service(r"facebook\.com/plugins/video\.php", "", VIDEO),
    _service(
        r"open\.spotify\.com/embed(?:-podcast)?/(\w+/\w+)", "https://open.spotify.com/{0}", AUDIO
    ),
    _service(r"w\.soundcloud\.com/player", "", AUDIO),
    _service(r"embed\.podcasts\.apple\.com/([^?#]+)", "https://podcasts.apple.com/{0}", AUDIO),
    _service(r"embed\.music\.apple\.com/([^?#]+)", "https://music.apple.com/{0}", AUDIO),
    _service(r"bandcamp\.com/EmbeddedPlayer", "", AUDIO),
    _service(r"player\.simplecast\.com/|player\.captivate\.fm/|embed\.acast\.com/", "", AUDIO),
    _service(
        r"platform\.(?:twitter|x)\.com/embed/\w+\.html\?(?:.*&)?id=([0-9]{1,24})",
        "https://twitter.com/i/status/{0}",
    ),
    _service(r"(?:twitter|x)\.com/(\w{1,30}/status/[0-9]{1,24})", "https://twitter.com/{0}"),
    _service(
        r"instagram\.com/((?:[\w.]{1,40}/)?(?:p|reel|tv)/[\w-]{1,64})",
        "https://www.instagram.com/{0}/",
    ),
    _service(r"threads\.(?:net|com)/(@[\w.]+/post/[\w-]+)", "https://www.threads.net/{0}"),
    _service(r"facebook\.com/plugins/post\.php", ""),
    _service(
        r"embed\.bsky\.app/embed/([\w:.-]+)/app\.bsky\.feed\.post/" + _ID,
        "https://bsky.app/profile/{0}/post/{1}",
    ),
    _service(r"(?:embed\.reddit|redditmedia)\.com/(r/[\w/-]{1,200})", "https://www.reddit.com/{0}"),
    _service(r"linkedin\.com/embed/(feed/update/[\w:-]+)", "https://www.linkedin.com/{0}"),
    _service(r"codepen\.io/([\w-]+)/embed/(?:preview/)?" + _ID, "https://codepen.io/{0}/pen/{1}"),
    _service(r"codesandbox\.io/embed/([\w-]+)", "https://codesandbox.io/s/{0}"),
    _service(r"gist\.github\.com/((?:[\w-]{1,64}/)?[0-9a-f]{5,64})", "https://gist.github.com/{0}"),
    _service(r"jsfiddle\.net/|stackblitz\.com/|replit\.com/|observablehq\.com/embed/", ""),
    _service(r"google\.[a-z.]{2,6}/maps/|maps\.google\.[a-z.]{2,6}/", ""),
    _service(r"openstreetmap\.org/export/embed", ""),
    _service(r"datawrapper\.dwcdn\.net/|flo\.uri\.sh/|e\.infogram\.com/", ""),
    _service(r"slideshare\.net/slideshow/embed_code/|scribd\.com/embeds/", ""),
    _service(r"docs\.google\.com/|archive\.org/embed/|drive\.google\.com/file/", ""),
)
#: A post of any server of Mastodon, and of those alike.
_FEDIVERSE_POST = re.compile(r"(https?://[^/?#]+/@[^/?#]+/[0-9]+)/embed/?$")
#: Frames whose query has the address of what they show.
_WRAPPED = ("url", "href", "src")
_WRAPPERS = re.compile(
    r"//cdn\.embedly\.com/|//cdn\.iframe\.ly/|//iframely|facebook\.com/plugins/|"
    r"//w\.soundcloud\.com/player",
    re.IGNORECASE,
)

#: Parts of the URLs of embedded players, and of those that play audio.
_PLAYERS = ("/embed", "player", "video", "/e/", "podcast", "audio", "track")
_AUDIO_PARTS = (
    ".mp3", ".m4a", ".ogg", ".oga", ".wav", ".aac", "podcast", "audio", "soundcloud",
)  # fmt: skip
#: Titles of frames that say nothing about what is in it.
_NO_TITLE = re.compile(
    r"(?:youtube|vimeo|video|audio|embedded|embed|player|content|iframe|spotify|\W)*", re.IGNORECASE
)

_FRAMES = frozenset(("iframe", "embed", "object", "amp-iframe"))
#: Elements that play the video with an id: what their name has, and the page of a video.
_BY_ID = {
    "lite-youtube": _YOUTUBE_PAGE,
    "youtube-video": _YOUTUBE_PAGE,
    "amp-youtube": _YOUTUBE_PAGE,
    "lite-vimeo": "https://vimeo.com/{0}",
    "vimeo-video": "https://vimeo.com/{0}",
    "amp-vimeo": "https://vimeo.com/{0}",
    "amp-dailymotion": "https://www.dailymotion.com/video/{0}",
    "amp-twitter": "https://twitter.com/i/status/{0}",
    "twitter-embed": "https://twitter.com/i/status/{0}",
    "twitter-tweet": "https://twitter.com/i/status/{0}",
    "amp-instagram": "https://www.instagram.com/p/{0}/",
    "amp-tiktok": "https://www.tiktok.com/embed/v2/{0}",
    "amp-gist": "https://gist.github.com/{0}",
    "amp-soundcloud": "https://api.soundcloud.com/tracks/{0}",
}
#: The elements whose name tells what they embed.
EMBED_TAGS = frozenset(_BY_ID)
_POSTS = frozenset(("amp-twitter", "twitter-embed", "twitter-tweet", "amp-instagram", "amp-gist"))
_ID_ATTRIBUTES = (
    "videoid", "video-id", "data-videoid", "data-video-id", "tweetid", "tweet-id",
    "data-tweetid", "data-tweet-id", "data-shortcode", "data-gistid", "data-trackid", "data-id",
    "data-src",
)  # fmt: skip
#: Elements of any name that a script turns into a player: the attributes with the id of a video.
_ID_PAGES = {
    "data-youtube-id": _YOUTUBE_PAGE,
    "data-youtube": _YOUTUBE_PAGE,
    "data-youtubeid": _YOUTUBE_PAGE,
    "data-yt-id": _YOUTUBE_PAGE,
    "data-ytid": _YOUTUBE_PAGE,
    "data-vimeo-id": "https://vimeo.com/{0}",
    "data-dailymotion-id": "https://www.dailymotion.com/video/{0}",
    "data-tweet-id": "https://twitter.com/i/status/{0}",
}
#: The same whose name does not tell the service: the class does.
_ANY_ID = ("data-video-id", "data-videoid", "data-id", "data-embed")
_ID_CLASSES = (("youtube", _YOUTUBE_PAGE), ("vimeo", "https://vimeo.com/{0}"))
#: Attributes of elements that a script fills, with the address of what is embedded.
_URL_ATTRIBUTES = ("data-oembed-url", "data-embed-url", "data-oembed", "data-href", "data-url")
_FILLED_CLASS = re.compile(r"(?<![a-z])(?:fb-(?:post|video)|o?embed|player|tweet)(?![a-z])", re.I)
#: The names of all these attributes; few elements have one.
_EMBED_DATA = re.compile(
    r"data-(?:youtube|yt-?id|vimeo|dailymotion|tweet|video-?id|id(?![\w-])|o?embed|href|url|attrs)"
)
_VIDEO_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_YOUTUBE_ID = re.compile(r"[\w-]{11}", re.ASCII)

#: Classes of quotations that are posts of other sites.
_QUOTES = re.compile(
    r"(?<![a-z])(?:twitter-(?:tweet|video)|instagram-media|tiktok-embed|mastodon-embed|"
    r"bluesky-embed|reddit-(?:embed-bq|card)|text-post-media|fb-xfbml-parse-ignore|"
    r"imgur-embed-pub|wp-embedded-content)(?![a-z])"
)
_QUOTE_ADDRESSES = ("data-instgrm-permalink", "data-text-post-permalink", "cite", "data-href")
_TITLES = ("title", "data-title", "videotitle", "playlabel", "aria-label", "data-video-title")

#: Characters of a document in an attribute in which a URL is looked for.
MAX_SRCDOC = 20_000
#: Attributes of a frame, and links of a quotation, that are looked at.
MAX_ATTRIBUTES = 60
MAX_LINKS = 50
#: Nodes and characters in an element that a script replaces, at most.
MAX_NODES = 40
MAX_LABEL = 200
#: Longer addresses are none of a page for readers.
MAX_ADDRESS = 4000
#: Longer titles of embeds are cut off.
MAX_TITLE = 200
_URL_IN_TEXT = re.compile(r"(?:https?:)?//[^\s\"'<>]{4,1000}")


def find_embed(element: Element, base: str) -> Embed | None:
    """What an element embeds from another site; None for any other element, and for frames that
    show no content of the article, as far as their addresses tell.  Cost: constant but for the
    length of the attributes.

    >>> from lxml.html import fromstring
    >>> find_embed(fromstring("<lite-youtube videoid=dQw4w9WgXcQ></lite-youtube>"), "").url
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
    """
    tag = element.tag
    if tag in _FRAMES:
        return _read_frame(element, base)
    if tag == "script":
        return _read_script(element, base)
    if tag == "oembed":
        return _from_url(element.get("url") or "", element, base)
    if tag in _BY_ID:
        return _read_player(element, str(tag))
    if _EMBED_DATA.search(" ".join(element.keys()[:MAX_ATTRIBUTES])) is None:
        return None
    embed = _read_placeholder(element, base)
    if embed is not None and _may_be_filled(element):
        return embed
    return None


def _read_frame(frame: Element, base: str) -> Embed | None:
    for url in _list_addresses(frame):
        if (embed := _from_url(url, frame, base)) is not None:
            return embed
    return None


def _list_addresses(frame: Element) -> Iterator[str]:
    """The addresses that a frame has now, or that a script gives it."""
    attributes = list(islice(frame.items(), MAX_ATTRIBUTES))
    for name in ("src", "data"):
        yield frame.get(name) or ""
    for name, value in attributes:
        if name.startswith("data-") and "src" in name:
            yield value
    yield from (match[0] for match in _find_urls(frame.get("srcdoc") or ""))
    for parameter in islice(frame.iterchildren("param"), MAX_LINKS):
        if (parameter.get("name") or "").lower() in ("movie", "src"):
            yield parameter.get("value") or ""


def _find_urls(text: str) -> Iterator[re.Match[str]]:
    return islice(_URL_IN_TEXT.finditer(text, 0, MAX_SRCDOC), MAX_LINKS)


def _from_url(
    url: str,
    element: Element,
    base: str,
) -> Embed | None:
    """The embed with this address; None if it is not known to be one."""
    is_address = 0 < len(url.strip()) <= MAX_ADDRESS and "{" not in url
    player = absolute_url(url, base) if is_address else ""
    if not player.startswith("http"):
        return None
    address = read_address(player)
    if address is not None:
        page, kind = address
        title = _title_of(element, page)
        return Embed(page, title, kind, player)
    is_player = any(part in player for part in _PLAYERS)
    if is_player and element.tag in _FRAMES:
        title = _title_of(element, player)
        return Embed(player, title, _kind_of(player), player)
    return None


def read_address(url: str) -> tuple[str, str] | None:
    """The page for readers of what a frame with this URL shows, and its kind; None if the service
    is not known.

    >>> read_address("https://player.vimeo.com/video/76979871?h=8272103f6e")
    ('https://vimeo.com/76979871', 'video')
    >>> read_address("https://mastodon.example/@owl/7/embed")
    ('https://mastodon.example/@owl/7', 'page')
    """
    post = _FEDIVERSE_POST.match(url)
    if post is not None:
        return post[1], PAGE
    wrapped = _unwrap(url) if _WRAPPERS.search(url) else ""
    address = url.partition("//")[2]
    for service in _SERVICES:
        match = service.address.match(address)
        if match is None:
            continue
        if service.page:
            return service.page.format(*match.groups()), service.kind
        return wrapped or url, service.kind
    if wrapped:
        return read_address(wrapped) or (wrapped, PAGE)
    return None


def _unwrap(url: str) -> str:
    """The address in the query of a frame's; ``""`` if there is none."""
    try:
        parameters = dict(parse_qsl(urlsplit(url).query, max_num_fields=MAX_ATTRIBUTES))
    except ValueError:
        return ""
    for name in _WRAPPED:
        wrapped = parameters.get(name, "")
        if wrapped.startswith("//"):
            wrapped = f"https:{wrapped}"
        if wrapped.startswith("http") and _WRAPPERS.search(wrapped) is None:
            return quote(unquote(wrapped), safe=":/?#[]@!$&'()*+,;=%-._~")
    return ""


def _kind_of(url: str) -> str:
    lowered = url.lower()
    if any(part in lowered for part in _AUDIO_PARTS):
        return AUDIO
    return VIDEO


def _title_of(element: Element, url: str) -> str:
    """The title of what is embedded; its address without the scheme if it has none."""
    for name in _TITLES:
        title = " ".join((element.get(name) or "").split())[:MAX_TITLE]
        if title and _NO_TITLE.fullmatch(title) is None:
            return title
    return strip_www(url.partition("//")[2])[:MAX_TITLE] or url


def _read_player(element: Element, tag: str) -> Embed | None:
    """The embed of an element whose name tells the service."""
    for name in _ID_ATTRIBUTES:
        identifier = (element.get(name) or "").strip()
        if _VIDEO_ID.fullmatch(identifier):
            return _by_id(_BY_ID[tag], identifier, element, tag in _POSTS)
    for name in ("src", "data-src", "url"):
        url = element.get(name) or ""
        embed = _from_url(url, element, "")
        if embed is not None:
            return embed
    return None


def _by_id(
    page: str,
    identifier: str,
    element: Element,
    is_post: bool,
) -> Embed:
    url = page.format(identifier)
    kind = PAGE if is_post else _kind_of(url)
    return Embed(url, _title_of(element, url), kind, url)


def _may_be_filled(element: Element) -> bool:
    """Whether the element has no text but that of a button."""
    text = text_of_few(element, MAX_NODES)
    return text is not None and len(text) <= MAX_LABEL


def _read_placeholder(element: Element, base: str) -> Embed | None:
    """The embed of an element of any name that a script replaces by a player or a post."""
    names = element.get("class") or ""
    for name, page in _ID_PAGES.items():
        identifier = element.get(name) or ""
        is_wanted = _YOUTUBE_ID if page is _YOUTUBE_PAGE else _VIDEO_ID
        if is_wanted.fullmatch(identifier):
            return _by_id(page, identifier, element, name == "data-tweet-id")
    lowered = names.lower()
    for word, page in _ID_CLASSES:
        if word not in lowered:
            continue
        is_wanted = _YOUTUBE_ID if page is _YOUTUBE_PAGE else _VIDEO_ID
        for name in _ANY_ID:
            if is_wanted.fullmatch(element.get(name) or ""):
                return _by_id(page, element.get(name) or "", element, is_post=False)
    if _FILLED_CLASS.search(names) is None:
        if element.get("data-attrs"):
            return _read_attributes(element)
        return None
    for name in _URL_ATTRIBUTES:
        url = element.get(name) or ""
        if url and (embed := _from_url(url, element, base)) is not None:
            return embed
        if url.startswith("http") and "fb-" in names:
            return Embed(url, _title_of(element, url), VIDEO if "video" in names else PAGE, url)
    return None


def _read_attributes(element: Element) -> Embed | None:
    """The embed of an element whose attributes for a script are JSON with the id of a video."""
    text = element.get("data-attrs") or ""
    try:
        data = json.loads(text) if len(text) <= MAX_SRCDOC else None
    except (ValueError, RecursionError):
        return None
    identifier = data.get("videoId") if isinstance(data, dict) else None
    if not isinstance(identifier, str) or "youtube" not in (element.get("class") or ""):
        return None
    if _YOUTUBE_ID.fullmatch(identifier) is None:
        return None
    return _by_id(_YOUTUBE_PAGE, identifier, element, is_post=False)


_GIST = re.compile(r"(?:https?:)?//gist\.github\.com/([\w-]{1,64}/[0-9a-f]{5,64})\.js(?:\?|$)")


def _read_script(script: Element, base: str) -> Embed | None:
    """The code that a script shows in its place."""
    gist = _GIST.match(script.get("src") or "")
    if gist:
        return _from_url(f"https://gist.github.com/{gist[1]}", script, base)
    return None


def is_post(element: Element) -> bool:
    """Whether a quotation is a post of another site, which a script would show as that site does.

    >>> from lxml.html import fromstring
    >>> is_post(fromstring("<blockquote class=twitter-tweet>An owl</blockquote>"))
    True
    """
    if element.tag != "blockquote":
        return False
    names = element.get("class") or ""
    return _QUOTES.search(names) is not None


def read_post(quotation: Element, base: str) -> Embed | None:
    """The post that a quotation shows; None if its address is unknown."""
    hrefs = [link.get("href") or "" for link in islice(quotation.iter("a"), MAX_LINKS)]
    addresses = [quotation.get(name) or "" for name in _QUOTE_ADDRESSES]
    for candidate in (*addresses, *reversed(hrefs)):
        url = absolute_url(candidate, base) if candidate.strip() else ""
        address = read_address(url) if url else None
        if address is not None:
            page, kind = address
            return Embed(page, _post_text(quotation, page), kind, page)
    for candidate in (*addresses, *hrefs[-1:]):
        url = absolute_url(candidate, base) if candidate.strip() else ""
        if url.startswith("http"):
            names = quotation.get("class") or ""
            kind = VIDEO if "tiktok" in names else PAGE
            return Embed(url, _post_text(quotation, url), kind, url)
    return None


def _post_text(quotation: Element, url: str) -> str:
    """The last paragraph or link with a text; the address without its scheme if there is none."""
    last_text = ""
    elements = islice(quotation.iter("a", "p"), MAX_LINKS)
    for element in elements:
        text = line_text(element)
        if text:
            last_text = text
    if last_text:
        return last_text[:MAX_TITLE]
    _, _, address = url.partition("//")
    return address


def has_link(quotation: Element) -> bool:
    """Whether a quotation has a link with a text, to which readers can go."""
    links = islice(quotation.iter("a"), MAX_LINKS)
    return any(link.get("href") and line_text(link) for link in links)


def is_empty_post(quotation: Element) -> bool:
    """Whether a quotation has only what a script replaces: no text but that of links."""
    return "instagram-media" in (quotation.get("class") or "") or not line_text(quotation)


def find_media(element: Element, base: str) -> Iterator[Media]:
    """The videos and audio in the element, and the embeds that play one, in document order."""
    for player in element.iter("video", "audio", "amp-video", "amp-audio", *_FRAMES, *_BY_ID):
        if player.tag in _FRAMES or player.tag in _BY_ID:
            embed = find_embed(player, base)
            if embed is not None and embed.kind != PAGE:
                yield Media(embed.player, embed.kind == AUDIO)
            continue
        for source in list_sources(player):
            url = absolute_url(source, base)
            if url.startswith("http"):
                is_audio = "audio" in str(player.tag) or _kind_of(url) == AUDIO
                yield Media(url, is_audio)
                break


def list_sources(player: Element) -> list[str]:
    """The files of a video or audio element as its page writes them, best first."""
    names = ("src", "data-src", "data-lazy-src", "data-video-src")
    sources = [player, *islice(player.iter("source"), MAX_LINKS)]
    urls = []
    for source in sources:
        for name in names:
            address = source.get(name) or ""
            url = address.strip()
            if url:
                urls.append(url)
    return urls
