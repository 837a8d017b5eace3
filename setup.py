"""What setup.cfg cannot say: the modules that are compiled where a compiler is."""

from importlib.util import find_spec

from setuptools import Extension, setup


def native_modules() -> list[Extension]:
    """Without them the package does the same in Python, more slowly."""
    if find_spec("Cython") is None or find_spec("lxml") is None:
        return []
    import lxml

    names = ("forest_scrapy.core.page._native", "forest_scrapy.core.models._native")
    return [
        Extension(
            name,
            [f"{name.replace('.', '/')}.pyx"],
            include_dirs=lxml.get_include(),
            optional=True,
        )
        for name in names
    ]


setup(ext_modules=native_modules())
