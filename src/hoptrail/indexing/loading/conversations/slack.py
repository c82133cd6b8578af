"""Folders that Slack exports: who is meant by an id, and the marks in its messages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from html import unescape
from pathlib import Path

_USERS = "users.json"
_MOST_BYTES = 100 * 1024 * 1024
_MARK = re.compile(r"<([^<>]*)>")


def slack_names(path: Path) -> Mapping[str, str]:
    """Return the names of users by id for a file `CHANNEL/DAY.json`, none outside of an export."""
    users = path.parent.parent / _USERS
    try:
        status = users.stat()
    except OSError:
        return {}
    return _names(users, status.st_mtime_ns) if status.st_size <= _MOST_BYTES else {}


@lru_cache(maxsize=4)  # an export has one such file for all its days
def _names(users: Path, _version: int) -> Mapping[str, str]:
    try:
        listed = json.loads(users.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    found: dict[str, str] = {}
    for user in listed if isinstance(listed, list) else ():
        if isinstance(user, Mapping) and isinstance(user.get("id"), str):
            profile = user.get("profile")
            known = {**user, **(profile if isinstance(profile, Mapping) else {})}
            name = known.get("real_name") or known.get("display_name") or known.get("name")
            if isinstance(name, str) and name.strip():
                found[user["id"]] = name.strip()
    return found


def slack_text(text: str, names: Mapping[str, str]) -> str:
    """Return a message as its reader sees it: names for ids, labels for links."""
    return unescape(_MARK.sub(lambda mark: _shown(mark[1], names), text))


def _shown(mark: str, names: Mapping[str, str]) -> str:
    target, _, label = mark.partition("|")
    if target.startswith("@"):
        return "@" + (names.get(target[1:]) or label or target[1:])
    if target.startswith("#"):
        return "#" + (label or target[1:])
    if target.startswith("!"):
        return "@" + target[1:].partition("^")[0]
    return f"{label} ({target})" if label and label not in target else target
