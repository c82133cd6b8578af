from __future__ import annotations

from hoptrail.agents.language.asides import without_asides


def test_brackets_and_other_names_become_spaces() -> None:
    text = "Tarn Mill (built 1901), also known as the Old Mill, is a mill."
    assert without_asides(text, []).split() == "Tarn Mill is a mill.".split()


def test_the_length_stays() -> None:
    text = "Tarn Mill (built 1901) is a mill."
    assert len(without_asides(text, [])) == len(text)


def test_an_aside_with_a_kept_part_stays() -> None:
    text = "Tarn Mill (built by Ann Lee) is a mill."
    start = text.index("Ann")
    assert without_asides(text, [(start, start + 7)]) == text
