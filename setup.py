"""What setup.cfg cannot say: the modules that are compiled where a compiler is."""

import sys
from importlib.util import find_spec

from setuptools import Extension, setup


def native_modules() -> list[Extension]:
    """Without them the package does the same in Python, more slowly."""
    if find_spec("Cython") is None or find_spec("lxml") is None:
        return []
    import lxml

    # Without it some processors round a product and a sum once, and give other features than numpy.
    arguments = [] if sys.platform == "win32" else ["-ffp-contract=off"]
    names = ("forest_scrapy.core.page._native", "forest_scrapy.core.models._native")
    return [
        Extension(
            name,
            [f"{name.replace('.', '/')}.pyx"],
            include_dirs=lxml.get_include(),
            extra_compile_args=arguments,
            optional=True,
        )
        for name in names
    ]


setup(ext_modules=native_modules())
