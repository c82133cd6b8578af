"""The marks of a trail as one model call reads its quotes; the marks by words are their floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.evidence.prompt_injection import is_instruction
from hoptrail.core.budget import Meter
from hoptrail.core.types import Chunk, SupportState, TrailHop
from hoptrail.prompts.forms.verification import HopStates

BY_WORDS_ALONE = "verify: no model checked the trail; its marks are those by words"
SOME_BY_WORDS = "verify: the model left out steps of the trail; their marks are those by words"
_ORDER: tuple[SupportState, ...] = ("none", "partly", "stated")
_LONGEST_QUOTE = 1_500

Marks = dict[int, SupportState]
"""Support by the number of a hop."""


async def read_marks(
    hops: Sequence[TrailHop],
    chunks: Mapping[str, Chunk],
    model: PromptedModel | None,
    meter: Meter,
) -> Marks:
    """Return the marks of the hops that a model may judge, by number; all of them in one call.

    A hop is shown where it has a quote that stands in its passage and words bear it out at least
    partly. A model may lower its mark, and lift `partly` to `stated`; what words do not bear out,
    no model does. A quote that gives orders to its reader is not shown, and keeps its mark. Where
    the call fails or nothing is left to spend on it, no mark changes, and the account of the calls
    is marked as `degraded` and says so.

    Args:
        hops: A trail that was checked by words.
        chunks: The passages by id.
        model: Model of the role `judge`; None where there is none to ask, which degrades too.
        meter: The account of the calls.
    """
    shown = [hop for hop in hops if _is_to_judge(hop, chunks)]
    if not shown:
        return {}

    async def ask(model: PromptedModel) -> Marks | None:
        text = "\n\n".join(_block(hop, chunks[hop.chunk_id or ""]) for hop in shown)
        reply = await model.structured("check_hops", HopStates, hops=text)
        given: Marks = {}
        for one in reply.hops:  # Of two states for one hop the lower one counts.
            before = given.get(one.hop)
            if before is None or _ORDER.index(one.state) < _ORDER.index(before):
                given[one.hop] = one.state
        marks: Marks = {hop.hop: given[hop.hop] for hop in shown if hop.hop in given}
        if marks and len(marks) < len(shown):
            meter.degraded = True
            meter.note(SOME_BY_WORDS)
        return marks or None

    marks = await decide(model, ask, Marks)
    if not marks:
        meter.degraded = True
        meter.note(BY_WORDS_ALONE)
    return marks


def _is_to_judge(hop: TrailHop, chunks: Mapping[str, Chunk]) -> bool:
    chunk = chunks.get(hop.chunk_id or "")
    if chunk is None or not hop.quote or hop.support == "none" or hop.quote not in chunk.text:
        return False
    return not (is_instruction(hop.quote) or is_instruction(chunk.title))


def _block(hop: TrailHop, chunk: Chunk) -> str:
    """Return a hop in four lines; line breaks of its texts cannot open another."""
    quote = _one_line(hop.quote or "")[:_LONGEST_QUOTE]
    lines = (f"claim: {_one_line(hop.claim)}", f"title: {_one_line(chunk.title)}")
    return "\n".join((f"hop {hop.hop}", *lines, f"quote: {quote}"))


def _one_line(text: str) -> str:
    return " ".join(text.split())
