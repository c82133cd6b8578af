from hoptrail.agents.dagr.step_evidence import MOST_SLICES, SLICE_TOKENS, in_order_of_use, slices
from hoptrail.core.render import passage_tokens
from hoptrail.core.types import Chunk, Evidence, Hit, Relation


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
