import io
from dataclasses import replace

from rich.console import Console

from hoptrail.cli.answer_view import show_answer
from hoptrail.core.budget import COUNTS_ESTIMATED
from hoptrail.core.types import (
    Answer,
    AnswerCandidate,
    Citation,
    NearestPassage,
    ReportReference,
    Trail,
    TrailHop,
    Usage,
)

SUPPORTED = TrailHop(
    1,
    "The Grey Petrel was built at the Thornvale Yard.",
    "Grey Petrel",
    "built at",
    "Thornvale Yard",
    True,
    chunk_id="c1",
    doc_id="articles/grey-petrel.md",
    start=52,
    end=99,
    quote="It was built at the\nThornvale Yard.",
)
UNSUPPORTED = TrailHop(2, "The yard was founded by a queen.")
PARTLY = replace(SUPPORTED, hop=3, predicate="was sold to", supported=False, support="partly")
NEAREST = NearestPassage("d/1", "c1", "Note", 5, 26, "It was bought in May.", 0.5)
CITATION = Citation("c1", "articles/grey-petrel.md", "Grey Petrel", 52, 99, "It was built")


def shown(answer: Answer, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="backslashreplace")
    show_answer(answer, Console(file=stream, width=200, markup=False, emoji=False))
    stream.flush()
    return raw.getvalue().decode(encoding)


def test_a_supported_hop_shows_its_triple_quote_title_and_offsets() -> None:
    text = shown(Answer("q", "Thornvale Yard", trail=Trail((SUPPORTED,)), citations=(CITATION,)))
    assert "✓ 1 Grey Petrel ─built at→ Thornvale Yard" in text
    assert '"It was built at the Thornvale Yard."' in text
    assert "Grey Petrel, articles/grey-petrel.md [52:99]" in text


def test_hops_behind_a_report_stand_under_its_number_and_title() -> None:
    report = ReportReference(7, "c7", 1, "The shipyards", (1,))
    trail = Trail((SUPPORTED, UNSUPPORTED))
    text = shown(
        Answer("q", "Ships [reports: 7]", strategy="extractive", trail=trail, reports=(report,))
    )
    assert "├── [reports: 7] The shipyards (level 1)\n│   └── ✓ 1 Grey Petrel" in text
    assert "└── ✗ 2" in text
    assert "no language model composed it" in text


def test_an_unsupported_hop_shows_its_claim_with_a_cross() -> None:
    text = shown(Answer("q", "a queen", trail=Trail((UNSUPPORTED,))))
    assert "✗ 2 The yard was founded by a queen." in text
    assert "no passage or relation supports this step" in text


def test_a_partly_stated_hop_has_a_mark_of_its_own_and_keeps_its_quote() -> None:
    text = shown(Answer("q", "x", trail=Trail((PARTLY,))))
    assert "~ 3 Grey Petrel ─was sold to→ Thornvale Yard" in text
    assert '"It was built at the Thornvale Yard."' in text


def test_a_terminal_without_unicode_gets_plain_marks() -> None:
    trail = Trail((SUPPORTED, UNSUPPORTED, PARTLY))
    text = shown(Answer("q", "x", trail=trail), encoding="ascii")
    assert "ok 1 Grey Petrel -built at-> Thornvale Yard" in text
    assert "?? 2" in text
    assert "~~ 3" in text


def test_an_abstention_is_shown_as_it_stands_in_the_answer() -> None:
    told = "I don't know: no answer was found in 3 passages."
    answer = Answer("q", told, abstained=True, abstain_reason="no_evidence")
    assert shown(answer).startswith(told)


def test_an_abstention_of_graph_search_is_not_called_an_answer() -> None:
    answer = Answer("q", "I don't know.", abstained=True, strategy="graph_search")
    text = shown(answer)
    assert "Only graph search was tried" in text
    assert "Answered" not in text


def test_graph_search_says_that_no_language_model_was_used() -> None:
    answer = Answer("q", "x", preset="offline", strategy="graph_search")
    assert "no language model was used" in shown(answer)


def test_an_answer_with_reserve_says_why_and_shows_the_nearest_passages() -> None:
    text = shown(Answer("q", "x", perhaps=True, perhaps_reason="no passage", nearest=(NEAREST,)))
    assert text.startswith("x\nperhaps: no passage\n")
    assert '"It was bought in May."  Note, d/1 [5:26]' in text


def test_a_plain_answer_stands_without_the_nearest_passages() -> None:
    text = shown(Answer("q", "x", nearest=(NEAREST,)))
    assert "nearest" not in text
    assert "perhaps" not in text


