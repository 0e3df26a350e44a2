"""A sentence taken apart so that it can be held against another one: what it denies, what goes up or down, what is compared with what.

Rules and word lists, no model. All of it works on folded text and on stems; word lists hold ordinary words of research prose, not of any one field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rag_qa import text
from rag_qa.quantities import Quantity, quantities


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or a part of one with hyphens (`is_part`). `start:end` is its slice of the folded sentence; `clause` counts the punctuation marks
    before it.
    """

    text: str
    stem: str
    start: int
    end: int
    clause: int
    is_part: bool = False

    @property
    def is_content(self) -> bool:
        """Does it say something by itself?"""
        return self.text not in text.STOPWORDS


@dataclass(frozen=True, slots=True)
class Denial:
    """A word that denies what stands behind it: "not", "without", "rather than". `scope`: places of the tokens that it denies, in order.

    `is_contrast`: "unlike X, Y does": what is denied of Y may well be true of X.
    """

    word: str
    scope: tuple[int, ...]
    is_contrast: bool = False


@dataclass(frozen=True, slots=True)
class Direction:
    """A word that says that something goes up (`sign` 1) or down (-1). `scale`: "amount", "quality", "effect" or "speed". `objects`: stems of what
    does.
    """

    word: str
    at: int
    sign: int
    scale: str
    objects: frozenset[str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`greater` is said to be better, more or later than `lesser` (stems); `word`, at place `at`, is the one that says so. After "compared to" it is
    not known which is which: `greater` is then what is compared with the other. `measure`: stems of what there is more of ("more accurate than"),
    where that is said.
    """

    word: str
    at: int
    greater: frozenset[str]
    lesser: frozenset[str]
    measure: frozenset[str] = frozenset()

    @property
    def way(self) -> str:
        """Comparisons can be held against each other only where this is equal."""
        return self.word if self.word in ("from", "compared to") else "than"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence taken apart. `doubts`: softer denials ("avoids labels", "label-free"), which may say the same as a plain one.
    `asked`: places of the tokens that it only asks or supposes ("we test whether", "we hypothesize that").
    """

    folded: str
    tokens: tuple[Token, ...]
    denials: tuple[Denial, ...]
    doubts: tuple[Denial, ...]
    directions: tuple[Direction, ...]
    comparisons: tuple[Comparison, ...]
    quantities: tuple[Quantity, ...]
    asked: frozenset[int]

    @property
    def denied(self) -> frozenset[int]:
        """Places of the tokens that are denied."""
        return frozenset(i for denial in self.denials for i in denial.scope)

    def doubted(self, known: frozenset[str] = frozenset()) -> frozenset[int]:
        """Places of the tokens behind a softer denial, unless its word is `known` (a stem): what both sides say makes no difference."""
        return frozenset(i for doubt in self.doubts if text.stem(doubt.word) not in known for i in doubt.scope)

    @property
    def stems(self) -> frozenset[str]:
        """All stems."""
        return frozenset(token.stem for token in self.tokens)


@lru_cache(maxsize=16384)
def statement(folded: str) -> Statement:
    """Take a folded sentence apart.

    >>> s = statement("it cuts cost without altering the model.")
    >>> [[s.tokens[i].text for i in denial.scope] for denial in s.denials], s.directions[0].sign, sorted(s.directions[0].objects)
    ([['altering', 'model']], -1, ['cost'])
    """
    tokens = tuple(_tokens(folded))
    return Statement(
        folded,
        tokens,
        tuple(_denials(folded, tokens)),
        tuple(_doubts(folded, tokens)),
        tuple(_directions(tokens)),
        tuple(_comparisons(tokens)),
        quantities(folded),
        frozenset(_asked(folded, tokens)),
    )


_CLAUSE_END = re.compile(r"[,.;:()\[\]!?]+(?=\s|$)| - |\s[(\[]")


def _tokens(folded: str) -> Iterator[Token]:
    ends = [match.start() for match in _CLAUSE_END.finditer(folded)]
    clause = 0
    for word in text.words(folded):
        while clause < len(ends) and ends[clause] < word.start:
            clause += 1
        at = word.start
        parts = re.split(r"[-']", word.text)
        for part in parts:
            if part:
                yield Token(part, text.stem(part), at, at + len(part), clause, len(parts) > 1)
            at += len(part) + 1


# --------------------------------------------------------------------------------------------------------------- denial

_MOST_DENIED = 4  # tokens behind a denial that it reaches
_DENIALS = re.compile(
    r"\b(?:not(?! only\b| just\b| merely\b| necessarily\b)|\w+n't|cannot|never|neither|nor|none of|no(?! (?:less|more|fewer|later|sooner)\b)"
    r"|without|hardly|barely|rarely|seldom|scarcely|fail(?:s|ed|ing)? to|unable to|rather than|instead of|in place of|as opposed to|non(?=-)"
    r"|far from|unlike|in contrast to|contrary to)\b"
)
_CONTRASTS = ("unlike", "in contrast to", "contrary to")
_NO_DENIAL = re.compile(r"(?:with (?:and|or)|whether or|if)\s$")
_DOUBTS = re.compile(
    r"\b(?:avoid|eliminat|remov|prevent|obviat|bypass|circumvent|overcom|independent of|absen[ct]|few\b|little\b|overlook|neglect|ignor|preclud"
    r"|free of|struggl|suffer|imped|hinder|lack|deficien|deplet|knock-?out|difficult|hard to|challenging to)\w*"
)
_DOUBTED_BEFORE = re.compile(r"-free\b|\b(?:unexplored|unclear|under-?explored|open question)\b")
_STOPS = frozenset("not without but while whereas although though because since when if unless which who".split())


def _denials(folded: str, tokens: Sequence[Token]) -> Iterator[Denial]:
    for match in _DENIALS.finditer(folded):
        if _NO_DENIAL.search(folded[: match.start()]):
            continue
        word = match.group()
        contrast = word in _CONTRASTS
        most = 1 if word == "non" else 12 if contrast else _MOST_DENIED
        if scope := _behind(tokens, match.end(), most):
            yield Denial(word, scope, contrast)


_COUNTED_IN_SCOPE = frozenset("all every each only always both".split())


def _behind(tokens: Sequence[Token], end: int, most: int) -> tuple[int, ...]:
    """Places of up to `most` telling tokens from `end` on, up to the end of the clause."""
    following = [i for i, token in enumerate(tokens) if token.start >= end]
    scope: list[int] = []
    for i in following:
        token = tokens[i]
        if token.clause != tokens[following[0]].clause or token.text in _STOPS or len(scope) == most:
            break
        if token.is_content or token.text in _COUNTED_IN_SCOPE:
            scope.append(i)
    return tuple(scope)


def _doubts(folded: str, tokens: Sequence[Token]) -> Iterator[Denial]:
    for match in _DOUBTS.finditer(folded):
        yield Denial(match.group(), _behind(tokens, match.end(), _MOST_DENIED))
    for match in _DOUBTED_BEFORE.finditer(folded):
        before = [i for i, token in enumerate(tokens) if token.end <= match.start() and token.is_content]
        yield Denial(match.group().strip("-"), tuple(before[-_MOST_DENIED:]))


_ASKS = re.compile(r"\bwhether\b|\b(?:hypothesi[sz]e[sd]?|conjecture[sd]?|suspect(?:ed|s)?|ask|asks|asked|question) (?:that|if|whether|how)\b")
_UNKNOWN = re.compile(
    r"\b(?:is|are|was|were|remains?|remained) (?:\w+ ){0,2}(?:unclear|unknown|uncertain|unexplored|open question|elusive|unanswered)\b"
)


def _asked(folded: str, tokens: Sequence[Token]) -> Iterator[int]:
    if folded.rstrip("\"')").endswith("?"):
        yield from range(len(tokens))
    for match in _ASKS.finditer(folded):
        begun = [i for i, token in enumerate(tokens) if token.start >= match.end()]
        yield from (i for i in begun if tokens[i].clause == tokens[begun[0]].clause)
    for match in _UNKNOWN.finditer(folded):
        there = next((token.clause for token in tokens if token.start >= match.start()), None)
        yield from (i for i, token in enumerate(tokens) if token.clause == there and token.end <= match.start())


# ------------------------------------------------------------------------------------------------------------- opposites

_OPPOSITES = """online/offline seen/unseen before/after first/last best/worst large/small big/small high/low many/few always/never always/sometimes
    possible/impossible discrete/continuous linear/nonlinear local/global upper/lower easy/hard simple/complex cheap/expensive cheap/costly
    dense/sparse static/dynamic fixed/dynamic fixed/trainable fixed/learned fixed/learnable fixed/adaptive frozen/trainable strong/weak
    open/closed public/private positive/negative finite/infinite homogeneous/heterogeneous single/multiple short/long early/late inner/outer
    minimum/maximum minimal/maximal minimize/maximize black/white known/unknown robust/vulnerable robust/fragile safe/harmful benign/harmful
    benign/malicious manual/automatic manual/automated explicit/implicit direct/indirect forward/backward left/right rich/poor deep/shallow
    narrow/wide fast/slow same/different similar/different succeed/fail success/failure support/refute confirm/refute accept/reject
    include/exclude allow/prevent allow/forbid enable/prevent encourage/discourage preserve/destroy win/lose fixed/vary fixed/varying
    fixed/changing constant/varying constant/changing satisfy/violate satisfaction/violation satisfaction/violate satisfy/violation
    minimal/large minimal/much little/large limited/large well/ill keep/lose maintain/lose retain/lose preserve/lose lose/gain gain/loss
    exact/approximate exact/inexact optimistic/pessimistic converge/diverge supervised/unsupervised labeled/unlabeled labelled/unlabelled
    pre/post encoder/decoder increase/decrease training/inference training/testing training/test train/test upstream/downstream input/output
    sender/receiver source/target convex/nonconvex necessary/sufficient real/synthetic simulated/real absolute/relative
    presence/absence essential/needless essential/unneeded prevent/cause enable/block
        theoretical/empirical male/female young/old hot/cold inside/outside above/below start/end begin/end add/remove prefer/dispreferred
    attract/repel agree/disagree trust/distrust beneficial/harmful useful/useless careful/careless rare/common frequent/rare abundant/scarce
    concave/convex even/odd symmetric/asymmetric synchronous/asynchronous typical/atypical row/column encode/decode compress/decompress
    symptomatic/asymptomatic inhibit/promote inhibit/activate inhibit/induce activate/suppress promote/suppress upregulate/downregulate
    benefit/harm protect/endanger"""
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "mis")


