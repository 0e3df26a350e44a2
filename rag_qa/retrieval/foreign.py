"""In which language a question is, if that is not English. Few words tell little, so that two signs have to agree: the letters, and a small word of
that language."""

from __future__ import annotations

import re

from rag_qa import text
from rag_qa.sources.fields import languages

_SMALL = {
    "de": "der die das und ist wie was welche welcher welches wird werden von für mit auf im ein eine einer nicht gibt sind kann den dem des bei",
    "fr": "le la les des du de un une est sont quel quelle quels quelles comment pourquoi que qui dans pour avec sur et au aux",
    "es": "el la los las de del un una es son qué cómo cuál cuáles por para con en y se",
    "pt": "o os as de do da dos das um uma é são que como qual quais por para com em na e",
    "it": "il lo la gli le di del della dei un una è sono che come quale quali per con nel",
    "nl": "de het een en zijn wat hoe welke van voor met op niet worden",
    "sv": "och är vad hur för av på ett inte som den det vilka vilken",
    "da": "og er hvad hvordan af på et ikke som den det hvilke",
    "no": "og er hva hvordan av på et ikke som den det hvilke",
    "pl": "jak jest co jaki jakie w na z i nie czy do się są",
}
_WORDS = {code: frozenset(words.split()) for code, words in _SMALL.items()}
_OTHER_LETTERS = re.compile(r"[\u0400-\u04ff\u0590-\u06ff\u0900-\u0dff\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_FEWEST_WORDS = 3
_ENGLISH = 0.34  # share of words that English needs in every sentence, from which on a question is English
_IN_OTHER_LETTERS = 0.5  # share of the letters


def language_of(question: str) -> str | None:
    """ISO 639-1 of the language of a question; None for English, and where it can't be told.

    >>> language_of("Wie funktioniert die Kompression von Sprachmodellen?"), language_of("Zurich trams Berlin delays"), language_of("What is RaNA?")
    ('de', None, None)
    """
    letters = [char for char in question if char.isalpha()]
    if letters and len(_OTHER_LETTERS.findall(question)) >= _IN_OTHER_LETTERS * len(letters):
        return languages.detect(question)
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", question)]
    english = [word for word in words if word in text.STOPWORDS or word in text.QUESTION_WORDS]
    if len(words) < _FEWEST_WORDS or len(english) >= _ENGLISH * len(words):
        return None
    likely = [code for code, small in _WORDS.items() if small & set(words)]
    found = languages.detect(question) if likely else ""
    return found if found in likely else None
