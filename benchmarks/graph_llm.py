"""Trains the graph language model in several configurations and prints a table of their answers.

    HF_HUB_OFFLINE=1 python benchmarks/graph_llm.py webqsp [--only NAME ...] [--seeds 0 1 2]
        [--base MODEL] [--place start|end] [--steps N] [--report N]

The same command continues where it was stopped; what is finished in `runs/graph_llm` is not run
again; another base model, place or number of steps has a folder of its own. Each configuration is
trained as `hoptrail train` does and answers all reported questions,
with the first seed once more by the graph tokens of other questions' graphs. A pointer also
answers alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from data_sets import ROOT, data_folder
from graph_llm_rows import answer_rows, pointer_rows
from graph_llm_runs import CONFIGURATIONS, SETS, TRAINING, Configuration, QuestionSet
from graph_llm_table import POINTER_ROWS, ROWS, SHUFFLED_ROWS, markdown_table

from hoptrail.cli.train import validation_line
from hoptrail.core.settings import load_settings
from hoptrail.eval.graph_llm.evaluation import GraphAnswerScore
from hoptrail.eval.graph_llm.training import (
    GraphTraining,
    QuestionFile,
    build_model,
    load_answerable,
    load_examples,
    run_graph_training,
)
from hoptrail.eval.json_files import JsonlLog
from hoptrail.models.graph_llm.config import GraphLlamaConfig, PlaceKind
from hoptrail.models.graph_llm.training.options import TrainingOptions

WORK = ROOT / "runs" / "graph_llm"
_BASE = "smollm2-135m"


@dataclass(frozen=True)
class Machine:
    """Base model, hardware and what they allow, the same for all runs.

    Attributes:
        base: The base model.
        device: A torch device.
        dtype: Number format of the base model.
        limit: First so many questions of each file; None for all.
        place: Where the graph tokens stand.
        steps: Most steps with the language model, in place of each configuration's own.
    """

    base: str
    device: str
    dtype: str
    limit: int | None
    place: PlaceKind
    steps: int | None

    @property
    def folder(self) -> str:
        """The end of the name of the runs' folder, behind that of the set."""
        parts = {
            "": self.limit,
            "base": None if self.base == _BASE else Path(self.base).stem,
            "place": None if self.place == "start" else self.place,
            "steps": self.steps,
        }
        return "".join(f"-{name}{value}" for name, value in parts.items() if value is not None)

    def adapted(self, chosen: Configuration) -> Mapping[str, Any]:
        """Return the course of a configuration's training."""
        course = {**TRAINING, **(chosen.training or {})}
        if self.steps is None:
            return course
        return {**course, "max_steps": self.steps, "validate_every": self.steps}


def main() -> None:
    """Run what is not finished and print the table."""
    parser = argparse.ArgumentParser(description="Train and measure graph language models.")
    parser.add_argument("set", choices=list(SETS))
    parser.add_argument("--only", nargs="*", choices=list(CONFIGURATIONS), metavar="NAME")
    parser.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2], metavar="N")
    parser.add_argument("--limit", type=int, metavar="N", help="first N questions of each file")
    parser.add_argument("--report", type=int, metavar="N", help="first N of the reported questions")
    parser.add_argument("--table", action="store_true", help="run nothing, print what is there")
    parser.add_argument("--base", default=_BASE, metavar="MODEL")
    parser.add_argument("--place", default="start", choices=get_args(PlaceKind))
    parser.add_argument("--steps", type=int, metavar="N", help="of the language model's training")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="auto")
    arguments = parser.parse_args()
    machine = Machine(
        base=arguments.base,
        device=arguments.device,
        dtype=arguments.dtype,
        limit=arguments.limit,
        place=arguments.place,
        steps=arguments.steps,
    )
    work = WORK / f"{arguments.set}{machine.folder}"
    if not arguments.table:
        questions = SETS[arguments.set](data_folder(arguments.set), WORK / arguments.set)
        for seed in arguments.seeds:
            for name in arguments.only or list(CONFIGURATIONS):
                run(name, seed, questions, machine, work, arguments.report or arguments.limit)
    print(markdown_table(work))


def run(
    name: str, seed: int, questions: QuestionSet, machine: Machine, work: Path, report: int | None
) -> None:
    """Train one configuration and let it answer the first `report`, as far as that is not done."""
    chosen = CONFIGURATIONS[name]
    if chosen.training is None and seed:
        return  # nothing in it depends on the seed
    folder = work / f"{name}-s{seed}"
    print(f"{name}, seed {seed}: {folder}", flush=True)
    training = _training(chosen, seed, questions, machine, folder)
    if chosen.training is not None:
        run_graph_training(training, report=lambda row: print(validation_line(row), flush=True))
        training = replace(training, init=folder / "train" / "checkpoint")
    answer(training, replace(questions.reported, limit=report), folder)


def answer(training: GraphTraining, reported: QuestionFile, folder: Path) -> None:
    """Let a model answer the reported questions, by their own graphs and by others'.

    What a pointer answers without the language model is noted beside it.
    """
    settings = load_settings()
    questions = load_answerable(reported.questions, reported.limit)
    logs = {False: JsonlLog(folder / ROWS)}
    if training.config.has_encoder and training.options.seed == 0:
        logs[True] = JsonlLog(folder / SHUFFLED_ROWS)
    pointed = [JsonlLog(folder / POINTER_ROWS)] if training.config.has_pointer else []
    if all(len(log.read()) == len(questions) for log in (*logs.values(), *pointed)):
        return
    examples = load_examples(reported, questions, training.cache, settings)
    model, score = build_model(training, settings), GraphAnswerScore(questions)
    for shuffled, log in logs.items():
        answer_rows(model, examples, score, log, shuffled=shuffled)
    for log in pointed:
        log.replace(pointer_rows(model, examples, score))


def _training(
    chosen: Configuration, seed: int, questions: QuestionSet, machine: Machine, folder: Path
) -> GraphTraining:
    validation = questions.validation
    return GraphTraining(
        training=replace(questions.training, limit=machine.limit),
        validation=None if validation is None else replace(validation, limit=machine.limit),
        out=folder / "train",
        cache=WORK / "cache",
        config=GraphLlamaConfig(**chosen.model, place=machine.place),
        options=TrainingOptions(**machine.adapted(chosen), seed=seed),
        base=machine.base,
        device=machine.device,
        dtype=machine.dtype,
    )


if __name__ == "__main__":
    main()
