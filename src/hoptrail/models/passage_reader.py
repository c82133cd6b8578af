"""Finds the words of a passage that answer a question, by a small model that comes with Hoptrail.

It is the packaged embedder, whose layers were trained on to mark where an answer begins and ends
(Devlin et al. 2019, arXiv:1810.04805, section 4.3); vectors of words and positions are its own.
`benchmarks/reading/train.py` says from what it learned.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources, util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.models.embedding.packaged_models import (
    PACKAGED_MODELS,
    check_files,
    open_session,
    usable_threads,
)

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

EMBEDDER = "all-MiniLM-L6-v2"
LONGEST = 320  # tokens of a question and a window of a passage
_STEPS = 127  # whole numbers of a change to either side
_OVERLAP = 96  # tokens that a window shares with the next one
_LONGEST_QUESTION = 64  # tokens
_LONGEST_ANSWER = 30  # tokens
_MOST_KNOWN = 512  # passages: a question is searched for several times
_MOST_HAVING = 8  # passages that are read for words that they have
_SCALE = ".scale"
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@dataclass(frozen=True, slots=True)
class PassageReading:
    """A reading of one passage.

    Attributes:
        start: First character of the likeliest answer in the passage's text.
        end: Behind its last character; equal to `start` where no words can be the answer.
        stated: How likely the passage answers the question at all, 0 to 1.
        likely: How likely these words are the answer, 0 to 1.
        yes: How likely the answer is yes.
        no: How likely it is no.
    """

    start: int
    end: int
    stated: float
    likely: float
    yes: float
    no: float


class PassageReader:
    """Reads passages for a question; safe to share between threads.

    Args:
        graph: From `input_ids`, `attention_mask` and `token_type_ids`, each (texts, tokens), to
            `spans` (texts, tokens, 2) and `kinds` (texts, 4): words of the text, none, yes, no.
        folder: That of the packaged embedder.
        weights: By name, those that the graph takes from elsewhere.
    """

    def __init__(self, graph: bytes, folder: Path, weights: Mapping[str, FloatArray]) -> None:
        from tokenizers import Tokenizer

        self._session = open_session(graph, folder, weights)
        self._known: dict[tuple[str, str, str], tuple[_Window, ...]] = {}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(LONGEST, stride=_OVERLAP, strategy="only_second")
        self._tokenizer.no_padding()
        self._questions: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._questions.no_padding()
        self._questions.enable_truncation(_LONGEST_QUESTION)

    @classmethod
    @cache
    def shipped(cls) -> Self | None:
        """Return the reader that comes with this package, None without the packaged embedder.

        Raises:
            SettingsError: If the embedder's files are not the known ones.
        """
        model = PACKAGED_MODELS[EMBEDDER]
        if util.find_spec(model.module) is None:
            return None
        folder = Path(import_module(model.module).get_model_path())
        check_files(folder, model)
        own = resources.files("hoptrail.models") / "weights"
        graph = (own / "passage_reader.onnx").read_bytes()
        with (own / "passage_reader.npz").open("rb") as stream:
            small = dict(np.load(stream, allow_pickle=False))
        return cls(graph, folder, unpacked(small, _arrays(folder / "model.safetensors")))

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[PassageReading]:
        """Return a reading of each passage; what was read a moment ago is not read again.

        Args:
            question: As asked.
            passages: Title, may be empty, and text of each.
        """
        read = self._windows(question, passages)
        return [max((window.reading() for window in windows), key=_weight) for windows in read]

    def likelihood(
        self, question: str, passages: Sequence[tuple[str, str]], answer: str
    ) -> float | None:
        """Return how likely the answer to a question lies within some words of a passage, 0 to 1.

        Args:
            question: As asked.
            passages: Title, may be empty, and text of each; the first ones that have the words are
                read, and the likeliest place counts.
            answer: The words; None is returned where no text has them.
        """
        spelled = re.compile(r"\s+".join(map(re.escape, answer.split())), re.IGNORECASE)
        if not answer.strip():
            return None
        having = [one for one in passages if spelled.search(one[1])][:_MOST_HAVING]
        return max(
            (
                window.likelihood(*place.span())
                for (_, text), windows in zip(having, self._windows(question, having), strict=True)
                for place in spelled.finditer(text)
                for window in windows
            ),
            default=None,
        )

    def _windows(
        self, question: str, passages: Sequence[tuple[str, str]]
    ) -> list[tuple[_Window, ...]]:
        """Return what was read of each passage, window by window."""
        keys = [(question, title, text) for title, text in passages]
        kept = ((key, self._known.get(key)) for key in keys)  # another thread may drop them
        known = {key: windows for key, windows in kept if windows is not None}
        new = [key for key in dict.fromkeys(keys) if key not in known]
        if new:
            read = self._read(self._cut(question), [(title, text) for _, title, text in new])
            known.update(zip(new, read, strict=True))
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            self._known.update(known)
        return [known[key] for key in keys]

    def _read(self, asked: str, passages: Sequence[tuple[str, str]]) -> list[tuple[_Window, ...]]:
        whole = [
            self._tokenizer.encode(asked, f"{title}. {text}" if title else text)
            for title, text in passages
        ]
        parts = [
            (place, part)
            for place, encoding in enumerate(whole)
            for part in (encoding, *encoding.overflowing)
        ]
        # One at a time: what fills up a shorter window costs as much as its words.
        with ThreadPoolExecutor(usable_threads(), thread_name_prefix="read") as pool:
            outputs = pool.map(self._run, [part for _, part in parts])
        read: list[list[_Window]] = [[] for _ in passages]
        for (place, part), (spans, kinds) in zip(parts, outputs, strict=True):
            title = passages[place][0]
            read[place].append(_Window.of(part, spans, kinds, len(title) + 2 if title else 0))
        return list(map(tuple, read))

    def _cut(self, question: str) -> str:
        """Return the beginning of a question that leaves room for the passage."""
        offsets = self._questions.encode(question, add_special_tokens=False).offsets
        return question[: offsets[-1][1]] if offsets else question

    def _run(self, window: Encoding) -> tuple[FloatArray, FloatArray]:
        parts = (window.ids, window.attention_mask, window.type_ids)
        inputs = {
            name: np.array([part], dtype=np.int64)
            for name, part in zip(_INPUTS, parts, strict=True)
        }
        outputs: Any = self._session.run(["spans", "kinds"], inputs)
        return outputs[0][0], outputs[1][0]


def _weight(reading: PassageReading) -> float:
    return max(reading.likely, reading.yes, reading.no)


@dataclass(frozen=True, slots=True)
class _Window:
    """A reading of a window, token by token of the passage's text.

    Attributes:
        offsets: First character of each token in the text, and the one behind it.
        begin: How likely the answer begins with each, shape (tokens,).
        end: How likely it ends with each, shape (tokens,).
        kinds: How likely it is words, none, yes, no.
    """

    offsets: Sequence[tuple[int, int]]
    begin: FloatArray
    end: FloatArray
    kinds: FloatArray

    @classmethod
    def of(cls, encoding: Encoding, spans: FloatArray, kinds: FloatArray, lead: int) -> Self:
        """Return what was read; `lead` characters stand before the passage's text."""
        free = [
            place
            for place, sequence in enumerate(encoding.sequence_ids)
            if sequence == 1 and encoding.offsets[place][0] >= lead
        ]
        offsets = [
            (start - lead, end - lead) for start, end in map(encoding.offsets.__getitem__, free)
        ]
        begin, end = (_softmax(spans[free, side]) if free else spans[:0, side] for side in (0, 1))
        return cls(offsets, begin, end, _softmax(kinds))

    def reading(self) -> PassageReading:
        """Return the likeliest answer."""
        words, none, yes, no = map(float, self.kinds)
        if not self.offsets:
            return PassageReading(0, 0, 1 - none, 0.0, yes, no)
        joint = np.outer(self.begin, self.end)
        joint = np.triu(joint) - np.triu(joint, _LONGEST_ANSWER)
        first, last = np.unravel_index(int(joint.argmax()), joint.shape)
        start, end = self.offsets[int(first)][0], self.offsets[int(last)][1]
        return PassageReading(start, end, 1 - none, words * float(joint[first, last]), yes, no)

    def likelihood(self, start: int, end: int) -> float:
        """Return how likely the answer begins and ends within some characters of the text."""
        within = [at for at, one in enumerate(self.offsets) if one[0] < end and start < one[1]]
        mass = self.begin[within].sum() * self.end[within].sum() * self.kinds[0]
        return float(mass)


