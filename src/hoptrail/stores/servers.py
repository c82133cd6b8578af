"""The common part of stores on servers: their addresses, and the leases of who writes there."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Collection
from urllib.parse import SplitResult, urlsplit

from hoptrail.core.errors import KnowledgeBaseLockedError, SettingsError

used_here: set[str] = set()
"""Holders of this process that are at work."""


def split_address(
    address: str, server: str, *, schemes: Collection[str], example: str, variables: str
) -> SplitResult:
    """Return the parts of a server's address, whose path is the name of a database at most.

    Args:
        address: As given.
        server: Its name, for messages.
        schemes: Those that its driver knows.
        example: An address, for messages.
        variables: Names of the variables that say who asks, for messages.

    Raises:
        SettingsError: If it is no such address, or holds a user or a password.
    """
    hint = f"it looks like {example}"
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError as error:
        raise SettingsError(
            f"the address of the {server} server is wrong: {error}", hint=hint
        ) from None
    if "@" in parts.netloc:
        raise SettingsError(
            f"the address of a {server} server must not hold a user or password",
            hint=f"set {variables}, and leave them out of the address",
        )
    if parts.scheme not in schemes or not parts.hostname or "/" in parts.path.strip("/"):
        raise SettingsError(f"{address!r} is no address of a {server} server", hint=hint)
    return parts


def new_holder() -> str:
    """Return a name for a writer of this process: machine, process, and what tells it apart."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"


def is_gone(holder: str) -> bool:
    """Return whether a holder was on this machine and is no longer at work."""
    host, process, *_ = holder.split(":")
    if (host, process) == (socket.gethostname(), str(os.getpid())):
        return holder not in used_here
    if host != socket.gethostname() or os.name == "nt":  # where signal 0 is no question
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError):
        return False
    return False


def refused_lease(address: object, kb: str, holder: str | None) -> KnowledgeBaseLockedError:
    """Return the error of a lease on a base that somebody has, None where nobody knows who."""
    host, process, *_ = (holder or "another machine::").split(":")
    return KnowledgeBaseLockedError(
        f"{address}: {kb} is being published by process {process} on {host}",
        hint="wait until it is done; one that was killed is waited for two minutes",
    )


def lost_lease(address: object, kb: str) -> KnowledgeBaseLockedError:
    """Return the error of a lease on a base that another writer took meanwhile."""
    return KnowledgeBaseLockedError(
        f"{address}: another writer took over {kb}",
        hint="this one had been silent for two minutes; publish again when it is done",
    )
