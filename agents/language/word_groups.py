"""Compare wordings without a model: stems, words of one relation, words of letters and prices."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from hoptrail.core.language.detection import ENGLISH
from hoptrail.core.language.stems import stemmer_of
from hoptrail.core.text import content_words

_GROUPS = """
born birth birthplace birthday birthdate
died death dead dies deceased deathplace deathdate die
killed murdered assassinated murder assassination killer assassin slain
married wife husband spouse marriage wed wedding bride widow widower
father mother son daughter child children parent parents offspring
brother sister sibling siblings
wrote written author writer writes authored penned novelist playwright
directed director directs filmmaker
composed composer composes
performed performer sang singer sung sings performs recorded musician vocalist
founded founder established creator created cofounded cofounder formed establishment
published publisher publishes publication publishing
released release
produced producer produces production manufactured manufacturer made maker
based headquarters headquartered seat
borders bordered bordering border adjoining adjacent neighbouring neighboring neighbor
flows empties tributary mouth drains
educated attended studied university college school graduated alumnus alumna alma student studies
employed employer employee worked works working job
president leader head chief ruler led headed leads ruled leadership chairman
king queen monarch emperor reigned
member belongs joined membership
owned owner owns ownership acquired bought purchased
starred stars starring actor actress cast portrayed role plays played
won winner wins award awarded prize received laureate
named called known nicknamed
speaks spoken language speak
population inhabitants residents
length long kilometres kilometers miles
height high tall metres meters elevation highest tallest
opened opening inaugurated opens
ended closed dissolved abolished ceased
discovered discoverer discovery
invented inventor invention invents
designed designer architect designs
built constructed build builder construction
country nation citizen citizenship nationality
taught teacher professor mentor teaches tutor
capital
started began begin beginning begins start
moved relocated emigrated immigrated migrated
year date
became become becomes becoming
sold sell sells selling seller sale
gave give given gives
held hold holds
lost lose loses loser
chose choose chosen chooses
drew draw drawn draws
drove drive driven drives driver
flew fly flown flies
fought fight fights
grew grow grown grows
met meet meets
ran run runs
sent send sends
stole steal stolen steals thief
threw throw thrown throws
wore wear worn wears
took take taken takes
went go gone goes
came come comes coming
bring brought brings
keep kept keeps
leave left leaves
tell told tells
say said says
think thought thinks
stand stood stands
hear heard hears
sit sat sits
break broke broken breaks
catch caught catches
feed fed feeds
forget forgot forgotten
hang hung hangs
hide hid hidden
lend lent lends
ride rode ridden rides rider
ring rang rung rings
rise rose risen rises
sink sank sunk sinks
sleep slept sleeps
speak spoke spoken
swim swam swum swims
wake woke woken
eat ate eaten eats
drink drank drunk drinks
fall fell fallen falls
feel felt feels
get got gets
stick stuck sticks
strike struck strikes
understand understood
"""
_SUFFIXES = (
    "ations", "ation", "ments", "ment", "ings", "ing", "ions", "ion", "ers", "ors", "er", "or",
    "ies", "ied", "es", "ed", "al", "ly", "s", "y", "e",
)  # fmt: skip
_SIBILANT_PLURALS = ("sses", "xes", "zes", "ches", "shes")
_SHORTEST_STEM = 4
_BREAKS = frozenset(",;")
_GAP_OF_BREAK = 0.05
_WORD_OR_BREAK = re.compile(r"\w+(?:['’]\w+)*|[,;]")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return a word without its regular English ending."""
    bare = re.sub(r"['’]s?$", "", word.lower())
    if bare.endswith(_SIBILANT_PLURALS):
        bare = bare[:-2]
    if bare.endswith("ss"):
        return bare
    for suffix in _SUFFIXES:
        if bare.endswith(suffix) and len(bare) - len(suffix) >= _SHORTEST_STEM:
            bare = bare[: -len(suffix)]
            # "sponsored" as "sponsor", which has lost its own ending too.
            is_verb_of_doer = suffix in {"ed", "ing", "s"} and bare.endswith(("er", "or"))
            return bare[:-2] if is_verb_of_doer and len(bare) > _SHORTEST_STEM + 1 else bare
    if bare.endswith("y") and bare[-2:-1] not in "aeiou":
        return f"{bare[:-1]}i"  # "city" as "cities"
    # "moved" as "move": what is left of a short word would be too little to tell it by.
    return stemmer_of(ENGLISH)(bare) if bare.endswith(("ed", "ing", "s")) else bare


def _group_of_stem() -> dict[str, str]:
    groups: dict[str, str] = {}
    for line in _GROUPS.split("\n"):
        members = line.split()
        for word in members:
            groups.setdefault(stem(word), stem(members[0]))
    return groups


_GROUP = _group_of_stem()


@lru_cache(maxsize=65536)
def word_group(word: str) -> str:
    """Return the word's group of like meaning, else its stem."""
    return _GROUP.get(stem(word), stem(word))


@lru_cache(maxsize=16384)
def word_groups(text: str) -> frozenset[str]:
    """Return the word groups of a text's content words."""
    parts = (part for word in content_words(text) for part in re.split(r"[_'’]", word) if part)
    return frozenset(word_group(part) for part in parts if len(part) > 1 or part.isdigit())


def nearness(
    text: str,
    start: int,
    end: int,
    wanted: frozenset[str],
    group_of: Callable[[str], str] = word_group,
) -> float:
    """Return 1 for a part of a text next to a wanted word, less with each word in between.

    A comma in between counts too, so little that it decides among equals alone.

    Args:
        text: A sentence.
        start: Offset of the part.
        end: Offset behind it.
        wanted: Groups of words.
        group_of: Returns the group of a word.
    """
    before: list[str] = _WORD_OR_BREAK.findall(text[:start])[::-1]
    after: list[str] = _WORD_OR_BREAK.findall(text[end:])
    gaps = [gap for side in (before, after) if (gap := _gap(side, wanted, group_of)) is not None]
    return 1.0 / (1.0 + 0.3 * min(gaps)) if gaps else 0.0


def _gap(
    tokens: Iterable[str], wanted: frozenset[str], group_of: Callable[[str], str]
) -> float | None:
    """Return how far the first wanted word is, None where there is none."""
    gap = 0.0
    for token in tokens:
        if token in _BREAKS:
            gap += _GAP_OF_BREAK
            continue
        if group_of(token) in wanted:
            return gap
        gap += 1.0
    return None


def shared_wording(left: str, right: str) -> float:
    """Return the share of the left text's word groups that the right text has, 0 to 1.

    A left text without content words ("is in") says nothing that could be missing: 1.
    """
    wanted = word_groups(left)
    if not wanted:
        return 1.0
    return len(wanted & word_groups(right)) / len(wanted)


_EVERYDAY = """
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
    for line in _EVERYDAY.strip().split("\n"):
        *members, last = line.split()
        head = groups.get(word_group(last)) or word_group(members[0])
        for word in (*members, last):
            groups.setdefault(word_group(word), head)
    return groups


_EVERYDAY_GROUP = _group_of_word()


@lru_cache(maxsize=16384)
def everyday_groups(text: str) -> frozenset[str]:
    """Return the word groups of a text, everyday words of like meaning as one."""
    return frozenset(_everyday(group) for group in word_groups(text))


def everyday_group(word: str) -> str:
    """Return the group of a word: that of like meaning in everyday texts, else its word group."""
    return _everyday(word_group(word))


def _everyday(group: str) -> str:
    return _EVERYDAY_GROUP.get(group, group)
