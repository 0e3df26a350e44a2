"""Asides: what is asked of the program or of the library as a whole, and of no paper.

Few forms, each of which must be the whole of what is said: a question of research that was taken for one of these would never be searched for.
"""

from __future__ import annotations

import re

from rag_qa.answering.about_library import OfLibrary
from rag_qa.text import any_of

_POLITE = r"(?:(?:hi|hello|hey|please|ok|okay|so|and|but|well|now)\b[,!.:]? ?|(?:can|could|would) you (?:please )?(?:tell me )?|tell me,? )*"
_END = r"(?: (?:please|now|exactly|here|then|really|actually))*[\s?.!]*$"

_NOUN = "(?:papers|abstracts|articles|publications|works|studies)"
_LIBRARY = r"(?:(?:this|the|your|our|my) )?(?:paper )?(?:library|collection|corpus|index|database|archive)"


def _whole(*forms: str) -> re.Pattern[str]:
    return re.compile(rf"^{_POLITE}(?:{'|'.join(forms)}){_END}", re.IGNORECASE)


# ------------------------------------------------------------------------------------------------------------ the program

_WHO = _whole(
    "(?:what|who) are you",
    r"(?:what(?: is|['’]s) your name|who (?:made|built|wrote|created) you)",
    r"are you (?:an? )?(?:(?:real |chat)?bot|robot|human|person|machine|program|real|ai|llm|(?:large )?language model|search engine|chatgpt|gpt)",
    "(?:introduce|describe) yourself",
)
_ABLE = _whole(
    "what (?:all )?(?:can|do) you do(?: for me)?",
    "what are you (?:for|good for|able to do|capable of)",
    "(?:how|what) can you help(?: me)?(?: with)?",
    "how do you work",
    "how (?:do|can|should|shall) i (?:use|work with|talk to|ask) (?:this|you)(?: (?:thing|tool|program|page|app|chat))?",
    "what (?:can|may|should|could) i ask(?: you| here)?(?: (?:about|for))?",
    r"(?:i need )?help(?: me)?|what (?:kinds?|sorts?) of questions (?:can|may|should) i ask(?: you)?|what questions can you answer",
)
_RELIABLE = _whole(
    "how (?:confident|sure|certain|reliable|accurate|trustworthy|good) are (?:you|your answers)",
    "(?:can|should|may) i (?:trust|rely on|believe) (?:you|your answers)",
    r"are (?:you|your answers) (?:reliable|accurate|trustworthy|correct|always right)",
    "do you (?:ever )?(?:make (?:things|stuff|answers|anything) up|make up (?:things|stuff|answers|anything)|hallucinate|lie|guess|invent things)",
)
_SOURCES = _whole(
    "where do (?:you get|you take|you know|you have) (?:your (?:answers|information|knowledge|facts|data)|(?:this|that|it|all this))(?: from)?",
    "where do your (?:answers|facts) come from|what are your sources",
    "where does (?:your (?:information|knowledge|data)) come from",
)
# Without anything said before these can't mean an answer.
_SOURCES_AT_FIRST = _whole("where (?:does|did) (?:this|it|all this|that) come from", r"what(?: is|['’]s) (?:the|your) source")
_WHO_AT_FIRST = _whole("what(?: is|['’]s) this(?: (?:thing|tool|program|page|app|chat))?")
_ABLE_AT_FIRST = _whole("how does (?:this|it all)(?: (?:thing|tool|program|page|app|chat))? work")
_WEB = (
    r"(?:(?:the|on the|in the) )?(?:internet|web|google|google scholar|pubmed|arxiv|wikipedia|online|scopus|news"
    r"|other (?:libraries|databases))"
)
_NEW_PAPERS = (
    r"(?:(?:more|new|other|some|my(?: own)?|own|further|additional|a(?: new)?|another|an?) )*(?:papers?|abstracts?|articles?|files?|pdfs?|documents?)"
)
_ON_WEB = _whole(
    rf"(?:can|could|do) you (?:also )?(?:search|browse|access|use|look (?:things |it |that )?up|go|read|look)(?: (?:in|on|at|for \w+))? {_WEB}",
    r"(?:are you|do you (?:have|need)) (?:connected to the internet|online|(?:access to the )?internet(?: access)?|(?:an )?internet connection)",
    r"(?:can|do) you (?:read|access|open|see|have|search) (?:the )?(?:full[- ]?texts?|whole papers?|full papers?|entire"
    r" papers?)(?: of (?:the )?papers?)?",
)
_ADDING = _whole(
    rf"how (?:do|can|could|should|would) (?:i|we|one|you) (?:add|import|upload|index|load|include|remove|delete) {_NEW_PAPERS}"
    rf"(?: (?:to|into|from) (?:{_LIBRARY}|it|this|here))?",
    rf"(?:can|could|may) (?:i|we|you) (?:also )?(?:add|import|upload|index|load|remove|delete) {_NEW_PAPERS}"
    rf"(?: (?:to|into|from) (?:{_LIBRARY}|it|this|here))?",
    "(?:can|could|do) (?:i|we|you) (?:also )?(?:read|open|summari[sz]e|handle|process|use|understand|work with) (?:(?:a|my|the|my own|whole) )?"
    "(?:pdfs?|word)(?: (?:files?|documents?))?",
    rf"(?:can|could) you (?:download|get|fetch) {_NEW_PAPERS} (?:for me|from {_WEB})",
)
_SAID_BEFORE = _whole(
    "what (?:was|were|is|are) my (?:first|last|previous|earlier|other|second|original) (?:questions?|messages?)",
    "what (?:did|have) i (?:just )?(?:ask|asked|say|said)(?: (?:you|before|first|last|earlier|at first|just now|so far))*",
    "(?:do|can|will) you (?:remember|recall) (?:me|(?:what|anything) i (?:said|asked)(?: before)?|my (?:(?:first|last"
    "|earlier) )?questions?|our (?:chat|conversation))",
    "do you (?:have a memory|(?:save|store|keep|record) (?:my|these|the|our) (?:questions|chats?|conversations?|data))",
)
_UNABLE = _whole(
    "what (?:can['’]?t|can ?not|couldn['’]?t|don['’]?t|do not) you (?:do|answer|know|help with)",
    "what (?:can|do|could) you not (?:do|answer|know|help with)",
    "what (?:are|is) your (?:limits?|limitations?|weakness(?:es)?|shortcomings?)",
    "what (?:are you (?:not able|unable) to do|aren['’]?t you able to do|should i not ask(?: you)?|shouldn['’]?t i ask(?: you)?)",
    r"(?:can|could|will|would) you (?:also )?(?:write|draft|program|code|draw|paint|sing|translate|chat|joke"
    r"|cook|tell me a joke|tell a joke|speak|feel)"
    r"(?: (?:(?:me|for me|a|an|my|some|this|that|with me) ?)*(?:code|poems?|songs?|jokes?|essays?"
    r"|emails?|letters?|pictures?|stories|story|thesis|paper|papers|out loud)?)?",
)
_LANGUAGE = _whole(
    r"(?:do|can|could) you (?:speak|understand|answer in|know|read) (?:german|french|spanish|chinese|italian|russian"
    r"|japanese|portuguese|other languages|any other languages?)",
    r"(?:kannst|sprichst|verstehst) du (?:auch )?deutsch|parlez[- ]vous fran[cç]ais|(?:hablas|habla) (?:usted )?español|parli italiano",
)
_ABUSE = (
    r"(?:stupid|dumb|useless|bad|terrible|awful|idiotic|crap|crappy|rubbish"
    r"|garbage|nonsense|bullshit|shit|silly|horrible|pathetic|worthless|lousy|lame)"
)
_ABUSER = r"(?:(?:a|an|such an?|total|complete|utter|pure|absolute|really|very|so|just|quite|totally|completely|rather|fucking|damn|pretty) )*"
_UNHAPPY = _whole(
    rf"(?:you(?:['’]re| are)|this(?: (?:program|bot|tool|thing|app|chat|answer))? is|that(?: answer)?(?: is|['’]s)|your"
    rf" answers? (?:is|are)|it(?:['’]s| is)|what) "
    rf"{_ABUSER}{_ABUSE}(?: (?:program|bot|tool|thing|machine|answer|app|chat|crap))?",
    rf"(?:are you|what a (?:load|pile|lot|bunch) of) {_ABUSER}{_ABUSE}|you {_ABUSER}{_ABUSE} {_ABUSE}",
    rf"{_ABUSER}{_ABUSE}(?: (?:program|bot|tool|thing|machine|answer|app))?",
    r"(?:you (?:stupid|dumb|useless)|stupid|dumb|useless) (?:idiot|bot|machine|thing|program|tool)",
    "(?:you (?:are an? )?|you['’]re an? )?(?:idiot|moron|fool|liar)",
    "(?:you suck|this sucks|that sucks|shut up|go away|fuck(?: you| off| this)?|damn(?: you| it)?|wtf|what the (?:hell"
    "|fuck)|screw you|i hate (?:you|this))",
    "(?:no,? )?(?:that(?:['’]s| is| was| can['’]?t be)|this is|you(?:['’]re| are)|it(?:['’]s| is)|your answer (?:is|was)) "
    "(?:just |simply |completely |totally |all |so |clearly |obviously |plain )*(?:wrong|false|incorrect|not true|not"
    " right|not correct|untrue|mistaken|a lie)",
    "i (?:don['’]?t|do not|can['’]?t|cannot|disagree with|doubt) ?(?:believe|trust|buy|agree with)? ?(?:you|that|this|it|your answers?)",
    "(?:you (?:did(?: not|n['’]?t)|have(?: not|n['’]?t)) (?:answer(?:ed)?|understand|understood) (?:me|my question|that"
    "|the question|it)|that(?:['’]s| is| was) not what i (?:asked|meant|wanted)(?: for)?)",
)


