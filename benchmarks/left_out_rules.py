"""The rules of answers without a model, and how one is left out for a while.

A rule is an answerer, a doubt or a guard, a function of the rooms of rules, or a pattern or list of
words that stands there.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any

from data_sets import ROOT

sys.path.insert(0, str(ROOT))

from hoptrail.agents.offline import answerer, answerers, fact_chains  # noqa: E402
from hoptrail.agents.verification import reserve  # noqa: E402
from hoptrail.core.types import Evidence  # noqa: E402
from hoptrail.core.types.draft import Draft  # noqa: E402

ROOMS = ("offline", "language", "verification", "reading", "tables")
_NOTHING: dict[str, Any] = {
    "bool": False,
    "str": "",
    "tuple": (),
    "list": [],
    "frozenset": frozenset(),
    "set": set(),
    "dict": {},
    "Sequence": (),
}
_NEVER = re.compile(r"(?!)")
_Module = Any


@dataclass(frozen=True)
class Rule:
    """A rule: the places that name it, what stands there without it, and when it says nothing."""

    name: str
    kind: str
    places: tuple[tuple[_Module, str], ...]
    without: Any
    nothing: Any = None
    position: int | None = None  # in the tuple that stands in its place

    def heard(self, say: Any) -> Any:
        """Return what stands in the places while `say` is called whenever the rule speaks."""
        standing = getattr(*self.places[0])
        if self.position is None:
            return _heard(standing, self.nothing, say)
        own = _heard(standing[self.position], self.nothing, say)
        return (*standing[: self.position], own, *standing[self.position + 1 :])


def _heard(call: Any, nothing: Any, say: Any) -> Any:
    @wraps(call)
    def heard(*args: Any, **named: Any) -> Any:
        result = call(*args, **named)
        if type(result) is not type(nothing) or result != nothing:
            say()
        return result

    return heard


def rules() -> dict[str, Rule]:
    """Return the rules by name: answerers and doubts by their lists, guards by their modules."""
    found: list[Rule] = []
    for kind, module, place in (
        ("answerer", answerer, "ANSWERERS"),
        ("doubt", reserve, "DOUBTS"),
    ):
        listed = getattr(module, place)
        for position, one in enumerate(listed):
            others = (*listed[:position], *listed[position + 1 :])
            name, places = one.__name__.strip("_"), ((module, place),)
            found.append(Rule(name, kind, places, others, position=position))
    for module, place, result in (
        (answerer, "answer_from_newest", ...),
        (answerer, "answer_for_holder", None),
        (answerers, "read_answer", None),
        (answerers, "is_refused", False),
        (fact_chains, "_tells_by_lines", True),
        (fact_chains, "_is_assured", True),
    ):
        without = _answer_from_all if result is ... else _constant(result)
        name = place.strip("_")
        found.append(Rule(name, "guard", ((module, place),), without, result))
    return {rule.name: rule for rule in found}


def function_rules() -> dict[str, Rule]:
    """Return every function of the rooms of rules that can say no, or nothing, by its name."""
    _import_rooms()
    places: dict[Any, list[tuple[Any, str]]] = defaultdict(list)
    for module in [one for name, one in sys.modules.items() if name.startswith("hoptrail.")]:
        for place, value in vars(module).items():
            if inspect.isfunction(value) and _room_of(value.__module__) in ROOMS:
                places[value].append((module, place))
            if inspect.isclass(value) and value.__module__ == module.__name__:
                for method, own in vars(value).items():
                    if _room_of(module.__name__) in ROOMS and inspect.isfunction(own):
                        places[own].append((value, method))
    return {
        rule.name: rule
        for function, found in sorted(places.items(), key=lambda item: _name(item[0]))
        if not function.__name__.startswith("__")
        for rule in _without_function(function, tuple(found))
    }


def _import_rooms() -> None:
    for room in ROOMS:
        package = importlib.import_module(f"hoptrail.agents.{room}")
        for found in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{found.name}")


def word_rules() -> dict[str, Rule]:
    """Return every pattern and list of words of the rooms of rules that a function reads."""
    _import_rooms()
    places: dict[int, list[tuple[Any, str]]] = defaultdict(list)
    for module in [one for name, one in sys.modules.items() if name.startswith("hoptrail.agents")]:
        for place, value in vars(module).items():
            is_list = isinstance(value, frozenset | tuple | dict) and bool(value)
            is_words = is_list and all(isinstance(one, str) for one in value)
            if is_words or isinstance(value, re.Pattern):
                places[id(value)].append((module, place))
    found = {}
    for named in places.values():
        module, place = min(named, key=lambda one: one[0].__name__)
        value = getattr(module, place)
        if _room_of(f"{module.__name__}.") not in ROOMS or place.startswith("__"):
            continue
        name = f"{module.__name__.removeprefix('hoptrail.agents.')}.{place}"
        without = _NEVER if isinstance(value, re.Pattern) else type(value)()
        found[name] = Rule(name, "words", tuple(named), without)
    return dict(sorted(found.items()))


def codes_of(module: _Module) -> Iterator[Any]:
    """Yield the code of all functions of a module, of their inner ones too."""
    waiting = [
        inspect.unwrap(value).__code__
        for value in [*vars(module).values(), *_methods(module)]
        if inspect.isfunction(inspect.unwrap(value)) and value.__module__ == module.__name__
    ]
    while waiting:
        code = waiting.pop()
        yield code
        waiting.extend(one for one in code.co_consts if inspect.iscode(one))


def _methods(module: _Module) -> Iterator[Any]:
    for value in vars(module).values():
        if inspect.isclass(value) and value.__module__ == module.__name__:
            for own in vars(value).values():
                for name in ("fget", "func", "__func__"):
                    own = getattr(own, name, own)
                if inspect.isfunction(own):
                    yield own


def _without_function(function: Any, places: tuple[tuple[_Module, str], ...]) -> Iterator[Rule]:
    annotations = dict(function.__annotations__)
    returned = str(annotations.pop("return", ""))
    kind, name = returned.split("[")[0], _name(function)
    if returned.endswith("| None"):
        yield Rule(name, "function", places, _constant(None), None)
    elif kind in _NOTHING:
        yield Rule(name, "function", places, _constant(_NOTHING[kind]), _NOTHING[kind])
        if kind == "bool":
            yield Rule(f"{name}, always", "function", places, _constant(True), True)
    given = [place for place, one in enumerate(annotations.values()) if str(one) == returned]
    if given and kind != "bool":
        given[0] += inspect.isclass(places[0][0])
        yield Rule(f"{name}, as given", "function", places, _given(given[0]), ...)


def _given(place: int) -> Any:
    return lambda *given, **_: given[place]


def _name(function: Any) -> str:
    return f"{function.__module__.removeprefix('hoptrail.agents.')}.{function.__qualname__}"


def _room_of(module: str) -> str:
    parts = module.split(".")
    return parts[2] if parts[:2] == ["hoptrail", "agents"] and len(parts) > 3 else ""


def _constant(result: Any) -> Any:
    return lambda *_, **__: result


def _answer_from_all(question: str, evidence: Evidence, answer: Any) -> Draft:
    draft: Draft = answer(evidence)
    return draft


@contextmanager
def standing(places: Sequence[tuple[_Module, str]], value: Any) -> Iterator[None]:
    """Let a value stand in the places of a rule for a while."""
    former = [getattr(module, place) for module, place in places]
    for module, place in places:
        setattr(module, place, value)
    _forget()
    try:
        yield
    finally:
        _forget()
        for (module, place), one in zip(places, former, strict=True):
            setattr(module, place, one)


def _forget() -> None:
    """Empty what functions remember: it was made with the rule that is left out, or without."""
    for module in [one for name, one in sys.modules.items() if name.startswith("hoptrail.agents")]:
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