def test_a_missing_model_is_not_called_an_early_stop() -> None:
    answer = Answer("q", "I don't know: no language model is set.", abstained=True)
    answer = replace(answer, abstain_reason="no_model", stop_reason="model_unavailable")
    assert "Stopped early" not in shown(answer)


def test_graph_search_after_a_failed_model_does_not_deny_the_calls() -> None:
    answer = Answer("q", "x", strategy="graph_search", usage=Usage(llm_calls=2))
    text = shown(answer)
    assert "gave no usable answer" in text
    assert "no language model was used" not in text


def test_a_small_model_that_was_asked_as_well_has_not_failed() -> None:
    answer = Answer("q", "x", preset="offline", strategy="graph_search", usage=Usage(llm_calls=1))
    text = shown(answer)
    assert "the language model was asked as well" in text
    assert "gave no usable answer" not in text


def test_a_failed_model_is_told_with_its_cause_and_once() -> None:
    cause = "no server answers for model openai:x: connection refused (start it)"
    answer = Answer("q", "x", strategy="graph_search", usage=Usage(llm_calls=2))
    text = shown(replace(answer, stop_reason="model_unavailable", degraded=("answer", cause)))
    assert f"{cause}." in " ".join(text.split())
    assert "Stopped early" not in text


def test_estimated_tokens_are_told_where_they_are_counted_and_in_no_line() -> None:
    note = f"the server of openai:x {COUNTS_ESTIMATED}"
    usage = Usage(llm_calls=1, prompt_tokens=700, completion_tokens=50)
    text = shown(Answer("q", "x", usage=usage, degraded=(note,)))
    assert "about 750 tokens" in text
    assert "openai:x" not in text


def test_a_spent_budget_is_named() -> None:
    assert "limit of model calls" in shown(Answer("q", "x", stop_reason="budget_calls"))


def test_the_last_line_counts_calls_tokens_seconds_and_dollars() -> None:
    usage = Usage(2, 1500, 40, 1.234, 0.0012)
    text = shown(Answer("q", "x", preset="reasoning", strategy="sparql", usage=usage))
    line = text.splitlines()[-1]
    assert line == "reasoning · sparql · 2 model calls · 1,540 tokens · 1.23 s · $0.0012"


def test_escape_sequences_of_a_document_do_not_reach_the_terminal() -> None:
    hop = TrailHop(1, "c", "a\x1b[2J", "p", "b", True, quote="\x1b]0;title\x07 text")
    text = shown(Answer("q", "\x1b[31mred", trail=Trail((hop,))))
    assert "\x1b" not in text
    assert "\x07" not in text


def test_answers_of_the_graph_llm_that_nothing_bears_out_are_named() -> None:
    found, guessed = AnswerCandidate("Varde", "e1", 1.0), AnswerCandidate("Ribe")
    text = shown(Answer("q", "Varde; Ribe", answers=(found, guessed), strategy="graph_llm"))
    assert "The graph does not bear out: Ribe." in text


def test_a_quote_stands_at_its_page() -> None:
    hop = replace(SUPPORTED, doc_id="handbook.pdf", place="page 3")
    text = shown(Answer("q", "Thornvale Yard", trail=Trail((hop,)), citations=(CITATION,)))
    assert "handbook.pdf, page 3 [52:99]" in text


def test_a_nearest_passage_stands_at_its_page() -> None:
    near = NearestPassage("prices.xlsx", "c1", "Prices", 0, 9, "Hall A", 1.0, "sheet Wood, row 7")
    text = shown(Answer("q", "", abstained=True, nearest=(near,)))
    assert "Prices, prices.xlsx, sheet Wood, row 7 [0:9]" in text


def test_a_nearest_sentence_stands_between_those_before_and_behind_it() -> None:
    near = replace(NEAREST, before="The boat was sold.", after="It leaked.")
    text = shown(Answer("q", "", abstained=True, nearest=(near,)))
    assert '"The boat was sold. It was bought in May. It leaked."' in text


def test_a_question_in_german_is_told_in_german_what_came_of_it() -> None:
    asked = "Wer hat das Hebewerk in Ellmoor entworfen?"
    answer = Answer(asked, "", abstained=True, strategy="graph_search", nearest=(NEAREST,))
    text = shown(answer)
    assert "Das weiß ich nicht." in text
    assert "nächstgelegene Textstellen" in text
    assert "Kein Sprachmodell wurde verwendet" in text.replace("\n", " ")


def test_the_query_of_an_answer_is_shown_on_one_line() -> None:
    text = shown(Answer("q", "45", strategy="tables", query='SELECT sum("Cases")\nFROM stockists'))
    assert 'Query: SELECT sum("Cases") FROM stockists' in text