_ANSWERS = (
    (
        _ON_WEB,
        None,
        "No: I read nothing but the paper abstracts of this library, neither the internet nor full texts. Ask me what these abstracts say.",
    ),
    (
        _ADDING,
        None,
        "Not by a question. Papers are added as files of records with abstracts, with the command “rag-qa index FILE”; “rag-qa index "
        "--help” and the README say which formats are read.",
    ),
    (
        _SAID_BEFORE,
        None,
        "I take earlier questions of this conversation only to understand the next one, and do not tell them again: they"
        " stand above. Ask on with “tell "
        "me more”, or “back to the first question”.",
    ),
    (
        _UNABLE,
        None,
        "I only answer questions from the abstracts of this library: I search nothing else, write no texts of my own, know"
        " no more than the abstracts "
        "say, and can choose the wrong sentence. Ask for example “What is …?” or “Which papers deal with …?”.",
    ),
    (
        _LANGUAGE,
        None,
        "Ask in the language that the abstracts are in, which is mostly English: the words of a question are looked for in them as they "
        "stand. What I say myself is English.",
    ),
    (
        _UNHAPPY,
        None,
        "I am sorry that this did not help. I only choose sentences of the abstracts, and can choose the wrong ones: check them at the passages that "
        "are cited, or ask in other words, such as “Which papers deal with …?”.",
    ),
    (
        _WHO,
        _WHO_AT_FIRST,
        "I am rag_qa, a program that answers questions from the paper abstracts of this library. Each sentence of an answer cites the paper that "
        "says it; I know nothing beyond these abstracts.",
    ),
    (
        _ABLE,
        _ABLE_AT_FIRST,
        "Ask in plain language, for example “What is …?”, “How do … and … differ?”, “Which papers deal with …?” or “What is this library about?”, "
        "and ask on with “why?”, “any others?” or “the second one”. I answer from the abstracts of this library and say so when they do not answer.",
    ),
    (
        _RELIABLE,
        None,
        "That differs from answer to answer: when it seems too unlikely that the abstracts answer, I say that they do not. Each sentence cites the "
        "passage that it rests on; read it, since I can choose the wrong one. Whether what an abstract says is true, I cannot tell.",
    ),
    (
        _SOURCES,
        _SOURCES_AT_FIRST,
        "From the paper abstracts of this library, and from nothing else: each sentence of an answer cites its paper, and the passage that it rests "
        "on is shown below it.",
    ),
)


