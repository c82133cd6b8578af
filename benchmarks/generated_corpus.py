"""Short articles about people, firms, places and events, with questions whose answers are known.

Names are used as unevenly as in real text: each mention is a new thing with a fixed probability and
else repeats an earlier mention (Simon, "On a class of skew distribution functions", 1955). So a few
names stand in a large share of the articles, most in one, and the number of names grows with that
of articles. Among the articles are namesakes (another person of the same name), news that correct
what an article says, and near-duplicates. The same seed gives the same articles, and a longer
corpus begins with a shorter one, so that the same questions can be asked among ever more articles.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice, product
from pathlib import Path

NEW_NAMES = 0.3
NAMESAKES = 0.02
NEWS = 0.04
DUPLICATES = 0.03

_SYLLABLES = [
    "".join(parts)
    for parts in product(("b", "d", "f", "gr", "h", "k", "l", "m", "r", "st", "th", "v"), "aeiou")
]
_KINDS = {"person": 5, "firm": 3, "place": 2, "event": 2}  # how often each is an article's topic
_TRADES = ("painter", "engineer", "botanist", "singer", "physician", "printer", "surveyor", "judge")
_GOODS = ("clocks", "bricks", "pianos", "ferries", "maps", "lenses", "paper", "bicycles", "glass")
_DEEDS = ("built", "bought", "repaired", "painted", "described", "closed", "rented", "visited")
_FIRMS = ("Works", "Press", "Yard", "Mill", "Foundry", "Brewery", "Line", "Tannery")
_EVENTS = ("Regatta", "Fair", "Congress", "Exhibition", "Race", "Festival")
_RIVERS = ("river", "canal", "lake", "bay")
_THINGS = (
    "archive bridge harbour library market mill museum orchard quarry railway school square "
    "station theatre tower tunnel wall warehouse well workshop"
).split()
_QUALITIES = (
    "broad careful costly early famous frequent late little long modern narrow old plain public "
    "quiet rare regular short simple small steep strong sudden usual wide young"
).split()
_PLACE_TAKEN = "took its place"
_AFTERWARDS = (
    "A flood",
    "A fire",
    "A dispute",
    "A new law",
    "A strike",
    "A long winter",
    "A survey",
)


@dataclass(frozen=True, slots=True)
class Article:
    """One document.

    Attributes:
        id: Its number, as text.
        title: Name of its topic.
        text: Its sentences.
        like: The article that it nearly repeats, or itself.
    """

    id: str
    title: str
    text: str
    like: str

    def row(self) -> str:
        """Return its line of a JSON Lines file."""
        return json.dumps({"id": self.id, "title": self.title, "text": self.text}) + "\n"


@dataclass(frozen=True, slots=True)
class Question:
    """A question over two or three articles.

    Attributes:
        text: The question.
        answer: The only right answer.
        support: Articles that it takes, in the order of the hops.
    """

    text: str
    answer: str
    support: tuple[str, ...]


@dataclass(slots=True)
class _Thing:
    """A person, firm, place or event; `article` is the one about it, "" as long as there is none.

    `facts` are what that says, by the name of the fact: a text, or another thing.
    """

    name: str
    article: str = ""
    trade: str = ""
    facts: dict[str, str | _Thing] = field(default_factory=dict)


def write_corpus(path: Path, articles: int, seed: int = 5) -> None:
    """Write the articles as JSON Lines of id, title and text."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(article.row() for article in generated(articles, seed))


def generated(count: int, seed: int = 5) -> Iterator[Article]:
    """Yield the first articles of a seed."""
    yield from islice(_World(seed).articles(), count)


def asked(articles: int, count: int, seed: int = 5) -> list[Question]:
    """Return questions about the first articles: all of their supporting articles are among these.

    Raises:
        ValueError: If so few articles do not give so many questions.
    """
    world = _World(seed)
    made = list(islice(world.articles(), articles))
    names = Counter(article.title for article in made if article.like == article.id)
    found = [one for one in world.questions() if names[_first_name(one, made)] == 1]
    if len(found) < count:
        raise ValueError(f"{articles} articles give only {len(found)} questions")
    random.Random(seed).shuffle(found)
    return found[:count]


def renewed(articles: Iterable[Article]) -> Iterator[Article]:
    """Yield each article with another text: one more sentence, which names a town of its own."""
    for article in articles:
        town = "".join(random.Random(article.id).choices(_SYLLABLES, k=4)).capitalize()
        yield replace(article, text=f"{article.text} The town clerk of {town} revised this entry.")


