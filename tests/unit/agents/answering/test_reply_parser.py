from __future__ import annotations

import random
import time
from contextlib import suppress

import pytest

from hoptrail.agents.answering.reply_parser import (
    MAX_PATTERNS,
    open_hops,
    parse_bindings,
    parse_hops,
    parse_patterns,
    parse_reply,
    unresolved,
)
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.types.draft import HopClaim, Pattern

LABELS = {"P1": "c1", "P2": "c2", "P5": "c5"}

SPARQL_REPLY = """QUERY:
```sparql
SELECT ?town WHERE {
  "Maple Bridge" designedBy ?engineer .
  ?engineer :born_in ?town .
}
```
TRACE:
- **?engineer** = Ida Holm | P2
- ?town = UNRESOLVED
HOPS:
**HOP 1:** Maple Bridge | designed by | Ida Holm | P2
HOP 2: Ida Holm | born in | UNKNOWN | -
**FINAL ANSWER:** I don't know."""


def test_an_abstention_claims_what_its_trace_found_and_no_hop_says() -> None:
    reply = SPARQL_REPLY.replace("?town = UNRESOLVED", "?town = Varde | P5")
    assert parse_reply(reply, "sparql", LABELS).hops == (
        HopClaim("Maple Bridge", "designed by", "Ida Holm", "c2"),
        HopClaim("Ida Holm", "born in", "Varde", "c5"),
    )


def test_a_value_without_a_passage_is_the_value_alone() -> None:
    reply = SPARQL_REPLY.replace("Ida Holm | P2\n- ?town", "Ida Holm | -\n- ?town")
    assert parse_reply(reply, "sparql", LABELS).missing == Pattern("Ida Holm", "born in", "?town")


def test_what_a_hop_says_with_a_longer_name_is_not_claimed_again() -> None:
    reply = SPARQL_REPLY.replace("by | Ida Holm", "by | the engineer Ida Holm")
    assert [hop.object for hop in parse_reply(reply, "sparql", LABELS).hops] == [
        "the engineer Ida Holm"
    ]


@pytest.mark.parametrize(
    ("reply", "answers"),
    [
        ("FINAL ANSWER: Varde", ("Varde",)),
        ("**FINAL ANSWER:** **Varde**.", ("Varde",)),
        ('final answer : "Varde" [P2]', ("Varde",)),
        ("FINAL ANSWER:\n\nVarde", ("Varde",)),
        ("FINAL ANSWER: Aarhus\nOn reflection.\nFINAL ANSWER: Varde", ("Varde",)),
        ("```\nFINAL ANSWER: Varde\n```", ("Varde",)),
        ("<think>FINAL ANSWER: Aarhus</think>FINAL ANSWER: Varde", ("Varde",)),
        ("Steps.\nAnswer: Varde", ("Varde",)),
        ("So the answer is Varde.", ("Varde",)),
        ("FINAL ANSWER: Sammy Davis Jr.", ("Sammy Davis Jr.",)),
        ("FINAL ANSWER: Varde; Aarhus; Varde", ("Varde", "Aarhus")),
        ("FINAL ANSWER: No", ("No",)),
        ("FINAL ANSWER: Unknown Pleasures", ("Unknown Pleasures",)),
        ("FINAL ANSWER: ベルリン", ("ベルリン",)),
    ],
)
def test_answer_is_read(reply: str, answers: tuple[str, ...]) -> None:
    assert parse_reply(reply, "plain", LABELS).answers == answers


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   \n\n",
        "FINAL ANSWER:",
        "FINAL ANSWER: I don't know",
        "FINAL ANSWER: **I don’t know.**",
        "FINAL ANSWER: Unknown",
        "FINAL ANSWER: The evidence does not say where she was born.",
        "FINAL ANSWER: Not mentioned in the evidence",
        "FINAL ANSWER: Je ne sais pas",
        "FINAL ANSWER: 不知道",
        "HOP 1: Maple Bridge | designed by | Ida Ho",
    ],
)
def test_unsure_or_cut_off_reply_is_an_abstention(reply: str) -> None:
    draft = parse_reply(reply, "sparql", LABELS)
    assert draft.abstained
    assert draft.text == ""


