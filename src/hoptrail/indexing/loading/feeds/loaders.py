"""Loaders of LangChain and readers of LlamaIndex as feeds, ended where they hang."""

from __future__ import annotations

import inspect
import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from hoptrail.core.errors import InputError
from hoptrail.core.text import counted
from hoptrail.core.types import Document
from hoptrail.indexing.loading.feeds.feed import Feed, FeedRun, FileReader
from hoptrail.indexing.loading.feeds.loaded import LoadedDocuments, shared_folder
from hoptrail.indexing.loading.files import Skipped, real_path
from hoptrail.indexing.loading.web_addresses import address_id, is_address

T = TypeVar("T")

_AHEAD = 8  # items that are made before they are asked for
_LOOK_SECONDS = 0.2
MAX_DOCUMENTS = 100_000
MAX_SECONDS = 3600.0
_MAX_SILENCE = 600.0  # so long the next document is waited for
_LAZY = ("lazy_load", "lazy_load_data", "iter_data")
_EAGER = ("load", "load_data")
_LOADS = (*_LAZY, *_EAGER)
_GIVEN = "documents"
_OF = " of "


class StoppedError(Exception):
    """Items stopped coming; the message says why."""


class _End:
    """The end of the items, with what ended them."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def bounded(
    make: Callable[[], Iterable[T]], *, items: int, seconds: float, silence: float
) -> Iterator[T]:
    """Yield items that a thread of its own makes, so that one that hangs is given up.

    Args:
        make: Returns the items; called in that thread.
        items: As many are yielded at most.
        seconds: So long they may take in all.
        silence: So long the next one is waited for.

    Raises:
        StoppedError: If they did not come to their end, for whatever reason.
    """
    ready: queue.Queue[T | _End] = queue.Queue(_AHEAD)
    is_over = threading.Event()
    # A daemon, for a thread that hangs in a foreign call cannot be ended.
    threading.Thread(target=_produce, args=(make, ready, is_over), daemon=True).start()
    deadline = time.monotonic() + seconds
    try:
        for _ in range(items):
            item = _next(ready, deadline, seconds, silence)
            if isinstance(item, _End):
                return
            yield item
        beyond: T | _End = _next(ready, deadline, seconds, silence)
        if not isinstance(beyond, _End):
            raise StoppedError(f"stopped after {counted(items, 'document')}, the limit")
    finally:
        is_over.set()


def _produce(
    make: Callable[[], Iterable[T]], ready: queue.Queue[T | _End], is_over: threading.Event
) -> None:
    try:
        for item in make():
            if not _put(ready, item, is_over):
                return
    except BaseException as error:  # whatever it is, the reader is told
        _put(ready, _End(error), is_over)
    else:
        _put(ready, _End(), is_over)


def _put(ready: queue.Queue[T | _End], item: T | _End, is_over: threading.Event) -> bool:
    """Hand an item over, and return whether anybody still wants one."""
    while not is_over.is_set():
        try:
            ready.put(item, timeout=_LOOK_SECONDS)
        except queue.Full:
            continue
        return True
    return False


def _next(
    ready: queue.Queue[T | _End], deadline: float, seconds: float, silence: float
) -> T | _End:
    left = deadline - time.monotonic()
    try:
        item = ready.get(timeout=max(0.0, min(left, silence)))
    except queue.Empty:
        told = f"nothing came for {counted(silence, 'second')}" if silence < left else ""
        raise StoppedError(told or f"not at its end after {counted(seconds, 'second')}") from None
    if not isinstance(item, _End) or item.error is None:
        return item
    told = " ".join(str(item.error).split())[:300]
    name = type(item.error).__name__
    raise StoppedError(f"{name}: {told}" if told else name) from item.error


class LoaderFeed(Feed):
    """The documents of a loader, or of any iterable, in a source of their own.

    A loader that raises, hangs or never ends is stopped: what it gave is read, and nothing that it
    did not give is deleted.

    Files of documents that are given as a list are called by their path below the folder that all
    of them share when their source is first read. The root tells it, so that ids stay as they are
    where later lists hold fewer files or more.

    Args:
        loader: A LangChain document loader, a LlamaIndex reader, or documents of these.
        name: First part of the document ids; by default from the loader's name.
        id_fields: Fields of the metadata that make the ids; by default what loaders tell.
        load_args: Arguments of the call that loads, as some readers of LlamaIndex need them.
        max_documents: As many are read at most.
        max_seconds: So long it may take.
    """

    def __init__(
        self,
        loader: Any,
        *,
        name: str | None = None,
        id_fields: Sequence[str] = (),
        load_args: Mapping[str, Any] | None = None,
        max_documents: int = MAX_DOCUMENTS,
        max_seconds: float = MAX_SECONDS,
    ) -> None:
        self._loader = loader
        self._folders, shown = _what_it_reads(loader)
        kind = type(loader)
        title = f"{kind.__module__}.{kind.__qualname__}" if is_loader(loader) else _GIVEN
        super().__init__(
            name or _name_of(kind) if is_loader(loader) else name or _GIVEN,
            f"{title}{_OF}{shown}" if shown else title,
        )
        self._id_fields = tuple(id_fields)
        self._load_args = dict(load_args or {})
        self._limits = (max_documents, max_seconds)

    def go_on(self, known: str) -> str:
        """Call files of given documents by their path below the folder that is known, if any."""
        title, of, folder = known.partition(_OF)
        if title == _GIVEN and not is_loader(self._loader):
            self.root = known
            self._folders = [folder] if of else []
        return self.root

    def _documents(
        self, files: FileReader, source: str, run: FeedRun
    ) -> Iterator[Document | Skipped]:
        made = LoadedDocuments(source, self._folders, self._id_fields)
        items, seconds = self._limits
        given = bounded(self._given, items=items, seconds=seconds, silence=_MAX_SILENCE)
        number = 0
        try:
            for number, one in enumerate(given, 1):
                yield self._document(one, made, f"{source}, document {number}", run)
        except StoppedError as stopped:
            reason = f"the loader stopped after {counted(number, 'document')}: {stopped}"
            yield run.stop(source, reason)
        else:
            if not number:
                yield Skipped(source, "the loader gives no document")

    def _document(
        self, given: Any, made: LoadedDocuments, shown: str, run: FeedRun
    ) -> Document | Skipped:
        try:
            document = made.document(given)
        except InputError as error:
            run.stopped_by = f"{shown}: {error.message}"  # its id is not known
            return Skipped(shown, error.message)
        run.present.add(document.id)
        return document if document.text.strip() else Skipped(document.id, "holds no text")

    def _given(self) -> Iterable[Any]:
        """Return what the loader gives, one after the other where it can."""
        if not is_loader(self._loader):
            yield from self._loader
            return
        load = _load_method(self._loader)
        for one in load(**self._load_args):
            # Readers of folders give a list for each file.
            yield from one if isinstance(one, list) else (one,)


def is_loader(given: object) -> bool:
    """Return whether something loads documents, as the loaders of LangChain and LlamaIndex do."""
    is_class = isinstance(given, type)
    return not is_class and any(callable(getattr(given, name, None)) for name in _LOADS)


def loader_named(name: str, arguments: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return a loader by its name, and the arguments that are for its loading.

    Args:
        name: `module:Class`, or `module:Class.method` for one that a method makes.
        arguments: Those that the class does not know are for loading.

    Raises:
        InputError: If there is none, or it cannot be made; the message says why.
    """
    module, colon, attribute = name.partition(":")
    if not colon or not attribute:
        raise InputError(
            f"{name}: not a loader",
            hint="name it MODULE:CLASS, such as "
            "langchain_community.document_loaders:NotionDirectoryLoader",
        )
    made: Any
    try:
        made = import_module(module)
        for part in attribute.split("."):
            made = getattr(made, part)
    except ImportError as error:
        raise InputError(
            f"{name}: {' '.join(str(error).split())[:300]}",
            hint="install the package that the loader comes from; Hoptrail brings none",
        ) from error
    except AttributeError as error:
        raise InputError(f"{name}: {error}", hint="check the name of the loader") from error
    own, for_loading = _split(made, arguments)
    try:
        loader = made(**own)
    # Whatever a foreign class raises for its arguments, or for a package that it lacks.
    except Exception as error:
        told = " ".join(str(error).split())[:300]
        raise InputError(
            f"{name}: {type(error).__name__}: {told}",
            hint="check its arguments, --loader-arg NAME=VALUE or args in the settings, and that "
            "the packages it needs are installed",
        ) from error
    if not is_loader(loader):
        raise InputError(f"{name}: not a loader, it has none of the methods {', '.join(_LOADS)}")
    return loader, for_loading


