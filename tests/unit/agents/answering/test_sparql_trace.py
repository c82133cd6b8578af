from __future__ import annotations

from hoptrail.agents.answering.sparql_trace import (
    MAX_PATTERNS,
    open_hops,
    parse_bindings,
    parse_patterns,
    unresolved,
)
from hoptrail.core.types.draft import HopClaim, Pattern


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
