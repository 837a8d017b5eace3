"""The core works where Scrapy, Twisted and feedparser cannot be imported."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys


class Block:
    NAMES = ("scrapy", "twisted", "feedparser", "itemadapter", "sqlite3")

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.NAMES:
            raise ImportError(f"{name} is blocked")


sys.meta_path.insert(0, Block())

import forest_scrapy.core as core

menu = "<ul><li>home</li><li>about</li></ul>"
texts = ("harbour boats fish in the net", "owl hedge mice in the field")
pages = [
    core.Page.from_html(f"{menu}<div class=story>{text}</div>", f"http://a.example/{i}")
    for i, text in enumerate(texts)
]
wrapper = core.Wrapper.loads(core.learn(pages, core.Params("forest")).dumps())
assert [wrapper.apply(page).text for page in pages] == list(texts)
assert core.extract(pages[0], wrapper)[1].text == texts[0]
core.learn(pages)  # by the classifier

import forest_scrapy.core.templates.signals, forest_scrapy.core.templates.fingerprints

hosts = core.HostClusters()
for page in pages:
    hosts.add(core.Fingerprint(forest_scrapy.core.templates.fingerprints.typed_paths(page)))
assert len(hosts.clusters()) == 1

for name in Block.NAMES:
    assert name not in sys.modules, name
    try:
        __import__(name)
    except ImportError as error:
        assert "is blocked" in str(error)
    else:
        raise AssertionError(name)
print(wrapper.xpath)
"""


def test_the_core_needs_no_scrapy() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", CODE], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "//div[@class='story'][count(ancestor::*)=2]\n"
