"""From catalogue to questions: what the model is told, and what is kept of its replies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError, ModelReplyError
from hoptrail.core.types import Chunk, Document, Entity
from hoptrail.eval.questions.question_writer import (
    Catalogue,
    GenerationPlan,
    PaidReplies,
    QuestionWriter,
    WrittenQuestions,
    distinct_questions,
    make_question,
    read_catalogue,
)
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder, ScriptedChatModel
from tests.unit.eval.questions.scripted_writer import (
    PERSONAS,
    prompt_name,
    writer_model,
    writer_script,
)

PLAN = GenerationPlan(personas=2, tasks=2, questions=2)


def make_base(folder: Path, titles: list[str], types: Sequence[str] = ()) -> KnowledgeBase:
    kb = KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True)
    for number, title in enumerate(titles):
        text = f"Secret text {number}."
        document = Document(f"d/{number}", title, text, "d")
        chunk_id = Chunk.make_id(document.id, 0, len(text), text)
        kb.put_document(document, [Chunk(chunk_id, document.id, title, text, 0, len(text), 3)])
    kb.replace_graph([Entity(f"e{n}", f"Name {n}", kind) for n, kind in enumerate(types)], [], [])
    kb.publish()
    return kb


def test_titles_are_sorted_distinct_and_the_only_text(tmp_path: Path) -> None:
    with make_base(tmp_path / "kb", ["Nile", "Danube", "Nile", " "]) as kb:
        catalogue = read_catalogue(kb)
    assert catalogue.titles == ("Danube", "Nile")
    assert catalogue.entity_types == ()


def test_types_are_counted_the_most_frequent_first(tmp_path: Path) -> None:
    with make_base(tmp_path / "kb", ["Nile"], ["work", "place", "", "person", "place"]) as kb:
        assert read_catalogue(kb).entity_types == (("place", 2), ("person", 1), ("work", 1))


def test_many_titles_are_sampled_evenly(tmp_path: Path) -> None:
    with make_base(tmp_path / "kb", [f"Title {number:03}" for number in range(300)]) as kb:
        titles = read_catalogue(kb).titles
    assert len(titles) == 100
    assert (titles[0], titles[-1]) == ("Title 000", "Title 297")


def test_a_base_without_titles_cannot_be_described(tmp_path: Path) -> None:
    with (
        make_base(tmp_path / "kb", [""]) as kb,
        pytest.raises(InputError, match="holds no titles"),
    ):
        read_catalogue(kb)


@pytest.fixture
def replies_file(tmp_path: Path) -> Path:
    return tmp_path / "replies.jsonl"


def writer(script: ScriptedChatModel, replies_file: Path) -> QuestionWriter:
    return QuestionWriter(PaidReplies(writer_model(script), replies_file))


async def write(script: ScriptedChatModel, replies_file: Path) -> WrittenQuestions:
    return await writer(script, replies_file).write("Articles about rivers.", PLAN)


async def test_each_task_of_each_persona_gets_its_questions(replies_file: Path) -> None:
    script = writer_script()
    questions = (await write(script, replies_file)).questions
    assert len(questions) == PLAN.wanted
    assert [question.persona for question in questions] == ["river engineer"] * 4 + ["teacher"] * 4
    assert questions[0].task == "Survey the causes of floods."
    assert questions[0].question == ("What helps a river engineer to survey the causes of floods?")
    assert {question.type for question in questions} == {"global"}
    assert len(script.calls) == 1 + 2 + 4


async def test_the_model_sees_the_description_and_never_more_than_its_own_words(
    replies_file: Path,
) -> None:
    script = writer_script()
    await write(script, replies_file)
    for call in script.calls:
        assert "<description>\nArticles about rivers.\n</description>" in call.text
    last = script.calls[-1].text
    assert "<persona>\nteacher: Prepares lessons for children.\n</persona>" in last


async def test_ids_depend_on_the_words_of_a_question_alone(
    tmp_path: Path, replies_file: Path
) -> None:
    questions = (await write(writer_script(), replies_file)).questions
    again = (await write(writer_script(), tmp_path / "other.jsonl")).questions
    assert questions == again
    assert len({question.id for question in questions}) == len(questions)


async def test_more_than_was_asked_for_is_left_out(replies_file: Path) -> None:
    tasks = {"tasks": [f"Examine the {word}." for word in ("dams", "mills", "ports", "laws")]}
    script = writer_script(write_tasks=tasks)
    questions = (await write(script, replies_file)).questions
    assert {question.task for question in questions} == {"Examine the dams.", "Examine the mills."}


async def test_repeated_questions_and_personas_are_left_out(replies_file: Path) -> None:
    script = writer_script(
        write_personas={"personas": [PERSONAS[0], PERSONAS[0]]},
        write_global_questions={
            "questions": ["How do rivers shape towns?", "How  do the rivers shape towns"]
        },
    )
    questions = (await write(script, replies_file)).questions
    assert [question.question for question in questions] == ["How do rivers shape towns?"]


async def test_what_is_no_question_is_left_out(replies_file: Path) -> None:
    script = writer_script(
        write_global_questions={"questions": ["", "Why?", "Which rivers " + "rise " * 100]}
    )
    assert (await write(script, replies_file)).questions == ()


async def test_an_unreadable_reply_costs_its_own_step_only(replies_file: Path) -> None:
    bad_for_teachers = {
        "write_tasks": lambda messages: (
            "I would rather not." if "teacher" in messages[1].text else {"tasks": ["Survey dams."]}
        )
    }
    written = await write(writer_script(**bad_for_teachers), replies_file)
    assert {question.persona for question in written.questions} == {"river engineer"}
    assert written.failed == ("tasks of teacher",)


async def test_without_personas_there_is_nothing_to_go_on_with(replies_file: Path) -> None:
    with pytest.raises(ModelReplyError):
        await write(writer_script(write_personas={"personas": []}), replies_file)


async def test_a_corpus_is_described_by_its_catalogue(replies_file: Path) -> None:
    script = writer_script()
    catalogue = Catalogue(("The Danube", "The Nile"), (("place", 12), ("person", 3)))
    description = await writer(script, replies_file).describe(catalogue)
    assert description == "Articles about rivers."
    assert prompt_name(script.calls[0].messages) == "describe_corpus"
    assert "<titles>\nThe Danube\nThe Nile\n</titles>" in script.calls[0].text
    assert "<entity_types>\nplace: 12\nperson: 3\n</entity_types>" in script.calls[0].text


@pytest.mark.parametrize(
    "text",
    [
        "1. How do rivers shape towns?",
        "- How do rivers  shape towns?",
        "(2) How do rivers shape towns?",
    ],
)
def test_marks_of_a_list_are_no_part_of_a_question(text: str) -> None:
    made = make_question(text, "teacher", "Prepare a lesson.")
    assert made is not None
    assert made.question == "How do rivers shape towns?"


def test_case_and_punctuation_do_not_change_the_id() -> None:
    first = make_question("How do rivers shape towns?", "teacher", "a")
    second = make_question("how do Rivers shape the towns", "pilot", "b")
    other = make_question("How do rivers shape trade?", "teacher", "a")
    assert first is not None and second is not None and other is not None
    assert first.id == second.id != other.id


def test_texts_of_the_same_words_are_one() -> None:
    texts = ["How do rivers shape towns?", "How do towns shape rivers?", "Why do rivers flood?"]
    assert distinct_questions(texts) == [0, 2]


def test_one_other_word_makes_a_text_distinct() -> None:
    longer = "Which kinds of {} helped river towns to grow, trade and defend themselves over time?"
    assert distinct_questions([longer.format("bridges"), longer.format("harbours")]) == [0, 1]


def test_texts_without_content_words_are_one() -> None:
    assert distinct_questions(["Why?", "How?"]) == [0]
