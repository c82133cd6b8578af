"""Check by the passages whether a question for a role was rightly joined to the last topic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.core.text import content_words, words
from hoptrail.core.types import Chunk

_ROLE = re.compile(
    r"^who(?:\s(?:is|was|are|were)|['’]s)\s(?:the|our)\s(.{2,80}?)[\s?.!]{0,5}$", re.I
)


@dataclass(frozen=True, slots=True)
class RoleTopic:
    """A role, and the thing that a question for its holder was joined to: "bosun", "the Tern"."""

    role: str
    topic: str

    def is_of_another(self, passages: Sequence[Chunk]) -> bool:
        """Return whether passages tell of the role, and none of them names the topic with it.

        Where no passage tells of the role, nothing speaks against the topic.
        """
        role, topic = set(content_words(self.role)), set(content_words(self.topic))
        with_role = [found for one in passages if role <= (found := _words(one))]
        return bool(with_role) and not any(topic <= found for found in with_role)


def joined_topic(question: str, standalone: str) -> RoleTopic | None:
    """Return the topic that "Who is the bosun?" was joined to, None where it was to none."""
    asked, told = _ROLE.match(question.strip()), _ROLE.match(standalone.strip())
    if asked is None or told is None or not told[1].startswith(f"{asked[1]} of "):
        return None
    return RoleTopic(asked[1], told[1].removeprefix(f"{asked[1]} of "))


def _words(passage: Chunk) -> set[str]:
    return set(words(f"{passage.title} {passage.text}"))
