from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import BaseMessage, HumanMessage

from hoptrail.agents.answering.reply_parser import parse_reply
from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.tokens import estimate_tokens
from hoptrail.eval.oracle.reader import make_oracle, parse_reader
from hoptrail.eval.questions.question import GoldStep, Question
from hoptrail.prompts.forms.planning import Decomposition, StandaloneQuestion
from hoptrail.prompts.loader import SHIPPED
from tests.ships import QUESTION
from tests.unit.eval.oracle.conftest import PERSON, SHIP, YARD, chained, rendered

UNKNOWN = "FINAL ANSWER: I don't know"


def prompt(name: str, *, step: int | None = None, **inputs: str) -> list[BaseMessage]:
    return SHIPPED.load(name).render(step, question=QUESTION, **inputs)


def answer(
    *passages: tuple[str, str], question: Question | None = None, name: str = "plain"
) -> str:
    model = make_oracle([question or chained()])
    return model.invoke(prompt(f"answer_{name}", evidence=rendered(*passages))).text


@pytest.mark.parametrize("name", ["plain", "generic", "sparql"])
def test_it_answers_from_gold_where_all_support_is_shown(name: str) -> None:
    assert answer(PERSON, SHIP, YARD, name=name).endswith("FINAL ANSWER: Edda Thorn")


@pytest.mark.parametrize("name", ["plain", "generic", "sparql"])
@pytest.mark.parametrize("left", [(SHIP, PERSON), (YARD, PERSON), ()])
def test_it_abstains_where_one_support_is_removed(name: str, left: tuple[Any, ...]) -> None:
    assert answer(*left, name=name).endswith(UNKNOWN)


def test_it_abstains_from_an_unanswerable_question() -> None:
    assert answer(SHIP, YARD, question=chained(type="null_query")) == UNKNOWN


def test_a_closed_book_shows_no_support() -> None:
    assert make_oracle([chained()]).invoke(prompt("answer_closed_book")).text == UNKNOWN


def test_the_question_itself_is_no_evidence() -> None:
    text = "Morning Tern was built at the Alder Yard; who founded it?"
    gold = chained(text=text, steps=(), answers=(("Alder Yard",),), sentences=(("X", text),))
    messages = [
        HumanMessage(
            f"Answer: {text}",
            additional_kwargs={"hoptrail": {"role": "answerer", "prompt": "x", "question": text}},
        )
    ]
    assert make_oracle([gold]).invoke(messages).text == UNKNOWN


def test_the_hops_cite_the_passages_that_hold_the_supports() -> None:
    draft = parse_reply(answer(YARD, SHIP, name="sparql"), "sparql", {"P1": "yard", "P2": "ship"})
    assert [(hop.subject, hop.object, hop.chunk_id) for hop in draft.hops] == [
        ("Morning Tern", "Alder Yard", "ship"),
        ("Alder Yard", "Edda Thorn", "yard"),
    ]


@pytest.mark.parametrize("name", ["sparql", "generic"])
def test_an_abstention_names_the_first_step_without_support(name: str) -> None:
    missing = parse_reply(answer(SHIP, name=name), "sparql", {"P1": "ship"}).missing
    assert missing is not None
    assert (missing.subject, missing.predicate) == ("Alder Yard", "founded")
    first = parse_reply(answer(YARD, name=name), "sparql", {"P1": "yard"}).missing
    assert first is not None
    assert first.subject == "Morning Tern"


def test_the_query_of_an_abstention_is_the_whole_question() -> None:
    still_open = parse_reply(answer(name="sparql"), "sparql", {}).still_open
    assert [(one.subject, one.object) for one in still_open] == [
        ("Morning Tern", "?a1"),
        ("?a1", "?a2"),
    ]


def test_without_steps_an_abstention_names_only_what_the_prompt_does() -> None:
    gold = chained(
        steps=(),
        sentences=(SHIP, ("Alder Yard", "The Alder Yard was founded by Edda Thorn.")),
    )
    told = parse_reply(answer(SHIP, question=gold, name="sparql"), "sparql", {}).missing
    untold = parse_reply(answer(question=gold, name="sparql"), "sparql", {}).missing
    assert told is not None
    assert untold is not None
    assert (told.subject, untold.subject) == ("Alder Yard", "Morning Tern")


def test_a_sub_question_needs_its_own_support_alone() -> None:
    model = make_oracle([chained()])

    def solve(step: int, *passages: tuple[str, str]) -> str:
        evidence = rendered(*passages)
        return model.invoke(prompt("solve", step=step, evidence=evidence, sub_question="?")).text

    assert solve(0, SHIP) == "FINAL ANSWER: Alder Yard"
    assert solve(1, YARD) == "FINAL ANSWER: Edda Thorn"
    assert solve(1, SHIP, PERSON) == UNKNOWN


def test_the_only_sub_question_of_a_question_without_steps_is_itself() -> None:
    gold = chained(steps=(), sentences=(SHIP,))
    model = make_oracle([gold])
    messages = prompt("solve", step=0, evidence=rendered(SHIP), sub_question=QUESTION)
    assert model.invoke(messages).text == "FINAL ANSWER: Edda Thorn"


def test_a_sub_question_that_was_not_issued_is_an_error() -> None:
    messages = prompt("solve", step=2, evidence="", sub_question="?")
    with pytest.raises(InputError, match="no sub-question 2"):
        make_oracle([chained()]).invoke(messages)


