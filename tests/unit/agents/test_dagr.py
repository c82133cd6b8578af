from __future__ import annotations

import pytest

from hoptrail.agents.dagr import (
    MAX_SUB_QUESTIONS,
    MOST_SLICES,
    SLICE_TOKENS,
    decompose,
    fill_in,
    in_order_of_use,
    slices,
    solve,
    split_by_clauses,
    usable_sub_questions,
    without_vain,
)
from hoptrail.core.render import passage_tokens, render
from hoptrail.core.types import Chunk, Evidence, Hit, Relation
from tests.unit.agents.role_models import QUESTION, scripted_role

STEPS = ["Who designed Maple Bridge?", "Where was #1 born?"]

STEP = "Who designed Maple Bridge?"


async def test_the_model_writes_the_sub_questions() -> None:
    model, script = scripted_role("decomposer", {"sub_questions": STEPS})

    assert await decompose(QUESTION, model) == tuple(STEPS)
    assert QUESTION in script.calls[0].text


async def test_without_a_model_clauses_decide() -> None:
    decomposed = await decompose(QUESTION, None)

    assert decomposed == ("the designer of Maple Bridge", "Where was #1 born?")


async def test_an_empty_decomposition_leaves_the_question_whole() -> None:
    model, _ = scripted_role("decomposer", {"sub_questions": []})

    assert await decompose(QUESTION, model) == (QUESTION,)
    assert model.meter.degraded


async def test_unreadable_replies_fall_back_to_clauses() -> None:
    model, _ = scripted_role("decomposer", "no", "no")

    decomposed = await decompose(QUESTION, model)

    assert len(decomposed) == 2
    assert model.meter.degraded


@pytest.mark.parametrize(
    ("written", "usable"),
    [
        (["Who is #2?", "Who is #1?"], ()),
        (["Who is #1?"], ()),
        (["Who?", "Where is #7?"], ("Who?",)),
        (["", "Who?", "  ", "Where is #2?"], ("Who?", "Where is #1?")),
        (["Who?", "Who?", "Where is #2?"], ("Who?", "Where is #1?")),
        (["Who is #2?", "Who?", "Where is #1?", "When was #2?"], ("Who?", "When was #1?")),
    ],
    ids=["cycle", "self", "unknown", "empty", "repeated", "forward"],
)
def test_sub_questions_that_cannot_be_asked_are_left_out(
    written: list[str], usable: tuple[str, ...]
) -> None:
    assert usable_sub_questions(written) == usable


def test_a_long_list_is_cut() -> None:
    assert len(usable_sub_questions([f"Who is {n}?" for n in range(50)])) == MAX_SUB_QUESTIONS


def test_answers_take_the_place_of_references() -> None:
    assert fill_in("Where was #1 born?", STEPS[:1], ["Ida Holm"]) == "Where was Ida Holm born?"


def test_an_answer_that_was_not_found_is_described() -> None:
    filled = fill_in("Where was #1 born?", STEPS[:1], [""])

    assert filled == "Where was (Who designed Maple Bridge) born?"


def test_a_question_without_a_name_stays_whole() -> None:
    assert split_by_clauses("what is it?") == ("what is it?",)


def passage(name: str, text: str) -> Hit[Chunk]:
    return Hit(Chunk(name, name, name, text, 0, len(text)))


def test_a_prompt_of_a_sub_question_holds_few_passages_and_none_is_sent_twice() -> None:
    evidence = Evidence(chunks=tuple(passage(f"c{n}", "some words " * 60) for n in range(40)))

    parts = slices(evidence)

    assert len(parts) == MOST_SLICES
    assert all(
        sum(passage_tokens(hit.item) for hit in part.chunks) <= SLICE_TOKENS for part in parts
    )
    shown = [hit.item.id for part in parts for hit in part.chunks]
    assert shown == [hit.item.id for hit in evidence.chunks[: len(shown)]]


def test_a_graph_without_passages_is_one_part() -> None:
    evidence = Evidence(relations=(Hit(Relation("r", "a", "in", "b", subject="A", object="B")),))

    assert slices(evidence) == [evidence]


def test_what_states_an_answer_comes_first_and_what_was_read_in_vain_last() -> None:
    told = Evidence(chunks=(passage("other", "Nothing."), passage("told", "Ida Holm of Varde.")))
    left = Evidence(chunks=(passage("vain", "Empty words."), passage("unread", "More words.")))

    ordered = in_order_of_use([told, left], ["Varde", ""], [["other", "told"], ["vain"]])

    assert [hit.item.id for hit in ordered.chunks] == ["told", "unread", "other", "vain"]


def test_after_a_failed_step_the_question_is_asked_of_one_slice_that_nobody_has_read() -> None:
    evidence = Evidence(chunks=tuple(passage(f"c{n}", "some words " * 60) for n in range(40)))

    shown = without_vain(evidence, {"c0", "c1"})

    assert [hit.item.id for hit in shown.chunks][:2] == ["c2", "c3"]
    assert sum(passage_tokens(hit.item) for hit in shown.chunks) <= SLICE_TOKENS


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("FINAL ANSWER: Ida Holm", "Ida Holm"),
        ("FINAL ANSWER: I don't know", ""),
        ("noise", ""),
    ],
)
async def test_the_reply_gives_the_steps_answer(
    articles: Evidence, reply: str, answer: str
) -> None:
    model, _ = scripted_role("solver", reply)

    assert await solve(QUESTION, STEP, 0, render(articles, 500), model) == answer


async def test_the_prompt_names_the_step_and_the_question(articles: Evidence) -> None:
    model, script = scripted_role("solver", "FINAL ANSWER: Ida Holm")

    await solve(QUESTION, STEP, 1, render(articles, 500), model)

    metadata = script.calls[0].messages[0].additional_kwargs["hoptrail"]
    assert (metadata["step"], metadata["question"]) == (1, QUESTION)
    assert STEP in script.calls[0].text
