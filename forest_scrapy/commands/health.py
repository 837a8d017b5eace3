"""``scrapy forest health``: the digest of the last crawl."""

from argparse import Namespace

from scrapy.exceptions import UsageError

from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.core import ForestError
from forest_scrapy.core.codec import to_json
from forest_scrapy.core.plurals import count
from forest_scrapy.report.handing_on import waiting_digests
from forest_scrapy.report.health import health_file, health_page, read_digest, untold_folder


class NoDigest(ForestError):
    """There is no digest; the message says what writes it."""


class Health(Action):
    """Print the health digest of the last crawl: what needs a person.

    The exit status is 3 if something does, 1 if the crawl has failed or there is no digest, and 0
    if all is well. With --new nothing is printed unless something is new: cron mails what is.
    """

    name = "health"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("--json", action="store_true", help="print JSON, with all sources")
        add("--new", action="store_true", help="print only what the crawl before did not have")

    def run(self, options: Namespace) -> str:
        """Raises ``NoDigest`` and ``BadDigest``."""
        if options.json and options.new:
            raise UsageError("--json prints all; name --json or --new")
        digest = read_digest(self.config) if self.config.health else None
        if digest is None:
            raise NoDigest(
                f"there is no digest in {health_file(self.config)} yet; a crawl writes it, unless"
                ' FOREST_HEALTH is ""'
            )
        self.exit_status = digest.status
        if options.json:
            return json_text(to_json(digest, whole=True))
        lines = digest.new_lines() if options.new else digest.lines()
        waiting = len(waiting_digests(untold_folder(self.config)))
        if waiting and not options.new:
            digests = count(waiting, "digest waits", "digests wait")
            lines.append(f"! FOREST_ON_TROUBLE has failed: {digests} for the next crawl")
        if lines:
            lines.append(f"all sources: {health_page(self.config)}")
        return "".join(f"{line}\n" for line in lines)