def _pairs(listed: str) -> Mapping[str, frozenset[str]]:
    pairs: dict[str, set[str]] = {}
    for pair in listed.split():
        one, other = (text.stem(word) for word in pair.split("/"))
        pairs.setdefault(one, set()).add(other)
        pairs.setdefault(other, set()).add(one)
    return {stem: frozenset(others) for stem, others in pairs.items()}


_OPPOSITE_STEMS = _pairs(_OPPOSITES)
# In the same place of a sentence these say the reverse; elsewhere they need not: "less memory", "more memory-efficient"
_OPPOSITE_IN_PLACE = _pairs(
    """higher/lower larger/smaller bigger/smaller faster/slower better/worse more/less more/fewer increase/decrease increase/reduce
    outperform/underperform superior/inferior improve/worsen improve/degrade enhance/degrade higher/less longer/shorter stronger/weaker
    with/without most/least greater/smaller all/some all/most all/many every/some all/several all/certain always/often always/usually
    always/sometimes and/or maximum/minimum up/down accelerate/slow strengthen/weaken richer/poorer earlier/later same/diverse same/various"""
)


def are_opposite_in_place(one: str, other: str) -> bool:
    """Do two stems say the reverse when one stands where the other stood?

    >>> are_opposite_in_place("higher", "lower"), are_opposite("higher", "lower")
    (True, False)
    """
    return other in _OPPOSITE_IN_PLACE.get(one, ()) or are_opposite(one, other)