def about_program(question: str, *, is_first: bool = False) -> str | None:
    """What to say of the program itself; None for any other question. `is_first`: nothing was asked before that "this" could mean.

    >>> (about_program("What are you?") or "").split(",")[0], about_program("What are you-only look once models?")
    ('I am rag_qa', None)
    """
    for pattern, at_first, said in _ANSWERS:
        if pattern.match(question) or (is_first and at_first is not None and at_first.match(question)):
            return said
    return None


# ------------------------------------------------------------------------------------------------------------ the library

_PAPERS = (
    r"(?:all )?(?:(?:of )?(?:the|these|your|our|my) )?(?:papers|abstracts|articles)"
    rf"(?: (?:here|there|you have|in (?:here|it|this|{_LIBRARY})))?"
)
_ALL = rf"(?:{_LIBRARY}|{_PAPERS}|you)"
_THERE = rf"(?:are|is) (?:there|represented|covered|included)(?: (?:here|in {_LIBRARY}))?"
_IN = rf"(?:(?:(?:are|is) )?(?:in|of|from|for|by) {_ALL}|{_THERE}|do (?:you|we|i) have|here)"
_HAS = any_of("cover|covers|include|includes|span|spans|have|has|contain|contains|hold|holds|deal with|deals with|know|know about|come from|use")
_WHAT = r"(?:which|what|list(?: me)?(?: all)?|show(?: me)?(?: all)?|name(?: all)?)(?: are)?(?: (?:all|the))*"
_COMMON = r"(?:(?:main|different|most (?:common|frequent|usual)|usual|various) )?"


