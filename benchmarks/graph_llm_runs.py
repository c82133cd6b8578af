"""Question sets and configurations that `graph_llm.py` trains and measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hoptrail.api import Hoptrail
from hoptrail.core.settings import load_settings
from hoptrail.eval.graph_llm.sources import Retrieving
from hoptrail.eval.graph_llm.training import QuestionFile


@dataclass(frozen=True)
class Configuration:
    """A model; what is left out of `model` and `training` is the default of `hoptrail train`.

    Attributes:
        model: Fields of `GraphLlamaConfig`.
        training: Fields of `TrainingOptions`; None for a model that is not trained.
        control: The configuration that it is compared with.
    """

    model: Mapping[str, Any]
    training: Mapping[str, Any] | None = field(default_factory=dict)
    control: str | None = None


@dataclass(frozen=True)
class QuestionSet:
    """Questions to learn from, to choose the checkpoint on, and to report on."""

    training: QuestionFile
    validation: QuestionFile | None
    reported: QuestionFile


# Ten triples and 300 questions are what a processor of two cores trains on in minutes.
TEXT: Mapping[str, Any] = {"triples": 10}
NO_TEXT: Mapping[str, Any] = {"triples": 0}
# With text dropout half of the batches have no text, so there are twice as many.
ALWAYS: Mapping[str, Any] = {"text_dropout": 0.0, "max_steps": 75, "validate_every": 75}
CONFIGURATIONS: Mapping[str, Configuration] = {
    "question": Configuration({**NO_TEXT, "encoder": "none"}, None),
    "text": Configuration({**TEXT, "encoder": "none"}, None, control="question"),
    "constant": Configuration({**NO_TEXT, "encoder": "constant"}, ALWAYS),
    "token": Configuration(NO_TEXT, ALWAYS, control="constant"),
    "token, pooled": Configuration({**NO_TEXT, "readout": "pooled"}, ALWAYS, control="constant"),
    "constant+text": Configuration({**TEXT, "encoder": "constant"}, control="text"),
    "both": Configuration(TEXT, control="constant+text"),
    "both, pooled": Configuration({**TEXT, "readout": "pooled"}, control="constant+text"),
    "constant+text, no dropout": Configuration({**TEXT, "encoder": "constant"}, ALWAYS),
    "both, no dropout": Configuration(TEXT, ALWAYS, control="constant+text, no dropout"),
    "lora+text": Configuration({**TEXT, "encoder": "none", "low_rank": 8}, control="text"),
    "lora+both": Configuration({**TEXT, "low_rank": 8}, control="lora+text"),
    "lora+both, no dropout": Configuration(
        {**TEXT, "low_rank": 8}, {"text_dropout": 0.0}, control="lora+text"
    ),
}
TRAINING: Mapping[str, Any] = {
    "max_steps": 150,
    "validate_every": 150,
    "validate_limit": 8,
}


def webqsp(data: Path, work: Path) -> QuestionSet:
    """Return WebQSP: train800 to learn from, 246 validation questions to report on.

    Nothing is chosen on what is reported: the only checkpoint is the last one.
    """

    def split(name: str) -> QuestionFile:
        folder = data / "webqsp"
        return QuestionFile(folder / f"questions_{name}.jsonl", folder / f"graphs_{name}.jsonl.gz")

    return QuestionSet(split("train800"), None, split("validation"))


def metaqa(data: Path, work: Path) -> QuestionSet:
    """Return MetaQA: of 500 development questions per hop odd lines to learn from, even to report.

    One, two and three hops take turns, so the first questions are of each alike. Knowledge base and
    question files are made once, in `work`.
    """
    work.mkdir(parents=True, exist_ok=True)
    knowledge_base = work / "kb"
    if not knowledge_base.exists():
        built = work / ".kb"
        with Hoptrail.open(built, create=True, settings=load_settings()) as hoptrail:
            hoptrail.index(triples=[data / "metaqa" / "kb.txt"], extractor="none")
        built.rename(knowledge_base)

    def part(name: str, lines: slice) -> QuestionFile:
        path = work / f"{name}.jsonl"
        if not path.exists():
            path.write_text("".join(_lines(data / "metaqa", lines)), encoding="utf-8")
        retrieving = Retrieving("relation_path")
        return QuestionFile(path, None, str(knowledge_base), retrieving)

    return QuestionSet(part("odd", slice(0, 500, 2)), None, part("even", slice(1, 500, 2)))


SETS = {"webqsp": webqsp, "metaqa": metaqa}


def _lines(folder: Path, chosen: slice) -> list[str]:
    texts = [
        (folder / f"qa_{hops}hop_dev500.jsonl").read_text(encoding="utf-8") for hops in (1, 2, 3)
    ]
    by_hops = (text.splitlines(keepends=True)[chosen] for text in texts)
    return [line for turn in zip(*by_hops, strict=True) for line in turn]
