"""Names that other installed packages add, read from their entry points when they are needed."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from hoptrail.core.errors import PluginError, UnknownNameError

T = TypeVar("T")

RETRIEVER_GROUP = "hoptrail.retrievers"
PRESET_GROUP = "hoptrail.presets"
STORE_GROUP = "hoptrail.stores"
VECTOR_STORE_GROUP = "hoptrail.vector_stores"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Plugin:
    """A name that an installed package adds.

    Attributes:
        kind: `retriever`, `preset`, `store` or `vector store`.
        name: The name of the entry point.
        distribution: The package and its version.
        error: Why the name cannot be used, in one line; None where it can.
    """

    kind: str
    name: str
    distribution: str
    error: str | None = None


class Registry(Mapping[str, T], Generic[T]):
    """Values by name: the built-in ones in their order, then those of plugins by name.

    The entry points are read, and the plugins imported, when a name is asked for that is not built
    in, or all names are. A plugin that cannot be used is left out; where the names are listed it is
    reported, once, as a line of the log. It never hides a built-in name, nor another plugin.

    Args:
        built_in: The values that Hoptrail brings.
        kind: Singular name of the values in messages.
        group: The group of entry points.
        name_of: Returns the name by which a value calls itself; None where it is of another type.
        expected: Names that type in messages, with its article.
        listing: How to list the names, where a message should say it.
    """

    def __init__(
        self,
        built_in: Mapping[str, T],
        *,
        kind: str,
        group: str,
        name_of: Callable[[object], str | None],
        expected: str,
        listing: str | None = None,
    ) -> None:
        self._kind = kind
        self._group = group
        self._built_in = dict(built_in)
        self._name_of = name_of
        self._expected = expected
        self._listing = listing
        self._has_reported = False

    def __getitem__(self, name: str) -> T:
        if name in self._built_in:
            return self._built_in[name]
        return self._loaded[0][name]

    def __iter__(self) -> Iterator[str]:
        yield from self._built_in
        self._report_unusable()
        yield from self._loaded[0]

    def __len__(self) -> int:
        return len(self._built_in) + len(self._loaded[0])

    def quietly(self) -> tuple[str, ...]:
        """Return all names without a report, for work that needs none of them in particular."""
        return (*self._built_in, *self._loaded[0])

    @property
    def plugins(self) -> tuple[Plugin, ...]:
        """The names that installed packages add, in order, those that cannot be used too."""
        return self._loaded[1]

    def find(self, name: str) -> T:
        """Return the value of a name.

        Raises:
            UnknownNameError: If there is none of that name.
            PluginError: If an installed package adds the name and it cannot be used.
        """
        if name in self:
            return self[name]
        for plugin in self.plugins:
            if plugin.name == name:
                raise _unusable(plugin)
        raise UnknownNameError(self._kind, name, self, listing=self._listing)

    @cached_property
    def _loaded(self) -> tuple[dict[str, T], tuple[Plugin, ...]]:
        offers = _offers(self._group)
        rivals: dict[str, set[str]] = {}
        for distribution, entry in offers:
            rivals.setdefault(entry.name, set()).add(distribution)
        values: dict[str, T] = {}
        plugins: list[Plugin] = []
        for distribution, entry in offers:
            try:
                self._require_free_name(entry.name, rivals[entry.name] - {distribution})
                values[entry.name] = self._load(entry)
                error = None
            except Exception as failure:  # a plugin's module may raise anything
                error = _one_line(failure)
            plugins.append(Plugin(self._kind, entry.name, distribution, error))
        return values, tuple(plugins)

    def _report_unusable(self) -> None:
        if self._has_reported:
            return
        self._has_reported = True
        for plugin in self.plugins:
            if plugin.error is not None:
                _log.warning("%s", _unusable(plugin))

    def _require_free_name(self, name: str, rivals: set[str]) -> None:
        if name in self._built_in:
            raise PluginError("the name is that of a built-in one")
        if rivals:
            raise PluginError(f"{', '.join(sorted(rivals))} adds the same name")
        if not _NAME.fullmatch(name):
            raise PluginError("a name is made of small letters, digits and _, a letter first")

    def _load(self, entry: EntryPoint) -> T:
        value: T = entry.load()
        name = self._name_of(value)
        if name is None:
            raise PluginError(f"{entry.value} is not {self._expected}")
        if name != entry.name:
            raise PluginError(f"{entry.value} calls itself {name!r}")
        return value


def plugin_names(group: str) -> list[str]:
    """Return the names that installed packages add to a group; imports none of them."""
    return sorted({entry.name for _, entry in _offers(group)})


def _offers(group: str) -> list[tuple[str, EntryPoint]]:
    """Return the entry points of a group with their distributions, by name."""
    offers = [(_distribution(entry), entry) for entry in entry_points(group=group)]
    return sorted(offers, key=lambda offer: (offer[1].name, offer[0]))


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "unknown"


def _unusable(plugin: Plugin) -> PluginError:
    package = plugin.distribution.partition(" ")[0]
    return PluginError(
        f"{plugin.kind} {plugin.name!r} of the package {plugin.distribution} cannot be used: "
        f"{plugin.error}",
        hint=f"update or uninstall {package}",
    )


def _one_line(failure: Exception) -> str:
    text = " ".join(str(failure).split())
    if isinstance(failure, PluginError):
        return text
    return f"{type(failure).__name__}: {text}" if text else type(failure).__name__
