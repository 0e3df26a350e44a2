"""A judgement as JUnit XML, which servers that build and test show as tests: each condition, figure and floor is one."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from eval.judgement import Judgement, Outcome, Verdict
from eval.report import differences

SUITE = "eval gate"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(judgement: Judgement) -> str:
    """The XML. What is inconclusive and does not fail is skipped, with the number of questions that it takes; so is a floor that nothing is about."""
    cases = [*_conditions(judgement), *_figures(judgement), *_floors(judgement)]
    counts = {name: str(sum(case.find(tag) is not None for case in cases)) for name, tag in (("failures", "failure"), ("skipped", "skipped"))}
    suites = ET.Element("testsuites", {"name": SUITE, "tests": str(len(cases)), **counts, "errors": "0"})
    suite = ET.SubElement(suites, "testsuite", {"name": SUITE, "tests": str(len(cases)), **counts, "errors": "0"})
    suite.extend(cases)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _case(group: str, name: str, *, failure: str = "", skipped: str = "") -> ET.Element:
    case = ET.Element("testcase", {"classname": f"eval.{group}", "name": name})
    if failure:
        ET.SubElement(case, "failure", {"message": _NO_XML.sub("?", failure)})
    elif skipped:
        ET.SubElement(case, "skipped", {"message": _NO_XML.sub("?", skipped)})
    return case


def _conditions(judgement: Judgement) -> Iterator[ET.Element]:
    for name, wrong in judgement.conditions.items():
        yield _case("run", name, failure=wrong)


def _figures(judgement: Judgement) -> Iterator[ET.Element]:
    for verdict in judgement.verdicts:
        said = verdict.said if verdict.outcome is not Outcome.OK else ""
        case = _case("figure", verdict.difference.key, failure=said if judgement.fails(verdict) else "", skipped=said)
        ET.SubElement(case, "system-out").text = _NO_XML.sub("?", _told(verdict))
        yield case


def _told(verdict: Verdict) -> str:
    one = verdict.difference
    told = f"baseline {differences.value(one.metric, one.before)}, now {differences.value(one.metric, one.after)}"
    told += f", delta {differences.signed(one.metric, one.delta)}, 95 % {differences.interval(one) or 'nothing changed'}" if one.interval else ""
    return told + (f"; worse: {differences.ids(one.worse)}" if one.worse else "")


def _floors(judgement: Judgement) -> Iterator[ET.Element]:
    for check in judgement.floors:
        value = "no value" if check.value is None else f"{check.value:.4g}"
        failure = f"{value}, to be {check.floor}" if check.outcome == "fail" else ""
        yield _case(
            "floor", f"{check.floor.key} {check.floor}", failure=failure, skipped="" if check.outcome == "pass" else "no question is about it"
        )
