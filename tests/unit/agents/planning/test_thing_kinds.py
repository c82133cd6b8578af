from __future__ import annotations

import pytest

from hoptrail.agents.planning.thing_kinds import ThingKinds
from hoptrail.core.types import Chunk


def kinds_of(title: str, text: str) -> ThingKinds:
    """Return the kinds that one passage tells."""
    return ThingKinds([Chunk("one", "one", title, text, 0, len(text))])


@pytest.mark.parametrize(("name", "sex"), [("Bo Reed", "man"), ("Leni Brock", "woman")])
def test_sex_of_whom_the_sentence_before_names_is_that_of_the_pronoun(name: str, sex: str) -> None:
    text = "The coach is Bo Reed. He trains us. His aide is Leni Brock. She rows."
    assert kinds_of("Training", text).sex_of(name) == sex


def test_title_above_a_text_on_others_is_no_person() -> None:
    assert kinds_of("Training", "The coach is Bo Reed. He trains us.").type_of("Training") is None


def test_a_league_is_no_man_though_the_next_sentence_says_his() -> None:
    text = "The league was founded in 1983 by Bo Reed. His daughter Ruth keeps the records."
    kinds = kinds_of("Esk Quoits League", text)
    assert kinds.type_of("Esk Quoits League") == "organization"
    assert kinds.sex_of("Esk Quoits League") is None


def test_thing_is_called_by_the_noun_that_takes_it_up_again() -> None:
    text = "Lind Marine makes hulls. The firm was founded in 1983. The roof is red."
    assert kinds_of("Lind Marine", text).nouns("Lind Marine") == {"firm"}


def test_sentence_with_it_is_about_what_the_one_before_begins_with() -> None:
    kinds = kinds_of("Varde", "Varde is a town. Fern Inn is a pub. It was opened in 1712.")
    assert not any("1712" in sentence for sentence in kinds.told_of("Varde"))
    assert any("1712" in sentence for sentence in kinds.told_of("Fern Inn"))
