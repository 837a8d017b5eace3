"""What a response is that a user has named as a page or a feed, and that is neither."""

from scrapy.http import Response, TextResponse

#: What begins with these bytes.
_MAGIC = {
    b"%PDF-": "a PDF",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
}
#: The first bytes of zip files, and of documents of office programs, which are some.
_ZIP = b"PK\x03\x04"
#: What has a media type that begins so.
_TYPES = {
    "application/pdf": "a PDF",
    "image/": "an image",
    "audio/": "a sound file",
    "video/": "a video",
    "font/": "a font",
    "application/zip": "a zip file",
    "application/msword": "a document of a word processor",
    "application/vnd.openxmlformats": "a document of an office program",
    "application/vnd.oasis": "a document of an office program",
    "application/octet-stream": "a file to download",
}


def describe_file(response: Response) -> str:
    """What a response is that is no text, such as ``an image``; ``""`` for a text, such as HTML.

    Images in SVG, which are XML, are images, too; what a server calls an image and is a text is
    none.

    >>> describe_file(Response("http://a.example/1", body=b"%PDF-1.7 ..."))
    'a PDF'
    """
    start = response.body[:16].lstrip()
    for magic, name in _MAGIC.items():
        if start.startswith(magic):
            return name
    media_type = (response.headers.get("Content-Type") or b"").decode("latin-1").strip().lower()
    is_zip = start.startswith(_ZIP)
    is_text = isinstance(response, TextResponse) and not media_type.startswith("image/svg")
    if (is_text and not is_zip) or not response.body:
        return ""
    for start_of_type, name in _TYPES.items():
        if media_type.startswith(start_of_type):
            return name
    return "a zip file" if is_zip else ""