def _split(made: Any, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments that a class takes, and the others where only its loading takes any."""
    taken = _parameters(made)
    load = next((getattr(made, name) for name in _EAGER if hasattr(made, name)), None)
    if taken is None or load is None or "load_data" not in dir(made):
        return dict(arguments), {}
    others = {name: value for name, value in arguments.items() if name not in taken}
    return {name: value for name, value in arguments.items() if name in taken}, others


def _parameters(made: Any) -> set[str] | None:
    """Return the names that a class takes, None where it takes any."""
    try:
        parameters = inspect.signature(made).parameters
    except (TypeError, ValueError):
        return None
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return None
    return set(parameters)


def _load_method(loader: Any) -> Callable[..., Iterable[Any]]:
    """Return what loads the documents; one after the other where the class can do that itself."""
    for name in _LOADS:
        method = getattr(loader, name, None)
        # LlamaIndex's base class has a lazy method that only says that there is none.
        is_empty = getattr(method, "__module__", "") == "llama_index.core.readers.base"
        if callable(method) and not (name in _LAZY and is_empty):
            return cast("Callable[..., Iterable[Any]]", method)
    raise InputError("not a loader")


def _name_of(kind: type) -> str:
    name = kind.__name__
    for ending in ("Loader", "Reader", "Directory"):
        name = name.removesuffix(ending) or name
    return name.lower()


def _what_it_reads(loader: Any) -> tuple[list[str], str]:
    """Return the folders that a loader names in its attributes, and what it reads, to be shown.

    Of a list of documents it is the folder that they share. An address is shown without user,
    password, query and fragment, which may be secret.
    """
    if isinstance(loader, list | tuple):
        shared = shared_folder(loader)
        return ([], "") if shared is None else ([shared], shared)
    folders: list[str] = []
    shown = ""
    for value in _attributes(loader):
        if is_address(value):
            shown = shown or address_id(urlsplit(value)._replace(query="").geturl())
        elif os.path.exists(value):
            path = real_path(value)
            folders.append(path if os.path.isdir(path) else os.path.dirname(path))
            shown = shown or path
    return folders, shown


def _attributes(loader: Any) -> Iterator[str]:
    """Yield the texts and paths among the attributes of a loader, and in lists among these."""
    if not is_loader(loader):
        return
    for value in vars(loader).values():
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, Path) or (isinstance(one, str) and one and "\0" not in one):
                yield str(one)