def has_opposite(stem: str) -> bool:
    """Is there a listed opposite of a stem?"""
    return stem in _OPPOSITE_STEMS


def are_opposite(one: str, other: str) -> bool:
    """Do two stems say the reverse of each other: a listed pair, or one is the other with a prefix that denies it?

    >>> are_opposite("onlin", "offlin"), are_opposite("undesir", "desir"), are_opposite("onlin", "fast")
    (True, True, False)
    """
    if other in _OPPOSITE_STEMS.get(one, ()):
        return True
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= 4 and longer.endswith(shorter) and longer[: -len(shorter)] in _PREFIXES


# ------------------------------------------------------------------------------------------------------------- synonyms

_ALIKE = """achieve attain reach obtain yield
use employ leverage utilize exploit apply adopt
propose introduce present develop design offer provide devise contribute forward put
show demonstrate find reveal indicate observe confirm suggest exhibit display
reduce lower cut decrease save shrink diminish lessen decline less fewer smaller reduction saving minimize low drop
increase raise boost grow rise more higher larger greater expand enlarge scale
improve enhance better boost strengthen gain improvement benefit advance increase raise
outperform exceed surpass beat superior better
underperform worse inferior
fast quick rapid speed accelerate acceleration speedup swift faster
slow decelerate
test evaluate validate assess experiment examine evaluation measure
prevent mitigate alleviate address avoid overcome tackle resolve solve counter
need require demand necessary necessity requirement
depend rely reliance dependence
keep retain preserve maintain hold
allow enable permit let able can
cause lead result induce due because produce
contain include consist comprise hold incorporate
method approach technique framework algorithm scheme system procedure strategy model
aim goal objective purpose
various diverse different distinct several multiple many numerous
existing previous prior current earlier past other conventional traditional
important crucial critical key essential vital central
deduce determine compute infer identify find derive obtain
modify modification change alter adjust adapt
comparable similar equal par match
combine integrate merge unify fuse
create generate produce construct build make synthesize
people human person individual user participant
small few little
choose select pick
join combine concatenate
start begin initial
ensure guarantee
efficient efficiency effective
train training learn learning
consistent coherent
high strong
average mean
word text
predict prediction forecast
accurate accuracy precise
robust resilient
attack adversarial
unstable instability
appear show
compromise sacrifice expense lose degrade
error mistake
usual typical often common general frequent
extend extension
limited restricted
open public
release publish available
main primary
whole entire complete full
treat consider regard frame formulate approach
far much considerable substantial significant large
beat outperform"""