@pytest.mark.parametrize(
    "reply",
    [
        "FINAL ANSWER: <the answer>",
        "La respuesta se encuentra en el texto.",
        "FINAL ANSWER: " + "very long " * 100,
        '{"answer": "Var',
    ],
)
def test_reply_that_cannot_be_read_is_an_error_that_shows_it(reply: str) -> None:
    with pytest.raises(ModelReplyError, match="no FINAL ANSWER") as error:
        parse_reply(reply, "sparql", LABELS)
    assert reply[:10] in error.value.message


@pytest.mark.parametrize(
    "alphabet", ["abc |?=:\n", "?x \"'.;\n", "HOP 1:|P", "\n \t*", "FINAL ANSWER"]
)
def test_fifty_kilobytes_of_noise_are_no_answer_within_a_second(alphabet: str) -> None:
    noise = "".join(random.Random(7).choices(alphabet, k=50_000))
    begin = time.process_time()
    with suppress(ModelReplyError):
        assert parse_reply(noise, "sparql", LABELS).abstained
    assert time.process_time() - begin < 1.0


def test_answer_at_the_end_of_noise_is_found() -> None:
    reply = "x" * 50_000 + "\nFINAL ANSWER: Varde"
    assert parse_reply(reply, "generic", LABELS).answers == ("Varde",)


def test_hops_carry_the_cited_chunk() -> None:
    hops = parse_hops(
        "HOP 1: A | wrote | B | P5\n- Hop 2) B | set in | C\nHOP 3: C | in | D | P9", LABELS
    )
    assert hops == (
        HopClaim("A", "wrote", "B", "c5"),
        HopClaim("B", "set in", "C"),
        HopClaim("C", "in", "D"),
    )


def test_hops_divided_by_dashes_are_read() -> None:
    hops = parse_hops("HOP 1: Ann Lee-Holt - born in - Varde – P5\nHop 2 - then I looked", LABELS)
    assert hops == (HopClaim("Ann Lee-Holt", "born in", "Varde", "c5"),)


def test_unresolved_variable_comes_with_its_pattern_and_known_bindings() -> None:
    draft = parse_reply(SPARQL_REPLY, "sparql", LABELS)
    assert draft.reason == "unresolved_variable"
    assert draft.unresolved == "?town"
    assert draft.missing == Pattern("Ida Holm", "born in", "?town")
    assert draft.hops == (HopClaim("Maple Bridge", "designed by", "Ida Holm", "c2"),)


def test_open_hop_of_free_steps_is_what_is_missing() -> None:
    reply = "HOP 1: Ida Holm | born in | UNKNOWN | -\nFINAL ANSWER: I don't know"
    assert parse_reply(reply, "generic", LABELS).missing == Pattern("Ida Holm", "born in", "?x1")


def test_resolved_reply_misses_nothing() -> None:
    reply = SPARQL_REPLY.replace("UNRESOLVED", "Varde | P5").replace("I don't know", "Varde")
    draft = parse_reply(reply, "sparql", LABELS)
    assert (draft.text, draft.unresolved, draft.missing) == ("Varde", None, None)


def test_draft_survives_a_round_trip_through_json() -> None:
    draft = parse_reply(SPARQL_REPLY, "sparql", LABELS)
    assert type(draft).from_json(draft.to_json()) == draft


def test_query_on_one_line_is_split() -> None:
    query = 'SELECT ?x WHERE { "Red Fern" writtenBy ?y . ?y born in ?x . }'
    assert parse_patterns(query) == (
        Pattern("Red Fern", "written by", "?y"),
        Pattern("?y", "born in", "?x"),
    )