def _first_name(question: Question, made: list[Article]) -> str:
    return made[int(question.support[0])].title


class _Names:
    """Draws things of one kind: new ones, and earlier mentions again."""

    def __init__(self, dice: random.Random, make: Callable[[], _Thing]) -> None:
        self._dice = dice
        self._make = make
        self._mentions: list[_Thing] = []

    def draw(self) -> _Thing:
        """Return the next mention."""
        is_new = not self._mentions or self._dice.random() < NEW_NAMES
        thing = self._make() if is_new else self._dice.choice(self._mentions)
        self._mentions.append(thing)
        return thing

    def without_article(self) -> _Thing:
        """Return a thing to write about: a mentioned one, or else a new one."""
        for _ in range(8):
            thing = self.draw()
            if not thing.article:
                return thing
        thing = self._make()
        self._mentions.append(thing)
        return thing

    def known(self) -> _Thing:
        """Return a thing that was mentioned before, a new one where there is none."""
        return self._dice.choice(self._mentions) if self._mentions else self.draw()


class _World:
    """Makes articles one after the other, and remembers what they say."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._taken: set[str] = set()
        self._people = _Names(self._dice, lambda: self._person(self._unused(self._full_name)))
        self._places = _Names(self._dice, lambda: _Thing(self._unused(lambda: self._word(3))))
        self._firms = _Names(self._dice, lambda: _Thing(self._unused(self._firm_name)))
        self._events = _Names(self._dice, lambda: _Thing(self._unused(self._event_name)))
        self._about = {
            "person": (self._people, self._about_person),
            "firm": (self._firms, self._about_firm),
            "place": (self._places, self._about_place),
            "event": (self._events, self._about_event),
        }
        self._written: list[Article] = []
        self._topics: list[_Thing] = []

    def articles(self) -> Iterator[Article]:
        """Yield one article after the other, without end."""
        while True:
            id_ = str(len(self._written))
            chance = self._dice.random()
            if chance < DUPLICATES and self._written:
                article = self._nearly_again(id_)
            elif chance < DUPLICATES + NEWS and self._topics:
                article = self._news(id_)
            else:
                article = self._new(id_)
            self._written.append(article)
            yield article

    def questions(self) -> Iterator[Question]:
        """Yield all questions of two and three hops that the articles so far answer."""
        for topic in self._topics:
            for fact, start in _STARTS.items():
                middle = topic.facts.get(fact)
                if not isinstance(middle, _Thing) or not middle.article:
                    continue
                yield from _asked(start.format(topic.name), middle, (topic.article,))
                for next_fact, words in _STEPS.items():
                    end = middle.facts.get(next_fact)
                    if isinstance(end, _Thing) and end.article and end is not topic:
                        way = words.format(start.format(topic.name))
                        yield from _asked(way, end, (topic.article, middle.article))

    def _new(self, id_: str) -> Article:
        kind = self._dice.choices(list(_KINDS), list(_KINDS.values()))[0]
        names, write = self._about[kind]
        topic = names.without_article()
        if kind == "person" and self._topics and self._dice.random() < NAMESAKES:
            topic = self._person(self._people.known().name)
        topic.article = id_
        first, *others = write(topic)
        self._topics.append(topic)
        return Article(
            id_, topic.name, " ".join((first, *self._dice.sample(others, len(others)))), id_
        )

    def _about_person(self, topic: _Thing) -> list[str]:
        birthplace, employer = self._places.draw(), self._firms.draw()
        topic.facts |= {"birthplace": birthplace, "employer": employer}
        year = self._dice.randint(1700, 1980)
        return [
            f"{topic.name} was a {topic.trade} who was born in {birthplace.name} in {year}.",
            f"{topic.name} worked for {employer.name} for {self._dice.randint(2, 30)} years.",
            f"{self._people.draw().name} {self._dice.choice(_DEEDS)} {self._places.draw().name} "
            f"with {topic.name}.",
            f"{self._dice.choice(_AFTERWARDS)} in {year + 40} ended that {self._quality()} work.",
            self._aside(),
        ]

    def _about_firm(self, topic: _Thing) -> list[str]:
        founder, seat = self._people.draw(), self._places.draw()
        topic.facts["founder"] = founder
        return [
            f"{topic.name} makes {self._dice.choice(_GOODS)} in {seat.name}.",
            f"{topic.name} was founded by the {founder.trade} {founder.name} in "
            f"{self._dice.randint(1750, 1990)}.",
            f"{self._people.draw().name} worked with {self._people.draw().name} at {topic.name}.",
            f"The {self._quality()} {self._thing()} of {topic.name} was "
            f"{self._dice.choice(_DEEDS)} by {self._firms.draw().name}.",
            self._aside(),
        ]

    def _about_place(self, topic: _Thing) -> list[str]:
        capital, river = self._places.draw(), f"the {self._word(2)} {self._dice.choice(_RIVERS)}"
        topic.facts |= {"water": river}
        return [
            f"{topic.name} is a town on {river}.",
            f"{capital.name} is the capital of the district of {topic.name}.",
            f"Its {self._quality()} {self._thing()} was designed by {self._people.draw().name}.",
            f"{self._firms.draw().name} has a {self._thing()} in {topic.name}.",
            self._aside(),
        ]

    def _about_event(self, topic: _Thing) -> list[str]:
        organiser, host, winner = self._firms.draw(), self._places.draw(), self._people.draw()
        topic.facts |= {"organiser": organiser, "host": host, "winner": winner}
        return [
            f"The {topic.name} was held in {host.name}.",
            f"The {topic.name} was organised by {organiser.name}.",
            f"The {winner.trade} {winner.name} won the {topic.name}.",
            f"{self._people.draw().name} of {self._places.draw().name} opened it before "
            f"{self._dice.randint(2, 90)} hundred guests.",
            self._aside(),
        ]

    def _news(self, id_: str) -> Article:
        topic = self._dice.choice(self._topics)
        day = f"{self._dice.randint(1, 28)} March {self._dice.randint(1991, 2024)}"
        texts = [
            f"As reported on {day}, {self._people.draw().name} {self._dice.choice(_DEEDS)} the "
            f"{self._quality()} {self._thing()} named after {topic.name}.",
            f"The earlier account of {self._places.draw().name} was wrong, said "
            f"{self._people.draw().name} of {self._firms.draw().name}.",
            self._aside(),
        ]
        return Article(id_, f"{topic.name}: news of {day}", " ".join(texts), id_)

    def _nearly_again(self, id_: str) -> Article:
        """Return an earlier article of which one sentence reads otherwise; its facts are there."""
        other = self._dice.choice(self._written)
        kept = [one for one in other.text.split(". ") if not one.rstrip(".").endswith(_PLACE_TAKEN)]
        text = ". ".join(one.rstrip(".") for one in kept)
        return Article(id_, other.title, f"{text}. {self._aside()}", other.like)

    def _person(self, name: str) -> _Thing:
        return _Thing(name, trade=self._dice.choice(_TRADES))

    def _full_name(self) -> str:
        return f"{self._word(2)} {self._word(3)}"

    def _firm_name(self) -> str:
        return f"{self._word(3)} {self._dice.choice(_FIRMS)}"

    def _event_name(self) -> str:
        return f"{self._word(3)} {self._dice.choice(_EVENTS)}"

    def _unused(self, make: Callable[[], str]) -> str:
        name = make()
        while name in self._taken:
            name = make()
        self._taken.add(name)
        return name

    def _word(self, syllables: int) -> str:
        return "".join(self._dice.choices(_SYLLABLES, k=syllables)).capitalize()

    def _quality(self) -> str:
        return self._dice.choice(_QUALITIES)

    def _thing(self) -> str:
        return self._dice.choice(_THINGS)

    def _aside(self) -> str:
        """Return a sentence without names, such as most of a text consists of."""
        return (
            f"The {self._quality()} {self._thing()} stood beside a {self._quality()} "
            f"{self._thing()} until the {self._quality()} {self._thing()} {_PLACE_TAKEN}."
        )


# How a question goes from an article's topic to the thing that one of its facts names.
_STARTS = {
    "founder": "the founder of {}",
    "employer": "the firm that {} worked for",
    "organiser": "the firm that organised the {}",
    "winner": "the winner of the {}",
    "host": "the town where the {} was held",
    "birthplace": "the town where {} was born",
}
_STEPS = {name: _STARTS[name] for name in ("founder", "birthplace")}
# What is asked of the last thing: a fact of its article.
_ENDS = {
    "birthplace": "Where was {} born?",
    "founder": "Who founded {}?",
    "water": "On which water does {} lie?",
}


def _asked(way: str, last: _Thing, support: tuple[str, ...]) -> Iterator[Question]:
    for fact, words in _ENDS.items():
        answer = last.facts.get(fact)
        if answer is not None:
            name = answer.name if isinstance(answer, _Thing) else answer
            yield Question(words.format(way), name, (*support, last.article))
