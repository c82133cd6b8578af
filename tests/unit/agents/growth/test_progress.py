from dataclasses import replace

from hoptrail.agents.growth.progress import (
    Progress,
    cited_passages,
    claims_beside,
    cut_to_quotes,
    facts_text,
    leads_on,
    named_by,
    open_facts,
    with_facts,
)
from hoptrail.core.types import Chunk, Evidence, Hit, TrailHop
from hoptrail.core.types.draft import Draft, HopClaim, Pattern

TEXT = "Ida Holm was an engineer. She was born in Varde. She died in 1931."
CHUNK = Chunk("c1", "d1", "Ida Holm", TEXT, 0, len(TEXT))
BORN = TrailHop(
    1, "", "Ida Holm", "born in", "Varde", chunk_id="c1", start=26, quote="She was born in Varde.",
    support="stated",
)  # fmt: skip
UNFOUND = TrailHop(2, "", "Varde", "lies in", "Jutland")
OPEN = Pattern("Varde", "lies in", "?region")


def test_only_hops_with_a_quote_become_facts_and_each_once() -> None:
    assert with_facts((BORN,), (BORN, UNFOUND)) == (BORN,)


def test_what_a_reply_names_as_open_comes_before_what_nothing_bears_out() -> None:
    draft = Draft("sparql", still_open=(OPEN,))

    assert open_facts(draft, (UNFOUND,)) == (OPEN,)
    assert open_facts(Draft("sparql"), (BORN, UNFOUND)) == (Pattern("Varde", "lies in", "Jutland"),)


def test_a_passage_that_a_fact_quotes_is_not_kept_whole() -> None:
    claims = (HopClaim("a", "b", "c", "c1"), HopClaim("d", "e", "f", "c2"))

    assert cited_passages(("c3",), claims, (BORN,)) == ("c3", "c2")


def test_quoted_passages_stand_first_and_hold_their_quotes_alone() -> None:
    other = Chunk("c2", "d2", "Varde", "Varde is a town.", 0, 16)
    evidence = Evidence(chunks=(Hit(other), Hit(CHUNK)))

    shown = cut_to_quotes(evidence, Progress((BORN,))).chunks

    assert [(hit.item.id, hit.item.text) for hit in shown] == [
        ("c1", "She was born in Varde."),
        ("c2", "Varde is a town."),
    ]


def test_a_passage_whose_sentence_is_still_to_be_found_stays_whole() -> None:
    progress = Progress((BORN,), claims=(HopClaim("Ida Holm", "moved to", "Ribe", "c1"),))

    assert cut_to_quotes(Evidence(chunks=(Hit(CHUNK),)), progress).chunks == (Hit(CHUNK),)


def test_a_passage_that_bears_on_what_is_open_stays_whole() -> None:
    progress = Progress((BORN,), whole=("c1",))

    assert cut_to_quotes(Evidence(chunks=(Hit(CHUNK),)), progress).chunks == (Hit(CHUNK),)


def test_what_is_to_be_checked_is_not_called_open_too() -> None:
    claim = HopClaim("Varde", "lies in", "Jutland", "c1")
    progress = Progress(still_open=(Pattern("Varde", "lies in", "Jutland"),), claims=(claim,))

    text = facts_text(progress, {"P4": "c1"})

    assert text.count("Varde | lies in | Jutland") == 1
    assert text.endswith("Open:\n- nothing else")


def test_facts_name_the_label_of_their_passage_and_open_ones_stand_last() -> None:
    text = facts_text(Progress((BORN,), still_open=(OPEN,)), {"P4": "c1"})

    assert text.splitlines() == [
        "Established:",
        "- Ida Holm | born in | Varde | P4",
        "Open:",
        "- Varde | lies in | ?region",
    ]


def test_a_fact_that_is_stated_in_part_is_to_be_checked() -> None:
    text = facts_text(Progress((replace(BORN, support="partly"),)), {"P4": "c1"})

    assert text.splitlines()[:4] == [
        "Established:",
        "- nothing yet",
        "To be checked:",
        "- Ida Holm | born in | Varde | P4",
    ]


def test_the_passage_of_a_fact_that_is_stated_in_part_stays_whole() -> None:
    partly = Progress((replace(BORN, support="partly"),))

    (hit,) = cut_to_quotes(Evidence(chunks=(Hit(CHUNK),)), partly).chunks

    assert hit.item == CHUNK


def test_a_claim_whose_passage_is_named_is_shown_to_be_checked() -> None:
    claims = claims_beside((HopClaim("Varde", "lies by", "Elm", "c2"), HopClaim("a", "b", "c")), ())

    text = facts_text(Progress((BORN,), claims=claims), {"P4": "c1", "P5": "c2"})

    assert text.splitlines()[1:4] == [
        "- Ida Holm | born in | Varde | P4",
        "To be checked:",
        "- Varde | lies by | Elm | P5",
    ]


def test_a_fact_of_no_passage_is_to_be_checked_rather_than_open() -> None:
    text = facts_text(Progress(still_open=(Pattern("Varde", "lies in", "Jutland"), OPEN)), {})

    assert text.splitlines() == [
        "Established:",
        "- nothing yet",
        "To be checked:",
        "- Varde | lies in | Jutland | -",
        "Open:",
        "- Varde | lies in | ?region",
    ]


def test_where_nothing_is_known_the_question_itself_is_open() -> None:
    assert facts_text(Progress(), {}).endswith("Open:\n- the question itself")


def test_a_claim_that_a_fact_says_is_none_beside_it() -> None:
    assert claims_beside((HopClaim("ida holm", "was born in", "Varde", "c1"),), (BORN,)) == ()


def test_a_name_that_neither_question_nor_call_had_leads_on() -> None:
    question = "Who founded the yard that built the Morning Tern?"
    known = Progress(names=("alder yard",))
    assert not leads_on(question, known, ("morning tern", "alder yard"))
    assert leads_on(question, known, ("morning tern", "edda thorn"))


def test_a_claim_without_a_passage_names_nothing() -> None:
    claims = [
        HopClaim("Morning Tern", "built at", "Alder Yard", chunk_id="p1"),
        HopClaim("Alder Yard", "founded by", "Edda Thorn"),
    ]
    assert named_by((), claims) == ("morning tern", "alder yard")


def test_a_proposed_answer_is_to_be_checked() -> None:
    text = facts_text(Progress((BORN,), proposed=("Varde",)), {"P4": "c1"})

    assert text.splitlines()[2:] == [
        "To be checked:",
        "- the answer to the question | is | Varde | -",
        "Open:",
        "- nothing else",
    ]
