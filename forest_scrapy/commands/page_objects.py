"""A folder with a page object for web-poet, and a test for each of some pages."""

import sys
from argparse import Namespace
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from scrapy.http import Response

from forest_scrapy.commands.forest_command import Action
from forest_scrapy.commands.pages import Fetched, read_pages
from forest_scrapy.core import ForestError
from forest_scrapy.core.exports.page_object import page_name
from forest_scrapy.core.plurals import count
from forest_scrapy.output_files import write_text_file

#: What the tests need.
_PACKAGES = ("web_poet", "zyte_common_items", "time_machine")
#: pytest adds the folder of this file to the path, so that the module is found.
_CONFTEST = '"""The tests of this folder are in fixtures/, see web-poet."""\n'


def write_page_folder(
    source: str,
    host: str,
    options: Namespace,
    action: Action,
    required_field: str = "articleBody",
) -> str:
    """Write the module, and a fixture as ``savefixture`` of scrapy-poet writes it for each page on
    which the page object finds ``required_field``; its output is that of the page object now.
    Raises ``ForestError``."""
    folder = Path(options.output)
    class_name = page_name(host)
    module = class_name.lower()
    write_text_file(str(folder / f"{module}.py"), source)
    write_text_file(str(folder / "conftest.py"), _CONFTEST)
    if not options.pages:
        return f"{folder / module}.py is written; --pages adds tests\n"

    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise ForestError(
            f"the module is written, but its tests need {', '.join(missing)} here, too: pip install"
            " web-poet zyte-common-items"
        )
    fetched = Fetched(action.errors)
    read_pages(options.pages, "", action, fetched=fetched)
    page_class = getattr(_load(folder / f"{module}.py", module), class_name)
    tests = 0
    fixtures = folder / "fixtures" / f"{module}.{class_name}"
    for response in fetched.responses.values():
        if _write_fixture(fixtures, page_class, response, required_field):
            tests += 1
    others = len(fetched.responses) - tests
    what = "a text" if required_field == "articleBody" else f"a {required_field}"
    note = f"; {count(others, 'page')} without {what} by this wrapper" if others else ""
    return f"{folder / module}.py is written, with tests of {count(tests, 'page')}{note}\n"


def _load(path: Path, name: str) -> Any:
    """The module of a file.  ``web_poet`` finds it by its name, to write it into the fixtures."""
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _write_fixture(
    folder: Path,
    page_class: Any,
    response: Response,
    required_field: str,
) -> bool:
    """Write the fixture of a page; False if the page object does not find this field on it."""
    import asyncio

    from web_poet import HttpResponse
    from web_poet.testing import Fixture

    headers = {}
    for name, value in response.headers.to_unicode_dict().items():
        headers[str(name)] = str(value)
    http_response = HttpResponse(
        url=response.url,
        body=response.body,
        status=response.status,
        headers=headers,
        encoding=getattr(response, "encoding", None),
    )
    item = asyncio.run(page_class(http_response).to_item())
    if not getattr(item, required_field):
        return False
    Fixture.save(folder, inputs=[http_response], item=item)
    return True
