"""Inputs as they are named, as feeds: a source of the settings, a loader, an object store."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from langchain_core.documents import Document as LangChainDocument

from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.settings import SourceSettings
from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import Source
from hoptrail.indexing.loading.feeds.crawl import DELAY, DEPTH, MAX_PAGES, Crawl
from hoptrail.indexing.loading.feeds.feed import Feed
from hoptrail.indexing.loading.feeds.loaded import is_document
from hoptrail.indexing.loading.feeds.loaders import (
    MAX_DOCUMENTS,
    MAX_SECONDS,
    LoaderFeed,
    is_loader,
    loader_named,
)
from hoptrail.indexing.loading.feeds.object_store import ObjectStoreFeed, is_object_store

_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")


def feed_of(name: str | None, source: SourceSettings) -> Feed:
    """Return the feed that the settings, or options of a command, describe.

    Args:
        name: First part of the document ids; None lets the feed decide.
        source: What it reads.

    Raises:
        InputError: If its loader cannot be had.
        SettingsError: If a variable that it names is not set, or a value cannot be used.
    """
    seconds = source.max_seconds or MAX_SECONDS
    arguments = _filled(source.args)
    if source.crawl is not None:
        return Crawl(
            source.crawl,
            depth=DEPTH if source.depth is None else source.depth,
            name=name,
            below=source.below,
            max_pages=source.max_documents or MAX_PAGES,
            max_seconds=seconds,
            delay=DELAY if source.delay is None else source.delay,
            private_addresses=source.private_addresses,
        )
    most = source.max_documents or MAX_DOCUMENTS
    if source.store is not None:
        return ObjectStoreFeed(
            source.store, name=name, options=arguments, max_documents=most, max_seconds=seconds
        )
    loader, for_loading = loader_named(source.loader or "", arguments)
    return LoaderFeed(
        loader,
        name=name,
        id_fields=[source.id] if isinstance(source.id, str) else source.id,
        load_args=for_loading,
        max_documents=most,
        max_seconds=seconds,
    )


def as_inputs(given: Any, sources: Mapping[str, SourceSettings]) -> list[Source]:
    """Return the inputs of `index` as a run takes them.

    Args:
        given: Paths, addresses, names of sources of the settings, documents, loaders, crawls, in a
            list or one alone; or something else that yields documents.
        sources: Those of the settings, by name.
    """
    is_many = isinstance(given, Sequence) and not isinstance(given, str)
    inputs: list[Source] = []
    others: list[Any] = []
    for one in given if is_many else [given]:
        found = _as_input(one, sources)
        if found is None:
            others.append(one)
        else:
            inputs.append(found)
    return [*inputs, LoaderFeed(others)] if others else inputs


def as_synced(given: Any, sources: Mapping[str, SourceSettings]) -> str | Path | Feed:
    """Return what `sync` is to bring in step: a folder or a feed.

    Args:
        given: As for `as_inputs`; a list is one source, all of whose documents it holds.
        sources: Those of the settings, by name.

    Raises:
        InputError: If it is a single document.
    """
    if isinstance(given, list | tuple):
        return LoaderFeed(given)
    found = _as_input(given, sources)
    if isinstance(found, str | Path | Feed):
        return found
    raise InputError("one document cannot be synced", hint="give all of its source as a list")


def _as_input(given: Any, sources: Mapping[str, SourceSettings]) -> Source | None:
    """Return an input as a run takes it, None for a document of another kind."""
    if isinstance(given, Document | LangChainDocument | Path | Feed):
        return given
    if isinstance(given, str):
        if given in sources:
            try:
                return feed_of(given, sources[given])
            except SettingsError as error:
                raise SettingsError(
                    f"[sources.{given}]: {error.message}", hint=error.hint
                ) from error
        return ObjectStoreFeed(given) if is_object_store(given) else given
    if isinstance(given, os.PathLike):
        return str(os.fspath(given))
    if is_loader(given) or (isinstance(given, Iterable) and not is_document(given)):
        return LoaderFeed(given)
    return None


def _filled(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with `$NAME` as the value of that variable, which keeps secrets elsewhere.

    Raises:
        SettingsError: If it is not set.
    """
    filled = dict(arguments)
    for name, value in arguments.items():
        if isinstance(value, str) and (found := _VARIABLE.fullmatch(value)):
            if found[1] not in os.environ:
                raise SettingsError(
                    f"the argument {name} is the variable {found[1]}, which is not set",
                    hint=f"export {found[1]}=...",
                )
            filled[name] = os.environ[found[1]]
    return filled
