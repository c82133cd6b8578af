"""Trains the graph language model in several configurations and prints a table of their answers.

    HF_HUB_OFFLINE=1 python benchmarks/graph_llm.py webqsp [--only NAME ...] [--seeds 0 1 2]

The same command continues where it was stopped; what is finished in `runs/graph_llm` is not run
again. Each configuration is trained as `hoptrail train` does and answers all reported questions,
with the first seed once more by the graph tokens of other questions' graphs. A pointer also
answers alone.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

from data_sets import ROOT, data_folder
from graph_llm_runs import CONFIGURATIONS, SETS, TRAINING, Configuration, QuestionSet
from graph_llm_table import POINTER_ROWS, ROWS, SHUFFLED_ROWS, markdown_table

from hoptrail.cli.train import validation_line
from hoptrail.core.settings import load_settings
from hoptrail.eval.files.jsonl_log import JsonlLog
from hoptrail.eval.graph_llm.answer_scores import GraphAnswerScore
from hoptrail.eval.graph_llm.evaluation import answer_rows, pointer_rows
from hoptrail.eval.graph_llm.training import (
    GraphTraining,
    QuestionFile,
    build_model,
    load_answerable,
    load_examples,
    run_graph_training,
)
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.training.options import TrainingOptions

WORK = ROOT / "runs" / "graph_llm"


@dataclass(frozen=True)
class Machine:
    """Base model and hardware, the same for all runs."""

    base: str
    device: str
    dtype: str
    limit: int | None


def main() -> None:
    """Run what is not finished and print the table."""
    parser = argparse.ArgumentParser(description="Train and measure graph language models.")
    parser.add_argument("set", choices=list(SETS))
    parser.add_argument("--only", nargs="*", choices=list(CONFIGURATIONS), metavar="NAME")
    parser.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2], metavar="N")
    parser.add_argument("--limit", type=int, metavar="N", help="first N questions of each file")
    parser.add_argument("--table", action="store_true", help="run nothing, print what is there")
    parser.add_argument("--base", default="smollm2-135m")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="auto")
    arguments = parser.parse_args()
    work = WORK / (
        arguments.set if arguments.limit is None else f"{arguments.set}-{arguments.limit}"
    )
    if not arguments.table:
        questions = SETS[arguments.set](data_folder(arguments.set), WORK / arguments.set)
        machine = Machine(arguments.base, arguments.device, arguments.dtype, arguments.limit)
        for seed in arguments.seeds:
            for name in arguments.only or list(CONFIGURATIONS):
                run(name, seed, questions, machine, work)
    print(markdown_table(work))


def run(name: str, seed: int, questions: QuestionSet, machine: Machine, work: Path) -> None:
    """Train one configuration and let it answer, as far as that is not done."""
    chosen = CONFIGURATIONS[name]
    if chosen.training is None and seed:
        return  # nothing in it depends on the seed
    folder = work / f"{name}-s{seed}"
    print(f"{name}, seed {seed}: {folder}", flush=True)
    training = _training(chosen, seed, questions, machine, folder)
    if chosen.training is not None:
        run_graph_training(training, report=lambda row: print(validation_line(row), flush=True))
        training = replace(training, init=folder / "train" / "checkpoint")
    answer(training, replace(questions.reported, limit=machine.limit), folder)


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
        config=GraphLlamaConfig(**chosen.model),
        options=TrainingOptions(**{**TRAINING, **(chosen.training or {}), "seed": seed}),
        base=machine.base,
        device=machine.device,
        dtype=machine.dtype,
    )


if __name__ == "__main__":
    main()
