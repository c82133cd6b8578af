from __future__ import annotations

from benchmarks.reading.examples import KINDS, written


def test_every_written_answer_stands_in_its_passage() -> None:
    examples = [*written(held_out=False), *written(held_out=True)]
    assert len(examples) > 14_000
    assert {one.kind for one in examples} == set(KINDS)
    for one in examples:
        if one.kind == "words":
            assert one.text[one.start : one.end].strip(), one.question


def test_passages_that_are_reported_on_are_not_learned_from() -> None:
    reported = {one.text for one in written(held_out=True) if one.kind == "words"}
    learned = {one.text for one in written(held_out=False) if one.kind == "words"}
    assert reported.isdisjoint(learned)


def test_the_same_seed_gives_the_same_examples() -> None:
    assert written(held_out=True, seed=1) == written(held_out=True, seed=1)
