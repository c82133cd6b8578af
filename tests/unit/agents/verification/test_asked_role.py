from __future__ import annotations

from hoptrail.agents.verification.asked_role import asked_event, asked_verb


def test_the_deed_that_is_asked_for() -> None:
    assert asked_verb("Who probably built it?") == "built"
    assert asked_verb("Who was the builder?") is None


def test_the_event_of_which_the_time_is_asked() -> None:
    assert asked_event("When did Ida Holm die?") == "die"
    assert asked_event("When was the old mill closed?") == "closed"
    assert asked_event("When did Ida Holm take over the Tern?") is None
    assert asked_event('In what year was the singer who sang "Blue Mill" born?') == "born"
    assert asked_event("When is the fair?") is None
