"""Records that nobody wrote: as long, as varied and as marked up as real ones, the same in every run, and as many as one wants.

They are for measuring how fast and in how much memory records are read and compared. Nothing that is good or bad at understanding them is measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate
from random import Random

from rag_qa.papers import Notice, Paper

_SMALL = "the of and in to a with for was were by that on from as an is are this at which we be between or not these than after".split()
_SMALL_SHARE = 0.42  # of the words of a text
_MARKED = 0.3  # of the sentences
_PREFIXES = (
    "auto bio cardio cyto electro endo epi extra geo hydro hyper hypo immuno inter intra macro meta micro mono neuro para peri poly re".split()
)
_ROOTS = (
    "alg bacter carb chrom clin corp cycl derm dyn fibr flor flux form fract gen graph hepat hydr lact lip lith loc lum magn mar mem metr mir mod",
    "morph mut nat nect neph norm nuc nutr opt ord osm path ped phen phot plas plast pol prob prot puls rad reg ren rot sal sens sol som son spor",
    "stat stem strat struct tac tect tens term text therm tom tox tract trop vac val var vas vect vent vert vir visc vit zon",
)
_ENDINGS = "ability al ance ase ated ation ed ent ents er es ia ic ical in ine ing ins ism ist ity ive ization oid ology or ose osis ure".split()
_FAMILIES = (
    "Adeli Álvarez Andersen Bąk Berg Björk Brandt Çelik Chen Côté Dvořák Díaz Fischer García Gauß Gonçalves Hansen Ibáñez Ito Jensen Kovács Kim",
    "Kumar Lefèvre Li Łukasik Martínez Meyer Müller Nguyen Núñez Øster O’Brien Okafor Olsen Peña Petrov Rossi Šimić Sørensen Söderström Tanaka Türk",
    "Ünal Vidal Wang Weiß Yılmaz Zhang Zieliński",
)
_NAME_ENDINGS = ("", "", "", "s", "mann", "sen", "er", "ini", "ov", "ez", "wood", "-Smith")
_GIVEN = "Anna Björn Chloé Dmitri Elena Fatma Giulia Hà Iñigo Jürgen Khosrow Lucía Maja Nadia Ólafur Paula Qing René Søren Tomás Ulla Wei Zoë".split()
_BODIES = ("World Health Organization", "The ALPHA Study Group", "Nordic Society for Hydrology and Soil")
_LABELS = ("BACKGROUND", "METHODS", "RESULTS", "CONCLUSIONS")
_ASCII = ("(p < 0.05)", "(95% CI 1.2-3.4; P > .1)", "in E. coli", "(n = 128)", "at 3.5 mg/l & more", "(1990-2005)")
_LATEX = ("with $\\alpha_{3} \\leq 0.7$", "of $O(n \\log n)$", "that are $1.67 \\times$ faster")
_OTHERS = ("at 10⁻³ mol and 37 °C", "of CO₂ & H₂O", "– as “expected” –", "of naïve β-cells", "± 2.5 µg/ml")
_STYLES = (_ASCII, _ASCII, _ASCII, _LATEX, _OTHERS)
"""What stands between the words; one of them for all sentences of an abstract. Real libraries have fewer such abstracts: no figure flatters."""
_KEYWORDS = 4
_LATEST = 2025


def papers(count: int, *, first: int = 0) -> Iterator[Paper]:
    """Works that are all different. The record at a place is always the same one, whatever else is made."""
    return map(paper, range(first, first + count))


def paper(at: int) -> Paper:
    """One work: one in thirteen without abstract, one in six with a structured one, one in forty by a body, one in two hundred retracted.

    >>> paper(7) == paper(7), paper(7).doi, paper(7).doi == paper(8).doi
    (True, '10.1000/syn.7', False)
    """
    random = Random(at)
    title = _sentence(random, random.randint(8, 17)).rstrip(".")
    abstract = "" if at % 13 == 5 else _abstract(random, is_structured=at % 6 == 1)
    page, year = random.randint(2, 2000), random.randint(1985, _LATEST)
    return Paper(
        f"s{at}",
        abstract,
        title=title,
        authors=(random.choice(_BODIES),) if at % 40 == 3 else _people(random),
        year=year,
        venue=_venues()[random.randrange(len(_venues()))],
        doi=f"10.1000/syn.{at}",
        pmid=str(10_000_000 + at) if at % 3 else None,
        url=f"https://example.org/articles/{at}",
        keywords=tuple(_content(random, _KEYWORDS)),
        language="en",
        type="article",
        notices=(Notice.RETRACTED,) if at % 200 == 9 else (),
        extra={"volume": str(random.randint(1, 90)), "issue": str(random.randint(1, 12)), "pages": f"{page}-{page + random.randint(3, 20)}"},
    )


def _abstract(random: Random, *, is_structured: bool) -> str:
    phrases = random.choice(_STYLES)
    sentences = [_sentence(random, random.randint(12, 30), phrase=_now_and_then(random, phrases)) for _ in range(random.randint(6, 10))]
    if not is_structured:
        return " ".join(sentences)
    step = -(-len(sentences) // len(_LABELS))
    return "\n".join(f"{label}: {' '.join(sentences[at * step : (at + 1) * step])}" for at, label in enumerate(_LABELS) if at * step < len(sentences))


def _sentence(random: Random, length: int, *, phrase: str = "") -> str:
    words = [random.choice(_SMALL) if random.random() < _SMALL_SHARE else word for word in _content(random, length)]
    words[0] = words[0].capitalize()
    if phrase:
        words.insert(random.randint(2, length), phrase)
    return f"{' '.join(words)}."


def _now_and_then(random: Random, phrases: Sequence[str]) -> str:
    return random.choice(phrases) if random.random() < _MARKED else ""


def _content(random: Random, count: int) -> Sequence[str]:
    words, weights = _vocabulary()
    return random.choices(words, cum_weights=weights, k=count)


@cache
def _vocabulary() -> tuple[Sequence[str], Sequence[float]]:
    """Words and the running sums of how often each comes: the one at rank r about 1/r times as often as the first."""
    words = [prefix + root + ending for prefix in ("", *_PREFIXES) for root in _words(_ROOTS) for ending in _ENDINGS]
    Random(0).shuffle(words)
    return words, list(accumulate(1 / (rank + 20) for rank in range(len(words))))


@cache
def _words(lines: Sequence[str]) -> Sequence[str]:
    return " ".join(lines).split()


def _people(random: Random) -> tuple[str, ...]:
    return tuple(f"{random.choice(_words(_FAMILIES))}{random.choice(_NAME_ENDINGS)}, {_given(random)}" for _ in range(random.randint(1, 9)))


def _given(random: Random) -> str:
    name = random.choice(_GIVEN)
    return f"{name} {chr(ord('A') + random.randrange(26))}." if random.random() < 0.4 else name


@cache
def _venues() -> Sequence[str]:
    random = Random(0)
    return [f"Journal of {_content(random, 1)[0].capitalize()} and {_content(random, 1)[0].capitalize()}" for _ in range(400)]


# ---------------------------------------------------------------------------------------------------------------------- copies


def copy(of: Paper, kind: str) -> Paper:
    """Another record of a work, as another database has it. `kind`: one of COPIES."""
    return COPIES[kind](of)


def _same_doi(of: Paper) -> Paper:
    """Title in capitals, authors with initials."""
    return replace(of, title=(of.title or "").upper(), authors=tuple(map(_with_initials, of.authors)), pmid=None, url=None)


def _without_doi(of: Paper) -> Paper:
    """Nothing that identifies it but its title, authors and year."""
    return replace(of, doi=None, pmid=None, url=None, abstract="", notices=())


def _preprint(of: Paper) -> Paper:
    """That of the year before, at arXiv, whose abstract is not yet quite that of the article."""
    number = int((of.doi or "").rpartition(".")[2])
    arxiv = f"{(of.year or 0) % 100:02}{1 + number // 100_000 % 12:02}.{number % 100_000:05}"
    year = (of.year or 0) - 1
    abstract = of.abstract and f"{of.abstract} We hope so."
    return replace(of, abstract=abstract, doi=None, pmid=None, url=None, arxiv=arxiv, year=year, venue="arXiv", type="preprint", extra={}, notices=())


def _with_initials(name: str) -> str:
    family, comma, given = name.partition(", ")
    return f"{family}, {' '.join(f'{part[0]}.' for part in given.split())}" if comma else name


COPIES = {"same DOI": _same_doi, "without DOI": _without_doi, "preprint": _preprint}