def test_patterns_without_braces_and_with_bullets_are_read() -> None:
    text = "QUERY:\n- “St. Olaf's Hall” architect ?a\n2. ?a <born_in> ?b ;"
    assert parse_patterns(text) == (
        Pattern("St. Olaf's Hall", "architect", "?a"),
        Pattern("?a", "born in", "?b"),
    )


def test_at_most_four_patterns_are_kept() -> None:
    text = "\n".join(f'"thing {n}" has ?v{n} .' for n in range(9))
    assert len(parse_patterns(text)) == MAX_PATTERNS


def test_pattern_without_variable_is_none() -> None:
    assert parse_patterns('"A" wrote "B" .') == ()


def test_bindings_are_read_in_many_spellings() -> None:
    text = (
        "?a = Ida Holm | P2\n- ?b -> Varde (P5)\n**?c**: 'Denmark' [P1]\n?d is 1921\n"
        "?e = UNRESOLVED\n?f: not found in the evidence\n?a = Ida Krogh"
    )
    assert parse_bindings(text) == {
        "?a": "Ida Krogh", "?b": "Varde", "?c": "Denmark", "?d": "1921", "?e": None, "?f": None,
    }  # fmt: skip


def test_patterns_divided_by_bars_or_dashes_are_read_without_quotes() -> None:
    text = "QUERY:\nIda Holm | sister | ?player\n?player - plays for - ?team"
    assert parse_patterns(text) == (
        Pattern("Ida Holm", "sister", "?player"),
        Pattern("?player", "plays for", "?team"),
    )


def test_a_hop_line_is_no_pattern() -> None:
    assert parse_patterns("HOP 1: Ida Holm | born in | ?town") == ()


def test_a_variable_with_a_reason_for_having_no_value_is_unresolved() -> None:
    patterns = (Pattern("Ida Holm", "born in", "?town"),)
    bindings = parse_bindings("?town = UNRESOLVED (no passage states it) | -")
    assert unresolved(patterns, bindings, ()) == patterns


def test_names_joined_by_and_are_one_subject_and_a_quoted_name_keeps_its_capitals() -> None:
    reply = '"Ann Lee" and "Bo Reed" decide to play ?song\n"Ann Lee" said to "Bo Reed" about ?boat'

    assert parse_patterns(reply) == (
        Pattern("Ann Lee and Bo Reed", "decide to play", "?song"),
        Pattern("Ann Lee", "said to Bo Reed about", "?boat"),
    )


def test_several_values_are_looked_up_apart() -> None:
    patterns = (Pattern("?actor", "married", "?spouse"),)

    assert unresolved(patterns, {"?actor": "Ann Lee; Bo Reed"}, ()) == (
        Pattern("Ann Lee", "married", "?spouse"),
        Pattern("Bo Reed", "married", "?spouse"),
    )


def test_the_unknowns_of_two_hops_have_names_of_their_own() -> None:
    hops = [HopClaim("Ida Holm", "born in", "UNKNOWN"), HopClaim("UNKNOWN", "wrote", "Red Fern")]
    assert open_hops(hops) == (
        Pattern("Ida Holm", "born in", "?x1"),
        Pattern("?x2", "wrote", "Red Fern"),
    )


def test_a_hop_without_either_end_goes_on_from_the_open_one_before() -> None:
    hops = [HopClaim("Ida Holm", "sister", "UNKNOWN"), HopClaim("-", "plays for", "UNRESOLVED")]
    assert open_hops(hops) == (
        Pattern("Ida Holm", "sister", "?x1"),
        Pattern("?x1", "plays for", "?x2"),
    )


def test_a_variable_of_the_reply_keeps_its_name() -> None:
    hops = [HopClaim("Ida Holm", "sister", "?player"), HopClaim("?player", "plays for", "?")]
    assert open_hops(hops) == (
        Pattern("Ida Holm", "sister", "?player"),
        Pattern("?player", "plays for", "?x2"),
    )


def test_a_hop_with_both_ends_is_not_open() -> None:
    assert open_hops([HopClaim("Ida Holm", "born in", "Varde")]) == ()
