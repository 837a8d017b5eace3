"""All regular expressions of the package, and how the package calls each of them.

Found are those in variables of modules, in containers, values and classes there; those of tables of
wordings, which are compiled when they are first used; those that functions without arguments
return; and those that are written in calls such as ``re.search("[a-z]", text)``.  Functions that
make an expression from their arguments are listed in ``MAKERS``.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from types import BuiltinMethodType, ModuleType
from typing import Any

import forest_scrapy
from forest_scrapy.core.boilerplate.wordings import Wordings
from forest_scrapy.core.lazy import LazyPattern

# How the package calls expressions, and what is timed for that.
_METHODS = {
    "match": "match",
    "fullmatch": "fullmatch",
    "search": "search",
    "sub": "search",
    "subn": "search",
    "split": "search",
    "findall": "search",
    "finditer": "search",
}
ALL_METHODS = ("search", "match", "fullmatch")
# The position of the flags among the arguments of functions of ``re``, where it is not 2.
_POSITIONS_OF_FLAGS = {
    "compile": 1,
    "sub": 4,
    "subn": 4,
    "split": 3,
}
# Containers in each other that are looked into.
_MAX_DEPTH = 4
_LANGUAGES = ("", "ar", "de", "en", "es", "fi", "fr", "hi", "ja", "ko", "ru", "th", "tr", "zh")


@dataclass(frozen=True)
class NamedExpression:
    """A compiled expression and where it is: ``forest_scrapy.core.page.urls._HOST``.

    ``methods``: of ``ALL_METHODS``, those by which the package calls it.
    """

    name: str
    expression: re.Pattern[str] | re.Pattern[bytes]
    methods: tuple[str, ...] = ALL_METHODS


def package_expressions(package: ModuleType = forest_scrapy) -> list[NamedExpression]:
    """All expressions of a package, in the order of their names.

    Modules whose requirements are not installed are passed over.
    """
    expressions: dict[tuple[str, Any, int], NamedExpression] = {}
    for module in _modules(package):
        for named in _expressions_of_module(module):
            expression = named.expression
            key = (named.name, expression.pattern, expression.flags)
            earlier = expressions.get(key)
            expressions[key] = _merge(earlier, named)

    def order(item: NamedExpression) -> tuple[str, str]:
        return item.name, str(item.expression.pattern)

    return sorted(expressions.values(), key=order)


def unknown_makers(package: ModuleType = forest_scrapy) -> list[str]:
    """Functions that make expressions from what only they know, and are not in ``MAKERS``."""
    names = set()
    for module in _modules(package):
        source = _source_of(module)
        for name, call in _calls_in_functions(source):
            maker = f"{module.__name__}.{name}"
            if maker in MAKERS:
                continue
            if _written_expression(call, module) is None:
                names.add(maker)
    return sorted(names)


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    yield package
    for module_info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        try:
            yield importlib.import_module(module_info.name)
        except ImportError:
            continue


def _source_of(module: ModuleType) -> str:
    """The source of a module; ``""`` of one that is compiled."""
    try:
        return inspect.getsource(module)
    except OSError:
        return ""


def _merge(first: NamedExpression | None, second: NamedExpression) -> NamedExpression:
    """An expression that is found twice, with the methods of both."""
    if first is None:
        return second
    called = first.methods + second.methods
    methods = [method for method in ALL_METHODS if method in called]
    return replace(first, methods=tuple(methods))


def _expressions_of_module(module: ModuleType) -> Iterator[NamedExpression]:
    source = _source_of(module)
    methods_by_name = _methods_by_name(source)
    for name, value in vars(module).items():
        is_private = name.startswith("_") and isinstance(value, re.Pattern | Wordings)
        methods: tuple[str, ...] = ALL_METHODS
        if is_private:
            methods = methods_by_name.get(name, ALL_METHODS)
        label = f"{module.__name__}.{name}"
        for expression, method in _expressions_in(value, module.__name__):
            if method:
                yield NamedExpression(label, expression, (method,))
            else:
                yield NamedExpression(label, expression, methods)

    for name, call in _calls_in_functions(source):
        maker = f"{module.__name__}.{name}"
        written = _written_expression(call, module)
        if written is not None:
            expression, method = written
            methods = (method,) if method else ALL_METHODS
            yield NamedExpression(maker, expression, methods)
            continue
        build_expressions = MAKERS.get(maker, _nothing)
        for built in build_expressions():
            yield NamedExpression(maker, built)


def _methods_by_name(source: str) -> dict[str, tuple[str, ...]]:
    """How a module calls its expressions, by their names: those of ``ALL_METHODS``.

    All of them for an expression that it uses in another way, such as in a container.

    >>> _methods_by_name("_A.match(''); _B.sub('', ''); _B.match(''); [_C]")
    {'_A': ('match',), '_B': ('search', 'match'), '_C': ('search', 'match', 'fullmatch')}
    """
    called: dict[str, set[str]] = {}
    tree = ast.parse(source)
    owners = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        owner = node.value
        if not isinstance(owner, ast.Name):
            continue
        if node.attr in _METHODS:
            owners.add(owner)
            method = _METHODS[node.attr]
            methods = called.setdefault(owner.id, set())
            methods.add(method)

    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or node in owners:
            continue
        if isinstance(node.ctx, ast.Load):
            called[node.id] = set(ALL_METHODS)

    methods_by_name = {}
    for name, methods in called.items():
        ordered = [method for method in ALL_METHODS if method in methods]
        methods_by_name[name] = tuple(ordered)
    return methods_by_name


def _expressions_in(
    value: object,
    module_name: str,
    depth: int = 0,
) -> Iterator[tuple[re.Pattern[Any], str]]:
    """The expressions in a value, each with the method by which it is called, if that is known."""
    if isinstance(value, re.Pattern):
        yield value, ""
    elif isinstance(value, BuiltinMethodType):
        if isinstance(value.__self__, re.Pattern):
            yield value.__self__, _METHODS[value.__name__]
    elif isinstance(value, Wordings | LazyPattern):
        yield value.compiled, ""
    elif _returns_expressions(value):
        yield from _expressions_in(value(), module_name, depth + 1)  # type: ignore[operator]
    elif depth < _MAX_DEPTH:
        for part in _parts(value, module_name):
            yield from _expressions_in(part, module_name, depth + 1)


def _returns_expressions(value: object) -> bool:
    """Whether a value is a function without arguments that makes expressions, once."""
    if not isinstance(value, functools._lru_cache_wrapper):
        return False
    signature = inspect.signature(value)
    return not signature.parameters and "Pattern" in str(signature.return_annotation)


def _parts(value: object, module_name: str) -> Iterable[object]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    if isinstance(value, type):
        if value.__module__ != module_name:
            return ()
        return vars(value).values()
    if not is_dataclass(value):
        return ()
    module_of_class = type(value).__module__
    if not module_of_class.startswith(forest_scrapy.__name__):
        return ()
    return [getattr(value, field.name, None) for field in fields(value)]


def _calls_in_functions(source: str) -> Iterator[tuple[str, ast.Call]]:
    """Calls such as ``re.search(...)``, with the name of the function that they are in.

    >>> source = "def f():\\n  re.search('a', 'b')\\nre.compile('a')"
    >>> [name for name, _ in _calls_in_functions(source)]
    ['f']
    """
    functions = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append(node)
    seen: set[ast.AST] = set()
    # Those in others come last, and have the calls that are theirs.
    for function in reversed(functions):
        for node in ast.walk(function):
            if not isinstance(node, ast.Call) or node in seen:
                continue
            if _is_call_of_re(node):
                seen.add(node)
                yield function.name, node


def _is_call_of_re(call: ast.Call) -> bool:
    function = call.func
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in (*_METHODS, "compile")
    )


def _written_expression(call: ast.Call, module: ModuleType) -> tuple[re.Pattern[Any], str] | None:
    """The expression of a call, if it is a constant, and the method of the call; ``""`` if it is
    only compiled.  None if the function makes it."""
    assert isinstance(call.func, ast.Attribute)
    arguments = [call.args[0], *_flags_of(call)]
    values = []
    try:
        for argument in arguments:
            code = compile(ast.Expression(argument), "", "eval")
            value = eval(code, vars(module))
            values.append(value)
    except NameError:
        return None
    expression = re.compile(*values)
    method = _METHODS.get(call.func.attr, "")
    return expression, method


def _flags_of(call: ast.Call) -> list[ast.expr]:
    assert isinstance(call.func, ast.Attribute)
    for keyword in call.keywords:
        if keyword.arg == "flags":
            return [keyword.value]
    position = _POSITIONS_OF_FLAGS.get(call.func.attr, 2)
    return call.args[position : position + 1]


def _nothing() -> Iterable[re.Pattern[Any]]:
    """Of functions whose results are in variables of their module, or are not of the package."""
    return ()


def _credit_phrases() -> Iterable[re.Pattern[Any]]:
    """The longest of each kind: those of the other languages differ in their words only."""
    from forest_scrapy.core.fields import bylines

    phrases = [bylines._phrases_of(language) for language in bylines.CREDITS]
    for expressions in ([of.first for of in phrases], [of.later for of in phrases]):
        yield max(expressions, key=lambda expression: (len(expression.pattern), expression.pattern))


def _relative_dates() -> Iterable[re.Pattern[Any]]:
    from forest_scrapy.core.fields import dates

    expressions = map(dates._relative_words, _LANGUAGES)
    return [expression for expression in expressions if expression is not None]


def _words_of_urls() -> Iterable[re.Pattern[Any]]:
    from forest_scrapy.core.records import kind_hints

    return map(re.compile, kind_hints._IN_URL.values())


def _types_of_columns() -> Iterable[re.Pattern[Any]]:
    from forest_scrapy.stores import postgresql

    return [re.compile(pattern) for pattern, _ in postgresql._TYPES]


def _values_of_pages() -> Iterable[re.Pattern[Any]]:
    from forest_scrapy.core.boilerplate import masking

    return [masking._value_pattern("ana bo"), masking._url_pattern("a.example/owls")]


def _fields_of_records() -> Iterable[re.Pattern[Any]]:
    from forest_scrapy.batch import warc

    return [warc._field_pattern(b"WARC-Type")]


def _words_of_pages() -> Iterable[re.Pattern[Any]]:
    from forest_scrapy.core.records.products import product

    return [product._word_pattern("lamp"), product._word_pattern("sea lamp")]


def _names_of_controls() -> Iterable[re.Pattern[Any]]:
    from forest_scrapy.forms import scripted

    return [scripted._pattern_of(["q", "title"])]


def _words_of_topics() -> Iterable[re.Pattern[Any]]:
    from forest_scrapy.core.topic_filter import read_topic

    return read_topic("harbour 2026 港")


#: Functions that make expressions from their arguments, each with what gives such expressions.
MAKERS: dict[str, Callable[[], Iterable[re.Pattern[Any]]]] = {
    "forest_scrapy.batch.warc._field_pattern": _fields_of_records,
    "forest_scrapy.core.boilerplate.masking._url_pattern": _values_of_pages,
    "forest_scrapy.core.boilerplate.masking._value_pattern": _values_of_pages,
    # In variables, where it is found.
    "forest_scrapy.core.lazy.compiled": _nothing,
    # Of the lines of a file of the package.
    "forest_scrapy.core.exports.parsel_module.fill": _nothing,
    # Of the tables of wordings, which are all timed.
    "forest_scrapy.core.boilerplate.wordings._compile_folded": _nothing,
    "forest_scrapy.core.boilerplate.wordings.compiled": _nothing,
    "forest_scrapy.core.fields.bylines._first_words": _nothing,
    "forest_scrapy.core.fields.bylines._phrases_of": _credit_phrases,
    "forest_scrapy.core.fields.dates._relative_words": _relative_dates,
    "forest_scrapy.core.page.embeds._service": _nothing,
    "forest_scrapy.core.records.kind_hints.url_words": _words_of_urls,
    "forest_scrapy.core.records.products.product._word_pattern": _words_of_pages,
    # Words; an expression is given by the person who starts the crawl.
    "forest_scrapy.core.topic_filter.read_topic": _words_of_topics,
    "forest_scrapy.forms.purposes._pattern": _nothing,
    "forest_scrapy.forms.scripted._pattern_of": _names_of_controls,
    # In a table of variables, where both are found.
    "forest_scrapy.forms.totals._compile_number": _nothing,
    # The person who starts the crawl gives it.
    "forest_scrapy.spiders.arguments.read_pattern": _nothing,
    "forest_scrapy.stores.postgresql.translate_types": _types_of_columns,
}
