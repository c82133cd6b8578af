"""The holders of leases on servers: told apart, and known to be gone where that can be seen."""

from __future__ import annotations

import os
import socket
import uuid

used_here: set[str] = set()
"""Holders of this process that are at work."""


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
