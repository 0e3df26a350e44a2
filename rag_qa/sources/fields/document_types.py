"""The kind of document in the words of every database -> one of `papers.TYPES`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# The codes and names of RIS, BibTeX, BibLaTeX, CSL, EndNote, Zotero, Mendeley, Citavi, Crossref, DataCite, OpenAlex, Semantic Scholar, PubMed,
# Scopus and Web of Science, in lower case and without blanks or hyphens.
_NAMES: dict[str, str] = {
    "article": "article articles jour ejour ejou jfull mgzn news inpr articleinpress journal journalarticle journalarticles journalpaper "
    "articlejournal articlemagazine articlenewspaper magazinearticle newspaperarticle electronicarticle researcharticle "
    "originalarticle originalresearch originalpaper originalresearcharticle researchpaper fullpaper shortpaper casereport casereports "
    "casestudy clinicaltrial clinicaltrials randomizedcontrolledtrial controlledclinicaltrial observationalstudy multicenterstudy "
    "comparativestudy evaluationstudy validationstudy twinstudy clinicalstudy study shortsurvey datapaper dataarticle datadescriptor "
    "technicalnote briefcommunication briefreport rapidcommunication shortcommunication periodicalarticle practiceguideline guideline "
    "historicalarticle introductoryjournalarticle classicalarticle journalissue zeitschriftenaufsatz zeitschriftenartikel aufsatz "
    "articulo artigo artículo artykuł статья 期刊 期刊论文 学術論文 논문 correctedandrepublishedarticle reprint periodical",
    "preprint": "preprint postedcontent unpb unpd unpublished unpublishedwork workingpaper discussionpaper eprint articlepreprint "
    "submittedmanuscript",
    "conference": "conf cpaper cp inproceedings conference conferencepaper paperconference proceedings proceedingsarticle proceedingspaper "
    "conferenceproceeding conferenceproceedings conferenceabstract conferencearticle meetingabstract meetingpaper meetingabstracts "
    "conferencereview congress congresses proceedingsseries conferenceposter poster conferencepresentation talk presentation speech "
    "slide tagungsbeitrag 会议 会议论文",
    "review": "review reviews reviewarticle reviewpaper articlereview systematicreview scopingreview literaturereview narrativereview "
    "umbrellareview minireview metaanalysis metaanalyses systematicreviews overview survey cochranereview criticalreview "
    "invitedreview",
    "book": "book books ebook edbook editedbook mvbook ser bookseries bookset bookinseries monograph collection mvcollection reference "
    "mvreference referencebook booklet encyc encyclopedia dict dictionary clswk classicalwork ancient ancienttext manual "
    "proceedingsbook booktrack editorsbook buch",
    "chapter": "chap chapter echap bookchapter booksection inbook incollection bookinbook suppbook suppcollection inreference referenceentry "
    "bookpart electronicbooksection electronicbookchapter encyclopediaarticle dictionaryentry entryencyclopedia entrydictionary entry "
    "componentpart bookentry",
    "thesis": "thes thesis theses phdthesis mastersthesis masterthesis bathesis dissertation dissertations doctoralthesis doctoraldissertation "
    "diplomathesis bachelorthesis habilitation tesis tese these hochschulschrift edd phd 学位论文 硕士 博士",
    "report": "rprt report reports techreport technicalreport govdoc governmentdocument reportcomponent reportseries whitepaper "
    "projectdeliverable deliverable technicaldocumentation annualreport policybrief governmentpublication",
    "dataset": "data dataset datasets dbase aggr database onlinedatabase aggregateddatabase",
    "software": "comp computerprogram software softwarepaper sourcecode computationalnotebook softwarepackage program",
    "patent": "pat patent patents",
    "editorial": "editorial editorials editorialmaterial editorialarticle introduction foreword preface",
    "letter": "letter letters correspondence lettertotheeditor letterstotheeditor lettersandcomments",
    "other": "abst advs art bill blog case chart ctlg elec equa figure grnt grant hear icomm intv legal manscpt map mpct multi music pamp "
    "pcomm pod press sound stand standard standardseries stat unbill video web gen generic misc miscellaneous other webpage online "
    "electronic website internet film movie audiovisual audiovisualmaterial videorecording image artwork figurechart note newsitem "
    "news biography biographicalitem bookreview reviewbook filmreview softwarereview hardwarereview peerreview peerreviewarticle "
    "artexhibitreview erratum errata publishederratum corrigendum correction addendum retraction retractionofpublication "
    "retractionnotice expressionofconcern interview lecture lectures address addresses newspaperitem blogpost entrydata post "
    "postweblog forumpost manuscript personalcommunication patientinformation videoaudiomedia interactiveresource service event "
    "physicalobject audio performance statute hearing personalletter socialmedia paratext libguides supplementarymaterials component "
    "comment commentary reply response discussion",
}
_TYPES = {name: type_ for type_, names in _NAMES.items() for name in names.split()}
# Words that tell nothing.
_UNTOLD = frozenset("publication text document earlyaccess englishabstract paper item work record abstractavailable unknown undefined".split())
# Names that say no more than our own; any other is worth keeping as it is.
_EXACT = frozenset(
    "article jour journalarticle articlejournal journal conf cpaper inproceedings conferencepaper paperconference proceedingsarticle "
    "conference preprint book chap chapter bookchapter booksection inbook incollection thesis thes phdthesis rprt report techreport "
    "review editorial letter dataset software patent postedcontent misc gen generic other data comp pat".split()
)
# Words that leave no doubt about where it appeared.
_IN_JOURNAL = frozenset("journalarticle journalarticles".split())
# In what order one counts if a document is said to be several.
_RANK = {
    type_: rank
    for rank, type_ in enumerate(
        "preprint review editorial letter thesis patent dataset software report chapter conference article book other".split()
    )
}
_NOT_LETTER = re.compile(r"[\W_]+")
_WORDS: Sequence[tuple[re.Pattern[str], str]] = tuple(
    (re.compile(pattern), type_)
    for pattern, type_ in (
        (r"errat|corrigend|retract|bookreview|peerreview", "other"),
        (r"systematicreview|reviewarticle|articlereview|literaturereview|scopingreview|metaanaly|^review|review$|übersicht|обзор|综述", "review"),
        (r"thesis|dissertation|thèse|диссертац", "thesis"),
        (r"preprint|workingpaper", "preprint"),
        (r"editorial", "editorial"),
        (r"letter(?!press)", "letter"),
        (r"proceeding|conference|congress|symposium|meeting|workshop", "conference"),
        (r"chapter|booksection|inbook|partofbook", "chapter"),
        (r"patent", "patent"),
        (r"dataset|datacollection", "dataset"),
        (r"software|computerprogram", "software"),
        (r"casereport|clinicaltrial|trial|study|article|journal|paper|artikel|stud(?:y|ies)$", "article"),
        (r"report", "report"),
        (r"book|monograph|buch|libro|livre", "book"),
    )
)

# Servers of preprints; in the field of the journal they say what the record is.
_SERVER = re.compile(
    r"(?:[a-z-]{0,9}xiv(?: e-?prints?| preprints?)?|corr|ssrn(?: electronic journal)?|research square|preprints(?:\.org)?|osf preprints|"
    r"authorea(?: preprints)?|cold spring harbor laboratory|peerj preprints|vixra)\b",
    re.IGNORECASE,
)


def of(words: Iterable[str], *, venue: str | None = None, is_on_arxiv: bool = False, is_of_conference: bool = False) -> str | None:
    """One of TYPES; None if nothing tells. `venue` and `is_on_arxiv` tell preprints whose source has no word for them; a part of the proceedings of a
    conference may be called after the book or the series that it is in.

    >>> of(["Journal Article", "Review"]), of(["JOUR"], venue="bioRxiv"), of(["misc"], is_on_arxiv=True), of([])
    ('review', 'preprint', 'preprint', None)
    """
    names = [_NOT_LETTER.sub("", part.casefold()) for word in words for part in word.split(";")]
    found = {type_ for name in names if (type_ := _of(name))}
    if not _IN_JOURNAL.isdisjoint(names):
        found.discard("report")  # ERIC: "Journal Articles", "Reports - Research"
    best = min(found, key=_RANK.__getitem__, default=None)
    if best in (None, "article", "other") and (is_server(venue) if venue else is_on_arxiv):
        return "preprint"
    return "conference" if is_of_conference and best in (None, "other", "book", "chapter") else best


def _of(name: str) -> str | None:
    known = _TYPES.get(name)
    if known or not name:
        return known
    if name in _UNTOLD:
        return None
    found = next((type_ for pattern, type_ in _WORDS if pattern.search(name)), None)
    return found or (None if name.startswith("researchsupport") else "other")


def is_server(venue: str) -> bool:
    """Is this the name of a server of preprints, not of a journal?

    >>> is_server("arXiv preprint arXiv:1706.03762"), is_server("bioRxiv"), is_server("Archives of Virology")
    (True, True, False)
    """
    found = _SERVER.match(venue)
    return found is not None and (found.end() == len(venue) or venue[found.end()] in " :([.,/")


def says_more(word: str) -> bool:
    """Is this word for a type worth keeping beside ours?

    >>> says_more("Randomized Controlled Trial"), says_more("JOUR")
    (True, False)
    """
    return _NOT_LETTER.sub("", word.casefold()) not in _EXACT
