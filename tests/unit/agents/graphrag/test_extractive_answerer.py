from __future__ import annotations

from dataclasses import replace

from hoptrail.agents.graphrag.extractive_answerer import MAX_REPORTS, answer_from_reports
from hoptrail.core.types import Finding
from hoptrail.testing import HashingEmbedder
from tests.unit.agents.town_reports import FLOOD, REPORTS, TRADE, VARDE

embed = HashingEmbedder().embed


def test_a_broad_question_gets_titles_and_summaries_with_references() -> None:
    draft = answer_from_reports("What are the main themes of these texts?", REPORTS, embed)
    assert draft.strategy == "extractive"
    assert draft.text == (
        "- **Varde and its salt**: Varde lives on salt. [reports: 1]\n"
        "- **Ribe and its mill**: Ribe lives on corn. [reports: 2]"
    )
    assert [reference.id for reference in draft.reports] == ["cv", "cr"]


def test_a_particular_question_gets_the_sentences_nearest_to_it() -> None:
    findings = (
        *(Finding(f"f{n}", f"Sentence {n} on weather. More.") for n in range(9)),
        FLOOD,
        TRADE,
    )
    reports = {n: replace(VARDE, title=f"T{n}", findings=findings) for n in range(1, 7)}

    text = answer_from_reports("Which flood was followed by a mill?", reports, embed).text

    assert text.count("Ida Holm built a mill after the flood.") == 6
    assert "More." not in text


def test_long_sentences_are_cut_and_few_reports_shown() -> None:
    reports = {n: replace(VARDE, summary="salt " * 200) for n in range(1, 20)}
    lines = answer_from_reports("What are the topics?", reports, embed).text.splitlines()
    assert len(lines) == MAX_REPORTS
    assert all(len(line) < 400 for line in lines)


def test_without_reports_it_abstains() -> None:
    draft = answer_from_reports("What are the topics?", {}, embed)
    assert draft.abstained
    assert draft.reason == "no_evidence"
