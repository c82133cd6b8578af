from __future__ import annotations

from hoptrail.agents.answering.open_hops import open_hops
from hoptrail.core.types.draft import HopClaim, Pattern


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
