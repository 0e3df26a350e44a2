"""Languages: names and codes of all kinds -> ISO 639-1, and which one a text is in."""

from __future__ import annotations

import re

# ISO 639-1, then the codes of ISO 639-2, and names in English, in the language itself and in those of the big databases.
_NAMES = """
en eng english englisch anglais inglés ingles inglês inglese engels engelska engelsk angielski английский английский 英语 英文 英語 영어 ingilizce
de ger deu german deutsch allemand alemán aleman alemão tedesco duits tyska niemiecki немецкий 德语 ドイツ語 독일어
fr fre fra french français francais französisch francés frances francese frans franska francuski французский 法语 フランス語
es spa spanish español espanol spanisch espagnol castellano castilian espanhol spagnolo spaans hiszpański испанский 西班牙语 スペイン語
pt por portuguese português portugues portugiesisch portugais portugués portoghese portugees португальский 葡萄牙语
it ita italian italiano italienisch italien włoski итальянский 意大利语 イタリア語
nl dut nld dutch nederlands niederländisch néerlandais flemish vlaams holandés holandês olandese нидерландский
ru rus russian русский russisch russe ruso russo rosyjski 俄语 ロシア語
zh chi zho chinese 中文 汉语 漢語 chinesisch chinois chino chinês cinese китайский 중국어 mandarin zh-hans zh-hant
ja jpn japanese 日本語 日语 japanisch japonais japonés japonês giapponese японский 일본어
ko kor korean 한국어 韩语 韓国語 koreanisch coréen coreano корейский
pl pol polish polski polnisch polonais polaco polacco польский
cs cze ces czech čeština česky cestina tschechisch tchèque checo чешский
sk slo slk slovak slovenčina slowakisch slovaque
sl slv slovenian slovene slovenščina slowenisch
hr hrv scr croatian hrvatski kroatisch croate
sr srp scc serbian srpski српски serbisch
bs bos bosnian bosanski
bg bul bulgarian български bulgarisch
uk ukr ukrainian українська ukrainisch украинский
be bel belarusian беларуская
mk mac mkd macedonian македонски
hu hun hungarian magyar ungarisch hongrois
ro rum ron romanian română romana rumänisch roumain moldavian
el gre ell greek ελληνικά griechisch grec griego
tr tur turkish türkçe turkce türkisch turc turco
ar ara arabic العربية arabisch arabe árabe arabo
he heb hebrew עברית hebräisch hébreu hebreo
fa per fas persian فارسی farsi persisch persan
ur urd urdu اردو
hi hin hindi हिन्दी
bn ben bengali বাংলা
ta tam tamil தமிழ்
th tha thai ไทย
vi vie vietnamese tiếngviệt
id ind indonesian bahasaindonesia indonesisch
ms may msa malay bahasamelayu
sv swe swedish svenska schwedisch suédois sueco
no nor norwegian norsk norwegisch norvégien noruego nb nob nn nno bokmål nynorsk
da dan danish dansk dänisch danois danés
fi fin finnish suomi finnisch finnois finlandés
is ice isl icelandic íslenska isländisch
et est estonian eesti estnisch
lv lav latvian latviešu lettisch
lt lit lithuanian lietuvių litauisch
ca cat catalan català catala katalanisch valencian
eu baq eus basque euskara
gl glg galician galego gallegan
af afr afrikaans
sq alb sqi albanian shqip
hy arm hye armenian
ka geo kat georgian
az aze azerbaijani
kk kaz kazakh
uz uzb uzbek
la lat latin latein
eo epo esperanto
ga gle irish gaeilge
cy wel cym welsh cymraeg
sw swa swahili kiswahili
mn mon mongolian
"""
_CODES = {name: line.split()[0] for line in _NAMES.splitlines() for name in line.split()}
_PARTS = re.compile(r"[;,|/()\[\]&+]|\band\b|\bund\b|\bet\b|\by\b")
_REGION = re.compile(r"[-_ ](?:[a-z]{2}|[a-z]{4}|\d{3}|us|uk|gb|simplified|traditional|american|british)$")
_IGNORED = re.compile(r"[\s.'’*]+")

_SAMPLE = 1000


def code(name: str) -> str | None:
    """ISO 639-1 of the first language that is named; None if none is known.

    >>> code("eng"), code("en-US"), code("Deutsch; English"), code("Chinese (simplified)"), code("und")
    ('en', 'en', 'de', 'zh', None)
    """
    for part in _PARTS.split(name.casefold()[:200]):
        plain = part.strip()
        for word in (plain, *plain.split()):  # "eng ger"
            known = _CODES.get(_IGNORED.sub("", word)) or _CODES.get(_REGION.sub("", word))
            if known:
                return known
    return None


def detect(text: str) -> str:
    """ISO 639-1 of the language of a text of a few words or more.

    >>> detect("Nous avons étudié les marées de la mer du Nord.")
    'fr'
    """
    # it takes a second to load, and few records need it
    import py3langid  # type: ignore[import-untyped]

    ranked: list[tuple[str, float]] = py3langid.rank(text[:_SAMPLE])
    return next(language for language, _ in ranked if language in _CODES)
