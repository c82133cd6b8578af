"""A small set of questions with graphs, and a model small enough to train on it in a test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.example import GraphExample
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.models.graph_llm.training.predictions import Prediction
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.tiny_llama import tiny_base_model

Triple = tuple[str, str, str]


def yard_triples(number: int) -> list[Triple]:
    """Return the graph of the question of this number."""
    return [
        (f"Ship {number}", "built at", f"Yard {number}"),
        (f"Yard {number}", "stands in", "Port Selwick"),
    ]


def yard_example(number: int) -> GraphExample:
    """Return the question of this number with its graph."""
    graph = GraphInput.from_triples(yard_triples(number))
    return GraphExample(
        f"yard-{number}", f"Where was Ship {number} built?", (f"Yard {number}",), graph
    )


def yard_examples(first: int, count: int) -> list[GraphExample]:
    """Return some questions with their graphs."""
    return [yard_example(number) for number in range(first, first + count)]


def write_yards(folder: Path, count: int) -> tuple[Path, Path]:
    """Write some questions and their graphs; return the two files."""
    questions, graphs = folder / "questions.jsonl", folder / "graphs.jsonl"
    lines: list[dict[str, Any]] = []
    triples: list[dict[str, Any]] = []
    for number in range(count):
        example = yard_example(number)
        answers = list(example.answers)
        lines.append({"id": example.id, "question": example.question, "answers": answers})
        triples.append({"id": example.id, "graph": yard_triples(number)})
    for path, objects in ((questions, lines), (graphs, triples)):
        path.write_text("".join(json.dumps(value) + "\n" for value in objects), encoding="utf-8")
    return questions, graphs


def tiny_graph_llama(seed: int = 0, **config: Any) -> GraphLlama:
    """Return an untrained model; equal arguments give equal weights."""
    chosen = {"hidden": 16, "heads": 2, "layers": 1, "projector_hidden": 16, "graph_tokens": 9}
    torch.manual_seed(seed)
    return GraphLlama(
        tiny_base_model(), GraphLlamaConfig(**{**chosen, **config}), HashingEmbedder()
    )


def exact_score(predictions: Sequence[Prediction]) -> dict[str, float]:
    """Return the share of first answers that are the gold answer, as every metric."""
    share = fmean(item.answers[:1] == item.example.answers for item in predictions)
    return dict.fromkeys(("hits@1", "hit", "set_f1"), share)