def test_an_alias_that_any_text_contains_counts_for_nothing() -> None:
    town = ("Selwick", "Selwick lies on the southern coast of Italy. It is known for its herring.")
    steps = (GoldStep("Where is Selwick?", "Italy", (town,)),)
    gold = chained(steps=steps, answers=(("Italy", "IT"),))
    part = (town[0], "It is known for its herring.")
    assert answer(part, question=gold) == UNKNOWN
    assert answer(town, question=gold) == "FINAL ANSWER: Italy"


def test_all_answers_are_given() -> None:
    gold = chained(steps=(), sentences=(SHIP,), answers=(("Edda Thorn",), ("Odo Marsh",)))
    assert answer(SHIP, question=gold).endswith("FINAL ANSWER: Edda Thorn; Odo Marsh")


def test_a_typed_reply_is_a_tool_call_or_json_text() -> None:
    model = make_oracle([chained()])
    messages = prompt("decompose")
    typed = model.with_structured_output(Decomposition).invoke(messages)
    assert isinstance(typed, Decomposition)
    assert typed.sub_questions[1] == "Who founded #1?"
    assert Decomposition.model_validate_json(model.invoke(messages).text) == typed


async def test_a_stream_adds_up_to_the_reply_with_its_usage() -> None:
    model = make_oracle([chained()])
    messages = prompt("answer_generic", evidence=rendered(SHIP, YARD))
    whole = await model.ainvoke(messages)
    chunks = [chunk async for chunk in model.astream(messages)]
    total = chunks[0] + chunks[1:]
    assert total.text == whole.text
    assert len(chunks) > 5
    sent = sum(estimate_tokens(message.text) for message in messages)
    assert total.usage_metadata == whole.usage_metadata
    assert whole.usage_metadata is not None
    assert whole.usage_metadata["input_tokens"] == sent


def test_a_follow_up_is_its_own_standalone_question() -> None:
    model = make_oracle([chained()]).with_structured_output(StandaloneQuestion)
    found = model.invoke(prompt("contextualize", history="Question: a\nAnswer: b"))
    assert found == StandaloneQuestion(question=QUESTION)


def test_a_prompt_of_another_name_is_answered_by_its_role() -> None:
    messages = prompt("answer_plain", evidence=rendered(SHIP, YARD))
    for message in messages:
        message.additional_kwargs["hoptrail"]["prompt"] = "reduce"
    assert make_oracle([chained()]).invoke(messages).text == "FINAL ANSWER: Edda Thorn"


@pytest.mark.parametrize("role", ["extractor", "reporter", "judge_eval", ""])
def test_work_that_gold_says_nothing_about_is_refused(role: str) -> None:
    metadata = {"role": role, "prompt": "extract", "question": ""}
    with pytest.raises(SettingsError, match="does not write"):
        make_oracle([]).invoke([HumanMessage("?", additional_kwargs={"hoptrail": metadata})])


def test_what_a_quote_states_is_no_matter_of_gold() -> None:
    with pytest.raises(SettingsError, match="cannot check a trail"):
        make_oracle([]).invoke(SHIPPED.load("check_hops").render(hops="hop 1"))


def test_an_unknown_question_and_a_foreign_prompt_are_errors() -> None:
    with pytest.raises(InputError, match="knows no question"):
        make_oracle([]).invoke(prompt("route"))
    with pytest.raises(InputError, match="Hoptrail's own prompts"):
        make_oracle([chained()]).invoke("Hello")


def test_noise_makes_it_abstain_where_it_could_answer_and_answer_wrong_where_not() -> None:
    model = make_oracle([chained()], noise=1.0)
    present = model.invoke(prompt("answer_plain", evidence=rendered(SHIP, YARD))).text
    absent = model.invoke(prompt("answer_plain", evidence=rendered(SHIP, PERSON))).text
    assert present == UNKNOWN
    assert absent == "FINAL ANSWER: Morning Tern"


def test_noise_routes_to_another_type() -> None:
    assert make_oracle([chained()]).invoke(prompt("route")).text == "bridge"
    assert make_oracle([chained()], noise=1.0).invoke(prompt("route")).text != "bridge"


def test_the_same_seed_errs_on_the_same_questions_in_any_order() -> None:
    questions = [chained(id=f"q{i}", text=f"Question number {i}?") for i in range(60)]

    def routes(order: list[Question], seed: int) -> dict[str, str]:
        model = make_oracle(questions, noise=0.3, seed=seed)
        return {
            q.id: model.invoke(SHIPPED.load("route").render(question=q.text)).text for q in order
        }

    drawn = routes(questions, 1)
    assert routes(questions[::-1], 1) == drawn != routes(questions, 2)
    assert 6 < sum(route != "bridge" for route in drawn.values()) < 32


@pytest.mark.parametrize(
    ("text", "noise"), [("oracle", 0.0), ("oracle:noise=0.1", 0.1), (" oracle:noise=1 ", 1.0)]
)
def test_what_can_be_read(text: str, noise: float) -> None:
    assert parse_reader(text) == noise


@pytest.mark.parametrize(
    "text",
    ["", "oracles", "openai:gpt", "oracle:", "oracle:0.1", "oracle:noise", "oracle:noise=much",
     "oracle:noise=1.5", "oracle:noise=-1", "oracle:noise=nan", "oracle:seed=3"],
)  # fmt: skip
def test_anything_else_is_refused_with_the_form_to_use(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_reader(text)
    assert "noise=0.1" in caught.value.hint
