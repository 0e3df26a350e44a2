"""How questions ask and how sentences answer, by their words: a problem and its cause, a way to do something, a result, a name, a list.

Patterns see folded text. A word without its end stands for all that begin so. They are evidence of which a fitted model weighs each (see `evidence`):
none of them decides anything alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag_qa import text
from rag_qa.answering.question import Question
from rag_qa.papers import Paper
from rag_qa.text import any_of, any_word

# ------------------------------------------------------------------------------------------------------- what questions ask

_RESULT_ASKED = re.compile(
    any_word(
        r"results?|experiments?|evaluat\w+|tested|benchmarks?|datasets?|compared?|baselines?",
        r"outperform\w*|improv\w+|achiev\w+|perform\w*|reduc\w+|gains?|savings?|success",
        r"better|faster|speed\w*|accura\w+|effective\w*|work(?:s|ed)? (?:well|better)",
    )
)
_EVALUATION_ASKED = re.compile(
    any_word(
        "evaluated?|tested|test|tried|trials?|benchmarks?|datasets?|data sets?|experiments?|tasks|demonstrated",
        "domains|compared?|baselines?|validated?|measured|scored?|games?|environments?|collection",
    )
)
_PROBLEM_ASKED = re.compile(
    any_word(
        "problems?|wrong|struggles?|struggled|short|drawbacks?|limitations?|weakness(?:es)?|disadvantages?|downsides?|shortcomings?",
        "fails?|failed|failing|break down|hard|difficult|difficulty|challenges?|obstacles?|issues?|flaws?",
        r"hinder\w*|prevent\w*|stops?|kept|poor|bad|worse|suffers?|lacks?|limits?|costly|expensive|missing",
        r"suboptimal|questioned|criticism|unreliable|motivat\w*|need|needed",
    )
)
_CONDITION_ASKED = re.compile(
    r"\b(?:under (?:which|what)|when|in (?:which|what) (?:case|situation|circumstance|setting)s?|circumstances|conditions?)\b"
)
_IN_OWN_WORDS = re.compile(r"\b(?:i|we|my|me|our|mine)\b|\bis there\b|\bhow (?:can|could|to)\b|\bwhat (?:could|can|should)\b")
_QUESTION_WORD = re.compile(any_word("what|which|how|why|who|where|when|whose"))
_SEVERAL = re.compile(any_word("two|three|four|several|all"))
_ENTITY_ASKED = re.compile(
    r"\b(?:which|what|name|called|whose)\b.*"
    + any_word(
        "name|called|data ?sets?|corpus|corpora|languages?|domains?|tasks?|benchmarks?|metrics?|baselines?|competitors?",
        "models?|llms?|architectures?|networks?|modules?|components?",
        "methods?|algorithms?|technique|loss|optimizers?|optimisers?",
        "tools?|framework|system|simulators?|robots?|companies",
    )
)
_AVAILABILITY_ASKED = re.compile(
    any_word(
        "code|open.?source|demo|website|page|link|url|repo|repository|github",
        "available|availability|released?|download|where",
    )
)
_PROCEDURE_ASKED = re.compile(
    any_word("search|searched|databases?|prisma|guidelines?|methods?|methodology|conduct\\w*|protocol|regist\\w+|prospero|key ?words?|review|how")
)
SHARE_ASKED = re.compile(any_word(r"percent\w*|share|fraction|proportion|portion|rate|accurac\w*"))
"""A number is asked for that is a share."""
FACTOR_ASKED = re.compile(any_word("factor|times|fold", "faster|quicker|speed-?ups?", "smaller|larger|bigger"))
"""A number is asked for that is a factor."""

_TYPES = tuple(
    re.compile(any_word(names))
    for names in (
        "data ?sets?|benchmarks?|corpus|corpora|collection|suite|data",
        "models?|llms?|architectures?|networks?|chatbots?|transformers?|backbones?|judges?|agents?",
        r"metrics?|measures?|scores?|yardsticks?|criteri\w+|f1|fid|terms of",
        r"methods?|algorithms?|techniques?|approach\w*|baselines?|rivals?|competitors?|frameworks?|theor\w+|optimi[sz]ers?|strateg\w+",
        "tasks?|problems?|domains?|applications?|puzzles?|games?|environments?|settings?",
        "languages?",
        "modules?|components?|parts?|blocks?|stages?|steps?|factors?|ingredients?|pieces|phases|principles?|elements?",
    )
)


@dataclass(frozen=True, slots=True)
class Asks:
    """What a question asks for beside its kind. `in_own_words`: it describes a need, as somebody does who has not read the paper.
    `types`: kinds of thing that are asked for (data sets, models, ...), as patterns that find them.
    """

    result: bool
    evaluation: bool
    problem: bool
    condition: bool
    in_own_words: bool
    plural: bool
    entity: bool
    question_word: bool
    types: tuple[re.Pattern[str], ...]


@lru_cache(maxsize=256)
def asks(question: Question) -> Asks:
    """What the words of a question ask for.

    >>> from rag_qa.answering.question import analyse
    >>> asks(analyse("On which two datasets was it tested?")).plural, asks(analyse("Why does it fail?")).problem
    (True, True)
    """
    asked, head = text.fold(question.text).text, " ".join(question.head)
    is_asked = bool(_QUESTION_WORD.search(asked))
    return Asks(
        result=bool(_RESULT_ASKED.search(asked)),
        evaluation=bool(_EVALUATION_ASKED.search(asked)),
        problem=bool(_PROBLEM_ASKED.search(asked)),
        condition=bool(_CONDITION_ASKED.search(asked)),
        in_own_words=not is_asked or bool(_IN_OWN_WORDS.search(asked)),
        plural=any(word.endswith("s") for word in question.head) or bool(_SEVERAL.search(asked)),
        entity=bool(_ENTITY_ASKED.search(asked)) or question.wants_name,
        question_word=is_asked,
        types=tuple(kind for kind in _TYPES if kind.search(head or asked)),
    )


# ------------------------------------------------------------------------------------------------------- what sentences say

_PROPOSES = re.compile(
    r"\b(?:we|our|this (?:paper|work|study|article))\b.{0,60}\b"
    + any_of(
        "propose|introduce|present|devise|formulate",
        "develop|design|establish",
        "provide|release",
        "show|demonstrate|study|investigate|explore",
    )
)
_REASON = re.compile(
    r"\b"
    + any_of(
        "because|since|due to|owing to|therefore|thus|reason|caused?|motivated",
        "leads? to|result(?:s|ing)? in",
        "in order to|so that|address",
        "hinder|limit|suffer|fail|lack|overlook|challenge|costly",
    )
)
_CAUSE = re.compile(
    any_word(
        "because|since|due to|owing to|therefore|thus|hence|as a result|thereby|reasons?|caus(?:e|es|ed|ing)|so that|in order to",
        r"motivated by|driven by|hypothesi[sz]e|hypothesis|attribut\w+|stem\w* from|given that|thanks to|explain\w*|arises?|necessary",
        "leads? to|leading to|result(?:s|ing)? in|which makes|as it|as they|by (?:eliminating|avoiding|reducing)",
    )
)
_PROBLEM = re.compile(
    r"\b"
    + any_of(
        "however|suffer|limit|fail|lack|struggl|hinder|overlook|neglect|ignor|only",
        "costly|expensive|inefficien|prohibitive|high cost|impractical|overly|unnecessar",
        "challeng|bottleneck|poor|degrad|deteriorat|collapse|unstab|instab|unrealistic|inaccura|sensitiv|sub-?optimal|difficult",
        "unable|cannot|can not|restrict|precluded|prevent|problem|drawback|shortcoming|weakness|vulnerab|rely heavily|heavily rel|relian",
    )
)
_MEANS = re.compile(
    any_word(
        "by|via|through|using|uses?|with a|based on",
        "first|then|specifically|consists?",
        r"algorithm|mechanism|leverag\w+|employ\w*|adopt\w*|combin\w+|integrat\w+|formulat\w+",
    )
)
_WAY = re.compile(
    any_of(
        r"\b(?:by|through|via|of) (?:\w+ly )?\w+ing\b|\bvia\b|\busing\b|\bconsists? of\b",
        r"\b(?:leverag|utili[sz]|formulat|minimi[sz]|maximi[sz]|encod|deriv)\w+|\bcluster\w*|\btreat\w* .{1,40} as\b",
    )
)
_SPECIFIC = re.compile(
    "^"
    + any_of(
        "specifically|concretely|in particular|in detail|technically|more precisely|precisely|namely|in other words|that is",
        "first|our key|the key|our approach|our method|to this end|to address|to achieve|to do so|inspired by|here",
    )
    + r"\b"
)
_EXPLAINS = re.compile(
    r"\b(?:refers? to|means? that|(?:is|are) defined as|denotes?|is the|are the|that is|i\.e\.|the practice of|a property|a phenomenon"
    r"|where|in which|whereby)\b"
)
_GOES_ON = re.compile(r"^(?:specifically|that is|the|in)\b")
# a word that opens a list, or the marks of one: "(i)", "1)", "a, b and c"
_ENUMERATION = re.compile(
    any_of(
        r"\b(?:namely|including|include|such as|e\.g\.|i\.e\.|contains?|consists? of|:)",
        r"\([ivx]+\)|\b1\)",
    )
    + r".*|,[^,]+,? (?:and|or) "
)
_RESULT = re.compile(
    any_word(
        r"results?|experiment\w*|evaluat\w+|demonstrat\w+",
        r"outperform\w*|improv\w+|achiev\w+|reduc\w+|accelerat\w+|gains?",
        r"better|higher|lower|faster|superior|comparable|state-of-the-art|significant\w*",
    )
)
_EXPERIMENT = re.compile(
    r"\b(?:experiment|empirical|evaluation|results|benchmarks? (?:show|demonstrate)|outperform|state-of-the-art"
    r"|we (?:show|demonstrate|validate|evaluate)|demonstrat|extensive|surpass)\w*"
)
_FINDING = re.compile(
    r"\b"
    + any_of(
        "find|found|finding|show|reveal|demonstrate|observe|discover|result|experiment",
        "prove|confirm|suggest|indicate",
        "can|allow|enable|without",
    )
    + r"\w*\b"
)
_SETTING = re.compile(r"\b(?:on|across|in|over|dataset|benchmark|task|experiment|evaluat|test)\w*")
_CONDITION = re.compile(r"\b(?:when|if|especially|under|particularly|provided|as long as|whenever|in the case)\b")
_AVAILABILITY = re.compile(
    r"\b(?:codes?|demos?|videos?|implementation|project page)\b.{0,60}\b(?:available|publicly|released|visit|found at)\b|https?://|github\.com"
)
# how a review was done, and what libraries file it under: true of every one, and what nobody asked for
_PROCEDURE = re.compile(
    r"^\W*(?:key ?words?|index terms|mesh terms)\b\W|\bprospero\b|\bcrd ?\d{6,}|\b(?:trial|review|protocol) registration\b|\bprisma\b"
    r"|\bwe (?:systematically )?searched\b"
    r"|\bsystematic (?:literature )?search(?:es)?\b.{0,40}\b(?:conducted|performed|carried out|pubmed|medline|embase)\b"
    r"|\b(?:conducted|performed|carried out) a systematic (?:literature )?search\b"
)
_NAMED_AS = any_of(
    "called|termed|named|dubbed|coined|known as|referred to as|defined as",
    r"propos\w+|introduc\w+|present\w*|develop\w*",
)
_HOLDS_SHARE = re.compile(r"\d ?%|\d percent|\d\.\d|\d/\d|\bhalf\b|\bthirds?\b|\bquarter\b")
_HOLDS_FACTOR = re.compile(r"\d ?(?:×|x\b|times|%)|twice|half|orders? of magnitude|fold|factor")
_COUNTS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, **{str(n): n for n in range(2, 9)}}


@dataclass(frozen=True, slots=True)
class Says:
    """What a sentence seems to say, by its words."""

    proposes: bool
    reason: bool
    cause: bool
    problem: bool
    means: bool
    way: bool
    specific: bool
    explains: bool
    goes_on: bool
    enumerates: bool
    result: bool
    experiment: bool
    finding: bool
    setting: bool
    condition: bool


@lru_cache(maxsize=8192)
def says(folded: str) -> Says:
    """What a folded sentence seems to say.

    >>> says("it is slow, since rivers are slow.").cause, says("we propose tide.").proposes
    (True, True)
    """
    return Says(
        proposes=bool(_PROPOSES.search(folded)),
        reason=bool(_REASON.search(folded)),
        cause=bool(_CAUSE.search(folded)),
        problem=bool(_PROBLEM.search(folded)),
        means=bool(_MEANS.search(folded)),
        way=bool(_WAY.search(folded)),
        specific=bool(_SPECIFIC.search(folded)),
        explains=bool(_EXPLAINS.search(folded)),
        goes_on=leans(folded) or bool(_GOES_ON.search(folded)),
        enumerates=bool(_ENUMERATION.search(folded)),
        result=bool(_RESULT.search(folded)),
        experiment=bool(_EXPERIMENT.search(folded)),
        finding=bool(_FINDING.search(folded)),
        setting=bool(_SETTING.search(folded)),
        condition=bool(_CONDITION.search(folded)),
    )


def is_beside_the_point(question: Question, folded: str) -> bool:
    """Does a sentence only say where the code is, or how a review was done, when nobody asked?"""
    asked = question.text.lower()
    if _PROCEDURE.search(folded) and not _PROCEDURE_ASKED.search(asked):
        return True
    return bool(_AVAILABILITY.search(folded)) and not _AVAILABILITY_ASKED.search(asked)


_SUBJECT = re.compile(
    r"\b(?:what(?:'?s| is| are| was| were| does| do| did)|who(?:'?s| is| are)|meant? (?:by|with)"
    r"|defin(?:e|ition of)|explain|describe)"
    r"(?: exactly| actually| meant by)?(?: (?:the|an?|this|that|term|concept|idea|notion))* (?P<subject>.+)"
)
_STANDS_FOR = re.compile(r"(?P<subject>[\w-]+) stands? for\b")
_ENDS_SUBJECT = re.compile(
    r"[,;:?!()]|\s-+\s|\b"
    + any_of(
        "in|for|of|from|when|that|which|as|by|with|to|on|during|within|under|here", "stands?|means?|refers?|called|do|does|is|are|and|used|proposed"
    )
    + r"\b"
)


@lru_cache(maxsize=256)
def subject(question: Question) -> tuple[str, ...]:
    """The content words of the thing of which a question wants to know what it is or does; none where it asks in another way.

    >>> from rag_qa.answering.question import analyse
    >>> subject(analyse("What is DeFT in semantic segmentation?")), subject(analyse("Why is it slow?"))
    (('deft',), ())
    """
    folded = text.fold(question.text).text
    found = _STANDS_FOR.search(folded) or _SUBJECT.search(folded)
    return tuple(text.content_words(_ENDS_SUBJECT.split(found["subject"], maxsplit=1)[0])) if found else ()


def defines(words: Sequence[str], folded: str) -> bool:
    """Does a sentence say what a thing is: "X is a", "X, a", "X (long form)", "long form (X)", "called X", "we propose X"?

    >>> defines(("tide",), "we propose tide, a clock."), defines(("tide",), "with tide we measure more.")
    (True, False)
    """
    return bool(words) and any(form.search(folded) for form in _forms_of_definition(tuple(words)))


@lru_cache(maxsize=256)
def _forms_of_definition(words: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    subject = r"[ -]+".join(re.escape(word) for word in words)
    forms = (
        rf"\b{subject}\w*\"?,? (?:is|are|refers? to|means?|denotes?|stands for|consists?|- |which (?:is|are)|(?:an?|the) )",
        rf"\b{subject}\w*\"? ?[(:]",
        rf"\(\"?{subject}\w{{0,2}}\"?[),;]",
        rf"\b{_NAMED_AS} (?:the |an? |our )?\"?{subject}",
        rf"\b{subject}, an? \b",
    )
    return tuple(map(re.compile, forms))


def holds_unit(question: Question, folded: str) -> bool:
    """Does a sentence hold a number as it is asked for: "30%" for "what share", "1.67×" for "how much faster"? Where neither is, any will do."""
    asked = question.text.lower()
    if SHARE_ASKED.search(asked):
        return bool(_HOLDS_SHARE.search(folded))
    return not FACTOR_ASKED.search(asked) or bool(_HOLDS_FACTOR.search(folded))


# ------------------------------------------------------------------------------------------------------- lists and names


def holds_count(question: Question, folded: str) -> bool:
    """A question for three things is answered by a sentence that says three, or lists three."""
    wanted = next(iter(_counts_in(question.text.lower())), None)
    return wanted is not None and (wanted in _counts_in(folded) or wanted in lengths_of_lists(folded))


def _counts_in(folded: str) -> list[int]:
    return [_COUNTS[word] for word in re.findall(r"[a-z]+|\d+", folded) if word in _COUNTS]


def lengths_of_lists(folded: str) -> list[int]:
    """How many things each enumeration holds.

    >>> lengths_of_lists("it learns shape, colour, and size")
    [3]
    """
    return [match.group(1).count(",") + 2 for match in re.finditer(r"((?:[^,;:.]+, ){0,9}[^,;:.]+),? and [^,;.]+", folded)]


FIELD_ACRONYMS = frozenset(
    """
    ai ml nlp rl rlhf ssl fl dp qa rag api url
    lm lms llm llms vlm vlms vit mlp mlps cnn cnns rnn rnns gnn gnns dnn dnns
    cpu cpus gpu gpus tpu
    sgd mdp mse kl id ood sota 2d 3d
    i ii iii
    """.split()
)
"""Capitals that name nothing in particular: words of the field, and the numbers of a list."""


def new_names(question: Question, paper: Paper, quote: str) -> set[str]:
    """What a sentence names that the question does not: data sets, models, systems, folded; not the paper's own method, nor a word of the field.
    Its first word has a capital anyway.
    """
    asked, own = question.text.casefold(), text.fold(paper.label).text
    known = {*text.acronyms(paper.abstract), *FIELD_ACRONYMS}
    plain = [token.strip("\"'()[]{},.;:*$“”‘’").removesuffix("'s").removesuffix("’s") for token in quote.split()[1:]]
    folded = {text.fold(token).text for token in plain if len(token) > 1 and any(char.isupper() for char in token)}
    return {name for name in folded if not _is_generic(name, known) and name not in asked and name not in own}


def _is_generic(folded: str, known: Collection[str]) -> bool:
    """Is a word, or the last part of a compound, a known short form, or too short for a name?"""
    last = folded.split("-")[-1]
    return last in known or last.removesuffix("s") in known or len(last) < 3


# ------------------------------------------------------------------------------------------------------- what leans on what

_LEANS = re.compile(
    "^"
    + any_of(
        "it|its|they|their|this|these|that|those|such",
        "here|hence|thus|however|moreover|furthermore|additionally",
        "to (?:this|that) end|in (?:this|that) way",
        "we (?:call|term|name|refer to|denote) (?:this|it|these|them)",
    )
    + r"\b"
)
_CONNECTIVE = any_of("however|moreover|furthermore|additionally|in addition|hence|thus|therefore|consequently|notably|also|finally|further|but|and")
_METHOD = any_of(
    "methods?|approach|framework|model|system|algorithm|technique|network|architecture|strategy|design|paradigm|module",
    "benchmark|dataset|data set|pipeline|procedure|formulation|objective|loss|solution|scheme|mechanism",
)
_NEEDS_BEFORE = re.compile(
    rf"^(?:{_CONNECTIVE},? )?"
    + any_of(
        "(?:it|its|they|their|them|these|those|such|both|this|that)(?! (?:paper|work|study|article|end)s?\\b)",
        "to (?:this|that) end|in (?:this|that) way|the (?:former|latter)|we (?:call|term|name|refer to|denote) (?:this|it|these|them)",
    )
    + r"\b"
)
_OF_THE_METHOD = re.compile(rf"^(?:{_CONNECTIVE},? )?(?:it|its|(?:this|the|our) (?:\w+ ){{0,2}}{_METHOD})\b")
_EMPTY_IT = re.compile(rf"^(?:{_CONNECTIVE},? )?it (?:is|was|remains|has been|becomes) (?:\w+ ){{0,2}}(?:that|to|how|whether|if)\b")


def leans(folded: str) -> bool:
    """Does a sentence begin with a word that points back ("It", "This method", "To this end", "However")?"""
    return bool(_LEANS.search(folded))


def needs_antecedent(folded: str) -> bool:
    """Can a sentence not be understood without the one before it? "However" alone points back, but what follows it can be understood.

    >>> [needs_antecedent(one) for one in ("it is fast.", "however, tides rise.", "moreover, this helps.", "this paper is new.")]
    [True, False, True, False]
    """
    return bool(_NEEDS_BEFORE.search(folded)) and not _EMPTY_IT.search(folded)


def speaks_of_method(folded: str) -> bool:
    """Does a sentence begin with words that stand for a method: "It", "This framework"?"""
    return bool(_OF_THE_METHOD.search(folded))
