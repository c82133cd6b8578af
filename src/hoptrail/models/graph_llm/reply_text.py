"""From tokens to text, piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

from transformers.tokenization_utils_base import PreTrainedTokenizerBase

_UNFINISHED = "\ufffd"
_LONGEST_CHARACTER = 8  # tokens; what is longer is broken text, not a character to wait for


class ReplyText:
    """Turns a reply's tokens into pieces of text that never have to be taken back.

    Held back are the bytes of a character that is not complete, and what may become a stop text.

    Args:
        tokenizer: The model's.
        stop: Texts that end the reply.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, stop: Sequence[str] = ()) -> None:
        self._tokenizer = tokenizer
        self._stop = tuple(stop)
        self._ids: list[int] = []
        self._shown = 0
        self._held = ""
        self.stopped = False

    def add(self, token_id: int) -> str:
        """Return the text that may be shown now; `stopped` says if a stop text was met."""
        self._ids.append(token_id)
        # A token's text depends on the one before it, so the last shown piece is decoded again.
        text = self._decode(self._ids)
        waiting = len(self._ids) - self._shown
        if text.endswith(_UNFINISHED) and waiting < _LONGEST_CHARACTER:
            return ""
        new = text[len(self._decode(self._ids[: self._shown])) :]
        self._ids = self._ids[self._shown :]
        self._shown = len(self._ids)
        return self._release(self._held + new)

    def end(self) -> str:
        """Return what was held back; call it when no token follows and no stop text was met."""
        new = self._decode(self._ids)[len(self._decode(self._ids[: self._shown])) :]
        rest = self._release(self._held + new)
        return rest if self.stopped else rest + self._held

    def _release(self, text: str) -> str:
        """Return what cannot belong to a stop text and hold back the rest."""
        places = [place for stop in self._stop if (place := text.find(stop)) >= 0]
        if places:
            self.stopped = True
            self._held = ""
            return text[: min(places)]
        kept = max((_overlap(text, stop) for stop in self._stop), default=0)
        self._held = text[len(text) - kept :]
        return text[: len(text) - kept]

    def _decode(self, ids: list[int]) -> str:
        return str(
            self._tokenizer.decode(
                ids, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )


def _overlap(text: str, stop: str) -> int:
    """Return the length of the longest end of the text that a stop text begins with."""
    longest = min(len(text), len(stop) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(stop[:size])), 0)