def _of(nouns: str, *more: str) -> re.Pattern[str]:
    """A question for all of some noun that the library has."""
    return _whole(
        rf"{_WHAT} {_COMMON}(?:{nouns})(?: {_IN}|,? (?:does|do) {_ALL} {_HAS})",
        rf"(?:list|show me|name|show) all (?:of )?(?:the )?(?:{nouns})",
        *more,
    )


_HERE = rf"(?: (?:here|(?:are|is) there|(?:in|of) (?:here|it|there|{_LIBRARY})|do you have|you have))?"
_OUR = "(?:of (?:the|your|our|my) )?"


def _with_most(nouns: str, *more: str) -> re.Pattern[str]:
    """A question for which of a noun has the most papers."""
    return _whole(
        rf"(?:(?:in|from|by) )?(?:which|what) {nouns} (?:has|have|had|saw|wrote|published|is with|comes? with) (?:the )?(?:most|highest number of) "
        rf"(?:of (?:the|your) )?{_NOUN}{_HERE}",
        rf"(?:(?:what|who|which) (?:is|are) )?the {nouns} with (?:the )?most {_NOUN}{_HERE}",
        rf"(?:from|in|by) (?:which|what) {nouns} (?:are|were|come) (?:the )?most(?: of the)? {_NOUN}(?: published| written| from| in)?",
        rf"(?:what|which|who) (?:is|are) the (?:most (?:frequent|common|usual)|top) {nouns}{_HERE}",
        *more,
    )


def _per(nouns: str) -> re.Pattern[str]:
    """A question for how many papers each of a noun has."""
    each = rf"(?:per|by|(?:in|from|of|for) (?:each|every)|each|every|for the different) {nouns}"
    return _whole(
        rf"how many {_NOUN}(?: (?:are|is|do|does|there|you|we|have|come|came|were|published|it|has))* {each}{_HERE}",
        rf"(?:what is )?(?:the )?(?:number|distribution|count) of {_NOUN} {each}{_HERE}",
        rf"(?:(?:list|show|give|count)(?: me)? )?(?:the )?{_NOUN} (?:per|for each|for every) {nouns}{_HERE}",
        rf"how many {_NOUN} (?:does|do|has|have) (?:each|every) {nouns} have",
    )


