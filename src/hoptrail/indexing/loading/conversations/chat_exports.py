"""Conversations in JSON, as Slack, Discord, Telegram and others export them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hoptrail.indexing.loading.conversations.layout import Posting
from hoptrail.indexing.loading.conversations.moments import moment_of_value

_SPEAKERS = ("from", "author", "sender_name", "sender", "user_profile", "user", "username")
_NAMES = ("display_name", "real_name", "nickname", "global_name", "name", "username", "first_name")
_TEXTS = ("text", "content", "body", "message")
_MOMENTS = ("date", "timestamp", "ts", "timestamp_ms", "created_at", "sent_at", "time", "datetime")
_FEWEST = 2
_SHARE = 0.5


def read_export(value: Any) -> list[Posting]:
    """Return the messages of an export, none for any other JSON.

    It is a list of objects that name a speaker, a moment and a text, or an object that has such a
    list as `messages`; half of its items at least must be such.
    """
    items = value.get("messages") if isinstance(value, Mapping) else value
    if not isinstance(items, list):
        return []
    found = [posting for item in items if (posting := _posting(item)) is not None]
    if len(found) < max(_FEWEST, _SHARE * len(items)):
        return []
    in_time = sorted(found, key=lambda one: (one.moment.day, one.moment.time))
    # Facebook's exports begin with the last message.
    return in_time if found[0].moment.day > found[-1].moment.day else found


def _posting(item: Any) -> Posting | None:
    if not isinstance(item, Mapping):
        return None
    speaker = next(filter(None, (_name(item.get(field)) for field in _SPEAKERS)), "")
    text = next(filter(None, (_text(item.get(field)) for field in _TEXTS)), "")
    moments = (moment_of_value(item[field]) for field in _MOMENTS if item.get(field) is not None)
    moment = next((one for one in moments if one is not None), None)
    if not speaker or not text or moment is None:
        return None
    return Posting(speaker, moment, text)


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
        return _text(value.get("text"))
    return value.strip() if isinstance(value, str) else ""
