"""What setup.cfg cannot say: the module that is compiled where a compiler is."""

from importlib.util import find_spec

from setuptools import Extension, setup


def native_modules() -> list[Extension]:
    """Without them the package does the same in Python, more slowly."""
    if find_spec("Cython") is None or find_spec("lxml") is None:
        return []
    import lxml

    name = "forest_scrapy.core.page._native"
    source = f"{name.replace('.', '/')}.pyx"
    return [Extension(name, [source], include_dirs=lxml.get_include(), optional=True)]


setup(ext_modules=native_modules())
