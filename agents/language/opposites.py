"""Happenings of which one is the contrary of the other: who was born then did not die then."""

from __future__ import annotations

from hoptrail.core.text import words

_PAIRS = """
born birth | die dies died dying death
open opens opened opening | close closes closed closing shut shuts
start starts started starting begin begins began begun beginning commence commences commenced
| end ends ended ending finish finishes finished expire expires expired stop stops stopped
buy buys bought buying purchase purchased purchases | sell sells sold selling
arrive arrives arrived arriving arrival | depart departs departed departing departure
allow allows allowed permit permits permitted | forbid forbids forbidden prohibited ban banned
found founded founding | dissolve dissolves dissolved disband disbanded
lend lends lent | borrow borrows borrowed
win wins won winner | lose loses lost loser
hire hires hired | dismiss dismissed fired sacked
build builds built | demolish demolished
marry married wedding | divorce divorced
"""
_SIDES = tuple(
    tuple(frozenset(side.split()) for side in line.split("|"))
    for line in _PAIRS.replace("\n|", " |").strip().split("\n")
)


def tells_opposite(asked: str, told: str) -> bool:
    """Return whether a text tells the contrary of what is asked, and not what is asked as well.

    Args:
        asked: The question.
        told: The words that answer it.
    """
    wanted, said = set(words(asked)), set(words(told))
    return any(
        bool(one & wanted) and not other & wanted and bool(other & said) and not one & said
        for pair in _SIDES
        for one, other in (pair, pair[::-1])
    )
