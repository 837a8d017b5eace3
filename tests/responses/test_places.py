"""Which requests take places; slow hosts in a crawl are in tests/crawls/test_slow_hosts.py."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from forest_scrapy.responses.places import OpenHostsQueue, PatientDownloader, share_places


def test_slow_requests_take_no_places() -> None:
    settings = Settings()
    share_places(settings)
    assert settings["DOWNLOADER"] is PatientDownloader
    assert settings["SCHEDULER_PRIORITY_QUEUE"] is OpenHostsQueue


@pytest.mark.filterwarnings("ignore:The CONCURRENT_REQUESTS_PER_IP")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DOWNLOADER", "own.Downloader"),
        ("SCHEDULER_PRIORITY_QUEUE", "own.Queue"),
        ("CONCURRENT_REQUESTS_PER_IP", 2),
    ],
)
def test_classes_of_the_project_are_kept(name: str, value: object) -> None:
    settings = Settings({name: value})
    share_places(settings)
    assert settings[name] == value
    assert settings["DOWNLOADER"] is not PatientDownloader
    assert settings["SCHEDULER_PRIORITY_QUEUE"] is not OpenHostsQueue
