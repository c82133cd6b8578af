"""Recognise sentences in a document that talk to the reader's model instead of telling a fact."""

from __future__ import annotations

import re

_INSTRUCTION = re.compile(
    r"""\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:question|instructions?|prompts?|rules|
        evidence|context|above|previous|prior|everything)\b
    |\b(?:answer|reply|respond|output|say|print|write|return|state)\s+(?:only\s+|just\s+|simply\s+|
        always\s+|exactly\s+)*(?:with\b|as\b|[:"“'‘])
    |\bfinal\s+answer\b|\bsystem\s+prompt\b|\byou\s+(?:must|should|have\s+to|are\s+now)\b.{0,60}
        \b(?:answer|say|reply|respond|output|ignore|assistant|model)\b
    |\b(?:the\s+)?(?:correct|right|true|only)\s+answer\s+(?:is|to)\b
    |\b(?:mark|rate|judge|label|count|treat|classify)\b.{0,60}\bas\s+(?:stated|supported|true|correct|
        verified|proven)\b
    |\b(?:assistant|language\s+model|chatbot|AI)\b\s*[:,].{0,60}\b(?:answer|say|reply|respond)\b""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def is_instruction(sentence: str) -> bool:
    """Return whether a sentence gives orders about answering: it supports no claim."""
    return _INSTRUCTION.search(sentence) is not None
