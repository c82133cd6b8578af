"""Who speaks in a conversation, and when: names and facts that its form tells for sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hoptrail.core.conversation import Message, is_conversation, messages
from hoptrail.core.text import clipped, name_key
from hoptrail.indexing.extraction.mentions import Mention

WROTE = "wrote on"
_LONGEST_MESSAGE = 300

Fact = tuple[Mention, str, Mention]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of a passage that somebody speaks in."""

    text: str
    messages: tuple[Message, ...]

    @classmethod
    def of(cls, text: str) -> Conversation | None:
        """Return the conversation that a passage is, None for any other passage."""
        if not is_conversation(text):
            return None
        return cls(text, tuple(one for one in messages(text) if one.speaker))

    def with_speakers(
        self, spans: Sequence[tuple[int, int]], sentences: Sequence[Sequence[Mention]]
    ) -> list[list[Mention]]:
        """Return the mentions of the sentences with who speaks among them.

        A first name, or a name run together ("AnnThale"), means the one speaker who has it.
        """
        forms: dict[str, set[str]] = {}
        for speaker in {message.speaker for message in self.messages}:
            key = name_key(speaker)
            for form in (key.split(" ")[0], key.replace(" ", "")):
                forms.setdefault(form, set()).add(speaker)
        known = {form: next(iter(names)) for form, names in forms.items() if len(names) == 1}

        def resolved(mention: Mention) -> Mention:
            name = None if mention.is_value else known.get(mention.key)
            return replace(mention, key=name_key(name), name=name) if name else mention

        return [
            [*self._speakers(start, end), *map(resolved, self._others(mentions))]
            for (start, end), mentions in zip(spans, sentences, strict=True)
        ]

    def facts(self) -> Iterator[tuple[str, Fact]]:
        """Yield who wrote on which day, each with the moment and the message as its sentence."""
        for one in self.messages:
            moment = f"{one.at:%Y-%m-%d}"
            day = Mention(one.start, one.start, name_key(moment), moment, "date")
            line = f"{one.speaker}: {self.text[one.said : one.end]}"
            said = f"{one.moment} {clipped(line, _LONGEST_MESSAGE)}"
            yield said, (_speaker(one), WROTE, day)

    def _speakers(self, start: int, end: int) -> list[Mention]:
        return [_speaker(one) for one in self.messages if start <= one.start < end]

    def _others(self, mentions: Sequence[Mention]) -> list[Mention]:
        """Return the mentions that are no part of a label in front of a message.

        "Stretching helps" is how people write in chats, and names nothing.
        """
        labels = [(one.start, one.said) for one in self.messages]
        return [
            one
            for one in mentions
            if not any(start <= one.start < said for start, said in labels)
            and not (one.opens and " " not in one.name and one.name.endswith("ing"))
        ]


def _speaker(message: Message) -> Mention:
    start = message.said - len(message.speaker) - len(": ")
    end = start + len(message.speaker)
    return Mention(start, end, name_key(message.speaker), message.speaker, "name")
