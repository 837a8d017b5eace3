"""The start of the program ``forest-scrapy``."""

import gc


def main() -> None:
    """Run the command of the command line.

    No garbage is collected while modules are loaded: there is none, and all that was loaded would
    be looked through again and again, a tenth of the time of ``extract`` of one page.
    """
    gc.disable()
    from forest_scrapy.commands.main import main as run_command

    run_command()
