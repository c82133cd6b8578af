"""Conversations in JSON, as Slack, Teams, Discord, Telegram and others export them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from html import unescape
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hoptrail.indexing.loading.conversations import Posting, moment_of_value

_USERS = "users.json"
_MOST_BYTES = 100 * 1024 * 1024
_MARK = re.compile(r"<([^<>]*)>")
_SPEAKERS = (
    "displayName",
    "from",
    "author",
    "sender_name",
    "sender",
    "user_profile",
    "user",
    "username",
)
_NAMES = (
    "display_name",
    "real_name",
    "nickname",
    "global_name",
    "name",
    "username",
    "first_name",
    "displayName",
    "user",
)
_TEXTS = ("text", "content", "body", "message")
_MOMENTS = (
    "date",
    "timestamp",
    "ts",
    "timestamp_ms",
    "created_at",
    "sent_at",
    "time",
    "datetime",
    "createdDateTime",
    "originalarrivaltime",
)
_FEWEST = 2
_SHARE = 0.5
_LISTS = ("messages", "value", "MessageList")


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


def _slack_text(text: str, names: Mapping[str, str]) -> str:
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


def read_export(value: Any, names: Mapping[str, str] = MappingProxyType({})) -> list[Posting]:
    """Return the messages of an export, none for any other JSON.

    It is a list of objects that name a speaker, a moment and a text, or an object that has such a
    list as `messages`, as `value` (Teams) or as `MessageList` (Skype and Teams); half of its items
    at least must be such.

    Args:
        value: The JSON.
        names: Names of speakers that it calls by an id, as Slack does.
    """
    items = value
    if isinstance(value, Mapping):
        items = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
    if not isinstance(items, list):
        return []
    found = [posting for item in items if (posting := _posting(item, names)) is not None]
    if len(found) < max(_FEWEST, _SHARE * len(items)):
        return []
    # Facebook's and Teams' exports begin with the last message.
    first, last = (_key(found[at]) for at in (0, -1))
    return sorted(found, key=_key) if first > last else found


def read_conversations(value: Any) -> list[tuple[str, list[Posting]]]:
    """Return the conversations of one export by name, as Skype and Teams have them in one file."""
    listed = value.get("conversations") if isinstance(value, Mapping) else None
    found: list[tuple[str, list[Posting]]] = []
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, Mapping) and (postings := read_export(one)):
            name = _name(one.get("displayName")) or _name(one.get("id")) or "conversation"
            found.append((name, postings))
    return found


def _key(posting: Posting) -> tuple[date, str]:
    return posting.moment.day, posting.moment.time


def _posting(item: Any, names: Mapping[str, str]) -> Posting | None:
    if not isinstance(item, Mapping):
        return None
    speaker = next(filter(None, (_name(item.get(field)) for field in _SPEAKERS)), "")
    text = next(filter(None, (_text(item.get(field)) for field in _TEXTS)), "")
    moments = (moment_of_value(item[field]) for field in _MOMENTS if item.get(field) is not None)
    moment = next((one for one in moments if one is not None), None)
    if not speaker or not text or moment is None:
        return None
    if "ts" in item:
        text = _slack_text(text, names)
        if str(item.get("subtype", "")).startswith("channel_"):  # somebody joins or leaves
            speaker = ""
    elif _is_html(item):
        text = _without_tags(text)
    return Posting(names.get(speaker, speaker), moment, text) if text else None


def _is_html(message: Mapping[str, Any]) -> bool:
    body = message.get("body")
    kind = body.get("contentType") if isinstance(body, Mapping) else message.get("messagetype")
    return str(kind or "").lower().startswith(("html", "richtext"))


def _without_tags(text: str) -> str:
    from lxml import html
    from lxml.etree import ParserError

    try:
        page = html.fromstring(text)
    except (ParserError, ValueError):  # nothing but marks, or bytes that no text has
        return ""
    return " ".join(" ".join(map(str, page.itertext())).split())


def _name(value: Any) -> str:
    """Return a speaker's name, given as a text or as an object."""
    if isinstance(value, Mapping):
        return next(filter(None, (_name(value.get(field)) for field in _NAMES)), "")
    return value.strip() if isinstance(value, str) else ""


def _text(value: Any) -> str:
    """Return what was said, given as a text or, as Telegram has it, in parts."""
    if isinstance(value, list):
        return "".join(part if isinstance(part, str) else _text(part) for part in value)
    if isinstance(value, Mapping):
        return _text(value.get("text")) or _text(value.get("content"))
    return value.strip() if isinstance(value, str) else ""
