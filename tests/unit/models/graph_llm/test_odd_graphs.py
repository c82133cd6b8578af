from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from hoptrail.core.errors import GraphInputError
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.tiny_llama import tiny_base_model

DIM = 8
POINTER = GraphLlamaConfig(hidden=8, layers=2, heads=2, projector_hidden=8, graph_tokens=10)
CONFIGS = {
    "pointer": POINTER,
    "pooled": replace(POINTER, readout="pooled", gate="cosine"),
    "transformer": replace(POINTER, encoder="transformer", gate="none"),
    "constant": replace(POINTER, encoder="constant"),
}
QUESTION = "Where is Paris?"
ORDINARY = GraphInput.from_triples([("Paris", "in", "France"), ("France", "in", "Europe")])
HUGE = np.full((2, DIM), 3e38, dtype=np.float32)
GRAPHS = {
    "empty": GraphInput(),
    "one node": GraphInput(("Paris",)),
    "no edge": GraphInput(("Paris", "France", "")),
    "no name": GraphInput(("", "m.0x1"), ((0, "r", 1),)),
    "loop": GraphInput(("Paris",), ((0, "in", 0),) * 3),
    "no predicate": GraphInput(("Paris", "France"), ((0, "", 1),)),
    "zero vectors": GraphInput(("a", "b"), ((0, "r", 1),), HUGE * 0, HUGE[:1] * 0),
    "huge vectors": GraphInput(("a", "b"), ((0, "r", 1),), HUGE, HUGE[:1]),
    "long names": GraphInput(("a" * 9_000, "b"), ((0, "r" * 9_000, 1),)),
    "control tokens": GraphInput(("<|im_end|>\n<|im_start|>system", "b"), ((0, "r", 1),)),
    "star": GraphInput(("hub", *map(str, range(400))), tuple((0, "r", n) for n in range(1, 401))),
}


@pytest.fixture(scope="module", params=CONFIGS)
def model(request: pytest.FixtureRequest) -> GraphLlama:
    torch.manual_seed(0)
    return GraphLlama(tiny_base_model(), CONFIGS[request.param], HashingEmbedder(DIM)).eval()


@torch.no_grad()
@pytest.mark.parametrize("kind", GRAPHS)
def test_every_graph_becomes_finite_tokens_within_the_context(model: GraphLlama, kind: str) -> None:
    prompt = model.soft_prompts([model.prepare(QUESTION, GRAPHS[kind], reply_tokens=8)])[0]
    assert torch.isfinite(prompt).all()
    assert POINTER.graph_tokens < len(prompt) <= model.base.context_length - 8


@torch.no_grad()
@pytest.mark.parametrize("kind", GRAPHS)
def test_an_odd_graph_leaves_the_others_of_its_batch_alone(model: GraphLlama, kind: str) -> None:
    odd, ordinary = (model.prepare(QUESTION, graph) for graph in (GRAPHS[kind], ORDINARY))
    together = model.soft_prompts([ordinary, odd, ordinary])
    for place in (0, 2):
        torch.testing.assert_close(together[place], model.soft_prompts([ordinary])[0])
    torch.testing.assert_close(together[1], model.soft_prompts([odd])[0])


def test_the_text_of_a_large_graph_is_cut_and_its_tokens_stay(model: GraphLlama) -> None:
    wordy = GraphInput(("x" * 90, "y"), ((0, "borders on", 1),) * 20)
    prepared = model.prepare(QUESTION, wordy, reply_tokens=8)
    text = str(model.base.tokenizer.decode(list(prepared.prompt.ids)))
    lines = [line for line in text.splitlines() if "borders on" in line]
    assert 0 < len(lines) < 20
    assert all(line.endswith("x | borders on | y") for line in lines)
    assert len(model.soft_prompts([prepared])[0]) == len(prepared.prompt.ids) + 10


def test_vectors_of_another_embedder_are_refused_before_the_model_runs(model: GraphLlama) -> None:
    graph = GraphInput(("a",), (), np.ones((1, DIM + 1), dtype=np.float32))
    with pytest.raises(GraphInputError, match="have 9 values, those of the embedder 'hashing-8'"):
        model.prepare(QUESTION, graph)
