"""Messages recommend the command that works in this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.support import starter
from tests.crawls.helpers import environment

ADDON = 'ADDONS = {"forest_scrapy.Addon": 500}\n'
COMMAND = ("-m", "scrapy", "forest", "form", "form.html", "-o", "form")
FORM = "<form action=/s><input name=q><input type=submit></form><p>The films of the town."


@pytest.mark.crawl
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (None, "forest-scrapy crawl form"),
        ("", "forest-scrapy crawl form"),
        (ADDON, "scrapy crawl form"),
    ],
    ids=["no project", "a project without the add-on", "a project with the add-on"],
)
def test_the_command_that_knows_the_spiders(
    tmp_path: Path, settings: str | None, expected: str
) -> None:
    if settings is not None:
        (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = project_settings\n")
        (tmp_path / "project_settings.py").write_text(settings)
    (tmp_path / "form.html").write_text(FORM)
    done = starter.run(COMMAND, tmp_path, environment())
    assert f"no form of the page was probed: first {expected}" in done.stderr


@pytest.mark.crawl
def test_a_message_of_a_program_loads_no_settings(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = not_there\n")
    program = "from forest_scrapy.settings import crawl_command; print(crawl_command())"
    done = starter.run(("-c", program), tmp_path, environment())
    assert (done.stdout, done.stderr) == ("scrapy crawl\n", "")
