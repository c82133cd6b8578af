"""How much a word tells among some texts."""

from __future__ import annotations

import math

import pytest

from hoptrail.agents.language.word_rarity import WordRarity

TEXTS = [frozenset({"river", "town"}), frozenset({"river"}), frozenset({"river", "mill"})]


def test_a_word_of_few_texts_is_rarer() -> None:
    rarity = WordRarity(TEXTS)
    assert rarity.of(["river"]) == pytest.approx(math.log(1 + 4 / 3))
    assert rarity.of(["town", "mill"]) == pytest.approx(2 * math.log(5))


def test_a_word_of_no_text_is_as_rare_as_any() -> None:
    assert WordRarity(TEXTS).of(["castle"]) == WordRarity(TEXTS).of(["mill"])
    assert WordRarity(TEXTS, smoothing=1).of(["castle"]) > WordRarity(TEXTS, 1).of(["mill"])


def test_a_share_counts_rare_words_more() -> None:
    share = WordRarity(TEXTS).share(frozenset({"river", "town"}), frozenset({"town", "mill"}))
    assert share == pytest.approx(math.log(5) / (math.log(5) + math.log(1 + 4 / 3)))


def test_of_nothing_wanted_nothing_is_present() -> None:
    assert WordRarity(TEXTS).share(frozenset(), frozenset({"river"})) == 0.0