_YEARS, _AUTHORS, _VENUES = "years?", "(?:authors?|researchers?|scientists?|people|person)", "(?:venues?|journals?|conferences?)"
_ASKED: tuple[tuple[OfLibrary, re.Pattern[str]], ...] = (
    (OfLibrary.MOST_YEAR, _with_most(_YEARS)),
    (
        OfLibrary.MOST_AUTHOR,
        _with_most(
            _AUTHORS,
            rf"who (?:has|wrote|published|has (?:written|published)) (?:the )?most(?: of the)? {_NOUN}{_HERE}",
            rf"who (?:has )?(?:written|wrote|published) (?:the )?most{_HERE}",
            rf"(?:(?:who|which|what) (?:is|are) )?(?:the )?most (?:prolific|productive|frequent) {_AUTHORS}{_HERE}",
        ),
    ),
    (OfLibrary.MOST_VENUE, _with_most(_VENUES)),
    (OfLibrary.BY_YEAR, _per("year")),
    (OfLibrary.VENUES, _per("(?:venue|journal|conference|magazine)")),
    (OfLibrary.AUTHORS, _per("author")),
    (OfLibrary.BY_FILE, _per("(?:source|file|source file|folder|database|export)")),
    (OfLibrary.NUMBER_OF_AUTHORS, _whole(rf"how many (?:different )?authors{_HERE}(?: in total)?")),
    (OfLibrary.NUMBER_OF_VENUES, _whole(rf"how many (?:different )?(?:venues|journals|conferences){_HERE}(?: in total)?")),
    (
        OfLibrary.RETRACTED,
        _whole(
            rf"(?:are|were|is|was) (?:there )?any(?: {_OUR}{_NOUN}| paper)?{_HERE} (?:been )?retracted(?: {_NOUN}| paper)?{_HERE}",
            rf"(?:(?:are|is) there |do you have |any )(?:any )?(?:retracted {_NOUN}|retractions){_HERE}|retractions{_HERE}",
            rf"(?:is|was) anything{_HERE} retracted{_HERE}",
            rf"(?:have|has) any {_OUR}(?:{_NOUN}|paper){_HERE} been retracted",
            rf"how many (?:retracted {_NOUN}{_HERE}|{_OUR}{_NOUN}{_HERE} (?:are|were|have been) retracted)",
        ),
    ),
    (
        OfLibrary.WITHOUT_ABSTRACT,
        _whole(
            rf"(?:(?:list|show)(?: me)? )?{_NOUN} without(?: an?)? abstracts?{_HERE}",
            rf"(?:how many|which|what|are there(?: any)?|is there any) {_OUR}(?:{_NOUN}|records|entries|paper|record)"
            rf"(?: that| which)? (?:(?:have|has|had|are|were|come|came|do) )?"
            rf"(?:no|without(?: an?)?|not have(?: an?| any)?|lack(?: an?)?|missing(?: an?)?|lacking(?: an?)?) abstracts?{_HERE}",
        ),
    ),
    (OfLibrary.SIZE, _whole(rf"how (?:big|large) is {_LIBRARY}|(?:what is )?the size of {_LIBRARY}")),
    (
        OfLibrary.SUBJECT,
        _of(
            "topics|subjects|themes|fields|areas|research (?:topics|areas|fields)",
            rf"what (?:is|are) (?:{_LIBRARY}|the papers (?:here|in (?:here|{_LIBRARY}))|your papers)(?: (?:all|mainly|mostly))? (?:about|on)",
            rf"what(?: is|['’]s) in {_LIBRARY}|what does {_LIBRARY} (?:contain|hold|cover|have|deal with)",
            rf"what (?:kinds?|sorts?) of papers (?:are (?:there|in {_LIBRARY})|do you have)",
            rf"what do you (?:know|know about)|describe {_LIBRARY}|(?:give me )?an overview of {_LIBRARY}",
        ),
    ),
    (
        OfLibrary.YEARS,
        _of(
            "years|period|time span|time|range of years",
            rf"(?:from|of) (?:what|which) years are (?:{_PAPERS})",
            rf"how (?:old|new|recent|up[- ]to[- ]date) (?:is {_LIBRARY}|are (?:{_PAPERS}))",
            rf"when were (?:{_PAPERS}) (?:published|written)",
            rf"(?:what|how old|when)(?: is|['’]s| was) the (?:oldest|newest|latest|earliest|most recent) year"
            rf"(?: (?:here|in {_LIBRARY}|you have))?",
        ),
    ),
    (
        OfLibrary.VENUES,
        _of(
            "venues|journals|conferences|journals and conferences|magazines",
            rf"(?:which|what) (?:venues|journals|conferences) (?:are|is) (?:(?:in|of) )?(?:in )?(?:here|there|it|{_LIBRARY})",
            rf"(?:(?:in|from) )?(?:which|what) (?:venues|journals|conferences) (?:are|were|do|did) (?:{_PAPERS})"
            r"(?: (?:come |appear |published )?(?:from|in))?",
        ),
    ),
    (OfLibrary.AUTHORS, _of("authors|researchers|people|scientists", rf"who (?:wrote|are the authors of) (?:{_PAPERS}|{_LIBRARY})")),
    (OfLibrary.TYPES, _of("(?:types|kinds) of (?:documents|papers|publications)|document types|types")),
    (OfLibrary.LANGUAGES, _of("languages", rf"(?:in )?(?:what|which) languages? are (?:{_PAPERS})(?: (?:in|written in))?")),
    (OfLibrary.KEYWORDS, _of("keywords|key words|tags")),
    (
        OfLibrary.FILES,
        _of(
            "files|folders",
            rf"where (?:do|did) (?:{_PAPERS}) come from|where is {_LIBRARY} from|(?:which|what) files (?:were|are|did you) (?:index|indexed|read)",
        ),
    ),
)
# "it" is the library where nothing else was spoken of
_IT = re.compile(
    r"\b(?:it|this)(?= (?:cover|covers|include|includes|span|spans|contain|contains|hold|holds)\b)|(?<=\bwhat is )this(?= about\b)", re.IGNORECASE
)
# "which journals?"
_BARE = re.compile(
    rf"^(?P<all>{_POLITE}(?:which|what|how many) (?:years|venues|journals|conferences|authors|keywords|languages))(?=[\s?.!]*$)", re.IGNORECASE
)
_BEING = r"(?: (?:are|is|do|does|there|we|i|have|has|hold|holds|contain|contains|in|know|indexed|stored|total|all|altogether|overall|currently))*"
_NUMBER = _whole(
    rf"how many {_NOUN}{_BEING} (?:{_LIBRARY}|you){_BEING}",
    rf"how many {_NOUN} (?:are there|do (?:you|we|i) have|are (?:stored|indexed|here)|in total|altogether|overall)"
    r"(?: (?:in total|altogether|overall|in all))?",
    rf"(?:what is )?the (?:total )?number of {_NOUN}(?: in {_LIBRARY})?",
)


def about_library(question: str, *, is_first: bool = False) -> OfLibrary | None:
    """What a question asks of the library as a whole; None for any other question. `is_first`: nothing was asked before that "it" could mean.

    >>> about_library("Which years does this library cover?"), about_library("Which years does the drought cover?")
    (<OfLibrary.YEARS: 'years'>, None)
    """
    asked = _IT.sub("the library", _BARE.sub(r"\g<all> are there", question)) if is_first else question
    return next((kind for kind, pattern in _ASKED if pattern.match(asked)), None)


def counts_library(question: str) -> bool:
    """Does a question ask how many papers the library has? "How many are there?" may mean those of a list.

    >>> counts_library("How many papers are there?"), counts_library("How many are there?"), counts_library("How many papers on tides are there?")
    (True, False, False)
    """
    return bool(_NUMBER.match(question))


def is_aside(question: str, *, is_first: bool = False) -> bool:
    """Is a question for the program or for the library as a whole, so that nothing that is said later goes on with it?"""
    return (
        about_program(question, is_first=is_first) is not None or about_library(question, is_first=is_first) is not None or counts_library(question)
    )
