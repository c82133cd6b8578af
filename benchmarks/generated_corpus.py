"""Short articles about people, places and firms whose names are used as unevenly as in real text.

Each mention is a new name with a fixed probability and else repeats an earlier one (Simon, "On a
class of skew distribution functions", 1955). So a few names stand in a large share of the
articles, most in one, and the number of names grows with the number of articles.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

NEW_NAMES = 0.3
_SYLLABLES = [
    "".join(parts)
    for parts in product(("b", "d", "f", "gr", "h", "k", "l", "m", "r", "st", "th", "v"), "aeiou")
]
_TRADES = ("painter", "engineer", "botanist", "singer", "physician", "printer", "surveyor", "judge")
_GOODS = ("clocks", "bricks", "pianos", "ferries", "maps", "lenses", "paper", "bicycles", "glass")
_DEEDS = ("built", "bought", "repaired", "painted", "described", "closed", "rented", "visited")


def write_corpus(path: Path, articles: int, seed: int = 5) -> None:
    """Write the articles as JSON Lines of title and text; a longer corpus begins with a shorter."""
    with path.open("w", encoding="utf-8") as file:
        for number, (title, text) in enumerate(_articles(articles, seed)):
            file.write(json.dumps({"id": str(number), "title": title, "text": text}) + "\n")


def _articles(count: int, seed: int) -> Iterator[tuple[str, str]]:
    dice = random.Random(seed)
    people = _Names(dice, lambda: f"{_word(dice, 2)} {_word(dice, 3)}")
    places = _Names(dice, lambda: _word(dice, 3))
    firms = _Names(dice, lambda: f"{_word(dice, 3)} {dice.choice(('Works', 'Press', 'Yard'))}")
    for _ in range(count):
        topic = people.draw()
        facts = [
            f"{topic} was born in {places.draw()} in {dice.randint(1700, 2000)}.",
            f"{topic} was a {dice.choice(_TRADES)} who {dice.choice(_DEEDS)} {firms.draw()}.",
            f"{firms.draw()} in {places.draw()} makes {dice.choice(_GOODS)}.",
            f"{people.draw()} worked with {people.draw()} at {firms.draw()}.",
            f"{places.draw()} is the capital of {places.draw()}.",
            f"{people.draw()} {dice.choice(_DEEDS)} {places.draw()} with {people.draw()}.",
        ]
        yield topic, " ".join([facts[0], *dice.sample(facts[1:], 3)])


class _Names:
    """Draws names of one kind: new ones, and earlier mentions again."""

    def __init__(self, dice: random.Random, make: Callable[[], str]) -> None:
        self._dice = dice
        self._make = make
        self._mentions: list[str] = []

    def draw(self) -> str:
        """Return the next mention."""
        is_new = not self._mentions or self._dice.random() < NEW_NAMES
        name = self._make() if is_new else self._dice.choice(self._mentions)
        self._mentions.append(name)
        return name


def _word(dice: random.Random, syllables: int) -> str:
    return "".join(dice.choices(_SYLLABLES, k=syllables)).capitalize()
