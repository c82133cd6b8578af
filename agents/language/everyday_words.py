"""Words of like meaning in letters, minutes and price lists, beyond those of `word_groups`."""

from __future__ import annotations

from functools import lru_cache

from hoptrail.agents.language.word_groups import word_group, word_groups

_GROUPS = """
price cost costs fee fees charge charges fare fares tariff
pay paid pays payable spend spent spending price
rent rental lease leased tenancy
salary wage wages earnings earn earns
phone telephone tel mobile ring dial phoned
email mail mailbox
end ends ended ending finish finished stop stops stopped expire expires expired expiry until
begin begins beginning started start starts starting commence commences commencement
replace replaced replacement swap swapped exchange exchanged substitute substituted
repair repaired repairs fix fixed mend mended mends
bicycle bicycles bike bikes
car cars automobile automobiles
collect collected collects collection pickup pick picked
deliver delivered delivers delivery supply supplied supplies supplier provide provides provider
vendor seller
holiday holidays vacation
ill illness sick sickness
employee employees staff personnel
guarantee warranty
permit permitted allow allowed allows
arrive arrives arrived arrival
depart departs departure leave leaves sail sails sailing
problem fault defect wrong trouble issue broken failure error
job position post vacancy
photo photograph photographs picture
maximum max most highest
minimum min least lowest
weigh weighs weight heavy
duration last lasts lasted
yearly annual annually year
responsible charge
doctor dr physician
owner proprietor
live lives lived living resident tenant occupant occupier
customer client
seat seats seated seating
"""


def _group_of_word() -> dict[str, str]:
    groups: dict[str, str] = {}
    for line in _GROUPS.strip().split("\n"):
        *members, last = line.split()
        head = groups.get(word_group(last)) or word_group(members[0])
        for word in (*members, last):
            groups.setdefault(word_group(word), head)
    return groups


_GROUP = _group_of_word()


@lru_cache(maxsize=16384)
def everyday_groups(text: str) -> frozenset[str]:
    """Return the word groups of a text, everyday words of like meaning as one."""
    return frozenset(_everyday(group) for group in word_groups(text))


def everyday_group(word: str) -> str:
    """Return the group of a word: that of like meaning in everyday texts, else its word group."""
    return _everyday(word_group(word))


def _everyday(group: str) -> str:
    return _GROUP.get(group, group)
