"""Train a passage reader, and print what it reaches on passages that it has not seen.

    HF_HUB_OFFLINE=1 python -m benchmarks.reading.train --out DIR

The layers of the packaged embedder are trained on, in two stages, the first on written questions
and on triples put as questions, the second on the written ones alone, with falling steps
(`benchmarks/reading/examples.py`); vectors of words and positions stay. A stage whose checkpoint is
in DIR is not trained again. About 45 minutes on two cores with bfloat16; needs torch and
transformers (`hoptrail[graph-llm]`). What is learned is written to DIR/passage_reader.npz as
`src/hoptrail/models/weights/` keeps it: the change of each weight in a byte.

Each example is one passage: a softmax over its tokens for the beginning of the answer and for its
end (Devlin et al. 2019, arXiv:1810.04805, section 4.3), and one over the kinds of answers on the
first token.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module, resources
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from benchmarks.reading.examples import KINDS, ReadingExample, bridges, look_ups, triples, written
from hoptrail.models.embedding.packaged_models import PACKAGED_MODELS
from hoptrail.models.passage_reader import EMBEDDER, LONGEST, packed, unpacked

_LONGEST_QUESTION = 64  # tokens
_TRIPLES = 1500
_AGAIN = 0.5  # share of what the packaged weights have learned that is read again
_ONWARD = (8e-5, 0.02)
_TOLD_EVERY = 50  # steps
_BATCH = 16
_SPAN_WEIGHT = 2.0  # of where the answer stands against of what kind it is
_FROZEN = ("word_embeddings", "position_embeddings")
_DROPPED = 0.1  # of the last layer's output
_MASKED = 0.04  # of the words, which keeps the reader from learning passages by heart
_MASK, _LAST_SPECIAL = 103, 999  # in the vocabulary of the packaged embedder
_WARM_UP = 0.1


@dataclass(frozen=True, slots=True)
class Encoded:
    """An example in tokens; `start` and `end` are those of the answer, -1 without one."""

    ids: list[int]
    segments: list[int]
    start: int
    end: int
    kind: int


class TrainedReader(nn.Module):
    """The reader as it is trained.

    Args:
        folder: Of the packaged embedder.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        config = BertConfig.from_json_file(folder / "config.json")
        # Drawing the zeros of every layer takes longer here than all else.
        config.attention_probs_dropout_prob = config.hidden_dropout_prob = 0.0
        self.bert = BertModel(config, add_pooling_layer=False)
        self.bert.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
        self.dropout = nn.Dropout(_DROPPED)
        self.spans = nn.Linear(config.hidden_size, 2)
        self.kinds = nn.Linear(config.hidden_size, len(KINDS))
        for name, weights in self.bert.named_parameters():
            weights.requires_grad = not any(one in name for one in _FROZEN)

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores of tokens as first and last of the answer, and of the kinds."""
        if self.training:
            hidden_words = torch.rand(ids.shape) < _MASKED
            ids = ids.masked_fill(hidden_words & (ids > _LAST_SPECIAL), _MASK)
        hidden = self.bert(ids, attention_mask=mask, token_type_ids=segments).last_hidden_state
        hidden = self.dropout(hidden)
        spans = self.spans(hidden).float()
        outside = (segments == 0) | (mask == 0)
        return spans.masked_fill(outside[..., None], -1e4), self.kinds(hidden[:, 0]).float()

    def learned(self) -> dict[str, np.ndarray]:
        """Return the weights that training changes, as the graph names them."""
        return {
            name.removeprefix("bert."): weights.detach().numpy()
            for name, weights in self.named_parameters()
            if weights.requires_grad
        }


class Encoder:
    """Puts examples into tokens.

    Args:
        folder: Of the packaged embedder.
        chance: Decides how much of a long passage stands before its answer.
    """

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._first, self._between = self._number("[CLS]"), self._number("[SEP]")
        self._chance = chance

    def _number(self, token: str) -> int:
        number = self._tokenizer.token_to_id(token)
        if number is None:
            raise ValueError(f"the tokenizer has no {token}")
        return number

    def encode(self, example: ReadingExample) -> Encoded:
        """Return an example's tokens; of a long passage a part that has the answer."""
        asked = self._tokenizer.encode(example.question, add_special_tokens=False).ids
        asked = asked[:_LONGEST_QUESTION]
        lead = f"{example.title}. " if example.title else ""
        passage = self._tokenizer.encode(lead + example.text, add_special_tokens=False)
        room = LONGEST - len(asked) - 3
        begin, stop = example.start + len(lead), example.end + len(lead)
        inside = [
            at for at, (left, right) in enumerate(passage.offsets) if left < stop and right > begin
        ]
        has_answer = example.start >= 0 and bool(inside)
        cut = 0
        if has_answer and len(passage.ids) > room:
            before = self._chance.randrange(room // 4, room * 3 // 4)
            cut = max(0, min(len(passage.ids) - room, inside[0] - before))
        told = passage.ids[cut : cut + room]
        ids = [self._first, *asked, self._between, *told, self._between]
        opening = len(asked) + 2
        segments = [0] * opening + [1] * (len(told) + 1)
        span = (inside[0] - cut + opening, inside[-1] - cut + opening) if has_answer else (-1, -1)
        return Encoded(ids, segments, *span, KINDS.index(example.kind))


def main() -> None:
    """Train and report."""
    parsed = _parser().parse_args()
    torch.manual_seed(0)
    chance = random.Random(0)  # noqa: S311  no secret
    folder = Path(import_module(PACKAGED_MODELS[EMBEDDER].module).get_model_path())
    encoder = Encoder(folder, chance)
    model = TrainedReader(folder)
    base = {name: one.numpy() for name, one in load_file(folder / "model.safetensors").items()}
    steps = look_ups("train100") + bridges()
    reported = {
        "look-ups of MuSiQue dev": look_ups("dev")[:300],
        "written, held out": written(held_out=True, near=False),
        "near misses, held out": written(held_out=True, near=True),
    }

    def tell(stage: str) -> None:
        for name, held in reported.items():
            print(stage, name, report(model, [encoder.encode(one) for one in held]), flush=True)

    if parsed.onward:
        model.load_state_dict(_packaged(base), strict=False)
        tell("packaged")
        known = written(held_out=False, near=False)
        known = chance.sample(known, int(_AGAIN * len(known)))
        examples = [*written(held_out=False, near=True), *known, *steps]
        print(f"onward: {len(examples)} examples", flush=True)
        train(model, [encoder.encode(one) for one in examples], parsed.epochs, _ONWARD, chance)
        tell("onward")
        np.savez_compressed(parsed.out / "passage_reader.npz", **packed(model.learned(), base))
        return
    for stage, own, epochs, rate, last in (
        ("first", triples(_TRIPLES), 1, 2e-4, 0.6),
        ("second", [], parsed.epochs, 1.2e-4, 0.02),
    ):
        kept = parsed.out / f"{stage}.pt"
        if kept.exists():
            model.load_state_dict(torch.load(kept))
            continue
        examples = [*own, *steps, *written(held_out=False)]
        print(f"{stage}: {len(examples)} examples", flush=True)
        train(model, [encoder.encode(one) for one in examples], epochs, (rate, last), chance)
        torch.save(model.state_dict(), kept)
        tell(stage)
    np.savez_compressed(parsed.out / "passage_reader.npz", **packed(model.learned(), base))


def _packaged(base: dict[str, np.ndarray]) -> dict[str, Tensor]:
    """Return the weights that come with Hoptrail, as the trained reader names them."""
    path = resources.files("hoptrail.models") / "weights" / "passage_reader.npz"
    with path.open("rb") as stream:
        learned = unpacked(dict(np.load(stream, allow_pickle=False)), base)
    own = ("spans.", "kinds.")
    return {
        name if name.startswith(own) else f"bert.{name}": torch.from_numpy(np.array(one))
        for name, one in learned.items()
    }


def train(
    model: TrainedReader,
    examples: Sequence[Encoded],
    epochs: int,
    rate: tuple[float, float],
    chance: random.Random,
) -> None:
    """Train a model for some passes over examples, each batch of about the same length.

    `rate` is the highest learning rate, and the share of it with which training ends.
    """
    weights = [one for one in model.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=rate[0], weight_decay=0.01)
    steps = epochs * (len(examples) // _BATCH)

    def share(step: int) -> float:
        return min(1.0, (step + 1) / (_WARM_UP * steps + 1)) * (1 - (1 - rate[1]) * step / steps)

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, share)
    done, losses = 0, []
    for _ in range(epochs):
        model.train()
        for batch in _batches(examples, chance):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                spans, kinds = model(*_tensors(batch))
            loss = _loss(batch, spans, kinds)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            schedule.step()
            done += 1
            losses.append(loss.item())
            if done % _TOLD_EVERY == 0:
                print(
                    f"step {done} of {steps}: loss {np.mean(losses[-_TOLD_EVERY:]):.3f}", flush=True
                )


@torch.no_grad()
def report(model: TrainedReader, examples: Sequence[Encoded]) -> dict[str, float]:
    """Return the shares of right first spans and of right kinds."""
    model.eval()
    exact, right = [], []
    for at in range(0, len(examples), _BATCH):
        batch = examples[at : at + _BATCH]
        spans, kinds = model(*_tensors(batch))
        for one, span, kind in zip(batch, spans, kinds, strict=True):
            right.append(int(kind.argmax()) == one.kind)
            if one.start >= 0:
                joint = (span[:, 0, None] + span[None, :, 1]).triu()
                first, last = divmod(int(joint.argmax()), joint.shape[1])
                exact.append((first, last) == (one.start, one.end))
    return {
        "exact": round(float(np.mean(exact)), 3),
        "kind": round(float(np.mean(right)), 3),
        "spans": len(exact),
        "all": len(right),
    }


def _batches(examples: Sequence[Encoded], chance: random.Random) -> list[list[Encoded]]:
    mixed = chance.sample(examples, len(examples))
    reach = _BATCH * 16
    batches = [
        near[at : at + _BATCH]
        for first in range(0, len(mixed), reach)
        for near in [sorted(mixed[first : first + reach], key=lambda one: len(one.ids))]
        for at in range(0, len(near), _BATCH)
    ]
    return chance.sample(batches, len(batches))


def _tensors(batch: Sequence[Encoded]) -> tuple[Tensor, Tensor, Tensor]:
    shape = len(batch), max(len(one.ids) for one in batch)
    ids, mask, segments = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
    for row, one in enumerate(batch):
        length = len(one.ids)
        ids[row, :length] = torch.tensor(one.ids)
        segments[row, :length] = torch.tensor(one.segments)
        mask[row, :length] = 1
    return ids, mask, segments


def _loss(batch: Sequence[Encoded], spans: Tensor, kinds: Tensor) -> Tensor:
    """Return the mean over examples: that of the kind, and of both ends where words answer."""
    of_kind = functional.cross_entropy(kinds, torch.tensor([one.kind for one in batch]))
    told = [at for at, one in enumerate(batch) if one.start >= 0]
    if not told:
        return of_kind
    ends = torch.tensor([[batch[at].start, batch[at].end] for at in told])
    of_ends = sum(
        functional.cross_entropy(spans[told, :, side], ends[:, side], reduction="sum")
        for side in (0, 1)
    )
    return of_kind + _SPAN_WEIGHT * of_ends / (2 * len(batch))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="stages and weights")
    parser.add_argument("--epochs", type=int, default=2, help="passes of the second stage")
    parser.add_argument("--onward", action="store_true", help="go on from the packaged weights")
    return parser


if __name__ == "__main__":
    main()