def _softmax(scores: FloatArray) -> FloatArray:
    raised = np.exp(scores - scores.max())
    shares: FloatArray = raised / raised.sum()
    return shares


def _arrays(path: Path) -> dict[str, FloatArray]:
    """Return the arrays of a safetensors file, mapped and not read."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
    header.pop("__metadata__", None)
    whole = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + length)
    return {
        name: whole[slice(*array["data_offsets"])].view(np.float32).reshape(array["shape"])
        for name, array in header.items()
        if array["dtype"] == "F32"
    }


def packed(
    weights: Mapping[str, FloatArray], base: Mapping[str, FloatArray]
) -> dict[str, np.ndarray]:
    """Return how weights differ from those they were trained on from, in a byte each.

    Matrices are kept as whole numbers with a scale a row, other arrays in 16 bits.

    Args:
        weights: By name.
        base: Those of the packaged embedder; what it lacks is kept whole.
    """
    small: dict[str, np.ndarray] = {}
    for name, array in weights.items():
        change = array - base[name] if name in base else array
        if change.ndim < 2:
            small[name] = change.astype(np.float16)
            continue
        scale = np.maximum(np.abs(change).max(axis=1, keepdims=True), 1e-8) / _STEPS
        small[name] = np.rint(change / scale).astype(np.int8)
        small[name + _SCALE] = scale.astype(np.float32)
    return small


def unpacked(
    small: Mapping[str, np.ndarray], base: Mapping[str, FloatArray]
) -> dict[str, FloatArray]:
    """Return what `packed` was made of, to within half a step of its scale."""
    return {
        name: base.get(name, np.float32(0))
        + array.astype(np.float32) * small.get(name + _SCALE, np.float32(1))
        for name, array in small.items()
        if not name.endswith(_SCALE)
    }
