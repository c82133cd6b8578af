"""What `graph_llm.py` trains and measures: question sets and configurations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hoptrail.api import Hoptrail
from hoptrail.core.settings import load_settings
from hoptrail.eval.graph_sources import Retrieving
from hoptrail.eval.graph_training import QuestionFile


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


CONFIGURATIONS: Mapping[str, Configuration] = {
    "text": Configuration({"encoder": "none"}, None),
    "constant": Configuration({"encoder": "constant", "triples": 0}),
    "token": Configuration({"triples": 0}, control="constant"),
    "constant+text": Configuration({"encoder": "constant"}, control="text"),
    "both": Configuration({}, control="constant+text"),
    "lora+text": Configuration({"encoder": "none", "low_rank": 8}, control="text"),
    "lora+both": Configuration({"low_rank": 8}, control="lora+text"),
}
TRAINING: Mapping[str, Any] = {"epochs": 1, "batch_size": 4, "validate_every": 50}


def webqsp(data: Path, work: Path) -> QuestionSet:
    """Return WebQSP: train800 to learn from, 246 validation questions to report on."""

    def split(name: str) -> QuestionFile:
        folder = data / "webqsp"
        return QuestionFile(folder / f"questions_{name}.jsonl", folder / f"graphs_{name}.jsonl.gz")

    return QuestionSet(split("train800"), split("validation"), split("validation"))


def metaqa(data: Path, work: Path) -> QuestionSet:
    """Return MetaQA: of 500 development questions per hop, odd lines to learn from, even to report.

    The checkpoint is chosen on a tenth of the odd lines. Knowledge base and halves are made once,
    in `work`.
    """
    work.mkdir(parents=True, exist_ok=True)
    knowledge_base = work / "kb"
    if not knowledge_base.exists():
        built = work / ".kb"
        with Hoptrail.open(built, create=True, settings=load_settings()) as hoptrail:
            hoptrail.index(triples=[data / "metaqa" / "kb.txt"], extractor="none")
        built.rename(knowledge_base)

    def half(name: str, first: int) -> QuestionFile:
        path = work / f"{name}.jsonl"
        if not path.exists():
            path.write_text("".join(_lines(data / "metaqa", first)), encoding="utf-8")
        retrieving = Retrieving("relation_path")
        return QuestionFile(path, None, str(knowledge_base), retrieving)

    return QuestionSet(half("odd", 0), None, half("even", 1))


SETS = {"webqsp": webqsp, "metaqa": metaqa}


def _lines(folder: Path, first: int) -> list[str]:
    lines = []
    for hops in (1, 2, 3):
        text = (folder / f"qa_{hops}hop_dev500.jsonl").read_text(encoding="utf-8")
        lines += text.splitlines(keepends=True)[first::2]
    return lines