def _groups(listed: str) -> Mapping[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(listed.splitlines()):
        for word in line.split():
            groups.setdefault(text.stem(word), set()).add(number)
    return {stem: frozenset(numbers) for stem, numbers in groups.items()}


_ALIKE_STEMS = _groups(_ALIKE)


def is_ordinary(stem: str) -> bool:
    """Is this a word of any research prose, for which there are many others?"""
    return stem in _ALIKE_STEMS


def are_alike(one: str, other: str) -> bool:
    """Are two stems the same, or words that research prose uses for one another?

    >>> are_alike("attain", "achiev"), are_alike("attain", "propos")
    (True, False)
    """
    if one == other or _does(one, other) or _does(other, one):
        return True
    return bool(_ALIKE_STEMS.get(one, frozenset()) & _ALIKE_STEMS.get(other, frozenset()))


@lru_cache(maxsize=8192)
def _alike_keys(stems: frozenset[str]) -> frozenset[str | int]:
    """What a stem that is alike to one of these is found by."""
    agents = {f"{stem}{ending}" for stem in stems for ending in _AGENTS}
    deeds = {stem[:-2] for stem in stems if stem[-2:] in _AGENTS}
    return frozenset().union(stems, agents, deeds, *(_ALIKE_STEMS.get(stem, ()) for stem in stems))


_AGENTS = ("er", "or")


def _does(agent: str, deed: str) -> bool:
    """Is one who does something, the other what is done: "router", "rout"?"""
    return agent[:-2] == deed and agent[-2:] in _AGENTS


def is_alike_to_one(stem: str, stems: frozenset[str]) -> bool:
    """Is a stem alike to one of many? The same as asking `are_alike` of each, and much quicker where it is asked often of the same ones.

    >>> is_alike_to_one("attain", frozenset({"moss", "achiev"})), is_alike_to_one("attain", frozenset({"moss"}))
    (True, False)
    """
    keys = _alike_keys(stems)
    return stem in keys or not keys.isdisjoint(_ALIKE_STEMS.get(stem, ()))


# ------------------------------------------------------------------------------------------------------------ direction

_DIRECTIONS = {
    ("amount", 1): """increase increasing rise raise grow growth boost more higher larger greater bigger expand enlarge amplify maximize longer
    heavier""",
    ("amount", -1): """decrease decreasing reduce reduction lower less fewer smaller drop decline shrink cut save saving minimize diminish halve
    lessen shorter trim lighter""",
    ("quality", 1): "improve improvement better best outperform exceed surpass superior enhance beat strengthen gain",
    ("quality", -1): "worse worst underperform degrade degradation inferior deteriorate hurt weaken harm worsen lag",
    ("effect", 1): "promote stimulate induce activate facilitate encourage trigger upregulate favour favor",
    ("effect", -1): "inhibit suppress block impair attenuate disrupt impede abolish hinder downregulate discourage deactivate",
    ("speed", 1): "fast faster fastest accelerate acceleration speedup quick quicker rapid",
    ("speed", -1): "slow slower slowest slowdown decelerate",
}
_DIRECTION_STEMS = {text.stem(word): (scale, sign) for (scale, sign), words in _DIRECTIONS.items() for word in words.split()}
# What is better the less there is of it: "improves perplexity" and "reduces perplexity" say the same.
_BETTER_LOW = frozenset(
    text.stem(word)
    for word in """perplexity error errors loss losses time latency cost costs memory overhead flops parameters variance regret complexity fid
    rmse mse mae bias risk energy footprint consumption runtime noise uncertainty gap distance divergence rate
    misclassification hallucination forgetting collapse drift delay computation compute""".split()
)
_OBJECT_STOPS = frozenset("by to from and while when than with without across on under compared over for that which thus thereby as".split())
_MOST_OBJECTS = 4


def _directions(tokens: Sequence[Token]) -> Iterator[Direction]:
    for i, token in enumerate(tokens):
        found = _DIRECTION_STEMS.get(token.stem)
        following = tokens[i + 1].text if i + 1 < len(tokens) else ""
        if token.stem == "speed" and following == "up":
            found = ("speed", 1)
        if found is None or (token.text in _COMPARATIVES and following == "than"):
            continue
        objects = _objects(tokens, i)
        if objects and not (i + 1 < len(tokens) and tokens[i + 1].stem in _DIRECTION_STEMS):
            yield Direction(token.text, i, found[1], found[0], objects)


def _objects(tokens: Sequence[Token], at: int) -> frozenset[str]:
    """What a word of direction speaks of: what follows it ("reduces cost", "more accurate"), else what stands in front ("cost is reduced by")."""
    ahead = list(tokens[at + 1 : at + 2 + _MOST_OBJECTS])
    if ahead and ahead[0].text in ("in", "of"):
        ahead = ahead[1:]
    ahead = _last_parts(ahead)
    found = _run(ahead, tokens[at].clause)
    if not found:
        found = _run(list(reversed(tokens[max(0, at - 6) : at])), tokens[at].clause)[:3]
    return frozenset(found)


def _last_parts(tokens: Sequence[Token]) -> list[Token]:
    """Tokens without the first parts of compounds: "more sample-efficient" is not more samples."""
    return [one for i, one in enumerate(tokens) if not _goes_on(one, tokens[i + 1 : i + 2])]


def _goes_on(part: Token, following: Sequence[Token]) -> bool:
    return part.is_part and any(after.is_part and after.start == part.end + 1 for after in following)


def _run(tokens: Sequence[Token], clause: int) -> list[str]:
    found: list[str] = []
    for token in tokens:
        if token.clause != clause or (token.text in _OBJECT_STOPS and not token.is_part):
            break
        if token.stem in _DIRECTION_STEMS and found:
            break
        if token.is_content and token.text[0].isalpha() and token.stem not in _DIRECTION_STEMS:
            found.append(token.stem)
    return found[:_MOST_OBJECTS]


def against(one: Direction, other: Direction) -> bool:
    """Do two directions of the same thing say the reverse? `other` may be on another scale: to improve the loss is to lower it."""
    if one.scale == other.scale or {one.scale, other.scale} == {"amount", "effect"}:
        return one.sign != other.sign
    if "speed" in (one.scale, other.scale):
        return False
    shared = one.objects & other.objects
    return one.sign != other.sign and not shared & _BETTER_LOW


# ----------------------------------------------------------------------------------------------------------- comparison

_OVER = {text.stem(word): 1 for word in "outperform exceed surpass beat superior".split()}
_OVER |= {text.stem(word): -1 for word in "underperform inferior".split()}


def _comparisons(tokens: Sequence[Token]) -> Iterator[Comparison]:
    for i, token in enumerate(tokens):
        following = tokens[i + 1].text if i + 1 < len(tokens) else ""
        if token.stem in _OVER:
            yield _sided(token.text, tokens, i, i, _OVER[token.stem] * (-1 if following == "by" else 1))
        elif token.text == "than" and (place := _comparative(tokens, i)) is not None:
            measure = _content(_last_parts(tokens[place + 1 : i]))
            yield replace(_sided(f"{tokens[place].text} than", tokens, place, i, _sign(tokens[place])), measure=measure)
        elif token.text in _COMPARATIVES and _sign(token) > 0 and i and tokens[i - 1].text in _COPULAS and not _has_than(tokens, i):
            # "is more robust": with what it is compared is not said
            yield replace(_sided(token.text, tokens, i, i, 1), lesser=frozenset())
        elif token.text in _COMPARED and following in ("to", "with", "against"):
            yield from _compared(tokens, i)
    yield from _changes(tokens)


def _has_than(tokens: Sequence[Token], at: int) -> bool:
    return any(later.text == "than" for later in tokens[at + 1 : at + 10])


_COMPARED = ("compared", "relative", "comparison", "contrast")


def _compared(tokens: Sequence[Token], at: int) -> Iterator[Comparison]:
    """ "A does better, compared to B" and "Compared to B, A does better"."""
    other = _content(_within(tokens, at + 2, 1))
    clause = tokens[at].clause
    subject = [token for token in tokens[max(0, at - 20) : at] if token.is_content]
    if not any(token.clause == clause for token in subject):
        subject = [token for token in tokens[at + 2 :] if token.clause == clause + 1]
    one = _content(subject)
    yield Comparison("compared to", at, one, other)
    if {_sign(token) for token in subject if token.stem in _DIRECTION_STEMS} == {1}:
        yield Comparison("better than", at, one, other)


def _changes(tokens: Sequence[Token]) -> Iterator[Comparison]:
    """ "from A to B": B is what comes of A."""
    begins = next((i for i, token in enumerate(tokens) if token.text == "from"), None)
    if begins is None:
        return
    ends = next((i for i in range(begins + 2, len(tokens)) if tokens[i].text in ("to", "into")), None)
    if ends is not None:
        yield Comparison("from", begins, _content(_within(tokens, ends + 1, 1)), _content(tokens[begins + 1 : ends]))


def _comparative(tokens: Sequence[Token], than: int) -> int | None:
    """Where the comparative stands that belongs to a "than"; None for "other than", "rather than", and for "more than 5"."""
    if than + 1 < len(tokens) and tokens[than + 1].text[0].isdigit():
        return None
    for i in range(than - 1, max(-1, than - 9), -1):
        if tokens[i].text in _COMPARATIVES or (tokens[i].text.endswith("er") and tokens[i].text not in ("rather", "other")):
            return i
    return None


_COMPARATIVES = frozenset("more less fewer better worse faster slower larger smaller higher lower greater".split())
_COPULAS = frozenset("is are be was were been remains remain".split())
_SIDE_STOPS = frozenset("while whereas although though but that because since when if with which who and".split())
_MOST_IN_SIDE = 8


def _sign(token: Token) -> int:
    return _DIRECTION_STEMS.get(token.stem, ("", 1))[1]


def _sided(word: str, tokens: Sequence[Token], left_end: int, right_start: int, sign: int) -> Comparison:
    left, right = _content(_within(tokens, left_end - 1, -1)), _content(_within(tokens, right_start + 1, 1))
    return Comparison(word, left_end, left, right) if sign > 0 else Comparison(word, left_end, right, left)


def _within(tokens: Sequence[Token], start: int, step: int) -> list[Token]:
    """A few telling tokens from a place on, in one direction, up to the end of the clause."""
    side: list[Token] = []
    at = start
    while 0 <= at < len(tokens) and len(side) < _MOST_IN_SIDE:
        token = tokens[at]
        if token.clause != tokens[start].clause or (token.text in _SIDE_STOPS and not (token.text == "and" and step > 0)):
            break
        side += [token] if token.is_content else []
        at += step
    return side


def _content(tokens: Iterable[Token]) -> frozenset[str]:
    return frozenset(token.stem for token in tokens if token.is_content)
